package main

import (
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// cell is a workload in a network with failures.
type cell struct {
	name, failures string
	pattern        traffic.Pattern
}

func tornado(hosts int, m traffic.Message, _ rand.Source) (fattree.Workload, error) {
	return traffic.Tornado(hosts, m)
}

func incast(hosts int, m traffic.Message, _ rand.Source) (fattree.Workload, error) {
	return traffic.Incast(hosts, 8, m)
}

const (
	failed = "cables=1"                    // a new place in each replica
	slow   = "degrade=1:0.5,place=aligned" // one uplink of each ToR
)

// cells are the cells of the comparison.
var cells = []cell{
	{"permutation", "", traffic.Permutation},
	{"permutation, failed", failed, traffic.Permutation},
	{"permutation, slow", slow, traffic.Permutation},
	{"tornado", "", tornado},
	{"tornado, failed", failed, tornado},
	{"tornado, slow", slow, tornado},
	{"incast of 8", "", incast},
}

// setup returns the cell's setup for a balancer. Flows and failures are drawn from streams of the replica.
func (c cell) setup(open func() (transport.Balancer, error)) experiment.Setup {
	return experiment.Setup{
		Network: experiment.Varied(func(seed, replica uint64) (spec fattree.Spec, err error) {
			tree, stream := topology.FatTree{Hosts: 32}, mc.NewStream(seed, mc.Workload, replica)
			spec.Topology = tree
			if spec.Workload, err = c.pattern(tree.Hosts, traffic.Message{Bytes: 2 << 20}, stream.Source()); err != nil {
				return spec, err
			}
			failures, err := topology.ParseFailures(c.failures)
			if err != nil {
				return spec, err
			}
			spec.Faults, spec.Errors, err = topology.Place(tree, failures, stream.Child(1).Source())
			return spec, err
		}),
		Balancer: open,
		Control:  func() transport.Control { return congestion.DCTCP{} },
	}
}
