package mrc

import "math/bits"

// splitMix is the generator SplitMix64: 8 bytes of state that go with a connection.
type splitMix uint64

// Uint64 returns the next word.
func (s *splitMix) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// among returns the EVs of a word of the set that are active.
func (p *plane) among(word int) uint64 {
	return ^p.unusable[word] &^ (^uint64(0) << max(0, min(64, int(p.end)-64*word)))
}

// anyGood reports whether an active EV is Good.
func (p *plane) anyGood() bool {
	for word, second := range p.second {
		if p.among(word)&^second != 0 {
			return true
		}
	}
	return false
}

// draw takes a uniform one of the active EVs that have not had their turn in this pass; if all have, the next pass
// begins. O(words).
func (p *plane) draw(orders *splitMix) (k int) {
	left := p.waiting()
	if left == 0 {
		p.taken = [words]uint64{}
		left = p.waiting()
	}
	skip := int(below(orders, uint64(left)))
	for word := range p.taken {
		waiting := p.among(word) &^ p.taken[word]
		if count := bits.OnesCount64(waiting); count <= skip {
			skip -= count
			continue
		}
		for ; skip > 0; skip-- {
			waiting &= waiting - 1
		}
		p.taken[word] |= waiting & -waiting
		return 64*word + bits.TrailingZeros64(waiting)
	}
	panic("mrc: no active EV")
}

// waiting returns how many active EVs have not had their turn in this pass.
func (p *plane) waiting() (count int) {
	for word, taken := range p.taken {
		count += bits.OnesCount64(p.among(word) &^ taken)
	}
	return count
}
