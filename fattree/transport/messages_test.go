package transport

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// divided returns a workload in which flows are divided into messages of one connection, of up to the
// given number of packets each. The messages begin when the whole flow does, and the first has its
// number. whole[i] is the number of the whole flow of message i.
func divided(w fattree.Workload, most, payload int64) (messages fattree.Workload, whole []int) {
	messages = fattree.Workload{Flows: slices.Clone(w.Flows)}
	for i, f := range w.Flows {
		part := &messages.Flows[i]
		part.Bytes, part.Connection = min(f.Bytes, most*payload), i+1
		whole = append(whole, i)
	}
	for i, f := range w.Flows {
		for left := f.Bytes - messages.Flows[i].Bytes; left > 0; left -= most * payload {
			rest := messages.Flows[i]
			rest.Bytes = min(left, most*payload)
			messages.Flows = append(messages.Flows, rest)
			whole = append(whole, i)
		}
	}
	return messages, whole
}

// TestMessagesAreOneFlow: if the messages of a connection begin together, each packet fares as in a
// single flow, and the last message ends with that flow, apart from the time of a short last packet.
func TestMessagesAreOneFlow(t *testing.T) {
	compared, several := 0, 0
	for seed := range uint64(80) {
		spec := RandomSpec(rand.New(rand.NewPCG(seed, 5)))
		spec.Workload.Triggers = nil
		for i := range spec.Workload.Flows {
			f := &spec.Workload.Flows[i]
			f.StartedBy, f.Fires, f.Connection = fattree.NoTrigger, fattree.NoTrigger, 0
		}
		n, err := fattree.Build(spec)
		if err != nil {
			continue
		}
		want, err := NewRun(n).Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatal(err)
		}
		var whole []int
		spec.Workload, whole = divided(spec.Workload, 1+int64(seed%20), int64(n.Spec().PayloadBytes()))
		n, err = fattree.Build(spec)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		run := NewRun(n)
		for range 2 { // the second run must not depend on the first
			got, err := run.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0))
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			nettest.CheckResult(t, seed, n, got)
			ends, lost := make([]fattree.FlowResult, len(want.Flows)), make([]int32, len(want.Flows))
			for i, f := range got.Flows {
				lost[whole[i]] += f.Lost
				last := &ends[whole[i]]
				if last.End != fattree.Unfinished && (f.End == fattree.Unfinished || f.End > last.End) {
					*last = f
				}
			}
			for i, f := range want.Flows {
				ends[i].Lost = lost[i]
				// A short last packet is early on each of its links, which the end of an earlier message
				// does not reflect. Its ACK does not come before the previous ACK, in whole slots, and
				// the flow is not faster than alone.
				late, rounding := ends[i].End-f.End, n.Way(int32(i)).Rounding
				if max(late, -late) < n.Shortage(int32(i), 0, nil)+7*n.SlotTime()+max(rounding, -rounding) {
					ends[i].End = f.End
				}
			}
			if got.Flows = ends; !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %+v\nas messages\n%+v", seed, want, got)
			}
		}
		compared++
		if len(whole) > len(want.Flows) {
			several++
		}
	}
	if compared < 40 || several < 36 {
		t.Errorf("%d networks, %d with flows of several messages", compared, several)
	}
}

