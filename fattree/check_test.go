package fattree_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/internal/nettest"
)

// blind is a transport that sends every packet once and ignores losses. It can make typical mistakes of
// transports.
type blind struct {
	early, twice, silent bool
	net                  *fattree.Network
	sent, arrived        []int32 // by flow
}

func (b *blind) Attach(e *fattree.Edge) fattree.Hosts {
	b.net = e.Network()
	return &blindHosts{blind: b, Edge: e}
}

func (b *blind) Begin(fattree.Streams) fattree.Needs {
	b.sent, b.arrived = make([]int32, b.net.Flows()), make([]int32, b.net.Flows())
	return fattree.Needs{}
}

type blindHosts struct {
	*blind
	*fattree.Edge
	flows []int32 // flows that begin here
}

func (h *blindHosts) Start(flow, _ int32) { h.flows = append(h.flows, flow) }

func (h *blindHosts) Due() int32 {
	if len(h.flows) > 0 {
		return 0
	}
	return fattree.Never
}

func (h *blindHosts) Receive(packets []fattree.Crossing) {
	for _, c := range packets {
		h.SendHeader(fattree.NewHeader(c.Packet.As(fattree.Answer), 0, c.Phase()), false)
	}
}

func (h *blindHosts) Step(headers []fattree.Crossing) {
	for _, c := range headers {
		flow := c.Packet.Flow()
		if h.arrived[flow]++; int(h.arrived[flow]) == h.net.Packets(flow) && !h.early && !h.silent {
			h.Finish(flow, h.Now)
		}
	}
	left := h.flows[:0]
	for _, flow := range h.flows {
		from, _ := h.net.Pair(flow)
		sends := 1
		if h.twice {
			sends = 2
		}
		if !h.SpendSlot(int32(from) - h.First) {
			for ; sends > 0 && int(h.sent[flow]) < h.net.Packets(flow); sends-- {
				h.Sent++
				h.Send(int32(from)-h.First, fattree.NewPacket(flow, h.sent[flow], uint16(h.sent[flow])), 0)
				h.sent[flow]++
			}
		}
		if int(h.sent[flow]) < h.net.Packets(flow) {
			left = append(left, flow)
		} else if h.early {
			h.Finish(flow, h.Now)
		}
	}
	h.flows = left
}

// TestCheck: Check names each mistake of a transport, and accepts a correct transport.
func TestCheck(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Horizon: 1_000_000_000, Workload: fattree.Workload{Flows: []fattree.Flow{
		fattree.NewFlow(0, 9, 500_000, 0), fattree.NewFlow(5, 2, 200_000, 3_000_000)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		transport blind
		want      string
	}{
		{blind{}, ""},
		{blind{early: true}, "fattree: flow 0 ends at "},
		{blind{silent: true}, "fattree: flow 1 does not end: its last packet is delivered at "},
		{blind{twice: true}, "fattree: host 0 sends two packets in slot "},
	} {
		result, err := fattree.Check(context.Background(), n, &c.transport, fattree.NewStreams(1, 0))
		if result == nil || c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.transport, err, c.want)
		}
	}
}

// TestSetupOfOwnTransport: a replica of a setup with its own transport equals a run of its network with that transport.
func TestSetupOfOwnTransport(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 9, 500_000, 0)}}}
	own := func(*fattree.Network) (fattree.Transport, error) { return new(blind), nil }
	runner, err := experiment.Setup{Network: experiment.Fixed(spec), Transport: own}.NewRunner()
	if err != nil {
		t.Fatal(err)
	}
	got, err := runner.Run(context.Background(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	want, err := got.Network.NewRun(new(blind)).Execute(context.Background(), fattree.NewStreams(1, 2))
	if err != nil || got.Result.Flows[0] != want.Flows[0] || want.Flows[0].End == fattree.Unfinished {
		t.Errorf("%+v, want %+v, error %v", got.Result.Flows, want, err)
	}
}

// drawnOutline is a fat tree with another outline.
type drawnOutline struct {
	topology.FatTree
	outline fattree.Outline
}

func (o drawnOutline) Outline() fattree.Outline { return o.outline }

// TestOutlineIsChecked: an outline without links or paths, or with a path of other classes, is refused before use.
func TestOutlineIsChecked(t *testing.T) {
	whole := topology.FatTree{Hosts: 16}.Outline()
	for want, change := range map[string]func(*fattree.Outline){
		"Topology.Outline().Links":                                 func(o *fattree.Outline) { o.Links = nil },
		"Topology.Outline().Below":                                 func(o *fattree.Outline) { o.Below = []int{1, 0} },
		"Topology.Outline().Oversubscription (-1) must be in [0, ": func(o *fattree.Outline) { o.Oversubscription = -1 },
		"Topology.Outline().Oversubscription (NaN)":                func(o *fattree.Outline) { o.Oversubscription = math.NaN() },
		"Topology.Outline().Paths":                                 func(o *fattree.Outline) { o.Paths = nil },
		"must have a number of links for each of the": func(o *fattree.Outline) {
			o.Paths = []fattree.Path{{Links: []int{2, 2, 2, 2, 2}, Gbps: 400}}
		},
	} {
		outline := whole
		change(&outline)
		spec := fattree.Spec{Topology: drawnOutline{topology.FatTree{Hosts: 16}, outline}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 9, 1000, 0)}}}
		for _, err := range []error{nettest.Refused(spec), second(fattree.Build(spec))} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
	}
}

// second returns the error of a call.
func second[T any](_ T, err error) error { return err }
