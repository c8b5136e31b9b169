package transport_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
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

func (p probing) Traits() transport.Traits {
	t := p.Balancer.Traits()
	t.Probe = func(int32, fattree.Picoseconds) (ev uint16, wanted bool) { return 0, false }
	return t
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
		if !reflect.DeepEqual(trace, run.Samples()) {
			t.Errorf("seed %d, %T, %T: other traces", seed, b, c)
		}
	}
	t.Logf("%d plain runs, %d faults, %d retransmissions", plain, faults, retransmitted)
	if plain < 32 || faults < 20 || retransmitted == 0 {
		t.Errorf("%d plain runs with %d faults and %d retransmissions, want 32, 20 and some", plain, faults, retransmitted)
	}
}

// TestEachOptionHasItsLoops: with each field of Options alone, a run gives what the loops of runs with options give,
// whether it is plain or not. So a new option that the plain loops do not know fails here until special lists it.
func TestEachOptionHasItsLoops(t *testing.T) {
	flows := nettest.Tornado(16, 1<<18)
	for i := range flows.Flows {
		flows.Flows[i].Start = fattree.Picoseconds(i%4) * 20 * fattree.Microsecond
	}
	messages := fattree.Workload{}
	for i := range 4 {
		message := fattree.NewFlow(0, 9, 1<<17, fattree.Picoseconds(i)*fattree.Microsecond)
		message.Connection = 1
		messages.Flows = append(messages.Flows, message)
	}
	tree := topology.FatTree{Hosts: 16}
	base := fattree.Spec{Topology: tree, Workload: flows, Queue: 8, KMin: 2, KMax: 6, Options: transport.Options{AckRatio: 4},
		Faults: []fattree.Fault{{Ports: tree.Ports(topology.Part{}), Start: 5 * fattree.Microsecond, End: 60 * fattree.Microsecond}}}
	drops, ultra, connected := base, base, base
	drops.DisableTrimming = true
	ultra.Profile, ultra.DisableTrimming = fattree.UltraEthernet, true
	connected.Workload = messages
	for _, field := range reflect.VisibleFields(reflect.TypeFor[transport.Options]()) {
		if field.Anonymous { // its fields follow
			continue
		}
		runs := 0
		for _, spec := range []fattree.Spec{base, drops, ultra, connected} {
			transport.Change(&spec, func(o *transport.Options) { setOption(reflect.ValueOf(o).Elem().FieldByIndex(field.Index), o) })
			n, err := fattree.Build(spec)
			if err != nil {
				continue
			}
			b, err := balance.New("reps", 256)
			if err != nil {
				t.Fatal(err)
			}
			run := transport.NewRun(n)
			got, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
			if err != nil {
				continue
			}
			want, err := run.Execute(context.Background(), probing{b}, congestion.DCTCP{}, fattree.NewStreams(1, 0))
			if err != nil || transport.IsPlain(run) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, profile %v: %+v, with the loops of options %+v (error %v)", field.Name, spec.Profile, got, want, err)
			}
			runs++
		}
		if runs == 0 && field.Name != "ConnectionTimer" { // of package multipath
			t.Errorf("no network here allows the option %s", field.Name)
		}
	}
}

// setOption sets a field of options to a value that is not its default. Bursts have two lengths.
func setOption(field reflect.Value, o *transport.Options) {
	switch field.Kind() {
	case reflect.Bool:
		field.SetBool(true)
	case reflect.Int:
		field.SetInt(3)
	default:
		field.SetInt(int64(30 * fattree.Microsecond))
	}
	if o.BurstOn > 0 || o.BurstOff > 0 {
		o.BurstOn, o.BurstOff = 7*fattree.Microsecond, 9*fattree.Microsecond
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

// TestPlainRunsHaveNoRouter: a run in which switches choose ports, or which tells deliveries, is not plain.
func TestPlainRunsHaveNoRouter(t *testing.T) {
	tree := topology.FatTree{Hosts: 16}
	spec := fattree.Spec{Topology: tree, Workload: nettest.Tornado(16, 1<<14)}
	plain := func(spec fattree.Spec, b transport.Balancer) bool {
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		run := transport.NewRun(n)
		if _, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
		return transport.IsPlain(run)
	}
	ops, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	told := spec
	told.Workload.Flows = slices.Clone(spec.Workload.Flows)
	told.Workload.Flows[0].Fires, told.Workload.Flows[0].FiresOnDelivery, told.Workload.Flows[1].StartedBy = 1, true, 1
	told.Workload.Triggers = []fattree.Trigger{{}}
	if !plain(spec, ops) || plain(spec, balance.NewRoundRobin()) || plain(told, ops) {
		t.Errorf("plain: OPS %v, in turn by switches %v, with deliveries told %v", plain(spec, ops), plain(spec, balance.NewRoundRobin()), plain(told, ops))
	}
}
