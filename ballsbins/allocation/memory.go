package allocation

// memory is the rule with one cached bin.
type memory struct {
	tieToCache bool

	filled bool // the first ball was thrown
	cache  uint32
	both   [2]uint32
}

func (r *memory) reset(*Process) { r.filled = false }

func (r *memory) reads(p *Process) []uint32 {
	r.both[0], r.both[1] = p.samples.peek(1)[0], r.cache
	return r.both[:]
}

func (r *memory) throw(p *Process, into []uint32) {
	samples := p.samples.take(len(into))
	if !r.filled {
		r.cache, r.filled = samples[0], true
	}
	loads, seen, weight, most, cache := p.loads, p.seen, p.weight, p.most, r.cache
	for i, bin := range samples {
		sampled, cached := seen[bin], seen[cache]
		switch {
		case sampled < cached:
			cache = bin
		case sampled > cached || r.tieToCache:
			bin = cache
		}
		load := loads[bin] + weight
		loads[bin] = load
		most = max(most, load)
		into[i] = bin
	}
	p.most, r.cache = most, cache
}
