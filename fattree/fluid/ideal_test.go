package fluid

import (
	"math"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// TestUnloaded checks completion times of single flows computed by hand: bytes leave the NIC, the last
// ones pass the other hops, and the ACK comes back.
func TestUnloaded(t *testing.T) {
	for _, c := range []struct {
		name string
		t    topology.FatTree
		f    fattree.Flow
		want float64 // ns
	}{
		{"1 B to another ToR", topology.FatTree{Hosts: 128}, flow(0, 64, 1), 8000 + 4*65*nsPerByte + 4*64*nsPerByte},
		{"1 B within the ToR", topology.FatTree{Hosts: 128}, flow(0, 1, 1), 4000 + 2*65*nsPerByte + 2*64*nsPerByte},
		// The short last packet follows the full one before it.
		{"8 MiB to another ToR", topology.FatTree{Hosts: 128}, flow(0, 64, eightMiB), 8000 + (wire8MiB+3*4150)*nsPerByte + 4*64*nsPerByte},
		{"two full packets", topology.FatTree{Hosts: 128}, flow(0, 64, 2*4086), 8000 + (2+3)*4150*nsPerByte + 4*64*nsPerByte},
		{"1 B to another pod", topology.FatTree{Hosts: 128, Tiers: 3}, flow(0, 64, 1), 12000 + 6*65*nsPerByte + 6*64*nsPerByte},
		{"1 B within the pod", topology.FatTree{Hosts: 128, Tiers: 3}, flow(0, 4, 1), 8000 + 4*65*nsPerByte + 4*64*nsPerByte},
		{"a narrow stage", topology.FatTree{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2, Fabric: fattree.Link{Gbps: 100}}, flow(0, 64, eightMiB),
			8000 + (wire8MiB-last8MiB)*2*nsPerByte + 4150*nsPerByte*(1+4+1) + last8MiB*nsPerByte + 64*nsPerByte*(1+4+4+1)},
		{"switches and links differ", topology.FatTree{Hosts: 128, SwitchLatencyNs: 50, Access: fattree.Link{Gbps: 100, LatencyNs: 10}, Fabric: fattree.Link{Gbps: 200, LatencyNs: 20}},
			flow(0, 64, 1), 2*(2*10+2*20+3*50) + (65+64)*(2*0.08+2*0.04)},
	} {
		cfg := Config{Topology: c.t, Workload: fattree.Workload{Flows: []fattree.Flow{c.f}}}
		if times := unloaded(t, cfg); math.Abs(float64(times[0])/1000-c.want) > 0.001 {
			t.Errorf("%s: %v ps, want %v ns", c.name, times, c.want)
		}
		// A lone flow's ideal is the same.
		wantFCT(t, ideal(t, cfg), 0, c.want)
	}
}

// afterLast is the time, in ns, from the last byte to the end of an 8 MiB flow to another ToR
// that its NIC does not limit.
const afterLast = 8000 + 3*last8MiB*nsPerByte + 4*64*nsPerByte

// TestIdealByHand: the textbook cases, in a tree of 128 hosts.
func TestIdealByHand(t *testing.T) {
	incast := fattree.Workload{}
	for i := range 8 {
		incast.Flows = append(incast.Flows, flow(64+i, 0, eightMiB))
	}
	slow := func(rate float64) []SlowLink { return []SlowLink{{Switch: 0, Uplink: 3, Rate: rate}} }
	down := []SlowLink{{Switch: 8, Uplink: 0, Down: true, Rate: 0.25}}
	full := topology.FatTree{Hosts: 128}
	alone := 8000 + (wire8MiB+3*4150)*nsPerByte + 4*64*nsPerByte
	for _, c := range []struct {
		name string
		cfg  Config
		want float64 // ns, of every flow
	}{
		{"incast shares a downlink", Config{Topology: full, Workload: incast}, 8*wire8MiB*nsPerByte + afterLast},
		{"tornado fills the NICs", Config{Topology: full, Workload: tornado(128, 128, eightMiB)}, alone},
		{"4:1 oversubscription", Config{Topology: topology.FatTree{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2}, Workload: tornado(128, 128, eightMiB)}, 4*wire8MiB*nsPerByte + afterLast},
		{"8:1 into the core", Config{Topology: topology.FatTree{Hosts: 128, Tiers: 3, HostsPerToR: 4, ToRsPerPod: 4, UplinksPerAgg: 1, Core: fattree.Link{Gbps: 200}}, Workload: tornado(128, 128, eightMiB)},
			8*wire8MiB*nsPerByte + afterLast + 4000 + 2*(last8MiB+64)*2*nsPerByte - last8MiB*nsPerByte}, // all links but one of the core,
		{"one slow uplink, even", Config{Topology: full, Workload: tornado(128, 8, eightMiB), SlowLinks: slow(0.5)}, 2*wire8MiB*nsPerByte + afterLast},
		{"one slow uplink, pooled", Config{Topology: full, Workload: tornado(128, 8, eightMiB), SlowLinks: slow(0.5), Spreading: Pooled}, wire8MiB*nsPerByte*8/7.5 + afterLast},
		{"one slow downlink, even", Config{Topology: full, Workload: tornado(128, 8, eightMiB), SlowLinks: down}, 4*wire8MiB*nsPerByte + afterLast},
		{"one slow downlink, pooled", Config{Topology: full, Workload: tornado(128, 8, eightMiB), SlowLinks: down, Spreading: Pooled}, wire8MiB*nsPerByte*8/7.25 + afterLast},
		{"one dead uplink, pooled", Config{Topology: full, Workload: tornado(128, 8, eightMiB), SlowLinks: slow(0), Spreading: Pooled}, wire8MiB*nsPerByte*8/7 + afterLast},
		{"a slow link elsewhere", Config{Topology: full, Workload: tornado(128, 8, eightMiB), SlowLinks: []SlowLink{{Switch: 1, Rate: 0.5}}}, alone},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := ideal(t, c.cfg)
			for i := range c.cfg.Workload.Flows {
				if wantFCT(t, r, i, c.want); t.Failed() {
					return
				}
			}
			if longest, ok := r.MaxFCT(); !ok || math.Abs(float64(longest)/1000-c.want) > 0.01 {
				t.Errorf("MaxFCT = %d", longest)
			}
			if s := r.Slowdown(0, r.End[0]*2); s != 2 {
				t.Errorf("Slowdown of twice the time = %v", s)
			}
		})
	}
}

