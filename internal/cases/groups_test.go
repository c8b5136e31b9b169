package cases

import (
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
)

// TestConditions: every operator of --groups compares as written, also behind the microsecond in which a flow starts.
func TestConditions(t *testing.T) {
	for text, held := range map[string]map[int64]bool{
		"bytes<2000":    {1999: true, 2000: false, 2001: false},
		"bytes<=2000":   {1999: true, 2000: true, 2001: false},
		"bytes > 2 kB":  {1999: false, 2000: false, 2001: true},
		"bytes>=2000":   {1999: false, 2000: true, 2001: true},
		"bytes=2000,5":  {1999: false, 2000: true, 5: true},
		"start<10":      {9_999_999: true, 10_000_000: false},
		"start<=10":     {10_000_000: true, 10_000_001: false},
		"start>10":      {10_000_000: false, 10_000_001: true},
		"start>=10":     {9_999_999: false, 10_000_000: true},
		"start=10..11":  {9_999_999: false, 10_000_000: true, 11_999_999: true, 12_000_000: false},
		"source <= 3":   {3: true, 4: false},
		"destination>3": {3: false, 4: true},

		"start<1099511627776": {1e18: true, 1.0995116e18: true, 1.0995117e18: false},
	} {
		list, err := groupSpecs("g: " + text)
		if err != nil {
			t.Fatal(err)
		}
		for value, want := range held {
			if got := list[0][0].conditions[0].holds(value); got != want {
				t.Errorf("%s holds for %d: %v", text, value, got)
			}
		}
		again, err := groupSpecs(list[0].String())
		if err != nil || again[0].String() != list[0].String() {
			t.Errorf("%s is written as %s: %v", text, list[0], err)
		}
	}
	for text, want := range map[string]string{
		"g: bytes=<2000": "bytes=<2000", "g: bytes<=1,2": "must have one number behind <=", "g: bytes>1..3": "must have one number behind >",
		"g: bytes!2": "with =, <, <=, > or >= and numbers", "-2: bytes<1": "must be NAME: CONDITION",
		"g: start<1099511627777": "1099511627776", "g: bytes<1099511627777": "[0B, 1TiB]",
	} {
		if _, err := groupSpecs(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
}

// TestCrossesFailure: a flow crosses a failure that its packets can take if it runs at some time of it.
// The failure holds from 20 us to 50 us, exclusive, above ToR 0; a flow that ends as it begins, or begins
// as it ends, misses it.
func TestCrossesFailure(t *testing.T) {
	p := pointOf(t, "hosts=16 tiers=3 failure=cables=1,place=first,at=20,for=30")
	const pod = 4 // hosts; two of a ToR
	flow := func(source, destination fattree.Host) fattree.Flow {
		return fattree.NewFlow(source, destination, 1000, 0)
	}
	spec, err := p.SpecOf(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	spec.Workload.Flows = []fattree.Flow{flow(0, 1), flow(0, 2), flow(2, 0), flow(1, pod), flow(2, pod), flow(2*pod, 1), flow(2*pod, 3*pod), flow(2, 3)}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	ofToR0 := []bool{false, true, true, true, false, true, false, false}
	for _, c := range []struct {
		start, end fattree.Picoseconds
		crosses    bool
	}{
		{0, 20_000_000, false}, {0, 20_000_001, true}, {0, fattree.Unfinished, true}, {20_000_000, 20_000_001, true}, {30_000_000, 40_000_000, true},
		{49_999_999, 60_000_000, true}, {50_000_000, 60_000_000, false}, {50_000_000, fattree.Unfinished, false}, {fattree.Unfinished, fattree.Unfinished, false},
	} {
		r := experiment.Replica{Network: n, Result: &fattree.Result{Flows: make([]fattree.FlowResult, len(ofToR0))}}
		for i := range r.Result.Flows {
			r.Result.Flows[i] = fattree.FlowResult{Start: c.start, End: c.end}
		}
		for i, takes := range ofToR0 {
			if got := p.crossesFailure(r)(i); got != (takes && c.crosses) {
				t.Errorf("flow %+v from %d to %d ps crosses the failure: %v", spec.Workload.Flows[i], c.start, c.end, got)
			}
		}
	}
}
