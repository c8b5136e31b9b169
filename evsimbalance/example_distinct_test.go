package evsimbalance_test

import (
	"fmt"

	"repslab/evsimbalance"
)

// 256 connections of a T0 switch use 16 different ones of 256 uplinks each. How likely does one uplink carry more
// than twice the mean of 16?
func ExampleDistinctTail() {
	least, most, err := evsimbalance.DistinctTail(256, 16, 256, 32)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f to %.4f\n", least, most)
	// Output: 0.0181 to 0.0182
}
