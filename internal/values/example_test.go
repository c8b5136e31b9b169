package values_test

import (
	"fmt"

	"repslab/internal/values"
)

func ExampleInts() {
	bins, _ := values.Ints("5,16..128:x2", values.IntRange{Min: 1, Max: 65536})
	fmt.Println(bins)
	_, err := values.Ints("16..", values.IntRange{Min: 1, Max: 65536})
	fmt.Println("--bins:", err)
	// Output:
	// [5 16 32 64 128]
	// --bins: "16..": a range needs two ends, such as 16..64
}

func ExampleFloats() {
	load := values.FloatRange{Max: 1, MinOpen: true}
	loads, _ := values.Floats("0.5,0.9..0.96:+0.02", load)
	fmt.Println(loads)
	_, err := values.Floats("1.5", load)
	fmt.Println("--lambda:", err)
	// Output:
	// [0.5 0.9 0.92 0.94 0.96]
	// --lambda: 1.5 must be in (0, 1]
}

func ExampleSizes() {
	sizes, _ := values.Sizes("64KiB..256KiB:x2,8MB", values.SizeRange{Min: 1, Max: 1 << 40})
	fmt.Println(sizes)
	// Output: [65536 131072 262144 8000000]
}

func ExampleExprs() {
	thresholds, _ := values.Exprs("8..16:+4,4*ln(n)")
	for _, e := range thresholds {
		threshold, err := e.Ceil(64, values.IntRange{Min: 1, Max: 1<<31 - 1})
		fmt.Println(e, threshold, err)
	}
	// Output:
	// 8 8 <nil>
	// 12 12 <nil>
	// 16 16 <nil>
	// 4*ln(n) 17 <nil>
}
