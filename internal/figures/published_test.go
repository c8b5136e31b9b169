package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/lists"
)

// TestPublishedOurs: two permutations with two runs each, of which run i has permutation i mod 2.
func TestPublishedOurs(t *testing.T) {
	o := ours{observations: []float64{10, 20, 12, 26}, permutations: 2, complete: true}
	within, degrees := o.spread() // deviations of 1, 3, 1, 3 from 11 and 23
	z, p := o.against(20)
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"mean", o.estimate().Value, 17}, {"units", float64(o.estimate().N), 2},
		{"spread", within, math.Sqrt(20. / 2)}, {"degrees of freedom", degrees, 2},
		{"over seeds", o.overPermutations(), math.Sqrt((2*5.*5 + 2*7.*7) / 4)},
		{"z", z, -3 / math.Sqrt(10*(1./2+1./4))},
		{"p, by Student's law with 2 degrees", p, 1 - 1.0954451/math.Sqrt(2+1.0954451*1.0954451)},
		{"ratio", o.over(ours{observations: []float64{5, 10, 4, 13}, permutations: 2, complete: true}).estimate().Value, (2 + 2 + 3 + 2) / 4.},
	} {
		if math.Abs(c.got-c.want) > 1e-6 {
			t.Errorf("%s: %v, want %v", c.what, c.got, c.want)
		}
	}
	once := ours{observations: []float64{10, 20, 30}, permutations: 3, complete: true}
	if sd, degrees := once.spread(); math.Abs(sd-10) > 1e-9 || degrees != 2 {
		t.Errorf("a run of each permutation: %v, %v degrees of freedom, want the deviation of all runs, 10 and 2", sd, degrees)
	}
	alone := ours{observations: []float64{10, 20, 30}, permutations: 1, complete: true}
	if e := alone.estimate(); e.Value != 20 || e.N != 3 {
		t.Errorf("one permutation: %v of %d, want the mean of 3 runs", e.Value, e.N)
	}
	o.complete = false
	if e := o.estimate(); !math.IsNaN(e.Value) || !(e.Lo > 16 && e.Lo < 18) {
		t.Errorf("a flow did not finish: %v, want a lower bound near 17", e)
	}
}

// TestPublishedInterval: theirs is over n seeds, with a deviation that divides by n: 2.776 s / sqrt(n - 1) for n = 5.
func TestPublishedInterval(t *testing.T) {
	e := held{publishedRow: publishedRow{value: 100, sd: 4, seeds: 5}}.theirs()
	if want := 1 + 2.7764451*0.04/2; math.Abs(e.Hi-want) > 1e-6 || math.Abs(e.Lo-(2-want)) > 1e-6 || e.N != 5 {
		t.Errorf("%v [%v, %v], want an end of %v", e.Value, e.Lo, e.Hi, want)
	}
	for _, sd := range []float64{math.NaN()} {
		if e := (held{publishedRow: publishedRow{value: 100, sd: sd, seeds: 5}}).theirs(); !math.IsInf(e.Hi, 1) {
			t.Errorf("without a deviation: %v, want no interval", e)
		}
	}
}

// TestPercentiles: the two definitions of others and ours, by hand: 54 numbers have their 99 % quantile between the
// last two, at the last but one, and at the last.
func TestPercentiles(t *testing.T) {
	var list []float64
	for i := range 54 {
		list = append(list, float64(i))
	}
	for _, c := range []struct {
		name string
		of   percentile
		p    float64
		want float64
	}{
		{"interpolated", interpolated, 0.99, 52.47}, {"interpolated", interpolated, 0.5, 26.5}, {"interpolated", interpolated, 1, 53},
		{"interpolated", interpolated, 0, 0}, {"rounded", rounded, 0.99, 52}, {"rounded", rounded, 0.5, 26}, {"rounded", rounded, 1, 53},
		{"nearest rank", rank, 0.99, 53}, {"nearest rank", rank, 0.5, 26},
	} {
		if got := c.of(list, c.p); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s, %v: %v, want %v", c.name, c.p, got, c.want)
		}
	}
}

