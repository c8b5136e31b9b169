package cases

import (
	"testing"

	"repslab/fattree/transport"
)

// TestFlightOverTime: an interval has the EVs in flight at its end, also the last one, and an interval without packets
// keeps them.
func TestFlightOverTime(t *testing.T) {
	f := flowTrace{used: map[int32]bool{}}
	send := func(ev int32, inFlight int32, interval int) {
		f.add(transport.Event{Kind: transport.EventSend, EV: ev, InFlight: inFlight}, interval)
	}
	send(1, 1, 0)
	send(2, 2, 0)
	send(2, 3, 2)
	f.close()
	for i, want := range [][3]int{{2, 1, 2}, {2, 1, 2}, {2, 2, 3}} {
		if now := f.intervals[i]; [3]int{now.different, now.most, now.inFlight} != want {
			t.Errorf("interval %d: %+v, want %v", i, now, want)
		}
	}
	if f.intervals[1].sent != 0 || f.intervals[2].sent != 1 {
		t.Errorf("packets sent: %+v", f.intervals)
	}
}
