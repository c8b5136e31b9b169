package fattree_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
)

// TestSpecNumbers: each number of a Spec, of its options, flows, triggers, faults and bit errors is set to values that
// are negative, not finite or too large, and each kind to one that does not exist. Build refuses it under its name,
// within a second.
func TestSpecNumbers(t *testing.T) {
	type passed struct {
		Spec    fattree.Spec
		Options transport.Options
	}
	all := func() *passed {
		flow := fattree.NewFlow(0, 15, 30_000, 0)
		waiting := fattree.NewFlow(1, 14, 20_000, 5)
		flow.Fires, waiting.StartedBy = 1, 1
		return &passed{Spec: fattree.Spec{
			Topology: topology.FatTree{Hosts: 16},
			Workload: fattree.Workload{Flows: []fattree.Flow{flow, waiting}, Triggers: []fattree.Trigger{{Kind: fattree.Barrier, Count: 1}}},
			Faults:   []fattree.Fault{{Ports: topology.FatTree{Hosts: 16}.Ports(topology.Part{}), End: 5 * fattree.Microsecond, Start: 1}, {Flows: [2]int{0, 1}, Paths: [2]int{0, 1}, End: 5000}},
			Errors:   []fattree.Corruption{{PerPacket: 0.01, End: 1000}},
		}}
	}
	p := all()
	spoiled(reflect.ValueOf(p).Elem(), func(path, value string) {
		s := p.Spec
		s.Options = p.Options
		began := time.Now()
		_, err := fattree.Build(s)
		if took := time.Since(began); took > time.Second {
			t.Errorf("%s = %s: Build takes %v", path, value, took)
		}
		name := strings.TrimRight(path[strings.LastIndex(path, ".")+1:], "[]01")
		late := strings.Contains("Connection BackgroundEvery End Start Horizon", name) && value[0] != '-' // any number, or a late time
		switch {
		case err == nil && !late && value != "0": // 0 is what is left of 2^40 in 32 bits
			t.Errorf("%s = %s: no error", path, value)
		case err != nil && !strings.Contains(err.Error(), name) && name != "Count": // too high a Count lets flows wait for ever
			t.Errorf("%s = %s: %v", path, value, err)
		}
	})
}

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

// foreign is a HostOptions that package transport does not read.
type foreign struct{}

func (f foreign) Resolve(*fattree.Plan) (fattree.HostOptions, error) { return f, nil }

// TestForgotten: what is nil, not set or of another type is named by the first use.
func TestForgotten(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 15, 30_000, 0)}}}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n).Run
	var noContext context.Context
	if _, err := run.Execute(noContext, fattree.NewStreams(1, 0)); err == nil || err.Error() != "fattree: ctx (<nil>) must be set" {
		t.Errorf("error %v", err)
	}
	spec.Options = foreign{}
	if n, err = fattree.Build(spec); err != nil {
		t.Fatal(err)
	}
	b, err := balance.New("reps", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err == nil ||
		!strings.Contains(err.Error(), `transport: Options ("fattree_test.foreign") must be nil or a transport.Options`) {
		t.Errorf("error %v", err)
	}
}

