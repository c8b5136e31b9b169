package main

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// grow prints the largest queue, in packets, as the message grows, and the exponents of a power law.
func grow(tiers int) error {
	var packets []float64
	queues := make([][]mc.Estimate, len(contenders))
	fmt.Printf("\n%-25s", fmt.Sprintf("largest queue, %d tiers", tiers))
	for _, c := range contenders {
		fmt.Printf("  %-20s", c.name)
	}
	for m := int64(16); m <= 1024; m *= 2 {
		packets = append(packets, float64(m))
		fmt.Printf("\nmessages of %-4d packets ", m)
		for i, c := range contenders {
			queue, err := largestQueue(c, tiers, m)
			if err != nil {
				return err
			}
			queues[i] = append(queues[i], queue)
			fmt.Printf("  %-20s", fmt.Sprintf("%.1f", queue))
		}
	}
	var exponents, fits string
	for i := range contenders {
		law := mc.FitPowerLaw(packets, queues[i])
		exponents += fmt.Sprintf("  %-20s", fmt.Sprintf("%.2f", law.Exponent))
		fits += fmt.Sprintf("  %-20.2g", law.LackOfFit)
	}
	fmt.Printf("\n%-25s%s\n%-25s%s\n", "exponent of growth", exponents, "p-value of a power law", fits)
	return nil
}

// largestQueue returns the mean largest queue, in packets, of a permutation of 128 hosts with messages of so many
// packets. Hosts send at their full rate, queues are as long as needed, and marks begin at 25 packets; from 76 on all
// packets are marked.
func largestQueue(c contender, tiers int, packets int64) (mc.Estimate, error) {
	base := fattree.Spec{
		Topology: topology.FatTree{Hosts: 128, Tiers: tiers}, Queue: 1 << 16, KMin: 25, KMax: 76,
		Options: transport.Options{InitialWindow: 1 << 16},
	}
	plan, err := base.Resolve()
	if err != nil {
		return mc.Estimate{}, err
	}
	message := traffic.Message{Bytes: packets * int64(plan.Spec().PayloadBytes())}
	all, _, err := experiment.Setup{
		Network: experiment.Varied(func(seed, replica uint64) (spec fattree.Spec, err error) {
			spec = base
			spec.Workload, err = traffic.Permutation(128, message, mc.NewStream(seed, mc.Workload, replica).Source())
			return spec, err
		}),
		Balancer: c.open,
		Control:  func() transport.Control { return congestion.None{} },
	}.NewExperiment().Run(context.Background(), mc.Plan{Seed: 1, Replicas: replicas})
	if err != nil {
		return mc.Estimate{}, err
	}
	return all.Summary().Of("max_queue_packets"), nil
}
