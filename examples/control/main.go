// Control compares a congestion control that it defines itself, DelayAIMD, with the built-in ones.
//
// DelayAIMD is additive increase, multiplicative decrease, steered by delay: a window
// grows by a packet per round trip while the queueing delay is below a target, and
// shrinks at most once per round trip by a factor that depends on the excess. It
// ignores marks. Its state per flow is the time of the last decrease.
//
// 16 hosts of a network of 32 send 1 MiB each to one host (an incast) under REPS. The receiver's link is
// the bottleneck and needs 341 us for all packets, so the controls differ little in time. They differ in
// the number of packets that full queues trim. The program prints means over 10 replicas with 95 %
// intervals:
//
//	$ go run ./control
//	DCTCP     375.6 [368.2, 383.2] us, 1.00 [1.00, 1.00] times DCTCP, 2185 packets trimmed
//	NSCC      361.5 [359.4, 363.7] us, 0.96 [0.94, 0.98] times DCTCP, 2263 packets trimmed
//	EQDS      351.5 [351.4, 351.5] us, 0.94 [0.92, 0.95] times DCTCP, 1577 packets trimmed
//	none      415.7 [415.1, 416.3] us, 1.11 [1.08, 1.13] times DCTCP, 51687 packets trimmed
//	DelayAIMD 366.0 [363.4, 368.6] us, 0.97 [0.95, 0.99] times DCTCP, 3000 packets trimmed
package main

import (
	"context"
	"fmt"
	"log"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

const (
	target   = 2_000_000 // queueing delay in picoseconds above which the window shrinks
	decrease = 0.5       // largest part of the window that one decrease removes
)

// DelayAIMD implements [transport.Control].
type DelayAIMD struct {
	network *fattree.Network
	cut     []fattree.Picoseconds // time of the last decrease, by flow
}

// Traits says that it does nothing besides: it uses RTTs, and remembers the last decrease.
func (c *DelayAIMD) Traits() transport.ControlTraits { return transport.ControlTraits{} }

// Reset forgets all flows.
func (c *DelayAIMD) Reset(n *fattree.Network, _ mc.Stream) {
	c.network, c.cut = n, make([]fattree.Picoseconds, n.Flows())
}

// Acknowledge changes the window according to the delay of the acknowledged packet.
func (c *DelayAIMD) Acknowledge(w *transport.Window, ack transport.Acknowledgement) {
	delay := ack.RTT - c.network.BaseRTT(ack.Flow)
	if delay < target {
		w.Packets = min(w.Packets+float64(ack.Packets)/w.Packets, w.Most)
		return
	}
	c.shrink(w, ack.Flow, ack.Now, ack.RTT, min(decrease, 0.8*float64(delay-target)/float64(delay)))
}

// Lose halves the window for a lost packet.
func (c *DelayAIMD) Lose(w *transport.Window, loss transport.Loss) {
	c.shrink(w, loss.Flow, loss.Now, c.network.BaseRTT(loss.Flow), decrease)
}

// shrink removes a part of the window, at most once in a round trip.
func (c *DelayAIMD) shrink(w *transport.Window, flow int32, now, rtt fattree.Picoseconds, part float64) {
	if now-c.cut[flow] < rtt {
		return
	}
	c.cut[flow] = now
	w.Packets = max(w.Packets*(1-part), 1)
}

func main() {
	const hosts, senders = 32, 16
	workload, err := traffic.Incast(hosts, senders, traffic.Message{Bytes: 1 << 20})
	if err != nil {
		log.Fatal(err)
	}
	network := experiment.Fixed(fattree.Spec{Topology: topology.FatTree{Hosts: hosts}, Workload: workload})
	names := []string{"DCTCP", "NSCC", "EQDS", "none", "DelayAIMD"}
	var setups []experiment.Setup
	for _, open := range []func() transport.Control{
		func() transport.Control { return congestion.DCTCP{} },
		func() transport.Control { return new(congestion.NSCC) },
		func() transport.Control { return new(congestion.EQDS) },
		func() transport.Control { return congestion.None{} },
		func() transport.Control { return new(DelayAIMD) },
	} {
		setups = append(setups, experiment.Setup{
			Network:  network,
			Balancer: func() (transport.Balancer, error) { return balance.New("reps", 256) },
			Control:  open,
		})
	}
	comparison, _, err := experiment.Compare(setups...).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 10})
	if err != nil {
		log.Fatal(err)
	}
	for i, name := range names {
		s, ratio := comparison.Summary(i), comparison.Ratio(i)
		fct := s.Of("max_fct_us")
		fmt.Printf("%-9s %.1f us, %.2f times DCTCP, %.0f packets trimmed\n", name, fct, ratio, s.Of("trimmed").Value)
	}
}
