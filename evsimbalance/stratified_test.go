package evsimbalance

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"repslab/mc"
)

// enumerateBlocks returns P[maximum = k] by visiting every hash of the EVs of all flows, of
// which each flow used the first part EVs once more than the others.
func enumerateBlocks(flows, evs, uplinks, packets int) []*big.Rat {
	outcomes, total := make([]int64, flows*packets+1), int64(0)
	loads := make([]int, uplinks)
	var visit func(ev int)
	visit = func(ev int) {
		if ev == flows*evs {
			outcomes[slices.Max(loads)]++
			total++
			return
		}
		uses := packets / evs
		if ev%evs < packets%evs {
			uses++
		}
		for i := range loads {
			loads[i] += uses
			visit(ev + 1)
			loads[i] -= uses
		}
	}
	visit(0)
	law := make([]*big.Rat, len(outcomes))
	for k, n := range outcomes {
		law[k] = big.NewRat(n, total)
	}
	return law
}

// TestBlockLawAgainstEnumeration visits every hash of a few EVs: within the first block, after
// whole ones and between.
func TestBlockLawAgainstEnumeration(t *testing.T) {
	for _, c := range []struct{ flows, evs, uplinks int }{
		{1, 1, 3}, {1, 2, 2}, {1, 4, 3}, {1, 8, 3}, {2, 4, 3}, {3, 3, 2}, {1, 6, 5}, {2, 2, 7}, {1, 5, 1},
	} {
		for packets := 1; packets <= 5*c.evs+1; packets++ {
			law, err := NewBlockLaw(c.flows, c.evs, c.uplinks, packets)
			if err != nil {
				t.Fatal(err)
			}
			compareLaw(t, law, enumerateBlocks(c.flows, c.evs, c.uplinks, packets))
		}
	}
}

// TestBlockLawAgainstWalks simulates walks: means and probabilities of many packets agree. Of
// each case two values are compared, within 6.11 standard errors: a false-alarm rate of 1e-9 each.
// A mean that is off by 0.4 % would be found.
func TestBlockLawAgainstWalks(t *testing.T) {
	const replicas = 4000
	for _, c := range []struct{ flows, evs, uplinks, packets int }{{1, 64, 8, 257}, {4, 32, 8, 100}, {3, 5, 4, 1001}} {
		law, err := NewBlockLaw(c.flows, c.evs, c.uplinks, c.packets)
		if err != nil {
			t.Fatal(err)
		}
		median := law.Quantile(0.5)
		var sum, squares, below float64
		for replica := range uint64(replicas) {
			rng := mc.NewStream(5, mc.Algorithm, replica).Rand()
			loads := make([]int, c.uplinks)
			for range c.flows {
				hash, order := make([]int, c.evs), make([]int, c.evs)
				for ev := range hash {
					hash[ev] = int(rng.Below(uint64(c.uplinks)))
				}
				for packet := range c.packets {
					if packet%c.evs == 0 { // a block begins: a random order
						for i := range order {
							j := int(rng.Below(uint64(i + 1)))
							order[i], order[j] = order[j], i
						}
					}
					loads[hash[order[packet%c.evs]]]++
				}
			}
			most := float64(slices.Max(loads))
			sum += most
			squares += float64(most * most)
			if int(most) <= median {
				below++
			}
		}
		mean := sum / replicas
		stdErr := math.Sqrt((squares/replicas - float64(mean*mean)) / replicas)
		if got := law.Mean(); math.Abs(got-mean) > 6.11*stdErr {
			t.Errorf("%+v: mean %v, simulated %v, standard error %v", c, got, mean, stdErr)
		}
		p := law.CDF(median)
		if stdErr := math.Sqrt(p * (1 - p) / replicas); math.Abs(below/replicas-p) > 6.11*stdErr {
			t.Errorf("%+v: P[maximum <= %d] = %v, simulated %v", c, median, p, below/replicas)
		}
	}
}

