package evsimbalance

import (
	"context"
	"math"
	"testing"

	"repslab/mc"
)

// tail returns P[max_j c_j > load] by going through all choices of all flows.
func tail(flows, evs, uplinks, load int) float64 {
	above, all := 0, 0
	counts := make([]int, uplinks)
	var choose func(flow, from, left int)
	choose = func(flow, from, left int) {
		switch {
		case flow == flows:
			all++
			for _, c := range counts {
				if c > load {
					above++
					return
				}
			}
		case left == 0:
			choose(flow+1, 0, evs)
		default:
			for uplink := from; uplink < uplinks; uplink++ {
				counts[uplink]++
				choose(flow, uplink+1, left-1)
				counts[uplink]--
			}
		}
	}
	choose(0, 0, evs)
	return float64(above) / float64(all)
}

// TestDistinctTailHoldsEverySmallCase: the bounds hold the exact probability, and meet it where no two uplinks can
// pass the load.
func TestDistinctTailHoldsEverySmallCase(t *testing.T) {
	meet := 0
	for uplinks := 1; uplinks <= 5; uplinks++ {
		for evs := 1; evs <= uplinks; evs++ {
			for flows := 1; flows <= 4; flows++ {
				for load := 0; load <= flows; load++ {
					exact := tail(flows, evs, uplinks, load)
					least, most, err := DistinctTail(flows, evs, uplinks, load)
					if err != nil || least > exact+1e-12 || most < exact-1e-12 {
						t.Errorf("%d flows, %d of %d uplinks, load %d: [%v, %v], %v, exact %v", flows, evs, uplinks, load, least, most, err, exact)
					}
					if (load+1)*2 > flows*evs && (most-least > 1e-12) {
						t.Errorf("%d flows, %d of %d uplinks, load %d: [%v, %v] do not meet", flows, evs, uplinks, load, least, most)
					} else if exact > 0 && exact < 1 && most-least < 1e-12 {
						meet++
					}
				}
			}
		}
	}
	if meet < 15 {
		t.Errorf("bounds meet in %d cases", meet)
	}
}

// TestDistinctTailOfOneEV: with one EV a flow the law is that of independent balls.
func TestDistinctTailOfOneEV(t *testing.T) {
	law, err := NewMaxLaw(300, 64)
	if err != nil {
		t.Fatal(err)
	}
	for load := 8; load <= 25; load++ {
		exact := 1 - law.CDF(load)
		least, most, err := DistinctTail(300, 1, 64, load)
		if err != nil || least > exact+1e-9 || most < exact-1e-9 {
			t.Errorf("load %d: [%v, %v], %v, exact %v", load, least, most, err, exact)
		}
		if exact < 0.1 && most-least > 0.03*exact {
			t.Errorf("load %d: [%v, %v] are not near %v", load, least, most, exact)
		}
	}
}

// TestDistinctSampler: the shares of 20,000 draws above a load lie in the bounds, up to four standard errors:
// false alarm below 1e-3 over all loads, with a fixed seed. Sets of all uplinks are always balanced.
func TestDistinctSampler(t *testing.T) {
	cfg := Config{Flows: 100, EVS: 12, Uplinks: 40, Method: Distinct}
	const draws = 20_000
	s, above := sampler(t, cfg), make([]float64, cfg.Flows+1)
	for replica := range uint64(draws) {
		most, err := s.Draw(context.Background(), 1, replica)
		if err != nil {
			t.Fatal(err)
		}
		for load := range most {
			above[load]++
		}
	}
	for load := 30; load <= 55; load++ {
		least, most, err := DistinctTail(cfg.Flows, cfg.EVS, cfg.Uplinks, load)
		share := above[load] / draws
		margin := 4 * math.Sqrt(max(most*(1-least), 1.0/draws)/draws)
		if err != nil || share < least-margin || share > most+margin {
			t.Errorf("load %d: share %v, bounds [%v, %v], %v", load, share, least, most, err)
		}
	}
	all, err := Simulate(context.Background(), Config{Flows: 9, EVS: 7, Uplinks: 7, Method: Distinct}, mc.Plan{Replicas: 50})
	if err != nil || all.Mean.Value != 0 || all.P975.Value != 0 {
		t.Errorf("sets of all uplinks: %+v, %v", all, err)
	}
}

func TestDistinctRefusals(t *testing.T) {
	want := "evsimbalance: EVS (9) must be in [1, 8] for flows=2 uplinks=8 method=distinct"
	if _, _, err := DistinctTail(2, 9, 8, 1); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
