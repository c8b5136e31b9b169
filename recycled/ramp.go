package recycled

import "repslab/mc"

// ramp decides which balls of overfull bins are good under Config.Ramp. Its words come from a stream of
// their own, and only if the load is inside the ramp: other draws are the same with and without it.
type ramp struct {
	threshold uint32
	inside    uint32 // a removal from a bin with τ+1, ..., τ+inside balls draws: w-1, or w with pmax < 1; 0 for a step
	width     uint32
	pmax      float64
	marks     *mc.Rand
}

func newRamp(cfg Config) ramp {
	cfg = cfg.WithDefaults()
	r := ramp{threshold: uint32(cfg.Threshold), width: uint32(cfg.Ramp), pmax: cfg.PMax, marks: new(mc.Rand)}
	if r.inside = r.width; cfg.PMax == 1 { // all at the end of the ramp are marked
		r.inside--
	}
	return r
}

// reset begins the run of a stream. Its first bins+3 children are used elsewhere.
func (r ramp) reset(stream mc.Stream, bins int) { *r.marks = stream.Child(uint64(bins) + 3).Rand() }

// draws reports whether chance decides if the ball of a bin with this load is good.
func (r ramp) draws(load uint32) bool { return load-r.threshold-1 < r.inside }

// spares draws whether the ball is good, for a load for which draws is true: with probability 1 - pmax
// i/w if the bin has i balls more than τ.
func (r ramp) spares(load uint32) bool {
	above := load - r.threshold
	if r.pmax < 1 {
		return r.marks.Float64()*float64(r.width) >= r.pmax*float64(above)
	}
	return r.marks.Below(uint64(r.width)) >= uint64(above)
}
