package allocation_test

import (
	"context"
	"fmt"

	"repslab/ballsbins/allocation"
	"repslab/mc"
)

// A round trip of 1,000 packets: memory that is not consumed sends nearly a whole batch to the
// cached bin, a token that is used once does not.
func ExampleSimulate() {
	for _, rule := range []allocation.Rule{allocation.TwoChoice, allocation.Memory, allocation.Token} {
		cfg := allocation.Config{Bins: 1000, Rule: rule, Information: allocation.Batched, Batch: 1000, Offset: 1}
		result, err := allocation.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 20})
		if err != nil {
			fmt.Println(err)
			return
		}
		o := result.Observations[0]
		fmt.Printf("%-10s gap after %d balls: %.0f\n", rule, o.Balls, o.Gap.Value)
	}
	// Output:
	// two-choice gap after 100000 balls: 5
	// memory     gap after 100000 balls: 900
	// token      gap after 100000 balls: 6
}

// A run by hand: how the loads of four bins lie around the average, as one bin is sampled more
// often than the others.
func ExampleNew() {
	oftenFirst := allocation.Sampling{Law: allocation.Given, Shares: []float64{3, 1, 1, 1}}
	cfg := allocation.Config{Bins: 4, Rule: allocation.MeanThinning, Sampling: oftenFirst}
	process, err := allocation.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	process.Reset(mc.NewStream(1, mc.Algorithm, 0))
	for range 3 {
		process.Advance(1000)
		fmt.Println(process.Balls(), process.Gap(), process.Under(), process.Max(), process.MaxGap())
	}
	// Output:
	// 1000 22 21 272 27
	// 2000 49 28 549 50
	// 3000 50 41 800 50
}

// Every second port is four times as fast, but ports are sampled uniformly: both samples of a quarter
// of the balls are slow, which are more balls than the slow ports' fifth of the speed. Memory has no
// such limit.
func ExampleConfig_speeds() {
	for _, rule := range []allocation.Rule{allocation.TwoChoice, allocation.Memory} {
		cfg := allocation.Config{Bins: 1000, Rule: rule, Speeds: []int{1, 4}, Balls: []int{100_000, 200_000, 400_000}}
		result, err := allocation.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 20})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, o := range result.Observations {
			fmt.Printf("%-10s gap after %d balls: %4.1f\n", rule, o.Balls, o.Gap.Value)
		}
	}
	fmt.Printf("lower bound for two samples after 400000 balls: %.0f\n", 400_000.0/2500*allocation.GapRate(0.5, 0.2, 2))
	// Output:
	// two-choice gap after 100000 balls: 12.9
	// two-choice gap after 200000 balls: 23.1
	// two-choice gap after 400000 balls: 42.9
	// memory     gap after 100000 balls:  2.0
	// memory     gap after 200000 balls:  2.0
	// memory     gap after 400000 balls:  2.1
	// lower bound for two samples after 400000 balls: 40
}

// Gaps of the rules with 50 n balls in n bins.
func Example() {
	for _, c := range []struct {
		name string
		cfg  allocation.Config
	}{
		{"three choices", allocation.Config{Rule: allocation.DChoice, Choices: 3}},
		{"1+β, β = 0.5", allocation.Config{Rule: allocation.OnePlusBeta, Beta: 0.5}},
		{"mean-thinning", allocation.Config{Rule: allocation.MeanThinning}},
		{"batches of n", allocation.Config{Information: allocation.Batched}},
		{"g-bounded, g = 4", allocation.Config{Information: allocation.GBounded, Width: 4}},
		{"half, a = 0.8", allocation.Config{Sampling: allocation.Sampling{Law: allocation.Half, Parameter: 0.8}}},
	} {
		result, err := allocation.Simulate(context.Background(), c.cfg, mc.Plan{Seed: 1, Replicas: 20})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-24s %5.1f\n", c.name, result.Observations[0].Gap.Value)
	}
	fmt.Printf("half, at least           %5.1f\n", 100*allocation.GapRate(0.9, 0.5, 2))
	// Output:
	// three choices              1.4
	// 1+β, β = 0.5               6.3
	// mean-thinning              5.8
	// batches of n               4.5
	// g-bounded, g = 4           8.3
	// half, a = 0.8             64.2
	// half, at least            62.0
}
