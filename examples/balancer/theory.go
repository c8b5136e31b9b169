package main

import (
	"context"
	"fmt"

	"repslab/ballsbins/leafspine"
	"repslab/mc"
)

// theory prints the longest queue after 4,096 packets of each host, and the exponent of its growth from 256 packets
// on, in a leaf-spine network of 16 ports without latency and feedback.
func theory() error {
	fmt.Printf("\n%-22s%-45s%s\n%-22s", "longest queue, theory", "permutation", "two destinations in turn", "")
	for range 2 {
		fmt.Printf("%-26s%-19s", "packets", "exponent")
	}
	rules := []leafspine.Config{{Own: ownWithoutMarks}, {Rule: leafspine.Random}, {Rule: leafspine.SourceRotation},
		{Rule: leafspine.DestinationAlike}, {Rule: leafspine.Shortest}}
	for i, c := range rules {
		name := string(c.Rule)
		if i == 0 {
			name = own.name
		}
		fmt.Printf("\n%-22s", name)
		for _, c.Traffic = range []leafspine.Traffic{leafspine.Permutation, leafspine.Alternating} {
			longest, exponent, err := longestQueue(c)
			if err != nil {
				return err
			}
			fmt.Printf("%-26s%-19s", fmt.Sprintf("%.1f", longest), fmt.Sprintf("%.2f", exponent))
		}
	}
	fmt.Println()
	return nil
}

// longestQueue returns the mean longest queue at the end, in packets, and the exponent of a power law.
func longestQueue(c leafspine.Config) (longest, exponent mc.Estimate, err error) {
	c.Packets = []int{256, 512, 1024, 2048, 4096}
	result, err := leafspine.Simulate(context.Background(), c, mc.Plan{Seed: 1, Replicas: replicas})
	if err != nil {
		return mc.Estimate{}, mc.Estimate{}, err
	}
	var packets []float64
	var queues []mc.Estimate
	for _, o := range result.Observations {
		packets, queues = append(packets, float64(o.Packets)), append(queues, o.Longest)
	}
	return queues[len(queues)-1], mc.FitPowerLaw(packets, queues).Exponent, nil
}
