package reps

import "errors"

// errNotReady is the fault of coding a REPS without a configuration.
var errNotReady = errors.New("reps: REPS must be configured with Init before it is encoded or decoded")

// EncodedLen returns the length of the encoded state in bytes: 25 by default,
// from 10 (1 entry) to 77 (32 entries and ReuseCount above 1). It panics before Init.
func (r *REPS) EncodedLen() int {
	r.mustBeReady()
	return (r.stateBits() + 7) / 8
}

// stateBits returns the length of the encoded state in bits.
func (r *REPS) stateBits() int {
	total := 0
	for _, f := range r.layout() {
		total += f.width * f.count
	}
	return total
}

// AppendBinary appends the state of r to b and returns the extended slice. It returns an error only if Init has
// not been called. Only the state is written, not the configuration, which determines the length: see
// [REPS.EncodedLen]. It does not allocate if b has room. O(BufferSize).
//
// The encoding is the variables of [Footprint] in that order, without gaps, each with its most significant bit
// first; the bits that fill the last byte are 0. By default it has 16 bytes of EVs, a byte of validity bits (slot
// 0 first), a byte each for head and numberOfValidEVs, and 4 bytes of exit time. The freezing bit, 8 bits of
// exploreCounter, 4 bits of the written count and 3 zeros complete the 25 bytes. With ReuseCount above 1, 4 bits
// for the uses of the oldest valid entry follow, and 8 entries take 26 bytes.
func (r *REPS) AppendBinary(b []byte) ([]byte, error) {
	if r.size == 0 {
		return b, errNotReady
	}
	state := snapshot{*r, r.validBits()}
	return state.append(b), nil
}

// append packs the variables onto b.
func (r *snapshot) append(b []byte) []byte {
	var pending uint64 // its low used bits are not yet appended; used < 8
	used := 0
	r.code(func(width int, value uint32) uint32 {
		pending = pending<<width | uint64(value)
		for used += width; used >= 8; {
			used -= 8
			b = append(b, byte(pending>>used))
		}
		return value
	})
	if used > 0 {
		b = append(b, byte(pending<<(8-used)))
	}
	return b
}

// MarshalBinary returns the state of r in a new slice, in the form of
// [REPS.AppendBinary].
func (r *REPS) MarshalBinary() ([]byte, error) {
	if r.size == 0 {
		return nil, errNotReady
	}
	return r.AppendBinary(make([]byte, 0, r.EncodedLen()))
}
