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
	loads, seen, weights, most, cache := p.loads, p.seen, p.weights[:len(into)], p.most, r.cache
	var tie int64 // makes a tie a loss of the sample
	if r.tieToCache {
		tie = 1
	}
	for i, sample := range samples {
		more := seen[sample] - seen[cache]
		less := uint32(more >> 63)           // all ones if the sample is less loaded
		loses := uint32((-more - tie) >> 63) // all ones if the cached bin gets the ball
		bin := sample ^ (sample^cache)&loses
		cache ^= (cache ^ sample) & less
		load := loads[bin] + weights[i]
		loads[bin] = load
		most = max(most, load)
		into[i] = bin
	}
	p.most, r.cache = most, cache
}
