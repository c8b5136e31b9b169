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
	run := func(busy ...int) *uplinkTrace {
		var samples []fattree.Sample
		for at := 1; at <= 200; at++ {
			s := fattree.Sample{Time: fattree.Picoseconds(at) * microseconds, Packets: []int64{7, 0}, Queue: make([]int32, 2)}
			for _, b := range busy {
				if b == at {
					s.Packets[1] = 3
				}
			}
			samples = append(samples, s)
		}
		return newUplinkTrace(samples)
	}
	forGood := outage{1, 100, math.Inf(1)}
	for name, c := range map[string]struct {
		run    *uplinkTrace
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
		if got := c.run.stopped(c.during, 200); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: stopped after %v us, want %v", name, got, c.want)
		}
		if got := c.run.swallowed(c.during); got != c.into {
			t.Errorf("%s: %v packets, want %v", name, got, c.into)
		}
	}
}

// TestDeviations: an uplink that always sends at its rate does not deviate, one at half the
// rate does by 50 %; queues are counted from settled on.
func TestDeviations(t *testing.T) {
	var samples []fattree.Sample
	for i := range fattree.Picoseconds(400) {
		queue := int32(0)
		if (i+1)*uplinkSample > 250*microseconds {
			queue = 21
		}
		samples = append(samples, fattree.Sample{Time: (i + 1) * uplinkSample, Packets: []int64{12, 6},
			Queue: []int32{0, queue}})
	}
	r := newUplinkTrace(samples)
	list := r.deviations(385)
	// A queue that grows in a bucket brings arrivals beyond what is sent: one bucket of port 1.
	usual := rank(list, 0.95)
	if n := len(list); n != 26 || list[12] > 1e-9 || list[13] > 45 || list[14] < 49.9 || math.Abs(usual-50) > 1e-9 {
		t.Errorf("deviations %v, usual %v", list, usual)
	}
	if at := r.above(20); math.Abs(at-25) > 0.5 {
		t.Errorf("%v %% of samples have more than 20 packets, want 25", at)
	}
}
