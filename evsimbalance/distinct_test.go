package evsimbalance

import (
	"context"
	"math"
	"math/big"
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
					least, most, err := distinctTail(flows, evs, uplinks, load)
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

// TestDistinctTailIsExact compares both bounds with the same ones of exact fractions, for loads around and far above
// the mean.
func TestDistinctTailIsExact(t *testing.T) {
	const flows, evs, uplinks = 40, 3, 10
	choose := func(n, k int) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k))) }
	power := func(x *big.Rat, k int) *big.Rat {
		product := big.NewRat(1, 1)
		for range k {
			product.Mul(product, x)
		}
		return product
	}
	times := func(factors ...*big.Rat) *big.Rat {
		product := big.NewRat(1, 1)
		for _, x := range factors {
			product.Mul(product, x)
		}
		return product
	}
	const pairs = uplinks * (uplinks - 1)
	both, only, neither := big.NewRat(evs*(evs-1), pairs), big.NewRat(evs*(uplinks-evs), pairs), big.NewRat((uplinks-evs)*(uplinks-evs-1), pairs)
	for _, load := range []int{12, 15, 18, 22, 30} {
		one, two := new(big.Rat), new(big.Rat)
		for x := load + 1; x <= flows; x++ {
			one.Add(one, times(choose(flows, x), power(big.NewRat(evs, uplinks), x), power(big.NewRat(uplinks-evs, uplinks), flows-x)))
		}
		for b := range flows + 1 { // flows that use both uplinks, and one of them alone
			for x := max(0, load+1-b); x <= flows-b; x++ {
				for y := max(0, load+1-b); y <= flows-b-x; y++ {
					two.Add(two, times(choose(flows, b), choose(flows-b, x), choose(flows-b-x, y),
						power(both, b), power(only, x+y), power(neither, flows-b-x-y)))
				}
			}
		}
		s1, _ := times(one, big.NewRat(uplinks, 1)).Float64()
		s2, _ := times(two, big.NewRat(pairs, 2)).Float64()
		alone, _ := one.Float64()
		r := 1 + math.Floor(2*s2/s1)
		wantLeast, wantMost := min(1, max(alone, 2/(r+1)*s1-2/(r*(r+1))*s2)), min(1, s1-2*s2/uplinks)
		least, most, err := distinctTail(flows, evs, uplinks, load)
		if err != nil || math.Abs(least-wantLeast) > 1e-9*s1 || math.Abs(most-wantMost) > 1e-9*s1 {
			t.Errorf("load %d: [%v, %v], %v, want [%v, %v]", load, least, most, err, wantLeast, wantMost)
		}
	}
}

// TestDistinctTailOfOneEV: with one EV a flow the balls are independent.
func TestDistinctTailOfOneEV(t *testing.T) {
	law, err := NewMaxLaw(300, 64)
	if err != nil {
		t.Fatal(err)
	}
	for load := 8; load <= 25; load++ {
		exact := 1 - law.CDF(load)
		least, most, err := distinctTail(300, 1, 64, load)
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
		least, most, err := distinctTail(cfg.Flows, cfg.EVS, cfg.Uplinks, load)
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
	if _, _, err := distinctTail(2, 9, 8, 1); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
