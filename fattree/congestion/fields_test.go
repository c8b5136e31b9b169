package congestion

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// drawing is a control of senders that notes the stream that it gets.
type drawing struct {
	DCTCP
	drawn *mc.Stream
}

func (d drawing) Reset(_ *fattree.Network, random mc.Stream) { *d.drawn = random }

// TestFieldsOfControls: Reset panics with the name of a field that is out of range, where a target below 0 or a rate of
// NaN gave times. Values at the limits are accepted.
func TestFieldsOfControls(t *testing.T) {
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 9, 1000, 0)}}})
	if err != nil {
		t.Fatal(err)
	}
	reset := func(c transport.Control) (text string) {
		defer func() {
			if p := recover(); p != nil {
				text = fmt.Sprint(p)
			}
		}()
		c.Reset(n, mc.Stream{})
		return ""
	}
	for want, list := range map[string][]transport.Control{
		"":                                     {&NSCC{Target: 1e15}, &NSCC{Rules: fattree.MRC}, &RCCC{LeastRate: 1}, &EQDS{Oversubscription: 1e6}, &WindowedRCCC{Sender: DCTCP{}}, new(WindowedRCCC)},
		"congestion: NSCC.Target (":            {&NSCC{Target: -1}, &NSCC{Target: 1e15 + 1}, &NSCC{Target: math.MinInt64}},
		"congestion: NSCC.Rules (":             {&NSCC{Rules: 3}},
		"congestion: RCCC.LeastRate (":         {&RCCC{LeastRate: -0.1}, &RCCC{LeastRate: 1.1}, &RCCC{LeastRate: math.NaN()}, &WindowedRCCC{RCCC: RCCC{LeastRate: math.Inf(1)}}},
		"congestion: EQDS.Oversubscription (":  {&EQDS{Oversubscription: -1}, &EQDS{Oversubscription: math.NaN()}, &EQDS{Oversubscription: math.Inf(1)}},
		"congestion: WindowedRCCC.Sender (\"*": {&WindowedRCCC{Sender: new(EQDS)}},
	} {
		for _, c := range list {
			if got := reset(c); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%+v: panics with %q, want %q", c, got, want)
			}
		}
	}
	var got mc.Stream
	c := &WindowedRCCC{Sender: drawing{drawn: &got}}
	if c.Reset(n, mc.NewStream(1, mc.Algorithm, 0)); got != mc.NewStream(1, mc.Algorithm, 0).Child(1<<32) {
		t.Error("the control of the sender got no stream of its own")
	}
}
