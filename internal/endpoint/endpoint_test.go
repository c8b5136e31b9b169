package endpoint_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/endpoint"
	"repslab/internal/nettest"
)

// TestLine: lines of several hosts keep the order in which flows join, as lists do.
func TestLine(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lines, want, turns := []endpoint.Line{{Head: endpoint.None}, {Head: endpoint.None}}, make([][]int32, 2), make([]endpoint.Turn, 6)
	for range 2000 {
		flow := random.Int32N(6)
		host := flow % 2
		l := &lines[host]
		if turns[flow] == 0 {
			l.Join(flow, &turns[flow])
			want[host] = append(want[host], flow)
		} else {
			first := want[host][0]
			l.Leave(&turns[first])
			want[host] = want[host][1:]
		}
		var got []int32
		for next := l.Head; next != endpoint.None; next = turns[next].Behind() {
			got = append(got, next)
		}
		for flow := host; flow < 6; flow += 2 {
			if waits := turns[flow] != 0; waits != slices.Contains(got, flow) {
				t.Fatalf("flow %d has turn %d, line %v", flow, turns[flow], got)
			}
		}
		if !slices.Equal(got, want[host]) {
			t.Fatalf("line %v, want %v", got, want[host])
		}
	}
}

// TestAnswers: a receiver answers the ratio-th packet, and at once what must be answered at once.
func TestAnswers(t *testing.T) {
	plain, r := fattree.NewPacket(0, 3, 9), endpoint.Receiver{Received: 1}
	for i, c := range []struct {
		received, complete int32
		p                  fattree.Packet
		atOnce, due        bool
	}{
		{1, 1, plain, false, false},
		{2, 2, plain, false, false},
		{3, 3, plain, false, false},
		{4, 4, plain, false, true}, // the fourth
		{5, 5, plain, false, false},
		{6, 6, plain, true, true},
		{7, 7, plain | fattree.MarkBit, false, true},
		{8, 8, plain, false, false},
		{9, 9, plain | fattree.RequestBit, false, true}, // with no gap below: the request is settled
		{10, 10, plain, false, false},
		{11, 10, plain | fattree.RequestBit, false, true}, // above a gap
		{12, 11, plain, false, false},                     // which is not filled
		{13, 13, plain, false, true},                      // the last gap is filled
		{14, 14, plain, false, false},
		{15, 15, plain, false, false},
	} {
		r.Received, r.Complete = c.received, c.complete
		pending := r.Pending + 1
		if c.due {
			pending = 0
		}
		if due := r.Answers(c.p, 4, c.atOnce); due != c.due || r.Pending != pending {
			t.Errorf("packet %d: due %v and %d pending, want %v and %d", i, due, r.Pending, c.due, pending)
		}
	}
}

// edges is a transport that only keeps the edges of its hosts.
type edges struct{ list []*fattree.Edge }

func (e *edges) Attach(edge *fattree.Edge) fattree.Hosts {
	e.list = append(e.list, edge)
	return idle{}
}
func (e *edges) Begin(fattree.Streams) fattree.Needs { return fattree.Needs{} }

type idle struct{}

func (idle) Start(flow, slot int32)     {}
func (idle) Due() int32                 { return fattree.Never }
func (idle) Receive([]fattree.Crossing) {}
func (idle) Step([]fattree.Crossing)    {}

// TestTake: packets in any order, some of them twice, against the definitions.
func TestTake(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 4}, Workload: fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 2, 200*4096)}}})
	if err != nil {
		t.Fatal(err)
	}
	packets := int32(n.Packets(0))
	e := new(edges)
	run := n.NewRun(e)
	run.Begin(fattree.NewStreams(1, 0))
	run.Step()
	f := endpoint.NewFlows(n)
	f.Reset()
	edge, r := e.list[0], &f.Receivers[0]
	if f.Lines[0].Head != endpoint.None {
		t.Error("a line is not empty")
	}
	have, highest, duplicates := map[int32]bool{}, int32(0), int64(0)
	random := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		psn := random.Int32N(packets)
		_, duplicate := f.Take(edge, 0, psn)
		if duplicate != have[psn] {
			t.Fatalf("packet %d is a duplicate: %v", psn, duplicate)
		}
		if duplicate {
			duplicates++
		}
		have[psn], highest = true, max(highest, psn)
		complete := int32(0)
		for have[complete] {
			complete++
		}
		if r.Received != int32(len(have)) || r.Complete != complete || r.Highest != highest || edge.Duplicates != duplicates {
			t.Fatalf("%+v and %d duplicates, want %d, %d, %d and %d", *r, edge.Duplicates, len(have), complete, highest, duplicates)
		}
	}
	if f.Reset(); *r != (endpoint.Receiver{}) || !f.Received.Empty() {
		t.Errorf("after Reset %+v", *r)
	}
}
