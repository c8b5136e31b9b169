package mrc

// splitMix is the generator SplitMix64, with 8 bytes of state for each connection.
type splitMix uint64

// Uint64 returns the next word.
func (s *splitMix) Uint64() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// anyOutside reports whether some active EV is not in evs, which has a bit for each EV.
func (p *plane) anyOutside(evs *[words]uint64) bool {
	for word, bits := range evs {
		behind := ^uint64(0) << max(0, min(64, int(p.end)-64*word))
		if ^(p.unusable[word] | bits | behind) != 0 {
			return true
		}
	}
	return false
}

// draw takes a uniform EV of the active ones that have not had their turn in this pass. If all have had it, the
// next pass begins. O(set) at the end of a pass, O(log set) on average.
func (p *plane) draw(orders *splitMix) (k int) {
	if !p.anyOutside(&p.taken) {
		p.taken = [words]uint64{}
	}
	for {
		k = int(below(orders, uint64(p.end)))
		if word, bit := k/64, uint64(1)<<(k%64); (p.unusable[word]|p.taken[word])&bit == 0 {
			p.taken[word] |= bit
			return k
		}
	}
}
