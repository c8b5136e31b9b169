package evsimbalance_test

import (
	"fmt"

	"repslab/evsimbalance"
)

// The EVs of each of 8 flows that 8 uplinks take for a mean imbalance of 10 %, and of 1 %.
func ExampleLeastEVs() {
	for _, imbalance := range []float64{0.1, 0.01} {
		evs, err := evsimbalance.LeastEVs(8, 8, imbalance)
		fmt.Println(evs, err)
	}
	// Output:
	// 208 <nil>
	// 20313 <nil>
}
