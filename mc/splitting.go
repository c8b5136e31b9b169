package mc

import (
	"context"
	"errors"
	"fmt"
	"math"

	"repslab/internal/checks"
	"repslab/internal/elementary"
	"repslab/internal/must"
)

// Path is one copy of a Markov chain whose rare states [Splitting] estimates.
type Path interface {
	// Step runs one round, with random numbers that no other path gets.
	Step()
	// Observe returns the importance of the current state, at least 0, and the number of rare events in
	// it. Events must be 0 below importance Splitting.Top, and may be 0 above.
	Observe() (importance int, events int64)
	// CopyFrom copies the state of another path of the same family.
	CopyFrom(other Path)
}

// PathFamily makes the paths of a worker, which share a source of random numbers.
type PathFamily interface {
	// Begin makes the family draw from a stream and returns the root path at the start of a run. It may
	// return the root path of the previous run again.
	Begin(stream Stream) Path
	// NewPath returns a path in any state.
	NewPath() Path
}

// Splitting describes the estimation of the mean number of rare events a round by multilevel splitting
// with retrials (RESTART) [Villen91]. Each path at importance l carries the weight 2^-s(l), with s
// nondecreasing in l. A path for which s(l) rises from s to t is split into 2^(t-s) paths, and each new
// path ends when s(l) falls below the value at which it was made. So about as many paths are at a high
// importance as at a low one, and the mean of
//
//	(events of all paths in the rounds counted) 2^-s(Top) / (Rounds Units)
//
// is exactly the probability that one of Units objects is rare, averaged over the rounds counted. That
// holds for every function s: the choice of s affects only the variance. Pilot runs, on streams of the
// same seed, choose it level by level before the replicas: s(l) is the binary logarithm of 1/P[importance
// >= l], rounded down.
//
// The variance is small if all states of one importance reach the rare states with about the same
// probability. Otherwise few of the paths that are split reach the next level. Then either too few pilot
// runs reach it, which is ErrNoSplitting, or the replicas disagree, and the interval is wide and has a
// warning.
type Splitting struct {
	Top       int     // the lowest importance with events, at least 1
	Warm      int     // rounds before the first counted round, at least 0
	Rounds    int     // rounds counted in a replica, at least 1
	Units     float64 // objects that may be rare in a round, positive
	NewFamily func() PathFamily
}

// ErrNoSplitting reports that splitting on the importance does not reach the rare states.
var ErrNoSplitting = errors.New("mc: splitting on the importance does not reach the rare states")

// Limits of a splitting.
const (
	// splitPurpose is the purpose of the streams of the pilot runs.
	splitPurpose Purpose = 1 << 32
	// pilotRuns is the number of pilot runs of a stage. s is chosen for the levels that at least
	// pilotSeen of them reach.
	pilotRuns, pilotSeen = 12, 6
	// maxDoublings bounds s: probabilities down to 1e-18.
	maxDoublings = 60
	// workLimit bounds the path-rounds of a replica, as a multiple of its rounds.
	workLimit = 4000
)

// Experiment returns the experiment that estimates the probability. Its workers fail with
// ErrNoSplitting. It panics if a field is out of its range.
func (s Splitting) Experiment() Experiment[*SplitTally] {
	must.BeIn("mc: Splitting", "Top", s.Top, 1, MaxRounds)
	must.BeIn("mc: Splitting", "Warm", s.Warm, 0, math.MaxInt/2)
	must.BeIn("mc: Splitting", "Rounds", s.Rounds, 1, math.MaxInt/2)
	mustBeUnits("Splitting", s.Units)
	mustNotBeNil("Splitting", "NewFamily", s.NewFamily == nil)
	newTally := func() *SplitTally { return &SplitTally{units: s.Units * float64(s.Rounds)} }
	return EachReplica(newTally, func(seed uint64) (func(context.Context, *SplitTally, uint64) error, error) {
		tree := &splitTree{Splitting: s, family: s.NewFamily()}
		return func(ctx context.Context, t *SplitTally, replica uint64) error {
			if tree.doublings == nil {
				if err := tree.plan(ctx, seed); err != nil {
					return err
				}
			}
			if err := tree.run(ctx, NewStream(seed, Algorithm, replica), nil); err != nil {
				return err
			}
			t.add(tree)
			return nil
		}, nil
	})
}

// splitTree runs the paths of a replica, depth first.
type splitTree struct {
	Splitting
	family    PathFamily
	doublings []uint8 // s(l), up to Top
	paths     []Path  // by depth, beyond the root
	weights   []float64
	failed    error
	ctx       context.Context

	events, work int64
}

// at returns s at an importance.
func (t *splitTree) at(importance int) int { return int(t.doublings[min(importance, t.Top)]) }

// run runs the root path and all paths into which it is split, and counts events and path-rounds. Unless
// visits is nil, it adds to visits[l] the weights of all path-rounds at importance l.
func (t *splitTree) run(ctx context.Context, stream Stream, visits []float64) error {
	t.events, t.work, t.failed, t.ctx = 0, 0, nil, ctx
	root := t.family.Begin(stream)
	t.follow(root, 0, 0, 0, visits)
	return t.failed
}

// follow runs a path from the end of a round until s falls below floor or the rounds end. depth is the
// depth of the paths that it splits off.
func (t *splitTree) follow(p Path, depth, floor, round int, visits []float64) {
	importance, _ := p.Observe()
	now := t.at(importance)
	pause := checks.Every(64)
	for last := t.Warm + t.Rounds; round < last && t.failed == nil; round++ {
		p.Step()
		t.work++
		importance, events := p.Observe()
		before := now
		if now = t.at(importance); now < floor {
			return
		}
		copies := int64(1)
		if now > before {
			copies <<= now - before
		}
		if round >= t.Warm {
			t.events += events * copies
			if visits != nil {
				visits[min(importance, t.Top)] += float64(float64(copies) * t.weights[now])
			}
		}
		if t.work%int64(pause) == 0 && !t.mayGoOn() {
			return
		}
		for level := before + 1; level <= now; level++ {
			for range int64(1) << (level - 1 - before) {
				child := t.child(depth)
				child.CopyFrom(p)
				t.follow(child, depth+1, level, round+1, visits)
			}
		}
	}
}

