package evsimbalance_test

import (
	"context"
	"fmt"

	"repslab/evsimbalance"
	"repslab/mc"
)

// The exact law of the imbalance, and what two hashes make of the same EVs.
func Example() {
	for _, method := range []evsimbalance.Method{evsimbalance.Exact, evsimbalance.Hash, evsimbalance.CRC32} {
		cfg := evsimbalance.Config{Flows: 8, EVS: 256, Uplinks: 32, Method: method}
		s, err := evsimbalance.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 200})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-5s mean imbalance %.3f, 95 %% of salts below %.3f\n", method, s.Mean.Value, s.P95.Value)
	}
	// Output:
	// exact mean imbalance 0.268, 95 % of salts below 0.375
	// hash  mean imbalance 0.270, 95 % of salts below 0.391
	// crc32 mean imbalance 0.000, 95 % of salts below 0.000
}

// How often do 65,536 EVs of each of 32 flows miss the "1 % imbalance"?
func ExampleNewMaxLaw() {
	law, err := evsimbalance.NewMaxLaw(32*65536, 32)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.4f, P[more than 0.01] = %.3f\n", law.Imbalance(law.Mean()), 1-law.AtMost(0.01))
	// Output:
	// mean 0.0081, P[more than 0.01] = 0.142
}
