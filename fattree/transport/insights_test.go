package transport

import (
	"context"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
	"repslab/mc"
)

// telling is uniform, except that every third EV is a fixed one, and reports the origin of each EV.
type telling struct {
	uniform
	sent []int32 // by flow
}

func (b *telling) Reset(n *fattree.Network, random mc.Stream) {
	b.uniform.Reset(n, random)
	b.sent = make([]int32, n.Flows())
}

func (b *telling) NextEV(flow int32, now fattree.Picoseconds) (uint16, bool) {
	ev, recycled := b.uniform.NextEV(flow, now)
	if b.sent[flow]++; b.sent[flow]%3 == 0 {
		ev = 7
	}
	return ev, recycled
}

func (b *telling) Traits() Traits { return Traits{Inspect: b.Inspect} }

func (b *telling) Inspect(flow int32, dst []Slot) Memory {
	m := Memory{Next: OriginRandom, Valid: int(b.sent[flow]), Slots: append(dst, Slot{EV: 7, Valid: true})}
	if b.sent[flow]%3 == 2 {
		m.Next = OriginFixed
	}
	return m
}

// inside is shrinking and records its insights.
type inside struct {
	shrinking
	t      *testing.T
	wrong  int
	acks   []int   // by flow
	late   []int32 // by flow
	origin map[Origin]int
}

func (c *inside) Traits() ControlTraits { return ControlTraits{Insider: c} }

func (c *inside) Reset(n *fattree.Network, random mc.Stream) {
	c.shrinking.Reset(n, random)
	c.acks, c.late, c.origin = make([]int, n.Flows()), make([]int32, n.Flows()), map[Origin]int{}
}

func (c *inside) AcknowledgeInside(w *Window, ack Acknowledgement, in Insight) {
	c.acks[ack.Flow]++
	c.late[ack.Flow] = max(c.late[ack.Flow], in.OutOfOrder)
	c.origin[in.Origin]++
	if in.Origin != "" && (in.Origin == OriginFixed) != (in.EV == 7) || len(in.Slots) != 1 || in.Valid < c.acks[ack.Flow] {
		if c.wrong++; c.wrong == 1 {
			c.t.Errorf("%+v with %+v", ack, in)
		}
	}
	c.Acknowledge(w, ack)
}

// TestInsights: a Control that gets insights gives the same run as one without. It learns the EV of each
// ACK, its origin, and the number of packets out of order, as the run counts them. That holds for short
// and long ACKs, and also if senders send requests before retransmissions.
func TestInsights(t *testing.T) {
	tree := Tree{Hosts: 64}
	for name, change := range map[string]func(*fattree.Spec){
		"plain":     func(*fattree.Spec) {},
		"coalesced": func(s *fattree.Spec) { s.Options = Options{AckRatio: 4} },
		"failure": func(s *fattree.Spec) {
			s.Faults = []fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0), Start: 5_000_000, End: 20_000_000}}
		},
		"requests": func(s *fattree.Spec) {
			s.DisableTrimming, s.Options = true, Options{Slips: Slips{RequestsForRetransmission: true}}
		},
	} {
		s := fattree.Spec{Topology: tree, Workload: nettest.Tornado(64, 1<<18), Queue: 12, KMin: 2, KMax: 8}
		change(&s)
		n, err := fattree.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		run := func(c Control) *fattree.Result {
			r := NewRun(n)
			result, err := r.Execute(context.Background(), new(telling), c, fattree.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			return result
		}
		c := &inside{t: t}
		want, got := run(shrinking{}), run(c)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: another result than without a word of the balancer", name)
		}
		late := int64(0)
		for _, l := range c.late {
			late += int64(l)
		}
		packets, behind := n.Packets(0)*n.Flows(), int64(0)
		for k := range packets {
			if want.ReorderDepth((float64(k)+0.5)/float64(packets)) > 0 {
				behind++
			}
		}
		if late != behind || late == 0 {
			t.Errorf("%s: %d packets came out of order, the run counts %d", name, late, behind)
		}
		if c.origin[OriginRandom] == 0 || c.origin[OriginFixed] == 0 || name != "requests" && c.origin[""] != 0 {
			t.Errorf("%s: origins %v", name, c.origin)
		}
	}
}
