package multipath_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/multipath"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
)

// A host with a failed link to one of four planes continues with the other three.
func Example() {
	planes := topology.Planes{Tree: topology.FatTree{Hosts: 16, Access: fattree.Link{Gbps: 100}}, Planes: 4}
	workload, _ := traffic.Tornado(16, traffic.Message{Bytes: 16 << 20}) // 16 is even
	port := planes.Ports(topology.Part{Switch: 0, Uplink: 0, ToHost: true, Direction: topology.Both}, 2)
	for _, faults := range [][]fattree.Fault{nil, {{Ports: port, Start: 100_000_000}}} {
		network, err := fattree.Build(fattree.Spec{
			Topology: planes, Workload: workload, Faults: faults, Profile: fattree.MRC, Choose: topology.ExactPath,
		})
		if err != nil {
			fmt.Println(err)
			return
		}
		run, err := multipath.NewRun(network)
		if err != nil {
			fmt.Println(err)
			return
		}
		balancer, _ := balance.NewMRC(256) // in [1, MaxEVS]
		result, err := run.Execute(context.Background(), balancer, &congestion.NSCC{Rules: fattree.UltraEthernet}, fattree.NewStreams(1, 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		end, _ := result.LastEnd()
		fmt.Printf("%d failed links: done after %.0f us, %d packets lost\n", len(faults)*len(port), float64(end)/1e6, result.Lost)
	}
	// Output:
	// 0 failed links: done after 355 us, 0 packets lost
	// 2 failed links: done after 438 us, 24 packets lost
}