// TestMessages: a message that begins while another is in progress is sent right behind it, and ends when
// the next ACK covers it. A message that begins later continues with the same window and packet numbers.
func TestMessages(t *testing.T) {
	const packets, payload, slot = 10, 4086, fattree.Picoseconds(83_000)
	begins := []fattree.Picoseconds{0, 2 * slot, 100_000_000}
	s := fattree.Spec{Topology: Tree{Hosts: 128}, Options: Options{AckRatio: 4, InitialWindow: 100}}
	for _, begin := range begins {
		f := fattree.NewFlow(0, 127, packets*payload, begin)
		f.Connection = 7
		s.Workload.Flows = append(s.Workload.Flows, f)
	}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	if n.Packets(0) != len(begins)*packets || n.Packets(1) != 0 {
		t.Errorf("%d and %d packets", n.Packets(0), n.Packets(1))
	}
	heard := &hearing{}
	result, err := NewRun(n).Execute(context.Background(), heard, shrinking{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	alone := n.BaseRTT(0) // time of one packet
	// ACKs are for packets 1, 5, 9, .. of the connection and for the last of those that have begun.
	for i, want := range []fattree.Picoseconds{alone + 12*slot, alone + 19*slot, alone + 9*slot} {
		// Starts are rounded up to slots, ends down.
		end := result.Flows[i].End
		if i == 2 {
			end -= begins[2]
		}
		if end < want-slot || end > want+slot {
			t.Errorf("message %d ended after %d ps, want %d", i, end, want)
		}
	}
	if result.Sent != int64(len(begins)*packets) || slices.Max(heard.flows) != 0 {
		t.Errorf("%d packets of the flows %v", result.Sent, heard.flows)
	}
	// Six ACKs, the last when nothing is in flight any more, and three of the third message.
	if rooms := heard.rooms; len(rooms) != 9 || rooms[8] <= rooms[5] {
		t.Errorf("room in the window after each ACK: %v, want more at the end than after two messages", rooms)
	}
}

// hearing notes the feedback.
type hearing struct {
	uniform
	flows []int32
	rooms []float64
}

func (h *hearing) Feedback(f Feedback) {
	h.flows, h.rooms = append(h.flows, f.Flow), append(h.rooms, f.Room)
}

// TestConnectionErrors: messages of a connection have the same hosts, and together no more packets than a
// flow can have.
func TestConnectionErrors(t *testing.T) {
	build := func(change func(*fattree.Workload)) string {
		w := fattree.Workload{Flows: []fattree.Flow{nettest.Message(0, 1, 5<<30), nettest.Message(0, 1, 5<<30)}}
		w.Flows[0].Connection, w.Flows[1].Connection = 3, 3
		change(&w)
		_, err := fattree.Build(fattree.Spec{Topology: Tree{Hosts: 128}, Workload: w})
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for want, change := range map[string]func(*fattree.Workload){
		"fattree: Flows[1].Connection (3) must not be that of flow 0, which has other hosts": func(w *fattree.Workload) { w.Flows[1].Source = 2 },
		"fattree: Flows[1].Connection (-3) must not be negative":                             func(w *fattree.Workload) { w.Flows[1].Connection = -3 },
		"fattree: BackgroundEvery (2) must be 0 with connections of several messages":        func(w *fattree.Workload) { w.BackgroundEvery = 2 },
		"": func(*fattree.Workload) {},
		"fattree: Flows[1].Bytes (17179869184) must be at most 4194304 packets of 4086 bytes with those of its connection before it": func(w *fattree.Workload) {
			w.Flows[1].Bytes = 16 << 30
		},
	} {
		if got := build(change); got != want {
			t.Errorf("error %q, want %q", got, want)
		}
	}
}

// listening is a Script that starts all flows at once and notes when they are delivered.
type listening struct {
	*fattree.Starter
	at    []fattree.Picoseconds
	twice bool
}

func (l *listening) Delivered(flow int32, at fattree.Picoseconds) {
	l.twice = l.twice || l.at[flow] != 0
	l.at[flow] = at
}

// deliveriesOf runs a workload twice, with some workers, and returns when each flow was delivered, 0 for never.
func deliveriesOf(t *testing.T, spec fattree.Spec, seed uint64, workers int) ([]fattree.Picoseconds, *fattree.Result) {
	t.Helper()
	heard := &listening{Starter: fattree.NewStarter(spec.Workload)}
	spec.Workload.Script = func() fattree.Script { return heard }
	n, err := fattree.Build(spec)
	if err != nil {
		t.Skipf("seed %d: %v", seed, err)
	}
	run := NewRun(n)
	run.Workers(workers)
	var result *fattree.Result
	for range 2 { // the second run must not depend on the first
		heard.at = make([]fattree.Picoseconds, n.Flows())
		if result, err = run.Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(seed, 0)); err != nil || heard.twice {
			t.Fatalf("seed %d: error %v, a message delivered twice: %t", seed, err, heard.twice)
		}
	}
	return heard.at, result
}

// TestMessagesAreDelivered: each message of a connection is delivered once, before it ends, and the last one with the
// single flow that they would be, for any number of workers, in random networks.
func TestMessagesAreDelivered(t *testing.T) {
	several, before := 0, 0
	for seed := range uint64(60) {
		t.Run("", func(t *testing.T) {
			spec := RandomSpec(rand.New(rand.NewPCG(seed, 5)))
			spec.Workload.Triggers = nil
			for i, f := range spec.Workload.Flows {
				spec.Workload.Flows[i] = fattree.NewFlow(f.Source, f.Destination, f.Bytes, 0)
			}
			want, whole := deliveriesOf(t, spec, seed, 1)
			n, err := fattree.Build(spec)
			if err != nil {
				t.Fatal(err)
			}
			messages, of := divided(spec.Workload, 1+int64(seed%20), int64(n.Spec().PayloadBytes()))
			spec.Workload = messages
			got, result := deliveriesOf(t, spec, seed, 1)
			if by, other := deliveriesOf(t, spec, seed, 3); !slices.Equal(by, got) || !reflect.DeepEqual(other, result) {
				t.Errorf("seed %d: 3 workers deliver at %v, one at %v", seed, by, got)
			}
			last := make([]fattree.Picoseconds, len(want))
			for i, at := range got {
				f := result.Flows[i]
				if f.End != fattree.Unfinished && (at == 0 || at > f.End+n.SlotTime()) {
					t.Errorf("seed %d: message %d is delivered at %d, ends at %d", seed, i, at, f.End)
				}
				if last[of[i]] = max(last[of[i]], at); at > 0 && at < last[of[i]] {
					before++
				}
			}
			for i, f := range whole.Flows {
				// The last packet of several saves the same time in both. A message of one packet may follow others,
				// and saves it on one link.
				bound := fattree.Picoseconds(0)
				if n.Packets(int32(i)) == 1 {
					bound = n.Shortage(int32(i), 0, nil)
				}
				if late := last[i] - want[i]; f.End != fattree.Unfinished && max(late, -late) > bound {
					t.Errorf("seed %d: the last message of %d is delivered at %d, the flow at %d", seed, i, last[i], want[i])
				}
			}
			if len(of) > len(want) {
				several++
			}
		})
	}
	if several < 20 || before == 0 {
		t.Errorf("%d networks with flows of several messages, %d messages delivered before an earlier one", several, before)
	}
}

// TestMessagesBeyondHorizon: messages of a connection may have more packets than fit into a run.
func TestMessagesBeyondHorizon(t *testing.T) {
	spec := fattree.Spec{Topology: Tree{Hosts: 16}, Horizon: 20_000_000}
	for range 3 {
		f := fattree.NewFlow(0, 15, 1<<30, 0)
		f.Connection = 1
		spec.Workload.Flows = append(spec.Workload.Flows, f)
	}
	at, result := deliveriesOf(t, spec, 1, 1)
	if slices.Max(at) != 0 || result.Finished() != 0 || result.Delivered == 0 {
		t.Errorf("delivered at %v, %d finished, %d packets arrived", at, result.Finished(), result.Delivered)
	}
}
