package allocation

import "math"

// thinning is a rule of two-thinning: a sample is kept if its load is at most a limit.
type thinning struct {
	offset int64   // of the limit from the average, in units of W L
	fixed  average // the limit of TwoThinning, which no ball moves; of other rules the zero value
}

// newThinning returns the rule of a configuration with defaults applied. A load x is below a real number v if
// x <= ceil(v) - 1, since loads in units are integers.
func newThinning(c Config) *thinning {
	switch c.Rule {
	case RelativeThreshold:
		return &thinning{offset: int64(math.Ceil(c.Offset*float64(c.capacity())*float64(c.unit()))) - 1}
	case TwoThinning:
		limit := min(float64(c.Threshold)*float64(c.unit()), 1<<62) // no load is that large
		return &thinning{fixed: average{limit: int64(limit) - 1, capacity: 1}}
	}
	return &thinning{offset: -1}
}

func (r *thinning) reset(p *Process) {}
func (r *thinning) throw(p *Process, into []uint32) {
	pairs := p.samples.take(2 * len(into))
	seen, limit, live := p.seen, r.fixed, p.live
	if limit.capacity == 0 {
		limit = p.average(r.offset)
	}
	for i := range into {
		bin, other := pairs[2*i], pairs[2*i+1]
		full := uint32((limit.limit - seen[bin]) >> 63) // all ones if the sample is above the limit
		bin ^= (bin ^ other) & full
		p.put(bin, p.units(i, bin))
		limit.add(p.weight(i) & live)
		into[i] = bin
	}
}
