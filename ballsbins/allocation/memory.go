package allocation

// memory is the rule with one cached bin.
type memory struct {
	filled bool // the first ball was thrown
	cache  uint32
}

func (r *memory) reset(*Process) { r.filled = false }

func (r *memory) throw(p *Process, into []uint32) {
	samples := p.samples.take(len(into))
	if !r.filled {
		r.cache, r.filled = samples[0], true
	}
	seen, cache, live := p.seen, r.cache, p.live
	cached := seen[cache] // kept equal to the cached bin's load: reading the load would delay the next ball
	for i, sample := range samples {
		more, same := seen[sample]-cached, (int64(sample^cache)-1)>>63
		less := more >> 63     // all ones if the sample is less loaded
		loses := (-more) >> 63 // all ones if the cached bin gets the ball
		bin := sample ^ (sample^cache)&uint32(loses)
		cache ^= (cache ^ sample) & uint32(less)
		units := p.units(i, bin)
		p.put(bin, units)
		cached += more&less + units&live&(less|loses|same)
		into[i] = bin
	}
	r.cache = cache
}
