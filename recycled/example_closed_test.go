package recycled_test

import (
	"fmt"

	"repslab/recycled"
)

// Repeated balls into bins, three balls in three bins: exact averages in stationarity, and
// the share of empty bins among many.
func ExampleClosedLaw() {
	law, err := recycled.NewClosedLaw(recycled.Config{
		Bins: 3, Balls: 3, Start: recycled.AllInOne, Closed: true, Oblivious: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	empty, largest, _ := law.Stationary()
	fmt.Printf("n = 3: %v of the bins empty, largest load %v\n", empty, largest)
	fmt.Printf("many bins: %.4f empty\n", recycled.ClosedEmptyShare(1))
	// Output:
	// n = 3: 20/63 of the bins empty, largest load 41/21
	// many bins: 0.4142 empty
}

// Five balls in one of five bins, recycled by bins of one ball: the expected rounds until each
// bin has one, and their bound.
func ExampleClosedRoundsBound() {
	law, err := recycled.NewClosedLaw(recycled.Config{
		Bins: 5, Balls: 5, Start: recycled.AllInOne, Closed: true, Threshold: 1,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	rounds, _ := law.Rounds()
	exact, _ := rounds.Float64()
	bound, _ := recycled.ClosedRoundsBound(5, 1, 5, 4)
	fmt.Printf("%v = %.3f rounds, at most %.3f\n", rounds, exact, bound)
	// Output: 7625/812 = 9.390 rounds, at most 10.417
}
