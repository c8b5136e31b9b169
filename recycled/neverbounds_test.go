package recycled

import (
	"context"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/internal/propertytest"
	"repslab/mc"

	"pgregory.net/rapid"
)

// occupied has e(k) and g(k), the bins that the first k random throws of a run miss and the holes
// that they leave, and the most of them into one bin.
type occupied struct {
	empty, holes []float64
	most         []int
}

// newOccupied draws the throws of a stream as throw draws them, one round more than cover all bins.
func newOccupied(bins, threshold int, stream mc.Stream) *occupied {
	o := &occupied{empty: []float64{float64(bins)}, holes: []float64{float64(bins * threshold)}, most: []int{0}}
	hits := make([]int, bins)
	rng := stream.Rand()
	for after := 0; after < bins; {
		bin := rng.Below(uint64(bins))
		hits[bin]++
		k := len(o.empty) - 1
		empty, holes := o.empty[k], o.holes[k]
		if hits[bin] == 1 {
			empty--
		}
		if hits[bin] <= threshold {
			holes--
		}
		o.empty, o.holes = append(o.empty, empty), append(o.holes, holes)
		o.most = append(o.most, max(o.most[k], hits[bin]))
		if empty == 0 {
			after++
		}
	}
	return o
}

// never reports the condition of step S21, as the lower bound has it.
func (o *occupied) never() bool {
	for k0, empty := range o.empty {
		for k1 := k0 + 1; k1 < len(o.empty) && o.empty[k1] > 0; k1++ {
			if o.empty[k1] >= fewestEmpty(empty, o.holes[k0], float64(k1-k0)) {
				return true
			}
		}
	}
	return false
}

// converges reports the condition of step S22, as the upper bound has it on a grid of all k.
func (o *occupied) converges(threshold int) bool {
	var most []float64
	for _, hits := range o.most[1:] {
		most = append(most, float64(max(1, hits-threshold)))
	}
	return occupancy{threshold: threshold}.converges(o.empty[:len(most)], o.holes, most, 1)
}

// literally reports the condition of step S22 as it reads.
func (o *occupied) literally(threshold int) bool {
	rest := 0.0
	for k := len(o.empty) - 1; k >= 0; k-- {
		if o.holes[k] < 4*o.empty[k]+4*rest {
			return false
		}
		if o.empty[k] > 0 {
			rest += float64(max(1, o.most[k]-threshold)) * o.empty[k] / o.holes[k]
		}
	}
	return true
}

// TestChernoffEnds: of 400 runs of throws, few have more empty bins or fewer or more holes than the ends that fail with
// probability 0.01 for each j: at most 20 for τ = 3, where 12 are the most on average (false-alarm rate 0.01 beyond
// that; the seed is fixed). Some ends are within 3 standard deviations of the mean, so the ends are no trivial ones.
func TestChernoffEnds(t *testing.T) {
	const bins, threshold, throws, failure = 300, 3, 600, 0.01
	o := occupancy{bins, math.Log(bins), threshold}
	means := o.means(throws)
	most := o.holes(means, failure, bins)
	empty, fewest := o.ends(means, throws, failure)
	outside, sum := 0, 0.0
	for run := range uint64(400) {
		seen := newOccupied(bins, threshold, mc.NewStream(8, mc.Algorithm, run))
		sum += seen.holes[throws] / 400
		if seen.empty[throws] > empty || seen.holes[throws] > most || seen.holes[throws] < fewest {
			outside++
		}
	}
	t.Logf("%d of 400 outside, holes %v to %v, mean %v", outside, fewest, most, sum)
	if outside > 20 || most < sum+10 || most > sum+150 || fewest > sum-10 || fewest < sum-150 {
		t.Errorf("%d of 400 runs outside; holes %v, %v to %v", outside, sum, fewest, most)
	}
	if mean := means[0] + means[1] + means[2]; math.Abs(sum-mean) > 5 {
		t.Errorf("%v holes, want %v", sum, mean)
	}
}

// TestChernoffFormula: the bound is (mean/x)^x ((n - mean)/(n - x))^(n - x).
func TestChernoffFormula(t *testing.T) {
	for _, c := range []struct{ n, mean, x float64 }{{10, 3, 6}, {10, 3, 1}, {100, 2, 5}, {100, 60, 40}, {7, 3.5, 3.5}} {
		want := math.Pow(c.mean/c.x, c.x) * math.Pow((c.n-c.mean)/(c.n-c.x), c.n-c.x)
		if got := chernoff(c.n, c.mean, c.x); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("n = %v, mean %v, x = %v: %v, want %v", c.n, c.mean, c.x, got, want)
		}
	}
}

