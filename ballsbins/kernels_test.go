package ballsbins

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// kernelRun is a kernel with what it draws from.
type kernelRun struct {
	name    string
	kernel  kernel
	rng     mc.Rand
	offered arrivals
}

// newRun begins a run of a kernel.
func newRun(name string, k kernel, cfg Config, stream mc.Stream) *kernelRun {
	r := &kernelRun{name: name, kernel: k, rng: stream.Rand(), offered: newArrivals(cfg.Bins, cfg.Lambda)}
	k.reset()
	r.offered.reset(&r.rng)
	return r
}

// TestKernelsWalkOnePath: the scalar kernel is the oracle, a plain loop over
// 64-bit loads; the packed ones must show the same load in every bin after every
// round, for every way of cutting words and any last partial word.
func TestKernelsWalkOnePath(t *testing.T) {
	for _, n := range []int{1, 2, 3, 5, 31, 33, 64, 100, 128, 255, 256, 257, 1000, 1024, 4095, 5000} {
		for _, policy := range []Policy{Uniform, TwoChoice} {
			for _, lambda := range []float64{1, 0.95, 0.3} {
				cfg := Config{Bins: n, Lambda: lambda, Policy: policy, Variant: ServeThenArrive}
				stream := mc.NewStream(2, mc.Algorithm, uint64(n))
				oracle := newRun("scalar", newScalar(cfg.WithDefaults()), cfg, stream)
				runs := []*kernelRun{
					newRun("8 bits", newPacked[uint8](n, policy), cfg, stream),
					newRun("16 bits", newPacked[uint16](n, policy), cfg, stream),
				}
				for round := 1; round <= 40; round++ {
					oracle.kernel.advance(&oracle.rng, &oracle.offered, 1)
					for _, r := range runs {
						r.kernel.advance(&r.rng, &r.offered, 1)
						sameLoads(t, fmt.Sprintf("%+v, %s, round %d", cfg, r.name, round), r.kernel, oracle.kernel, n)
						if !r.kernel.sound() {
							t.Fatalf("%+v, %s, round %d: not sound", cfg, r.name, round)
						}
					}
				}
			}
		}
	}
}

func sameLoads(t *testing.T, what string, got, want kernel, n int) {
	t.Helper()
	for bin := range n {
		if g, w := got.load(bin), want.load(bin); g != w {
			t.Fatalf("%s: bin %d has load %d, want %d", what, bin, g, w)
		}
	}
}

// TestOneHot compares the one-hot kernel with a transcription: six groups of 10
// bits from the low end of a word, each with the indices of its balls from its
// low end; the last balls of a round one by one.
func TestOneHot(t *testing.T) {
	for _, n := range []int{2, 4, 8, 16, 32} {
		for _, lambda := range []float64{1, 0.9} {
			cfg := Config{Bins: n, Lambda: lambda}
			stream := mc.NewStream(3, mc.Algorithm, uint64(n))
			run := newRun("one-hot", newOneHot(n), cfg, stream)
			o := run.kernel.(*oneHot)
			loads, rng, offered := make([]int64, n), stream.Rand(), newArrivals(n, lambda)
			offered.reset(&rng)
			for round := 1; round <= 300; round++ {
				if done, full := run.kernel.advance(&run.rng, &run.offered, 1); done != 1 || full {
					t.Fatalf("advanced %d rounds, full: %v", done, full)
				}
				for bin := range loads {
					loads[bin] = max(0, loads[bin]-1)
				}
				balls := offered.next(&rng)
				var w uint64
				groups := 0
				for ; balls >= o.group; balls -= o.group {
					if groups%6 == 0 {
						w = rng.Uint64()
					}
					for ball := range o.group {
						loads[w>>(o.indexBits*uint(ball))&uint64(n-1)]++
					}
					w >>= 10
					groups++
				}
				if balls > 0 && groups%6 == 0 {
					w = rng.Uint64()
				}
				for range balls {
					loads[w&uint64(n-1)]++
					w >>= o.indexBits
				}
				for bin, want := range loads {
					if got := run.kernel.load(bin); got != want {
						t.Fatalf("n=%d lambda=%v round %d: bin %d has load %d, want %d", n, lambda, round, bin, got, want)
					}
				}
			}
		}
	}
}

// TestLongQueuesMoveToWiderKernels runs far beyond what 8 bits hold. For n = 64
// every kernel walks one path, so the scalar kernel alone must agree; for n = 16,
// which begins on the one-hot kernel, the balls must be conserved in the mean.
func TestLongQueuesMoveToWiderKernels(t *testing.T) {
	const rounds = 30_000
	cfg := Config{Bins: 64, Lambda: 1, Policy: Uniform, Variant: ServeThenArrive}
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	stream := mc.NewStream(1, mc.Algorithm, 0)
	b.Reset(stream)
	b.Advance(rounds)
	if most, _ := b.observe(); most < 256 || b.inUse != 1 {
		t.Fatalf("maximum load %d on kernel %d: the run is too short to test", most, b.inUse)
	}
	oracle := newRun("scalar", newScalar(cfg.WithDefaults()), cfg, stream)
	oracle.kernel.advance(&oracle.rng, &oracle.offered, rounds)
	sameLoads(t, "after 30,000 rounds", b.made[b.inUse], oracle.kernel, 64)
	// And once more, beginning on the narrow kernel again.
	b.Reset(stream)
	if b.inUse != 0 {
		t.Errorf("Reset keeps kernel %d", b.inUse)
	}
	b.Advance(rounds)
	sameLoads(t, "after Reset and 30,000 rounds", b.made[b.inUse], oracle.kernel, 64)
}

