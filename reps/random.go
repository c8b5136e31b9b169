package reps

import "math/bits"

// Source yields uniform 64-bit words. The generators of math/rand/v2 and
// *rand.Rand satisfy it. A random EV takes exactly one word, so the number of words
// drawn is the number of random EVs.
type Source interface{ Uint64() uint64 }

// noSource is the panic of NextEV without a source.
const noSource = "reps: NextEV: random must not be nil when an EV is drawn"

// draw returns an EV in [0, evsSize) from one word, by the high half of the
// 128-bit product word*evsSize. When evsSize is a power of two every EV is
// equally likely; otherwise the probability of an EV is off 1/evsSize by less
// than 2^-64, a relative bias below 2^-48. It panics without a source.
func draw(random Source, evsSize uint32) uint16 {
	if random == nil {
		panic(noSource)
	}
	high, _ := bits.Mul64(random.Uint64(), uint64(evsSize))
	return uint16(high)
}
