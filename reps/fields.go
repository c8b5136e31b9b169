package reps

import "math/bits"

// field describes a kind of variable, for the encoding and for [Footprint]: its width and the number of such
// variables.
type field struct {
	width   int    // bits of one; 0 if this configuration has no such variable
	count   int    // ring entries, or 1
	inTable bool   // listed in Table 1 of the paper
	name    string // as in the paper, if it is there
	meaning string
}

// layout returns the variables of a REPS with the given ring entries and uses
// per cached EV.
func layout(entries, reuse int) [9]field {
	return [9]field{
		{16, entries, true, "cachedEV", "entropy value"},
		{1, entries, true, "isValid", "entropy validity bit"},
		{8, 1, true, "head", "slot written next"},
		{8, 1, true, "numberOfValidEVs", "number of valid entropies"},
		{32, 1, true, "exitFreezingMode", "time freezing mode may end, ns"},
		{1, 1, true, "isFreezingMode", "in freezing mode"},
		{8, 1, true, "exploreCounter", "packets of exploration left"},
		{writtenWidth(entries), 1, false, "writtenSlots", "slots ever written"},
		{usesWidth(reuse), 1, false, "uses", "uses made of the oldest valid entry"},
	}
}

// layout returns the variables of r.
func (r *REPS) layout() [9]field { return layout(int(r.size), int(r.reuse)) }

// writtenWidth returns the bits of writtenSlots.
func writtenWidth(entries int) int { return bits.Len(uint(entries)) }

// usesWidth returns the bits of uses.
func usesWidth(reuse int) int {
	if reuse > 1 {
		return bits.Len(MaxReuseCount - 1)
	}
	return 0
}

// snapshot is the state of a REPS with the validity bits written out.
type snapshot struct {
	REPS
	valid uint32 // bit i is isValid of slot i
}

// code calls exchange with the width in bits and the value of each variable, in the order of the encoding, and
// replaces the variable by the result.
func (r *snapshot) code(exchange func(width int, value uint32) uint32) {
	evs := r.ring.ev[:r.size]
	for i, ev := range evs {
		evs[i] = uint16(exchange(16, uint32(ev)))
	}
	for i := range r.size {
		r.valid = r.valid&^(1<<i) | exchange(1, r.valid>>i&1)<<i
	}
	r.ring.head = uint8(exchange(8, uint32(r.ring.head)))
	r.n = uint8(exchange(8, uint32(r.n)))
	r.exitTime = exchange(32, r.exitTime)
	frozen := uint32(0)
	if r.frozen {
		frozen = 1
	}
	r.frozen = exchange(1, frozen) == 1
	r.explore = uint8(exchange(8, uint32(r.explore)))
	r.ring.written = uint8(exchange(writtenWidth(int(r.size)), uint32(r.ring.written)))
	if width := usesWidth(int(r.reuse)); width > 0 {
		r.uses = uint8(exchange(width, uint32(r.uses)))
	}
}
