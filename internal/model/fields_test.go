package model

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"repslab/ballsbins"
	"repslab/ballsbins/allocation"
	"repslab/coalescing"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/recycled"
	"repslab/reps"
)

// TestAsFlags: every fault that an error joins is reported under its flag, also a
// field of an entry of a list and an argument with the name of a field; other errors keep
// their text.
func TestAsFlags(t *testing.T) {
	bins := faults.New("p", "Bins", 0, "must be positive")
	flags := func(field string) (string, bool) {
		return Space{parameters: []Parameter{{Flag: "bins"}, {Flag: "flows"}, {Flag: "ring", fields: []string{"BufferSize"}}}}.FieldFlag(field)
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{bins, "--bins (0) must be positive"},
		{faults.New("p", "bins", 0, "must be positive"), "--bins (0) must be positive"},
		{faults.New("p", "Balls", 0, "must be positive"), "p: Balls (0) must be positive"},
		{faults.New("p", "Flows[3].Bytes", 0, "must be positive"), "--flows: flow 3: bytes (0) must be positive"},
		{faults.New("p", "Balls[3].Bytes", 0, "must be positive"), "p: Balls[3].Bytes (0) must be positive"},
		{faults.New("reps", "BufferSize", 40, "must be in [1, 32]"), "--ring (40) must be in [1, 32]"},
		{errors.Join(bins, errors.Join(errors.New("other"), bins)), "--bins (0) must be positive; other; --bins (0) must be positive"},
		{fmt.Errorf("replica 3: %w", errors.New("other")), "replica 3: other"},
	} {
		err := AsFlags(c.err, flags)
		var usage *console.UsageError
		if err == nil || err.Error() != c.want || !errors.As(err, &usage) {
			t.Errorf("%q becomes %v, want the usage error %q", c.err, err, c.want)
		}
	}
	if err := AsFlags(nil, flags); err != nil {
		t.Errorf("no error becomes %v", err)
	}
}

// TestFieldsHaveFlags: each field of a configuration that a command fills from flags is
// reported under a flag of that command. A new field needs a flag here, or a place in
// the list of fields that no flag sets.
func TestFieldsHaveFlags(t *testing.T) {
	network := fieldFlags(t, FattreeSpace(new(Fattree)))
	for _, c := range []struct {
		config  any
		command string
		flags   fieldFlag
		unset   []string
	}{
		{ballsbins.Config{}, "ballsbins", fieldFlags(t, ballsbinsSpace(new(BallsBins))), nil},
		{recycled.Config{}, "recycled", fieldFlags(t, recycledSpace(new(Recycled))), nil},
		{coalescing.Config{}, "coalescing", fieldFlags(t, coalescingSpace(new(Coalescing))), []string{"Ring"}},
		{evsimbalance.Config{}, "evs", fieldFlags(t, evsSpace(new(EVs))), nil},
		{allocation.Config{}, "allocate", fieldFlags(t, allocateSpace(new(Allocate))), nil},
		{topology.FatTree{}, "fattree", network, []string{"ToRsPerPod", "UplinksPerAgg", "CablesPerPair", "CoreCablesPerPair", "SwitchLatencyNs"}},
		{fattree.Spec{}, "fattree", network, []string{"HeaderBytes", "AckDelay", "Options"}},
		{transport.Options{}, "fattree", network, []string{"SilentDuplicates", "Sleek"}},
		{fattree.Workload{}, "fattree", network, []string{"Triggers", "Script"}},
		{traffic.Message{}, "fattree", network, []string{"Start"}},
		{traffic.Arrivals{}, "fattree", network, nil},
		{balance.RecyclingConfig{}, "fattree", network, nil},
		{reps.Config{}, "fattree", network, []string{"PacketsPerWindow"}},
	} {
		known := commandFlags(t, c.command)
		config := reflect.TypeOf(c.config)
		for _, name := range fieldNames(config) {
			err := AsFlags(faults.New("p", name, 1, "is wrong"), c.flags)
			flag, mapped := c.flags(name)
			switch {
			case slices.Contains(c.unset, name):
				if mapped {
					t.Errorf("%v: %s is listed as set by no flag, but has --%s", config, name, flag)
				}
			case !mapped:
				t.Errorf("%v: %s has no flag", config, name)
			case !slices.Contains(known, flag):
				t.Errorf("%v: %s has --%s, which %s does not know", config, name, flag, c.command)
			case err.Error() != "--"+flag+" (1) is wrong":
				t.Errorf("%v: %s is reported as %q", config, name, err)
			}
		}
	}
}

// fieldFlags returns the flags of fields at the default combination.
func fieldFlags(t *testing.T, s Space) fieldFlag {
	if _, err := s.grid("", Selection{}); err != nil {
		t.Fatal(err)
	}
	return s.FieldFlag
}

// fieldNames returns the names of the exported fields of a struct as errors have them. The
// fields of links are named Access.Gbps; other structs have errors of their own.
func fieldNames(config reflect.Type) []string {
	var names []string
	for _, f := range reflect.VisibleFields(config) {
		switch {
		case !f.IsExported():
		case f.Type == reflect.TypeFor[fattree.Link]():
			for _, name := range fieldNames(f.Type) {
				names = append(names, f.Name+"."+name)
			}
		case f.Type == reflect.TypeFor[topology.FatTree](), f.Type == reflect.TypeFor[fattree.Workload](), f.Type == reflect.TypeFor[reps.Config]():
		default:
			names = append(names, f.Name)
		}
	}
	return names
}

// commandFlags returns the flags of a model.
func commandFlags(t *testing.T, command string) []string {
	m, err := Named(All(), command)
	if err != nil {
		t.Fatal(err)
	}
	return lists.Map(m.Parameters, func(q Parameter) string { return q.Flag })
}
