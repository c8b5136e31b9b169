package recycled_test

import (
	"context"
	"fmt"

	"repslab/mc"
	"repslab/recycled"
)

// Repeated balls into bins, three balls in three bins: exact averages in stationarity, and the
// mean field for many bins.
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

	field, _ := recycled.ClosedMeanField(1)
	fmt.Printf("many bins: %.4f empty, largest of 1000 some %.1f\n", recycled.ClosedEmptyShare(1), field.MeanMax(1000))
	// Output:
	// n = 3: 20/63 of the bins empty, largest load 41/21
	// many bins: 0.4142 empty, largest of 1000 some 7.7
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

// How often does a queue of eight flows that recycle hold more than ten packets, if a fifth of
// the packets is lost?
func ExampleExceeds() {
	cfg := recycled.Config{Bins: 8, Threshold: 4, Clocking: recycled.PerFlow, Lambda: 0.8}
	p, err := recycled.Exceeds(context.Background(), cfg, 10, mc.Plan{Seed: 1, Replicas: 12})
	fmt.Printf("%.0e, interval below 2e-7: %t, error %v\n", p.Value, p.Hi < 2e-7, err)
	// Output: 7e-08, interval below 2e-7: true, error <nil>
}
