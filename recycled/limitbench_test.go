package recycled

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repslab/mc"
)

// replicated runs b.N replicas of a process and returns the estimates.
func replicated(b *testing.B, cfg Config) Result {
	result, err := Simulate(context.Background(), cfg, mc.Plan{Replicas: uint64(b.N), Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	return result
}

// BenchmarkThreshold reports the sharp threshold beside its measurements, with 95 % intervals
// (lo, hi): the share of runs that converge beside the limit law; the exponent of the rounds in
// n; the rounds over pi² n/6 at the theorem's threshold; and P[never] by splitting. An iteration
// is a replica of each point: use -benchtime 400x.
func BenchmarkThreshold(b *testing.B) {
	for _, c := range [][2]int{{64, 3}, {256, 3}, {1024, 3}, {1024, 4}, {4096, 4}, {16384, 4}} {
		b.Run(fmt.Sprintf("share/bins=%d/threshold=%d", c[0], c[1]), func(b *testing.B) {
			l, err := ConvergenceLimit(c[0], c[1])
			if err != nil {
				b.Fatal(err)
			}
			r := replicated(b, Config{Bins: c[0], Threshold: c[1]})
			e := mc.Proportion(r.Converged, r.Replicas, mc.DefaultConfidence)
			report(b, "converged", e)
			b.ReportMetric(l.Share.Value, "F")
			b.ReportMetric(l.NextOrder.Value, "next-order")
		})
	}
	for _, c := range []struct {
		ratio      float64
		thresholds []int
	}{{0.5, []int{3, 4, 5}}, {0.75, []int{4, 5, 6, 7}}} {
		b.Run(fmt.Sprintf("exponent/ratio=%v", c.ratio), func(b *testing.B) {
			measured, phaseOne := exponents(b, c.ratio, c.thresholds)
			report(b, "exponent", measured)
			b.ReportMetric(phaseOne, "of-n·P[1<=N<=τ]")
			b.ReportMetric(ConvergenceExponent(c.ratio), "a(1-ln-a)")
		})
	}
	for _, bins := range []int{64, 1024, 4096} {
		b.Run(fmt.Sprintf("rounds/bins=%d", bins), func(b *testing.B) {
			cfg := Config{Bins: bins}.WithDefaults()
			report(b, "6T/(pi²n)", replicated(b, cfg).Rounds.Per(math.Pi*math.Pi/6*float64(bins)))
		})
	}
	for _, c := range [][2]int{{64, 6}, {64, 17}, {256, 8}} {
		b.Run(fmt.Sprintf("never/bins=%d/threshold=%d", c[0], c[1]), func(b *testing.B) {
			e, err := Never(context.Background(), c[0], c[1], mc.Plan{Replicas: uint64(b.N), Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			report(b, "log10-never", mc.Estimate{Value: math.Log10(e.Value), Lo: math.Log10(e.Lo), Hi: math.Log10(e.Hi)})
			b.ReportMetric(math.Log10(NeverConvergesBound(c[0], c[1])), "log10-bound")
		})
	}
}

// report reports an estimate with its interval, and no time: an iteration has no fixed work.
func report(b *testing.B, name string, e mc.Estimate) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(e.Value, name)
	b.ReportMetric(e.Lo, name+"-lo")
	b.ReportMetric(e.Hi, name+"-hi")
}

// exponents fits the mean rounds T of converged runs, and n P[1 <= N <= τ] with N Poisson (ln n), the
// order of the first phase, by n^exponent at n = e^(τ/a), where τ = a ln n is an integer. The
// interval is normal, from the standard errors.
func exponents(b *testing.B, ratio float64, thresholds []int) (measured mc.Estimate, phaseOne float64) {
	var x, y, se, order []float64
	mean := 0.0
	for _, threshold := range thresholds {
		n := int(math.Round(math.Exp(float64(threshold) / ratio)))
		rounds := replicated(b, Config{Bins: n, Threshold: threshold}).Rounds
		low := belowThreshold(math.Log(float64(n)), threshold+1)
		x, y, se = append(x, math.Log(float64(n))), append(y, math.Log(rounds.Value)), append(se, rounds.StdErr/rounds.Value)
		order = append(order, math.Log(float64(n)*(low.share-low.empty)))
		mean += x[len(x)-1] / float64(len(thresholds))
	}
	var square, slope, variance float64
	for i := range x {
		off := x[i] - mean
		square += off * off
		slope += off * y[i]
		phaseOne += off * order[i]
		variance += off * off * se[i] * se[i]
	}
	slope /= square
	width := 1.96 * math.Sqrt(variance) / square
	return mc.Estimate{Value: slope, Lo: slope - width, Hi: slope + width}, phaseOne / square
}
