package figures

import (
	"math"
	"testing"

	"repslab/fattree"
)

// TestStopped: sending has stopped with the last packet before twenty samples
// without one; if there is no such silence in the outage it has not.
func TestStopped(t *testing.T) {
	// One sample a microsecond; packets go into uplink 1 at the given ones.
	run := func(busy ...int) netRun {
		var r netRun
		for at := 1; at <= 200; at++ {
			s := fattree.Sample{Time: fattree.Picoseconds(at) * microseconds, Packets: []int64{7, 0}}
			for _, b := range busy {
				if b == at {
					s.Packets[1] = 3
				}
			}
			r.samples = append(r.samples, s)
		}
		return r
	}
	forGood := outage{1, 100, math.Inf(1)}
	for name, c := range map[string]struct {
		run    netRun
		during outage
		want   float64
		into   float64
	}{
		"nothing sent":            {run(), forGood, 0, 0},
		"before its death":        {run(90, 100), forGood, 0, 0},
		"twice":                   {run(101, 113), forGood, 13, 6},
		"a silence too short":     {run(101, 121), forGood, 21, 6},
		"a silence long enough":   {run(101, 122), forGood, 1, 6},
		"the outage is too short": {run(101), outage{1, 100, 115}, 15, 3},
		"the run is too short":    {run(185), forGood, 0, 3},
		"busy up to the end":      {run(101, 120, 139, 158, 177, 196), forGood, 100, 18},
	} {
		if got := c.run.stopped(c.during); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: stopped after %v us, want %v", name, got, c.want)
		}
		if got := c.run.swallowed(c.during); got != c.into {
			t.Errorf("%s: %v packets, want %v", name, got, c.into)
		}
	}
}
