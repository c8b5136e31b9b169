package evsimbalance

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"repslab/faults"
	"repslab/internal/ecmphash"
	"repslab/internal/mctest"
	"repslab/mc"
)

// TestMaxLawAgainstReference compares mean and quantiles with an independent
// computation, to the ten digits that it is given to.
func TestMaxLawAgainstReference(t *testing.T) {
	compared := 0
	for _, row := range mctest.Reference(t, "testdata/multinomial_maximum.csv") {
		bins, balls := int(row.Number(t, "n")), int(row.Number(t, "m"))
		law, err := NewMaxLaw(balls, bins)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := law.Mean(), row.Number(t, "mean_maxload"); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d balls, %d bins: mean %.12g, want %.12g", balls, bins, got, want)
		}
		if got, want := law.Imbalance(law.Mean()), row.Number(t, "imb_mean"); math.Abs(got/want-1) > 1e-7 {
			t.Errorf("%d balls, %d bins: imbalance %.9g, want %.9g", balls, bins, got, want)
		}
		for column, p := range map[string]float64{"q05_maxload": 0.05, "median_maxload": 0.5, "q95_maxload": 0.95} {
			if got, want := law.Quantile(p), int(row.Number(t, column)); got != want {
				t.Errorf("%d balls, %d bins: quantile %v is %d, want %d", balls, bins, p, got, want)
			}
		}
		compared++
	}
	if compared < 100 {
		t.Errorf("only %d rows compared", compared)
	}
}

// enumerate returns P[maximum = k] for all k by visiting every outcome of balls
// on bins with integer weights.
func enumerate(balls int, weights []int) []*big.Rat {
	outcomes, total := make([]int64, balls+1), int64(0)
	loads := make([]int, len(weights))
	var visit func(left int, ways int64)
	visit = func(left int, ways int64) {
		if left == 0 {
			outcomes[slices.Max(loads)] += ways
			total += ways
			return
		}
		for i, w := range weights {
			loads[i]++
			visit(left-1, ways*int64(w))
			loads[i]--
		}
	}
	visit(balls, 1)
	law := make([]*big.Rat, balls+1)
	for k, n := range outcomes {
		law[k] = big.NewRat(n, total)
	}
	return law
}

// compareLaw checks a law against exact probabilities of the maximum.
func compareLaw(t *testing.T, law *MaxLaw, want []*big.Rat) {
	t.Helper()
	const tolerance = 1e-13
	cdf, mean := new(big.Rat), new(big.Rat)
	for k, p := range want {
		cdf.Add(cdf, p)
		mean.Add(mean, new(big.Rat).Mul(p, big.NewRat(int64(k), 1)))
		if exact, _ := cdf.Float64(); math.Abs(law.CDF(k)-exact) > tolerance {
			t.Errorf("%d balls, %d bins: P[maximum <= %d] = %v, want %v", law.balls, law.bins, k, law.CDF(k), exact)
		}
	}
	if exact, _ := mean.Float64(); math.Abs(law.Mean()-exact) > tolerance*float64(len(want)) {
		t.Errorf("%d balls, %d bins: mean %v, want %v", law.balls, law.bins, law.Mean(), exact)
	}
}

// TestMaxLawAgainstEnumeration visits every outcome, with equal and with unequal
// bins.
func TestMaxLawAgainstEnumeration(t *testing.T) {
	for _, weights := range [][]int{
		{1}, {1, 1}, {1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1},
		{1, 3}, {5, 1, 1}, {2, 1, 3, 2}, {9, 1, 1, 1, 1}, {0, 1, 2}, {4, 0},
	} {
		for balls := 1; balls <= 6; balls++ {
			want := enumerate(balls, weights)
			law, err := NewWeightedMaxLaw(balls, weights)
			if err != nil {
				t.Fatal(err)
			}
			compareLaw(t, law, want)
			if weights[0] == 1 && len(slices.Compact(slices.Clone(weights))) == 1 {
				equal, err := NewMaxLaw(balls, len(weights))
				if err != nil {
					t.Fatal(err)
				}
				compareLaw(t, equal, want)
			}
		}
	}
}

