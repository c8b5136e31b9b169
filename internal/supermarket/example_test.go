package supermarket_test

import (
	"fmt"

	"repslab/internal/supermarket"
	"repslab/mc"
)

// A failed server gets a job of one-choice in every n-th throw and keeps it, until nothing is left.
func ExampleProcess() {
	p, err := supermarket.New(supermarket.Config{Servers: 10, Rates: []float64{0}, Jobs: 50, Choices: 1})
	if err != nil {
		panic(err)
	}
	p.Reset(mc.NewStream(1, mc.Algorithm, 0))
	p.Advance(1000)
	p.Forget()
	p.Advance(100)
	fmt.Println(p.Averages().Served)
	// Output: 0
}
