package ballsbins

import (
	"errors"
	"math"
	"slices"

	"repslab/faults"
	"repslab/mc"
)

// MaxExceeds bounds the queue length of [NewExceedsExperiment].
const MaxExceeds = 1 << 20

// leastRounds is the least number of rounds that a replica counts.
const leastRounds = 4096

// ErrNotRare reports that splitting does not estimate the tail of a queue for this configuration. At λ =
// 1 there is no stationary law. Under policies other than Uniform the largest load does not measure how
// close a state is to a rare one: under TwoChoice, for example, the loads of all bins decide.
var ErrNotRare = errors.New("ballsbins: the probability that a queue exceeds a length needs lambda below 1, " +
	"uniform bins and balls of weight 1")

// NewExceedsExperiment returns the experiment that estimates P[load > exceeds], the stationary probability that a
// given bin holds more than exceeds balls. Loads are observed at the time that cfg.Variant says. The method is
// multilevel splitting on the largest load; see [mc.Splitting]. Probabilities down to 1e-18 are in reach. cfg.Rounds
// has no effect. Each replica begins empty and does not count its first
//
//	W = 4 (exceeds + 1)/(1-λ) + 20/(1-λ)²
//
// rounds, after which the tail is below the stationary one by less than one part in 10^6 wherever the
// exact law was compared; then it counts 3 W rounds, at least 4,096. It returns the errors of cfg,
// ErrNotRare, and an error if exceeds is not in [1, MaxExceeds]. A replica throws about 4 W n exceeds
// balls.
func NewExceedsExperiment(cfg Config, exceeds int) (mc.Experiment[*mc.SplitTally], error) {
	if err := checkExceeds(cfg, exceeds); err != nil {
		return mc.Experiment[*mc.SplitTally]{}, err
	}
	cfg = cfg.WithDefaults()
	warm := exceedsWarm(cfg.Lambda, exceeds)
	return mc.Splitting{
		Top:    topLoad(cfg, exceeds),
		Warm:   warm,
		Rounds: max(3*warm, leastRounds),
		Units:  float64(cfg.Bins),
		NewFamily: func() mc.PathFamily {
			return &family{cfg: cfg, top: int64(topLoad(cfg, exceeds)), offered: newArrivals(cfg.Bins, cfg.Lambda)}
		},
	}.Experiment(), nil
}

// exceedsWarm returns W of [NewExceedsExperiment].
func exceedsWarm(lambda float64, exceeds int) int {
	slack := 1 - lambda
	return int(math.Ceil(float64(4*(float64(exceeds)+1)/slack) + float64(20/(slack*slack))))
}

// topLoad returns the least load, between arrivals and service, of a bin that exceeds the given length
// when its variant observes it.
func topLoad(cfg Config, exceeds int) int {
	if cfg.Variant == ServeThenArrive {
		return exceeds + 1
	}
	return exceeds + 2
}

// checkExceeds returns the faults of an experiment.
func checkExceeds(cfg Config, exceeds int) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	cfg = cfg.WithDefaults()
	if cfg.Lambda == 1 || cfg.Policy != Uniform || cfg.Variant == Weighted {
		return ErrNotRare
	}
	bad := faults.List{Package: "ballsbins"}
	bad.In("exceeds", exceeds, 1, MaxExceeds)
	bad.Check(len(cfg.Start) == 0, "Start", cfg.Start, "must be empty for a stationary tail, which does not depend on it")
	if cfg.Lambda > MaxStationaryLambda {
		bad.Refuse("Lambda", cfg.Lambda, "must be at most %v for a stationary tail", MaxStationaryLambda)
	}
	return bad.Err()
}

// ExceedsExact returns P[load > exceeds] as [NewExceedsExperiment] estimates it, exact up to the errors
// named at [Stationary]; probabilities below about 1e-30 are 0. It returns the errors of the experiment.
func ExceedsExact(cfg Config, exceeds int) (float64, error) {
	if err := checkExceeds(cfg, exceeds); err != nil {
		return 0, err
	}
	cfg = cfg.WithDefaults()
	law, err := StationaryBinomial(cfg.Bins, cfg.Lambda)
	if err != nil {
		return 0, err
	}
	return law.Tail(topLoad(cfg, exceeds)), nil
}

// family holds the random numbers that the paths of a splitting share.
type family struct {
	cfg     Config
	top     int64
	rng     mc.Rand
	offered arrivals
	root    *path
}

// path is one copy of the process in a splitting.
type path struct {
	*family
	kernel *scalar
}

// NewPath returns a path with empty bins. O(n).
func (f *family) NewPath() mc.Path { return &path{f, newScalar(f.cfg)} }

// Begin empties the bins of the root path and begins the random numbers of a stream. O(n).
func (f *family) Begin(stream mc.Stream) mc.Path {
	f.rng = stream.Rand()
	f.offered.reset(&f.rng)
	if f.root == nil {
		f.root = &path{f, newScalar(f.cfg)}
	}
	f.root.kernel.reset()
	return f.root
}

// Step advances the path by one round. O(n).
func (p *path) Step() { p.kernel.advance(&p.rng, &p.offered, 1) }

// Observe returns the largest load, in balls, as the importance, and the number of bins that exceed the
// length. O(n).
func (p *path) Observe() (importance int, events int64) {
	largest := slices.Max(p.kernel.loads)
	if largest >= p.top {
		for _, load := range p.kernel.loads {
			if load >= p.top {
				events++
			}
		}
	}
	return int(largest), events
}

// CopyFrom takes over the loads of a path of the same family; random numbers are shared. O(n).
func (p *path) CopyFrom(other mc.Path) { copy(p.kernel.loads, other.(*path).kernel.loads) }
