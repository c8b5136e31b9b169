package main

import (
	"math"
	"os"
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
		t.Errorf("a key other than horizon depends on --horizon; without\n%s%s\nwith one\n%s", without.stdout, without.stderr, with.stdout)
	}
	for _, value := range []string{"-1", "2147483648", "x"} {
		if o := repslab(t, "recycled", "--horizon", value); o.code != exitUsage || !strings.Contains(o.stderr, "--horizon") || !strings.Contains(o.stderr, "[0, 2147483647]") {
			t.Errorf("--horizon %s: code %d, stderr %q", value, o.code, o.stderr)
		}
	}
}

// TestStarts: names and files give the loads before the first round; a start with balls is
// closed unless told otherwise; bad files and combinations are refused by their flag.
func TestStarts(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"four": "9 0\n1 0\n", "letters": "1 2 x 4", "negative": "1 -2 3 4", "nothing": "\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := repslab(t, strings.Fields("recycled --bins 4 --threshold 3 --replicas 5 --format json "+
		"--start empty,all-in-one,random,four")...)
	rows, _ := rowsOf(t, o.stdout)
	if o.code != exitDone || len(rows) != 4 {
		t.Fatalf("code %d, %d rows, stderr %q", o.code, len(rows), o.stderr)
	}
	for i, want := range []struct {
		start, closed string
		balls         float64
	}{{"empty", "off", 0}, {"all-in-one", "on", 4}, {"random", "on", 4}, {"four", "on", 10}} {
		r := rows[i]
		if r["start"] != want.start || r["closed"] != want.closed || r["balls"] != want.balls || r["converged"] != 5.0 {
			t.Errorf("row %d: %v, want %+v", i, r, want)
		}
	}
	if most := rows[3]["max_load_max"]; most != 9.0 {
		t.Errorf("largest load %v from a bin of 9", most)
	}
	for args, want := range map[string]string{
		"--start letters":                         "--start: letters: load 3 (\"x\") must be an integer in [0, 67108864]",
		"--start negative":                        "--start: negative: load 2 (\"-2\") must be an integer",
		"--start nothing":                         "--start: nothing: 0 loads must be in [1, 1048576]",
		"--start nowhere":                         "without a file it must be one of empty, all-in-one, random",
		"--start four --bins 5":                   "--start (4) loads must be one for each of 5 bins",
		"--start random --closed on --lambda 0.5": "--lambda (0.5) must be 1 in a closed process",
		"--start random --balls 67108865":         "--balls: 67108865 must be an integer in [1, 67108864]",
		"--balls 3":                               "--balls: 3 has no effect here",
		"--clocking per-flow --choices 2":         "--choices: 2 has no effect here",
		"--clocking round-robin --closed on":      "--closed: on has no effect here",
		"--start random --level 4":                "--level: 4 has no effect here",
		"--start random --threshold 0 --level 0":  "--level: 0 must be an integer in [1, 1073741824]",
		"--clocking round-robin --start random --balls 400 --colors-per-bin 2": "--balls (400) must be in [0, 64]",
	} {
		o := repslab(t, append([]string{"recycled", "--replicas", "2"}, strings.Fields(args)...)...)
		if o.code != exitUsage || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: code %d, stderr %q, want %q", args, o.code, o.stderr, want)
		}
	}
}

// TestRepeatedBallsIntoBins is the acceptance run: from all balls in one bin all runs
// stabilise, in about 1.6 n rounds, and a horizon shows the share of empty bins of the mean
// field, sqrt(2) - 1 for n balls.
func TestRepeatedBallsIntoBins(t *testing.T) {
	args := "recycled --threshold 0 --bins 1024 --replicas 20 --format json --start "
	o := repslab(t, strings.Fields(args+"all-in-one")...)
	rows, _ := rowsOf(t, o.stdout)
	if r := rows[0]; o.code != exitDone || r["converged"] != 20.0 || math.Abs(r["rounds_per_n"].(float64)-1.62) > 0.1 ||
		r["empty_share_mean"] != nil || !strings.Contains(o.stderr, "20 of 20 runs stabilised and ended there") {
		t.Errorf("code %d, row %v, stderr %q", o.code, r, o.stderr)
	}
	o = repslab(t, strings.Fields(args+"random --horizon 1000")...)
	rows, _ = rowsOf(t, o.stdout)
	r := rows[0]
	if o.code != exitDone || math.Abs(r["mean_field_empty_share"].(float64)-(math.Sqrt2-1)) > 1e-15 ||
		math.Abs(r["empty_share_mean"].(float64)-0.414) > 0.001 ||
		r["late_max_load_max"].(float64) < r["round_max_load_mean"].(float64) {
		t.Errorf("code %d, row %v", o.code, r)
	}
}
