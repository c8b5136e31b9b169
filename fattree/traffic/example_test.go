package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"repslab/fattree/traffic"
)

// A pattern makes a workload: flows with their hosts and sizes.
func Example() {
	w, err := traffic.Tornado(4, traffic.Message{Bytes: 8 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range w.Flows {
		fmt.Println(f.Source, "sends", f.Bytes, "bytes to", f.Destination)
	}
	// Output:
	// 0 sends 8388608 bytes to 2
	// 1 sends 8388608 bytes to 3
	// 2 sends 8388608 bytes to 0
	// 3 sends 8388608 bytes to 1
}

// A random workload draws from any source, here a generator of the standard library. In an experiment the
// source of a replica is mc.NewStream(seed, mc.Workload, replica).Source().
func ExamplePermutation() {
	w, err := traffic.Permutation(4, traffic.Message{Bytes: 8 << 20}, rand.NewPCG(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range w.Flows {
		fmt.Println(f.Source, "sends to", f.Destination)
	}
	// Output:
	// 2 sends to 1
	// 3 sends to 0
	// 1 sends to 3
	// 0 sends to 2
}

// Flow sizes may come from a file with a cumulative distribution.
func ExampleReadSizes() {
	s, err := traffic.ReadSizes(strings.NewReader("# bytes  part\n1000 0.5\n10000 0.9\n1000000 1\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("mean %.0f B, median %.0f B, p99 %.0f B\n", s.Mean(), s.Quantile(0.5), s.Quantile(0.99))
	// Output:
	// mean 52950 B, median 1000 B, p99 901000 B
}
