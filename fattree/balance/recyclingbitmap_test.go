package balance

import (
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// mixedOfEVs returns a recyclingBitmap and the bitmap within it by itself, both at the beginning
// of the same run.
func mixedOfEVs(t *testing.T, evs int) (*recyclingBitmap, *bitmap) {
	t.Helper()
	mixed, err := newRecyclingBitmap(evs)
	prepared(t, mixed, err)
	alone, err := newBitmap(evs)
	return mixed, prepared(t, alone, err)
}

// TestRecyclingBitmap: good EVs are sent first, the oldest before the others. The bitmap's walk waits
// meanwhile, but gets marks, NACKs and time-outs as feedback.
func TestRecyclingBitmap(t *testing.T) {
	mixed, alone := mixedOfEVs(t, 16)
	next := func(want uint16, again bool) {
		t.Helper()
		if ev, recycled := mixed.NextEV(0, 0); ev != want || recycled != again {
			t.Errorf("EV %d, recycled %v, want %d, %v", ev, recycled, want, again)
		}
	}
	walks := func(packets int) {
		t.Helper()
		for range packets {
			want, _ := alone.NextEV(0, 0)
			next(want, false)
		}
	}
	tell := func(kind transport.Kind, ev uint16) {
		mixed.Feedback(transport.Feedback{EV: ev, Kind: kind})
		alone.Feedback(transport.Feedback{EV: ev, Kind: kind})
	}
	walks(3)
	tell(good, 1007)
	tell(marked, 1008)
	tell(good, 1009)
	tell(good, 1007)
	next(1007, true)
	next(1009, true)
	tell(good, 5)
	next(1007, true)
	next(5, true)
	walks(20)
	for _, kind := range []transport.Kind{marked, nacked, late} {
		tell(kind, 2)
		tell(kind, 3)
		walks(40)
	}
	if !slices.Equal(mixed.penalties(0), alone.penalties(0)) || mixed.penalties(0)[3] == 0 {
		t.Errorf("penalties %v, want %v, and some left", mixed.penalties(0), alone.penalties(0))
	}
	mixed.Feedback(transport.Feedback{Flow: 1, EV: 77})
	walks(1) // flow 0 is not affected
	mixed.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	alone.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	if ev, recycled := mixed.NextEV(1, 0); recycled {
		t.Errorf("EV %d is recycled after a reset", ev)
	}
	walks(5)
}

// TestRecycledShare: with one good ACK per r packets, from a window on exactly one packet in r is
// recycled.
func TestRecycledShare(t *testing.T) {
	for _, ratio := range []int{1, 4, 16} {
		mixed, _ := mixedOfEVs(t, 64)
		const window, rounds = 96, 50
		var flight []uint16
		recycled := 0
		for sent := range window * rounds {
			if len(flight) == window {
				if sent%ratio == 0 {
					mixed.Feedback(transport.Feedback{EV: flight[0]})
				}
				flight = flight[1:]
			}
			ev, again := mixed.NextEV(0, 0)
			flight = append(flight, ev)
			if again {
				recycled++
			}
		}
		if want := window * (rounds - 1) / ratio; recycled != want {
			t.Errorf("ratio %d: %d packets recycled, want %d", ratio, recycled, want)
		}
	}
}

// TestRecyclingBitmapInherits: a flow that inherits sends the good EVs of its predecessor, which keeps
// them, and skips the same EVs.
func TestRecyclingBitmapInherits(t *testing.T) {
	mixed, _ := mixedOfEVs(t, 8)
	for _, ev := range []uint16{11, 12} {
		mixed.Feedback(transport.Feedback{EV: ev})
	}
	mixed.Feedback(transport.Feedback{EV: 3, Kind: late})
	mixed.Inherit(1, 0)
	mixed.Feedback(transport.Feedback{Flow: 1, EV: 13})
	for flow, list := range [][]uint16{{11, 12}, {11, 12, 13}} {
		for _, want := range list {
			if ev, _ := mixed.NextEV(int32(flow), 0); ev != want {
				t.Errorf("flow %d sends EV %d, want %d", flow, ev, want)
			}
		}
		for range 8 {
			if ev, recycled := mixed.NextEV(int32(flow), 0); recycled || ev&7 == 3 {
				t.Errorf("flow %d sends EV %d, recycled %v", flow, ev, recycled)
			}
		}
	}
}

// TestRecyclingBitmapAllocatesNothing: a window of good ACKs fills the list of a flow without
// an allocation, from the first packet on.
func TestRecyclingBitmapAllocatesNothing(t *testing.T) {
	mixed, _ := mixedOfEVs(t, 64)
	stream, network := mc.NewStream(2, mc.Algorithm, 0), pair(t)
	window := transport.OptionsOn(network).InitialWindow
	if allocs := testing.AllocsPerRun(10, func() {
		mixed.Reset(network, stream)
		for i := range window {
			mixed.Feedback(transport.Feedback{EV: uint16(i)})
		}
		for range 2 * window {
			mixed.NextEV(0, 0)
		}
	}); allocs > 0 {
		t.Errorf("%v allocations a run", allocs)
	}
}

// TestUltraEthernet plays REPS by the rules of the Ultra Ethernet simulator: EVs of 0 to 63; a
// time-out freezes; any feedback more than 10 ms later, also a time-out, erases the ring, and 16
// uniform EVs follow.
func TestUltraEthernet(t *testing.T) {
	made, err := RecyclingConfig{Rules: UltraEthernet}.New()
	b := prepared(t, made, err)
	frozen := b.Traits()
	tell := func(kind transport.Kind, ev uint16, now fattree.Picoseconds) {
		b.Feedback(transport.Feedback{EV: ev, Kind: kind, Now: now})
	}
	sends := func(again bool, evs ...uint16) {
		t.Helper()
		for _, want := range evs {
			if ev, recycled := b.NextEV(0, 0); recycled != again || again && ev != want || ev > 63 && !again {
				t.Errorf("EV %d, recycled %v, want %d, %v", ev, recycled, want, again)
			}
		}
	}
	random := make([]uint16, 500)
	for _, last := range []transport.Kind{good, marked, nacked, late} {
		b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
		sends(false, random...)
		tell(good, 101, us)
		tell(good, 102, us)
		tell(good, 103, us)
		sends(true, 101)
		tell(late, 0, 20*us)
		sends(true, 101, 102, 103, 101) // whether used or not, with a separate pointer
		tell(last, 104, 10_020*us)
		if !frozen.Frozen(0) {
			t.Errorf("kind %d ends freezing mode after 10 ms, want later", last)
		}
		tell(last, 105, 10_020*us+1000)
		if frozen.Frozen(0) {
			t.Errorf("kind %d does not end freezing mode", last)
		}
		tell(late, 0, 10_021*us)
		if frozen.Frozen(0) {
			t.Error("freezes during exploration")
		}
		sends(false, random[:16]...)
		if last == good {
			sends(true, 105)
		}
		sends(false, random[:8]...)
	}
}

// TestLegacyList: each EV once, from 1 on, then the good EVs.
func TestLegacyList(t *testing.T) {
	made, err := New("reps-legacy", 64)
	b := prepared(t, made, err)
	for packet := range 64 {
		b.Feedback(transport.Feedback{EV: uint16(200 + packet)})
		want := uint16(packet+1) % 64
		if ev, recycled := b.NextEV(0, 0); ev != want || recycled {
			t.Errorf("packet %d: EV %d, recycled %v, want %d", packet, ev, recycled, want)
		}
	}
	b.Feedback(transport.Feedback{EV: 9, Kind: marked})
	for packet := range 64 {
		if ev, recycled := b.NextEV(0, 0); ev != uint16(200+packet) || !recycled {
			t.Errorf("after the sweep, packet %d: EV %d, recycled %v", packet, ev, recycled)
		}
	}
	if ev, recycled := b.NextEV(0, 0); recycled || ev > 63 {
		t.Errorf("the empty list sends EV %d, recycled %v", ev, recycled)
	}
}
