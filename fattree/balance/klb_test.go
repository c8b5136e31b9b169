package balance

import (
	"testing"

	"repslab/fattree/transport"
	"repslab/mc"
)

// TestKLBFeedback: a flow sends its K EVs in turn. Good ACKs, NACKs, time-outs and probes change none, and marks of EVs
// that it does not have neither. A mark of an active EV changes its slot alone, always or with probability 3/4: of
// 4,000 marks 3,000 and 6.11 standard deviations of 27. A replaced EV is another one unless it is drawn again.
func TestKLBFeedback(t *testing.T) {
	const active, evs = 4, 1000
	for _, always := range []bool{false, true} {
		b, err := NewKLB(evs, active, always)
		b = prepared(t, b, err)
		other, _ := b.NextEV(1, 0)
		b.NextEV(1, 0)
		turn := func() (set [active]uint16) {
			for i := range set {
				set[i], _ = b.NextEV(0, 0)
			}
			return set
		}
		set, changed := turn(), 0
		for i := range 4000 {
			for _, kind := range []transport.Kind{transport.Good, transport.Nacked, transport.TimedOut, transport.Probed} {
				b.Feedback(transport.Feedback{EV: set[i%active], Kind: kind})
			}
			b.Feedback(transport.Feedback{EV: evs + 1, Kind: transport.Marked})
			if again := turn(); again != set {
				t.Fatalf("always %v: %v became %v without a mark", always, set, again)
			}
			b.Feedback(transport.Feedback{EV: set[i%active], Kind: transport.Marked})
			next := turn()
			for slot := range next {
				if next[slot] != set[slot] && slot != i%active || next[slot] >= evs {
					t.Fatalf("always %v: a mark of slot %d changes %v to %v", always, i%active, set, next)
				}
			}
			if next != set {
				changed++
			}
			set = next
		}
		if least, most := 2830, 3170; always && changed < 3950 || !always && (changed < least || changed > most) {
			t.Errorf("always %v: %d of 4,000 marks changed the set", always, changed)
		}
		for range active - 2 {
			b.NextEV(1, 0)
		}
		if ev, _ := b.NextEV(1, 0); ev != other {
			t.Errorf("always %v: feedback for flow 0 moves flow 1", always)
		}
		b.Traits().Inherit(1, 0)
		if next, _ := b.NextEV(1, 0); next != set[0] {
			t.Errorf("always %v: flow 1 inherits %d, want %d", always, next, set[0])
		}
	}
}

// TestHKLBFeedback: a flow sprays as OPS does, with the same draws, until K EVs were acknowledged without a mark, then
// sends these in turn. A NACK and a time-out remove an EV, marks with probability 3/4, and the flow sprays again.
func TestHKLBFeedback(t *testing.T) {
	const active, evs = 4, 1000
	b, err := NewHKLB(evs, active)
	b = prepared(t, b, err)
	ops, err := NewSpraying(evs)
	ops = prepared(t, ops, err)
	sprays := func(when string) {
		t.Helper()
		for range 10 {
			ev, recycled := b.NextEV(0, 0)
			if want, _ := ops.NextEV(0, 0); ev != want || recycled {
				t.Fatalf("%s: EV %d, recycled %v, OPS sends %d", when, ev, recycled, want)
			}
		}
		if origin := b.Traits().Inspect(0, nil).Next; origin != transport.OriginRandom {
			t.Errorf("%s: the next EV is %s", when, origin)
		}
	}
	good := func(ev uint16) { b.Feedback(transport.Feedback{EV: ev, Kind: transport.Good}) }
	for _, kind := range []transport.Kind{transport.Marked, transport.Nacked, transport.TimedOut, transport.Probed} {
		b.Feedback(transport.Feedback{EV: 5, Kind: kind})
	}
	for ev := range uint16(active) {
		sprays("the set grows")
		good(ev)
		good(ev) // has joined already
	}
	good(500) // no room
	for i := range 3 * active {
		ev, recycled := b.NextEV(0, 0)
		if want := uint16((10*active + i) % active); ev != want || recycled { // after 10 packets for each EV
			t.Fatalf("packet %d: EV %d, recycled %v, want %d", i, ev, recycled, want)
		}
	}
	if origin := b.Traits().Inspect(0, nil).Next; origin != transport.OriginRotation {
		t.Errorf("the next EV is %s", origin)
	}
	for _, kind := range []transport.Kind{transport.Nacked, transport.TimedOut} {
		b.Feedback(transport.Feedback{EV: 2, Kind: kind})
		sprays("after a loss")
		good(2)
	}
	if !b.Traits().UsesCarried {
		t.Error("carried EVs do not join")
	}
}

// TestActiveSets: with one active EV a flow keeps it whatever is marked, and with as many as there are EVs it sends all
// in turn for ever.
func TestActiveSets(t *testing.T) {
	const evs = 16
	for _, active := range []int{1, evs} {
		b, err := NewKLB(evs, active, false)
		b = prepared(t, b, err)
		var first []uint16
		for i := range 200 {
			ev, _ := b.NextEV(0, 0)
			if i < active {
				first = append(first, ev)
			}
			if ev != first[i%active] {
				t.Fatalf("%d active: packet %d has EV %d, want %d", active, i, ev, first[i%active])
			}
			b.Feedback(transport.Feedback{EV: ev, Kind: transport.Marked})
		}
	}
	b, err := NewKLB(evs, 3, false)
	b = prepared(t, b, err)
	first, _ := b.NextEV(0, 0)
	b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	if again, _ := b.NextEV(0, 0); again != first {
		t.Errorf("EV %d after Reset, want %d", again, first)
	}
}
