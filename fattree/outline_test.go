package fattree_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// eachNumber calls f with the path of each number in v.
func eachNumber(path string, v reflect.Value, f func(path string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachNumber(path+"."+v.Type().Field(i).Name, v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachNumber(fmt.Sprintf("%s[%d]", path, i), v.Index(i), f)
		}
	default:
		if v.CanInt() || v.CanFloat() || v.CanUint() {
			f(path, v)
		}
	}
}

// badFloats and badInts are never right.
var (
	badFloats = []float64{math.NaN(), math.Inf(1), math.Inf(-1), -400, -1e-300, 1e300}
	badInts   = []int64{-1, math.MinInt64, math.MaxInt64, 1 << 40}
)

// spoiled calls f after each change of a number in v to a bad one, and undoes the change.
func spoiled(v reflect.Value, f func(path, value string)) {
	eachNumber("", v, func(path string, v reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch {
		case v.CanUint():
			v.SetUint(99)
			f(path, "99")
		case v.CanFloat():
			for _, bad := range badFloats {
				v.SetFloat(bad)
				f(path, fmt.Sprint(bad))
			}
		default:
			for _, bad := range badInts {
				v.SetInt(bad)
				f(path, fmt.Sprint(v.Int()))
			}
		}
		v.Set(old)
	})
}

// build builds a network with a flow between the first and the last of its hosts.
func build(t fattree.Topology, last fattree.Host) (*fattree.Network, error) {
	return fattree.Build(fattree.Spec{Topology: t, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, last, 100_000, 0)}}})
}

// TestOutlineNumbers: each number of the outline of a user's topology that is negative, not finite or too large is
// refused under its name. A rate of NaN made Build run for ever, one of -400 and latencies of NaN gave times.
func TestOutlineNumbers(t *testing.T) {
	a := newArrays()
	if _, err := build(a, 3); err != nil {
		t.Fatal(err)
	}
	cases := 0
	spoiled(reflect.ValueOf(&a.Lists).Elem(), func(path, value string) {
		_, err := build(a, 3)
		if large := !strings.HasPrefix(value, "-"); large && strings.HasPrefix(path, ".Below") {
			return // an EV may be divided by any number
		}
		list, _, _ := strings.Cut(path, "[") // the fault of Below and Paths[0].Links is that of the list
		if cases++; err == nil || !strings.Contains(err.Error(), "Topology.Outline()"+path+" (") && !strings.Contains(err.Error(), "Topology.Outline()"+list) {
			t.Errorf("%s = %s: error %v", path, value, err)
		}
	})
	if cases < 70 {
		t.Errorf("only %d cases", cases)
	}
	for _, small := range []float64{0, 0.5, 100. / 1025} { // below 1 Gb/s, or more than 1024 times slower than the other class
		a.Lists.Links[1].Gbps = small
		if _, err := build(a, 3); err == nil || !strings.Contains(err.Error(), "Topology.Outline().Links[1].Gbps") {
			t.Errorf("%v Gb/s: error %v", small, err)
		}
	}
}

// TestTopologyNumbers: the same for the topologies of package topology. A number that a tree of few tiers does not use
// changes nothing.
func TestTopologyNumbers(t *testing.T) {
	for _, tree := range []topology.FatTree{
		{Hosts: 16, Tiers: 1}, {Hosts: 16, HostsPerToR: 4}, {Hosts: 16, Tiers: 3},
	} {
		for planes := range 3 {
			p := topology.Planes{Tree: tree.WithDefaults(), Planes: max(1, planes), Cards: planes > 0}
			if p.Tree.Tiers == 1 && p.Cards {
				continue
			}
			want, err := build(p, 15)
			if err != nil {
				t.Fatal(err)
			}
			spoiled(reflect.ValueOf(&p).Elem(), func(path, value string) {
				n, err := build(p, 15)
				name := path[strings.LastIndex(path, ".")+1:]
				if err != nil && !strings.Contains(err.Error(), name) || err == nil && n.LongestRTT() != want.LongestRTT() {
					t.Errorf("%+v: %s = %s: error %v", tree, path, value, err)
				}
			})
		}
	}
}
