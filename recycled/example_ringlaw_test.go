package recycled_test

import (
	"fmt"

	"repslab/recycled"
)

// How large must a ring be in a tree of two tiers, where an ACK crosses four links?
func ExampleRingSender_Law() {
	late, err := recycled.LateAcks(4, 0.97)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ring := range []int{1, 2, 3, 4, 8} {
		law, err := recycled.RingSender{Ring: ring, Delivered: 0.97, Late: late}.Law()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("ring of %d: %.1f %% recycled, %.2f %% lost, valid %.3f\n", ring, 100*law.Recycled, 100*law.Lost, law.Valid)
	}
	// Output:
	// ring of 1: 71.4 % recycled, 26.36 % lost, valid [1.000]
	// ring of 2: 93.3 % recycled, 3.79 % lost, valid [0.540 0.460]
	// ring of 3: 96.5 % recycled, 0.56 % lost, valid [0.404 0.473 0.124]
	// ring of 4: 97.0 % recycled, 0.00 % lost, valid [0.344 0.465 0.181 0.009]
	// ring of 8: 97.0 % recycled, 0.00 % lost, valid [0.344 0.465 0.181 0.009]
}
