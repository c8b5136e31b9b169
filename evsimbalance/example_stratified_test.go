package evsimbalance_test

import (
	"fmt"

	"repslab/evsimbalance"
)

// Eight flows spray over 8 uplinks, each with 64 EVs: within the first block the load evens out
// as with endlessly many EVs; from then on it stays as uneven as the hash.
func ExampleNewBlockLaw() {
	for _, packets := range []int{16, 64, 256, 257, 1024} {
		law, err := evsimbalance.NewBlockLaw(8, 64, 8, packets)
		if err != nil {
			fmt.Println(err)
			return
		}
		endless, err := evsimbalance.NewMaxLaw(8*packets, 8)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%4d packets: %.1f %%, endless EVs %.1f %%\n", packets,
			100*law.Imbalance(law.Mean()), 100*endless.Imbalance(endless.Mean()))
	}
	// Output:
	//   16 packets: 36.9 %, endless EVs 36.9 %
	//   64 packets: 18.1 %, endless EVs 18.1 %
	//  256 packets: 18.1 %, endless EVs 9.0 %
	//  257 packets: 18.2 %, endless EVs 9.0 %
	// 1024 packets: 18.1 %, endless EVs 4.5 %
}

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
