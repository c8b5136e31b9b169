package recycled

import (
	"context"
	"math"

	"repslab/faults"
	"repslab/internal/checks"
	"repslab/internal/must"
	"repslab/mc"
)

// Status is the state of a run.
type Status uint8

// The states of a run.
const (
	Running   Status = iota // may still converge, or has no absorbing state
	Converged               // absorbed: the loads repeat; under repeated balls into bins, stabilised
	Certified               // M > n τ: never converges
)

// Process is one run of a recycled process, advanced round by round. Make it
// with [New]; it is not safe for concurrent use. Methods panic if an argument is out of range.
type Process interface {
	// Reset gives the bins the loads of Config.Start, empties all memory, makes all ports serve in every
	// round and begins a run that draws from stream.
	Reset(stream mc.Stream)
	// Step runs one round.
	Step()
	// Advance runs up to the given number of rounds, at least 0, and stops after the first round with a
	// Status other than Running. The run may not pass round MaxMaxRounds.
	Advance(rounds int)
	// Round returns the number of rounds run since Reset.
	Round() int
	// SetPort makes a bin, 0 <= bin < n, serve only in rounds divisible by every, which
	// must not be negative: 2 and more is a slow port, 0 a broken one, 1 a normal one.
	// It applies from the next round until Reset.
	SetPort(bin, every int)
	// Status returns the status after the last round, Running while a port is slow.
	// Step may be called after Converged or Certified.
	Status() Status
	// Load returns the balls in a bin, 0 <= bin < n.
	Load(bin int) int
	// Balls returns M, the balls in all bins.
	Balls() int64
	// MaxLoad returns the largest load seen after any round since Reset, or at the start.
	MaxLoad() int
	// Throws returns the number of balls thrown since Reset, and the number thrown into a random bin or,
	// with EVs, not recycled. Lost balls (λ < 1) count as thrown.
	Throws() (all, random int64)
	// ColorRepeated reports whether two balls of one colour were in the bins together
	// at any time since Reset; known is false if the process has no colours.
	ColorRepeated() (repeated, known bool)
}

// New returns the process that cfg describes at the start of a run on the zero stream, or the faults of cfg.
// Reset begins a run on another stream.
func New(cfg Config) (Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	var p Process
	switch {
	case cfg.Clocking == RoundRobin:
		p = newRoundRobin(cfg)
	case cfg.Clocking == PerFlow && cfg.EVS > 0:
		p = newPerEV(cfg)
	case cfg.Clocking == PerFlow:
		p = newPerFlow(cfg)
	case cfg.Clocking == Ack:
		p = newAckClocked(cfg)
	case cfg.Clocking == Frozen:
		p = newFrozen(cfg)
	default:
		p = newSelfClocked(cfg)
	}
	p.Reset(mc.Stream{})
	return p, nil
}

// mustBeRounds panics unless a process may run the given number of rounds.
func mustBeRounds(p Process, rounds int) {
	must.BeIn("recycled: Process.Advance", "rounds", rounds, 0, MaxMaxRounds-p.Round())
}

// advance is Advance of every process.
func advance(p Process, rounds int) {
	mustBeRounds(p, rounds)
	for range rounds {
		p.Step()
		if p.Status() != Running {
			return
		}
	}
}

// Outcome is the result of one run. The run is decided when it has converged, is certified never to
// converge, or has reached MaxRounds. A whole run has H rounds: Config.Horizon or, without one,
// MaxRounds. Without a horizon a certified run ends at its certificate, so its later loads are unknown.
// The later loads of a converged run follow from its period.
type Outcome struct {
	Status            Status
	Rounds            int // until the decision; if Status is Converged, the first round of the absorbed state
	MaxLoadAtDecision int // largest load at the start or in these rounds, balls
	// RandomFraction is the share of random throws in these rounds, or in the second half of MaxRounds if no
	// absorbing state is known; NaN without throws.
	RandomFraction float64

	MaxLoad       int  // largest load at the start or in the first H rounds, balls
	MaxLoadKnown  bool // MaxLoad is defined
	ColorRepeated bool // two balls of one colour were in the bins together in the first H rounds
	ColorsKnown   bool // ColorRepeated is known; always true if it is true

	// Over the late rounds (H/2, H], under SelfClocked. They are unknown if MaxLoad is unknown.
	LateKnown    bool    // the next three fields are defined
	EmptyShare   float64 // empty bins over n, averaged over rounds
	RoundMaxLoad float64 // largest load of a round, averaged over rounds, balls
	LateMaxLoad  int     // largest load in any of these rounds, balls

	// Under Frozen, NaN otherwise, at the end of the run: the different EVs of a flow's balls in the bins and on their
	// way back, and the share of the most frequent one, in (0, 1]; means over flows.
	DistinctEVs, TopEVShare float64

	Throws int64 // balls thrown in all rounds that were run, lost balls included
}