// TestPublishedSettings: every published number has its setting with as many permutations as seeds, and the settings
// have the publishers' flags.
func TestPublishedSettings(t *testing.T) {
	rows := readPublished()
	c := newPublished()
	for _, p := range c.points {
		of := lists.Where(rows, func(r publishedRow) bool { return r.setting == p.group && r.x == p.x })
		if len(of) == 0 {
			t.Errorf("%s, %d: no published number", p.group, p.x)
			continue
		}
		seeds := of[0].seeds
		if p.replicas%uint64(seeds) != 0 {
			t.Errorf("%s, %d: %d runs of %d permutations", p.group, p.x, p.replicas, seeds)
		}
		if p.hosts > 128 {
			continue // the same functions, at length
		}
		first, again := flowsOf(t, p, 0), flowsOf(t, p, uint64(seeds))
		if !slices.Equal(first, again) || slices.Equal(first, flowsOf(t, p, 1)) {
			t.Errorf("%s, %d: the permutations do not recur after %d runs", p.group, p.x, seeds)
		}
	}
	for _, r := range rows {
		if !slices.ContainsFunc(c.points, func(p *comparedPoint) bool {
			return p.group == r.setting && p.x == r.x && slices.ContainsFunc(p.schemes, func(s scheme) bool { return s.key == r.lb })
		}) {
			t.Errorf("%s, %d, %s: nothing runs it", r.setting, r.x, r.lb)
		}
	}
}

// flowsOf returns the flows of a replica.
func flowsOf(t *testing.T, p *comparedPoint, replica uint64) []fattree.Flow {
	t.Helper()
	n, err := p.network(1, replica)
	if err != nil {
		t.Fatal(err)
	}
	return n.Spec().Workload.Flows
}

