package cases

import (
	"reflect"
	"slices"
	"testing"

	"repslab/ballsbins"
	"repslab/ballsbins/allocation"
	"repslab/ballsbins/leafspine"
	"repslab/coalescing"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/recycled"
	"repslab/reps"
)

// TestFieldsHaveFlags: each field of a configuration that a command fills from flags is
// reported under a flag of that command. A new field needs a flag here, or a place in
// the list of fields that no flag sets.
func TestFieldsHaveFlags(t *testing.T) {
	network := fieldFlags(t, FattreeSpace(new(Fattree)))
	for _, c := range []struct {
		config  any
		command string
		flags   param.FieldFlags
		unset   []string
	}{
		{ballsbins.Config{}, "ballsbins", fieldFlags(t, ballsbinsSpace(new(BallsBins))), nil},
		{recycled.Config{}, "recycled", fieldFlags(t, recycledSpace(new(Recycled))), nil},
		{coalescing.Config{}, "coalescing", fieldFlags(t, coalescingSpace(new(Coalescing))), []string{"Ring"}},
		{evsimbalance.Config{}, "evs", fieldFlags(t, evsSpace(new(EVs))), nil},
		{allocation.Config{}, "allocate", fieldFlags(t, allocateSpace(new(Allocate))), nil},
		{leafspine.Config{}, "leafspine", fieldFlags(t, leafspineSpace(new(Leafspine))), []string{"Own"}},
		{topology.FatTree{}, "fattree", network, []string{"ToRsPerPod", "UplinksPerAgg", "CablesPerPair", "CoreCablesPerPair", "SwitchLatencyNs"}},
		{fattree.Spec{}, "fattree", network, []string{"AckDelay", "Options"}},
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
			err := param.AsFlags(faults.New("p", name, 1, "is wrong"), c.flags)
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
func fieldFlags(t *testing.T, s param.Space) param.FieldFlags {
	if _, err := s.Grid("", param.Selection{}); err != nil {
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
		case f.Type == reflect.TypeFor[topology.FatTree](), f.Type == reflect.TypeFor[fattree.Workload](), f.Type == reflect.TypeFor[transport.Slips](), f.Type == reflect.TypeFor[reps.Config]():
		default:
			names = append(names, f.Name)
		}
	}
	return names
}

// commandFlags returns the flags of a model.
func commandFlags(t *testing.T, command string) []string {
	m, err := param.Named(All(), command)
	if err != nil {
		t.Fatal(err)
	}
	return lists.Map(m.Parameters, func(q param.Parameter) string { return q.Flag })
}
