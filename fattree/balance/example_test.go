package balance_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// REPS against oblivious packet spraying on 32 hosts.
func Example() {
	const hosts = 32
	workload, err := traffic.Tornado(hosts, traffic.Message{Bytes: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	network := experiment.Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: hosts}, Workload: workload})
	setup := func(name string) experiment.Setup {
		return experiment.Setup{
			Network:  network,
			Balancer: func() (fattree.Balancer, error) { return balance.New(name, 256) },
			Control:  func() fattree.Control { return congestion.DCTCP{} },
		}
	}
	result, _, err := experiment.Compare(setup("ops"), setup("reps")).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	ratio := result.Ratio(1)
	fmt.Printf("maximum FCT: OPS %.1f us, REPS %.3f of that\n", result.Summary(0).MaxFCT.Value/1e6, ratio)
	// Output:
	// maximum FCT: OPS 33.7 us, REPS 0.964 [0.951, 0.977] of that
}
