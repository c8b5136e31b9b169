// Balancer compares a load balancer that it defines itself, Scoreboard, with REPS, OPS and ECMP.
//
// Scoreboard remembers 32 EVs for each flow and a score for each: a moving average of
// the congestion marks that the EV met. A packet gets the better of two remembered EVs,
// drawn at random; an EV with a bad score is replaced by a random one. REPS needs no
// scores: an EV that met congestion does not come back.
//
// 32 hosts each send 2 MiB to the host half-way round (a tornado), first in a healthy network, then with
// one uplink of each ToR at half its rate. All balancers meet the same hash salts in a replica, so the
// ratios are paired. The program prints the mean time until the slowest flow is done, with 95 %
// intervals:
//
//	$ go run ./balancer
//	failures: ""
//	REPS       53.9 [53.7, 54.0] us, 1.00 [1.00, 1.00] times REPS
//	Scoreboard 59.8 [59.3, 60.2] us, 1.11 [1.10, 1.12] times REPS
//	OPS        57.9 [57.2, 58.6] us, 1.07 [1.06, 1.09] times REPS
//	ECMP       142.2 [131.2, 154.1] us, 2.64 [2.43, 2.86] times REPS
//	failures: "degrade=1:0.5,place=aligned"
//	REPS       63.8 [63.7, 64.0] us, 1.00 [1.00, 1.00] times REPS
//	Scoreboard 66.1 [65.4, 66.8] us, 1.04 [1.03, 1.05] times REPS
//	OPS        73.7 [72.7, 74.7] us, 1.15 [1.14, 1.17] times REPS
//	ECMP       219.3 [199.6, 240.9] us, 3.43 [3.13, 3.77] times REPS
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
	evs   = 256 // entropy values
	slots = 32  // EVs that a flow remembers
	bad   = 0.5 // score from which an EV is replaced
)

// slot is an EV that a flow remembers.
type slot struct {
	ev    uint16
	score float64 // moving average of the EV's marks, in [0, 1]
}

// Scoreboard implements [transport.Balancer].
type Scoreboard struct {
	flows  [][slots]slot
	random []mc.Rand
}

// Reset gives every flow random EVs. Flow f draws from child f of the stream, so its
// draws do not depend on the packets of other flows.
func (s *Scoreboard) Reset(n *fattree.Network, random mc.Stream) {
	s.flows = make([][slots]slot, n.Flows())
	s.random = make([]mc.Rand, n.Flows())
	for f := range s.flows {
		s.random[f] = random.Child(uint64(f)).Rand()
		for i := range s.flows[f] {
			s.flows[f][i].ev = uint16(s.random[f].Below(evs))
		}
	}
}

// Traits says that it ignores RTTs, which need not be measured.
func (s *Scoreboard) Traits() transport.Traits { return transport.Traits{IgnoresRTTs: true} }

// NextEV returns the better of two remembered EVs.
func (s *Scoreboard) NextEV(flow int32, _ fattree.Picoseconds) (ev uint16, recycled bool) {
	a := &s.flows[flow][s.random[flow].Below(slots)]
	b := &s.flows[flow][s.random[flow].Below(slots)]
	if b.score < a.score {
		a = b
	}
	return a.ev, true
}

// Feedback updates the score of the packet's EV, and replaces the EV if its score is bad.
func (s *Scoreboard) Feedback(f transport.Feedback) {
	for i := range s.flows[f.Flow] {
		slot := &s.flows[f.Flow][i]
		if slot.ev != f.EV {
			continue
		}
		slot.score *= 0.75
		if f.Kind != transport.Good {
			slot.score += 0.25
		}
		if slot.score > bad || f.Kind == transport.TimedOut {
			slot.ev, slot.score = uint16(s.random[f.Flow].Below(evs)), 0
		}
	}
}

// compare prints the completion times of the balancers in a network with the given failures.
func compare(failures string) error {
	tree := topology.FatTree{Hosts: 32}
	workload, err := traffic.Tornado(tree.Hosts, traffic.Message{Bytes: 2 << 20})
	if err != nil {
		return err
	}
	terms, err := topology.ParseFailures(failures)
	if err != nil {
		return err
	}
	faults, _, err := topology.Place(tree, terms, nil) // no place is random
	if err != nil {
		return err
	}
	setup := func(open func() (transport.Balancer, error)) experiment.Setup {
		return experiment.Setup{
			Network:  experiment.Fixed(fattree.Spec{Topology: tree, Workload: workload, Faults: faults}),
			Balancer: open,
			Control:  func() transport.Control { return congestion.DCTCP{} },
		}
	}
	names := []string{"REPS", "Scoreboard", "OPS", "ECMP"}
	comparison, _, err := experiment.Compare(
		setup(func() (transport.Balancer, error) { return balance.New("reps", evs) }),
		setup(func() (transport.Balancer, error) { return new(Scoreboard), nil }),
		setup(func() (transport.Balancer, error) { return balance.New("ops", evs) }),
		setup(func() (transport.Balancer, error) { return balance.New("ecmp", evs) }),
	).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 20})
	if err != nil {
		return err
	}
	fmt.Printf("failures: %q\n", failures)
	for i, name := range names {
		fct, ratio := comparison.Summary(i).Of("max_fct_us"), comparison.Ratio(i)
		fmt.Printf("%-10s %.1f us, %.2f times REPS\n", name, fct, ratio)
	}
	return nil
}

func main() {
	for _, failures := range []string{"", "degrade=1:0.5,place=aligned"} {
		if err := compare(failures); err != nil {
			log.Fatal(err)
		}
	}
}
