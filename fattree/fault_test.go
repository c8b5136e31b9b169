package fattree

import (
	"math/rand/v2"
	"os"
	"testing"
)

// TestFlaps: for random faults of a port, some of which flap, the rate of the port in a slot is the rate
// of the worst fault that holds at the end of the slot.
func TestFlaps(t *testing.T) {
	const slots = 200
	flapped := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		drawn := func(below Picoseconds) Picoseconds { return Picoseconds(rng.Int64N(int64(below))) }
		s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000)}.WithDefaults()
		slot := s.SlotTime()
		s.Horizon = slots * slot
		port := uplink(s.Topology, 1, 2)
		for range 1 + rng.IntN(3) {
			f := Fault{Ports: port, Start: drawn(s.Horizon), Rate: 0.25 * float64(rng.IntN(4))}
			if rng.IntN(2) == 0 {
				f.End = f.Start + 1 + drawn(s.Horizon)
			}
			if rng.IntN(3) > 0 {
				f.Period = 2 + drawn(30*slot)
				f.Down = 1 + drawn(f.Period-1)
				flapped++
			}
			s.Faults = append(s.Faults, f)
		}
		n, err := Build(s)
		if err != nil {
			t.Fatal(err)
		}
		rate, next := 1.0, 0
		for now := range int32(slots) {
			for ; next < len(n.faults) && n.faults[next].slot <= now; next++ {
				rate = n.faults[next].rate
			}
			want := 1.0
			for _, f := range s.Faults {
				since := Picoseconds(now+1)*slot - 1 - f.Start
				if since >= 0 && (f.End == 0 || since < f.End-f.Start) && (f.Period == 0 || since%f.Period < f.Down) {
					want = min(want, f.Rate)
				}
			}
			if rate != want {
				t.Fatalf("seed %d, slot %d: rate %v, want %v with %+v", seed, now, rate, want, s.Faults)
			}
		}
	}
	if flapped < 200 {
		t.Errorf("%d faults flap: too few to tell", flapped)
	}
}

// TestMaxFlaps: the largest allowed number of flaps is accepted, one more is refused, and so is a period
// of a picosecond. It needs REPSLAB_LONG=1.
func TestMaxFlaps(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000)}.WithDefaults()
	f := Fault{Ports: append(uplink(s.Topology, 1, 2), uplink(s.Topology, 2, 2)...), Period: s.Horizon / (MaxFlaps / 2), Down: 1}
	f.Start = s.Horizon - f.Period*(MaxFlaps/2)
	for _, c := range []struct {
		fault Fault
		most  bool
	}{{f, true}, {Fault{Ports: f.Ports, Start: f.Start - 1, Period: f.Period, Down: 1}, false}, {Fault{Ports: f.Ports, Period: 2, Down: 1}, false}} {
		s.Faults = []Fault{c.fault}
		n, err := Build(s)
		if (err == nil) != c.most || c.most && len(n.faults) != 2*MaxFlaps {
			t.Errorf("%+v: error %v", c.fault, err)
		}
	}
}
