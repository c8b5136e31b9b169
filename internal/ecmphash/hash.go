package ecmphash

// spread is 2^64 divided by the golden ratio, rounded to odd. Its multiples by 16-bit numbers are far
// apart, so no two keys with small host numbers coincide.
const spread = 0x9e3779b97f4a7c15

// Hash returns a hash of a packet's addresses (source in the upper 32 bits), entropy value and the
// switch's salt, any values. For a fixed salt the words of different keys look like independent uniform
// words, and so do the words of different salts for a fixed key. They are not safe against an adversary.
// O(1), two or three nanoseconds with [Port], inlined, no allocation.
func Hash(sourceDestination uint64, ev uint16, salt uint64) uint32 {
	// The parts of the key are combined into one word, which is then mixed by the bijection "moremur" of
	// [Evensen19]: two multiplications between exclusive-or shifts.
	x := sourceDestination + spread*uint64(ev) ^ salt
	x ^= x >> 27
	x *= 0x3c79ac492ba7b653
	x ^= x >> 33
	x *= 0x1c69b3f74ac4ae35
	return uint32((x ^ x>>27) >> 32)
}

// Port returns the port of a hash, in [0, ports), by multiplication instead of division [Lemire19]. The
// share of the words that lead to a port is within 2^-32 of 1/ports. For a power of two the port is the
// uppermost bits. ports must be in [1, 2^31 - 1]; it is not checked. O(1), inlined.
func Port(hash uint32, ports int) int {
	return int(uint64(hash) * uint64(ports) >> 32)
}

// Remainder returns the port of a hash, in [0, ports), by division, the usual choice with a CRC. For a
// power of two the port is the lowest bits. ports must be in [1, 2^31 - 1]; Remainder panics at 0. O(1),
// some nanoseconds, inlined.
func Remainder(hash uint32, ports int) int {
	return int(hash % uint32(ports))
}
