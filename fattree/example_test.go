package fattree_test

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
	"repslab/mc"
)

// inTurn sends the packets of each flow on EVs 0, 1, 2, ... in turn: a minimal load balancer. Package
// balance has real ones.
type inTurn struct{ next []uint16 }

func (b *inTurn) Reset(n *fattree.Network, _ mc.Stream) { b.next = make([]uint16, n.Flows()) }

func (b *inTurn) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	b.next[flow]++
	return b.next[flow] - 1, false
}

func (b *inTurn) Feedback(transport.Feedback) {}

// Traits says that it only chooses EVs, and ignores RTTs.
func (b *inTurn) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true} }

// fixedWindow is a congestion control that leaves every window as it is. Package congestion has real
// ones.
type fixedWindow struct{}

func (fixedWindow) Reset(*fattree.Network, mc.Stream)                        {}
func (fixedWindow) Acknowledge(*transport.Window, transport.Acknowledgement) {}
func (fixedWindow) Lose(*transport.Window, transport.Loss)                   {}
func (fixedWindow) Traits() transport.ControlTraits {
	return transport.ControlTraits{IgnoresRTTs: true}
}

// From a description to completion times: Spec, Build, NewRun, Execute.
func Example() {
	const hosts = 16
	var w fattree.Workload
	for h := range hosts { // 1 MiB from every host to the host half-way round
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(h), fattree.Host((h+hosts/2)%hosts), 1<<20, 0))
	}
	network, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: hosts}, Workload: w})
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := transport.NewRun(network).Execute(context.Background(), new(inTurn), fixedWindow{}, fattree.NewStreams(1, 0))
	if err != nil {
		fmt.Println(err)
		return
	}
	fcts := result.FCTs()
	fmt.Printf("%d switches, base RTT %.2f us\n", network.Switches(), float64(network.LongestRTT())/1e6)
	fmt.Printf("%d of %d flows, first %.1f us, last %.1f us, alone %.1f us\n", result.Finished(), hosts,
		float64(fcts[0])/1e6, float64(fcts[hosts-1])/1e6, float64(network.Unloaded(0))/1e6)
	fmt.Printf("sent %d = delivered %d + dropped %d + trimmed %d + lost %d + inside %d\n",
		result.Sent, result.Delivered, result.Dropped, result.Trimmed, result.Lost, result.Inside)
	// Output:
	// 8 switches, base RTT 8.34 us
	// 16 of 16 flows, first 30.8 us, last 33.5 us, alone 29.6 us
	// sent 4112 = delivered 4112 + dropped 0 + trimmed 0 + lost 0 + inside 0
}

// The transport of Ultra Ethernet's simulator has its own defaults, based on the bandwidth-delay product.
// Here every host has a link into each of two planes.
func ExampleSpec_Resolve() {
	plan, err := fattree.Spec{
		Topology: topology.Planes{Tree: topology.FatTree{Hosts: 128}, Planes: 2},
		Profile:  fattree.UltraEthernet,
	}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, hosts := plan.Spec(), transport.OptionsOf(plan)
	fmt.Printf("queue %d packets, marks from %d to %d, window %d, %d packets per ACK, RTO %.3f us\n",
		spec.Queue, spec.KMin, spec.KMax, hosts.InitialWindow, hosts.AckRatio, float64(hosts.RTO)/1e6)
	// Output:
	// queue 101 packets, marks from 21 to 81, window 151, 4 packets per ACK, RTO 65.298 us
}

// A link that fails while a run is advanced slot by slot. The fault after the last slot makes the hosts
// expect lost ACKs.
func ExampleRun_SetFailed() {
	tree := topology.FatTree{Hosts: 16}
	plan, err := fattree.Spec{Topology: tree, Horizon: 1_000_000_000}.Resolve()
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := plan.Spec()
	for h := range 16 {
		flow := fattree.NewFlow(fattree.Host(h), fattree.Host((h+8)%16), 1<<20, 0)
		spec.Workload.Flows = append(spec.Workload.Flows, flow)
	}
	cable := tree.Ports(topology.Part{Uplink: 2, Direction: topology.Both}) // of ToR 0
	spec.Faults = []fattree.Fault{{Ports: cable, Start: spec.Horizon - plan.SlotTime()}}
	network, err := fattree.Build(spec)
	if err != nil {
		fmt.Println(err)
		return
	}
	run := transport.NewRun(network)
	run.Begin(new(inTurn), fixedWindow{}, fattree.NewStreams(1, 0))
	for slot := 0; run.Unfinished() > 0; slot++ {
		if slot == 100 || slot == 300 {
			for _, port := range cable {
				if err := run.SetFailed(port, slot == 100); err != nil {
					fmt.Println(err)
					return
				}
			}
		}
		run.Step()
	}
	result, err := run.Result()
	if err != nil {
		fmt.Println(err)
		return
	}
	last, _ := result.LastEnd()
	fmt.Printf("%d packets lost, the last one %.1f us after the failure; the last flow ends at %.1f us\n",
		result.Lost, float64(result.Reroute)/1e6, float64(last)/1e6)
	// Output:
	// 395 packets lost, the last one 16.5 us after the failure; the last flow ends at 71.3 us
}

// A random permutation under two load balancers, in the packages that make up an experiment: every replica
// draws its permutation and fails a cable, both balancers meet the same, and the ratio of their times is paired.
func Example_experiment() {
	tree := topology.FatTree{Hosts: 64}
	failed, err := topology.ParseFailures("cables=1,at=5")
	if err != nil {
		fmt.Println(err)
		return
	}
	spec := func(seed, replica uint64) (s fattree.Spec, err error) {
		stream := mc.NewStream(seed, mc.Workload, replica)
		s.Topology = tree
		if s.Workload, err = traffic.Permutation(tree.Hosts, traffic.Message{Bytes: 1 << 20}, stream.Source()); err == nil {
			s.Faults, s.Errors, err = topology.Place(tree, failed, stream.Child(1).Source())
		}
		return s, err
	}
	setup := func(balancer string) experiment.Setup {
		return experiment.Setup{
			Network:  experiment.Varied(spec),
			Balancer: func() (transport.Balancer, error) { return balance.New(balancer, 1<<16) }, // of 65,536 EVs
			Control:  func() transport.Control { return new(congestion.DCTCP) },
		}
	}
	comparison, replicas, err := experiment.Compare(setup("reps"), setup("ops")).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range []string{"reps", "ops"} {
		summary := comparison.Summary(i)
		fmt.Printf("%-4s slowest flow %.1f us, packets lost %.0f\n", name, summary.Of("max_fct_us"), summary.Of("lost"))
	}
	fmt.Printf("ops takes %.2f times as long, %d replicas\n", comparison.Ratio(1), replicas)
	// Output:
	// reps slowest flow 70.5 [69.9, 71.2] us, packets lost 112 [101, 125]
	// ops  slowest flow 159.7 [143.9, 177.3] us, packets lost 217 [198, 239]
	// ops takes 2.26 [2.04, 2.52] times as long, 10 replicas
}
