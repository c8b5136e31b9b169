package fattree

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// TestFlaps: for random faults of a port, some of which flap, the rate and the loss of the port in a slot are the
// lowest rate and the largest loss of the faults that hold at the end of the slot. A port that fails has no loss.
func TestFlaps(t *testing.T) {
	const slots = 200
	flapped := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		drawn := func(below Picoseconds) Picoseconds { return Picoseconds(rng.Int64N(int64(below))) }
		s := planOf(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000)}).Spec()
		slot := planOf(s).SlotTime()
		s.Horizon = slots * slot
		port := uplink(s.Topology, 1, 2)
		for range 1 + rng.IntN(3) {
			f := Fault{Ports: port, Start: drawn(s.Horizon), Rate: 0.25 * float64(rng.IntN(4)), Loss: 0.2 * float64(rng.IntN(3))}
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
		rate, loss, next := 1.0, 0.0, 0
		for now := range int32(slots) {
			for ; next < len(n.faults) && n.faults[next].slot <= now; next++ {
				rate, loss = n.faults[next].rate, n.faults[next].loss
			}
			want, wantLoss := 1.0, 0.0
			for _, f := range s.Faults {
				since := Picoseconds(now+1)*slot - 1 - f.Start
				if since >= 0 && (f.End == 0 || since < f.End-f.Start) && (f.Period == 0 || since%f.Period < f.Down) {
					wantLoss = max(wantLoss, f.Loss)
					if f.Rate > 0 || f.Loss == 0 {
						want = min(want, f.Rate)
					}
				}
			}
			if want == 0 {
				wantLoss = 0
			}
			if rate != want || loss != wantLoss {
				t.Fatalf("seed %d, slot %d: rate %v and loss %v, want %v and %v with %+v", seed, now, rate, loss, want, wantLoss, s.Faults)
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
	s := planOf(Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000)}).Spec()
	f := Fault{Ports: append(uplink(s.Topology, 1, 2), uplink(s.Topology, 2, 2)...), Period: s.Horizon / (maxFlaps / 2), Down: 1}
	f.Start = s.Horizon - f.Period*(maxFlaps/2)
	for _, c := range []struct {
		fault Fault
		most  bool
	}{{f, true}, {Fault{Ports: f.Ports, Start: f.Start - 1, Period: f.Period, Down: 1}, false}, {Fault{Ports: f.Ports, Period: 2, Down: 1}, false}} {
		s.Faults = []Fault{c.fault}
		n, err := Build(s)
		if (err == nil) != c.most || c.most && len(n.faults) != 2*maxFlaps {
			t.Errorf("%+v: error %v", c.fault, err)
		}
	}
}

// TestFlapsBefore: a fault begins at Start and once in every Period before a time or its end, exclusive.
func TestFlapsBefore(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		until Picoseconds
		want  int64
	}{
		{Fault{Start: 10}, 10, 0}, {Fault{Start: 10}, 11, 1}, {Fault{Start: 10}, 1000, 1}, {Fault{Start: 10, End: 10}, 1000, 0},
		{Fault{Start: 10, Period: 5}, 10, 0}, {Fault{Start: 10, Period: 5}, 15, 1}, {Fault{Start: 10, Period: 5}, 16, 2},
		{Fault{Start: 10, Period: 5}, 20, 2}, {Fault{Start: 10, Period: 5, End: 20}, 1000, 2}, {Fault{Start: 10, Period: 5, End: 21}, 1000, 3},
	} {
		if got := c.fault.flaps(c.until); got != c.want {
			t.Errorf("%+v begins %d times before %d, want %d", c.fault, got, c.until, c.want)
		}
	}
}

// TestFaultHolds: a fault holds from Start to End and, if it flaps, in the first Down of each Period; ends are
// exclusive.
func TestFaultHolds(t *testing.T) {
	f := Fault{Start: 10, End: 100, Period: 20, Down: 5}
	held := 0
	for now := range Picoseconds(200) {
		want := now >= 10 && now < 100 && (now-10)%20 < 5
		if f.holds(now) != want {
			t.Errorf("at %d it holds: %v", now, !want)
		}
		if want {
			held++
		}
	}
	if whole := (Fault{Start: 10, End: 100}); held != 25 || whole.holds(9) || !whole.holds(10) || !whole.holds(99) || whole.holds(100) {
		t.Errorf("it holds for %d ps, and a whole fault from 10 to 99: %v", held, whole)
	}
	if !(&Fault{Start: 10}).holds(1 << 60) {
		t.Error("a fault without an end ends")
	}
}