// TestRatesChange: two flows share a downlink until the shorter one ends. A third flow starts when the
// second is alone.
func TestRatesChange(t *testing.T) {
	const packet = 4086
	first, second, third := flow(8, 0, 1000*packet), flow(16, 0, 2000*packet), flow(24, 0, 1000*packet)
	third.Start = 2500 * 83_000 // 500 packets of the second are left
	r := ideal(t, Config{Topology: topology.FatTree{Hosts: 128}, Workload: fattree.Workload{Flows: []fattree.Flow{first, second, third}}})
	after := 8000 + 3*83 + 4*1.28 // a full last packet
	wantFCT(t, r, 0, 2000*83+after)
	wantFCT(t, r, 1, (2500+1000)*83+after)
	wantFCT(t, r, 2, (1000+500)*83+after)
	if last, ok := r.LastEnd(); !ok || last != r.End[2] {
		t.Errorf("LastEnd = %d, want %d", last, r.End[2])
	}
	if mean, ok := r.MeanFCT(); !ok || math.Abs(float64(mean)/1000-((2000+3500+1500)*83./3+after)) > 0.01 {
		t.Errorf("MeanFCT = %d", mean)
	}
}

// TestTriggers: a chain, a barrier, and a multishot trigger, on paths of their own.
func TestTriggers(t *testing.T) {
	link := func(f fattree.Flow, by, fires int) fattree.Flow {
		f.StartedBy, f.Fires = by, fires
		return f
	}
	const none = fattree.NoTrigger
	w := fattree.Workload{
		Flows: []fattree.Flow{
			link(flow(0, 8, 1), none, 1),
			link(flow(1, 9, eightMiB), none, 1),
			link(flow(2, 10, 1), 1, 2), // after both
			link(flow(3, 11, 1), 2, 2), // the second firing is flow 3's own
			link(flow(4, 12, 1), 2, none),
		},
		Triggers: []fattree.Trigger{{Kind: fattree.Barrier, Count: 2}, {Kind: fattree.MultiShot}},
	}
	w.Flows[3].Start = 5_000_000 // 5 us after its trigger
	r := ideal(t, Config{Topology: topology.FatTree{Hosts: 128}, Workload: w})
	for _, c := range []struct {
		flow int
		want fattree.Picoseconds
	}{{0, 0}, {1, 0}, {2, r.End[1]}, {3, r.End[2] + 5_000_000}, {4, r.End[3]}} {
		if r.Start[c.flow] != c.want {
			t.Errorf("flow %d starts at %d, want %d", c.flow, r.Start[c.flow], c.want)
		}
		if fct, ok := r.FCT(c.flow); c.flow != 1 && (!ok || fct != 8_010_320) {
			t.Errorf("FCT of flow %d = %d, want 8010320 ps", c.flow, fct)
		}
	}
}

