package recycled_test

import (
	"context"
	"fmt"

	"repslab/mc"
	"repslab/recycled"
)

// How small may the threshold be? With 64 ports the theorem asks for 17.
func ExampleConvergenceLimit() {
	for _, threshold := range []int{3, 4, 6} {
		l, err := recycled.ConvergenceLimit(64, threshold)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("threshold %d: R = %.2f, %.2f of the runs converge\n", threshold, l.R, l.NextOrder.Value)
	}
	// Output:
	// threshold 3: R = 1.73, 0.76 of the runs converge
	// threshold 4: R = 3.22, 0.95 of the runs converge
	// threshold 6: R = 6.08, 1.00 of the runs converge
}

// How likely is a run that never converges at the theorem's threshold?
func ExampleNever() {
	never, err := recycled.Never(context.Background(), 16, 12, mc.Plan{Replicas: 2000, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.0e, at most %.0e\n", never.Value, recycled.NeverConvergesBound(16, 12))
	// Output:
	// 6e-08, at most 3e-04
}
