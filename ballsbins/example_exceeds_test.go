package ballsbins_test

import (
	"context"
	"fmt"

	"repslab/ballsbins"
	"repslab/mc"
)

// How often is a port of a switch with 32 ports at 80 % load more than 30 packets behind?
func ExampleExceeds() {
	cfg := ballsbins.Config{Bins: 32, Lambda: 0.8}
	exact, err := ballsbins.ExceedsExact(cfg, 30)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := ballsbins.Exceeds(context.Background(), cfg, 30, mc.Plan{Seed: 1, Replicas: 8})
	fmt.Printf("exactly %.3g, in the interval: %t, error %v\n", exact, p.Lo < exact && exact < p.Hi, err)
	// Output: exactly 1.44e-06, in the interval: true, error <nil>
}
