package figures

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"

	"repslab/fattree"
	"repslab/fattree/experiment"
)

// netSetup is an experiment on networks. Setups of the same text have equal load balancers and
// congestion controls; one without a text shares no runs with others.
type netSetup struct {
	experiment.Setup
	text string
}

// Runs holds the outcomes of runs, so that figures with a run in common make it once: the same
// network with its workload, load balancer, congestion control, seed and replica have the same
// outcome. The zero value holds none and is ready for use, by several goroutines.
type Runs struct {
	outcomes sync.Map // *fattree.Result by runKey
}

// mostFlows is the number of flows of the largest runs that are held: a trace has many times more,
// and is in one figure.
const mostFlows = 1024

// runKey identifies a run.
type runKey [sha256.Size]byte

// keyOfRun returns the key of a run on a fat tree. A specification holds no pointers but its Chooser,
// which a fat tree of a figure does not have.
func keyOfRun(n *fattree.Network, setup string, seed, replica uint64) runKey {
	spec := n.Spec()
	spec.Topology = treeOf(spec)
	return sha256.Sum256(fmt.Appendf(nil, "%#v; %s; seed %d, replica %d", spec, setup, seed, replica))
}

// open opens a runner of a setup that takes over runs that are there and leaves its own to others.
// A nil Runs has none and takes none.
func (r *Runs) open(setup netSetup) (replicaRunner[experiment.Replica], error) {
	if r == nil || setup.text == "" || setup.Trace != nil {
		runner, err := setup.NewRunner()
		return runner.Run, err
	}
	build := setup.Network
	var network *fattree.Network // of the next run
	setup.Network = func(_, _ uint64) (*fattree.Network, error) { return network, nil }
	runner, err := setup.NewRunner()
	return func(ctx context.Context, seed, replica uint64) (made experiment.Replica, err error) {
		if network, err = build(seed, replica); err != nil {
			return made, err
		}
		key := keyOfRun(network, setup.text, seed, replica)
		if outcome, found := r.outcomes.Load(key); found {
			return experiment.Replica{Number: replica, Network: network, Result: outcome.(*fattree.Result)}, nil
		}
		if made, err = runner.Run(ctx, seed, replica); err == nil && len(made.Result.Flows) <= mostFlows {
			r.outcomes.Store(key, made.Result)
		}
		return made, err
	}, err
}
