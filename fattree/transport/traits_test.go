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

// around is a wrapper that has only the methods of a Balancer.
type around struct{ transport.Balancer }

// deaf is a router that does not name itself.
type deaf struct{ around }

func (deaf) Route(fattree.Passing, fattree.Ports) (int, bool) { return 0, false }

// naming is a router that names itself.
type naming struct{ deaf }

func (n naming) Traits() transport.Traits {
	t := n.deaf.Traits()
	t.Router = n
	return t
}

// replacing has another Route than the router that it embeds and names.
type replacing struct{ naming }

func (replacing) Route(fattree.Passing, fattree.Ports) (int, bool) { return 1, true }

// watching, splitting and choosing are balancers with further methods that their traits do not name.
type watching struct{ around }

func (watching) Watch(fattree.Passing, fattree.Ports, int) {}

type splitting struct{ transport.Splitter }

func (s splitting) Traits() transport.Traits { return transport.Traits{} }

type choosing struct{ transport.PlaneBalancer }

// granting is a control that wraps another one; insider looks at balancers, and grantor grants credit, without a word.
type granting struct{ transport.Control }

type insider struct{ granting }

func (insider) AcknowledgeInside(*transport.Window, transport.Acknowledgement, transport.Insight) {}

type looking struct{ insider }

func (l looking) Traits() transport.ControlTraits { return transport.ControlTraits{Insider: l} }

type grantor struct{ transport.Granter }

// TestWrappers: a wrapper has the traits of what it embeds, at any depth, and changes nothing.
func TestWrappers(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<18)})
	if err != nil {
		t.Fatal(err)
	}
	execute := func(b transport.Balancer, c transport.Control) *fattree.Result {
		result, err := transport.NewRun(n).Execute(context.Background(), b, c, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if !reflect.DeepEqual(execute(&around{around{balance.NewAdaptive()}}, congestion.DCTCP{}), execute(balance.NewAdaptive(), congestion.DCTCP{})) {
		t.Error("a wrapper around a router changes the run")
	}
	spraying, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(execute(spraying, granting{new(congestion.EQDS)}), execute(spraying, new(congestion.EQDS))) {
		t.Error("a wrapper around a control with credit changes the run")
	}
}

// TestUnnamed: Execute refuses a balancer or a control with the methods of an optional interface that its traits do not
// name, and one that names what it embeds but has a method of its own.
func TestUnnamed(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: nettest.Tornado(16, 1<<12)})
	if err != nil {
		t.Fatal(err)
	}
	spraying, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	subflows, err := balance.NewSubflows(16, 4)
	if err != nil {
		t.Fatal(err)
	}
	planes, err := balance.NewMRC(16)
	if err != nil {
		t.Fatal(err)
	}
	in := around{spraying}
	for name, c := range map[string]struct {
		b    transport.Balancer
		c    transport.Control
		want string
	}{
		"router named":  {naming{deaf{in}}, congestion.DCTCP{}, ""},
		"router":        {deaf{in}, congestion.DCTCP{}, "b (\"transport_test.deaf\") has the methods of a fattree.Router: it must name itself in its traits as Router"},
		"replaced":      {replacing{naming{deaf{in}}}, congestion.DCTCP{}, "transport_test.replacing\") has the methods of a fattree.Router"},
		"watcher":       {watching{in}, congestion.DCTCP{}, "has the methods of a fattree.Watcher: it must name itself in its traits as Watcher"},
		"splitter":      {splitting{subflows}, congestion.DCTCP{}, "has the methods of a transport.Splitter: it must name itself in its traits as Splitter"},
		"planes":        {choosing{planes}, congestion.DCTCP{}, "has the methods of a transport.PlaneBalancer: it must name itself in its traits as Planes"},
		"granter":       {spraying, grantor{new(congestion.EQDS)}, "has the methods of a transport.Granter: it must name itself in its traits as Granter"},
		"insider":       {spraying, insider{granting{congestion.DCTCP{}}}, "has the methods of a transport.Insider: it must name itself in its traits as Insider"},
		"insider named": {spraying, looking{insider{granting{congestion.DCTCP{}}}}, ""},
		"wrapped":       {spraying, granting{looking{insider{granting{congestion.DCTCP{}}}}}, "must be an Insider itself: it wraps one"},
	} {
		run := transport.NewRun(n)
		for range 2 { // also after an error
			if _, err := run.Execute(context.Background(), c.b, c.c, fattree.NewStreams(1, 0)); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s: error %v, want %q", name, err, c.want)
			}
		}
	}
}