// series returns P[maximum = k] by equation (2) of the package in rational
// arithmetic.
func series(balls, bins int) []*big.Rat {
	scale := new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(balls)))
	power := new(big.Int).Exp(big.NewInt(int64(bins)), big.NewInt(int64(balls)), nil)
	scale.Quo(scale, new(big.Rat).SetInt(power))
	law, below := make([]*big.Rat, balls+1), new(big.Rat)
	for k := range law {
		term, product := make([]*big.Rat, k+1), []*big.Rat{big.NewRat(1, 1)}
		for i := range term {
			term[i] = new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).MulRange(1, int64(i)))
		}
		for range bins {
			next := make([]*big.Rat, min(balls+1, len(product)+k))
			for i := range next {
				next[i] = new(big.Rat)
				for j := max(0, i-len(product)+1); j <= min(i, k); j++ {
					next[i].Add(next[i], new(big.Rat).Mul(product[i-j], term[j]))
				}
			}
			product = next
		}
		cdf := new(big.Rat)
		if len(product) > balls {
			cdf.Mul(product[balls], scale)
		}
		law[k], below = new(big.Rat).Sub(cdf, below), cdf
	}
	return law
}

// TestMaxLawAgainstSeries goes further than enumeration can, up to where few
// bins hold many balls and where many bins hold few.
func TestMaxLawAgainstSeries(t *testing.T) {
	for _, c := range []struct{ balls, bins int }{{40, 2}, {30, 3}, {25, 8}, {16, 32}, {12, 60}} {
		law, err := NewMaxLaw(c.balls, c.bins)
		if err != nil {
			t.Fatal(err)
		}
		compareLaw(t, law, series(c.balls, c.bins))
	}
}

// TestMaxLawOfTwoBins: with two bins the maximum is at most k if one bin has from
// m - k to k balls, a binomial sum. This is where the sum (4) needs all its
// points.
func TestMaxLawOfTwoBins(t *testing.T) {
	const balls = 1 << 16
	law, err := NewMaxLaw(balls, 2)
	if err != nil {
		t.Fatal(err)
	}
	middle := math.Exp(logMass(balls, 0.5, balls/2) + stirlingRest(balls) - 0.5*math.Log(2*math.Pi))
	sum, p := middle, middle
	for k := balls / 2; k < balls/2+2000; k++ {
		if got := law.CDF(k); math.Abs(got-sum) > 1e-11 {
			t.Fatalf("P[maximum <= %d] = %v, want %v", k, got, sum)
		}
		p *= float64(balls-k) / float64(k+1)
		sum += 2 * p
	}
}

func TestMaxLawIsALaw(t *testing.T) {
	for _, c := range []struct{ balls, bins int }{{1, 1}, {7, 1}, {1, 4096}, {4096, 4096}, {1000, 17}, {1 << 21, 32}} {
		law, err := NewMaxLaw(c.balls, c.bins)
		if err != nil {
			t.Fatal(err)
		}
		least := (c.balls + c.bins - 1) / c.bins
		if !slices.IsSorted(law.cdf) || law.cdf[len(law.cdf)-1] != 1 || law.CDF(least-1) != 0 || law.CDF(c.balls) != 1 {
			t.Errorf("%+v: not a distribution function on [%d, %d]", c, least, c.balls)
		}
		for _, p := range []float64{1e-12, 0.025, 0.5, 0.975, 1 - 1e-12} {
			if q := law.Quantile(p); law.CDF(q) < p || law.CDF(q-1) >= p {
				t.Errorf("%+v: quantile %v is %d, where the distribution function is %v and before it %v", c, p, q, law.CDF(q), law.CDF(q-1))
			}
		}
		for k := law.first; k < law.first+3; k++ {
			if p := law.CDF(k); p < 1 && law.Quantile(p) != k {
				t.Errorf("%+v: quantile %v is %d, but the distribution function has that value at %d", c, p, law.Quantile(p), k)
			}
		}
		if c.bins == 1 && (law.Mean() != float64(c.balls) || law.Imbalance(law.Mean()) != 0) {
			t.Errorf("%+v: mean %v", c, law.Mean())
		}
	}
}

