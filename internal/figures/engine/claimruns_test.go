package engine

import (
	"reflect"
	"testing"

	"repslab/internal/claims"
	"repslab/mc"
)

// TestClaimRuns: a quantity that several conditions and words name is listed once, a computed number
// has no run, an estimate without a name is left out, and one name for two quantities is refused.
func TestClaimRuns(t *testing.T) {
	numbers := func(name string, list ...float64) mc.Estimate {
		e := mc.MeanOf(list, func(x float64) int64 { return int64(2 * x) }).Per(2)
		e.Basis.Quantity, e.Basis.Unit = name, "us"
		return e
	}
	a := numbers("a", 1.5, 2.5)
	found := []claims.Finding{
		claims.Estimated("N050", "stop", a, "", "").With(a, numbers("", 7, 8)),
		claims.Exactly("N017", "bits", 193, "", ""),
	}
	list := claimRuns(found)
	want := [][]any{{"N050", "a", "us", 0, 1.5, nil}, {"N050", "a", "us", 1, 2.5, nil}, {"N017", "state", "", nil, 193.0, nil}}
	if !reflect.DeepEqual(list.Rows, want) {
		t.Errorf("rows %v, want %v", list.Rows, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("two quantities have one name")
		}
	}()
	claimRuns([]claims.Finding{found[0].With(numbers("a", 3, 4))})
}
