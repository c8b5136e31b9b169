package balance

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
)

// spy is a balancer that records its flows.
type spy struct {
	transport.Balancer
	sent, told map[int32]bool
}

// newSpy returns a balancer with one EV for all packets, another one for each number.
func newSpy(t *testing.T, number int) *spy {
	t.Helper()
	b, err := NewMultipath(number+1, number+1)
	if err != nil {
		t.Fatal(err)
	}
	return &spy{Balancer: b, sent: map[int32]bool{}, told: map[int32]bool{}}
}

// NextEV records the flow.
func (s *spy) NextEV(flow int32, now fattree.Picoseconds) (uint16, bool) {
	s.sent[flow] = true
	return s.Balancer.NextEV(flow, now)
}

// Feedback records the flow.
func (s *spy) Feedback(f transport.Feedback) {
	s.told[f.Flow] = true
	s.Balancer.Feedback(f)
}

// TestPerFlow: each of three balancers chooses the EVs of its own flows and hears of them alone; of reads the flows
// of the network that is run.
func TestPerFlow(t *testing.T) {
	spies := []*spy{newSpy(t, 1), newSpy(t, 2), newSpy(t, 3)}
	of := func(w fattree.Workload, flow int) int { return int(w.Flows[flow].Source) % 3 }
	b := NewPerFlow(of, spies[0], spies[1], spies[2])
	n := withBackground(t, true, false)
	if _, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
		t.Fatal(err)
	}
	for i, s := range spies {
		want := map[int32]bool{}
		for flow, f := range n.Spec().Workload.Flows {
			if int(f.Source)%3 == i {
				want[int32(flow)] = true
			}
		}
		if !reflect.DeepEqual(s.sent, want) || !reflect.DeepEqual(s.told, want) || len(want) < 30 {
			t.Errorf("balancer %d chose EVs of %v and heard of %v, want %v", i, s.sent, s.told, want)
		}
	}
	for _, number := range []int{-1, 3, 256} {
		wrong := NewPerFlow(func(fattree.Workload, int) int { return number }, spies[0], spies[1], spies[2])
		want := fmt.Sprintf("balance: NewPerFlow: of returns %d for flow 0, must be in [0, 3)", number)
		if got := panicOf(func() { wrong.Reset(n, fattree.NewStreams(1, 0).Algorithm) }); got != want {
			t.Errorf("a number without a balancer: panics with %q, want %q", got, want)
		}
	}
}
