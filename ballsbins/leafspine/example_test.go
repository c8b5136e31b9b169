package leafspine_test

import (
	"context"
	"fmt"

	"repslab/ballsbins/leafspine"
	"repslab/mc"
)

// How the longest queue grows under three rules: as the square root of the packets, as the packets, and not at all.
func ExampleSimulate() {
	for _, rule := range []leafspine.Rule{leafspine.Random, leafspine.Shortest, leafspine.DestinationDrawn} {
		cfg := leafspine.Config{Ports: 8, Rule: rule, Packets: []int{256, 1024, 4096}}
		result, err := leafspine.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 20})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-27s", rule)
		for _, o := range result.Observations {
			fmt.Printf("%6.0f", o.Longest.Value)
		}
		fmt.Println()
	}
	// Output:
	// random                         36    71   143
	// shortest-queue                422  1689  6758
	// destination-rotation-drawn      3     3     3
}

// A rule of your own: each host takes the spines in the order of their bits reversed, from a drawn one.
func ExampleNewExperiment() {
	reversed := []int{0, 4, 2, 6, 1, 5, 3, 7}
	own := func(p *leafspine.Process) leafspine.Chooser {
		starts := make([]int, p.Hosts())
		for host := range starts {
			starts[host] = p.Drawn()
		}
		return func(q leafspine.Packet) int { return reversed[(starts[q.Source]+q.Number)%p.Spines()] }
	}
	plan := mc.Plan{Seed: 1, Replicas: 20}
	for _, traffic := range leafspine.Traffics() {
		cfg := leafspine.Config{Ports: 16, Own: own, Traffic: traffic, Packets: []int{256, 1024}}
		result, err := leafspine.Simulate(context.Background(), cfg, plan)
		if err != nil {
			fmt.Println(err)
			return
		}
		last := result.Observations[1]
		fmt.Printf("%-11s  longest queue %.0f packets, exponent %.2f\n", traffic, last.Longest.Value, last.Growth.Value)
	}
	// Output:
	// permutation  longest queue 5 packets, exponent 0.00
	// alternating  longest queue 455 packets, exponent 1.00
	// alltoall     longest queue 9 packets, exponent 0.00
}
