package recycled

import (
	"context"

	"repslab/internal/mc"
)

// Status says what is known of a run.
type Status uint8

// The states of a run.
const (
	Running   Status = iota // may still converge, or has no absorbing state
	Converged               // absorbed: periodic from now on
	Certified               // M > n τ: never converges
)

// Process is one run of a recycled process, advanced round by round. Make it
// with [New]; it is not safe for concurrent use.
type Process interface {
	// Reset empties the bins and all memory, makes all ports serve in every round
	// and begins a run that draws from stream.
	Reset(stream mc.Stream)
	// Step runs one round.
	Step()
	// Advance runs rounds one after the other and ends after the first whose
	// Status is not Running.
	Advance(rounds int)
	// Round returns the number of rounds run since Reset.
	Round() int
	// SetPort lets a bin, 0 <= bin < n, serve only in rounds divisible by every: a
	// slow port, or a broken one if every is 0, or again one like the others if it
	// is 1. It counts from the next round on, until Reset. It panics if bin or every
	// is out of its range.
	SetPort(bin, every int)
	// Status returns what is known after the last round, Running while a port is
	// slow. Stepping on from Converged or Certified is allowed.
	Status() Status
	// Load returns the balls in a bin, 0 <= bin < n.
	Load(bin int) int
	// Balls returns M, the balls in all bins.
	Balls() int64
	// MaxLoad returns the largest load seen after any round since Reset.
	MaxLoad() int
	// Throws returns how many balls were thrown since Reset and how many of them
	// into a random bin; lost balls (λ < 1) count as thrown.
	Throws() (all, random int64)
	// ColorRepeated says whether ever since Reset two balls of one colour were in
	// the bins together, and false for known if the process has no colours.
	ColorRepeated() (repeated, known bool)
}

// New returns the process that cfg describes, or the faults of cfg.
func New(cfg Config) (Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	switch cfg.Clocking {
	case RoundRobin:
		return newRoundRobin(cfg), nil
	case PerFlow:
		return newPerFlow(cfg), nil
	default:
		return newSelfClocked(cfg), nil
	}
}

// Outcome is what one run gave.
type Outcome struct {
	Status         Status
	Rounds         int     // run; where Status is Converged the first round of the absorbed state
	Throws         int64   // over the run, lost balls included
	MaxLoad        int     // over the run, balls
	RandomFraction float64 // of all throws; over the second half of MaxRounds where no absorbing state is known; NaN if there was no throw
	ColorRepeated  bool    // two balls of one colour were in the bins together
	ColorsKnown    bool    // ColorRepeated has a meaning
}

// Run resets p with stream and runs it until it is absorbed or certified, or for
// cfg.MaxRounds rounds. cfg must be the configuration that p was made of. It
// returns early with ctx.Err() when ctx is cancelled.
func Run(ctx context.Context, p Process, cfg Config, stream mc.Stream) (Outcome, error) {
	cfg = cfg.WithDefaults()
	p.Reset(stream)
	half := 0
	if !cfg.absorbing() {
		half = cfg.MaxRounds / 2
	}
	pause := mc.Pause(cfg.Bins)
	var thrownBefore, randomBefore int64
	for p.Round() < cfg.MaxRounds && p.Status() == Running {
		if ctx.Err() != nil {
			return Outcome{}, ctx.Err()
		}
		next := min(cfg.MaxRounds, p.Round()+pause)
		if p.Round() == half {
			thrownBefore, randomBefore = p.Throws()
		} else if p.Round() < half {
			next = min(next, half)
		}
		p.Advance(next - p.Round())
	}
	thrown, random := p.Throws()
	o := Outcome{Status: p.Status(), Rounds: p.Round(), Throws: thrown, MaxLoad: p.MaxLoad()}
	o.RandomFraction = float64(random-randomBefore) / float64(thrown-thrownBefore)
	o.ColorRepeated, o.ColorsKnown = p.ColorRepeated()
	return o, nil
}
