package cases

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/flight"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/values"
	"repslab/mc"
)

// Trace says what --trace writes of replica 0, by the flags --trace-every, --trace-ports and --trace-flows.
type Trace struct {
	Every float64 // length of an interval, us; at least a slot
	Ports string  // such as tor0:up,spine0..3:down; empty is the uplinks of ToR 0
	Flows string  // flows by numbers from 0 or by conditions of --groups; empty is the first 8
}

// mostTraced is the largest count of numbers in a trace, some 500 MB of memory; tracedFlows is the default number
// of flows.
const mostTraced, tracedFlows = 50_000_000, 8

// side holds the ports up, or the ports down, of all switches of a tier.
type side struct {
	name, switches string  // such as tor:up and tor0..7:up
	ports          [][]int // by switch; ports of all planes, one plane after the other
}

// sides returns the sides of a network.
func (p *Fattree) sides() (list []side) {
	for tier, name := range p.Tree.TierNames() {
		for _, d := range []topology.Direction{topology.Up, topology.Down} {
			count := p.Tree.Switches(tier)
			s := side{name: fmt.Sprintf("%s:%v", name, d), switches: fmt.Sprintf("%s0..%d:%v", name, count-1, d)}
			for i := range count {
				s.ports = append(s.ports, p.allPlanes().SwitchPorts(tier, i, d))
			}
			if len(s.ports[0]) > 0 {
				list = append(list, s)
			}
		}
	}
	return list
}

// tracing is the trace of a point.
type tracing struct {
	fattree.TraceConfig
	sides    []side // by entry of TraceConfig.Groups
	names    []any  // by entry of TraceConfig.Ports: numbers, or names such as tor0:up3, and tor0:up3/1 for plane 1 of several
	quantity string // prefix of quantities of ports
	flows    map[int32]*flowTrace
}

// addPorts adds the ports of a term of --trace-ports.
func (t *tracing) addPorts(term string, planes int) error {
	name, direction, _ := strings.Cut(term, ":")
	tier := strings.TrimRight(name, "0123456789.:x+")
	var numbers []int
	err := fmt.Errorf("the network has %s", strings.Join(lists.Map(t.sides, func(s side) string { return s.switches }), ", "))
	at := slices.IndexFunc(t.sides, func(s side) bool { return s.name == tier+":"+direction })
	if at >= 0 && tier != name {
		numbers, err = values.Ints(name[len(tier):], values.IntRange{Min: 0, Max: len(t.sides[at].ports) - 1})
	}
	if err != nil {
		return param.Usagef("--trace-ports: %.60q must be switches and up or down, such as tor0:up or tor0..3:down: %w", term, err)
	}
	for _, number := range numbers {
		ports := t.sides[at].ports[number]
		for i, port := range ports {
			each := len(ports) / planes
			name := fmt.Sprintf("%s%d:%s%d", tier, number, direction, i%each)
			if planes > 1 {
				name += fmt.Sprintf("/%d", i/each)
			}
			t.Ports, t.names = append(t.Ports, port), append(t.names, name)
		}
	}
	return nil
}

// Check returns an error for a point that cannot be traced.
func (f *Trace) Check(p *Fattree, seed uint64) error {
	_, err := f.plan(p, seed)
	return err
}

// plan returns the trace of a point.
func (f *Trace) plan(p *Fattree, seed uint64) (t *tracing, err error) {
	t = &tracing{sides: p.sides(), quantity: "uplink", flows: map[int32]*flowTrace{}}
	for _, s := range t.sides {
		t.Groups = append(t.Groups, slices.Concat(s.ports...))
	}
	slot := p.Plan.SlotTime()
	t.Every = max(1, fattree.Picoseconds(f.Every*1e6)/slot) * slot
	flows, err := p.firstFlows(seed)
	if err != nil {
		return nil, err
	}
	if t.TraceConfig.Flows, err = p.flowsOf("trace-flows", f.Flows, flows, tracedFlows); err != nil {
		return nil, err
	}
	for i, port := range t.sides[0].ports[0][:p.Tree.UplinksPerToR] {
		t.Ports, t.names = append(t.Ports, port), append(t.names, i)
	}
	if f.Ports != "" {
		t.Ports, t.names, t.quantity = nil, nil, "port"
		for term := range strings.SplitSeq(f.Ports, ",") {
			if err := t.addPorts(term, p.planes); err != nil {
				return nil, err
			}
		}
	}
	t.Most = mostTraced / (40 + 2*len(t.Ports) + 5*len(t.Flows))
	return t, nil
}

