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

// Eight hosts send to one. A fixed window overflows the queue, which trims packets. DCTCP and NSCC react
// to marks. Under EQDS and RCCC the receiver grants credit.
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
	for _, name := range []string{"none", "dctcp", "nscc", "eqds", "rccc"} {
		control, err := congestion.New(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		ops, err := balance.NewSpraying(65536)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := transport.NewRun(network).Execute(context.Background(), ops, control, fattree.NewStreams(1, 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		last, _ := result.LastEnd()
		fmt.Printf("%-5s last flow after %.0f us, %4d packets trimmed\n", name, float64(last)/1e6, result.Trimmed)
	}
	// Output:
	// none  last flow after 385 us, 28103 packets trimmed
	// dctcp last flow after 367 us, 1001 packets trimmed
	// nscc  last flow after 356 us, 1025 packets trimmed
	// eqds  last flow after 350 us,  646 packets trimmed
	// rccc  last flow after 350 us,  651 packets trimmed
}
