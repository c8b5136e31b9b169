package mc

import (
	"fmt"

	"repslab/faults"
)

// Limits of the observed rounds of a process.
const (
	MaxRounds       = 1<<31 - 1 // the last round of a run
	MaxObservations = 100_001   // most observed rounds of a run
)

// RoundsEvery returns the rounds to observe in a run up to round last: every, 2 every, ... and last; last
// alone if every is not positive. It panics if last is below 1, or last/every above MaxObservations: a
// caller that reads both from a user must first check them.
func RoundsEvery(every, last int) []int {
	if every > 0 && last/every > MaxObservations {
		panic(fmt.Sprintf("mc: RoundsEvery: last/every (%d) must be at most %d", last/every, MaxObservations))
	}
	if last < 1 {
		panic(fmt.Sprintf("mc: RoundsEvery: last (%d) must be at least 1", last))
	}
	var rounds []int
	for round := every; 0 < round && round < last; round += every {
		rounds = append(rounds, round)
	}
	return append(rounds, last)
}

// CheckRounds returns the first fault of a list of observed rounds, a [*faults.FieldError] of a field of pkg: the
// list must have at most MaxObservations rounds, which ascend in [1, MaxRounds].
func CheckRounds(pkg, field string, rounds []int) error {
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
