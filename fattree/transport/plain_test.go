package transport_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// probing is a balancer that could probe but never does, so that the run is not plain but has the same
// result.
type probing struct{ transport.Balancer }

func (p probing) Unwrap() transport.Balancer                    { return p.Balancer }
func (probing) Probes() bool                                    { return true }
func (probing) Probe(int32, fattree.Picoseconds) (uint16, bool) { return 0, false }
func (p probing) Measures() bool                                { return transport.Measures(p.Balancer) }

func (p probing) Inherit(flow, from int32) {
	if b, ok := p.Balancer.(transport.Inheriter); ok {
		b.Inherit(flow, from)
	}
}

// TestPlainRuns: the loops of plain runs and the loops of runs with options give the same results and
// traces, in random networks with queues of one packet, without trimming, with coalesced ACKs, failures,
// triggers, several flows per host, three tiers and slower links.
func TestPlainRuns(t *testing.T) {
	balancers, controls := soakBalancers(t), []transport.Control{congestion.DCTCP{}, new(congestion.NSCC), congestion.None{}}
	plain, faults, retransmitted := 0, 0, int64(0)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		spec := transport.RandomSpec(rng)
		spec.Errors, spec.Choose, spec.Profile = nil, nil, fattree.Artifact
		transport.Change(&spec, func(o *transport.Options) {
			*o = transport.Options{InitialWindow: o.InitialWindow, AckRatio: o.AckRatio, InheritConnections: rng.IntN(4) == 0}
		})
		for i := range spec.Workload.Flows {
			spec.Workload.Flows[i].Connection = 0
		}
		n, err := fattree.Build(spec)
		if err != nil {
			continue // such as failures of ports that a small tree does not have
		}
		b, c := balancers[rng.IntN(len(balancers))], controls[rng.IntN(len(controls))]
		run, streams := transport.NewRun(n), fattree.NewStreams(seed, 0)
		if rng.IntN(2) == 0 {
			run.Trace(fattree.TraceConfig{Every: 10_000_000, Ports: []int{0, n.Ports() / 2}, Flows: []int{0}})
		}
		got, err := run.Execute(context.Background(), b, c, streams)
		if !transport.IsPlain(run) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		plain++
		faults += len(spec.Faults)
		retransmitted += got.Retransmitted
		trace := run.Samples()
		want, err := run.Execute(context.Background(), probing{b}, c, streams)
		if err != nil || transport.IsPlain(run) || !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d, %T, %T: %+v, with options' loops %+v (error %v)", seed, b, c, got, want, err)
		}
		samples := run.Samples()
		for i := range samples {
			samples[i].Frozen = trace[i].Frozen // only the balancer itself reports it
		}
		if !reflect.DeepEqual(trace, samples) {
			t.Errorf("seed %d, %T, %T: other traces", seed, b, c)
		}
	}
	t.Logf("%d plain runs, %d faults, %d retransmissions", plain, faults, retransmitted)
	if plain < 32 || faults < 20 || retransmitted == 0 {
		t.Errorf("%d plain runs with %d faults and %d retransmissions, want 32, 20 and some", plain, faults, retransmitted)
	}
}

// TestPlainRun is one plain run, with marks, trimmed packets and time-outs of none: TestPlainRunsAskForNothing of
// package crosscheck looks at which lines it executes.
func TestPlainRun(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 32}, Workload: nettest.Tornado(32, 1<<20), Queue: 20})
	if err != nil {
		t.Fatal(err)
	}
	ops, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n)
	result, err := run.Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if !transport.IsPlain(run) || result.Finished() != n.Flows() || result.Trimmed == 0 || result.Marked == 0 || result.Sent < 8000 {
		t.Errorf("plain %v, %d flows finished, %d packets sent, %d trimmed, %d marked", transport.IsPlain(run), result.Finished(), result.Sent, result.Trimmed, result.Marked)
	}
}
