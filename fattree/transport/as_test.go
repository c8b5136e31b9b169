package transport_test

import (
	"context"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// hiding is a wrapper that has only the methods of a Balancer.
type hiding struct{ transport.Balancer }

// showing is a wrapper that gives access to the wrapped balancer.
type showing struct{ transport.Balancer }

func (s showing) Unwrap() transport.Balancer { return s.Balancer }

// TestWrappedBalancer: a run finds the optional interfaces of a wrapped balancer through several
// wrappers, unless one of them hides the balancer that it wraps. Without Route the hash chooses the
// ports.
func TestWrappedBalancer(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18)})
	if err != nil {
		t.Fatal(err)
	}
	execute := func(b transport.Balancer) *fattree.Result {
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	bare := execute(balance.NewAdaptive())
	if got := execute(showing{showing{balance.NewAdaptive()}}); !reflect.DeepEqual(got, bare) {
		t.Error("a wrapper that tells what it wraps changes the run")
	}
	if got := execute(hiding{balance.NewAdaptive()}); reflect.DeepEqual(got, bare) {
		t.Error("a wrapper that does not tell what it wraps routes")
	}
	if _, is := transport.As[fattree.Router](showing{hiding{balance.NewAdaptive()}}); is {
		t.Error("a wrapper shows what another one hides")
	}
}
