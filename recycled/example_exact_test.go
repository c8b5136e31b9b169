package recycled_test

import (
	"fmt"

	"repslab/recycled"
)

// How soon is it decided whether a run converges?
func ExampleChain_Decided() {
	chain, err := recycled.NewChain(recycled.Config{Bins: 2, Threshold: 3}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for chain.Round() < 8 {
		chain.Step()
		if chain.Round()%2 == 0 {
			converged, never := chain.Decided()
			fmt.Printf("by round %d: P[converged] %.5f, P[never] %.5f\n", chain.Round(), converged, never)
		}
	}
	// Output:
	// by round 2: P[converged] 0.75000, P[never] 0.00000
	// by round 4: P[converged] 0.90625, P[never] 0.00000
	// by round 6: P[converged] 0.95703, P[never] 0.00781
	// by round 8: P[converged] 0.97949, P[never] 0.00781
}

// The two phases of the proof for 64 ports: the mean length of phase one, exactly, and two bounds
// on the mean length of phase two.
func ExamplePhaseOne_Mean() {
	const bins, threshold = 64, 17 // τ = 4 ln n
	phase, err := recycled.NewPhaseOne(bins)
	if err != nil {
		fmt.Println(err)
		return
	}
	rounds, balls := phase.Mean()
	fmt.Printf("phase one: %.2f rounds\n", rounds)
	const excess = 10
	loose, err := recycled.PhaseTwoRoundsBound(bins, threshold, int(balls), excess)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("phase two, %d balls: at most %.2f rounds\n", int(balls), loose)
	// Output:
	// phase one: 102.12 rounds
	// phase two, 303 balls: at most 13.04 rounds
}
