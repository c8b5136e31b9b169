package fattree

import (
	"math"
	"strings"
	"testing"
)

// TestLimits: each bound of a Spec is the last accepted value, and the value beyond it is refused by
// name.
func TestLimits(t *testing.T) {
	const slot = 83_000
	whole := func(set func(s *Spec, value int64)) func(*Spec, float64) {
		return func(s *Spec, value float64) { set(s, int64(value)) }
	}
	for _, c := range []struct {
		name        string
		set         func(s *Spec, value float64)
		least, most float64
		step        float64
	}{
		{"HeaderBytes", whole(func(s *Spec, v int64) { s.HeaderBytes, s.MTU = int(v), 1<<20 }), math.NaN(), 1 << 16, 1},
		{"MTU", whole(func(s *Spec, v int64) { s.MTU = int(v) }), 65, 1 << 20, 1},
		{"Queue", whole(func(s *Spec, v int64) { s.Queue = int(v) }), math.NaN(), MaxQueue, 1},
		{"KMin", whole(func(s *Spec, v int64) { s.KMin, s.KMax = int(v), 1<<30 }), 0, 1 << 30, 1},
		{"KMax", whole(func(s *Spec, v int64) { s.KMin, s.KMax = 7, int(v) }), 7, 1 << 30, 1},
		{"PMax", func(s *Spec, v float64) { s.PMax = v }, math.SmallestNonzeroFloat64, 1, 0x1p-52},
		{"AckDelay", whole(func(s *Spec, v int64) { s.Topology, s.AckDelay = Tree{Hosts: 16, Tiers: 1}, int(v) }), 0, 1 << 20, 1},
		{"Horizon", whole(func(s *Spec, v int64) { s.Horizon = Picoseconds(v) }), slot, MaxSlots * slot, 1},
		{"UplinksPerToR", whole(func(s *Spec, v int64) { s.Topology = Tree{Hosts: 16, UplinksPerToR: int(v)} }), math.NaN(), 1024, 1},
		{"UplinksPerAgg", whole(func(s *Spec, v int64) { s.Topology = Tree{Hosts: 16, Tiers: 3, UplinksPerAgg: int(v)} }), math.NaN(), 1024, 1},
		{"Access.Gbps", func(s *Spec, v float64) { s.Topology = Tree{Hosts: 16, Access: Link{Gbps: v}} }, 1, 1e5, 0.5},
		{"Core.LatencyNs", func(s *Spec, v float64) { s.Topology = Tree{Hosts: 16, Tiers: 3, Core: Link{LatencyNs: v}} }, math.NaN(), 1e6, 0.5},
		{"SwitchLatencyNs", func(s *Spec, v float64) { s.Topology, s.MTU = Tree{Hosts: 16, SwitchLatencyNs: v}, 1<<20 }, 0, 1e6, 0.5},
		{"PerCable", func(s *Spec, v float64) { s.Errors = []Corruption{{PerCable: v}} }, 0, 0.75, 0.25},
		{"PerSwitch", func(s *Spec, v float64) { s.Errors = []Corruption{{PerSwitch: v}} }, 0, 0.75, 0.25},
		{"Start", whole(func(s *Spec, v int64) { s.Workload.Flows[2].Start, s.Horizon = Picoseconds(v), 100_000_000_000 }), 0, 100_000_000_000 - 1, 1},
		{"Source", whole(func(s *Spec, v int64) { s.Workload.Flows[2].Source = Host(v) }), 0, 15, 1},
		{"Destination", whole(func(s *Spec, v int64) { s.Workload.Flows[2].Destination = Host(v) }), 0, 15, 1},
		{"Bytes", whole(func(s *Spec, v int64) { s.Workload.Flows[2].Bytes = v }), 1, MaxPacketsPerFlow * 4086, 1},
		{"BackgroundEvery", whole(func(s *Spec, v int64) { s.Workload.BackgroundEvery = int(v) }), math.NaN(), math.NaN(), 1},
	} {
		s := func(value float64) Spec {
			s := Spec{Topology: Tree{Hosts: 16}, Workload: tornado(16, 1000)}
			c.set(&s, value)
			return s
		}
		for _, good := range []float64{c.least, c.most} {
			if err := refused(s(good)); !math.IsNaN(good) && err != nil {
				t.Errorf("%s %v: %v", c.name, good, err)
			}
		}
		for _, bad := range []float64{c.least - c.step, c.most + c.step} {
			if err := refused(s(bad)); !math.IsNaN(bad) && (err == nil || !strings.Contains(err.Error(), c.name)) {
				t.Errorf("%s %v: error %v, want one that names it", c.name, bad, err)
			}
		}
	}
}

