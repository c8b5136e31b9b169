package transport_test

import (
	"context"
	"reflect"
	"strings"
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
// wrappers.
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
}

// kept holds a balancer in a list of a struct.
type kept struct {
	transport.Balancer
	parts struct{ list []transport.Balancer }
}

// deaf is a wrapper that has Route, and says by Unwrap what else it wraps.
type deaf struct{ showing }

func (deaf) Route(fattree.Passing, fattree.Ports) (int, bool) { return 0, false }

// granting is a control that wraps another one without Unwrap.
type granting struct{ transport.Control }

// TestLostInterfaces: a wrapper without Unwrap loses the routes of the balancer that it wraps, which changed times from
// 36.5 to 111.5 us. Execute refuses it, at any depth, and names both types. The same holds for congestion controls.
func TestLostInterfaces(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<12)})
	if err != nil {
		t.Fatal(err)
	}
	spraying, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	list := kept{Balancer: spraying}
	list.parts.list = []transport.Balancer{balance.NewAdaptive()}
	const router = "which is a fattree.Router"
	for name, c := range map[string]struct {
		b    transport.Balancer
		c    transport.Control
		want string
	}{
		"plain":        {spraying, congestion.DCTCP{}, ""},
		"shown":        {showing{balance.NewAdaptive()}, congestion.DCTCP{}, ""},
		"routes":       {deaf{showing{balance.NewAdaptive()}}, congestion.DCTCP{}, ""},
		"mixed":        {balance.NewMixed(balance.NewAdaptive(), spraying), congestion.DCTCP{}, ""},
		"hidden":       {hiding{balance.NewAdaptive()}, congestion.DCTCP{}, "transport_test.hiding holds a *balance.adaptive, " + router},
		"pointer":      {&hiding{balance.NewAdaptive()}, congestion.DCTCP{}, "*transport_test.hiding holds a *balance.adaptive, " + router},
		"within":       {showing{hiding{balance.NewAdaptive()}}, congestion.DCTCP{}, "transport_test.hiding holds a *balance.adaptive, " + router},
		"around":       {hiding{showing{balance.NewAdaptive()}}, congestion.DCTCP{}, "transport_test.hiding holds a transport_test.showing, " + router},
		"in a list":    {&list, congestion.DCTCP{}, "*transport_test.kept holds a *balance.spraying, which is a transport.Inspector"},
		"credit":       {spraying, granting{new(congestion.EQDS)}, "transport_test.granting holds a *congestion.EQDS, which is a transport.Granter"},
		"plain credit": {spraying, new(congestion.WindowedRCCC), ""},
	} {
		run := transport.NewRun(n)
		for range 2 { // also after an error
			if _, err := run.Execute(context.Background(), c.b, c.c, fattree.NewStreams(1, 0)); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
		}
	}
}
