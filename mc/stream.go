package mc

import (
	"math/bits"
	"math/rand/v2"
)

// Purpose separates the streams of one replica by their use, so two algorithms that
// draw differently still meet the same workload. Values from 4 on are free for users.
type Purpose uint64

// The purposes of the random streams of a replica.
const (
	Workload  Purpose = 1 + iota // flow sizes, partners, arrival times
	Salts                        // switch hash salts and other fixed properties of the network
	Algorithm                    // all draws of the studied process itself
)

// golden is 2^64 divided by the golden ratio, rounded to odd: the increment of
// a Weyl sequence whose points spread evenly [Steele14].
const golden = 0x9e3779b97f4a7c15

// Stream identifies one of 2^64 random streams. It is a comparable value;
// [Stream.Rand] and [Stream.Source] return generators at its beginning.
type Stream struct {
	a, b uint64
}

// NewStream returns the stream of (seed, purpose, replica). For a fixed seed and
// purpose different replicas have different streams (the hash is a bijection of the
// replica index); streams of different seeds or purposes coincide with probability
// 2^-64 per pair.
func NewStream(seed uint64, purpose Purpose, replica uint64) Stream {
	h := mix(seed + golden)
	h = mix(h + golden*uint64(purpose))
	h = mix(h + golden*(replica+1))
	return Stream{a: h, b: mix(h ^ 0x6a09e667f3bcc909)}
}

// Child returns the stream of the i-th part of s (a flow, a port). Children of
// one stream differ from each other; like any two streams a child and an
// unrelated stream coincide with probability 2^-64.
func (s Stream) Child(i uint64) Stream {
	h := mix(s.b + golden*(i+1))
	h = mix(h ^ s.a)
	return Stream{a: h, b: mix(h ^ 0xbb67ae8584caa73b)}
}

// mix is a bijection of 64-bit words in which every input bit changes every
// output bit with probability near one half: the finaliser of SplitMix64 with
// Stafford's constants, variant 13 [Steele14].
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Rand is the generator of hot kernels: a Weyl sequence; each term is multiplied by a keyed copy of
// itself and the halves of the product are XORed (wyrand [Wyrand]). It has 16 bytes of state and takes
// about a nanosecond per word. The key belongs to the stream, so two streams whose Weyl sequences overlap
// still give different words. A *Rand is a [rand.Source] of math/rand/v2, so rand.New and gonum's
// distributions take it. It is not for cryptography. The zero value is the generator of the zero [Stream]. A
// Rand is not safe for concurrent use.
type Rand struct {
	state uint64
	key   uint64 // the stream's key XOR zeroKey
}

// zeroKey is the key of the zero Stream: balancedKey(0).
const zeroKey = 0xe220a8397b1dcdaf

var _ rand.Source = (*Rand)(nil)

// Rand returns the generator of the stream at its beginning. It is called once for a run or flow, not inlined.
//
//go:noinline
func (s Stream) Rand() Rand {
	return Rand{state: s.a, key: balancedKey(s.b) ^ zeroKey}
}

// balancedKey turns a hashed word into an odd key with 24 to 40 one bits. Like the secrets of wyrand it
// differs from every state in about half of the bits. With a sparse key, runs of zeros in the state would
// show in the product.
func balancedKey(h uint64) uint64 {
	for {
		key := h | 1
		if ones := bits.OnesCount64(key); ones >= 24 && ones <= 40 {
			return key
		}
		h = mix(h + golden)
	}
}

// Uint64 returns the next word of the stream, uniform on [0, 2^64) up to the
// imperfection of a 64-bit generator. O(1), no allocation, inlined.
func (r *Rand) Uint64() uint64 {
	r.state += golden
	hi, lo := bits.Mul64(r.state, r.state^(r.key^zeroKey))
	return hi ^ lo
}

// Next returns the next word of the stream and the generator after it. It is for loops that keep the
// generator in registers, which the pointer receiver of Uint64 prevents:
//
//	r := *rng
//	for ... {
//		var w uint64
//		w, r = r.Next()
//	}
//	*rng = r
func (r Rand) Next() (uint64, Rand) {
	r.state += golden
	hi, lo := bits.Mul64(r.state, r.state^(r.key^zeroKey))
	return hi ^ lo, r
}

// Below returns an exactly uniform integer in [0, n) by multiplication and,
// with probability below n/2^64, rejection [Lemire19]. It panics if n is 0.
func (r *Rand) Below(n uint64) uint64 {
	for {
		hi, lo := bits.Mul64(r.Uint64(), n)
		if lo > n-1 { // not if n is 0
			return hi
		}
		if n == 0 {
			panic(noRange)
		}
		if lo >= -n%n {
			return hi
		}
	}
}

// noRange is the panic of Below.
const noRange = "mc: Rand.Below: n (0) must be at least 1"

// NextBelow returns the integer of [Rand.Below] and the generator after it, for loops that keep the
// generator in registers as with [Rand.Next]. O(1), no allocation, inlined.
func (r Rand) NextBelow(n uint64) (uint64, Rand) {
	for {
		word, next := r.Next()
		hi, lo := bits.Mul64(word, n)
		if r = next; lo > n-1 {
			return hi, r
		}
		if n == 0 {
			panic(noRange)
		}
		if lo >= -n%n {
			return hi, r
		}
	}
}

// Float64 returns a uniform multiple of 2^-53 in [0, 1).
func (r *Rand) Float64() float64 {
	return float64(float64(r.Uint64()>>11) * 0x1p-53) // rounded before a caller adds to it
}
