package experiment_test

import (
	"context"
	"sync/atomic"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// counted is a HostOptions that counts how often defaults are applied.
type counted struct {
	transport.Options
	resolved *atomic.Int64
}

func (c counted) Resolve(p *fattree.Plan) (fattree.HostOptions, error) {
	c.resolved.Add(1)
	return c.Options.Resolve(p)
}

// TestResolvedOnce: a network resolves its specification and the options of its hosts once, for any number of runs:
// once for each replica with a workload of its own, and once for all replicas with the same.
func TestResolvedOnce(t *testing.T) {
	const replicas = 3
	var resolved atomic.Int64
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Options: counted{transport.Options{AckRatio: 2}, &resolved}}
	drawn := experiment.Varied(func(seed, replica uint64) (of fattree.Spec, err error) {
		of = spec
		of.Workload, err = traffic.Permutation(16, traffic.Message{Bytes: 50_000}, mc.NewStream(seed, mc.Workload, replica).Source())
		return of, err
	})
	spec.Workload, _ = traffic.Tornado(16, traffic.Message{Bytes: 50_000})
	for name, c := range map[string]struct {
		network experiment.Networks
		want    int64
	}{"drawn": {drawn, replicas}, "fixed": {experiment.Fixed(spec), 1}} {
		resolved.Store(0)
		setup := experiment.Setup{Network: c.network, Control: func() transport.Control { return congestion.DCTCP{} },
			Balancer: func() (transport.Balancer, error) { return balance.New("reps", 1<<16) }}
		runner, err := setup.NewRunner()
		if err != nil {
			t.Fatal(err)
		}
		for replica := range uint64(replicas) {
			r, err := runner.Run(context.Background(), 1, replica)
			if err != nil {
				t.Fatal(err)
			}
			if ratio := transport.OptionsOn(r.Network).AckRatio; ratio != 2 || transport.OptionsOf(r.Network.Plan()).RTO == 0 {
				t.Errorf("%s: the hosts have %d packets per ACK", name, ratio)
			}
		}
		if got := resolved.Load(); got != c.want {
			t.Errorf("%s: options were resolved %d times for %d replicas, want %d", name, got, replicas, c.want)
		}
	}
}
