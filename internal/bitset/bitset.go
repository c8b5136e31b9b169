// Package bitset provides sets of small integers with one bit for each, such as the hosts, ports or
// packets that have work.
package bitset

import "math/bits"

// Set is a set of integers in [0, 64*len). The zero value has room for none; [New] makes a set with room.
// Methods only check the bounds of the slice.
type Set []uint64

// New returns an empty set with room for [0, n).
func New(n int) Set { return make(Set, (n+63)/64) }

// Add puts i into the set.
func (s Set) Add(i int32) { s[uint32(i)/64] |= 1 << (uint32(i) % 64) }

// Has reports whether i is in the set.
func (s Set) Has(i int32) bool { return s[uint32(i)/64]>>(uint32(i)%64)&1 != 0 }

// Remove takes i out of the set.
func (s Set) Remove(i int32) { s[uint32(i)/64] &^= 1 << (uint32(i) % 64) }

// Part returns a word of the set, the members 64*word to 64*word+63, restricted to members in [from, to).
func (s Set) Part(word, from, to int32) uint64 {
	members := s[word]
	if word == from/64 {
		members &= ^uint64(0) << (uint32(from) % 64)
	}
	if word == (to-1)/64 {
		members &= ^uint64(0) >> (63 - uint32(to-1)%64)
	}
	return members
}

// Empty reports whether the set is empty. O(len).
func (s Set) Empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// FirstAbsent returns the first number of [from, to) that is not in the set, or to.
func (s Set) FirstAbsent(from, to int32) int32 {
	for from < to {
		offset := uint32(from) % 64
		run := int32(bits.TrailingZeros64(^(s[from/64] >> offset)))
		if run < 64-int32(offset) {
			return min(from+run, to)
		}
		from += 64 - int32(offset)
	}
	return to
}

// From returns the members of [first, first + 64) below end: bit i is first + i.
func (s Set) From(first, end int32) uint64 {
	shift := uint32(first) % 64
	members := s[first/64] >> shift
	if next := first/64 + 1; shift > 0 && next*64 < end {
		members |= s[next] << (64 - shift)
	}
	if left := end - first; left < 64 {
		members &= 1<<uint32(left) - 1
	}
	return members
}
