package fluid

import (
	"errors"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/mc"
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
		var fault *mc.FieldError
		if !errors.As(err, &fault) || fault.Package != "fluid" || fault.Field != field {
			t.Errorf("error %v, want one about %s", err, field)
		}
	}
}
