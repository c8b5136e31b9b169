package allocation

// thinning is the rule MeanThinning: a sample is kept if its load is at most the average plus an offset,
// which is in units of W L.
type thinning struct{ offset int64 }

func (r *thinning) reset(p *Process) {}
func (r *thinning) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	seen, limit, live := p.seen, p.average(r.offset), p.live
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		full := uint32((limit.limit - seen[bin]) >> 63) // all ones if the sample is above the limit
		bin ^= (bin ^ other) & full
		p.put(bin, p.units(i, bin))
		limit.add(p.weight(i) & live)
		into[i] = bin
	}
}
