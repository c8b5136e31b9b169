package ballsbins

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestOneShotIsExact compares the sampled mean maximum with an enumeration of
// all throws, and with the known expectation of 32 balls in 32 bins.
func TestOneShotIsExact(t *testing.T) {
	for _, c := range []struct {
		bins, balls int
		want        float64
	}{{1, 5, 5}, {4, 0, 0}, {3, 6, enumerateMeanMax(3, 6)}, {5, 5, enumerateMeanMax(5, 5)}, {32, 32, 3.532940993}} {
		o, err := NewOneShot(c.bins, c.balls)
		if err != nil {
			t.Fatal(err)
		}
		var most mc.Moments
		for replica := range uint64(40_000) {
			most.Add(int64(o.Max(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, replica))))
		}
		mctest.Agree(t, "mean maximum", most.Mean(0.95), c.want, 0, 0)
	}
	for _, c := range []struct {
		bins, balls int
		want        string
	}{{0, 1, "bins (0) must be in"}, {1, -1, "balls (-1) must be in [0, 2147483647]"}} {
		if _, err := NewOneShot(c.bins, c.balls); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
}

// enumerateMeanMax sums the maximum over all n^m ways to throw.
func enumerateMeanMax(bins, balls int) float64 {
	loads := make([]int, bins)
	var total, ways int64
	var throw func(left int)
	throw = func(left int) {
		if left == 0 {
			total += int64(slices.Max(loads))
			ways++
			return
		}
		for i := range loads {
			loads[i]++
			throw(left - 1)
			loads[i]--
		}
	}
	throw(balls)
	mean, _ := big.NewRat(total, ways).Float64()
	return mean
}

func TestLogBallsRoot(t *testing.T) {
	if got := logBallsRoot(1); math.Abs(got-math.E) > 1e-14 {
		t.Errorf("d_1 = %v, want e", got)
	}
	for _, c := range []float64{1e-6, 0.1, 0.5, 2, 30} {
		d := logBallsRoot(c)
		if side := 1 + d*(math.Log(c)-math.Log(d)+1) - c; math.Abs(side) > 1e-12*max(1, c) || d <= c {
			t.Errorf("d_%v = %v leaves %v", c, d, side)
		}
	}
	// For large c, d_c = c + sqrt(2 c) + 1/3 + O(1/sqrt(c)): the regime LogBalls
	// goes over into ManyBalls.
	if got, want := logBallsRoot(1e8)-1e8, math.Sqrt(2e8)+1.0/3; math.Abs(got-want) > 1e-9*want {
		t.Errorf("d_c - c = %v at c = 1e8, want %v", got, want)
	}
	if !math.IsNaN(logBallsRoot(0)) {
		t.Error("d_0 exists")
	}
}

// TestRegimesAgainstThrows records mean maximum / k_1 at finite n, and holds the
// share of maxima above k_α against the theorem's limits 0 and 1 where α is far
// enough from 1 for them to show.
func TestRegimesAgainstThrows(t *testing.T) {
	const large = 1 << 16
	logBins := math.Log(large)
	for _, c := range []struct {
		name       string
		bins       int
		mean       float64
		regime     Regime
		low, up    float64 // of mean maximum / k_1
		below, top float64 // levels of α that all and few maxima exceed
		few        int     // of 20; the last regime converges as ln ln n / ln n only
	}{
		{"m = n / ln n", large, 1 / logBins, FewBalls, 0.95, 1.15, 0.1, 3, 0},
		{"m = n", large, 1, FewBalls, 1.1, 1.25, 0.3, 4, 0},
		{"m = n ln n", large, logBins, LogBalls, 0.87, 0.97, 0.5, 1.5, 0},
		{"m = 16 n ln n", large, 16 * logBins, ManyBalls, 0.96, 1.01, 0.5, 1.5, 0},
		{"m = 30 n (ln n)^3", 256, 30 * math.Pow(math.Log(256), 3), VeryManyBalls, 0.99, 1.005, 0.2, 3, 10},
	} {
		o, err := NewOneShot(c.bins, int(c.mean*float64(c.bins)))
		if err != nil {
			t.Fatal(err)
		}
		level := func(alpha float64) float64 {
			k, err := MaxLoadLevel(c.bins, int(c.mean*float64(c.bins)), c.regime, alpha)
			if err != nil {
				t.Fatal(err)
			}
			return k
		}
		var most mc.Moments
		aboveTop, belowBelow, replicas := 0, 0, 20
		for replica := range replicas {
			x := o.Max(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, uint64(replica)))
			most.Add(int64(x))
			if float64(x) > level(c.top) {
				aboveTop++
			}
			if float64(x) <= level(c.below) {
				belowBelow++
			}
		}
		ratio := most.Mean(0.95).Value / level(1)
		t.Logf("%s: mean maximum %.2f, k_1 %.2f, ratio %.3f", c.name, most.Mean(0.95).Value, level(1), ratio)
		if ratio < c.low || ratio > c.up || aboveTop > c.few || belowBelow > 0 {
			t.Errorf("%s: ratio %v, %d above k_%v, %d below k_%v", c.name, ratio, aboveTop, c.top, belowBelow, c.below)
		}
	}
}

func TestMaxLoadLevelDomain(t *testing.T) {
	for _, c := range []struct {
		bins, balls int
		regime      Regime
		alpha       float64
		want        string
	}{
		{2, 1, FewBalls, 1, "bins (2) must be at least 3"},
		{3, 0, FewBalls, 1, "balls (0) must be at least 1"},
		{3, 1, LogBalls, 0, "alpha (0) must be positive"},
		{100, 1000, FewBalls, 1, "balls (1000) must be below (n ln n)/e (169)"},
		{100, 1000, VeryManyBalls, 0.1, "alpha (0.1) must be above 0.1658"},
		{100, 1000, 0, 1, "regime (0) must be in [1, 4]"},
	} {
		if _, err := MaxLoadLevel(c.bins, c.balls, c.regime, c.alpha); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}
