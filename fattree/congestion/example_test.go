package congestion_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
)

// Eight hosts send to one. A window that stays overflows the queue, which trims;
// DCTCP and NSCC learn from marks; under EQDS and RCCC the receiver grants.
func Example() {
	workload, err := traffic.Incast(64, 8, traffic.Message{Bytes: 2 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	network, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 64}, Workload: workload})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range []struct {
		name    string
		control transport.Control
	}{{"None", congestion.None{}}, {"DCTCP", congestion.DCTCP{}}, {"NSCC", new(congestion.NSCC)}, {"EQDS", new(congestion.EQDS)}, {"RCCC", new(congestion.RCCC)}} {
		ops, err := balance.NewSpraying(65536)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := transport.NewRun(network).Execute(context.Background(), ops, c.control, fattree.NewStreams(1, 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		last, _ := result.LastEnd()
		fmt.Printf("%-5s last flow after %.0f us, %4d packets trimmed\n", c.name, float64(last)/1e6, result.Trimmed)
	}
	// Output:
	// None  last flow after 385 us, 28103 packets trimmed
	// DCTCP last flow after 367 us, 1001 packets trimmed
	// NSCC  last flow after 356 us, 1025 packets trimmed
	// EQDS  last flow after 350 us,  646 packets trimmed
	// RCCC  last flow after 350 us,  651 packets trimmed
}
