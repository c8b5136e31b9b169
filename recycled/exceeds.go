package recycled

import (
	"errors"
	"math"

	"repslab/faults"
	"repslab/mc"
)

// MaxExceeds bounds the queue length of [NewExceedsExperiment].
const MaxExceeds = 1 << 20

// ErrNotRare reports that the tail of a queue is not estimated: the clocking is not PerFlow, or λ = 1. At
// λ = 1 no stationary law is reached from every state: without a window M never decreases, and with a
// window the loads may repeat for ever.
var ErrNotRare = errors.New("recycled: the probability that a queue exceeds a length needs the clocking per-flow " +
	"and lambda below 1")

// NewExceedsExperiment returns the experiment that estimates P[load > exceeds], the stationary probability that a
// given bin holds more than exceeds balls after the throws of a round, under per-flow recycling with λ < 1. The
// method is multilevel splitting on the largest load; see [mc.Splitting]. cfg.Start, MaxRounds and Horizon have no
// effect. At λ < 1 the bins and the rings are all empty at some time in every run, so there is one stationary law.
// Each replica begins empty and does not count its first
//
//	W = 4 (exceeds + d + 1)/(1-λ) + 20/(1-λ)²
//
// rounds; then it counts 3 W rounds, at least 4,096. That the law is stationary after W rounds
// is an assumption, which longer runs of a few configurations support.
//
// The largest load is a good importance while queues grow by random throws. It is worse if rings and
// delays hold balls that will return to the queue. With a delay beyond the stability boundary (n = 8, τ =
// 4, λ = 0.9, d = 30) the estimates agree with plain runs (7.1e-4 above 26 balls), but the rarer the
// queue, the more the replicas scatter. The interval shows it.
//
// It returns the errors of cfg, ErrNotRare, and an error unless exceeds is in [1, MaxExceeds] and EVS is
// 0.
func NewExceedsExperiment(cfg Config, exceeds int) (mc.Experiment[*mc.SplitTally], error) {
	if err := cfg.Validate(); err != nil {
		return mc.Experiment[*mc.SplitTally]{}, err
	}
	cfg = cfg.WithDefaults()
	if cfg.Clocking != PerFlow || cfg.Lambda == 1 {
		return mc.Experiment[*mc.SplitTally]{}, ErrNotRare
	}
	bad := faults.List{Package: "recycled"}
	bad.In("exceeds", exceeds, 1, MaxExceeds)
	if cfg.EVS > 0 {
		bad.Refuse("EVS", cfg.EVS, "must be 0 for the probability that a queue exceeds a length")
	}
	if err := bad.Err(); err != nil {
		return mc.Experiment[*mc.SplitTally]{}, err
	}
	cfg.Start, cfg.Balls = Empty, 0
	slack := 1 - cfg.Lambda
	warm := int(math.Ceil(float64(4*(float64(exceeds+cfg.Delay)+1)/slack) + float64(20/(slack*slack))))
	return mc.Splitting{
		Top:       exceeds + 1,
		Warm:      warm,
		Rounds:    max(3*warm, 4096),
		Units:     float64(cfg.Bins),
		NewFamily: func() mc.PathFamily { return &family{root: newPerFlow(cfg), top: exceeds + 1} },
	}.Experiment(), nil
}

// family makes the paths of a splitting. All draw from the generators of the root.
type family struct {
	root *perFlow
	top  int
}

// path is one copy of the process in a splitting.
type path struct {
	*perFlow
	top int
}

// Begin begins the run of a stream at the root path. O(n) time.
func (f *family) Begin(stream mc.Stream) mc.Path {
	f.root.Reset(stream)
	return path{f.root, f.top}
}

// NewPath returns a path that draws from the generators of the root. O(n (d+1)) memory.
func (f *family) NewPath() mc.Path {
	p := newPerFlow(f.root.cfg)
	p.draws, p.losses, p.ramp = f.root.draws, f.root.losses, f.root.ramp
	return path{p, f.top}
}

// Observe returns the largest load, in balls, as the importance, and the number of bins that exceed the
// length. O(n).
func (p path) Observe() (importance int, events int64) {
	for bin := range p.cfg.Bins {
		load := p.Load(bin)
		importance = max(importance, load)
		if load >= p.top {
			events++
		}
	}
	return importance, events
}

// CopyFrom takes over the balls, rings and flows of a path of the same family. O(balls + n (d+1)).
func (p path) CopyFrom(other mc.Path) {
	from := other.(path).perFlow
	p.Counts = from.Counts // shares the ports; all of them serve
	p.queues.CopyFrom(&from.queues)
	p.rings.CopyFrom(&from.rings)
	copy(p.inFlight, from.inFlight)
	for i, due := range from.returning {
		p.returning[i] = append(p.returning[i][:0], due...)
	}
}
