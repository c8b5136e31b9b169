package traffic

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
)

// relabelled returns w with its hosts numbered in the order in which they first
// send.
func relabelled(w fattree.Workload) fattree.Workload {
	names := map[fattree.Host]fattree.Host{}
	for _, f := range w.Flows {
		if _, known := names[f.Source]; !known {
			names[f.Source] = fattree.Host(len(names))
		}
	}
	for i := range w.Flows {
		f := &w.Flows[i]
		f.Source, f.Destination = names[f.Source], names[f.Destination]
	}
	return w
}

// TestAllToAllMatchesAuthors: up to the order of the hosts, the flows and triggers equal the list that
// the authors' generator wrote.
func TestAllToAllMatchesAuthors(t *testing.T) {
	hosts, want, err := ReadFlows(bytes.NewReader(shipped(t, "alltoall4.cm")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := AllToAll(hosts, 4, Message{Bytes: 2_000_000, Start: 1_000_000}, source(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := relabelled(got), relabelled(want); !reflect.DeepEqual(got, want) {
		t.Errorf("got %d flows and %d triggers, want %d and %d, or they differ", len(got.Flows), len(got.Triggers), len(want.Flows), len(want.Triggers))
	}
}

// senders returns the hosts in the order in which they first send.
func senders(w fattree.Workload) (order []fattree.Host) {
	for _, f := range w.Flows {
		if !slices.Contains(order, f.Source) {
			order = append(order, f.Source)
		}
	}
	return order
}

// TestRingMatchesAuthors: the ring in testdata has the flows and triggers of RingAllreduce. Its members
// are the first 16 hosts of the authors' all-to-all, in the same order, since their generators shuffle
// the hosts with the same seed.
func TestRingMatchesAuthors(t *testing.T) {
	_, all, err := ReadFlows(bytes.NewReader(shipped(t, "alltoall4.cm")))
	if err != nil {
		t.Fatal(err)
	}
	hosts, ring, err := ReadFlows(bytes.NewReader(shipped(t, "ring16_n32.cm")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := senders(ring), senders(all)[:16]; !slices.Equal(got, want) {
		t.Errorf("the ring's members are %v, want %v", got, want)
	}
	drawn, err := RingAllreduce(hosts, 16, Message{Bytes: 4_000_000}, source(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(relabelled(ring), relabelled(drawn)) {
		t.Errorf("the ring has %d flows and %d triggers, RingAllreduce %d and %d, or they differ",
			len(ring.Flows), len(ring.Triggers), len(drawn.Flows), len(drawn.Triggers))
	}
}

// TestAllToAll: every pair occurs once, and no host has more open flows (started minus ended) than
// allowed, if a flow ends only after all flows that may start have started.
func TestAllToAll(t *testing.T) {
	for _, c := range []struct{ hosts, parallel int }{{2, 1}, {5, 2}, {8, 7}, {9, 8}, {32, 16}, {13, 5}} {
		w, err := AllToAll(c.hosts, c.parallel, message(), source(1, 0))
		if err == nil {
			err = w.Validate(c.hosts)
		}
		if err != nil {
			t.Fatal(err)
		}
		seen := map[[2]fattree.Host]bool{}
		open := make([]int, c.hosts)
		var ready []int32
		for i, f := range w.Flows {
			seen[[2]fattree.Host{f.Source, f.Destination}] = true
			if f.StartedBy == fattree.NoTrigger {
				ready = append(ready, int32(i))
				open[f.Source]++
			}
		}
		if want := c.hosts * (c.hosts - 1); len(seen) != want || len(w.Flows) != want {
			t.Errorf("%+v: %d flows of %d pairs, want %d", c, len(w.Flows), len(seen), want)
		}
		starts := fattree.NewStarter(w)
		for len(ready) > 0 {
			f := w.Flows[ready[0]]
			ready = ready[1:]
			if open[f.Source] > c.parallel {
				t.Fatalf("%+v: host %d has %d flows open", c, f.Source, open[f.Source])
			}
			open[f.Source]--
			if f.Fires != fattree.NoTrigger {
				next := starts.Fire(f.Fires)
				open[f.Source] += len(next)
				ready = append(ready, next...)
			}
		}
	}
}

// TestRingAllreduce: three chains of five hops around a ring of three.
func TestRingAllreduce(t *testing.T) {
	w, err := RingAllreduce(8, 3, message(), source(1, 0))
	if err == nil {
		err = w.Validate(8)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(w.Flows) != 15 || len(w.Triggers) != 12 {
		t.Fatalf("%d flows and %d triggers, want 15 and 12", len(w.Flows), len(w.Triggers))
	}
	hosts := map[fattree.Host]bool{}
	for i, f := range w.Flows {
		hosts[f.Source] = true
		if i%5 == 0 {
			if f.StartedBy != fattree.NoTrigger || f.Start != message().Start {
				t.Errorf("flow %d begins a chain but is %+v", i, f)
			}
			continue
		}
		if before := w.Flows[i-1]; f.Source != before.Destination || f.StartedBy != before.Fires || f.Start != 0 {
			t.Errorf("flow %d, %+v, does not follow %+v", i, f, before)
		}
	}
	if len(hosts) != 3 {
		t.Errorf("%d hosts in the ring, want 3", len(hosts))
	}
	if w.Flows[5].Source != w.Flows[0].Destination || w.Flows[10].Source != w.Flows[5].Destination {
		t.Error("chains do not begin one after the other around the ring")
	}
}

// TestButterflyAllreduce: four hosts. The flow that host 0 sends in step 1 waits for the flow that it
// receives from host 1 in step 0.
func TestButterflyAllreduce(t *testing.T) {
	w, err := ButterflyAllreduce(4, message())
	if err == nil {
		err = w.Validate(4)
	}
	if err != nil {
		t.Fatal(err)
	}
	var got [][2]fattree.Host
	for _, f := range w.Flows {
		got = append(got, [2]fattree.Host{f.Source, f.Destination})
	}
	if want := [][2]fattree.Host{{0, 1}, {1, 0}, {2, 3}, {3, 2}, {0, 2}, {1, 3}, {2, 0}, {3, 1}}; !reflect.DeepEqual(got, want) {
		t.Fatalf("pairs %v, want %v", got, want)
	}
	for i, starter := range map[int]int{4: 1, 5: 0, 6: 3, 7: 2} {
		if w.Flows[i].StartedBy != w.Flows[starter].Fires || w.Flows[i].Start != 0 || w.Flows[starter].Start != message().Start {
			t.Errorf("flow %d, %+v, is not started by flow %d, %+v", i, w.Flows[i], starter, w.Flows[starter])
		}
	}
}

func TestCollectiveErrors(t *testing.T) {
	for _, c := range []struct {
		want string
		err  error
	}{
		{"members (1) must be in [2, 8]", second(RingAllreduce(8, 1, message(), source(1, 0)))},
		{"members (9) must be in [2, 8]", second(RingAllreduce(8, 9, message(), source(1, 0)))},
		{"members (4096) must be fewer", second(RingAllreduce(1<<13, 1<<12, message(), source(1, 0)))},
		{"hosts (1) must be in [2, ", second(RingAllreduce(1, 1, message(), source(1, 0)))},
		{"hosts (12) must be a power of two", second(ButterflyAllreduce(12, message()))},
		{"Bytes (0) must be at least 1", second(ButterflyAllreduce(8, Message{}))},
		{"parallel (8) must be in [1, 7]", second(AllToAll(8, 8, message(), source(1, 0)))},
		{"parallel (0) must be in [1, 7]", second(AllToAll(8, 0, message(), source(1, 0)))},
		{"hosts (5000) must be at most 4096", second(AllToAll(5000, 1, message(), source(1, 0)))},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}

// second returns the error of a call.
func second(_ fattree.Workload, err error) error { return err }
