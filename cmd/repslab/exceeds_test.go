package main

import (
	"math"
	"strings"
	"testing"
)

// TestExceeds: the probability of a rare queue comes with an interval that holds the exact one,
// for any workers and through a sweep; where it means nothing, the command says why.
func TestExceeds(t *testing.T) {
	args := strings.Fields("ballsbins --bins 8 --lambda 0.6 --exceeds 12,16 --replicas 48 --rounds 10 --format json")
	o := repslab(t, args...)
	rows, keys := rowsOf(t, o.stdout)
	if o.code != exitDone || o.stderr != "" || len(rows) != 2 || keys[len(keys)-3] != "exceeds_exact" {
		t.Fatalf("code %d, stderr %q, keys %v", o.code, o.stderr, keys)
	}
	for i, want := range []struct{ exceeds, exact float64 }{{12, 2.2245e-6}, {16, 3.1703e-8}} {
		r := rows[i]
		exact, lo, hi := r["exceeds_exact"].(float64), r["exceeds_lo"].(float64), r["exceeds_hi"].(float64)
		if r["exceeds"] != want.exceeds || math.Abs(exact/want.exact-1) > 1e-4 || lo > exact*1.15 || hi < exact/1.15 ||
			!(lo < r["exceeds_probability"].(float64)) || hi > 3*lo {
			t.Errorf("%v", r)
		}
	}
	few := replace(args, "--exceeds", "12", "--replicas", "5")
	if one, two := repslab(t, append(few, "--workers", "1")...), repslab(t, append(few, "--workers", "2")...); one.code != exitDone || one != two {
		t.Errorf("with one worker\n%+v, with two\n%+v", one, two)
	}
	o = repslab(t, strings.Fields("recycled --clocking per-flow --bins 4 --threshold 2 --lambda 0.5 --exceeds 6 "+
		"--max-rounds 10 --replicas 16 --format json")...)
	rows, _ = rowsOf(t, o.stdout)
	if p := rows[0]["exceeds_probability"]; o.code != exitDone || !(p.(float64) > 1e-7) || !(p.(float64) < 1e-4) {
		t.Errorf("code %d, stderr %q, %v", o.code, o.stderr, rows)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"ballsbins --exceeds 10", exitUsage, "--exceeds: 10: ballsbins: the probability that a queue exceeds a length needs lambda below 1"},
		{"ballsbins --lambda 0.5 --rule two-choice --exceeds 10", exitUsage, "needs lambda below 1, uniform bins"},
		{"ballsbins --lambda 0.5 --exceeds 0", exitUsage, "--exceeds: 0 must be an integer in [1, 1048576]"},
		{"recycled --lambda 0.5 --exceeds 10", exitUsage, "--exceeds: 10: recycled: the probability that a queue exceeds a length needs the clocking per-flow and lambda below 1"},
		{"recycled --clocking per-flow --exceeds 10", exitUsage, "needs the clocking per-flow and lambda below 1"},
		{"recycled --clocking per-flow --lambda 0.5 --evs 8 --exceeds 10", exitUsage, "--evs (8) must be 0"},
		{"recycled --clocking per-flow --bins 4 --lambda 0.5 --window 1 --exceeds 9 --replicas 2 --quiet", exitFailed,
			"splitting on the importance does not reach the rare states"},
	} {
		o := repslab(t, strings.Fields(c.args)...)
		if o.code != c.code || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: code %d, stderr %q, want %d, %q", c.args, o.code, o.stderr, c.code, c.want)
		}
	}
}
