package coalescing

import (
	"context"
	"fmt"
	"math"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/recycled"
)

// law holds exact moments and probabilities of a process after a few rounds.
type law struct {
	maxLoad, totalLoad, peak, over, random float64         // expectations
	atMost                                 map[int]float64 // P[maximum load <= key]
}

// add adds an outcome with its probability.
func (l *law) add(slow *oracle, peak, over int, weight float64) {
	total := 0
	for _, queue := range slow.bins {
		total += len(queue)
	}
	most := slow.most()
	l.maxLoad += weight * float64(most)
	l.totalLoad += weight * float64(total)
	l.peak += weight * float64(peak)
	l.over += weight * float64(over)
	l.random += weight * float64(slow.random)
	for load := most; load <= slow.thrown; load++ {
		l.atMost[load] += weight
	}
}

// exactLaw follows every outcome of every draw of a process with few bins: a
// number in base n whose digits are the draws, in order.
func exactLaw(cfg Config, rounds int) law {
	l := law{atMost: map[int]float64{}}
	for outcome := []int{}; ; {
		used, weight := 0, 1.0
		slow := newOracle(cfg, reading{}, func(int) int {
			if used == len(outcome) {
				outcome = append(outcome, 0)
			}
			used++
			weight /= float64(cfg.Bins)
			return outcome[used-1]
		})
		peak, over := 0, 0
		for range rounds {
			slow.step()
			peak = max(peak, slow.most())
			over += slow.overfull()
		}
		l.add(slow, peak, over, weight)
		outcome = outcome[:used]
		for len(outcome) > 0 && outcome[len(outcome)-1] == cfg.Bins-1 {
			outcome = outcome[:len(outcome)-1]
		}
		if len(outcome) == 0 {
			return l
		}
		outcome[len(outcome)-1]++
	}
}

// TestExactLaw compares estimates with the exact law of two bins in six rounds, in
// which threshold, memory and acknowledgements all take part. With 50,000 replicas
// a shift of the mean maximum by 0.02 would be seen.
func TestExactLaw(t *testing.T) {
	for _, cfg := range kinds() {
		for ratio := 1; ratio <= 3; ratio++ {
			const rounds, replicas = 6, 50_000
			cfg.Bins, cfg.Ratio, cfg.Threshold, cfg.Colors, cfg.Ring = 2, ratio, 1, 2, 2
			cfg = used(cfg)
			exact := exactLaw(cfg, rounds)
			r, err := Simulate(context.Background(), at(cfg, 3, rounds), mc.Plan{Seed: mctest.Seed(t, uint64(ratio)), Replicas: replicas})
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, %s, ratio %d: ", cfg.Variant, cfg.Clocking, ratio)
			o := r.Observations[1]
			mctest.Agree(t, name+"maximum load", o.MaxLoad, exact.maxLoad, 0, 1e-12)
			mctest.Agree(t, name+"total load", o.TotalLoad, exact.totalLoad, 0, 1e-12)
			mctest.Agree(t, name+"peak", o.Peak, exact.peak, 0, 1e-12)
			mctest.Agree(t, name+"over threshold", o.OverThreshold, exact.over/(2*rounds), 0, 1e-12)
			mctest.Agree(t, name+"random fraction", o.RandomFraction, exact.random/(2*rounds), 0, 1e-12)
			slack := mctest.Z(t) * math.Sqrt(0.95*0.05/replicas)
			if q := int(o.MaxLoadP95.Value); exact.atMost[q] < 0.95-slack || exact.atMost[q-1] > 0.95+slack {
				t.Errorf("%s95 %% quantile %d, but P[maximum <= %d] = %v and P[maximum <= %d] = %v", name, q, q, exact.atMost[q], q-1, exact.atMost[q-1])
			}
		}
	}
}

// sameLoads steps two processes and reports the first round in which a load
// differs, 0 if none does.
func sameLoads(bins, rounds int, step func() (a, b func(bin int) int)) int {
	for round := 1; round <= rounds; round++ {
		a, b := step()
		for bin := range bins {
			if a(bin) != b(bin) {
				return round
			}
		}
	}
	return 0
}

// TestRatioOneIsRecycled: with one acknowledgement a ball, senders with rings and
// the authors' script are processes of package recycled, load by load. With
// colours they are not, since there a memory outlives its use.
func TestRatioOneIsRecycled(t *testing.T) {
	const bins, rounds = 12, 2000
	for _, cfg := range kinds() {
		cfg.Bins = bins
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		q, err := recycled.New(recycled.Config{Bins: bins, Clocking: cfg.Clocking})
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(3, mc.Algorithm, 0)
		p.Reset(stream)
		q.Reset(stream)
		differ := sameLoads(bins, rounds, func() (a, b func(int) int) {
			p.Step()
			q.Step()
			return p.Load, q.Load
		})
		if (differ != 0) != (cfg.Clocking == recycled.RoundRobin) {
			t.Errorf("%s, %s: loads first differ from those without coalescing in round %d", cfg.Variant, cfg.Clocking, differ)
		}
	}
}