// TestForgottenOfSpecs: functions of a Spec without its topology, and set-ups of one switch, panic with what is
// missing.
func TestForgottenOfSpecs(t *testing.T) {
	unset := fattree.Spec{Topology: topology.FatTree{Hosts: 16}}
	one := experiment.OneSwitch{Bins: 8, Threshold: 1, Rounds: 1}
	if got := panicOf(func() { one.Spec() }); got != "" {
		t.Errorf("a valid OneSwitch panics with %q", got)
	}
	var empty *fattree.Plan
	for _, f := range []func(){
		func() { empty.Spec() }, func() { empty.SlotTime() }, func() { empty.LongestRTT() }, func() { empty.Rounding() },
		func() { empty.LongestBDP() }, func() { empty.Trips() }, func() { empty.Outline() }, func() { empty.HostOptions() },
		func() { new(fattree.Plan).Build() }, func() { transport.SteadyAckRatio(empty) }, func() { transport.LongestWindow(empty) },
	} {
		if got := panicOf(f); got != "fattree: a Plan that Spec.Resolve did not make" {
			t.Errorf("panics with %q", got)
		}
	}
	if _, err := (fattree.Spec{}).Resolve(); err == nil || err.Error() != "fattree: Topology (<nil>) must be set" {
		t.Errorf("a spec without topology: %v", err)
	}
	hashed, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16},
		Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 15, 1, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	panicsWith(t, map[string]func(){
		"fattree: Network.PathGbps without Spec.Choose": func() { hashed.PathGbps(0, 7, false, 0) },
		"fattree: MTU (0) must be above HeaderBytes":    func() { unset.Packets(1) },
		"topology: HostsPerToR (0) must not be 0":       func() { topology.FatTree{Hosts: 8}.ToRs() },
		"topology: Tiers (9) must be 1, 2 or 3":         func() { topology.FatTree{Hosts: 8, Tiers: 9}.Wire() },
		"transport: planes must be in":                  func() { transport.PlaneOf(0, 1<<17) },
		"transport: Change needs a Spec":                func() { transport.Change(nil, func(*transport.Options) {}) },
		"traffic: IsNS3 needs a text":                   func() { traffic.IsNS3(nil) },
		"traffic: a Sizes without points":               func() { traffic.Sizes{}.Warnings() },
		"transport: threshold (0)":                      func() { transport.AckRatioOf(0, 4150) },
		"transport: mtu (-1)":                           func() { transport.AckRatioOf(1, -1) },
		"experiment: OneSwitch.Bins (0) must be in [2, 2097152]\nexperiment: OneSwitch.Threshold (0) must be in": func() {
			experiment.OneSwitch{}.Spec()
		},
		"experiment: OneSwitch.Bins (1099511627776)": func() { experiment.OneSwitch{Bins: 1 << 40, Threshold: 1}.Spec() },
		"experiment: OneSwitch.Delay (-1)":           func() { experiment.OneSwitch{Bins: 8, Threshold: 1, Delay: -1}.Spec() },
		"experiment: OneSwitch.Window (-1)":          func() { experiment.OneSwitch{Bins: 8, Threshold: 1, Window: -1}.Spec() },
		"experiment: OneSwitch.Rounds (-1)":          func() { experiment.OneSwitch{Bins: 8, Threshold: 1, Rounds: -1}.Spec() },
		"fattree: NewWiring needs":                   func() { fattree.NewWiring(fattree.Outline{Hosts: -1}) },
		"fattree: NewWiring needs a":                 func() { fattree.NewWiring(fattree.Outline{Ports: 1 << 40}) },
		"fattree: Reaches needs":                     func() { topology.FatTree{Hosts: 16}.Wire().Reaches(0, 16, make([]bool, 64)) },
		"fattree: Reaches needs one":                 func() { topology.FatTree{Hosts: 16}.Wire().Reaches(0, 3, nil) },
	})
}

// TestForgottenOfRuns: networks, runs and results that were not made, or get what they cannot use, panic with its name.
func TestForgottenOfRuns(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 15, 30_000, 0)}}}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	spec.Workload = fattree.Workload{Script: func() fattree.Script { return nil }}
	scripted, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n).Run
	var none *fattree.Network
	panicsWith(t, map[string]func(){
		"fattree: a Network that Build did not make":                       func() { none.NewRun(nil) },
		"fattree: a Run that NewRun did not make":                          func() { new(fattree.Run).Begin(fattree.NewStreams(1, 0)) },
		"fattree: p (1) must be in (0, 1], and the number of values (0)":   func() { fattree.Mean[int64](nil) },
		"fattree: p (0.5) must be in (0, 1], and the number of values (0)": func() { fattree.NearestRank[int64](nil, 0.5) },
		"fattree: p (NaN)": func() { new(fattree.Result).ReorderDepth(math.NaN()) },
		"experiment: a Replica without Network and Result":          func() { experiment.Replica{}.Keep() },
		"experiment: a Tally that Setup.NewExperiment did not make": func() { new(experiment.Tally).Summary() },
		"fattree: NewRun needs a Transport":                         func() { n.NewRun(nil) },
		"fattree: Workload.Script must return a Script":             func() { transport.NewRun(scripted) },
		"fattree: Run.Sample before Run.Trace":                      func() { run.Sample() },
		"fattree: TraceConfig.Every (-1 ps)":                        func() { run.Trace(fattree.TraceConfig{Every: -1}) },
		"fattree: TraceConfig.Most (-1)":                            func() { run.Trace(fattree.TraceConfig{Most: -1}) },
		"fattree: TraceConfig.Flows (1)":                            func() { run.Trace(fattree.TraceConfig{Flows: []int{1}}) },
		"fattree: TraceConfig.Ports or Groups (-1)":                 func() { run.Trace(fattree.TraceConfig{Ports: []int{-1}}) },
		"fattree: TraceConfig.Ports or Groups (64) must be in [0, 63]\nfattree: TraceConfig.Ports or Groups (99": func() {
			run.Trace(fattree.TraceConfig{Groups: [][]int{{0, 64}, {99}}})
		},
	})
}

// panicsWith calls functions that must panic with a text that begins with their keys.
func panicsWith(t *testing.T, calls map[string]func()) {
	t.Helper()
	for want, f := range calls {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
}
