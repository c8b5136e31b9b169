package cases

import (
	"strings"
	"testing"

	"repslab/internal/frame"
	"repslab/internal/metric"
)

// withoutInterval names the columns of results without an interval, apart from given, exact and asymptotic numbers,
// and says why.
var withoutInterval = map[string]string{
	"converged": "number of the runs at hand", "certified": "number of the runs at hand",
	"rounds_max": "largest of the runs at hand", "max_load_at_decision_max": "largest of the runs at hand",
	"max_load_max": "largest of the runs at hand", "late_max_load_max": "largest of the runs at hand",
	"gap_law": "a law in a text", "load_histogram": "a law in a text", "ring_valid_law": "a law in a text",
	"late_rank": "a number of a rank", "late_source": "a number of a rank", "late_destination": "a number of a rank",
}

// TestEstimatesHaveIntervals: each column of each model's results that is an estimate has a standard error or the ends
// of an interval beside it, or a reason to have none. A new column of results needs one of these.
func TestEstimatesHaveIntervals(t *testing.T) {
	used := map[string]bool{}
	for _, m := range All() {
		keys := frame.Keys(m.Results)
		estimates, beside := frame.Estimates(keys), map[string]bool{}
		for _, b := range estimates {
			beside[b.Se], beside[b.Lo], beside[b.Hi] = true, true, true
		}
		checked := 0
		for _, key := range keys {
			if beside[key] {
				continue
			}
			if strings.HasSuffix(key, "_se") || strings.HasSuffix(key, "_lo") || strings.HasSuffix(key, "_hi") {
				t.Errorf("%s: %s is of no estimate", m.Name, key)
			}
			_, has := estimates[key]
			kind := kindOf(t, m.Name, key)
			estimate := strings.HasPrefix(kind, "estimate") || strings.Contains(kind, "else estimate") || kind == "count"
			switch reason := withoutInterval[key]; {
			case strings.HasSuffix(key, "_spread"): // of the runs at hand
				if _, is := estimates[strings.TrimSuffix(key, "_spread")]; !is || has {
					t.Errorf("%s: %s is of no estimate, or has an interval", m.Name, key)
				}
			case reason != "":
				used[key] = true
				if has {
					t.Errorf("%s: %s has an interval, although it is %s", m.Name, key, reason)
				}
			case estimate && !has:
				t.Errorf("%s: %s, of kind %q, has no interval: give it one, or its reason in withoutInterval above", m.Name, key, kind)
			case !estimate && has:
				t.Errorf("%s: %s, of kind %q, has an interval", m.Name, key, kind)
			case estimate:
				checked++
			}
		}
		if checked < 4 {
			t.Errorf("%s: only %d estimates were checked", m.Name, checked)
		}
	}
	for key := range withoutInterval {
		if !used[key] {
			t.Errorf("%s is no column of results", key)
		}
	}
}

// kindOf returns the kind of a key in the table of metrics.
func kindOf(t *testing.T, model, key string) string {
	for _, g := range metric.Groups() {
		if m, _, known := g.Find(key); known && g.File == "" && (g.Model == model || g.Model == "") {
			return m.Kind
		}
	}
	t.Errorf("%s: %s is not in metrics.csv", model, key)
	return ""
}
