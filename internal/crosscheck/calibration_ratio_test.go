package crosscheck

import (
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// opsOverREPS is the balancer of the rows about the ratio of OPS to REPS, the effect that most figures show.
const opsOverREPS = "oblivious over freezing"

// ratioBound is the bound of the ratio of OPS to REPS, relative to the reference's ratio: a quarter of the effect, the
// ratio's distance from 1, and at least half a per cent. Bounds of the two times alone would let the effect be half or
// twice as large.
func ratioBound(theirs float64) float64 { return max(0.005, math.Abs(theirs-1)/4/theirs) }

// ratios compares the ratio of OPS to REPS in each statistic that a scenario has of both, by its name.
func (s scenario) ratios(t *testing.T, runs []observed) map[string]comparison {
	t.Helper()
	list := map[string]comparison{}
	for i, ops := range s.systems {
		for j, ring := range s.systems {
			if ops.lb != "oblivious" || ring.lb != "freezing" {
				continue
			}
			for _, stat := range statistics {
				_, judged := ops.bounds[stat.key]
				if _, both := ring.bounds[stat.key]; judged && both {
					theirs := quotient(s.reference(t, ops.lb)[stat.key], s.reference(t, ring.lb)[stat.key])
					list[stat.name] = allowing(quotient(runs[i][stat.key], runs[j][stat.key]), theirs, ratioBound(theirs.Value), 4)
				}
			}
		}
	}
	return list
}

// quotient returns the ratio of the means of two independent samples, with the standard error of the delta method.
// Seeds are in N if both samples have the same number, otherwise the smaller number.
func quotient(over, under mc.Moments) mc.Estimate {
	a, b := over.Mean(mc.DefaultConfidence), under.Mean(mc.DefaultConfidence)
	ratio := a.Value / b.Value
	return mc.Estimate{Value: ratio, StdErr: ratio * math.Hypot(a.StdErr/a.Value, b.StdErr/b.Value), N: min(a.N, b.N)}
}

// TestQuotient: the ratio of two samples and its standard error by hand, and the bound of the ratio: a model with half
// of the effect, or one and a half times the effect, is outside; with 7/8 of it inside.
func TestQuotient(t *testing.T) {
	sample := func(values ...int64) (m mc.Moments) {
		for _, v := range values {
			m.Add(v)
		}
		return m
	}
	e := quotient(sample(210, 220, 230), sample(99, 100, 101))
	// The standard errors are 10/sqrt(3) = 5.774 of 220 and 1/sqrt(3) = 0.5774 of 100.
	if want := 2.2 * math.Hypot(0.026243, 0.0057735); math.Abs(e.Value-2.2) > 1e-12 || math.Abs(e.StdErr-want) > 1e-5 || e.N != 3 {
		t.Errorf("ratio %v, standard error %v, n %d, want 2.2, %.5f and 3", e.Value, e.StdErr, e.N, want)
	}
	for _, c := range []struct {
		part   float64 // of the effect, in the model
		inside bool
	}{{0.5, false}, {0.74, false}, {0.76, true}, {0.875, true}, {1, true}, {1.24, true}, {1.26, false}, {1.5, false}} {
		for _, theirs := range []float64{1.05, 1.5, 13, 0.9} {
			ours := mc.Estimate{Value: 1 + c.part*(theirs-1), N: 10}
			if got := allowing(ours, mc.Estimate{Value: theirs, N: 3}, ratioBound(theirs), 4); got.inside() != c.inside {
				t.Errorf("ratio %v, in the model %v: inside %v, want %v", theirs, ours.Value, got.inside(), c.inside)
			}
		}
	}
	if got := ratioBound(1.001); got != 0.005 {
		t.Errorf("bound %v of a ratio of 1.001, want 0.005", got)
	}
}

// TestRatioRows: the table has a row of the ratio for each statistic of OPS and REPS, all inside but for the two with
// three of five seeds.
func TestRatioRows(t *testing.T) {
	rows, outside := 0, 0
	for _, r := range mctest.Reference(t, calibrationTable) {
		if r["balancer"] == opsOverREPS {
			rows++
			if !strings.HasPrefix(r["verdict"], "inside") {
				outside++
			}
		}
	}
	if rows != 66 || outside > 2 {
		t.Errorf("%d rows of the ratio, %d outside, want 66 and at most 2", rows, outside)
	}
}
