package reps

import (
	"fmt"
	"math/bits"

	"repslab/faults"
)

// UnmarshalBinary sets the state of r to the state in data, as written by [REPS.AppendBinary] from a REPS with the
// same configuration. r must already have that configuration. Data of another length, and variables that
// contradict each other or the configuration, are errors that name the first faulty variable; r is then unchanged.
// EVs are not compared with EVSSize, as in OnAck. data is not kept. It allocates only for an error. O(BufferSize).
func (r *REPS) UnmarshalBinary(data []byte) error {
	if r.size == 0 {
		return errNotReady
	}
	if want := r.EncodedLen(); len(data) != want {
		return refuse("length", faults.Text(fmt.Sprintf("%d bytes", len(data))), "must be %d for BufferSize %d and ReuseCount %d", want, r.size, r.reuse)
	}
	if spare := 8*len(data) - r.stateBits(); data[len(data)-1]&(1<<spare-1) != 0 {
		return refuse("padding", faults.Text(fmt.Sprintf("%#x", data[len(data)-1]&(1<<spare-1))), "must be zero")
	}
	next := snapshot{REPS: REPS{rules: r.rules}}
	next.read(data)
	if err := next.check(); err != nil {
		return err
	}
	*r = next.REPS
	return nil
}

// read sets the state of r from data of the right length.
func (r *snapshot) read(data []byte) {
	var pending uint64 // its low have bits are not yet used
	have := 0
	r.code(func(width int, _ uint32) uint32 {
		for ; have < width; have += 8 {
			pending = pending<<8 | uint64(data[0])
			data = data[1:]
		}
		have -= width
		return uint32(pending >> have & (1<<width - 1))
	})
}

// check returns an error if variables contradict one another or the configuration. It accepts every state that the
// methods can reach.
func (r *snapshot) check() error {
	if err := r.ring.check(r.size); err != nil {
		return err
	}
	if err := r.checkValid(); err != nil {
		return err
	}
	switch {
	case r.frozen && r.caching == noFreezing:
		return refuse("isFreezingMode", 1, "must be 0 with DisableFreezing")
	case r.explore > 0 && r.caching == noFreezing:
		return refuse("exploreCounter", r.explore, "must be 0 with DisableFreezing")
	case uint16(r.explore) > r.window:
		return refuse("exploreCounter", r.explore, "must be at most PacketsPerWindow (%d)", r.window)
	case r.frozen && r.explore > 0:
		return refuse("exploreCounter", r.explore, "must be 0 in freezing mode")
	case r.uses >= r.reuse:
		return refuse("uses", r.uses, "must be below ReuseCount (%d)", r.reuse)
	case r.uses > 0 && r.n == 0:
		return refuse("uses", r.uses, "must be 0 without a valid entry")
	}
	return nil
}

// check returns an error unless g can be reached by writing to a ring of size slots and by cycling over the
// written ones.
func (g *ring) check(size uint8) error {
	switch {
	case g.head >= size:
		return refuse("head", g.head, "must be below BufferSize (%d)", size)
	case g.written > size:
		return refuse("writtenSlots", g.written, "must be at most BufferSize (%d)", size)
	case g.head > g.written:
		return refuse("head", g.head, "must be at most writtenSlots (%d)", g.written)
	case g.head == 0 && g.written > 0 && g.written < size:
		return refuse("head", 0, "must be at least 1 with writtenSlots (%d) below BufferSize (%d)", g.written, size)
	}
	for slot := g.written; slot < size; slot++ {
		if g.ev[slot] != 0 {
			return refuse("cachedEV", faults.Text(fmt.Sprintf("%d in slot %d", g.ev[slot], slot)), "must be 0 for a slot never written, from %d on", g.written)
		}
	}
	return nil
}

// checkValid returns an error unless the valid slots are written, are the slots just before head, and are as many
// as numberOfValidEVs says.
func (r *snapshot) checkValid() error {
	if unwritten := r.valid >> r.ring.written; unwritten != 0 {
		return refuse("isValid", faults.Text(fmt.Sprintf("slot %d", int(r.ring.written)+bits.TrailingZeros32(unwritten))), "must be 0 for a slot never written, from %d on", r.ring.written)
	}
	if set := bits.OnesCount32(r.valid); int(r.n) != set {
		return refuse("numberOfValidEVs", r.n, "must be the number of isValid bits set (%d)", set)
	}
	if missing := r.validBits() &^ r.valid; missing != 0 {
		return refuse("isValid", faults.Text(fmt.Sprintf("slot %d", bits.TrailingZeros32(missing))), "must be 1 for each of the numberOfValidEVs (%d) slots before head (%d)", r.n, r.ring.head)
	}
	return nil
}
