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
	"repslab/fattree/transport"
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
			Balancer: func() (transport.Balancer, error) { return balance.New(name, 256) },
			Control:  func() transport.Control { return congestion.DCTCP{} },
		}
	}
	result, _, err := experiment.Compare(setup("ops"), setup("reps")).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	ratio := result.Ratio(1)
	fmt.Printf("maximum FCT: OPS %.1f us, REPS %.3f of that\n", result.Summary(0).Of("max_fct_us").Value, ratio)
	// Output:
	// maximum FCT: OPS 33.7 us, REPS 0.964 [0.951, 0.977] of that
}

// Every fourth flow of a tornado is pinned to one path. The others use adaptive RoCE, as intended and as
// in the authors' simulator.
func ExampleNewLeakingAdaptive() {
	const hosts = 32
	workload, err := traffic.Tornado(hosts, traffic.Message{Bytes: 4 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	workload.BackgroundEvery = 4
	network := experiment.Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: hosts}, Workload: workload})
	beside := func(leak float64) experiment.Setup {
		return experiment.Setup{
			Network: network,
			Balancer: func() (transport.Balancer, error) {
				pinned, err := balance.NewECMP(balance.MaxEVS)
				if err != nil {
					return nil, err
				}
				adaptive, err := balance.NewLeakingAdaptive(leak)
				return balance.NewMixed(adaptive, pinned), err
			},
			Control: func() transport.Control { return congestion.DCTCP{} },
		}
	}
	result, _, err := experiment.Compare(beside(0), beside(0.2)).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range []string{"as meant", "leaking"} {
		fmt.Printf("%s: maximum FCT %.1f us\n", name, result.Summary(i).Of("max_fct_us"))
	}
	// Output:
	// as meant: maximum FCT 95.2 [95.2, 95.2] us
	// leaking: maximum FCT 105.3 [104.9, 105.6] us
}
