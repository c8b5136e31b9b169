package reps

import "math/bits"

// fieldID names one variable of the state.
type fieldID uint8

// The variables in the order of the encoding.
const (
	fieldEV fieldID = iota
	fieldValid
	fieldHead
	fieldNumValid
	fieldExitTime
	fieldFrozen
	fieldExplore
	fieldWritten
	fieldUses
	fieldCount
)

// field describes one variable for the encoding and for [Footprint]: its width and
// how many there are.
type field struct {
	id      fieldID
	width   int    // bits of one; 0 if this configuration has no such variable
	count   int    // ring entries, or 1
	inTable bool   // listed in Table 1 of the paper
	name    string // as in the paper, if it is there
	meaning string
}

// layout returns the variables of a REPS with the given ring entries and uses
// per cached EV.
func layout(entries, reuse int) [fieldCount]field {
	usesWidth := 0
	if reuse > 1 {
		usesWidth = bits.Len(MaxReuseCount - 1)
	}
	return [fieldCount]field{
		{fieldEV, 16, entries, true, "cachedEV", "entropy value"},
		{fieldValid, 1, entries, true, "isValid", "entropy validity bit"},
		{fieldHead, 8, 1, true, "head", "slot written next"},
		{fieldNumValid, 8, 1, true, "numberOfValidEVs", "number of valid entropies"},
		{fieldExitTime, 32, 1, true, "exitFreezingMode", "time freezing mode may end, ns"},
		{fieldFrozen, 1, 1, true, "isFreezingMode", "in freezing mode"},
		{fieldExplore, 8, 1, true, "exploreCounter", "packets of exploration left"},
		{fieldWritten, bits.Len(uint(entries)), 1, false, "writtenSlots", "slots ever written"},
		{fieldUses, usesWidth, 1, false, "uses", "uses made of the oldest valid entry"},
	}
}

// layout returns the variables of r.
func (r *REPS) layout() [fieldCount]field {
	return layout(int(r.size), int(r.reuse))
}

// snapshot is the state of a REPS with the validity bits written out.
type snapshot struct {
	REPS
	valid uint32 // bit i is isValid of slot i
}

// load returns the value of a variable; i is the ring slot for those of the
// ring, and 0 for the others.
func (r *snapshot) load(id fieldID, i int) uint32 {
	switch id {
	case fieldEV:
		return uint32(r.ring.ev[i])
	case fieldValid:
		return r.valid >> i & 1
	case fieldHead:
		return uint32(r.ring.head)
	case fieldNumValid:
		return uint32(r.n)
	case fieldExitTime:
		return r.exitTime
	case fieldFrozen:
		if r.frozen {
			return 1
		}
		return 0
	case fieldExplore:
		return uint32(r.explore)
	case fieldWritten:
		return uint32(r.ring.written)
	default: // fieldUses
		return uint32(r.uses)
	}
}

// store sets a variable, which must be 0 before, to a value of its width.
func (r *snapshot) store(id fieldID, i int, value uint32) {
	switch id {
	case fieldEV:
		r.ring.ev[i] = uint16(value)
	case fieldValid:
		r.valid |= value << i
	case fieldHead:
		r.ring.head = uint8(value)
	case fieldNumValid:
		r.n = uint8(value)
	case fieldExitTime:
		r.exitTime = value
	case fieldFrozen:
		r.frozen = value != 0
	case fieldExplore:
		r.explore = uint8(value)
	case fieldWritten:
		r.ring.written = uint8(value)
	default: // fieldUses
		r.uses = uint8(value)
	}
}
