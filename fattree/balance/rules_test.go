package balance

import (
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// step lists the feedback that flow 0 gets at a time, and whether its next packet moves to
// another EV.
type step struct {
	at    fattree.Picoseconds
	news  []transport.Kind
	moves bool
}

// play runs steps and checks the moves.
func play(t *testing.T, b transport.Balancer, steps []step) {
	t.Helper()
	ev, _ := b.NextEV(0, 0)
	other, _ := b.NextEV(1, 0)
	for i, s := range steps {
		back(b, s.at, s.news...)
		if got := moves(b, s.at, &ev); got != s.moves {
			t.Errorf("step %d at %d us: another EV is %v, want %v", i, s.at/us, got, s.moves)
		}
	}
	if again, _ := b.NextEV(1, 0); again != other {
		t.Errorf("flow 1 moved from EV %d to %d by what happened to flow 0", other, again)
	}
}

const (
	good   = transport.Good
	marked = transport.Marked
	nacked = transport.Nacked
	late   = transport.TimedOut
)

// TestPLB: two congested rounds of an RTT move a flow, one does not. A time-out moves it at once, but at
// most once per RTO.
func TestPLB(t *testing.T) {
	b, err := NewPLB(MaxEVS, 0)
	play(t, prepared(t, b, err), []step{
		{9 * us, []transport.Kind{marked}, false},        // round 1 ends: congested
		{10 * us, []transport.Kind{marked, good}, false}, // within round 2
		{18 * us, []transport.Kind{good}, true},          // round 2 ends: congested, the second
		{27 * us, []transport.Kind{marked}, false},
		{36 * us, []transport.Kind{good}, false}, // a clean round starts the count again
		{45 * us, []transport.Kind{nacked}, false},
		{54 * us, []transport.Kind{nacked}, true}, // NACKs count like marks
		{55 * us, []transport.Kind{late}, true},
		{95 * us, []transport.Kind{late}, false}, // within an RTO of 40 us
		{96 * us, []transport.Kind{late}, true},
	})
}

// TestPLBThreshold: with K = 0.25 a round with one mark in four is not congested,
// with two in five it is.
func TestPLBThreshold(t *testing.T) {
	quarter := []transport.Kind{marked, good, good, good}
	more := []transport.Kind{good, good, good, marked, marked}
	b, err := NewPLB(MaxEVS, 0.25)
	play(t, prepared(t, b, err), []step{
		{1 * us, []transport.Kind{good}, false}, // round 1 ends with the first ACK
		{9 * us, quarter[:3], false},
		{10 * us, quarter[3:], false}, // 1 of 4: 9 us is still within the round
		{18 * us, nil, false},
	})
	b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	play(t, b, []step{
		{1 * us, []transport.Kind{good}, false},
		{9 * us, more[:4], false}, {10 * us, more[4:], false},
		{17 * us, more[:4], false}, {20 * us, more[4:], true},
	})
}

// TestFlowlet: a gap of half an RTT since the last arrival moves a flow, at most
// once in an RTO.
func TestFlowlet(t *testing.T) {
	b, err := NewFlowlet(MaxEVS)
	prepared(t, b, err)
	if ev, _ := b.NextEV(1, 0); ev != 1 {
		t.Errorf("first EV of flow 1 is %d, want its number", ev)
	}
	play(t, b, []step{
		{4 * us, nil, false},
		{5 * us, nil, true}, // nothing for more than 4.17 us
		{6 * us, nil, false},
		{44 * us, []transport.Kind{good}, false},
		{48 * us, nil, false}, // an RTO is over, a gap is not
		{49 * us, nil, true},
		{80 * us, nil, false},
		{90 * us, []transport.Kind{late}, true}, // a time-out is no arrival
	})
}

// TestMPRDMA: an ACK is remembered, marked or not, if it leaves more room than a packet minus 66 bytes,
// or if it moves the window by that much.
func TestMPRDMA(t *testing.T) {
	b, err := NewMPRDMA(MaxEVS)
	prepared(t, b, err)
	edge := 1 - 66.0/4150
	for i, c := range []struct {
		kind        transport.Kind
		grown, room float64
		rtt         fattree.Picoseconds
		ev          uint16
		want        int // EV of the next packets; -1 random
	}{
		{good, 0, edge, rtt, 11, -1},
		{good, 0, edge + 1e-9, rtt, 12, 12},
		{marked, 0, 5, rtt, 13, 13},
		{nacked, 0, 0, rtt, 14, 14}, // by the last ACK
		{good, 0, 0, 0, 15, 14},     // carried: no information about the window
		{late, 0, 0, 0, 16, 14},
		{good, 0, 0.5, rtt, 17, -1},
		{nacked, 0, 0, rtt, 18, -1},
		{good, 1, 0, rtt, 19, 19},
	} {
		b.Feedback(transport.Feedback{EV: c.ev, Kind: c.kind, RTT: c.rtt, Grown: c.grown, Room: c.room})
		first, recycled := b.NextEV(0, 0)
		second, _ := b.NextEV(0, 0)
		if random := first != second && !recycled; random != (c.want < 0) || !random && int(first) != c.want {
			t.Errorf("step %d: EVs %d, %d, recycled %v, want %d", i, first, second, recycled, c.want)
		}
	}
}

// TestMultipath: 3 EVs of 5 in turn, from the flow's number on.
func TestMultipath(t *testing.T) {
	b, err := NewMultipath(5, 3)
	prepared(t, b, err)
	b.Feedback(transport.Feedback{EV: 1, Kind: late})
	for _, want := range []uint16{0, 1, 2, 0, 1} {
		if ev, _ := b.NextEV(0, 0); ev != want {
			t.Errorf("flow 0 got EV %d, want %d", ev, want)
		}
	}
	if big, err := NewMultipath(1, 256); err != nil {
		t.Error(err)
	} else if ev, _ := prepared(t, big, nil).NextEV(1, 0); ev != 0 {
		t.Errorf("EV %d of a set of one", ev)
	}
}

// TestBitmap: a walk visits every EV once. An EV with a penalty is skipped as often as the penalty says.
func TestBitmap(t *testing.T) {
	b, err := NewBitmap(8)
	prepared(t, b, err)
	walk := func(packets int) (evs []uint16) {
		for range packets {
			ev, _ := b.NextEV(0, 0)
			evs = append(evs, ev)
		}
		return evs
	}
	first := walk(8)
	upper := first[0] &^ 7
	slices.Sort(first)
	for i, ev := range first {
		if ev != upper|uint16(i) {
			t.Fatalf("a walk of 8 EVs was %v", first)
		}
	}
	for _, c := range []struct {
		news    []transport.Kind
		penalty int
	}{{[]transport.Kind{marked, marked, good}, 2}, {[]transport.Kind{nacked}, 4}, {[]transport.Kind{late, marked, nacked}, 15}} {
		b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
		for _, kind := range c.news {
			b.Feedback(transport.Feedback{EV: 3, Kind: kind})
		}
		avoided := 0
		for range 200 {
			if ev, _ := b.NextEV(0, 0); ev&7 == 3 {
				break
			}
			avoided++
		}
		// Each walk of 7 packets costs EV 3 one point.
		if avoided < 7*c.penalty || avoided > 7*c.penalty+8 {
			t.Errorf("%v: EV 3 came after %d packets, want about %d", c.news, avoided, 7*c.penalty)
		}
	}
}

// TestBitmapByMask: with 15 EVs the mask is 14, so a walk of 15 sends each of 7 EVs twice in a row
// and the last one once, all with the same lowest bit.
func TestBitmapByMask(t *testing.T) {
	b, err := NewBitmapByMask(15)
	prepared(t, b, err)
	var walk []uint16
	for range 15 {
		ev, _ := b.NextEV(0, 0)
		walk = append(walk, ev)
	}
	distinct := map[uint16]bool{}
	for i, ev := range walk {
		distinct[ev] = true
		if i%2 == 1 && ev != walk[i-1] {
			t.Errorf("packets %d and %d of the walk %v have different EVs", i-1, i, walk)
		}
		if ev&1 != walk[0]&1 {
			t.Errorf("the lowest bits of %v differ", walk)
		}
	}
	if len(distinct) != 8 {
		t.Errorf("%d EVs in %v, want 8", len(distinct), walk)
	}
}

// TestBitmapAllBad: with a penalty on every EV a packet still gets one, and every
// packet takes one point off.
func TestBitmapAllBad(t *testing.T) {
	b, err := newBitmap(4)
	prepared(t, b, err)
	for ev := range uint16(4) {
		b.Feedback(transport.Feedback{EV: ev, Kind: marked})
	}
	before := slices.Clone(b.penalties(0))
	b.NextEV(0, 0)
	left := 0
	for ev, p := range b.penalties(0) {
		left += int(p)
		if p > before[ev] {
			t.Errorf("penalty of EV %d grew", ev)
		}
	}
	if left != 3 {
		t.Errorf("penalties sum to %d after a packet, want 3", left)
	}
}

// TestRefused: parameters out of range are refused with their names.
func TestRefused(t *testing.T) {
	_, plb := NewPLB(8, 1)
	_, evs := NewMPRDMA(0)
	_, flowlet := NewFlowlet(MaxEVS + 1)
	_, paths := NewMultipath(8, 0)
	_, bitmap := NewBitmap(12)
	_, freeze := RecyclingConfig{FreezeAt: -1}.New()
	_, rules := RecyclingConfig{Rules: "theirs"}.New()
	for i, err := range []error{plb, evs, flowlet, paths, bitmap, freeze, rules} {
		if err == nil {
			t.Errorf("case %d was not refused", i)
		}
	}
}

// TestLimits: the largest EVS and the most paths that are allowed, and one more.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		evs, paths int
		refused    bool
	}{{1 << 16, 8, false}, {1<<16 + 1, 8, true}, {0, 8, true}, {1 << 16, 256, false}, {1 << 16, 257, true}, {1 << 16, 0, true}} {
		if _, err := NewMultipath(c.evs, c.paths); (err != nil) != c.refused {
			t.Errorf("%d EVs, %d paths: error %v, refused should be %v", c.evs, c.paths, err, c.refused)
		}
	}
}
