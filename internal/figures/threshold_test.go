package figures

import (
	"math"
	"testing"

	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/mc"
	"repslab/recycled"
)

// checkThreshold: the recorded runs decide each statement, and none against the conjecture; the table has the
// predictions of package recycled beside shares that lie near them.
func checkThreshold(t *testing.T, out engine.Output) {
	t.Helper()
	rows, statements := out.Tables[0], out.Tables[1]
	if len(statements.Rows) != 6 {
		t.Errorf("%d statements, want 6", len(statements.Rows))
	}
	for _, row := range statements.Rows {
		if grade := cellOf(statements, row, "grade"); grade != string(claims.Reproduced) {
			t.Errorf("%v: %v (%v)", cellOf(statements, row, "statement"), grade, cellOf(statements, row, "measured"))
		}
	}
	for _, row := range rows.Rows {
		n, share := cellOf(rows, row, "bins").(int), cellOf(rows, row, "share").(float64)
		next := cellOf(rows, row, "next_order").(float64)
		runs := float64(cellOf(rows, row, "replicas").(uint64))
		if noise := 4 * math.Sqrt(next*(1-next)/runs); n >= 256 && math.Abs(share-next) > 0.02+noise {
			t.Errorf("n = %d, τ = %v: %v of the runs, predicted %v", n, cellOf(rows, row, "threshold"), share, next)
		}
	}
}

// TestFollowed: a prediction that is right at all points but one, where it is far off, is not followed.
func TestFollowed(t *testing.T) {
	f := thresholds{}
	f.layOut()
	points := f.points[:10]
	for i := range points {
		points[i].Converged, points[i].Result.Replicas = 500, 1000
		points[i].limit.Share.Value = 0.51
	}
	predicted := func(l recycled.Limit) mc.Estimate { return l.Share }
	if c, _ := followed(points, 0.02, predicted); !c.Holds {
		t.Error("shares of 0.5 do not follow 0.51")
	}
	points[3].limit.Share.Value = 0.7
	if c, text := followed(points, 0.02, predicted); c.Holds {
		t.Error("a share of 0.5 follows 0.7:", text)
	}
}
