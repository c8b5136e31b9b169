package cases

import (
	"math"
	"strings"
	"testing"

	"repslab/fattree/experiment"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/mc"
)

// TestWideIntervals: a row says once which intervals of positive quantities span a factor of 10 or more, the widest
// first. Shares, intervals that reach 0 or have one end, and columns without a spread do not count.
func TestWideIntervals(t *testing.T) {
	of := func(value, lo, hi, span float64) frame.Estimate {
		return frame.WithEnds(mc.Estimate{N: 3, Value: value, Lo: lo, Hi: hi, Scale: mc.Scale{Span: span}})
	}
	row := frame.Row{
		{"a_us", of(30, 10, 99.9, 0)}, {"b_us", of(30, 10, 100, 0)}, {"c_us", of(80, 13, 492, 0)}, {"share", of(0.1, 0.001, 0.9, 1)},
		{"zero", of(1, 0, 9, 0)}, {"open", of(1, 0.1, math.Inf(1), 0)}, {"text", "x"}, {"negative", of(-3, -100, -1, 0)}, {"d_us", of(1, 0.2, 5, 0)},
	}
	spread := func(key string) experiment.Spread {
		switch key {
		case "d_us":
			return experiment.Spread{}
		case "c_us":
			return experiment.Spread{Replicas: 3, Ratio: 15.49, Below: 2, Above: 1}
		}
		return experiment.Spread{Replicas: 3, Ratio: 2}
	}
	const start = "P: the interval of c_us, 80 [13, 492], spans a factor of 38; wide too: "
	for want, by := range map[string]func(string) experiment.Spread{
		start + "d_us, b_us: more --replicas narrow it": nil,
		start + "b_us; of 3 replicas the largest is 15.5 times the smallest, in two groups: 2 below a gap, 1 above it: more --replicas narrow it": spread,
	} {
		if got := wideIntervals("P", row, by); len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	two := frame.Row{{"c_us", frame.WithEnds(mc.Estimate{N: 2, Value: 80, Lo: 13, Hi: 492})}}
	if got := append(wideIntervals("P", row[:1], nil), wideIntervals("P", two, nil)...); got != nil {
		t.Errorf("of a factor below 10, and of two runs: %q", got)
	}
	if got := spreadText(experiment.Spread{Replicas: 4, Ratio: 2}); got != "; of 4 replicas the largest is 2 times the smallest" {
		t.Errorf("without groups: %q", got)
	}
}

// TestWideRows: if the three replicas of a network lie far apart, its rows say so, for each group, and the spread is
// a column. Rows of loads in few replicas do not.
func TestWideRows(t *testing.T) {
	p := &pointsOf(t, "hosts=32 workload=alltoall message-bytes=16KiB failure=cables=3,at=10 groups=first:source=0..3")[0].Fattree
	point := p.point()
	tally, _, err := point.Experiment.Run(t.Context(), mc.Plan{Seed: 3, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	r, err := point.Fold(t.Context(), tally, 3)
	if err != nil {
		t.Fatal(err)
	}
	wide := 0
	for i, row := range r.Rows {
		name := p.String() + []string{"", " group=first"}[i] + ": the interval of"
		said := strings.Count(strings.Join(r.Warnings, "\n"), name)
		factor := 0.0
		for k, c := range fattreeModel().Results {
			stem, is := strings.CutSuffix(c.Key, "_spread")
			if !is {
				continue
			}
			at := func(key string) float64 { v, _ := row[columnOf(t, key)].(float64); return v }
			if lo := at(stem + "_lo"); lo > 0 {
				factor = max(factor, at(stem+"_hi")/lo)
			}
			if ratio, is := row[k].(float64); is != (at(stem) > 0) || is && (ratio < 1 || ratio > 1000) {
				t.Errorf("row %d: %s is %v", i, c.Key, row[k])
			}
		}
		if (factor >= wideFactor) != (said == 1) || said > 1 {
			t.Errorf("row %d: factor %v, warnings %q", i, factor, r.Warnings)
		}
		wide += said
	}
	if wide == 0 {
		t.Error("no row is wide: choose another seed")
	}
	g, err := ballsbinsModel().Grid(param.Selection{Parameters: param.Texts{"bins": "8", "rounds": "40"}})
	if err != nil {
		t.Fatal(err)
	}
	if tally, _, err = g.Points[0].Experiment.Run(t.Context(), mc.Plan{Seed: 2, Replicas: 3}); err == nil {
		r, err = g.Points[0].Fold(t.Context(), tally, 3)
	}
	if err != nil || strings.Contains(strings.Join(r.Warnings, ""), "spans") {
		t.Errorf("warnings %q, error %v", r.Warnings, err)
	}
}

// columnOf returns the place of a result of networks.
func columnOf(t *testing.T, key string) int {
	t.Helper()
	for i, c := range fattreeModel().Results {
		if c.Key == key {
			return i
		}
	}
	t.Fatalf("no column %s", key)
	return 0
}
