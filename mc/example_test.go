package mc_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"repslab/mc"
)

// tally accumulates the maximum loads of replicas.
type tally struct{ max mc.Moments }

func (t *tally) Parts() []mc.NamedPart { return []mc.NamedPart{{Name: "max", Part: &t.max}} }

func (t *tally) StoppingStatistic() mc.Estimate { return t.max.Mean(mc.DefaultConfidence) }

// The maximum load of 320 balls in 32 bins, to 0.1 %. The exact law (package
// evsimbalance) gives 17.080.
func Example() {
	experiment := mc.Repeat(func() *tally { return new(tally) }, func(t *tally, seed, replica uint64) {
		random, loads := mc.NewStream(seed, mc.Algorithm, replica).Rand(), [32]int64{}
		for range 320 {
			loads[random.Below(32)]++
		}
		t.max.Add(slices.Max(loads[:]))
	})
	all, replicas, err := experiment.Run(context.Background(), mc.Plan{Seed: 1, Replicas: 1 << 20, Stop: mc.Precision{Relative: 0.001}})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := all.StoppingStatistic()
	fmt.Printf("maximum load %.2f, %d replicas\n", e, replicas)
	// Output:
	// maximum load 17.08 [17.06, 17.09], 40384 replicas
}

// Both generators of a stream are sources of math/rand/v2, so the standard library
// and gonum draw from them.
func ExampleStream_Source() {
	stream := mc.NewStream(1, mc.Workload, 0)
	fmt.Println(rand.New(stream.Source()).Perm(8))
	fmt.Printf("%.3f\n", distuv.Exponential{Rate: 1, Src: stream.Child(0).Source()}.Rand())
	hot := stream.Child(1).Rand()
	fmt.Printf("%.3f\n", distuv.Exponential{Rate: 1, Src: &hot}.Rand())
	// Output:
	// [3 5 7 4 2 0 6 1]
	// 0.133
	// 0.412
}

// Two estimates from the same replicas: the ratio of paired means has a narrower
// interval than the two means allow.
func ExamplePairedMoments() {
	var times mc.PairedMoments
	for _, pair := range [][2]int64{{120, 100}, {133, 110}, {98, 82}, {141, 119}} {
		times.Add(pair[0], pair[1])
	}
	ratio := times.Ratio(mc.DefaultConfidence)
	fmt.Printf("%.3f, p-value of \"at most 1\": %.1g\n", ratio, ratio.PAtMost(1))
	// Output:
	// 1.197 [1.179, 1.215], p-value of "at most 1": 2e-05
}

// Two experiments on the same replicas: the maximum loads of 32 bins under one choice and under two.
func ExamplePaired() {
	throw := func(choices int) mc.Experiment[*tally] {
		return mc.Repeat(func() *tally { return new(tally) }, func(t *tally, seed, replica uint64) {
			random, loads := mc.NewStream(seed, mc.Algorithm, replica).Rand(), [32]int64{}
			for range 320 {
				bin := random.Below(32)
				if other := random.Below(32); choices == 2 && loads[other] < loads[bin] {
					bin = other
				}
				loads[bin]++
			}
			t.max.Add(slices.Max(loads[:]))
		})
	}
	pair, _, err := mc.Paired(throw(1), throw(2)).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 1000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("one choice %.2f, two choices %.2f\n", pair.First.StoppingStatistic(), pair.Second.StoppingStatistic())
	// Output: one choice 17.02 [16.91, 17.13], two choices 11.53 [11.50, 11.57]
}

// A loop that keeps the generator in registers draws the words that Uint64 draws.
func ExampleRand_Next() {
	rng := mc.NewStream(1, mc.Algorithm, 0).Rand()
	same, sum := rng, uint64(0)
	for range 1000 {
		var word uint64
		word, rng = rng.Next()
		sum += word ^ same.Uint64()
	}
	fmt.Println(sum)
	// Output:
	// 0
}

// Observables are integers, so that sums are exact and merge in any order: a time in microseconds is added in
// picoseconds, and its estimates are divided again.
func ExampleEstimate_Per() {
	var times mc.Sample
	for _, us := range []float64{12.5, 13.25, 11.75, 12, 14.5, 12.25, 13, 12.75} {
		times.Add(int64(us * 1e6))
	}
	mean := times.Mean(mc.DefaultConfidence).Per(1e6)
	median := times.Quantile(0.5, mc.DefaultConfidence).Per(1e6)
	fmt.Printf("mean %.3f us, from %.3f to %.3f, standard error %.3f, %d runs\n", mean.Value, mean.Lo, mean.Hi, mean.StdErr, mean.N)
	fmt.Printf("median %.2f us\n", median)
	fmt.Printf("7 of 8 runs ended: %.3f\n", mc.Proportion(7, 8, mc.DefaultConfidence))
	// Output:
	// mean 12.750 us, from 12.026 to 13.474, standard error 0.306, 8 runs
	// median 12.50 [11.75, 14.50] us
	// 7 of 8 runs ended: 0.875 [0.529, 0.978]
}

// The largest of three speed-ups was chosen after the runs: its own interval ignores that, the interval of
// LargestOf does not.
func ExampleLargestOf() {
	var speedups []mc.Estimate
	for _, runs := range [][]int64{{104, 108, 103, 107, 105}, {99, 112, 101, 108, 104}, {90, 91, 93, 90, 92}} {
		var m mc.Moments
		for _, percent := range runs {
			m.Add(percent)
		}
		speedups = append(speedups, m.Mean(mc.DefaultConfidence))
	}
	own, chosen := speedups[0], mc.LargestOf(speedups)
	fmt.Printf("%.1f [%.1f, %.1f], as the largest [%.1f, %.1f]\n", own.Value, own.Lo, own.Hi, chosen.Lo, chosen.Hi)
	// Output: 105.4 [102.8, 108.0], as the largest [102.2, 111.3]
}
