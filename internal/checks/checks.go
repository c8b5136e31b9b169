// Package checks has what processes of rounds share: the faults of a context and of observed rounds, and how often a
// loop looks at its context.
package checks

import (
	"context"

	"repslab/faults"
)

// Limits of the observed rounds of a process; mc has them for users.
const (
	MaxRounds       = 1<<31 - 1 // the last round of a run
	MaxObservations = 100_001   // most observed rounds of a run
)

// Context returns the [*faults.FieldError] of a function of a package that takes a context, if ctx is nil.
func Context(pkg string, ctx context.Context) error {
	if ctx == nil {
		return faults.New(pkg, "ctx", ctx, "must not be nil: pass context.Background()")
	}
	return nil
}

// Every returns the number of rounds between two checks of a context, for rounds
// of the given cost in balls or bins: about 2^20 balls, some milliseconds.
func Every(cost int) int {
	return max(1, 1<<20/max(1, cost))
}

// Rounds returns the first fault of a list of observed rounds, a [*faults.FieldError] of a field of pkg: the
// list must have at most MaxObservations rounds, which ascend in [1, MaxRounds].
func Rounds(pkg, field string, rounds []int) error {
	if len(rounds) > MaxObservations {
		return faults.New(pkg, field, len(rounds), "must list at most %d rounds", MaxObservations)
	}
	before := 0
	for _, round := range rounds {
		if round <= before || round > MaxRounds {
			return faults.New(pkg, field, round, "must be in [%d, %d], since rounds ascend", before+1, MaxRounds)
		}
		before = round
	}
	return nil
}
