package evsimbalance

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"repslab/internal/ecmphash"
	"repslab/internal/mctest"
	"repslab/internal/propertytest"
	"repslab/mc"
)

// leftOut returns the exact probability that evs EVs leave an uplink out, by inclusion and exclusion:
// sum over k >= 1 of (-1)^(k+1) C(n, k) (1 - k/n)^evs.
func leftOut(evs, uplinks int) *big.Rat {
	sum, term := new(big.Int), new(big.Int)
	for k := 1; k < uplinks; k++ {
		term.Exp(big.NewInt(int64(uplinks-k)), big.NewInt(int64(evs)), nil)
		term.Mul(term, new(big.Int).Binomial(int64(uplinks), int64(k)))
		if k%2 == 0 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	if evs == 0 {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetFrac(sum, term.Exp(big.NewInt(int64(uplinks)), big.NewInt(int64(evs)), nil))
}

// TestCoverageByEnumeration counts the maps of EVs to uplinks that reach all uplinks.
func TestCoverageByEnumeration(t *testing.T) {
	for uplinks := 1; uplinks <= 4; uplinks++ {
		for evs, all := 0, 1; evs <= 7; evs, all = evs+1, all*uplinks {
			covering := 0
			for code := range all {
				reached := 0
				for range evs {
					reached |= 1 << (code % uplinks)
					code /= uplinks
				}
				if reached == 1<<uplinks-1 {
					covering++
				}
			}
			if got, err := Coverage(evs, uplinks); err != nil || math.Abs(got-float64(covering)/float64(all)) > 1e-15 {
				t.Errorf("%d EVs on %d uplinks: %v, %v, want %d/%d", evs, uplinks, got, err, covering, all)
			}
		}
	}
}

// TestCoverageIsExact compares the probability of an uplink left out, down to 1e-17, with exact fractions.
func TestCoverageIsExact(t *testing.T) {
	for _, uplinks := range []int{1, 2, 3, 7, 32, 100} {
		c := newCollector(uplinks)
		for evs := 0; evs < 3000; evs++ {
			if evs%(1+uplinks/4) == 0 {
				want, _ := leftOut(evs, uplinks).Float64()
				if math.Abs(c.missing-want) > 1e-15*float64(evs+1)*want+1e-30 {
					t.Fatalf("%d EVs on %d uplinks: %v, want %v", evs, uplinks, c.missing, want)
				}
				got, err := Coverage(evs, uplinks)
				if err != nil || math.Abs(got-(1-c.missing)) > 1e-15 || c.missing < 1e-18 && got != 1 {
					t.Fatalf("%d EVs on %d uplinks: %v, %v", evs, uplinks, got, err)
				}
			}
			if c.step(); c.missing < 1e-17 {
				break
			}
		}
	}
}

// TestCoverEVs: the least number by exact fractions, for every number of uplinks up to 40 and every probability.
func TestCoverEVs(t *testing.T) {
	for _, p := range []float64{0, 1e-9, 0.5, 0.9, 0.99, 1 - 1e-9} {
		for uplinks := 1; uplinks <= 40; uplinks++ {
			evs, err := CoverEVs(uplinks, p)
			if err != nil {
				t.Fatal(err)
			}
			most := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).SetFloat64(p))
			if leftOut(evs, uplinks).Cmp(most) > 0 || evs > 0 && leftOut(evs-1, uplinks).Cmp(most) <= 0 {
				t.Errorf("%d uplinks with probability %v: %d EVs", uplinks, p, evs)
			}
		}
	}
	for _, c := range []struct {
		uplinks int
		p       float64
	}{{0, 0.9}, {MaxUplinks + 1, 0.9}, {4, 1}, {4, -0.1}, {4, math.NaN()}} {
		if evs, err := CoverEVs(c.uplinks, c.p); err == nil {
			t.Errorf("%+v: %d EVs, no error", c, evs)
		}
	}
	for _, c := range [][2]int{{-1, 4}, {4, 0}, {4, MaxUplinks + 1}} {
		if p, err := Coverage(c[0], c[1]); err == nil {
			t.Errorf("%v: %v, no error", c, p)
		}
	}
}

// TestCoverageProperties: coverage rises with EVs and falls with uplinks; fewer EVs than uplinks never cover, as many
// do with probability n!/n^n.
func TestCoverageProperties(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		uplinks := rapid.IntRange(1, 200).Draw(t, "uplinks")
		evs := rapid.IntRange(0, 12*uplinks).Draw(t, "evs")
		of := func(evs, uplinks int) float64 {
			p, err := Coverage(evs, uplinks)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		p, slack := of(evs, uplinks), 1e-12
		if p < 0 || p > 1 || (p > 0) != (evs >= uplinks) || of(evs+1, uplinks) < p-slack || of(evs, uplinks+1) > p+slack {
			t.Errorf("%d EVs on %d uplinks: %v", evs, uplinks, p)
		}
		lg, _ := math.Lgamma(float64(uplinks + 1))
		if want := math.Exp(lg - float64(uplinks)*math.Log(float64(uplinks))); math.Abs(of(uplinks, uplinks)-want) > 1e-10*want {
			t.Errorf("as many EVs as %d uplinks: %v, want %v", uplinks, of(uplinks, uplinks), want)
		}
	})
}

// TestCoverageLimit: with n (ln n + c) EVs the coverage tends to exp(-exp(-c)), Erdős and Rényi's limit; at 1,024
// uplinks it is within ln(n)/n of it.
func TestCoverageLimit(t *testing.T) {
	const n = 1024
	for _, c := range []float64{-1, 0, 1, 2.25, 5} {
		p, err := Coverage(int(math.Round(n*(math.Log(n)+c))), n)
		if want := math.Exp(-math.Exp(-c)); err != nil || math.Abs(p-want) > math.Log(n)/n {
			t.Errorf("c = %v: %v, %v, want %v", c, p, err, want)
		}
	}
}

// TestCoverageOfSwitches: EVs that the model's switches hash cover as often as the law says, on one switch of 32
// uplinks and over two stages of 4 and 8. Each stage hashes with a salt of its own. Of 4,000 connections the share
// scatters by 0.0071 for a law of 0.7; z has a false-alarm rate of 1e-9 and sees differences of 0.05.
func TestCoverageOfSwitches(t *testing.T) {
	const evs, connections = 145, 4000
	want, err := Coverage(evs, 32)
	if err != nil || want < 0.6 || want > 0.8 {
		t.Fatal(want, err)
	}
	random := mc.NewStream(mctest.Seed(t, 1), mc.Salts, 0).Rand()
	for _, stages := range [][]int{{32}, {4, 8}} {
		covered := uint64(0)
		for range connections {
			var reached uint32
			paths, salts := random.Uint64(), [2]uint64{random.Uint64(), random.Uint64()}
			for ev := range evs {
				path := 0
				for stage, ports := range stages {
					path = path*ports + ecmphash.Port(ecmphash.Hash(paths, uint16(ev), salts[stage]), ports)
				}
				reached |= 1 << path
			}
			if reached == math.MaxUint32 {
				covered++
			}
		}
		share := float64(covered) / connections
		if z := math.Abs(share-want) / math.Sqrt(want*(1-want)/connections); z > 6.11 {
			t.Errorf("stages %v: %v of the connections cover, want %v (z = %.1f)", stages, share, want, z)
		}
	}
}
