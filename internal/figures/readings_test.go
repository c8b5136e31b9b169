package figures

import (
	"fmt"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/mc"
)

// runsOf returns three runs whose flow takes about some time, in microseconds; the first differs by a thousandth.
func runsOf(us float64) (runs netRuns) {
	for _, more := range []float64{-0.001, 0, 1 / us} {
		fct := fattree.Picoseconds(us * (1 + more) * microseconds)
		runs = append(runs, netRun{Kept: experiment.Kept{Flows: 1, Finished: 1, Least: fct, Mean: fct, P99: fct, Most: fct, End: fct}})
	}
	return runs
}

// timed returns the runs of some schemes, three each, by their times in microseconds.
func timed(us map[string]float64) engine.Results[string, netRuns] {
	runs := engine.Results[string, netRuns]{}
	for key, time := range us {
		runs[key] = runsOf(time)
	}
	return runs
}

// TestGapReadings: a lead that grows as a time and shrinks as a ratio holds in part.
func TestGapReadings(t *testing.T) {
	c := newFig03()
	for _, p := range c.in(patterns) {
		ops := map[string]float64{"4": 130, "8": 240, "16": 400}[strings.Fields(p.place)[2]]
		p.runs = timed(map[string]float64{"ops": ops, "reps": ops*0.92 - 20})
	}
	f := fig03Gap(&c)
	if f.Grade != claims.InPart || !strings.Contains(f.Why, "holds for permutation as a time and tornado as a time, not for permutation as a ratio") ||
		!strings.Contains(f.Measured, "52.0 [") {
		t.Errorf("%s: %s; %s", f.Grade, f.Measured, f.Why)
	}
}

// TestPacketLevel: the claim holds if Flowlet and PLB are behind at all points, and fails if one of them is ahead at
// one.
func TestPacketLevel(t *testing.T) {
	pair := func(e mc.Estimate) claims.Part { return claims.Met("N101", "each pair", e) }
	for _, plb := range []float64{150, 90} {
		c := newFig03()
		for _, p := range c.points {
			p.runs = timed(map[string]float64{"reps": 100, "ops": 110, "bitmap": 105, "mprdma": 107, "flowlet": 200, "plb": 160})
			if p.place == "tornado of 8 MiB" {
				p.runs["plb"] = runsOf(plb)
			}
		}
		want, least := claims.Reproduced, "1.3"
		if plb < 110 {
			want, least = claims.Contradicted, "0.8"
		}
		if f := c.packetLevel("N101", patterns, pair); f.Grade != want || !strings.Contains(f.Measured, ": "+least) {
			t.Errorf("PLB at %v: %s, want %s: %s", plb, f.Grade, want, f.Measured)
		}
		if f := c.packetLevel("N102", traces, pair); f.Grade != claims.Reproduced {
			t.Errorf("traces: %s, %s", f.Grade, f.Measured)
		}
	}
}

// TestHundredfold: the gain where failures pass is graded, as in the sentence; the one where they last stands
// beside it.
func TestHundredfold(t *testing.T) {
	c := newFig08()
	for _, p := range c.points {
		p.runs = timed(map[string]float64{"ops": 20_000, "reps": 100, "reps-100us": 10_000})
	}
	if f := hundredfold(&c); f.Grade != claims.FarSmaller || *f.Value > 2.1 || !strings.Contains(f.Measured, ", 199 [") {
		t.Errorf("%s: %s, value %v", f.Grade, f.Measured, *f.Value)
	}
	for _, p := range c.points {
		p.runs["ops"] = runsOf(1_000_000)
	}
	if f := hundredfold(&c); f.Grade != claims.Reproduced {
		t.Errorf("100 times where failures pass: %s", f.Grade)
	}
}

// TestSmallButSignificant: a lead in every exchange between all pairs holds, one in some of them in part, and one of a
// third is not small.
func TestSmallButSignificant(t *testing.T) {
	for name, c := range map[string]struct {
		us   [3]float64
		want claims.Grade
	}{
		"all ahead":  {[3]float64{105, 110, 104}, claims.Reproduced},
		"one ahead":  {[3]float64{105, 100, 98}, claims.InPart},
		"none ahead": {[3]float64{100, 99, 98}, claims.Contradicted},
		"far ahead":  {[3]float64{105, 133, 104}, claims.InPart},
	} {
		var list gains
		for i, us := range c.us {
			p := &comparedPoint{place: fmt.Sprintf("alltoall %d", i)}
			list = append(list, gain{runsOf(us).over(runsOf(100)), lb("ops"), p})
		}
		if f := fig05AllToAll(list); f.Grade != c.want || f.PValue != nil {
			t.Errorf("%s: %s, p-value %v, want %s: %s", name, f.Grade, f.PValue, c.want, f.Why)
		}
	}
}

// TestShare: an uplink with half the packets of the other carries two thirds of the mean, counted from a time on.
func TestShare(t *testing.T) {
	var samples []fattree.Sample
	for i := range fattree.Picoseconds(400) {
		packets := []int64{12, 6}
		if i < 100 {
			packets = []int64{0, 9}
		}
		samples = append(samples, fattree.Sample{Time: (i + 1) * uplinkSample, Packets: packets, Queue: make([]int32, len(packets))})
	}
	if got := newUplinkTrace(samples).share(1, 110, 385); got < 0.666 || got > 0.667 {
		t.Errorf("share %v, want 2/3", got)
	}
}
