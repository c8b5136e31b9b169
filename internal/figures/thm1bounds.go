package figures

import (
	"math"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/proofs"
	"repslab/recycled"
)

// thm1Bound holds, for one n and the theorem's smallest τ, what is proved and
// what is exact about the self-clocked process, in rounds.
type thm1Bound struct {
	bins, threshold int
	paper           float64 // expected: 2 n ln n for phase one, 32 (2 n ln n + n) for phase two
	stronger        float64 // expected: phase one by variable drift, (2 n ln n + n)/0.45 for phase two
	likely          float64 // exceeded with probability at most 2/n
	phaseOne        float64 // exact E[T1] without a threshold, an upper bound with one
}

// thm1Bounds returns the bounds at the n of points.
func thm1Bounds(points []thm1Point) ([]thm1Bound, error) {
	var bounds []thm1Bound
	c := proofs.PaperConstants()
	for _, p := range points {
		n := float64(p.cfg.Bins)
		balls := float64(2*n*math.Log(n)) + n // of phase two, with probability at least 1 - 1/n
		likely, _, err := recycled.RoundsBound(p.cfg.Bins, p.cfg.Threshold)
		if err != nil {
			return nil, err
		}
		law, err := recycled.NewPhaseOne(p.cfg.Bins)
		if err != nil {
			return nil, err
		}
		exact, _ := law.Mean()
		bounds = append(bounds, thm1Bound{
			bins: p.cfg.Bins, threshold: p.cfg.Threshold,
			paper:    float64(2*n*math.Log(n)) + balls/c.FinalDrift,
			stronger: recycled.PhaseOneRoundsBound(p.cfg.Bins) + balls/c.Absorption,
			likely:   likely,
			phaseOne: exact,
		})
	}
	return bounds, nil
}

// thm1BoundsTable lists bounds beside what was measured.
func thm1BoundsTable(bounds []thm1Bound, points []thm1Point) table.Table {
	t := table.Table{Name: "bounds", Columns: table.Numbers("bins", "threshold", "paper_bound_rounds", "stronger_bound_rounds", "stronger_likely_rounds", "phase_one_exact_rounds", "measured_rounds", "paper_over_measured", "stronger_over_measured")}
	for i, b := range bounds {
		measured := points[i].result.Rounds.Value
		t.Rows = append(t.Rows, []any{b.bins, b.threshold, b.paper, b.stronger, b.likely, b.phaseOne, measured, b.paper / measured, b.stronger / measured})
	}
	return t
}

// thm1BoundSeries returns the bounds and the exact law as curves of rounds / n.
func thm1BoundSeries(bounds []thm1Bound) []plot.Series {
	paper := plot.Series{Name: "bound of the paper's proof", Dash: plot.Dashed, Color: 7}
	stronger := plot.Series{Name: "stronger bound (docs/proof.md)", Dash: plot.LongDash, Color: 4}
	exact := plot.Series{Name: "exact, phase one", Mark: plot.Points, Color: 2}
	for _, b := range bounds {
		n := float64(b.bins)
		for _, c := range []struct {
			series *plot.Series
			rounds float64
		}{{&paper, b.paper}, {&stronger, b.stronger}, {&exact, b.phaseOne}} {
			c.series.X, c.series.Y = append(c.series.X, n), append(c.series.Y, c.rounds/n)
		}
	}
	return []plot.Series{paper, stronger, exact}
}
