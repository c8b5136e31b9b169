// Deviations simulates deviations of public REPS implementations from the paper that no flag of repslab
// offers, and prints the cost of each relative to REPS as in the paper. docs/conformance.md has the other
// deviations.
//
//   - exploration: every packet of an exploration gets a random EV, not every eighth.
//   - out of order: the EV of a packet that overtakes another packet is not used again, since the
//     receiver answers with a NACK that counts as congestion. Congestion control ignores these NACKs.
//   - one path back: all ACKs of a flow take the same path.
//   - silent: a duplicate packet gets no ACK while an earlier packet is missing.
//
// 32 hosts in 4 racks with 8 uplinks send 2 MiB each in a permutation; freezing mode lasts 10 us. The
// program prints the mean time until the slowest flow is done, over 20 runs with 95 % intervals, and "at
// least" if not all flows end:
//
//	$ go run ./deviations
//	failures: ""
//	as the paper  52.9 [52.4, 53.3] us, 1.00 [1.00, 1.00] times the paper's
//	exploration   52.9 [52.4, 53.3] us, 1.00 [1.00, 1.00] times the paper's
//	out of order  61.4 [60.4, 62.5] us, 1.16 [1.14, 1.18] times the paper's
//	one path back 52.8 [52.4, 53.2] us, 1.00 [1.00, 1.00] times the paper's
//	silent        52.9 [52.4, 53.3] us, 1.00 [1.00, 1.00] times the paper's
//	failures: "degrade=12%:0.5"
//	as the paper  55.6 [54.2, 57.1] us, 1.00 [1.00, 1.00] times the paper's
//	exploration   55.6 [54.2, 57.1] us, 1.00 [1.00, 1.00] times the paper's
//	out of order  66.7 [65.1, 68.4] us, 1.20 [1.17, 1.23] times the paper's
//	one path back 55.6 [54.2, 57.1] us, 1.00 [1.00, 1.00] times the paper's
//	silent        55.6 [54.2, 57.1] us, 1.00 [1.00, 1.00] times the paper's
//	failures: "cables=8%,at=20"
//	as the paper  122.3 [113.4, 132.0] us, 1.00 [1.00, 1.00] times the paper's
//	exploration   212.3 [188.2, 239.4] us, 1.74 [1.55, 1.94] times the paper's
//	out of order  at least 1283 us, 10 times the paper's
//	one path back at least 4756 us, 39 times the paper's
//	silent        122.3 [113.4, 132.0] us, 1.00 [1.00, 1.00] times the paper's
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
	"repslab/reps"
)

const (
	evs      = 1 << 16
	freezeNs = 10_000 // length of freezing mode
)

// paper returns REPS as in the paper, with explorations of the given number of packets; 0 means a
// bandwidth-delay product.
func paper(exploration int) (transport.Balancer, error) {
	return balance.NewRecycling(balance.Paper, reps.Config{EVSSize: evs, FreezingTimeout: freezeNs, PacketsPerWindow: exploration})
}

// deviation is a variant of REPS.
type deviation struct {
	name        string
	exploration int // packets of an exploration of the inner REPS
	around      func(transport.Balancer) transport.Balancer
	silent      bool // duplicates get no ACK
}

// deviations lists REPS as in the paper, then the deviations.
func deviations() []deviation {
	same := func(b transport.Balancer) transport.Balancer { return b }
	return []deviation{
		{"as the paper", 0, same, false},
		{"exploration", 1, func(b transport.Balancer) transport.Balancer { return &exploring{Balancer: b} }, false},
		{"out of order", 0, func(b transport.Balancer) transport.Balancer { return &inOrder{Balancer: b} }, false},
		{"one path back", 0, func(b transport.Balancer) transport.Balancer { return onePathBack{b} }, false},
		{"silent", 0, same, true},
	}
}

// compare prints the completion times of all variants in a network with the given failures.
func compare(failures string) error {
	tree := topology.FatTree{Hosts: 32, HostsPerToR: 8, UplinksPerToR: 8}
	terms, err := topology.ParseFailures(failures)
	if err != nil {
		return err
	}
	network := func(silent bool) experiment.Networks {
		return experiment.Varied(func(seed, replica uint64) (fattree.Spec, error) {
			source := mc.NewStream(seed, mc.Workload, replica).Source()
			spec := fattree.Spec{Topology: tree, Horizon: 5_000_000_000, Options: transport.Options{Slips: transport.Slips{SilentDuplicates: silent}}}
			var err error
			if spec.Workload, err = traffic.Permutation(tree.Hosts, traffic.Message{Bytes: 2 << 20}, source); err == nil {
				spec.Faults, _, err = topology.Place(tree, terms, source)
			}
			return spec, err
		})
	}
	var setups []experiment.Setup
	for _, d := range deviations() {
		setups = append(setups, experiment.Setup{
			Network: network(d.silent),
			Balancer: func() (transport.Balancer, error) {
				b, err := paper(d.exploration)
				return d.around(b), err
			},
			Control: func() transport.Control { return congestion.DCTCP{} },
		})
	}
	comparison, _, err := experiment.Compare(setups...).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 20})
	if err != nil {
		return err
	}
	fmt.Printf("failures: %q\n", failures)
	for i, d := range deviations() {
		fct, ratio := comparison.Summary(i).Of("max_fct_us"), comparison.Ratio(i)
		if comparison.Summary(i).Unfinished > 0 {
			fmt.Printf("%-13s at least %.0f us, %.0f times the paper's\n", d.name, fct.Lo, ratio.Lo)
			continue
		}
		fmt.Printf("%-13s %.1f us, %.2f times the paper's\n", d.name, fct, ratio)
	}
	return nil
}

func main() {
	for _, failures := range []string{"", "degrade=12%:0.5", "cables=8%,at=20"} {
		if err := compare(failures); err != nil {
			log.Fatal(err)
		}
	}
}
