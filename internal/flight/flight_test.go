package flight_test

import (
	"testing"

	"pgregory.net/rapid"

	"repslab/internal/flight"
)

// TestCount: the counts are of the last packets of the whole history, and all of the packets in flight are
// counted, for windows that grow with each packet and shrink between.
func TestCount(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e flight.EVs
		if different, most, all := e.Count(); different != 0 || most != 0 || all != 0 {
			t.Fatalf("before a packet: %d, %d, %d", different, most, all)
		}
		var sent []int32
		inFlight := 0
		for range rapid.IntRange(1, 200).Draw(t, "packets") {
			ev := rapid.Int32Range(0, 6).Draw(t, "ev")
			inFlight = rapid.IntRange(0, inFlight).Draw(t, "left") + 1
			e.Send(ev, inFlight)
			sent = append(sent, ev)
		}
		counts, most := map[int32]int{}, 0
		for _, ev := range sent[len(sent)-inFlight:] {
			counts[ev]++
			most = max(most, counts[ev])
		}
		for range 2 { // counting changes nothing
			if d, m, all := e.Count(); d != len(counts) || m != most || all != inFlight {
				t.Fatalf("%d different, %d most, %d in all; want %d, %d, %d", d, m, all, len(counts), most, inFlight)
			}
		}
	})
}
