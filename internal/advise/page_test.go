package advise

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree/balance"
	"repslab/internal/cases"
	"repslab/mc"
)

// TestConclusions: a sentence on each balancer has the ratio, and by how little it differs from 1 or that the runs do
// not tell.
func TestConclusions(t *testing.T) {
	for want, n := range map[string]Number{
		"S: ops takes 1.50 ±0.10 times as long as reps [3].":                                       ratioOf(1.5, 1.4, 1.6),
		"S: ops takes 1.03 to 1.21 times as long as reps [3].":                                     ratioOf(1.1, 1.03, 1.21),
		"S: ops takes 0.80 ±0.10 times as long as reps [3].":                                       ratioOf(0.8, 0.7, 0.9),
		"S: ops takes 1.011 ±0.007 times as long as reps, a difference below 2 % [3].":             ratioOf(1.011, 1.004, 1.018),
		"S: ops takes 0.987 ±0.005 times as long as reps, a difference below 2 % [3].":             ratioOf(0.987, 0.982, 0.992),
		"S: ops takes 1.000 ±0.010 times as long as reps, the same within 2 % [3].":                ratioOf(1, 0.99, 1.01),
		"S: ops takes 0.96 to 1.05 times as long as reps; 8 runs do not tell which is faster [3].": ratioOf(1, 0.96, 1.05),
		"S: ops takes over 12.3 times as long as reps [3].":                                        {Kind: "lower bound", Lo: new(12.34)},
		"S: ops takes under 0.081 times as long as reps [3].":                                      {Kind: "upper bound", Hi: new(0.081)},
		"S: ops takes over 0.9 times as long as reps; 8 runs do not tell which is faster [3].":     {Kind: "lower bound", Lo: new(0.9)},
		"": {Note: "0 of 8 runs"}, // neither finishes
	} {
		n.Section, n.Quantity, n.Balancer, n.Over, n.Source = "S", ratioToREPS, "ops", 1, 3
		a := Advice{Input: Input{Replicas: 8}, Numbers: []Number{n}}
		if a.conclude(); strings.Join(a.Advice[1:], "\n") != want {
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

// judged returns a change with ratios while healthy and with failed cables, and with lost packets before and after. All
// have the same relative standard error, of ten runs.
func judged(healthy, failed, lostBefore, lost, stdErr float64) *change {
	estimate := func(v float64) mc.Estimate {
		return mc.Estimate{Value: v, Lo: v - 2*stdErr*v, Hi: v + 2*stdErr*v, StdErr: stdErr * v, N: 10, Confidence: mc.DefaultConfidence}
	}
	c := &change{set: settings{{"flag", "1"}, {"gone", ""}}, source: 2}
	c.judge(&network{words: "while healthy"}, 1, estimate(healthy), 10, math.Inf(1))
	c.judge(&network{words: "with failed cables"}, 2, estimate(failed), 10, math.Inf(1))
	c.judgeLost(&network{words: "with failed cables"}, 2, estimate(lostBefore), estimate(lost), 10)
	return c
}

// TestChanges: a change gains with 2 % or more of time or of lost packets, and costs where its interval does not
// exclude 2 % more time.
func TestChanges(t *testing.T) {
	for _, c := range []struct {
		healthy, failed, lostBefore, lost float64
		stdErr                            float64
		gains, costs, losses              string
	}{
		{1, 1, 100, 100, 0.005, "", "", ""},
		{0.985, 1, 100, 99, 0.005, "", "", ""}, // below 2 %
		{0.985, 0.99, 1000, 985, 0.0001, "", "", ""},
		{1, 0.975, 0, 0, 0.005, "0.975 ±0.010 times as long with failed cables", "", ""},
		{1, 1, 1703, 394, 0.005, "394.0 ±3.9 packets lost with failed cables, not 1703 ±17", "", ""},
		{1, 1, 100, 200, 0.005, "", "", "200.0 ±2.0 packets lost with failed cables, not 100.0 ±1.0"},
		{7, 0.8, 100, 50, 0.005, "0.800 ±0.008 times as long with failed cables; 50.00 ±0.50 packets lost with failed cables, not 100.0 ±1.0",
			"7.000 ±0.070 times as long while healthy", ""},
		{1, 1, 100, 100, 0.011, "", "1.000 ±0.022 times as long while healthy; 1.000 ±0.022 times as long with failed cables", ""},
	} {
		got := judged(c.healthy, c.failed, c.lostBefore, c.lost, c.stdErr)
		if gains, costs, losses := strings.Join(got.gains, "; "), strings.Join(got.costs, "; "), strings.Join(got.losses, "; "); gains != c.gains ||
			costs != c.costs || losses != c.losses {
			t.Errorf("%+v: gains %q, costs %q, losses %q", c, gains, costs, losses)
		}
		if math.Abs(got.score-math.Log(c.healthy*c.failed)) > 1e-12 || got.flags() != "--flag 1" {
			t.Errorf("%+v: score %v, flags %s", c, got.score, got.flags())
		}
	}
}

// TestFlappingLosses: what is lost on a cable that comes back is a number, but no reason for or against a change.
func TestFlappingLosses(t *testing.T) {
	exactly := func(v float64) mc.Estimate {
		return mc.Estimate{Value: v, Lo: v - 1, Hi: v + 1, StdErr: 0.5, N: 10, Confidence: mc.DefaultConfidence}
	}
	for name, says := range map[string]bool{failed: true, flapping: false} {
		c := &change{}
		c.judgeLost(&network{name: name}, 3, exactly(1000), exactly(10), 10)
		if (c.gains != nil) != says || len(c.numbers) != 1 || *c.numbers[0].Value != 10 || c.numbers[0].Row != 3 {
			t.Errorf("%s: gains %q, numbers %v", name, c.gains, c.numbers)
		}
	}
}

// TestOneRecommendation: the page recommends one change and says where it was tried; of the others it says why not.
func TestOneRecommendation(t *testing.T) {
	best, costly, alone := judged(1, 0.9, 10, 10, 0.001), judged(1.5, 0.9, 10, 10, 0.001), judged(1, 0.95, 10, 20, 0.001)
	costly.set, alone.set = settings{{"costly", "2"}}, settings{{"alone", "3"}}
	best.numbers[0].Network, best.numbers[1].Network = "healthy", "failed"
	a := Advice{changes: []*change{costly, best, alone, {set: settings{{"vain", "4"}}}}, best: best}
	a.conclude()
	want := []string{
		"Recommendation: reps with --flag 1: 0.900 ±0.002 times as long with failed cables; below 1.02 times as long in every network tried (healthy, failed) [2].",
		"Not --costly 2: 0.900 ±0.002 times as long with failed cables; but 1.500 ±0.003 times as long while healthy [2].",
		"--alone 3 alone: 0.950 ±0.002 times as long with failed cables, 20.00 ±0.04 packets lost with failed cables, not 10.00 ±0.02; it adds less than 2 % to the recommendation [2].",
		"No gain of 2 % or more by --vain 4.",
	}
	if !slices.Equal(a.Advice, want) {
		t.Errorf("%q", a.Advice)
	}
	joined := *best
	joined.set = append(settings{{"more", "5"}}, best.set...)
	a = Advice{changes: a.changes, best: &joined}
	if a.conclude(); slices.ContainsFunc(a.Advice, func(s string) bool { return strings.HasPrefix(s, "--flag 1 alone") }) || len(a.Advice) != len(want) {
		t.Errorf("%q", a.Advice)
	}
	a = Advice{changes: []*change{costly}}
	if a.conclude(); !strings.HasPrefix(a.Advice[0], "Recommendation: reps as given. No change ") {
		t.Errorf("%q", a.Advice)
	}
}

// TestTried: the changes that may help, for a time-out of 63.8 us and a round trip of about 8 us.
func TestTried(t *testing.T) {
	const hosts = " | --lb switch-adaptive | --profile mrc --lb mrc | --profile mrc --lb ops | --profile mrc --lb reps --reps paper"
	for want, f := range map[string]Input{
		"--kmax 156 | --kmin 10 | --evs 65536 | --rto-us 32 | --freeze-us 33 | --ring 32" + hosts:                                       {AckRatio: 1, EVs: 64, Variant: cases.AckStandard},
		"--kmax 156 | --kmin 10 | --ack-ratio 1 | --ack-variant carry | --evs 65536 | --rto-us 32 | --freeze-us 33 | --ring 32" + hosts: {AckRatio: 8, EVs: 64, Variant: cases.AckStandard},
		"--kmax 21 | --evs 65536 | --rto-us 32 | --freeze-us 33 | --ring 32" + hosts:                                                    {AckRatio: 1, EVs: 64, Variant: cases.AckStandard, KMin: 3, KMax: 24},
		"--kmax 156 | --kmin 10 | --ack-ratio 1 | --rto-us 32 | --freeze-us 33 | --ring 32":                                             {AckRatio: 8, EVs: 65536, Variant: cases.AckCarry},
		"--kmax 156 | --kmin 10 | --freeze-us 33 | --ring 32" + hosts:                                                                   {AckRatio: 1, EVs: 65536, Variant: cases.AckStandard, RTOUs: 14},
	} {
		f.RTTUs, f.LinkGbps, f.FabricGbps, f.Uplinks, f.HostsPerToR, f.ToRs, f.MTU, f.Message, f.Rules = 8, 400, 400, 32, 32, 4, 4150, 1<<22, balance.UltraEthernet
		points, err := f.settings(cases.BalancerREPS).points()
		if err != nil {
			t.Fatal(err)
		}
		var flags []string
		for _, c := range f.tried(points[0], max(0, f.KMax-f.KMin)) {
			flags = append(flags, c.flags())
			if changed := f.settings(cases.BalancerREPS).with(c.set...); changed.String() == f.settings(cases.BalancerREPS).String() {
				t.Errorf("%s changes nothing", c.flags())
			} else if _, err := changed.points(); err != nil {
				t.Errorf("%s: %v", c.flags(), err)
			}
		}
		if got := strings.Join(flags, " | "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestSettings: with replaces a value where it stands, takes away a flag without one, and leaves the others.
func TestSettings(t *testing.T) {
	s := settings{{"a", "1"}, {"b", "x y"}, {"c", "3"}}
	for want, got := range map[string]settings{
		"--a 1 --b 'x y' --c 3":          s.with(),
		"--a 2 --b 'x y' --c 3 --d 4":    s.with(setting{"a", "2"}, setting{"d", "4"}),
		"--a 1 --c 3":                    s.with(setting{"b", ""}, setting{"none", ""}),
		"--a 1 --b 'none|n=1' --c '3;4'": s.with(setting{"b", "none|n=1"}, setting{"c", "3;4"}),
	} {
		if got.String() != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if s.String() != "--a 1 --b 'x y' --c 3" || !s.has("b") || s.has("d") {
		t.Errorf("%v", s)
	}
}

// TestImpossible: a network that cannot be built is left out and named, and a change that a network cannot have is not
// advised.
func TestImpossible(t *testing.T) {
	in := Input{Uplinks: 2, HostsPerToR: 2, ToRs: 4, RTTUs: 8, LinkGbps: 100, FabricGbps: 100, MTU: 4150, Message: 1 << 12, AckRatio: 1, EVs: 64,
		Rules: balance.UltraEthernet, Variant: cases.AckStandard, Replicas: 2, Seed: 1}
	a := &Advice{Input: in, stderr: io.Discard}
	odd, cut := &network{name: "odd", set: []setting{{"hosts", "7"}}}, &network{name: "cut", set: []setting{{"failure", "cables=7,dir=both"}}}
	fine := &network{name: "fine", words: "as it is", runs: 2, away: true}
	if a.possible(odd) || a.possible(cut) || !a.possible(fine) || !slices.Equal(a.untried, []string{"odd", "cut"}) {
		t.Errorf("not tried: %q", a.untried)
	}
	bad, good := &change{set: settings{{"hosts", "7"}}}, &change{set: settings{{"rto-us", "100"}}}
	if err := a.tryAway(t.Context(), []*network{fine}, bad, good); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(bad.costs, []string{"impossible as it is"}) || bad.numbers != nil || good.costs != nil || len(good.numbers) != 1 || good.gains != nil || good.score != 0 {
		t.Errorf("bad %+v, good %+v", bad, good)
	}
	good.gains, good.source, a.best, a.changes = []string{"less"}, 4, good, []*change{good}
	if a.conclude(); a.Advice[0] != "Recommendation: reps with --rto-us 100: less; below 1.02 times as long in every network tried (fine; impossible here: odd, cut) [4]." {
		t.Error(a.Advice[0])
	}
}

// TestAway: every network one step away can be built, for small and large networks, with and without failed cables,
// and differs from the NIC's.
func TestAway(t *testing.T) {
	for _, f := range []Input{
		{Uplinks: 32, HostsPerToR: 32, ToRs: 4, Failed: 1},
		{Uplinks: 2, HostsPerToR: 1, ToRs: 4, Failed: 10},
		{Uplinks: 4, HostsPerToR: 8, ToRs: 64},
		{Uplinks: 256, HostsPerToR: 16, ToRs: 20, Failed: 0.1},
	} {
		f.RTTUs, f.LinkGbps, f.FabricGbps, f.MTU, f.Message, f.AckRatio, f.EVs, f.Rules, f.Variant = 8, 100, 200, 4150, 1<<20, 4, 64, balance.UltraEthernet, cases.AckStandard
		f.Replicas, f.Seed = 2, 1
		a := &Advice{Input: f, packets: 257}
		points, err := f.settings(cases.BalancerREPS).points()
		if err != nil {
			t.Fatal(err)
		}
		a.base = points[0]
		if a.networks, err = a.own(); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 3, false: 1}[f.Failed > 0]; len(a.networks) != want {
			t.Errorf("%+v: %d networks, want %d", f, len(a.networks), want)
		}
		for _, n := range a.away() {
			points, err := f.settings(cases.BalancerREPS).with(n.set...).points()
			if err != nil || len(points) != 1 {
				t.Errorf("%+v, %s: %d networks, error %v", f, n.name, len(points), err)
			} else if own, size := f.ToRs*f.HostsPerToR, points[0].Tree.Hosts; size < min(own/2, 250) || size > max(16, 2*max(4, f.ToRs/2)*f.HostsPerToR, min(2*own, 510), own) {
				t.Errorf("%+v, %s: %d hosts, the NIC's network has %d", f, n.name, size, own)
			} else if n.name == fmt.Sprintf("%.3g:1", 2*a.base.Tree.Oversubscription()) && (points[0].Tree.Oversubscription() != 2*a.base.Tree.Oversubscription() || points[0].Tree.Hosts%(8*f.HostsPerToR) != 0 && f.ToRs == 4) {
				t.Errorf("%+v: %s is oversubscribed by %v", f, n.name, points[0].Tree.Oversubscription())
			}
		}
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
