package transport

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/faults"
	"repslab/internal/nettest"
)

// TestSetFailed: links that fail and are repaired during a run give the result of a Spec with these
// faults, also when the run begins again. Samples taken at any times add up to it.
func TestSetFailed(t *testing.T) {
	for _, reroutes := range []bool{false, true} {
		checkSetFailed(t, reroutes)
	}
}

// checkSetFailed is TestSetFailed for networks in which routing reacts or not.
func checkSetFailed(t *testing.T, reroutes bool) {
	tree := Tree{Hosts: 16}
	s := fattree.Spec{Topology: tree, Workload: nettest.Tornado(16, 1<<20), Horizon: 1_000_000_000, Reroutes: reroutes}
	s = nettest.Plan(s).Spec()
	slot := nettest.Plan(s).SlotTime()
	if reroutes {
		s.RerouteAfter = 60 * slot
	}
	// Three ports, at a switch with other failures: their list has room for a fourth.
	last := fattree.Fault{Ports: []int{nettest.Uplink(tree, 1, 0)[0], nettest.Uplink(tree, 1, 1)[0], nettest.Uplink(tree, 1, 3)[0]}, Start: s.Horizon - slot, End: s.Horizon}
	first, second := nettest.Cable(tree, 1, 2), nettest.Uplink(tree, 3, 1)
	live := s
	live.Faults = []fattree.Fault{last}
	s.Faults = []fattree.Fault{
		last, {Ports: first, Start: 100 * slot, End: 333 * slot}, {Ports: second, Start: 101 * slot},
		{Ports: first[:1], Start: 350 * slot},
	}
	want := resultOf(t, s)
	if want.Lost == 0 || want.Reroute == 0 {
		t.Fatalf("%d packets are lost, for %d ps: nothing to see", want.Lost, want.Reroute)
	}
	n, err := fattree.Build(live)
	if err != nil {
		t.Fatal(err)
	}
	r := NewRun(n)
	r.Trace(fattree.TraceConfig{Every: s.Horizon})
	for _, fails := range []bool{true, true, false} {
		want := want
		if !fails {
			want = resultOf(t, live)
		}
		r.Begin(new(uniform), shrinking{}, fattree.NewStreams(1, 0))
		lost := int64(0)
		for r.Unfinished() > 0 || r.Slot()%12 > 0 {
			switch {
			case !fails:
			case r.Slot() == 100:
				setFailed(t, r, first, true)
			case r.Slot() == 101:
				setFailed(t, r, second, true)
				lost += r.Sample().Lost
			case r.Slot() == 333:
				setFailed(t, r, first, false)
			case r.Slot() == 350:
				setFailed(t, r, first[:1], true)
			}
			r.Step()
		}
		got, err := r.Result()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("result %+v,\nwant %+v", got, want)
		}
		if lost += r.Sample().Lost; lost != want.Lost {
			t.Errorf("the samples have %d lost packets, want %d", lost, want.Lost)
		}
	}
}

// resultOf runs a spec.
func resultOf(t *testing.T, s fattree.Spec) *fattree.Result {
	t.Helper()
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := NewRun(n).Execute(context.Background(), new(uniform), shrinking{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// setFailed fails ports or repairs them.
func setFailed(t *testing.T, r *Run, ports []int, failed bool) {
	t.Helper()
	for _, port := range ports {
		if err := r.SetFailed(port, failed); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSetFailedRefuses: ports of hosts, ports that do not exist, and networks without faults are refused.
func TestSetFailedRefuses(t *testing.T) {
	tree := Tree{Hosts: 16}
	for _, c := range []struct {
		faults []fattree.Fault
		port   int
		field  string
	}{
		{nil, nettest.Uplink(tree, 0, 0)[0], "Faults"},
		{[]fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0)}}, 0, "port"},
		{[]fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0)}}, -1, "port"},
		{[]fattree.Fault{{Ports: nettest.Uplink(tree, 0, 0)}}, 1 << 20, "port"},
	} {
		n, err := fattree.Build(fattree.Spec{Topology: tree, Workload: nettest.Tornado(16, 1000), Faults: c.faults})
		if err != nil {
			t.Fatal(err)
		}
		var fault *faults.FieldError
		if err := NewRun(n).SetFailed(c.port, true); !errors.As(err, &fault) || fault.Field != c.field {
			t.Errorf("port %d, %d faults: error %v, want one about %s", c.port, len(c.faults), err, c.field)
		}
	}
}