// TestDead: flows over a failed stage never end, and neither do flows that they trigger. The others end.
func TestDead(t *testing.T) {
	var cut []SlowLink
	for j := range 8 {
		cut = append(cut, SlowLink{Switch: 0, Uplink: j})
	}
	w := tornado(128, 16, 1)
	w.Triggers = []fattree.Trigger{{}}
	w.Flows[3].Fires, w.Flows[9].StartedBy = 1, 1
	c := Config{Topology: topology.FatTree{Hosts: 128}, Workload: w, SlowLinks: cut, Spreading: Pooled}
	r := ideal(t, c)
	for i := range w.Flows {
		if fct, ok := r.FCT(i); ok != (i >= 8 && i != 9) || ok && fct != 8_010_320 {
			t.Errorf("flow %d: %d %v", i, fct, ok)
		}
	}
	_, okMax := r.MaxFCT()
	_, okMean := r.MeanFCT()
	_, okEnd := r.LastEnd()
	if okMax || okMean || okEnd || r.Finished() != 7 || !math.IsNaN(r.Slowdown(0, 1)) || r.Start[9] != Unfinished || r.Start[0] != 0 {
		t.Errorf("of %+v: max %v, mean %v, end %v, %d finished", r, okMax, okMean, okEnd, r.Finished())
	}
}

