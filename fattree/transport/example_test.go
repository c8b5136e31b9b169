package transport_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
)

// hidden is DCTCP that sees marks only while the balancer is in freezing mode.
type hidden struct {
	congestion.DCTCP
	acks, marks int // of all flows, and marks that it has hidden
}

func (c *hidden) AcknowledgeInside(w *transport.Window, ack transport.Acknowledgement, inside transport.Insight) {
	c.acks++
	if ack.Marked && !inside.Frozen {
		c.marks++
		ack.Marked = false
	}
	c.Acknowledge(w, ack)
}

// A filter between REPS and DCTCP: the window shrinks by marks only while REPS is frozen. An uplink fails for 50 us.
func ExampleInsider() {
	const hosts = 32
	workload, err := traffic.Tornado(hosts, traffic.Message{Bytes: 4 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	tree := topology.FatTree{Hosts: hosts}
	broken := fattree.Fault{Ports: tree.Ports(topology.Part{}), Start: 10_000_000, End: 60_000_000}
	network := experiment.Fixed(fattree.Spec{Topology: tree, Workload: workload, KMin: 5, KMax: 20, Faults: []fattree.Fault{broken}})
	filter := new(hidden)
	for _, control := range []transport.Control{congestion.DCTCP{}, filter} {
		setup := experiment.Setup{
			Network:  network,
			Balancer: func() (transport.Balancer, error) { return balance.New("reps", 256) },
			Control:  func() transport.Control { return control },
			Workers:  1, // filter counts over all flows
		}
		runner, err := setup.NewRunner()
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := runner.Run(context.Background(), 1, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		end, _ := r.Result.LastEnd()
		fmt.Printf("%T: %.1f us, %d packets marked\n", control, float64(end)/1e6, r.Result.Marked)
	}
	fmt.Printf("%d of %d ACKs have hidden marks\n", filter.marks, filter.acks)
	// Output:
	// congestion.DCTCP: 155.3 us, 9659 packets marked
	// *transport_test.hidden: 152.2 us, 19829 packets marked
	// 18281 of 32467 ACKs have hidden marks
}
