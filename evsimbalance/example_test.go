package evsimbalance_test

import (
	"context"
	"fmt"

	"repslab/evsimbalance"
	"repslab/mc"
)

// 256 EVs of each of 8 flows on 32 uplinks, by the hash of the model's switches.
func ExampleSimulate() {
	cfg := evsimbalance.Config{Flows: 8, EVS: 256, Method: evsimbalance.Hash}
	result, err := evsimbalance.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 200})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean imbalance %.3f\n", result.Mean)
	// Output:
	// mean imbalance 0.270 [0.261, 0.279]
}

// Replicas by hand: the most EVs on an uplink, where the average is 64.
func ExampleNew() {
	cfg := evsimbalance.Config{Flows: 8, EVS: 256, Method: evsimbalance.Hash}
	sampler, err := evsimbalance.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	for replica := range uint64(3) {
		load, err := sampler.Draw(context.Background(), 1, replica)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("replica %d: %d EVs, imbalance %.3f\n", replica, load, cfg.Imbalance(float64(load)))
	}
	// Output:
	// replica 0: 79 EVs, imbalance 0.234
	// replica 1: 81 EVs, imbalance 0.266
	// replica 2: 81 EVs, imbalance 0.266
}

// The exact law of the imbalance, and the imbalance of the same EVs under two hashes.
func Example() {
	for _, method := range []evsimbalance.Method{evsimbalance.Exact, evsimbalance.Hash, evsimbalance.CRC32} {
		cfg := evsimbalance.Config{Flows: 8, EVS: 256, Uplinks: 32, Method: method}
		result, err := evsimbalance.Simulate(context.Background(), cfg, mc.Plan{Seed: 1, Replicas: 200})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%-5s mean imbalance %.3f, 95 %% of salts below %.3f\n", method, result.Mean.Value, result.P95.Value)
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
