package transport

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// panicOf returns what f panics with, as text, or "" if it returns.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// constantRouter routes every packet to one port.
type constantRouter struct {
	uniform
	port int
}

func (c *constantRouter) Route(fattree.Passing, fattree.Ports) (int, bool) { return c.port, true }
func (c *constantRouter) Traits() Traits                                   { return Traits{Router: c} }

// TestRouterIsHeldToItsPorts: a port in [0, Len()) is accepted. Any other panics with the router's type,
// the port and the range. The same holds for a Chooser.
func TestRouterIsHeldToItsPorts(t *testing.T) {
	for _, port := range []int{-1, 0, 1, 2, 99, math.MinInt, math.MaxInt} {
		s := fattree.Spec{Topology: Tree{Hosts: 8, HostsPerToR: 2}, Workload: nettest.Tornado(8, 1<<16)}
		wants := map[string]string{"": ""}
		routed := panicOf(func() { execute(t, s, &constantRouter{port: port}, steady{}) })
		s.Choose = func(int32, uint16, int) int { return port }
		chosen := panicOf(func() { execute(t, s, new(uniform), steady{}) })
		wants["router"] = fmt.Sprintf("fattree: *transport.constantRouter routes to port %d, must be in [0, 2)", port)
		wants["chooser"] = fmt.Sprintf("fattree: Spec.Choose returns port %d, must be in [0, 2)", port)
		if port == 0 || port == 1 {
			wants["router"], wants["chooser"] = "", ""
		}
		if routed != wants["router"] || chosen != wants["chooser"] {
			t.Errorf("port %d: panics %q and %q, want %q and %q", port, routed, chosen, wants["router"], wants["chooser"])
		}
	}
}

// setting sets the window to a value on ACKs, or on losses.
type setting struct {
	steady
	to            float64
	onAck, onLoss bool
}

func (s setting) Traits() ControlTraits { return ControlTraits{Memoryless: true} }

func (s setting) Acknowledge(w *Window, _ Acknowledgement) {
	if s.onAck {
		w.Packets = s.to
	}
}

func (s setting) Lose(w *Window, _ Loss) {
	if s.onLoss {
		w.Packets = s.to
	}
}

// halves cuts every flow into two subflows.
type halves struct{ uniform }

func (*halves) Subflows(int32) int32                             { return 2 }
func (*halves) SubflowEV(_, subflow int32) uint16                { return uint16(subflow) }
func (*halves) Subflow(_ int32, ev uint16) int32                 { return int32(ev) }
func (h *halves) Traits() Traits                                 { return Traits{Splitter: h} }
func (*halves) NextEV(int32, fattree.Picoseconds) (uint16, bool) { return 0, false }

// TestControlIsHeldToItsWindow: windows in [1, Most] are accepted. Any other panics with the control's
// type, the flow, the value and the range, after ACKs and after losses, for flows and for subflows.
func TestControlIsHeldToItsWindow(t *testing.T) {
	// Four hosts send to one: the last hop loses packets, and ACKs return.
	incast := fattree.Spec{Topology: Tree{Hosts: 8, HostsPerToR: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(4, 0, 1<<20), nettest.Message(5, 0, 1<<20), nettest.Message(6, 0, 1<<20)}}, Queue: 8}
	n, err := fattree.Build(incast)
	if err != nil {
		t.Fatal(err)
	}
	most := max(1, 1.5*float64(n.BaseRTT(0))/(4150*8000/400.))
	balancers := map[string]func() Balancer{"flow": func() Balancer { return new(uniform) }, "subflow": func() Balancer { return new(halves) }}
	for _, c := range []struct {
		to  float64
		bad bool
	}{
		{1, false}, {1.5, false}, {most, false},
		{math.NaN(), true}, {0, true}, {math.Nextafter(1, 0), true}, {-5, true}, {math.Inf(-1), true}, {math.Inf(1), true}, {1e300, true}, {math.Nextafter(151, 200), true},
	} {
		for name, balancer := range balancers {
			for _, control := range []setting{{to: c.to, onAck: true}, {to: c.to, onLoss: true}} {
				got := panicOf(func() {
					_, err := NewRun(n).Execute(context.Background(), balancer(), control, fattree.NewStreams(1, 0))
					if err != nil {
						t.Error(err)
					}
				})
				want := fmt.Sprintf("to %v packets, must be in [1, %v]", c.to, most)
				if c.bad && !(strings.HasPrefix(got, "transport: transport.setting sets the window of flow ") && strings.HasSuffix(got, want)) || !c.bad && got != "" {
					t.Errorf("%s, window %v, on ACKs %v: panics %q, want %q", name, c.to, control.onAck, got, want)
				}
			}
		}
	}
}

