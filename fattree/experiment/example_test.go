package experiment_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// tornado has 16 hosts that send 1 MiB each to the host that is 8 further.
func tornado(balancer string) experiment.Setup {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}}
	for host := range fattree.Host(16) {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(host, (host+8)%16, 1<<20, 0))
	}
	return experiment.Setup{
		Network:  experiment.Fixed(spec),
		Balancer: func() (transport.Balancer, error) { return balance.New(balancer, 1<<16) },
		Control:  func() transport.Control { return new(congestion.DCTCP) },
	}
}

// How much longer do two balancers take than REPS? Each replica has the same hash salts under all three, so the
// ratios are paired.
func ExampleCompare() {
	names := []string{"reps", "ops", "ecmp"}
	var setups []experiment.Setup
	for _, name := range names {
		setups = append(setups, tornado(name))
	}
	comparison, replicas, err := experiment.Compare(setups...).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range names {
		fmt.Printf("%-4s %.1f us, %.2f times as long as reps\n", name, comparison.Summary(i).Of("max_fct_us"), comparison.Ratio(i))
	}
	fmt.Println(replicas, "replicas")
	// Output:
	// reps 32.2 [32.0, 32.5] us, 1.00 [1.00, 1.00] times as long as reps
	// ops  32.5 [32.2, 32.7] us, 1.01 [1.00, 1.02] times as long as reps
	// ecmp 68.7 [61.7, 76.5] us, 2.13 [1.91, 2.37] times as long as reps
	// 20 replicas
}

// A runner gives the whole result of each replica.
func ExampleSetup_NewRunner() {
	runner, err := tornado("ecmp").NewRunner()
	if err != nil {
		fmt.Println(err)
		return
	}
	for number := range uint64(3) {
		replica, err := runner.Run(context.Background(), 1, number)
		if err != nil {
			fmt.Println(err)
			return
		}
		end, _ := replica.Result.LastEnd()
		fmt.Printf("replica %d: last flow after %.1f us\n", number, float64(end)/1e6)
	}
	// Output:
	// replica 0: last flow after 52.3 us
	// replica 1: last flow after 74.1 us
	// replica 2: last flow after 55.3 us
}

// How do elephants on half of the hosts and incasts share the network, and what do the other flows gain if the
// elephants are moved to REPS? Each replica draws its own hosts and partners. All setups meet the same flows.
func ExampleOfPart() {
	mix := traffic.Mix{Tree: topology.FatTree{Hosts: 16}, Parts: []traffic.Part{
		{Name: "elephants", Pattern: traffic.Permutation, Bytes: 1 << 20, Drawn: 8},
		{Name: "incast", Bytes: 50_000, Drawn: 16, Every: 10 * fattree.Microsecond, Duration: 40 * fattree.Microsecond,
			Pattern: func(hosts int, m traffic.Message, _ rand.Source) (fattree.Workload, error) {
				return traffic.Incast(hosts, 4, m)
			}},
	}}
	moved := func(w fattree.Workload, flow int) int {
		if first, end := w.Part("elephants"); first <= flow && flow < end {
			return 1
		}
		return 0
	}
	for _, elephants := range []string{"ecmp", "reps"} {
		setup := tornado("ecmp")
		setup.Network = experiment.Varied(func(seed, replica uint64) (spec fattree.Spec, err error) {
			spec.Topology = mix.Tree
			spec.Workload, err = mix.Workload(mc.NewStream(seed, mc.Workload, replica))
			return spec, err
		})
		setup.Balancer = func() (transport.Balancer, error) {
			others, err := balance.New("ecmp", 1<<16)
			if err != nil {
				return nil, err
			}
			own, err := balance.New(elephants, 1<<16)
			return balance.NewPerFlow(moved, others, own), err
		}
		setup.Groups = []experiment.Group{experiment.OfPart("elephants"), experiment.OfPart("incast")}
		tally, _, err := setup.NewExperiment().Run(context.Background(), mc.Plan{Seed: 1, Replicas: 20})
		if err != nil {
			fmt.Println(err)
			return
		}
		for i, group := range setup.Groups {
			fmt.Printf("elephants on %s: maximum of %-9s %.0f us\n", elephants, group.Name, tally.Summary().Groups[i].Of("max_fct_us"))
		}
	}
	// Output:
	// elephants on ecmp: maximum of elephants 45 [41, 49] us
	// elephants on ecmp: maximum of incast    17 [15, 19] us
	// elephants on reps: maximum of elephants 34 [34, 35] us
	// elephants on reps: maximum of incast    15 [15, 16] us
}
