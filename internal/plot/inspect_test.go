package plot

import (
	"strings"
	"testing"
)

// TestInspect: figures fit for print pass, and each fault is found.
func TestInspect(t *testing.T) {
	for name, f := range map[string]Plot{"convergence": convergence(), "queues": queues()} {
		for _, style := range []Style{ACM(), Slides()} {
			faults, err := f.Inspect(style)
			if err != nil || len(faults) > 0 {
				t.Errorf("%s in %s: faults %q, error %v", name, style, faults, err)
			}
		}
	}
	line := func(name string, color int) Series {
		return Series{Name: name, X: []float64{0, 1}, Y: []float64{0, 1}, Color: color, Dash: Solid}
	}
	panel := func(series ...Series) Plot { return Plot{Panels: [][]Panel{{{Series: series}}}} }
	small := panel(line("", 1))
	small.Panels[0][0].Title = strings.Repeat("long ", 20)
	touching := panel(line("", 1))
	touching.Panels[0][0].Rules = []ReferenceLine{{At: 0.5, Label: "first"}, {At: 0.501, Label: "second"}, {At: 0.502, Label: "third"}, {At: 0.503, Label: "fourth"}, {At: 0.504, Label: "fifth"}, {At: 0.505, Label: "sixth"}}
	touching.Panels[0][0].Y = Axis{Min: new(0.0), Max: new(1000.0)}
	for want, f := range map[string]Plot{
		"alike in grey": panel(line("a", 2), line("b", 3)),
		" pt":           small,
		"overlap":       touching,
	} {
		faults, err := f.Inspect(ACM())
		if err != nil || !strings.Contains(strings.Join(faults, "; "), want) {
			t.Errorf("faults %q, error %v, want one with %q", faults, err, want)
		}
	}
	if faults, err := panel(line("black", 7), line("yellow", 8)).Inspect(ACM()); err != nil || len(faults) > 0 {
		t.Errorf("black and yellow: faults %q, error %v", faults, err)
	}
	if _, err := (Plot{}).Inspect(ACM()); err == nil {
		t.Error("an empty figure is inspected")
	}
}
