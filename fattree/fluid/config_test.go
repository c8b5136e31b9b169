package fluid

import (
	"errors"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
)

// TestErrorsNameFields: refusals of Validate, Ideal and a run name the field.
func TestErrorsNameFields(t *testing.T) {
	valid := Config{Topology: topology.FatTree{Hosts: 128}, Workload: tornado(128, 8, 1)}
	evs, slow, dead, late := valid, valid, valid, valid
	evs.EVS = -1
	slow.SlowLinks = []SlowLink{{Rate: 0.5}, {Uplink: 8, Rate: 0.5}}
	dead.SlowLinks = []SlowLink{{}}
	late.Workload = tornado(128, 8, 1)
	late.Workload.Triggers = []fattree.Trigger{{}}
	late.Workload.Flows[0].Fires, late.Workload.Flows[1].StartedBy, late.Workload.Flows[1].Start = 1, 1, maxTime
	for field, c := range map[string]Config{
		"EVS": evs, "SlowLinks[1].Uplink": slow, "SlowLinks[0].Rate": dead, "Workload.Flows[1].Start": late,
	} {
		_, err := Ideal(c)
		var fault *faults.FieldError
		if !errors.As(err, &fault) || fault.Package != "fluid" || fault.Field != field {
			t.Errorf("error %v, want one about %s", err, field)
		}
	}
}

// TestAllFaults: faults of numbers, topology and workload are reported together.
func TestAllFaults(t *testing.T) {
	err := Config{Topology: topology.FatTree{Hosts: 16, Tiers: 1}, MTU: -1, EVS: -1}.Validate()
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"fluid: MTU (-1)", "fluid: EVS (-1)", "fattree: Flows (0)", "fluid: Tiers (1)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if err := (Config{Topology: topology.FatTree{}, MTU: -1}).Validate(); err == nil || !strings.Contains(err.Error(), "fluid: MTU (-1)") || !strings.Contains(err.Error(), "topology: Hosts (0)") {
		t.Errorf("error %v", err)
	}
}
