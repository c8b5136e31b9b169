package frame

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"repslab/mc"
)

// TestEstimates: the columns of a row with estimates are found again, also without their ends.
func TestEstimates(t *testing.T) {
	e := mc.Estimate{Value: 5, StdErr: 1, Lo: 3, Hi: 8}
	row := Row{{"exceeds", 7}, {"lost", WithEnds(e)}, {"max_load_mean", WithError(e)}, {"exceeds_probability", WithErrorAndEnds(e)}}
	keys := []string{"exceeds", "lost", "lost_lo", "lost_hi", "max_load_mean", "max_load_se",
		"exceeds_probability", "exceeds_se", "exceeds_lo", "exceeds_hi"}
	if got := row.Keys(); !slices.Equal(got, keys) {
		t.Errorf("keys %q, want %q", got, keys)
	}
	if got, want := row.Values(), []any{7, 5.0, 3.0, 8.0, 5.0, 1.0, 5.0, 1.0, 3.0, 8.0}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	for _, test := range []struct {
		keys []string
		want map[string]Beside
	}{
		{keys, map[string]Beside{"lost": {"", "lost_lo", "lost_hi"}, "max_load_mean": {Se: "max_load_se"},
			"exceeds_probability": {"exceeds_se", "exceeds_lo", "exceeds_hi"}}},
		{[]string{"rounds_mean_se", "rounds_mean"}, map[string]Beside{"rounds_mean": {Se: "rounds_mean_se"}}}, // of other programs
		{[]string{"speedup_over_ops", "speedup_lo", "slow", "_se"}, map[string]Beside{}},
	} {
		if got := Estimates(test.keys); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: estimates %v, want %v", test.keys, got, test.want)
		}
	}
}

// TestBesideOf: a mean over runs or a probability lends its stem, a mean over the connections of a run its whole key.
func TestBesideOf(t *testing.T) {
	for key, stem := range map[string]string{"lost": "lost", "max_load_mean": "max_load", "exceeds_probability": "exceeds",
		"distinct_evs_mean": "distinct_evs_mean", "flight_evs_mean": "flight_evs_mean", "ring_valid_mean": "ring_valid_mean", "mean_fct_us": "mean_fct_us"} {
		if got, want := BesideOf(key), (Beside{stem + "_se", stem + "_lo", stem + "_hi"}); got != want {
			t.Errorf("%s: %v, want %v", key, got, want)
		}
	}
}

// TestIdentical: the standard error of observations that are all alike is 0.
func TestIdentical(t *testing.T) {
	e := mc.Estimate{Value: 5, StdErr: math.NaN(), Identical: true}
	if got := (Row{{"lost", WithErrorAndEnds(e)}}).Values()[1]; got != 0.0 {
		t.Errorf("standard error %v, want 0", got)
	}
}