// Run resets p with stream and runs it until it is decided and, with a horizon, to the horizon. cfg must
// be the configuration from which p was made. It returns early with ctx.Err() when ctx is cancelled, and the
// faults of cfg, a nil ctx or a nil p.
func Run(ctx context.Context, p Process, cfg Config, stream mc.Stream) (Outcome, error) {
	bad := faults.List{Package: "recycled"}
	bad.Add(checks.Context("recycled", ctx))
	if p == nil {
		bad.Refuse("p", p, "must not be nil: New makes one")
	}
	bad.Add(cfg.Validate())
	if err := bad.Err(); err != nil {
		return Outcome{}, err
	}
	cfg = cfg.WithDefaults()
	p.Reset(stream)
	half, whole := 0, cfg.whole()
	if !cfg.decidable() {
		half = cfg.MaxRounds / 2
	}
	pause := checks.Every(cfg.Bins)
	late := newLate(p, cfg)
	var o Outcome
	var thrownBefore, randomBefore int64
	for p.Round() < cfg.MaxRounds && p.Status() == Running {
		if ctx.Err() != nil {
			if !cfg.decidable() || cfg.Clocking != SelfClocked {
				mc.ReportShare(ctx, float64(p.Round())/float64(whole))
			}
			return Outcome{}, ctx.Err()
		}
		next := min(cfg.MaxRounds, p.Round()+pause)
		if p.Round() == half {
			thrownBefore, randomBefore = p.Throws()
		}
		for _, stop := range [...]int{half, late.after, whole} {
			if p.Round() < stop {
				next = min(next, stop)
			}
		}
		late.advance(next)
		if p.Round() == whole {
			o.follow(p)
		}
	}
	thrown, random := p.Throws()
	o.Status, o.Rounds, o.MaxLoadAtDecision = p.Status(), p.Round(), p.MaxLoad()
	o.RandomFraction = float64(random-randomBefore) / float64(thrown-thrownBefore)
	if p.Round() < whole {
		if err := o.goOn(ctx, p, cfg, pause, late); err != nil {
			return Outcome{}, err
		}
	}
	late.report(&o)
	o.DistinctEVs, o.TopEVShare = math.NaN(), math.NaN()
	if f, is := p.(*frozen); is {
		o.DistinctEVs, o.TopEVShare = f.variety()
	}
	o.Throws, _ = p.Throws()
	return o, nil
}

// follow records the loads and the colours of the rounds so far as the results of a whole run.
func (o *Outcome) follow(p Process) {
	o.MaxLoad, o.MaxLoadKnown = p.MaxLoad(), true
	o.ColorRepeated, o.ColorsKnown = p.ColorRepeated()
}

// goOn runs a decided run to the end of its H rounds, unless it is absorbed: then its loads repeat the
// last cycle. If no two balls of a colour have met by then, none ever will. Each ball of the last cycle
// is the only one of its colour, and its removal changes no memory, so its colour already remembered its
// bin. Only b colours remember a bin, so no load exceeded b and no ball stays in a bin for more than b
// rounds, in which each colour is thrown once. pause is the number of rounds between two checks of ctx.
func (o *Outcome) goOn(ctx context.Context, p Process, cfg Config, pause int, late *late) error {
	until := cfg.whole()
	switch {
	case o.Status == Converged && cfg.absorbing():
		until = p.Round()
	case cfg.Horizon == 0:
		repeated, _ := p.ColorRepeated()
		o.ColorRepeated, o.ColorsKnown = repeated, repeated
		return nil
	}
	for p.Round() < until {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		late.step(min(until, p.Round()+pause))
	}
	o.follow(p)
	return nil
}
