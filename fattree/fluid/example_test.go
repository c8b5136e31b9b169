package fluid_test

import (
	"fmt"

	"repslab/fattree"
	"repslab/fattree/fluid"
	"repslab/fattree/topology"
	"repslab/mc"
)

// The ideal completion time of a workload, and the expected time under ECMP.
func Example() {
	const hosts = 64
	cfg := fluid.Config{Topology: topology.FatTree{Hosts: hosts}}
	for h := range hosts {
		cfg.Workload.Flows = append(cfg.Workload.Flows, fattree.NewFlow(fattree.Host(h), fattree.Host((h+hosts/2)%hosts), 8<<20, 0))
	}
	ideal, err := fluid.Ideal(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	last, _ := ideal.MaxFCT()
	fmt.Printf("ideal: last flow after %.1f us\n", float64(last)/1e6)
	var ecmp mc.Moments
	for replica := range uint64(100) {
		hashed, err := fluid.ECMPReplica(cfg, mc.NewStream(1, mc.Salts, replica).Source())
		if err != nil {
			fmt.Println(err)
			return
		}
		last, _ := hashed.MaxFCT()
		ecmp.Add(int64(last))
	}
	mean := ecmp.Mean(mc.DefaultConfidence)
	fmt.Printf("ECMP:  last flow after %.0f us in [%.0f, %.0f], mean over salts\n", mean.Value/1e6, mean.Lo/1e6, mean.Hi/1e6)
	// Output:
	// ideal: last flow after 178.7 us
	// ECMP:  last flow after 611 us in [589, 633], mean over salts
}
