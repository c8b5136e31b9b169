package cases

import (
	"context"
	"sync/atomic"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/mc"
)

// countedTree is a fat tree that counts how often its outline is asked for: once by each plan.
type countedTree struct {
	topology.FatTree
	asked *atomic.Int64
}

func (c countedTree) Outline() fattree.Outline {
	c.asked.Add(1)
	return c.FatTree.Outline()
}

// TestPointsAreResolvedOnce: a completed point asks for no default again: three replicas with flows of their own
// resolve three networks.
func TestPointsAreResolvedOnce(t *testing.T) {
	p := pointOf(t, "hosts=16 message-bytes=50000")
	var asked atomic.Int64
	p.Spec.Topology = countedTree{p.Tree, &asked}
	point := p.point()
	tally, replicas, err := point.Experiment.Run(context.Background(), mc.Plan{Seed: 1, Replicas: 3, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := point.Fold(context.Background(), tally, replicas); err != nil {
		t.Fatal(err)
	}
	if got := asked.Load(); got != 3 {
		t.Errorf("three replicas resolved %d networks", got)
	}
}