// TestMostPackets: flows may have maxPackets packets in total, and not one more.
func TestMostPackets(t *testing.T) {
	s := Spec{Topology: Tree{Hosts: 512}, Workload: tornado(512, MaxPacketsPerFlow*4086)}
	if err := refused(s); err != nil {
		t.Errorf("%d packets: %v", int64(maxPackets), err)
	}
	s.Workload.Flows = append(s.Workload.Flows, message(0, 1, 1))
	if err := refused(s); err == nil || !strings.Contains(err.Error(), "Flows (2147483712 packets) must be at most 2147483648 packets") {
		t.Errorf("%d packets: error %v, want one that names Flows", int64(maxPackets)+1, err)
	}
}

// TestLimitsBesideZero: the values next to 0 if 0 means a default, and the largest number of hosts of one
// tier.
func TestLimitsBesideZero(t *testing.T) {
	for latency, good := range map[float64]bool{1e-3: true, -1e-3: false, math.NaN(): false} {
		if err := (Tree{Hosts: 16, Fabric: Link{LatencyNs: latency}}).Validate(); (err == nil) != good {
			t.Errorf("a latency of %v ns: error %v", latency, err)
		}
	}
	for hosts, good := range map[int]bool{1: true, MaxHosts: true, MaxHosts + 1: false} {
		if err := (Tree{Hosts: hosts, Tiers: 1}).Validate(); (err == nil) != good {
			t.Errorf("%d hosts: error %v", hosts, err)
		}
	}
	for every, good := range map[int]bool{-1: false, 0: true, 1: false, 2: true} {
		w := tornado(4, 1000)
		w.BackgroundEvery = every
		if err := w.Validate(4); (err == nil) != good {
			t.Errorf("BackgroundEvery %d: error %v", every, err)
		}
		w.Flows = w.Flows[:1]
		if err := w.Validate(4); (err == nil) != (every == 0) {
			t.Errorf("BackgroundEvery %d of one flow: error %v", every, err)
		}
	}
}

// threeTiers is a tree of 16 hosts, 8 ToRs, and 4 pods.
var threeTiers = Tree{Hosts: 16, Tiers: 3}

// TestFaultLimits: ports and times of faults and times of bit errors, at their bounds and
// beyond.
func TestFaultLimits(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		want  string // of the error; empty for none
	}{
		{Fault{}, ""}, {Fault{Ports: []int{0}}, "Ports (0) must be ports of switches to other switches"}, {Fault{Ports: []int{-1}}, "Ports (-1)"},
		{Fault{Ports: []int{2, 1 << 20}}, "Ports (1048576)"}, {Fault{Ports: []int{4}}, "Ports (4)"}, // of a host
		{Fault{Ports: cable(threeTiers, 7, 1)}, ""},
		{Fault{Start: 5, End: 6}, ""}, {Fault{Start: 5, End: 5}, "[0].End (5 ps) must be 0 or after Start (5 ps)"}, {Fault{Start: -1, End: 6}, "[0].Start (-1 ps)"},
		{Fault{Rate: 0.999}, ""}, {Fault{Rate: -0.001}, "Rate (-0.001)"},
	} {
		s := Spec{Topology: threeTiers, Workload: tornado(16, 1000), Faults: []Fault{c.fault}}
		if _, err := Build(s); err == nil != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.fault, err, c.want)
		}
		e := Corruption{PerCable: 0.1, Start: c.fault.Start, End: c.fault.End}
		s.Faults, s.Errors = nil, []Corruption{e}
		if err, want := refused(s), strings.HasPrefix(c.want, "[0]."); err != nil != want || want && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want one: %v", e, err, want)
		}
	}
	one := Spec{Topology: Tree{Hosts: 16, Tiers: 1}, Workload: tornado(16, 1000), Errors: []Corruption{{PerCable: 0.1}}}
	if err := refused(one); err == nil || !strings.Contains(err.Error(), "sink") {
		t.Errorf("bit errors before a sink: error %v", err)
	}
}

// TestScriptedFlows: flows that a Script starts have no start and no trigger; there may be none.
func TestScriptedFlows(t *testing.T) {
	for name, set := range map[string]func(*Workload){
		"":           func(*Workload) {},
		"none":       func(w *Workload) { w.Flows = nil },
		"start":      func(w *Workload) { w.Flows[1].Start = 1 },
		"connection": func(w *Workload) { w.Flows[1].Connection = 1 },
		"trigger":    func(w *Workload) { w.Triggers, w.Flows[1].Fires = []Trigger{{}}, 1 },
		"started by": func(w *Workload) { w.Triggers, w.Flows[1].StartedBy = []Trigger{{}}, 1 },
	} {
		w := tornado(16, 1000)
		w.Script = func() Script { return NewStarter(w) }
		set(&w)
		err := refused(Spec{Topology: Tree{Hosts: 16}, Workload: w})
		if refused := name != "" && name != "none" && name != "connection"; (err != nil) != refused {
			t.Errorf("%q: error %v", name, err)
		} else if refused && !strings.Contains(err.Error(), "Flows[1].Start") {
			t.Errorf("%q: error %v does not name the flow", name, err)
		}
	}
}
