package topology_test

import (
	"fmt"

	"repslab/fattree/topology"
	"repslab/mc"
)

// A small grammar describes failures.
func ExampleParseFailures() {
	failures, err := topology.ParseFailures("cables=2,at=100,for=50;degrade=3%:0.5,place=aligned")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range failures {
		fmt.Println(f.Kind, f.Count, f.Percent, f.Rate, f.Place, f.Start, f.For)
	}
	_, err = topology.ParseFailures("cables=120%")
	fmt.Println(err)
	// Output:
	// cables 2 0 0 random 100000000 50000000
	// degrade 0 3 0.5 aligned 0 0
	// topology: failures ("cables=120%") must be a valid failure: "120%" must be a percentage in [0%, 100%]
}

// One cable in a random place is one cable of the whole network. An aligned cable is an uplink of every
// ToR.
func ExamplePlace() {
	tree := topology.FatTree{Hosts: 64}
	for _, place := range []topology.Placement{topology.Random, topology.Aligned} {
		failures := []topology.Failure{{Kind: topology.Cables, Count: 1, Place: place}}
		faults, _, err := topology.Place(tree, failures, mc.NewStream(1, mc.Workload, 0).Source())
		if err != nil {
			fmt.Println(err)
			return
		}
		links := 0
		for _, fault := range faults {
			links += len(fault.Ports)
		}
		fmt.Println(place, links)
	}
	// Output:
	// random 1
	// aligned 8
}