// TestWeightsMayBePermutedAndScaled: names of bins and a common factor do not
// matter, but for rounding.
func TestWeightsMayBePermutedAndScaled(t *testing.T) {
	weights := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3}
	law, err := NewWeightedMaxLaw(5000, weights)
	if err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(weights)
	slices.Sort(other)
	for i := range other {
		other[i] *= 7
	}
	again, err := NewWeightedMaxLaw(5000, other)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := law.Mean(), again.Mean(); math.Abs(a-b) > 1e-8 {
		t.Errorf("mean %v, permuted and scaled %v", a, b)
	}
	if law.Quantile(0.5) != again.Quantile(0.5) {
		t.Errorf("median %d, permuted and scaled %d", law.Quantile(0.5), again.Quantile(0.5))
	}
}

// TestPacketsFollowTheWeightedLaw sends packets with uniform EVs of a hashed EVS:
// the busiest uplink's packets follow the law that has the EVs of each uplink as
// weights. 20,000 runs, so a mean that is off by 0.1 packets is seen.
func TestPacketsFollowTheWeightedLaw(t *testing.T) {
	const evs, uplinks, packets, flow, salt = 256, 16, 400, 3<<32 | 4, 99
	counts := make([]int, uplinks)
	for ev := range evs {
		counts[ecmphash.Port(ecmphash.Hash(flow, uint16(ev), salt), uplinks)]++
	}
	law, err := NewWeightedMaxLaw(packets, counts)
	if err != nil {
		t.Fatal(err)
	}
	r := mc.NewStream(mctest.Seed(t, 1), mc.Workload, 0).Rand()
	var most mc.Moments
	for range 20_000 {
		var loads [uplinks]int
		for range packets {
			loads[ecmphash.Port(ecmphash.Hash(flow, uint16(r.Below(evs)), salt), uplinks)]++
		}
		most.Add(int64(slices.Max(loads[:])))
	}
	mctest.Agree(t, "packets of the busiest uplink", most.Mean(mc.DefaultConfidence), law.Mean(), 0, 0)
	even, err := NewMaxLaw(packets, uplinks)
	if err != nil {
		t.Fatal(err)
	}
	if law.Mean() < even.Mean()+1 {
		t.Errorf("uneven EVs give %v packets, even ones %v", law.Mean(), even.Mean())
	}
}

// TestGonnetMean compares the asymptotic expectation with the exact one, and its
// function with factorials.
func TestGonnetMean(t *testing.T) {
	for bins := 16; bins <= 1<<20; bins *= 2 {
		law, err := NewMaxLaw(bins, bins)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := GonnetMean(bins), law.Mean(); math.Abs(got-want) > 0.25 {
			t.Errorf("%d balls and bins: asymptotic mean %v, exact %v", bins, got, want)
		}
	}
	for n, factorial := 1, 1; factorial <= math.MaxInt/n; n++ {
		factorial *= n
		if got, want := GonnetMean(factorial), float64(n)-0.5; math.Abs(got-want) > 1e-12 {
			t.Errorf("GonnetMean(%d!) = %v, want %v", n, got, want)
		}
	}
	func() {
		defer func() {
			if got := recover(); got != "evsimbalance: GonnetMean: bins (0) must be at least 1" {
				t.Errorf("GonnetMean(0): panic %v", got)
			}
		}()
		GonnetMean(0)
	}()
}

