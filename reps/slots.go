package reps

import (
	"fmt"
	"math/bits"
)

// Origin says where the EV of a packet comes from.
type Origin uint8

// The origins.
const (
	Random  Origin = iota // drawn from the EVS
	Ring                  // a cached EV that is not used up
	Stale                 // in freezing mode, the EV of a slot that is used up
	Explore               // drawn, because the exploration after freezing mode asks for it
	Sweep                 // the next one of the sweep with which a [FIFO] begins
)

// String returns the origin in one lower-case word, and "Origin(n)" for any other value.
func (o Origin) String() string {
	if o > Sweep {
		return fmt.Sprintf("Origin(%d)", uint8(o))
	}
	return [...]string{"random", "ring", "stale", "explore", "sweep"}[o]
}

// Slot is one entry of a cache of EVs.
type Slot struct {
	EV    uint16
	Valid bool // the EV is not used up
}

// NextOrigin returns where the EV that the next call of NextEV returns comes from. It changes nothing. O(1).
func (r *REPS) NextOrigin() Origin {
	switch {
	case r.explore > 0 && r.multipleOfSize(r.explore-1):
		return Explore
	case r.n > 0:
		return Ring
	case r.frozen && r.ring.written > 0:
		return Stale
	}
	return Random
}

// AppendSlots appends the slots ever written to dst and returns the extended slice. It begins with the slot that the
// next good ACK overwrites, or with slot 0 if that ACK writes a new slot. O(BufferSize).
func (r *REPS) AppendSlots(dst []Slot) []Slot { return r.ring.appendSlots(dst, r.validBits()) }

// NextOrigin returns where the EV that the next call of NextEV returns comes from. It changes nothing. O(1).
func (a *Artifact) NextOrigin() Origin {
	switch {
	case a.explore > 0:
		return Explore
	case a.frozen && a.ring.written > 0 && a.valid>>(a.pointer&31)&1 == 0:
		return Stale
	case a.frozen && a.ring.written > 0, !a.frozen && a.valid != 0:
		return Ring
	}
	return Random
}

// AppendSlots appends the slots written since the start or the last erasure to dst and returns the extended slice. It
// begins with the slot that the next good ACK overwrites, or with slot 0 if that ACK writes a new slot. O(BufferSize).
func (a *Artifact) AppendSlots(dst []Slot) []Slot { return a.ring.appendSlots(dst, a.valid) }

// appendSlots appends the written slots. Slot i is valid if bit i of valid is 1.
func (g *ring) appendSlots(dst []Slot, valid uint32) []Slot {
	first := g.head
	if g.head >= g.written { // the next ACK writes a new slot
		first = 0
	}
	for i := range g.written {
		slot := first + i
		if slot >= g.written {
			slot -= g.written
		}
		dst = append(dst, Slot{g.ev[slot&31], bits.RotateLeft32(valid, -int(slot))&1 == 1})
	}
	return dst
}

// NextOrigin returns where the EV that the next call of NextEV returns comes from. It changes nothing. O(1).
func (f *FIFO) NextOrigin() Origin {
	switch {
	case f.swept < f.sweep:
		return Sweep
	case f.evs.n > 0:
		return Ring
	}
	return Random
}

// AppendSlots appends the EVs of the list to dst, the oldest first, all valid, and returns the extended slice.
// O(ValidEVs).
func (f *FIFO) AppendSlots(dst []Slot) []Slot {
	for i := range f.evs.n {
		dst = append(dst, Slot{f.evs.buf[int(f.evs.head+i)&(len(f.evs.buf)-1)], true})
	}
	return dst
}
