package proofs_test

import (
	"fmt"

	"repslab/proofs"
)

// A step of the proof is checked, and its recorded verdict compared.
func Example() {
	audit, err := proofs.New([]int{16, 20, 32, 100})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"A3", "A3r", "C16", "E3"} {
		step, err := proofs.Find(id)
		if err != nil {
			fmt.Println(err)
			return
		}
		result := audit.Check(step)
		fmt.Printf("%-3s (%s) %s: %s; follows: %t\n", id, step.Process, step.Claim, result.Verdict, result.Follows())
	}
	// Output:
	// A3  (self-clocked) once a bin is non-empty it remains non-empty: holds; follows: true
	// A3r (round-robin) once a bin is non-empty it remains non-empty: false; follows: true
	// C16 (none) (2 n ln n + n - k (τ + 1)) / (τ - ln n) <= 3n/4 - k: holds on a smaller domain; follows: true
	// E3  (none) k > ln n means k >= 1 + ln n: false; follows: true
}

// The steps about senders that get their balls back some rounds later.
func ExampleSteps() {
	for _, step := range proofs.Steps() {
		if step.Process == proofs.RoundTrip {
			fmt.Println(step.ID)
		}
	}
	// Output:
	// S24
	// S25
	// S26
	// S27
}

// The drift of the excess for given loads is an exact fraction.
func ExampleDriftRat() {
	fmt.Println(proofs.DriftRat(3, []int{5, 4, 2, 1}))
	// Output:
	// -15/16
}
