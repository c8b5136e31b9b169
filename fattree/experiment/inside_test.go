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