// TestThrowsForceFates: a run never converges if its throws have the condition of S21, and is not doomed, so that it
// converges, if they have the condition of S22: both conditions are met by some runs, with bins above the threshold.
func TestThrowsForceFates(t *testing.T) {
	forced := map[Status]int{}
	propertytest.Check(t, func(t *rapid.T) {
		cfg := Config{Bins: rapid.IntRange(1, 150).Draw(t, "bins"), Threshold: rapid.IntRange(1, 16).Draw(t, "threshold")}
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for replica := range uint64(2) {
			stream := mc.NewStream(22, mc.Algorithm, replica)
			o := newOccupied(cfg.Bins, cfg.Threshold, stream)
			never, converges := o.never(), o.converges(cfg.Threshold)
			if converges && !o.literally(cfg.Threshold) {
				t.Fatalf("%+v, replica %d: not the condition of S22", cfg, replica)
			}
			if !never && !converges {
				continue
			}
			p.Reset(stream)
			for p.Status() == Running {
				p.Step()
			}
			if status := p.Status(); never && status != Certified || converges && status != Converged {
				t.Fatalf("%+v, replica %d: status %v; never by S21: %v, converges by S22: %v", cfg, replica, status, never, converges)
			} else if p.MaxLoad() > cfg.Threshold {
				forced[status]++
			}
		}
	})
	t.Logf("%v", forced)
	if forced[Converged] < 3 || forced[Certified] < 10 {
		t.Errorf("forced fates %v: too few of a kind", forced)
	}
}

// TestNeverBounds compares the bounds with exact chains, with runs, and with estimates by splitting, up to 6.11
// standard errors (false-alarm rate 1e-9). Each bound is neither 0 nor 1 at some points, below and above a* ln n.
func TestNeverBounds(t *testing.T) {
	t.Parallel()
	lowers, uppers := 0, 0
	within := func(bins, threshold int, never, noise float64) {
		lower, upper, err := NeverBounds(bins, threshold)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("n = %d, τ = %d: %.4g <= %.4g (%.2g) <= %.4g", bins, threshold, lower, never, noise/6.11, upper)
		if !(lower >= 0 && lower <= never+noise && never-noise <= upper && upper <= 1) {
			t.Errorf("n = %d, τ = %d: P[never] = %v is not in [%v, %v]", bins, threshold, never, lower, upper)
		}
		if lower > 0 {
			lowers++
		}
		if upper < 1 {
			uppers++
		}
	}
	for _, c := range [][2]int{{2, 1}, {8, 1}, {6, 1}, {3, 2}, {8, 2}, {6, 6}} {
		chain, err := NewChain(Config{Bins: c[0], Threshold: c[1]}, nil)
		if err != nil {
			t.Fatal(err)
		}
		within(c[0], c[1], chain.Run().Never, 1e-9)
	}
	for _, c := range []struct {
		bins, threshold int
		runs            uint64
	}{{1024, 1, 100}, {16384, 3, 10}, {16384, 8, 20}} {
		r, err := Simulate(context.Background(), Config{Bins: c.bins, Threshold: c.threshold}, mc.Plan{Replicas: c.runs, Seed: mctest.Seed(t, 6)})
		if err != nil {
			t.Fatal(err)
		}
		e := mc.Proportion(r.Certified, c.runs, 1-1e-9)
		within(c.bins, c.threshold, e.Value, max(e.Hi-e.Value, e.Value-e.Lo))
	}
	e, err := Never(context.Background(), 16, 12, mc.Plan{Replicas: 500, Seed: mctest.Seed(t, 6)})
	if err != nil {
		t.Fatal(err)
	}
	within(16, 12, e.Value, 6.11*e.StdErr)
	if lowers < 3 || uppers < 3 {
		t.Errorf("%d lower bounds above 0, %d upper ones below 1", lowers, uppers)
	}
}

// TestNeverBoundsTendToTheThreshold: as n grows the lower bound tends to 1 at τ = 0.1 ln n and the upper one to 0 at
// τ = ln n and below it; for n = 10^6 the bounds of S6 are 1 there.
func TestNeverBoundsTendToTheThreshold(t *testing.T) {
	last := 0.0
	for _, bins := range []int{1 << 10, 1 << 15, 1 << 20} {
		lower, _, err := NeverBounds(bins, 1)
		if err != nil {
			t.Fatal(err)
		}
		if lower < last || bins == 1<<20 && lower < 0.9 {
			t.Errorf("n = %d, τ = 1: lower bound %v, for fewer bins %v", bins, lower, last)
		}
		last = lower
	}
	last = 1
	for _, threshold := range []int{9, 10, 11, 12, 13} {
		_, upper, err := NeverBounds(1<<20, threshold)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("n = 2^20, τ = %d: at most %.3g", threshold, upper)
		if threshold == 9 && math.Abs(upper-0.04) > 0.01 {
			t.Errorf("n = 2^20, τ = 9: upper bound %v, by the first computation 0.0398", upper)
		}
		if upper >= last || NeverConvergesBound(1<<20, threshold) < 1 {
			t.Errorf("n = 2^20, τ = %d: upper bound %v, at a smaller τ %v", threshold, upper, last)
		}
		last = upper
	}
	for _, c := range [][2]int{{1, 1}, {MaxBins + 1, 1}, {2, 0}, {2, MaxThreshold + 1}} {
		if _, _, err := NeverBounds(c[0], c[1]); err == nil {
			t.Errorf("n = %d, τ = %d: no error", c[0], c[1])
		}
	}
	if lower, upper, err := NeverBounds(2, MaxThreshold); lower != 0 || upper > 1e-300 || err != nil {
		t.Errorf("at the largest τ [%v, %v], error %v", lower, upper, err)
	}
}
