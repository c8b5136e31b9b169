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

// TestLimits: the last value inside a limit is taken, and the first one outside is refused by name.
func TestLimits(t *testing.T) {
	three := topology.FatTree{Hosts: 16, Tiers: 3}
	base := Config{Topology: three, Workload: tornado(16, 2, 1), Spreading: Pooled}
	for name, c := range map[string]struct {
		change func(c *Config)
		field  string // refused; empty if the configuration is valid
	}{
		"least MTU":          {func(c *Config) { c.HeaderBytes, c.MTU = 64, 65 }, ""},
		"MTU of a header":    {func(c *Config) { c.HeaderBytes, c.MTU = 64, 64 }, "MTU"},
		"most MTU":           {func(c *Config) { c.MTU = 1 << 20 }, ""},
		"MTU too large":      {func(c *Config) { c.MTU = 1<<20 + 1 }, "MTU"},
		"no more EVs":        {func(c *Config) { c.EVS = 1 << 16 }, ""},
		"too many EVs":       {func(c *Config) { c.EVS = 1<<16 + 1 }, "EVS"},
		"last links":         {func(c *Config) { c.SlowLinks = []SlowLink{{0, 7, 1, true, 0}, {1, 7, 1, false, 1}} }, ""},
		"no tier":            {func(c *Config) { c.SlowLinks = []SlowLink{{Tier: 2}} }, "SlowLinks[0].Tier"},
		"no ToR":             {func(c *Config) { c.SlowLinks = []SlowLink{{Switch: 8}} }, "SlowLinks[0].Switch"},
		"no switch above":    {func(c *Config) { c.SlowLinks = []SlowLink{{Tier: 1, Switch: 8}} }, "SlowLinks[0].Switch"},
		"no uplink":          {func(c *Config) { c.SlowLinks = []SlowLink{{Uplink: 2}} }, "SlowLinks[0].Uplink"},
		"no uplink above":    {func(c *Config) { c.SlowLinks = []SlowLink{{Tier: 1, Uplink: 2}} }, "SlowLinks[0].Uplink"},
		"faster than full":   {func(c *Config) { c.SlowLinks = []SlowLink{{Rate: 1.001}} }, "SlowLinks[0].Rate"},
		"negative rate":      {func(c *Config) { c.SlowLinks = []SlowLink{{Rate: -0.001}} }, "SlowLinks[0].Rate"},
		"both directions":    {func(c *Config) { c.SlowLinks = []SlowLink{{Rate: 0.5}, {Rate: 0.5, Down: true}} }, ""},
		"a link given twice": {func(c *Config) { c.SlowLinks = []SlowLink{{Rate: 0.5}, {Rate: 0.25}} }, "SlowLinks[1]"},
	} {
		changed := base
		c.change(&changed)
		err := changed.Validate()
		var fault *faults.FieldError
		if (c.field == "") != (err == nil) || err != nil && (!errors.As(err, &fault) || fault.Field != c.field) {
			t.Errorf("%s: error %v, want one about %q", name, err, c.field)
		}
	}
}