// TestPublishedSpecs: some settings, as their publishers' command lines have them.
func TestPublishedSpecs(t *testing.T) {
	c := newPublished()
	for _, want := range []struct {
		group                                    string
		x, hosts, evs, queue, kmin, kmax, window int
		ackRatio                                 int // 0 where the profile's counts
		bytes                                    int64
		from, to                                 int // of the first flow
		slow                                     int
		horizon                                  int64 // microseconds; 0 for the default
		unmarked, untrimmed                      bool
	}{
		{"2 tiers, NSCC", 5, 250, 25, 100, 5, 5, 140, 0, 32 * mebi, 44, 98, 0, 0, true, false},
		{"3 tiers, line rate", 15, 250, 25, 100, 15, 15, 10_000, 0, 32 * mebi, 44, 98, 0, 0, true, false},
		{"54 hosts, NSCC", 8, 54, 9, 100, 25, 75, 140, 0, 8 * mebi, 0, 0, 0, 0, true, false},
		{"128 hosts, line rate", 128, 128, 16, 100, 25, 75, 10_000, 0, 128 * mebi, 0, 0, 0, 0, true, false},
		{publishedSlow128, 2, 128, 8, 0, 0, 0, 0, 0, 2_000_000, 66, 2, 2, 8000, false, true},
		{publishedSlow1024, 24, 1024, 8, 0, 0, 0, 0, 0, 2_000_000, 0, 0, 24, 8000, false, true},
		{"432 hosts, last flow", 8, 432, 8, 34, 0, 0, 50, 1, 2_000_000, 0, 0, 0, 0, false, false},
		{"8,192 hosts, untrimmed", 32, 8192, 32, 1000, 0, 0, 50, 1, 2_000_000, 5477, 3107, 0, 0, false, true},
		{"8,192 hosts, marked skipped", 32, 8192, 32, 1000, 17, 17, 50, 1, 2_000_000, 0, 0, 0, 0, true, true},
	} {
		i := slices.IndexFunc(c.points, func(p *comparedPoint) bool { return p.group == want.group && p.x == want.x })
		p := c.points[i]
		n, err := p.network(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		s := n.Spec()
		got := fmt.Sprint(p.hosts, p.evs, s.Workload.Flows[0].Bytes, len(s.Faults), s.LastHopMarks == fattree.SpareLastHop, s.DisableTrimming)
		if expected := fmt.Sprint(want.hosts, want.evs, want.bytes, want.slow, want.unmarked, want.untrimmed); got != expected {
			t.Errorf("%s, %d: %s, want %s", want.group, want.x, got, expected)
		}
		options := transport.OptionsOf(planOf(s))
		for _, number := range []struct {
			name      string
			got, want int64
		}{
			{"queue", int64(s.Queue), int64(want.queue)}, {"Kmin", int64(s.KMin), int64(want.kmin)}, {"Kmax", int64(s.KMax), int64(want.kmax)},
			{"initial window", int64(options.InitialWindow), int64(want.window)}, {"packets per ACK", int64(options.AckRatio), int64(want.ackRatio)},
			{"horizon in us", int64(s.Horizon / fattree.Microsecond), want.horizon},
		} {
			if number.want > 0 && number.got != number.want {
				t.Errorf("%s, %d: %s %d, want %d", want.group, want.x, number.name, number.got, number.want)
			}
		}
		if f := s.Workload.Flows[0]; want.to > 0 && (int(f.Source) != want.from || int(f.Destination) != want.to) {
			t.Errorf("%s, %d: the first flow is %d to %d, want %d to %d", want.group, want.x, f.Source, f.Destination, want.from, want.to)
		}
		gbps, mtu, profile := 400.0, 0, fattree.Artifact
		if want.horizon > 0 || want.ackRatio > 0 {
			gbps, profile = 100, fattree.UltraEthernet
		}
		if want.ackRatio > 0 {
			mtu = 4064
		}
		if got := treeOf(s).Access.Gbps; got != gbps || s.Profile != profile || mtu > 0 && s.MTU != mtu {
			t.Errorf("%s, %d: %g Gb/s, profile %v, MTU %d, want %g, %v, %d", want.group, want.x, got, s.Profile, s.MTU, gbps, profile, mtu)
		}
		for _, fault := range s.Faults {
			if fault.Rate != 0.25 || fault.Start != 0 {
				t.Errorf("%s, %d: %+v, want a quarter of the rate from the beginning", want.group, want.x, fault)
			}
		}
	}
}

// publishedTableOf writes the table of docs/calibration.md.
func publishedTableOf(times, gains heldRows) string {
	var s strings.Builder
	s.WriteString("\n| published by | statistic | numbers | within 1 % | farthest | like | z, root mean square |\n|---|---|---:|---:|---:|---:|---:|\n")
	rows := func(by string, list []agreement) {
		for _, a := range list {
			fmt.Fprintf(&s, "| %s | %s | %d | %d | %.1f %% | %d | %.1f |\n", by, a.statistic, a.numbers, a.near, 100*a.farthest, a.like, a.z)
		}
	}
	for _, by := range [][2]string{{"[ecn-sweep]", "ItamarMeir/REPS_EuroSys_Artifact"}, {"[prism-eval]", "LeoLongmay/HTSIM"}, {"[csg-htsim]", sprayingPublisher}} {
		rows(by[0], times.agreement(by[1]))
	}
	rows("gain of REPS in [prism-eval]", gains.agreement(""))
	return s.String() + "\n"
}

// TestPublished: the table of docs/calibration.md, from the recorded runs. All means but those of marks from one packet
// on are within 1.5 %.
func TestPublished(t *testing.T) {
	out, err := figure("published").Make(context.Background(), fromRecord(t, "published"))
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, "published", out.Plot)
	times, gains := publishedHeld(t)
	checkTable(t, "../../docs/calibration.md", "sweeps", publishedTableOf(times, gains))
	for _, h := range times {
		if off := math.Abs(h.ratio().Value - 1); h.statistic == "mean" && off > 0.025 {
			t.Errorf("%s, %d, %s: the mean is %.1f %% off", h.setting, h.x, h.lb, 100*off)
		}
	}
}

// publishedHeld returns the figure's rows from the record.
func publishedHeld(t *testing.T) (times, gains heldRows) {
	t.Helper()
	rows := readPublished()
	c := newPublished()
	if err := c.run(context.Background(), fromRecord(t, "published")); err != nil {
		t.Fatal(err)
	}
	return timesAgainst(&c, rows), gainsAgainst(&c, rows)
}