// TestIntact: the share of packets without a bit error on paths of some number of links, one more than
// switches. CountACKs is (1 - x)/(1 + x) with x the rate times the switches: 5.8 % are corrupted at 1 %
// and three switches.
func TestIntact(t *testing.T) {
	for _, c := range []struct {
		errors Corruption
		links  int
		want   float64
	}{
		{Corruption{}, 4, 1},
		{Corruption{PerCable: 0.1}, 4, 0.9 * 0.9 * 0.9 * 0.9},
		{Corruption{PerSwitch: 0.1}, 4, 0.9 * 0.9 * 0.9},
		{Corruption{PerPacket: 0.1}, 4, 0.9},
		{Corruption{PerPacket: 0.1, PerCable: 0.1, PerSwitch: 0.2}, 2, 0.9 * 0.9 * 0.9 * 0.8},
		{Corruption{PerCable: 0.01, CountACKs: true}, 4, 0.97 / 1.03},
		{Corruption{PerSwitch: 0.1, CountACKs: true}, 6, 0.5 / 1.5},
		{Corruption{PerCable: 0.1, PerSwitch: 0.2, PerPacket: 0.5, CountACKs: true}, 3, 0.5 * (0.8 / 1.2) * (0.6 / 1.4)},
	} {
		if got := c.errors.intact(c.links); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v on %d links: %v, want %v", c.errors, c.links, got, c.want)
		}
	}
}

// TestErrorsHaveAnEnd: a packet that arrives in every slot is corrupted from Start on, and no longer at End.
func TestErrorsHaveAnEnd(t *testing.T) {
	const slot = 83_000
	for _, window := range [][2]Picoseconds{{500 * slot, 510 * slot}, {500*slot - 1, 510*slot - 1}, {500*slot + 1, 510*slot + 1}} {
		result := execute(t, Spec{
			Topology: Tree{Hosts: 16}, Workload: Workload{Flows: []Flow{message(0, 15, 4086*2000)}}, Horizon: 1000 * slot,
			Errors: []Corruption{{PerPacket: 1 - 1e-15, Start: window[0], End: window[1]}},
		})
		if result.Corrupted != 10 {
			t.Errorf("%d packets are corrupted in %v ps, want 10", result.Corrupted, window)
		}
	}
}

// TestErrorsFlap: bit errors that flap hit the packets that arrive in their times, here 5 slots of 50 for 200 slots.
func TestErrorsFlap(t *testing.T) {
	const slot = 83_000
	result := execute(t, Spec{
		Topology: Tree{Hosts: 16}, Workload: Workload{Flows: []Flow{message(0, 15, 4086*2000)}}, Horizon: 1000 * slot,
		Errors: []Corruption{{PerPacket: 1 - 1e-15, Start: 500 * slot, End: 700 * slot, Period: 50 * slot, Down: 5 * slot}},
	})
	if result.Corrupted != 20 {
		t.Errorf("%d packets are corrupted, want 20", result.Corrupted)
	}
}

// TestLossyLinks: of a flow that sends a packet in every slot, the packets that enter its links up in the slots of a
// loss are lost, or the part that the loss says, and none on other links or in the other direction. Links that also
// fail lose all packets, as failed links do.
func TestLossyLinks(t *testing.T) {
	const slot, all = 83_000, 1 - 1e-15
	tree := Tree{Hosts: 16}
	lossy := func(faults ...Fault) *Result {
		return execute(t, Spec{Topology: tree, Workload: Workload{Flows: []Flow{message(0, 15, 4086*2000)}}, Horizon: 1500 * slot, Faults: faults})
	}
	ups := func(tor int) (ports []int) {
		for i := range 4 {
			ports = append(ports, uplink(tree, tor, i)...)
		}
		return ports
	}
	window := Fault{Ports: ups(0), Start: 500 * slot, End: 510 * slot, Loss: all}
	other, slow, dead := window, window, Fault{Ports: ups(0), Start: 505 * slot, End: 507 * slot}
	other.Ports, slow.Rate = ups(3), 0.5
	for name, c := range map[string]struct {
		faults          []Fault
		corrupted, lost int64
	}{
		"in a window": {[]Fault{window}, 10, 0}, "of others": {[]Fault{other}, 0, 0}, "slow": {[]Fault{slow}, 7, 0}, // packets wait beyond the end
		"twice": {[]Fault{window, window}, 10, 0}, "and failed": {[]Fault{window, dead}, 8, 2},
		"for good": {[]Fault{{Ports: ups(0), Start: 600 * slot, Loss: all}, window}, 909, 0}, // the last slot's packet is inside
	} {
		if r := lossy(c.faults...); r.Corrupted != c.corrupted || r.Lost != c.lost || (r.Reroute > 0) != (c.lost > 0) {
			t.Errorf("%s: %d corrupted, %d lost, reroute %d; want %d and %d", name, r.Corrupted, r.Lost, r.Reroute, c.corrupted, c.lost)
		}
	}
	r := lossy(Fault{Ports: ups(0), Loss: 0.25})
	// Binomial with more than 1,400 packets and a deviation of 16.4: z = 6.11 is 100, or 0.07 of them.
	if share := float64(r.Corrupted) / float64(r.Corrupted+r.Delivered); r.Sent < 1400 || math.Abs(share-0.25) > 0.07 {
		t.Errorf("%d of %d packets are corrupted, want a quarter", r.Corrupted, r.Sent)
	}
}

