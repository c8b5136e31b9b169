package advise

import (
	"math"
	"strings"
	"testing"

	"repslab/internal/cases"
	"repslab/mc"
)

// TestConclusions: a winner is named where the interval excludes 1, and by how little if that is less than 2 %.
func TestConclusions(t *testing.T) {
	for want, n := range map[string]Number{
		"S: prefer reps; ops takes 1.50 ±0.10 times as long [3].":                            ratioOf(1.5, 1.4, 1.6),
		"S: prefer reps; ops takes 1.03 to 1.21 times as long [3].":                          ratioOf(1.1, 1.03, 1.21),
		"S: prefer ops; it takes 0.80 ±0.10 times as long as reps [3].":                      ratioOf(0.8, 0.7, 0.9),
		"S: reps is ahead by less than 2 %; ops takes 1.011 ±0.007 times as long [3].":       ratioOf(1.011, 1.004, 1.018),
		"S: ops is ahead by less than 2 %; it takes 0.987 ±0.005 times as long as reps [3].": ratioOf(0.987, 0.982, 0.992),
		"S: ops is as fast as reps within 2 %; it takes 1.000 ±0.010 times as long [3].":     ratioOf(1, 0.99, 1.01),
		"S: 8 runs do not tell reps from ops, which takes 0.96 to 1.05 times as long [3].":   ratioOf(1, 0.96, 1.05),
		"S: prefer reps; ops takes over 12.3 times as long [3].":                             {Kind: "lower bound", Lo: new(12.34)},
		"S: prefer ops; it takes under 0.081 times as long as reps [3].":                     {Kind: "upper bound", Hi: new(0.081)},
		"S: 8 runs do not tell reps from ops, which takes over 0.9 times as long [3].":       {Kind: "lower bound", Lo: new(0.9)},
		"": {Note: "0 of 8 runs"}, // neither finishes
	} {
		n.Section, n.Quantity, n.Balancer, n.Over, n.Source = "S", ratioToREPS, "ops", 1, 3
		a := Advice{Input: Input{Replicas: 8}, Numbers: []Number{n}}
		if a.conclude(); strings.Join(a.Advice, "\n") != want {
			t.Errorf("%q, want %q", a.Advice, want)
		}
	}
}

// TestEstimated: intervals end where the quantity does; runs without a value leave a bound of a ratio, or else their
// number.
func TestEstimated(t *testing.T) {
	all := mc.Estimate{Value: 98, Lo: -44, Hi: 15778905371, N: 8}
	few := mc.Estimate{Value: math.NaN(), Lo: 12.34, Hi: math.Inf(1)}
	below := mc.Estimate{Value: math.NaN(), Lo: math.Inf(-1), Hi: 0.5}
	for want, n := range map[string]Number{
		"0 to 100":    Number{}.estimated(all, 8, 100),
		"0 of 8 runs": Number{}.estimated(few, 8, 100),
		"over 12.3":   Number{Over: 1}.estimated(few, 8, 100),
		"under 0.5":   Number{Over: 1}.estimated(below, 8, 100),
	} {
		if n.String() != want {
			t.Errorf("%q, want %q", n, want)
		}
	}
}

// ratioOf returns a ratio with its interval.
func ratioOf(v, lo, hi float64) Number { return Number{Value: &v, Lo: &lo, Hi: &hi} }

// judged returns what is said of a change with ratios while healthy and with failed cables, and of lost packets
// before and after. All have the same relative standard error, of ten runs.
func judged(healthy, failed, lostBefore, lost, stdErr float64) string {
	estimate := func(v float64) mc.Estimate {
		return mc.Estimate{Value: v, Lo: v - 2*stdErr*v, Hi: v + 2*stdErr*v, StdErr: stdErr * v, N: 10, Confidence: mc.DefaultConfidence}
	}
	c := change{flag: "--flag 1", source: 2, differs: map[int][]string{}}
	c.judge(estimate(healthy), estimate(0), estimate(0), 10, math.Inf(1), false)
	c.judge(estimate(failed), estimate(lostBefore), estimate(lost), 10, math.Inf(1), true)
	a := Advice{changes: []change{c}}
	a.conclude()
	return strings.Join(a.Advice, "\n")
}

// TestChanges: a change is advised if it gains 2 % or more in time or in lost packets, and not if it costs time.
func TestChanges(t *testing.T) {
	const nothing = "No gain of 2 % or more for reps by --flag 1."
	for _, c := range []struct {
		healthy, failed, lostBefore, lost float64
		want                              string
	}{
		{1, 1, 100, 100, nothing},
		{0.985, 1, 100, 99, nothing}, // below 2 %
		{1, 0.975, 0, 0, "Change reps by --flag 1: 0.975 ±0.019 times as long with failed cables [2]."},
		{0.9, 1, 100, 100, "Change reps by --flag 1: 0.900 ±0.018 times as long while healthy [2]."},
		{1, 1, 1703, 394, "Change reps by --flag 1: 394.0 ±7.9 packets lost, not 1703 ±34 [2]."},
		{1, 0.8, 100, 200, "Change reps by --flag 1: 0.800 ±0.016 times as long with failed cables; but 200.0 ±4.0 packets lost, not 100.0 ±2.0 [2]."},
		{7, 0.8, 100, 50, "Not --flag 1 for reps: 7.00 ±0.14 times as long while healthy [2]."},
	} {
		if got := judged(c.healthy, c.failed, c.lostBefore, c.lost, 0.01); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	if got := judged(0.985, 0.99, 1000, 985, 0.0001); got != nothing {
		t.Errorf("gains below 2 %% whose intervals are narrow: %q", got)
	}
}

// TestTried: the changes that may help, for a time-out of 63.8 us and a round trip of 8 us.
func TestTried(t *testing.T) {
	const hosts = " --profile mrc --lb mrc --profile mrc --lb ops --profile mrc --lb reps"
	for want, f := range map[string]Input{
		"--evs 65536 --rto-us 32" + hosts:                                   {AckRatio: 1, EVs: 64, Variant: cases.AckStandard},
		"--ack-ratio 1 --ack-variant carry --evs 65536 --rto-us 32" + hosts: {AckRatio: 8, EVs: 64, Variant: cases.AckStandard},
		"--kmax 21 --evs 65536 --rto-us 32" + hosts:                         {AckRatio: 1, EVs: 64, Variant: cases.AckStandard, KMin: 4, KMax: 25},
		"--ack-ratio 1 --rto-us 32":                                         {AckRatio: 8, EVs: 65536, Variant: cases.AckCarry},
	} {
		var flags []string
		for _, c := range f.tried(63.8, 8, f.KMax-f.KMin) {
			flags = append(flags, c.flag)
			if c.in == f {
				t.Errorf("%s changes nothing", c.flag)
			}
		}
		if got := strings.Join(flags, " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if list := (Input{AckRatio: 1, EVs: 65536}).tried(14, 8, 0); list != nil {
		t.Errorf("%+v: half the time-out is shorter than a round trip", list)
	}
}

// TestAdviceColumns: numbers of five digits stay apart.
func TestAdviceColumns(t *testing.T) {
	var a Advice
	for i, name := range balancers() {
		v := 42178 + float64(i)
		a.Numbers = append(a.Numbers, Number{Section: "S", Quantity: "slowest flow, ratio to reps", Balancer: name, Value: &v, Lo: new(v - 1781), Hi: new(v + 1990),
			Kind: "estimate", Source: 1})
	}
	if table := a.table(); !strings.Contains(table, "slowest flow, ratio to reps 40397 to 44168 40398 to 44169 40399 to 44170 est.\n") {
		t.Error(table)
	}
}
