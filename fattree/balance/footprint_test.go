package balance

import (
	"testing"

	"repslab/reps"
)

// TestFootprint adds the bits up by hand, for 64 EVs and a window of 151 packets, and of 2^16 EVs.
func TestFootprint(t *testing.T) {
	const walk, ring = 10 + 6 + 6, 8*6 + 8 + 3 + 4 + 3 + 32 + 1 + 5
	const list = 151*6 + 8 + 8
	for name, want := range map[string][2]int{
		"ops":         {0, 0},
		"stratified":  {walk, 16 + 16},
		"bitmap":      {walk + 64*4, 16 + 16 + 4<<16},
		"mixed":       {walk + 64*4 + list, 16 + 16 + 4<<16 + 151*16 + 8 + 8},
		"reps-legacy": {list + 7, 151*16 + 8 + 8 + 17},
		"reps":        {ring, ring + 8*10},
	} {
		for i, evs := range []int{64, MaxEVS} {
			components, err := Footprint(name, evs, 151)
			if err != nil {
				t.Fatal(err)
			}
			if _, got := reps.SumBits(components); got != want[i] {
				t.Errorf("%s, %d EVs: %d bits, want %d", name, evs, got, want[i])
			}
		}
	}
	for _, c := range []struct {
		name        string
		evs, window int
		want        string
	}{
		{"plb", 64, 1, `balance: name ("plb") must be one of [ops stratified bitmap mixed reps-legacy reps]`},
		{"reps", 63, 1, "balance: evs (63) must be a power of two"},
		{"reps", 64, 0, "balance: window (0) must be in [1, 1073741824]"},
	} {
		if _, err := Footprint(c.name, c.evs, c.window); err == nil || err.Error() != c.want {
			t.Errorf("%+v: error %v", c, err)
		}
	}
}

// TestFootprintHoldsLists: in a congested run no list outgrows the places of the footprint: the entries
// of the list and the packets in flight are together never more than the window.
func TestFootprintHoldsLists(t *testing.T) {
	mixed, _ := mixedOfEVs(t, 64)
	const window = 20
	var flight []uint16
	for step := range uint64(100_000) {
		// A fixed mix of sends and of feedback, good in three cases of four.
		switch choice := step * 2654435761 >> 7 % 16; {
		case choice < 8 && len(flight) < window:
			ev, _ := mixed.NextEV(0, 0)
			flight = append(flight, ev)
		case len(flight) > 0:
			if choice%4 > 0 {
				back := mixed.good[0].ValidEVs() + len(flight)
				mixed.good[0].OnAck(0, flight[0], false)
				if back > window {
					t.Fatalf("step %d: %d EVs and packets in flight, want at most %d", step, back, window)
				}
			}
			flight = flight[1:]
		}
	}
}