// TestNoAckIsOblivious: while no acknowledgement came, every ball is thrown at
// random, and loads equal the loads of oblivious spraying with the same draws.
func TestNoAckIsOblivious(t *testing.T) {
	const bins, rounds = 9, 500
	for _, cfg := range kinds() {
		cfg.Bins, cfg.Ratio = bins, rounds+1
		p, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		stream := mc.NewStream(4, mc.Algorithm, 0)
		p.Reset(stream)
		draw, loads := drawsOf(cfg, stream), make([]int, bins)
		round := 0
		differ := sameLoads(bins, rounds, func() (a, b func(int) int) {
			p.Step()
			round++
			for bin := range loads {
				loads[bin] = max(0, loads[bin]-1)
			}
			for i := range loads {
				loads[draw((round+i)%bins)]++
			}
			return p.Load, func(bin int) int { return loads[bin] }
		})
		if _, random := p.Throws(); differ != 0 || random != bins*rounds {
			t.Errorf("%s, %s: loads first differ from oblivious ones in round %d, %d random throws", cfg.Variant, cfg.Clocking, differ, random)
		}
	}
}

// reference holds numbers measured once by an independent program: mean maximum
// load at rounds 200 and 1,000 over 1,000 replicas, printed with one decimal, for
// n = 32, τ = 14 and 288 colours.
var reference = []struct {
	variant Variant
	ratio   int
	want    [2]float64
}{
	{Standard, 1, [2]float64{14.9, 17.7}}, {Standard, 2, [2]float64{18.6, 20.9}}, {Standard, 8, [2]float64{25.8, 43.1}},
	{Carry, 2, [2]float64{15.5, 17.9}}, {Carry, 8, [2]float64{17.5, 19.0}},
	{Reuse, 2, [2]float64{19.3, 21.5}}, {Reuse, 8, [2]float64{29.7, 36.9}}, {Reuse, 16, [2]float64{38.8, 55.1}},
	{EveryRthRound, 1, [2]float64{8.6, 8.6}}, {EveryRthRound, 2, [2]float64{15.2, 16.5}}, {EveryRthRound, 8, [2]float64{24.3, 40.3}},
}

// TestReference compares with the reference, whose standard errors are taken to be
// ours. The smallest difference seen is 6 to 12 % of the mean, and 2 to 4 % with REPSLAB_LONG=1.
func TestReference(t *testing.T) {
	replicas := uint64(120)
	if mctest.Long() {
		replicas = 1000
	}
	for _, c := range reference {
		cfg := Config{Bins: 32, Threshold: 14, Colors: 9, Variant: c.variant, Ratio: c.ratio}
		r, err := Simulate(context.Background(), at(cfg, 200, 1000), mc.Plan{Seed: mctest.Seed(t, 1), Replicas: replicas})
		if err != nil {
			t.Fatal(err)
		}
		for i, o := range r.Observations {
			mctest.Agree(t, fmt.Sprintf("%s, ratio %d: mean maximum at round %d", c.variant, c.ratio, o.Round), o.MaxLoad, c.want[i], o.MaxLoad.StdErr, 0.05)
		}
	}
}

// TestOtherReadingsDiffer: each of the other readings of what is left open misses
// the reference by more than 6.11 standard errors where the package's meets it. They are 15.9 of
// their own off with 700 replicas and must be 9.2, so that a fresh seed fails with probability 1e-10.
// It needs REPSLAB_LONG=1.
func TestOtherReadingsDiffer(t *testing.T) {
	if !mctest.Long() {
		t.Skip("needs REPSLAB_LONG=1")
	}
	for _, c := range []struct {
		name string
		how  reading
		cfg  Config
		want float64 // the reference, at round 200
	}{
		{"the newer bin replaces a remembered one", reading{overwrite: true}, Config{Variant: Standard, Ratio: 1}, 14.9},
		{"a judged ball that is not good changes nothing", reading{keepBad: true}, Config{Variant: Reuse, Ratio: 8}, 29.7},
		{"the first of r rounds recycles", reading{ruleFirst: true}, Config{Variant: EveryRthRound, Ratio: 2}, 15.2},
	} {
		cfg := c.cfg
		cfg.Bins, cfg.Threshold, cfg.Colors = 32, 14, 9
		var maxLoad mc.Moments
		seed := mctest.Seed(t, 1)
		for replica := range uint64(700) {
			slow := newOracle(cfg, c.how, drawsOf(cfg, mc.NewStream(seed, mc.Algorithm, replica)))
			for range 200 {
				slow.step()
			}
			maxLoad.Add(int64(slow.most()))
		}
		e := maxLoad.Mean(mc.DefaultConfidence)
		if distance := e.Value - c.want; distance < 6.11*1.5*e.StdErr+0.05 {
			t.Errorf("%s: mean maximum %.2f (standard error %.2f) does not exclude it against %v", c.name, e.Value, e.StdErr, c.want)
		}
	}
}
