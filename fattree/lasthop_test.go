package fattree_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// runOPS runs oblivious spraying on the network of a spec.
func runOPS(t *testing.T, spec fattree.Spec, control transport.Control) *fattree.Result {
	t.Helper()
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	ops, err := balance.NewSpraying(balance.MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	result, err := transport.NewRun(n).Execute(context.Background(), ops, control, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestLastHopMarks: an incast within a ToR is marked at the port to the receiver under DCTCP and not under EQDS, unless
// the spec says otherwise.
func TestLastHopMarks(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}}
	for i := 1; i < 4; i++ {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(i), 0, 1<<20, 0))
	}
	for _, c := range []struct {
		marks         fattree.LastHopMarks
		dctcp, credit bool // whether there are marks
	}{{fattree.LastHopByTransport, true, false}, {fattree.MarkLastHop, true, true}, {fattree.SpareLastHop, false, false}} {
		spec.LastHopMarks = c.marks
		dctcp, credit := runOPS(t, spec, congestion.DCTCP{}).Marked, runOPS(t, spec, new(congestion.EQDS)).Marked
		if dctcp > 0 != c.dctcp || credit > 0 != c.credit {
			t.Errorf("LastHopMarks %v: %d packets marked under DCTCP, %d under EQDS; want some: %v, %v", c.marks, dctcp, credit, c.dctcp, c.credit)
		}
	}
}

// TestHashAnswers: all packets take path 0, and uplink 0 of the receiver's ToR has failed. On exact paths
// all answers are lost, so the flow never ends. Of hashed answers three in four arrive.
func TestHashAnswers(t *testing.T) {
	tree := topology.FatTree{Hosts: 16, HostsPerToR: 4}
	spec := fattree.Spec{
		Topology: tree, Choose: func(int32, uint16, int) int { return 0 }, Horizon: fattree.Microsecond * 1000,
		Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 4, 1<<18, 0)}},
		Faults:   []fattree.Fault{{Ports: tree.Ports(topology.Part{Switch: 1})}},
	}
	for _, spec.HashAnswers = range []bool{false, true} {
		if got := runOPS(t, spec, congestion.DCTCP{}).Finished() == 1; got != spec.HashAnswers {
			t.Errorf("HashAnswers %v: finished %v", spec.HashAnswers, got)
		}
	}
}