// TestAtMost: 40 balls in 4 bins, average 10.
func TestAtMost(t *testing.T) {
	law, err := NewMaxLaw(40, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		x    float64
		load int
	}{{-0.01, 9}, {0, 10}, {0.25, 12}, {0.5, 15}, {0.59, 15}, {3, 40}, {math.Inf(1), 40}, {math.Inf(-1), 0}} {
		if got, want := law.AtMost(c.x), law.CDF(c.load); got != want {
			t.Errorf("AtMost(%v) = %v, want that of load %d, %v", c.x, got, c.load, want)
		}
	}
}

// TestBinsWithoutWeightCount: they get no balls, but have a share of the average.
func TestBinsWithoutWeightCount(t *testing.T) {
	law, err := NewWeightedMaxLaw(30, []int{0, 7, 0})
	if err != nil {
		t.Fatal(err)
	}
	if got := law.Imbalance(law.Mean()); got != 2 {
		t.Errorf("imbalance %v of all balls on one of three bins, want 2", got)
	}
}

// TestLargestWeights: two weights whose sum is just math.MaxInt give the law of two
// equal bins.
func TestLargestWeights(t *testing.T) {
	large, err := NewWeightedMaxLaw(10, []int{math.MaxInt / 2, math.MaxInt/2 + 1})
	if err != nil {
		t.Fatal(err)
	}
	equal, err := NewMaxLaw(10, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := large.Mean(), equal.Mean(); math.Abs(got-want) > 1e-12 {
		t.Errorf("mean maximum %v, want %v", got, want)
	}
	if _, err := NewWeightedMaxLaw(10, []int{1, math.MaxInt - 1}); err != nil {
		t.Error(err)
	}
}

func TestLawErrors(t *testing.T) {
	for _, c := range []struct {
		balls, bins int
		want        string
	}{
		{0, 32, "balls (0) must be in [1, 1073741824]"},
		{1<<30 + 1, 32, "balls (1073741825) must be in [1, 1073741824]"},
		{1<<21 + 1, 15, "balls (2097153) must be in [1, 2097152] for 15 bins"},
		{10, 0, "bins (0) must be in [1, 16777216]"},
		{10, 1<<24 + 1, "bins (16777217) must be in [1, 16777216]"},
	} {
		if _, err := NewMaxLaw(c.balls, c.bins); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d balls, %d bins: error %v, want %q", c.balls, c.bins, err, c.want)
		}
	}
	for _, c := range []struct {
		weights []int
		want    string
	}{
		{[]int{1, -2}, "weights[1] (-2) must be at least 0"},
		{[]int{0, 0}, "must not all be 0"},
		{nil, "must not all be 0"},
		{make([]int, 5000), "must not all be 0"},
		{make([]int, maxExactBins+1), "len(weights) (16777217) must be at most 16777216"},
		{[]int{math.MaxInt, -math.MaxInt}, fmt.Sprintf("weights[1] (%d) must be at least 0", -math.MaxInt)},
		{[]int{math.MaxInt, math.MaxInt}, fmt.Sprintf("weights[1] (%d) must be at most 0, or the sum", math.MaxInt)},
		{[]int{math.MaxInt/2 + 1, 0, math.MaxInt/2 + 1, math.MaxInt/2 + 1, math.MaxInt/2 + 1}, fmt.Sprintf("weights[2] (%d) must be at most %d, or the sum", math.MaxInt/2+1, math.MaxInt/2)},
	} {
		_, err := NewWeightedMaxLaw(10, c.weights)
		var fault *faults.FieldError
		if !errors.As(err, &fault) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("weights of length %d: error %v, want a field error with %q", len(c.weights), err, c.want)
		}
	}
	law, err := NewMaxLaw(10, 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []float64{0, 1, math.NaN()} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.Contains(text, "must be in (0, 1)") {
					t.Errorf("Quantile(%v): panic %q", p, text)
				}
			}()
			law.Quantile(p)
		}()
	}
}
