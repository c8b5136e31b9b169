package recycled

import (
	"context"
	"errors"
	"math"
	"slices"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/mc"
)

// Never returns a Monte Carlo estimate of P[a run of self-clocked from empty bins never
// converges] at λ = 1, by splitting: it is unbiased, and made for probabilities far below the
// inverse of the replicas. [Chain] is exact for few bins, and [PhaseOne.BallsTail] an upper bound.
//
// A run never converges if M > n τ before phase one ends. When M reaches a level, the run is split into
// two runs of half the weight. Pilot runs on other streams choose the levels before the replicas: each
// level is the median of M at the end of the runs that passed the previous level. bins must be in [2,
// MaxBins], threshold in [1, MaxThreshold], and [NeverConvergesBound] at least 1e-15; otherwise it
// returns an error. It also returns the errors of plan and of ctx. plan.Workers has no effect. A replica
// takes O(n) rounds and levels with O(n) operations each.
func Never(ctx context.Context, bins, threshold int, plan mc.Plan) (mc.Estimate, error) {
	bad := faults.List{Package: "recycled"}
	bad.In("bins", bins, 2, MaxBins)
	bad.In("threshold", threshold, 1, MaxThreshold)
	if err := errors.Join(checks.Context("recycled", ctx), bad.Err(), plan.Validate()); err != nil {
		return mc.Estimate{}, err
	}
	if NeverConvergesBound(bins, threshold) < neverLeast {
		return mc.Estimate{}, faults.New("recycled", "threshold", threshold,
			"must leave a bound of at least 1e-15 on the probability for %d bins", bins)
	}
	tree := &neverTree{cfg: Config{Bins: bins, Threshold: threshold}.WithDefaults(), ctx: ctx}
	tree.plan(plan.Seed)
	var events mc.Moments
	for replica := range plan.Replicas {
		tree.ends = tree.ends[:0] // only plan uses the ends
		events.Add(tree.run(mc.NewStream(plan.Seed, mc.Algorithm, replica)))
	}
	return events.PositiveMean(mc.DefaultConfidence).Per(math.Ldexp(1, len(tree.levels))), ctx.Err()
}

// The least allowed bound on the probability, and the pilot runs for a level.
const (
	neverLeast  = 1e-15
	neverPilots = 100
)

// neverTree has the paths of a replica by depth. They share a generator.
type neverTree struct {
	ctx    context.Context
	cfg    Config
	levels []int64 // balls, ascending
	ends   []int64 // scratch: M at the end of the paths that passed all levels
	paths  []*selfClocked
	rng    mc.Rand
}

// plan chooses the levels.
func (t *neverTree) plan(seed uint64) {
	for t.ctx.Err() == nil {
		t.ends = t.ends[:0]
		for pilot := range uint64(neverPilots) {
			t.run(mc.NewStream(seed, mc.Workload, uint64(len(t.levels)*neverPilots)+pilot))
		}
		if len(t.ends) == 0 {
			return
		}
		slices.Sort(t.ends)
		level := t.ends[len(t.ends)/2]
		if level > t.cfg.mostBalls() || len(t.levels) > 0 && level <= t.levels[len(t.levels)-1] {
			return
		}
		t.levels = append(t.levels, level)
	}
}

// run runs a replica and returns the number of paths that never converge; 0 if ctx is done.
func (t *neverTree) run(stream mc.Stream) int64 {
	if t.ctx.Err() != nil {
		return 0
	}
	root := t.path(0)
	root.Reset(stream)
	t.rng = root.rng
	return t.follow(root, 0)
}

// path returns the scratch path of a depth.
func (t *neverTree) path(depth int) *selfClocked {
	if depth == len(t.paths) {
		t.paths = append(t.paths, newSelfClocked(t.cfg))
	}
	return t.paths[depth]
}

// follow runs a path that has passed some levels and all paths into which it is split, and returns the
// number of these that never converge. A copy is stored at the depth of the levels that it has passed, so
// it is not overwritten before its run ends.
func (t *neverTree) follow(p *selfClocked, passed int) (count int64) {
	for {
		for passed < len(t.levels) && p.Balls() >= t.levels[passed] {
			passed++
			other := t.path(passed)
			other.copyFrom(p)
			count += t.follow(other, passed)
		}
		never := p.Balls() > t.cfg.mostBalls()
		if never || p.empty == 0 {
			if passed == len(t.levels) {
				t.ends = append(t.ends, p.Balls())
			}
			if never {
				count++
			}
			return count
		}
		p.rng = t.rng
		p.Step()
		t.rng = p.rng
	}
}

// copyFrom takes over the loads of a process of the same configuration. O(n).
func (s *selfClocked) copyFrom(from *selfClocked) {
	s.Counts = from.Counts // shares the ports; all of them serve
	copy(s.loads, from.loads)
	s.overfull = append(s.overfull[:0], from.overfull...)
	s.empty, s.largest, s.above = from.empty, from.largest, from.above
}
