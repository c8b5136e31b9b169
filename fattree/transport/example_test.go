package transport_test

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// One run of a network: a workload, a balancer and a congestion control.
func Example() {
	network, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 32}, Workload: nettest.Tornado(32, 1<<20)})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := transport.NewRun(network) // its memory serves any number of runs
	for _, name := range []string{"ops", "reps"} {
		balancer, err := balance.New(name, 1<<16)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := run.Execute(context.Background(), balancer, new(congestion.DCTCP), fattree.NewStreams(1, 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		end, _ := result.LastEnd()
		fmt.Printf("%s: all flows end after %.1f us, %d packets marked\n", name, float64(end)/1e6, result.Marked)
	}
	// Output:
	// ops: all flows end after 33.3 us, 29 packets marked
	// reps: all flows end after 31.8 us, 0 packets marked
}

// hidden is a DCTCP that sees marks only while the balancer is in freezing mode.
type hidden struct {
	congestion.DCTCP
	acks, marks int // of all flows, and marks that it has hidden
}

// Traits says that it is an Insider.
func (c *hidden) Traits() transport.ControlTraits {
	return transport.ControlTraits{IgnoresRTTs: true, Insider: c}
}

func (c *hidden) AcknowledgeInside(w *transport.Window, ack transport.Acknowledgement, inside transport.Insight) {
	c.acks++
	if ack.Marked && !inside.Frozen {
		c.marks++
		ack.Marked = false
	}
	c.Acknowledge(w, ack)
}

// A filter between REPS and DCTCP: marks shrink the window only while REPS is frozen. An uplink fails for
// 50 us.
func ExampleInsider() {
	tree := topology.FatTree{Hosts: 32}
	broken := fattree.Fault{Ports: tree.Ports(topology.Part{}), Start: 10_000_000, End: 60_000_000}
	network, err := fattree.Build(fattree.Spec{
		Topology: tree, Workload: nettest.Tornado(32, 4<<20), KMin: 5, KMax: 20, Faults: []fattree.Fault{broken},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	run := transport.NewRun(network)
	filter := new(hidden)
	for _, control := range []transport.Control{congestion.DCTCP{}, filter} {
		reps, err := balance.New("reps", 256)
		if err != nil {
			fmt.Println(err)
			return
		}
		result, err := run.Execute(context.Background(), reps, control, fattree.NewStreams(1, 0))
		if err != nil {
			fmt.Println(err)
			return
		}
		end, _ := result.LastEnd()
		fmt.Printf("%T: %.1f us, %d packets marked\n", control, float64(end)/1e6, result.Marked)
	}
	fmt.Printf("%d of %d ACKs have hidden marks\n", filter.marks, filter.acks)
	// Output:
	// congestion.DCTCP: 155.3 us, 9659 packets marked
	// *transport_test.hidden: 152.2 us, 19829 packets marked
	// 18281 of 32467 ACKs have hidden marks
}
