package schedule_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// ringsUsed counts the rings of REPS that packets use: of the flows that ask for EVs.
type ringsUsed struct {
	transport.Balancer
	asked map[int32]int
}

func (r *ringsUsed) NextEV(flow int32, now fattree.Picoseconds) (uint16, bool) {
	r.asked[flow]++
	return r.Balancer.NextEV(flow, now)
}

// TestConnectedMessages: messages that a stream of a rank sends to another rank at the same time, and in all steps, use
// one ring if they are connected, and the ring of their own otherwise. All are delivered, in the same time on an idle
// network, up to a slot for each message.
func TestConnectedMessages(t *testing.T) {
	const messages, bytes, steps = 5, 100_000, 2
	b := new(builder)
	for range messages {
		for stream := range uint8(2) {
			send, _ := b.message(0, 1, bytes)
			b.ops[send].CPU = stream
		}
		b.message(1, 0, bytes)
		b.message(0, 2, bytes)
	}
	j := schedule.Job{Schedule: b.schedule(3), Hosts: []fattree.Host{0, 9, 15}, Steps: steps}
	var times [2]fattree.Picoseconds
	for i, connect := range []bool{false, true} {
		j.Connect = connect
		spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: j.Workload()}
		n, err := fattree.Build(spec)
		if err != nil {
			t.Fatal(err)
		}
		reps, err := balance.New("reps", 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		rings := &ringsUsed{reps, map[int32]int{}}
		run := transport.NewRun(n)
		result, err := run.Execute(context.Background(), rings, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil || result.Finished() != 4*messages*steps {
			t.Fatalf("error %v, %d messages finished", err, result.Finished())
		}
		done, _ := run.Script().(*schedule.Player).Results(n.Spec().Horizon)
		if len(done) != steps {
			t.Fatalf("%d steps", len(done))
		}
		times[i] = done[0].Time
		if want := map[bool]int{false: 4 * messages * steps, true: 4}[connect]; len(rings.asked) != want {
			t.Errorf("connected %t: packets use %d rings, want %d", connect, len(rings.asked), want)
		}
		for flow, packets := range rings.asked { // 25 packets a message
			if want := map[bool]int{false: 25, true: 25 * messages * steps}[connect]; packets != want {
				t.Errorf("connected %t: %d packets by the ring of flow %d, want %d", connect, packets, flow, want)
			}
		}
		for _, f := range n.Spec().Workload.Flows {
			if !connect && f.Connection != 0 {
				t.Errorf("messages are connected: %+v", f)
			}
		}
		t.Logf("connected %t: %v", connect, times[i])
	}
	if late := times[1] - times[0]; max(late, -late) > 10_000_000 {
		t.Errorf("a step takes %d ps, connected %d", times[0], times[1])
	}
}
