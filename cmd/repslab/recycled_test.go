package main

import (
	"math"
	"strings"
	"testing"
)

// TestCertifiedRunsLeaveLoadsUnknown: a set-up whose runs are certified early, at a
// load of about 10.7 balls, has no largest load of the whole run, and says so, unless
// a horizon is given: then it is about 76.
func TestCertifiedRunsLeaveLoadsUnknown(t *testing.T) {
	args := strings.Fields("recycled --bins 32 --threshold 4 --clocking round-robin --colors-per-bin 9 --replicas 20 --format json")
	whole := []string{"max_load_mean", "max_load_max", "max_load_per_lnn", "duplicate_color_fraction"}

	o := repslab(t, args...)
	rows, _ := rowsOf(t, o.stdout)
	if r := rows[0]; o.code != exitDone || r["certified"] != 20.0 || r["horizon"] != 0.0 || math.Abs(r["max_load_at_decision_mean"].(float64)-10.7) > 1 {
		t.Errorf("code %d, row %v", o.code, r)
	}
	for _, key := range whole {
		if v, there := rows[0][key]; v != nil || !there {
			t.Errorf("without a horizon %s is %v, want null", key, v)
		}
	}
	if !strings.Contains(o.stderr, "20 of 20 runs were certified and ended there") || !strings.Contains(o.stderr, "and duplicate_color_fraction are null") || !strings.Contains(o.stderr, "--horizon 11091") {
		t.Errorf("stderr %q", o.stderr)
	}

	o = repslab(t, append(args, "--horizon", "11091")...)
	rows, _ = rowsOf(t, o.stdout)
	r := rows[0]
	if o.code != exitDone || strings.Contains(o.stderr, "horizon") || r["horizon"] != 11091.0 || r["duplicate_color_fraction"] != 1.0 {
		t.Errorf("code %d, stderr %q, row %v", o.code, o.stderr, r)
	}
	if mean, most := r["max_load_mean"].(float64), r["max_load_max"].(float64); mean < 60 || most < mean ||
		math.Abs(r["max_load_per_lnn"].(float64)-mean/math.Log(32)) > 1e-12 {
		t.Errorf("largest load %v on average, %v at most, row %v", mean, most, r)
	}
}

// TestConvergedRunsNeedNoHorizon: what a converged run will do is known, so a horizon
// changes nothing but the horizon's own key.
func TestConvergedRunsNeedNoHorizon(t *testing.T) {
	args := strings.Fields("recycled --bins 16 --replicas 50 --format json")
	without, with := repslab(t, args...), repslab(t, append(args, "--horizon", "5000")...)
	if without.stderr != "" || strings.Replace(without.stdout, `"horizon":0,`, `"horizon":5000,`, 1) != with.stdout {
		t.Errorf("without a horizon\n%s%s\nwith one\n%s", without.stdout, without.stderr, with.stdout)
	}
	for _, value := range []string{"-1", "2147483648", "x"} {
		if o := repslab(t, "recycled", "--horizon", value); o.code != exitUsage || !strings.Contains(o.stderr, "--horizon") || !strings.Contains(o.stderr, "[0, 2147483647]") {
			t.Errorf("--horizon %s: code %d, stderr %q", value, o.code, o.stderr)
		}
	}
}
