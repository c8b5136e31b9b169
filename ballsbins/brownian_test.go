package ballsbins

import (
	"context"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

func TestBrownianClosedForms(t *testing.T) {
	// E max(|Z_1|, |Z_2|) = 2/sqrt(π), since max(|x|, |y|) is the larger of
	// |x+y|/2 + |x-y|/2.
	two, err := NewBrownian(2)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := two.MeanMax(2), 2/math.Sqrt(math.Pi); math.Abs(got-want) > 1e-12 {
		t.Errorf("expected maximum of two %v, want %v", got, want)
	}
	if got, want := two.MeanLoad(400), 20/math.Sqrt(math.Pi)+0.5; math.Abs(got-want) > 1e-12 {
		t.Errorf("mean load %v, want %v", got, want)
	}
	// The largest n against a fine trapezoidal sum.
	large, _ := NewBrownian(MaxBins)
	var want float64
	const step = 1e-4
	for z := step / 2; z < 9; z += step {
		want -= step * math.Expm1(MaxBins*math.Log1p(-math.Erfc(z/math.Sqrt2)))
	}
	if got := large.MeanMax(1) / large.scale; math.Abs(got-want) > 1e-8 {
		t.Errorf("expected maximum of %d %v, want %v", MaxBins, got, want)
	}
	if large.MeanMax(0) != 0 {
		t.Error("balls before round 1")
	}
}

// TestBrownianAgainstOneBinLaw: the errors of the mean load and, relatively, of
// the mean-field maximum fall as 1/sqrt(t).
func TestBrownianAgainstOneBinLaw(t *testing.T) {
	for _, bins := range []int{2, 4, 16, 128, 1 << 16} {
		law, err := NewOneBinLaw(Config{Bins: bins})
		if err != nil {
			t.Fatal(err)
		}
		b, err := NewBrownian(bins)
		if err != nil {
			t.Fatal(err)
		}
		round := 0
		for _, end := range []int{100, 1000, 4000} {
			for ; round < end; round++ {
				law.Step()
			}
			mean := law.Mean() - b.MeanLoad(end)
			field := law.MeanMax()/b.MeanMax(end) - 1
			t.Logf("n=%d round %d: mean load %+.4f balls, mean-field maximum %+.2f %%", bins, end, mean, 100*field)
			if math.Abs(mean) > 0.14/math.Sqrt(float64(end)) {
				t.Errorf("n=%d round %d: mean load %v, Brownian %v", bins, end, law.Mean(), b.MeanLoad(end))
			}
			if field < 0 || field > 0.8/math.Sqrt(float64(end)) {
				t.Errorf("n=%d round %d: mean-field maximum %v, Brownian %v", bins, end, law.MeanMax(), b.MeanMax(end))
			}
		}
	}
}

// TestBrownianAgainstSimulation records how far the independent bins are from
// the process; the joint law of two bins gives the largest gap.
func TestBrownianAgainstSimulation(t *testing.T) {
	for _, c := range []struct {
		bins    int
		low, up float64 // of simulated / Brownian maximum at round 1000
	}{{2, 1.12, 1.14}, {4, 1.06, 1.11}, {16, 1.01, 1.06}, {128, 1, 1.04}} {
		result, err := Simulate(context.Background(), Config{Bins: c.bins, Rounds: []int{1000}}, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 1000})
		if err != nil {
			t.Fatal(err)
		}
		b, _ := NewBrownian(c.bins)
		simulated := result.Observations[0].MaxLoad
		ratio, slack := simulated.Value/b.MeanMax(1000), mctest.Z(t)*simulated.StdErr/simulated.Value
		t.Logf("n=%d: simulated %.2f, Brownian %.2f, ratio %.4f", c.bins, simulated.Value, b.MeanMax(1000), ratio)
		if ratio < c.low-slack || ratio > c.up+slack {
			t.Errorf("n=%d: simulated maximum %v, Brownian %v", c.bins, simulated.Value, b.MeanMax(1000))
		}
	}
}

func TestBrownianDomain(t *testing.T) {
	for _, bins := range []int{1, MaxBins + 1} {
		if _, err := NewBrownian(bins); err == nil || !strings.Contains(err.Error(), "must be in [2, 16777216]") {
			t.Errorf("%d bins: error %v", bins, err)
		}
	}
}
