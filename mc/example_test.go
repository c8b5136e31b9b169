package mc_test

import (
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"

	"repslab/mc"
)

// Gonum's distributions draw from a stream by either of its generators. Without a Src
// they would draw from the global generator of math/rand/v2, differently in each run.
func ExampleStream() {
	stream := mc.NewStream(1, mc.Workload, 0)
	gap := distuv.Exponential{Rate: 1, Src: stream.Source()}
	fmt.Printf("%.4f %.4f\n", gap.Rand(), gap.Rand())

	r := stream.Rand()
	gap.Src = &r
	fmt.Printf("%.4f %.4f\n", gap.Rand(), gap.Rand())
	// Output:
	// 0.5940 0.2051
	// 1.6752 0.4314
}