// Write is an [ExtraWriter]. It runs replica 0 again. For each interval it writes the quantities of chosen ports
// and flows, marks by tier, and counts in the whole network.
func (f *Trace) Write(p *Fattree, ctx context.Context, rows *extraRows, plan mc.Plan) error {
	t, err := f.plan(p, plan.Seed)
	if err != nil {
		return err
	}
	for _, flow := range t.Flows {
		t.flows[int32(flow)] = &flowTrace{used: map[int32]bool{}}
	}
	setup := p.Setup()
	setup.Trace = func(*fattree.Network) fattree.TraceConfig { return t.TraceConfig }
	r, err := watchFirst(ctx, setup, plan, t.Flows, func(e transport.Event) { t.flows[e.Flow].add(e, min(int(e.Time/t.Every), t.Most)) })
	for _, flow := range t.flows {
		flow.close()
	}
	for i := 0; i < len(r.Samples) && err == nil; i++ {
		err = t.write(rows, r.Samples[i], i, p.Spec.MTU)
	}
	if len(r.Samples) == t.Most {
		rows.Warn(fmt.Sprintf("--trace: times beyond the first %d are left out, see --trace-every, --trace-ports and --trace-flows", t.Most))
	}
	return err
}

// write writes a row for each number of sample i.
func (t *tracing) write(rows *extraRows, s fattree.Sample, i, mtu int) (err error) {
	write := func(quantity string, number, value any) {
		if err == nil {
			err = rows.add(frame.Row{{"time_us", float64(s.Time) / 1e6}, {"quantity", quantity}, {"number", number}, {"value", value}})
		}
	}
	for k, name := range t.names {
		write(t.quantity+"_gbps", name, float64(s.Packets[k])*float64(mtu)*8000/float64(t.Every))
		write(t.quantity+"_queue_packets", name, int(s.Queue[k]))
	}
	for k, window := range s.Window {
		write("cwnd_packets", t.Flows[k], window)
	}
	for _, flow := range t.Flows {
		if list := t.flows[int32(flow)].intervals; len(list) > 0 {
			now := list[min(i, len(list)-1)]
			write("valid", flow, now.valid)
			write("distinct_evs", flow, now.distinct)
			if now.inFlight > 0 {
				write("flight_evs", flow, now.different)
				write("top_ev_share", flow, float64(now.most)/float64(now.inFlight))
			}
			if i < len(list) && now.sent > 0 {
				write("recycled_share", flow, float64(now.recycled)/float64(now.sent))
			}
		}
	}
	for k, side := range t.sides {
		write("marked_at", side.name, s.GroupMarks[k])
	}
	write("frozen_flows", nil, s.Frozen)
	for _, c := range fattree.Counters() {
		if c.Traced {
			write(c.Key, nil, *c.Of(&s.Counts))
		}
	}
	return err
}

// flowTrace holds the quantities of a flow, by interval up to its last event.
type flowTrace struct {
	used      map[int32]bool // EVs that it has sent
	flight    flight.EVs
	intervals []flowInterval
}

// flowInterval holds the quantities of a flow in an interval.
type flowInterval struct {
	sent, recycled  int // packets
	distinct, valid int // EVs, at the end

	// At the end, of the packets in flight when the flow last sent a new one: different EVs, packets with the most
	// frequent EV, and all.
	different, most, inFlight int
}

// close counts the EVs in flight at the end of the last interval so far.
func (t *flowTrace) close() {
	if last := len(t.intervals) - 1; last >= 0 {
		now := &t.intervals[last]
		now.different, now.most, now.inFlight = t.flight.Count()
	}
}

// add records an event of the flow in an interval. Quantities that persist are copied into the intervals in
// between.
func (t *flowTrace) add(e transport.Event, number int) {
	if len(t.intervals) <= number {
		t.close()
	}
	for len(t.intervals) <= number {
		now := flowInterval{}
		if last := len(t.intervals) - 1; last >= 0 {
			now = t.intervals[last]
			now.sent, now.recycled = 0, 0
		}
		t.intervals = append(t.intervals, now)
	}
	now := &t.intervals[number]
	if now.valid = e.Valid; e.Kind != transport.EventSend && e.Kind != transport.EventResend {
		return
	}
	if now.sent++; e.Recycled {
		now.recycled++
	}
	t.used[e.EV] = true
	now.distinct = len(t.used)
	if e.Kind == transport.EventSend {
		t.flight.Send(e.EV, int(e.InFlight))
	}
}