// TestNextChange: changes are found by the slot in which they take effect, and a change is behind at its
// own time.
func TestNextChange(t *testing.T) {
	const slot = 83_000
	tree := Tree{Hosts: 16}
	n, err := Build(Spec{
		Topology: tree, Workload: Workload{Flows: []Flow{message(0, 15, 4086)}}, Choose: func(int32, uint16, int) int { return 0 },
		Faults: []Fault{{Ports: uplink(tree, 0, 0), Start: 10 * slot, End: 30 * slot, Rate: 0.25}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		now, next Picoseconds
		gbps      float64
	}{
		{0, 10 * slot, 400}, {10*slot - 1, 10 * slot, 400}, {10 * slot, 30 * slot, 100}, {30*slot - 1, 30 * slot, 100}, {30 * slot, Idle, 400},
	} {
		if next, gbps := n.NextChange(c.now), n.PathGbps(0, 0, false, c.now); next != c.next || gbps != c.gbps {
			t.Errorf("at %d ps the rate is %v Gb/s and changes at %d, want %v and %d", c.now, gbps, next, c.gbps, c.next)
		}
	}
}

// TestFaultsOfPaths: a flow may lose all paths but one for good, and all for a time. Packets of a slot
// are lost if the fault holds at its end.
func TestFaultsOfPaths(t *testing.T) {
	const slot = 83_000
	s := Spec{Topology: Tree{Hosts: 16}, Workload: Workload{Flows: []Flow{message(0, 15, 4086*2000)}}, Horizon: 1000 * slot, Choose: func(int32, uint16, int) int { return 0 }}
	for _, c := range []struct {
		paths [2]int
		end   Picoseconds
		taken bool
	}{{[2]int{0, 3}, 0, true}, {[2]int{1, 4}, 0, true}, {[2]int{0, 4}, 0, false}, {[2]int{0, 4}, 10, true}, {[2]int{0, 5}, 10, false}, {[2]int{3, 5}, 0, false}, {[2]int{-1, 1}, 10, false}, {[2]int{2, 2}, 10, false}} {
		s.Faults = []Fault{{Flows: [2]int{0, 1}, Paths: c.paths, End: c.end}}
		if _, err := Build(s); (err == nil) != c.taken {
			t.Errorf("paths %v lost until %d: error %v", c.paths, c.end, err)
		}
	}
	for window, want := range map[[2]Picoseconds]int64{{500*slot + 1, 510 * slot}: 10, {500 * slot, 510 * slot}: 10, {500 * slot, 510*slot + 1}: 10, {501*slot - 1, 510 * slot}: 10} {
		s.Faults = []Fault{{Flows: [2]int{0, 1}, Paths: [2]int{0, 1}, Start: window[0], End: window[1]}}
		if r := execute(t, s); r.Lost != want {
			t.Errorf("a path that fails in %v ps loses %d packets, want %d", window, r.Lost, want)
		}
	}
}

// TestMostErrorsWithACKs: with CountACKs a rate times the switches of the longest path is below 1.
func TestMostErrorsWithACKs(t *testing.T) {
	for _, c := range []struct {
		tiers int
		rate  float64
		taken bool
	}{{2, 0.333, true}, {2, 1. / 3, false}, {3, 0.199, true}, {3, 0.2, false}} {
		s := Spec{Topology: Tree{Hosts: 16, Tiers: c.tiers}, Workload: tornado(16, 1), Errors: []Corruption{{PerSwitch: c.rate, CountACKs: true}}}
		if err := refused(s); (err == nil) != c.taken {
			t.Errorf("%d tiers, %v: error %v", c.tiers, c.rate, err)
		}
	}
}
