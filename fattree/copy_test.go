package fattree_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// arrays is a topology of lists that its owner can change: switches 0 and 1, with two hosts each, and two links
// between them.
type arrays struct {
	Lists  fattree.Outline
	Kinds  []int // by whether the hosts have different switches
	Ranges []fattree.Range
	wiring *fattree.Wiring
}

func newArrays() *arrays {
	return &arrays{
		Lists: fattree.Outline{
			Hosts: 4, Ports: 8, Links: []fattree.Link{{Gbps: 100, LatencyNs: 500}, {Gbps: 50, LatencyNs: 700}}, SwitchLatencyNs: 50,
			Paths: []fattree.Path{{Links: []int{2, 0}, Gbps: 100}, {Links: []int{2, 1}, Gbps: 100}}, Below: []int{1, 1},
		},
		Kinds: []int{0, 1}, Ranges: []fattree.Range{{End: 4, First: 2, Count: 2}},
	}
}

func (a *arrays) Validate() error          { return nil }
func (a *arrays) Outline() fattree.Outline { return a.Lists }

func (a *arrays) Path(from, to fattree.Host) int {
	if from/2 == to/2 {
		return a.Kinds[0]
	}
	return a.Kinds[1]
}

func (a *arrays) Wire() *fattree.Wiring {
	a.wiring = fattree.NewWiring(a.Lists)
	for i := range int32(2) {
		a.wiring.Add(fattree.Switch{Hosts: 2, FirstHost: 2 * i, Below: 2, PerChild: 1, Cables: 1, Ranges: a.Ranges}, fattree.Port{Peer: 1 - i, Link: 1}, fattree.Port{Peer: 1 - i, Link: 1})
	}
	return a.wiring
}

// eachList calls f with each element of every list that is reachable from v, so that f can change it. It notes by path
// whether a list has an element: what empty lists would hold is not tested.
func eachList(filled map[string]bool, path string, v reflect.Value, inList bool, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				eachList(filled, path+"."+field.Name, v.Field(i), inList, f)
			}
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			filled[path] = false
		} else {
			eachList(filled, path, v.Elem(), inList || v.Kind() == reflect.Pointer, f)
		}
	case reflect.Map:
		panic(path + " is a map: Clone must copy it, and this test change it")
	case reflect.Slice:
		filled[path] = filled[path] || v.Len() > 0
		for i := range v.Len() {
			eachList(filled, path+"[]", v.Index(i), true, f)
		}
	case reflect.Array:
		for i := range v.Len() {
			eachList(filled, path+"[]", v.Index(i), inList, f)
		}
	default:
		if inList && v.CanSet() {
			f(v)
		}
	}
}

// change gives a number or a truth value another value.
func change(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 3)
	case v.CanUint():
		v.SetUint(v.Uint() + 3)
	case v.CanFloat():
		v.SetFloat(v.Float()/2 + 0.25)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	}
}

// outcome runs a network with REPS.
func outcome(t *testing.T, n *fattree.Network) (flows []fattree.FlowResult, counts fattree.Counts) {
	t.Helper()
	b, err := balance.New("reps", 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	r, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return r.Flows, r.Counts
}

// TestNetworksDoNotChange: what is passed to Build can be changed afterwards, and the network stays as it is. Every
// list of a Spec, of its topology and of a schedule is found by reflection and changed.
func TestNetworksDoNotChange(t *testing.T) {
	flow := fattree.NewFlow(0, 2, 300_000, 0)
	waiting := fattree.NewFlow(1, 3, 200_000, 5)
	waiting.StartedBy, flow.Fires = 1, 1
	a := newArrays()
	spec := fattree.Spec{
		Topology: a, Options: transport.Options{},
		Workload: fattree.Workload{
			Flows: []fattree.Flow{flow, waiting, fattree.NewFlow(3, 0, 250_000, 0)}, Triggers: []fattree.Trigger{{Kind: fattree.Barrier, Count: 1}},
			Parts: []fattree.WorkloadPart{{Name: "one", Flows: 1}, {Name: "others", Flows: 2}},
		},
		Faults: []fattree.Fault{
			{Ports: []int{2}, Start: 10 * fattree.Microsecond, End: 12 * fattree.Microsecond, Rate: 0.5},
			{Ports: []int{3}, Flows: [2]int{2, 3}, Paths: [2]int{0, 1}, Start: 4 * fattree.Microsecond, End: 9 * fattree.Microsecond},
		},
		Errors: []fattree.Corruption{{PerPacket: 0.01}},
	}
	s, err := schedule.RingAllreduce(4, 400_000)
	if err != nil {
		t.Fatal(err)
	}
	s.Warnings = []string{"none"}
	job := schedule.Job{Schedule: s, Hosts: []fattree.Host{0, 1, 2, 3}, Steps: 2}
	for name, c := range map[string]struct {
		spec   fattree.Spec
		passed any
	}{"spec": {spec, &spec}, "schedule": {fattree.Spec{Topology: newArrays(), Workload: job.Workload()}, &struct{ Job *schedule.Job }{&job}}} {
		n, err := fattree.Build(c.spec)
		if err != nil {
			t.Fatal(err)
		}
		flows, counts := outcome(t, n)
		trips, way, before := fmt.Sprint(n.Trips()), *n.Way(0), n.Spec().Clone()
		changes := 0
		filled := map[string]bool{}
		eachList(filled, name, reflect.ValueOf(c.passed).Elem(), false, func(v reflect.Value) { change(v); changes++ })
		for path, has := range filled {
			if !has {
				t.Errorf("%s is empty or nil: give it a value", path)
			}
		}
		if changes < 10 {
			t.Errorf("%s: only %d values were changed", name, changes)
		}
		if name == "spec" {
			a.wiring.Add(fattree.Switch{Hosts: 2, FirstHost: 0, Count: 1})
		}
		if got, gotCounts := outcome(t, n); !reflect.DeepEqual(got, flows) || gotCounts != counts {
			t.Errorf("%s: after the change flows are %v, before %v", name, got, flows)
		}
		if after := n.Spec(); !reflect.DeepEqual(after.Workload.Flows, before.Workload.Flows) || !reflect.DeepEqual(after.Faults, before.Faults) ||
			!reflect.DeepEqual(after.Errors, before.Errors) || fmt.Sprint(n.Trips()) != trips || *n.Way(0) != way {
			t.Errorf("%s: the network's Spec or times have changed", name)
		}
	}
}

// TestOneSliceForSeveralNetworks: three networks that share the slice of flows have the times of their own sizes.
func TestOneSliceForSeveralNetworks(t *testing.T) {
	flows := []fattree.Flow{fattree.NewFlow(0, 127, 0, 0)}
	var networks []*fattree.Network
	for _, bytes := range []int64{256 << 10, 1 << 20, 4 << 20} {
		flows[0].Bytes = bytes
		n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 128}, Workload: fattree.Workload{Flows: flows}})
		if err != nil {
			t.Fatal(err)
		}
		networks = append(networks, n)
	}
	for i, n := range networks {
		got, _ := outcome(t, n)
		bytes := float64(int64(256<<10) << (2 * i))
		if us, least := float64(got[0].FCT())/1e6, 8.01+bytes*8/400e3; math.Abs(us-least)/least > 0.2 {
			t.Errorf("the flow of %v bytes takes %.2f us, want about %.2f", bytes, us, least)
		}
	}
}