// TestAdvanceInAnySteps: how rounds are divided over calls leaves no trace, also
// where a run moves to wider kernels. For n = 16 the one-hot kernel draws
// otherwise than its successor, and its lanes must not wrap between single steps.
func TestAdvanceInAnySteps(t *testing.T) {
	for _, n := range []int{16, 100} {
		const rounds = 30_000
		var runs []*Process
		for _, step := range []int{rounds, 1, 7} {
			b, err := New(Config{Bins: n})
			if err != nil {
				t.Fatal(err)
			}
			b.Reset(mc.NewStream(1, mc.Algorithm, 0))
			for b.Round() < rounds {
				b.Advance(min(step, rounds-b.Round()))
			}
			runs = append(runs, b)
		}
		if most, _ := runs[0].observe(); most < 256 {
			t.Fatalf("n=%d: maximum load %d: the run is too short to test", n, most)
		}
		for bin := range n {
			if a, b, c := runs[0].Load(bin), runs[1].Load(bin), runs[2].Load(bin); a != b || a != c {
				t.Fatalf("n=%d, bin %d: load %v in one call, %v in single steps, %v in sevens", n, bin, a, b, c)
			}
		}
	}
}

// TestOneHotMovesToWiderKernels compares the mean maximum load after 20,000
// rounds, reached on the 16-bit kernel, with the scalar kernel's from other
// streams. With 120 replicas a difference of 15 % is seen; balls that a lane loses are a third and more.
func TestOneHotMovesToWiderKernels(t *testing.T) {
	t.Parallel()
	const rounds, replicas = 20_000, 120
	cfg := Config{Bins: 16, Rounds: []int{rounds}}.WithDefaults()
	result, err := Simulate(context.Background(), cfg, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	var m mc.Moments
	for replica := range uint64(replicas) {
		r := newRun("scalar", newScalar(cfg.WithDefaults()), cfg, mc.NewStream(mctest.Seed(t, 2), mc.Algorithm, replica))
		r.kernel.advance(&r.rng, &r.offered, rounds)
		var most int64
		for bin := range cfg.Bins {
			most = max(most, r.kernel.load(bin))
		}
		m.Add(most)
	}
	want := m.Mean(0.95)
	mctest.Agree(t, "mean maximum load", result.Observations[0].MaxLoad, want.Value, want.StdErr, 0)
}

// TestWrappedLaneIsRepeated: a lane that wrapped is noticed by the count of balls,
// and the run repeated on a wider kernel.
func TestWrappedLaneIsRepeated(t *testing.T) {
	cfg := Config{Bins: 100, Lambda: 1, Policy: Uniform, Variant: ServeThenArrive}
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	stream := mc.NewStream(1, mc.Algorithm, 0)
	b.Reset(stream)
	b.Advance(50)
	b.made[0].(*packed[uint8]).balls += 256 // as if 256 balls had vanished from a lane
	b.Advance(50)
	oracle := newRun("scalar", newScalar(cfg.WithDefaults()), cfg, stream)
	oracle.kernel.advance(&oracle.rng, &oracle.offered, 100)
	if b.inUse != 1 || b.Round() != 100 {
		t.Errorf("kernel %d after round %d, want 1 after 100", b.inUse, b.Round())
	}
	sameLoads(t, "after the repetition", b.made[b.inUse], oracle.kernel, 100)
}

// TestArrivalsAreBinomial is a chi-square test of the arrivals of a round, and of
// their independence from round to round by the correlation of neighbours.
func TestArrivalsAreBinomial(t *testing.T) {
	for _, lambda := range []float64{0.99, 0.9, 0.5, 0.01} {
		const n, rounds = 10, 200_000
		a := newArrivals(n, lambda)
		rng := mc.NewStream(mctest.Seed(t, 5), mc.Algorithm, 0).Rand()
		a.reset(&rng)
		var counts [n + 1]float64
		var sum, last float64
		for range rounds {
			x := a.next(&rng)
			counts[x]++
			centred := float64(x) - n*lambda
			sum += centred * last
			last = centred
		}
		law := binomialLaw(n, lambda)
		var chi2, cells, rare, rareCount float64
		for k, c := range counts {
			p := 0.0
			if k < len(law) {
				p = law[k]
			}
			if expected := p * rounds; expected >= 5 {
				chi2 += (c - expected) * (c - expected) / expected
				cells++
			} else {
				rare += expected
				rareCount += c
			}
		}
		if rare >= 5 {
			chi2 += (rareCount - rare) * (rareCount - rare) / rare
			cells++
		} else if rareCount > rare+6.11*math.Sqrt(rare)+6.11 {
			t.Errorf("lambda=%v: %v rounds with rare counts, want about %v", lambda, rareCount, rare)
		}
		k := cells - 1
		if z := (math.Cbrt(chi2/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k)); z > 6.11 {
			t.Errorf("lambda=%v: chi2 = %.1f with %v degrees of freedom (z = %.1f)", lambda, chi2, k, z)
		}
		if z := sum / (n * lambda * (1 - lambda) * math.Sqrt(rounds)); math.Abs(z) > 6.11 {
			t.Errorf("lambda=%v: neighbouring rounds are correlated, z = %.1f", lambda, z)
		}
	}
}
