package supermarket_test

import (
	"fmt"

	"repslab/ballsbins/supermarket"
	"repslab/mc"
)

// With equal servers a sample is worth more than a remembered server, for as many messages: 2
// samples against 1 and memory, and 3 against 2 and memory.
func ExampleTails() {
	for _, cfg := range []supermarket.Config{
		{Lambda: 0.7, Choices: 2}, {Lambda: 0.7, Choices: 3}, {Lambda: 0.7, Policy: supermarket.Memory, Choices: 1},
		{Lambda: 0.7, Policy: supermarket.Memory, Choices: 2}, {Lambda: 0.7, Policy: supermarket.Pull, Names: 4, Alpha: 3},
	} {
		tails, err := supermarket.Tails(cfg)
		if err != nil {
			panic(err)
		}
		var queue float64
		for _, s := range tails[1:] {
			queue += s
		}
		fmt.Printf("%s: s2 %.4f, mean wait %.4f\n", cfg.WithDefaults().Policy, tails[2], queue/0.7-1)
	}
	// Output:
	// jsq: s2 0.3430, mean wait 0.6145
	// jsq: s2 0.2401, mean wait 0.3568
	// memory: s2 0.4900, mean wait 1.0429
	// memory: s2 0.2898, mean wait 0.4218
	// pull: s2 0.0557, mean wait 0.0865
}

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