// TestInitialWindowAboveMost: an initial window above Most may stay and shrink but not grow.
func TestInitialWindowAboveMost(t *testing.T) {
	s := fattree.Spec{Topology: Tree{Hosts: 8, HostsPerToR: 4}, Workload: nettest.Tornado(8, 1<<20), Options: Options{InitialWindow: 1000}}
	for _, c := range []struct {
		control Control
		grows   bool
	}{{steady{}, false}, {setting{to: 999, onAck: true}, false}, {setting{to: 1001, onAck: true}, true}} {
		if got := panicOf(func() { execute(t, s, new(uniform), c.control) }); (got != "") != c.grows {
			t.Errorf("%+v: panics %q", c.control, got)
		}
	}
}

// TestTooManyHostsAreRefusedAtOnce: MaxInt hosts are refused without a search for a radix,
// which took over 12 s.
func TestTooManyHostsAreRefusedAtOnce(t *testing.T) {
	for tiers := range 4 {
		for _, hosts := range []int{math.MaxInt, fattree.MaxHosts + 1} {
			began := time.Now()
			_, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: hosts, Tiers: tiers}})
			if want := fmt.Sprintf("topology: Hosts (%d) must be in [1, 2097152]", hosts); err == nil || err.Error() != want {
				t.Errorf("%d tiers: error %v, want %q", tiers, err, want)
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("%d tiers, %d hosts: refused after %v", tiers, hosts, took)
			}
		}
	}
}

// TestNilIsRefused: a required argument that is nil is an error that names it, not a panic.
func TestNilIsRefused(t *testing.T) {
	spec := fattree.Spec{Topology: Tree{Hosts: 8}, Workload: nettest.Tornado(8, 1000)}
	execute := func(ctx context.Context, b Balancer, c Control) func() error {
		return func() error {
			n, err := fattree.Build(spec)
			if err != nil {
				return err
			}
			_, err = NewRun(n).Execute(ctx, b, c, fattree.NewStreams(1, 0))
			return err
		}
	}
	var noContext context.Context
	for want, try := range map[string]func() error{
		"ctx (<nil>) must be set":                       execute(noContext, new(uniform), steady{}),
		"b (<nil>) must be set: it balances the load":   execute(context.Background(), nil, steady{}),
		"c (<nil>) must be set: it controls congestion": execute(context.Background(), new(uniform), nil),
	} {
		if err := try(); err == nil || !strings.HasSuffix(err.Error(), "transport: "+want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestFlowWithoutTriggers: a Flow literal that leaves StartedBy and Fires out waits for no trigger and fires none,
// also in a workload with triggers. Numbers of triggers that do not exist are refused.
func TestFlowWithoutTriggers(t *testing.T) {
	w := fattree.Workload{Flows: []fattree.Flow{{Destination: 1, Bytes: 1}}}
	for triggers := range 4 {
		w.Triggers = make([]fattree.Trigger, triggers)
		if err := w.Validate(2); err != nil {
			t.Errorf("%d triggers: error %v", triggers, err)
		}
	}
	starts := fattree.NewStarter(w)
	starts.Play(0, func(flow int32, at fattree.Picoseconds) { w.Flows[flow].Start = at + 7 })
	if w.Flows[0].Start != 7 {
		t.Error("a flow without StartedBy does not start by itself")
	}
	for number, want := range map[int]string{4: "must be NoTrigger (0) or in [1, 3]", -1: "must be NoTrigger (0) or in [1, 3]"} {
		w.Flows[0] = fattree.Flow{Destination: 1, Bytes: 1, StartedBy: number, Fires: number}
		want = fmt.Sprintf("fattree: Flows[0].StartedBy (%[1]d) %[2]s\nfattree: Flows[0].Fires (%[1]d) %[2]s", number, want)
		if err := w.Validate(2); err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