// mayGoOn reports whether the run may continue: the context is not cancelled and the work is below its
// limit.
func (t *splitTree) mayGoOn() bool {
	switch {
	case t.failed != nil:
	case t.ctx.Err() != nil:
		t.failed = t.ctx.Err()
	case t.work > workLimit*int64(t.Warm+t.Rounds):
		t.failed = fmt.Errorf("%w: the paths of a replica multiply beyond %d times its rounds", ErrNoSplitting, workLimit)
	}
	return t.failed == nil
}

// child returns the scratch path of a depth.
func (t *splitTree) child(depth int) Path {
	if depth == len(t.paths) {
		t.paths = append(t.paths, t.family.NewPath())
	}
	return t.paths[depth]
}

// plan chooses s by pilot runs. Each stage settles s for the levels that enough pilot runs reach; the
// stages end when these include Top.
func (t *splitTree) plan(ctx context.Context, seed uint64) error {
	t.doublings = make([]uint8, t.Top+1)
	t.weights = make([]float64, maxDoublings+1)
	for s := range t.weights {
		t.weights[s] = math.Ldexp(1, -s)
	}
	known := 0 // s is settled up to here
	for stage := uint64(0); known < t.Top; stage++ {
		visits, seen := make([]float64, t.Top+1), make([]int, t.Top+1)
		for run := range uint64(pilotRuns) {
			own := make([]float64, t.Top+1)
			if err := t.run(ctx, NewStream(seed, splitPurpose+Purpose(stage), run), own); err != nil {
				t.doublings = nil
				return err
			}
			reached := false
			for l := t.Top; l >= 0; l-- {
				visits[l] += own[l]
				if reached = reached || own[l] > 0; reached {
					seen[l]++
				}
			}
		}
		settled := known
		for settled < t.Top && seen[settled+1] >= pilotSeen {
			settled++
		}
		if settled == known {
			t.doublings = nil
			return fmt.Errorf("%w: %d of %d pilot runs got from importance %d to %d, fewer than %d",
				ErrNoSplitting, seen[known+1], pilotRuns, known, known+1, pilotSeen)
		}
		t.settle(visits, known, settled)
		known = settled
	}
	return nil
}

// settle sets s for the levels above known, up to settled, from weighted visits. The levels above settled
// get the same s as settled. s never falls from one level to the next.
func (t *splitTree) settle(visits []float64, known, settled int) {
	var above, all float64
	for l := t.Top; l >= 0; l-- {
		all += visits[l]
	}
	for l := t.Top; l > settled; l-- {
		above += visits[l]
	}
	for l := settled; l > known; l-- {
		above += visits[l]
		_, exponent := math.Frexp(all / above) // the ratio is in [2^(exponent-1), 2^exponent)
		t.doublings[l] = uint8(min(maxDoublings, exponent-1))
	}
	for l := known + 1; l <= t.Top; l++ {
		t.doublings[l] = max(t.doublings[l], t.doublings[l-1])
	}
}

// SplitTally accumulates the replicas of a [Splitting]. It implements [Tally].
type SplitTally struct {
	units     float64 // events in a replica if the probability were 1
	events    Moments // per replica, each event of weight 2^-doublings
	doublings Moments // s(Top), the same in all replicas
	work      Count
}

// add records a replica.
func (t *SplitTally) add(tree *splitTree) {
	t.events.Add(tree.events)
	t.doublings.Add(int64(tree.doublings[tree.Top]))
	t.work += Count(tree.work)
}

// Parts implements [Tally]: the events and doublings of each replica, and the path-rounds of all
// replicas.
func (t *SplitTally) Parts() []NamedPart {
	return []NamedPart{
		{Name: "events", Part: &t.events},
		{Name: "doublings", Part: &t.doublings},
		{Name: "work", Part: &t.work},
	}
}

// StoppingStatistic implements [Tally] by the probability.
func (t *SplitTally) StoppingStatistic() Estimate { return t.Probability(DefaultConfidence) }

// Work returns the path-rounds of all replicas.
func (t *SplitTally) Work() uint64 { return uint64(t.work) }

// Probability returns the probability of a rare event, averaged over the rounds counted, with Student's t
// interval of its logarithm over replicas [Student08], by the delta method. The value is unbiased. The
// interval is asymptotic and needs replicas that agree: there is a warning if the standard error is above
// a third of the value. Without any event the probability is 0, with an infinite interval and a warning.
// It panics if confidence is outside (0, 1).
func (t *SplitTally) Probability(confidence float64) Estimate {
	e := t.events.Mean(confidence)
	if t.events.N() == 0 {
		return e
	}
	e = e.Per(math.Ldexp(t.units, int(t.doublings.mean())))
	switch {
	case t.events.N() == 1:
		return e
	case e.Value == 0:
		e.Lo, e.Hi = math.Inf(-1), math.Inf(1)
		e.Warnings = append(e.Warnings, "no rare event in any replica")
		return e
	case e.StdErr > e.Value/3:
		e.Warnings = append(e.Warnings, "the standard error is above a third of the value: the interval is a rough one")
	}
	factor := elementary.Exp((e.Hi - e.Value) / e.Value)
	e.Lo, e.Hi, e.Scale.Logarithmic = e.Value/factor, e.Value*factor, true
	return e
}
