package experiment

import (
	"testing"

	"repslab/fattree/transport"
)

// TestFlightOfNewPackets: packets sent again are no new packets, so they do not end the count of the EVs in flight, and
// flows without packets count for no mean.
func TestFlightOfNewPackets(t *testing.T) {
	var f, sum flowInside
	f.evs = map[int32]bool{}
	send := func(kind transport.EventKind, ev, inFlight int32) {
		f.note(transport.Event{Kind: kind, EV: ev, InFlight: inFlight})
	}
	for _, ev := range []int32{1, 2, 2, 3} {
		send(transport.EventSend, ev, min(ev+1, 3))
	}
	send(transport.EventResend, 9, 1)
	sum.add(&f)
	sum.add(new(flowInside))
	if c := &sum.counts; c[flightEVs] != 2 || c[flights] != partScale || c[topEV] != int64(partScale)*2/3 || c[distinctEVs] != 4 {
		t.Errorf("%d EVs in flight, %d flows, the top one %d, %d in all", c[flightEVs], c[flights]/partScale, c[topEV], c[distinctEVs])
	}
}

// TestCountsByHand: valid entries are counted after sends and ACKs alike; freezing mode lasts from the event that
// shows it to the next one that does not, in picoseconds.
func TestCountsByHand(t *testing.T) {
	f := flowInside{evs: map[int32]bool{}}
	for _, e := range []transport.Event{
		{Time: 100, Kind: transport.EventSend, Memory: transport.Memory{Keeps: true, Freezes: true, Valid: 2}, Origin: "ring"},
		{Time: 200, Kind: transport.EventAck, Memory: transport.Memory{Freezes: true, Valid: 3}},
		{Time: 300, Kind: transport.EventTimeout, Memory: transport.Memory{Freezes: true, Frozen: true}},
		{Time: 450, Kind: transport.EventAck, Memory: transport.Memory{Freezes: true, Frozen: true, Valid: 4}},
		{Time: 550, Kind: transport.EventAck, Memory: transport.Memory{Freezes: true, Valid: 5}},
		{Time: 900, Kind: transport.EventAck, Memory: transport.Memory{Freezes: true, Valid: 6}},
	} {
		f.note(e)
	}
	f.counts[lasting] = 1000
	want := map[string]float64{"ring_valid_mean": (2. + 3 + 4 + 5 + 6) / 5, "frozen_share": 0.25, "timeouts": 1, "valid_share": 1, "stale_share": 0}
	for _, s := range Statistics() {
		expected, is := want[s.Key]
		if !is {
			continue
		}
		delete(want, s.Key)
		if value, exists := s.of(&measured{inside: &f}); !exists || float64(value)/s.units != expected {
			t.Errorf("%s: %d of %v to a unit, exists %v, want %v", s.Key, value, s.units, exists, expected)
		}
	}
	if len(want) > 0 {
		t.Errorf("no statistics %v", want)
	}
}
