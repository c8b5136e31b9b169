package recycled

import "repslab/mc"

// ramp decides which balls of overfull bins are good under Config.Ramp. Its words come from a stream of
// their own, and only if the load is inside the ramp: other draws are the same with and without it.
type ramp struct {
	threshold uint32
	inside    uint32 // a removal from a bin with τ+1, ..., τ+inside balls draws: w-1, or w with pmax < 1; 0 for a step
	marks     *marks
}

// marks draws inside a ramp. Loops over bins hold a ramp in registers, so this is apart.
type marks struct {
	random mc.Rand
	width  int
	pmax   float64
}

func newRamp(cfg Config) ramp {
	cfg = cfg.WithDefaults()
	inside := cfg.Ramp
	if cfg.PMax == 1 { // all at the end of the ramp are marked
		inside--
	}
	return ramp{uint32(cfg.Threshold), uint32(inside), &marks{width: cfg.Ramp, pmax: cfg.PMax}}
}

// reset begins the run of a stream. Its first bins+3 children are used elsewhere.
func (r ramp) reset(stream mc.Stream, bins int) {
	r.marks.random = stream.Child(uint64(bins) + 3).Rand()
}

// draws reports whether chance decides if the ball of a bin with this load is good.
func (r ramp) draws(load uint32) bool { return load-r.threshold-1 < r.inside }

// spares draws whether the ball is good, for a load for which draws is true.
func (r ramp) spares(load uint32) bool { return r.marks.spare(uint64(load - r.threshold)) }

// spare returns true with probability 1 - pmax i/w for a ball of a bin with i balls more than τ.
func (m *marks) spare(above uint64) bool {
	if m.pmax < 1 {
		return m.random.Float64()*float64(m.width) >= m.pmax*float64(above)
	}
	return m.random.Below(uint64(m.width)) >= above
}