// TestBlockLawMeets: within a block the packets are uniform, after whole blocks the
// imbalance does not change, and between them loads only grow.
func TestBlockLawMeets(t *testing.T) {
	const flows, evs, uplinks = 8, 8, 8
	one, err := NewMaxLaw(flows*evs, uplinks)
	if err != nil {
		t.Fatal(err)
	}
	before := 0.0
	for packets := 1; packets <= 4*evs; packets++ {
		law, err := NewBlockLaw(flows, evs, uplinks, packets)
		if err != nil {
			t.Fatal(err)
		}
		if law.Mean() <= before {
			t.Errorf("%d packets: mean %v, before %v", packets, law.Mean(), before)
		}
		before = law.Mean()
		if packets <= evs {
			uniform, _ := NewMaxLaw(flows*packets, uplinks)
			if uniform.Mean() != law.Mean() {
				t.Errorf("%d packets: mean %v, of uniform ones %v", packets, law.Mean(), uniform.Mean())
			}
		}
		if packets%evs == 0 && math.Abs(law.Imbalance(law.Mean())-one.Imbalance(one.Mean())) > 1e-12 {
			t.Errorf("%d packets: imbalance %v, of a block %v", packets, law.Imbalance(law.Mean()), one.Imbalance(one.Mean()))
		}
		if q := law.Quantile(0.9); law.CDF(q) < 0.9 || law.CDF(q-1) >= 0.9 {
			t.Errorf("%d packets: quantile %d", packets, q)
		}
	}
}

// TestBlockLawRefuses: arguments out of range and laws that take too long have errors.
func TestBlockLawRefuses(t *testing.T) {
	for _, c := range []struct {
		flows, evs, uplinks, packets int
		want                         string
	}{
		{0, 64, 8, 1, "evsimbalance: flows (0) must be in [1, 65536]"},
		{1, 0, 8, 1, "evsimbalance: evs (0) must be in [1, 16777216]"},
		{2, 64, 8, 1 << 21, "evsimbalance: packets (2097152) must be in [1, 1048576]"},
		{1, 64, 0, 1, "evsimbalance: bins (0) must be in [1, 16777216]"},
		{2, 1 << 22, 8, 1 << 22, "evsimbalance: balls (8388608) must be in [1, 2097152] for 8 bins"},
		{1, 64, 0, 65, "evsimbalance: bins (0) must be in [1, 16777216]"},
		{100, 64, 8, 65, "evsimbalance: packets (65) must be at most 64 or a multiple of it " +
			"with more than 64 EVs per uplink"},
	} {
		if law, err := NewBlockLaw(c.flows, c.evs, c.uplinks, c.packets); law != nil || err == nil || err.Error() != c.want {
			t.Errorf("%+v: law %v, error %v", c, law, err)
		}
	}
}

// TestLeastEVs: the answer reaches the imbalance, one EV less does not.
func TestLeastEVs(t *testing.T) {
	for _, c := range []struct {
		flows, uplinks int
		imbalance      float64
	}{{1, 8, 0.1}, {8, 8, 0.01}, {1, 32, 3}, {1, 8, 100}, {8, 1, 0.5}, {3, 2, 0.2}} {
		evs, err := LeastEVs(c.flows, c.uplinks, c.imbalance)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range []int{evs, evs - 1} {
			if e == 0 {
				continue
			}
			law, err := NewMaxLaw(c.flows*e, c.uplinks)
			if err != nil {
				t.Fatal(err)
			}
			if got := law.Imbalance(law.Mean()); (got <= c.imbalance) != (e == evs) {
				t.Errorf("%+v: least %d, but the imbalance of %d is %v", c, evs, e, got)
			}
		}
	}
	for _, c := range []struct {
		flows, uplinks int
		imbalance      float64
	}{{0, 8, 0.1}, {1, 0, 0.1}, {1, 8, 0}, {1, 8, math.NaN()}, {1, 4096, 1e-9}} {
		if evs, err := LeastEVs(c.flows, c.uplinks, c.imbalance); err == nil {
			t.Errorf("%+v: %d EVs, no error", c, evs)
		}
	}
}