func TestErrors(t *testing.T) {
	good := Config{Topology: topology.FatTree{Hosts: 128}, Workload: tornado(128, 8, 1)}
	with := func(change func(c *Config)) Config {
		c := good
		change(&c)
		return c
	}
	huge := tornado(128, 8, math.MaxInt64)
	late := tornado(128, 8, 1)
	late.Flows[0].Start = math.MaxInt64
	delayed := tornado(128, 8, 1)
	delayed.Triggers = []fattree.Trigger{{}}
	delayed.Flows[0].Fires, delayed.Flows[1].StartedBy, delayed.Flows[1].Start = 1, 1, math.MaxInt64
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "topology: Hosts (0)"},
		{Config{Topology: topology.FatTree{Hosts: 8, Tiers: 1}}, "fluid: Tiers (1) must be 2 or 3"},
		{with(func(c *Config) { c.Workload = fattree.Workload{} }), "fattree: Flows (0)"},
		{with(func(c *Config) { c.MTU = 64 }), "fluid: MTU (64) must be in [65, 1048576]"},
		{with(func(c *Config) { c.HeaderBytes = -1 }), "fluid: HeaderBytes (-1) must be in [1, 1048575]"},
		{with(func(c *Config) { c.EVS = 1 << 17 }), "fluid: EVS (131072) must be in [1, 65536]"},
		{with(func(c *Config) { c.Spreading = 2 }), "fluid: Spreading (2) must be in [0, 1]"},
		{with(func(c *Config) { c.SlowLinks = []SlowLink{{Tier: 1}} }), "SlowLinks[0].Tier (1) must be in [0, 0]"},
		{with(func(c *Config) { c.SlowLinks = []SlowLink{{Switch: 16}} }), "SlowLinks[0].Switch (16) must be in [0, 15]"},
		{with(func(c *Config) { c.SlowLinks = []SlowLink{{Uplink: -1}} }), "SlowLinks[0].Uplink (-1) must be in [0, 7]"},
		{with(func(c *Config) { c.SlowLinks = []SlowLink{{Rate: math.NaN()}} }), "SlowLinks[0].Rate (NaN) must be in [0, 1]"},
		{with(func(c *Config) { c.SlowLinks = []SlowLink{{Rate: 0.5}, {Rate: 0.25}} }), "SlowLinks[1] ({0 0 0 false 0.25}) must not repeat the link of an earlier entry"},
		{with(func(c *Config) { c.SlowLinks = []SlowLink{{Rate: 0}} }), "SlowLinks[0].Rate (0) must be above 0 if flows are spread evenly"},
		{with(func(c *Config) { c.Workload = huge }), "fluid: 8 flows are not finished after 1125899906842624 ps"},
		{with(func(c *Config) { c.Workload = late }), "fluid: 1 flows are not finished"},
		{with(func(c *Config) { c.Workload = delayed }), "fluid: Workload.Flows[1].Start (9223372036854775807) must be below"},
	} {
		if _, err := Ideal(c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if _, err := Rates(Config{}); err == nil {
		t.Error("rates of no workload: no error")
	}
}

// TestStartOnDelivery: a flow that the delivery of another one starts begins when its last byte has arrived: before
// the other flow's end by the way of an ACK, 4 links of 1000 ns and of 64 bytes at 0.02 ns.
func TestStartOnDelivery(t *testing.T) {
	c := Config{Topology: topology.FatTree{Hosts: 16}, Workload: fattree.Workload{
		Triggers: []fattree.Trigger{{}}, Flows: []fattree.Flow{flow(0, 15, eightMiB), flow(15, 0, 1000)},
	}}
	flows := c.Workload.Flows
	flows[0].Fires, flows[0].FiresOnDelivery, flows[1].StartedBy = 1, true, 1
	const ack = 4 * (1000 + 64*nsPerByte) * 1000 // ps
	if r := ideal(t, c); math.Abs(float64(r.End[0]-r.Start[1])-ack) > 1 {
		t.Errorf("the second flow starts %d ps before the end of the first, want %v", r.End[0]-r.Start[1], ack)
	}
}

// TestResultByHand: the flow that takes longest has the longest completion time, whenever it starts.
func TestResultByHand(t *testing.T) {
	r := Result{Start: []fattree.Picoseconds{100, 0, 40}, End: []fattree.Picoseconds{130, 70, 120}}
	longest, ok := r.MaxFCT()
	last, all := r.LastEnd()
	if longest != 80 || !ok || last != 130 || !all || r.Finished() != 3 || r.Slowdown(0, 45) != 1.5 {
		t.Errorf("longest %d, last end %d, %d flows end", longest, last, r.Finished())
	}
	r.End[1] = Unfinished
	if _, ok := r.MaxFCT(); ok || r.Finished() != 2 || !math.IsNaN(r.Slowdown(1, 45)) {
		t.Error("a flow that does not end is ignored")
	}
}
