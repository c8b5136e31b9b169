package balance

import (
	"context"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/mctest"
)

// withBackground returns tornado32's network in which every fourth flow is
// background traffic.
func withBackground(t testing.TB, trimming, inherits bool) *fattree.Network {
	t.Helper()
	tree := topology.FatTree{Hosts: 32, HostsPerToR: 4, UplinksPerToR: 4}
	spec := fattree.Spec{Topology: tree, DisableTrimming: !trimming, Options: transport.Options{InheritConnections: inherits}}
	spec.Workload.BackgroundEvery = 4
	for round := range 3 { // of messages between the same hosts, so that connections are inherited
		for host := range fattree.Host(32) {
			spec.Workload.Flows = append(spec.Workload.Flows, fattree.Flow{
				Source: host, Destination: (host + 16) % 32, Bytes: 1 << 19, Start: fattree.Picoseconds(round) * 20 * us,
			})
		}
	}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestMixedOfOneKind: two balancers of the same kind give the result of one that steers all flows, byte
// for byte. So does one that is given twice, where packets are trimmed. With REPSLAB_LONG=1 in all four networks.
func TestMixedOfOneKind(t *testing.T) {
	for _, trimming := range []bool{true, false} {
		for _, inherits := range []bool{true, false} {
			if trimming == inherits && !mctest.Long() {
				continue
			}
			n := withBackground(t, trimming, inherits)
			run := func(b transport.Balancer) *fattree.Result {
				result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
				if err != nil {
					t.Fatal(err)
				}
				return result
			}
			alone, main, background := every(t), every(t), every(t)
			for name := range alone {
				want := run(alone[name])
				if got := run(NewMixed(main[name], background[name])); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, trimming %v, inheriting %v: two of them differ from one", name, trimming, inherits)
				}
				if !trimming && !mctest.Long() {
					continue
				}
				if got := run(NewMixed(main[name], main[name])); !reflect.DeepEqual(got, want) {
					t.Errorf("%s, trimming %v, inheriting %v: given twice it differs from itself", name, trimming, inherits)
				}
			}
		}
	}
}

// TestMixedOfNoRouters: balancers that are not equal, but choose alike, give the
// result of one of them; so the switches hash as they do without a Mixed.
func TestMixedOfNoRouters(t *testing.T) {
	n := withBackground(t, true, false)
	var results []*fattree.Result
	for _, evs := range []int{MaxEVS, MaxEVS - 1} { // more than flows
		ecmp, err := NewECMP(MaxEVS)
		if err != nil {
			t.Fatal(err)
		}
		other, err := NewECMP(evs)
		if err != nil {
			t.Fatal(err)
		}
		b := NewMixed(ecmp, other)
		if evs == MaxEVS {
			b = ecmp
		}
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	if !reflect.DeepEqual(results[0], results[1]) {
		t.Error("ECMP with ECMP as its background differs from ECMP")
	}
}

// TestMixedRoutes: a Mixed is a router if, and only if, one of the two is.
func TestMixedRoutes(t *testing.T) {
	for main, a := range every(t) {
		for background, b := range every(t) {
			_, first := a.(fattree.Router)
			_, second := b.(fattree.Router)
			if _, got := NewMixed(a, b).(fattree.Router); got != (first || second) {
				t.Errorf("%s and %s: is a router: %v", main, background, got)
			}
		}
	}
}

// watching counts the data packets that an Adaptive is told of.
type watching struct {
	*adaptive
	told int64
}

func (w *watching) Traits() transport.Traits { return transport.Traits{Router: w, Watcher: w} }

func (w *watching) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	if !p.Header {
		w.told++
	}
	w.adaptive.Watch(p, ports, port)
}

// TestMixedWatches: adaptive routing sees each data packet that another router of the same switches
// routes. Here these are the packets of the 8 background flows of each round, 129 or more per flow, at
// the ToR that they leave.
func TestMixedWatches(t *testing.T) {
	b := &watching{adaptive: new(adaptive)}
	n := withBackground(t, true, false)
	if _, err := transport.NewRun(n).Execute(context.Background(), NewMixed(b, NewRoundRobin()), congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
		t.Fatal(err)
	}
	if least := int64(3 * 8 * 129); b.told < least || b.told > 2*least {
		t.Errorf("told of %d packets, want %d and the retransmitted ones", b.told, least)
	}
}

// BenchmarkMixed runs spraying with ECMP as its background: the cost of asking two
// balancers.
func BenchmarkMixed(b *testing.B) {
	n := withBackground(b, true, false)
	run := transport.NewRun(n)
	ops, err := NewSpraying(MaxEVS)
	if err != nil {
		b.Fatal(err)
	}
	ecmp, err := NewECMP(MaxEVS)
	if err != nil {
		b.Fatal(err)
	}
	mixed := NewMixed(ops, ecmp)
	b.ReportAllocs()
	hops := int64(0)
	for b.Loop() {
		result, err := run.Execute(context.Background(), mixed, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			b.Fatal(err)
		}
		hops += result.PacketHops
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(hops), "ns/hop")
}
