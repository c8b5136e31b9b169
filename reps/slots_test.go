package reps

import (
	"slices"
	"testing"
)

// inspected is what the three rules show.
type inspected interface {
	OnAck(now uint32, ev uint16, marked bool)
	OnFailure(now uint32)
	NextEV(random Source) (ev uint16, recycled bool)
	NextOrigin() Origin
	AppendSlots(dst []Slot) []Slot
	ValidEVs() int
}

// TestNextOrigin: of random histories the origin told before an EV is chosen is where it then comes from: recycled EVs
// are in valid or in other slots, drawn ones take a word of the generator, and valid slots are as many as told.
func TestNextOrigin(t *testing.T) {
	random := &counting{state: 1}
	seen := map[Origin]int{}
	for _, size := range []int{1, 3, 8, 32} {
		cfg := Config{BufferSize: size, FreezingTimeout: 50, PacketsPerWindow: 20}
		paper, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		artifact, err := newArtifact(cfg)
		if err != nil {
			t.Fatal(err)
		}
		fifo, err := newFIFO(FIFOConfig{SweepPackets: 9})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []inspected{paper, artifact, fifo} {
			for now := range uint32(5000) {
				switch word := random.Uint64(); {
				case word%8 < 3:
					r.OnAck(now, uint16(word>>8), word>>4%4 == 0)
				case word>>12%100 == 0:
					r.OnFailure(now)
				}
				before := r.AppendSlots(nil)
				if valid := countValid(before); valid != r.ValidEVs() {
					t.Fatalf("%T: %v has %d valid slots, ValidEVs() = %d", r, before, valid, r.ValidEVs())
				}
				origin, words := r.NextOrigin(), random.words
				ev, recycled := r.NextEV(random)
				drawn := random.words > words
				seen[origin]++
				if recycled != (origin == Ring || origin == Stale) || drawn != (origin == Random || origin == Explore) {
					t.Fatalf("%T: origin %v, but recycled %v, drawn %v", r, origin, recycled, drawn)
				}
				if recycled && !slices.Contains(before, Slot{ev, origin == Ring}) {
					t.Fatalf("%T: EV %d from %v is not in %v", r, ev, origin, before)
				}
			}
		}
	}
	for origin := Random; origin <= Sweep; origin++ {
		if seen[origin] == 0 {
			t.Errorf("origin %v was never seen", origin)
		}
	}
}

// countValid returns the number of valid slots.
func countValid(slots []Slot) (count int) {
	for _, s := range slots {
		if s.Valid {
			count++
		}
	}
	return count
}

// counting is a generator that counts its words.
type counting struct {
	state uint64
	words int
}

func (c *counting) Uint64() uint64 {
	c.words++
	c.state ^= c.state << 13
	c.state ^= c.state >> 7
	c.state ^= c.state << 17
	return c.state
}
