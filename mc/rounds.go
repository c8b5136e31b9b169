package mc

import (
	"fmt"

	"repslab/internal/checks"
)

// Limits of the observed rounds of a process.
const (
	MaxRounds       = checks.MaxRounds       // 2^31 - 1: the last round of a run
	MaxObservations = checks.MaxObservations // 100,001: most observed rounds of a run
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
