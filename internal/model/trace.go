package model

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/bitset"
	"repslab/internal/cell"
	"repslab/internal/console"
	"repslab/internal/values"
	"repslab/mc"
)

// Trace says what --trace writes of replica 0, as the flags --trace-every, --trace-ports and --trace-flows give it.
type Trace struct {
	Every float64 // length of an interval, us; at least a slot
	Ports string  // such as tor0:up,spine0..3:down; empty is the uplinks of ToR 0
	Flows string  // a list of flows, numbered from 0; empty is the first 8
}

// mostTraced is the limit of the numbers of a trace, some 500 MB of memory; tracedFlows are traced by default.
const mostTraced, tracedFlows = 50_000_000, 8

// portSet is some ports with a name, or a number.
type portSet struct {
	name  any
	ports []int
}

// tiersOf returns the names of a tree's tiers, the numbers of their switches, and of the ports up of a switch.
func tiersOf(t topology.FatTree) (names []string, switches, ups []int) {
	if t.Tiers == 2 {
		return []string{"tor", "spine"}, []int{t.ToRs(), t.AggsPerPod()}, []int{t.UplinksPerToR, 0}
	}
	return []string{"tor", "agg", "core"}, []int{t.ToRs(), t.Pods() * t.AggsPerPod(), t.AggsPerPod() * t.CoresPerAgg()},
		[]int{t.UplinksPerToR, t.UplinksPerAgg, 0}
}

// switchPorts returns the ports up or down of a switch, of every plane: one plane after the other.
func (p *Fattree) switchPorts(tier, number int, direction string) (ports []int) {
	_, _, ups := tiersOf(p.Tree)
	part, down := topology.Part{Tier: tier, Switch: number, Cables: ups[tier]}, direction == "down"
	if down && tier == 0 {
		part.ToHost, part.Cables, part.Direction = true, p.Tree.HostsPerToR, topology.Down
	}
	part.WholeSwitch = down && tier > 0
	for plane := range p.planes {
		list := p.Tree.Ports(part)
		if planes, several := p.Spec.Topology.(topology.Planes); several {
			list = planes.Ports(part, plane)
		}
		if part.WholeSwitch {
			list = list[:len(list)-ups[tier]] // it begins with those down
		}
		ports = append(ports, list...)
	}
	return ports
}

// sides returns the ports of all switches by tier and direction, such as tor:up.
func (p *Fattree) sides() (list []portSet) {
	names, switches, ups := tiersOf(p.Tree)
	for tier, name := range names {
		for _, direction := range []string{"up", "down"} {
			if direction == "up" && ups[tier] == 0 {
				continue
			}
			side := portSet{name: name + ":" + direction}
			for number := range switches[tier] {
				side.ports = append(side.ports, p.switchPorts(tier, number, direction)...)
			}
			list = append(list, side)
		}
	}
	return list
}

// named returns the ports of --trace-ports, each with a name such as tor0:up3; in planes tor0:up3/1 is in plane 1.
// Without the flag they are the uplinks of ToR 0, with their numbers.
func (f *Trace) named(p *Fattree) (list []portSet, err error) {
	if f.Ports == "" {
		for i, port := range p.switchPorts(0, 0, "up")[:p.Tree.UplinksPerToR] {
			list = append(list, portSet{i, []int{port}})
		}
		return list, nil
	}
	for term := range strings.SplitSeq(f.Ports, ",") {
		tier, numbers, direction, err := portTerm(p.Tree, term)
		if err != nil {
			return nil, console.Usagef("--trace-ports: %.60q must be switches and up or down, such as tor0:up or tor0..3:down: %w", term, err)
		}
		names, _, _ := tiersOf(p.Tree)
		for _, number := range numbers {
			ports := p.switchPorts(tier, number, direction)
			each := len(ports) / p.planes
			for i, port := range ports {
				name := fmt.Sprintf("%s%d:%s%d", names[tier], number, direction, i%each)
				if p.planes > 1 {
					name += fmt.Sprintf("/%d", i/each)
				}
				list = append(list, portSet{name, []int{port}})
			}
		}
	}
	return list, nil
}

// portTerm reads switches and a direction, such as spine0..3:down.
func portTerm(t topology.FatTree, term string) (tier int, numbers []int, direction string, err error) {
	names, switches, ups := tiersOf(t)
	name, direction, _ := strings.Cut(term, ":")
	digits := len(strings.TrimRight(name, "0123456789.:x+"))
	switch tier = slices.Index(names, name[:digits]); {
	case tier < 0 || digits == len(name):
		var there []string
		for tier, name := range names {
			there = append(there, fmt.Sprintf("%s0..%d", name, switches[tier]-1))
		}
		err = fmt.Errorf("the network has %s", strings.Join(there, ", "))
	case direction != "up" && direction != "down":
		err = fmt.Errorf("the direction is %.20q", direction)
	case direction == "up" && ups[tier] == 0:
		err = fmt.Errorf("a %s has no ports up", names[tier])
	default:
		numbers, err = values.Ints(name[digits:], values.IntRange{Min: 0, Max: switches[tier] - 1})
	}
	return tier, numbers, direction, err
}

// chosen returns the flows to trace, of some number.
func (f *Trace) chosen(flows int) (list []int, err error) {
	if f.Flows == "" {
		for flow := range min(tracedFlows, flows) {
			list = append(list, flow)
		}
		return list, nil
	}
	if list, err = values.Ints(f.Flows, values.IntRange{Min: 0, Max: flows - 1}); err != nil {
		err = console.Usagef("--trace-flows: %w", err)
	}
	return list, err
}

// Check refuses what a combination of parameters cannot write.
func (f *Trace) Check(p *Fattree) error {
	_, err := f.plan(p)
	return err
}

// tracing is the trace of a combination of parameters.
type tracing struct {
	fattree.TraceConfig
	ports, sides []portSet
	flows        []*flowTrace
}

// plan returns the trace of a combination of parameters.
func (f *Trace) plan(p *Fattree) (*tracing, error) {
	t := &tracing{sides: p.sides()}
	slot := p.Spec.SlotTime()
	t.Every = max(1, fattree.Picoseconds(f.Every*1e6)/slot) * slot
	flows, err := f.chosen(len(p.Spec.Workload.Flows))
	if err != nil {
		return nil, err
	}
	if t.ports, err = f.named(p); err != nil {
		return nil, err
	}
	for _, set := range t.ports {
		t.Ports = append(t.Ports, set.ports...)
	}
	for _, side := range t.sides {
		t.Groups = append(t.Groups, side.ports)
	}
	for _, flow := range flows {
		t.Flows, t.flows = append(t.Flows, flow), append(t.flows, &flowTrace{length: t.Every, used: bitset.New(1 << 16)})
	}
	t.Most = mostTraced / (40 + 2*len(t.Ports) + 5*len(t.Flows))
	return t, nil
}

// Write is an [ExtraWriter] that runs replica 0 again and writes, for each interval, what chosen ports and flows do,
// marks by tier, and counts in the whole network.
func (f *Trace) Write(p *Fattree, ctx context.Context, rows *extraRows, plan mc.Plan) error {
	t, err := f.plan(p)
	if err != nil {
		return err
	}
	setup := p.Setup()
	setup.Trace = func(*fattree.Network) fattree.TraceConfig { return t.TraceConfig }
	setup.Watch = func(*fattree.Network, uint64) transport.WatchConfig { return t.watch() }
	runner, err := setup.NewRunner()
	if err != nil {
		return err
	}
	r, err := runner.Run(mc.WithGoroutines(ctx, plan.Workers), plan.Seed, 0)
	if err != nil {
		return err
	}
	quantity := "uplink"
	if f.Ports != "" {
		quantity = "port"
	}
	for _, s := range r.Samples {
		if err := t.write(rows, s, p.Spec.MTU, quantity); err != nil {
			return err
		}
	}
	if r.SamplesLeft > 0 {
		rows.Warn(fmt.Sprintf("--trace: %d times beyond the first %d are left out, see --trace-every, --trace-ports and --trace-flows", r.SamplesLeft, t.Most))
	}
	return nil
}

// watch returns what tells of the flows.
func (t *tracing) watch() (cfg transport.WatchConfig) {
	of := map[int32]*flowTrace{}
	for i, flow := range t.Flows {
		of[int32(flow)], cfg.Flows = t.flows[i], append(cfg.Flows, int32(flow))
	}
	cfg.Each = func(e transport.Event) { of[e.Flow].add(e) }
	return cfg
}

// write writes a row for each number of a sample; quantity begins the names of what ports do.
func (t *tracing) write(rows *extraRows, s fattree.Sample, mtu int, quantity string) (err error) {
	write := func(quantity string, number, value any) {
		if err == nil {
			err = rows.add(cell.Row{{"time_us", float64(s.Time) / 1e6}, {"quantity", quantity}, {"number", number}, {"value", value}})
		}
	}
	for i, port := range t.ports {
		write(quantity+"_gbps", port.name, float64(s.Packets[i])*float64(mtu)*8000/float64(t.Every))
		write(quantity+"_queue_packets", port.name, int(s.Queue[i]))
	}
	for i, window := range s.Window {
		write("cwnd_packets", t.Flows[i], window)
	}
	for i, flow := range t.flows {
		if now, share := flow.at(s.Time); now != nil {
			write("valid", t.Flows[i], int(now.valid))
			write("distinct_evs", t.Flows[i], int(now.distinct))
			if share != nil {
				write("recycled_share", t.Flows[i], share)
			}
		}
	}
	for i, side := range t.sides {
		write("marked_at", side.name, s.GroupMarks[i])
	}
	write("frozen_flows", nil, s.Frozen)
	for _, c := range fattree.Counters() {
		if c.Traced {
			write(c.Key, nil, *c.Of(&s.Counts))
		}
	}
	return err
}

// flowTrace holds what a flow does in the intervals of a trace in which something happens to it.
type flowTrace struct {
	length    fattree.Picoseconds // of an interval
	used      bitset.Set          // EVs that it has sent
	intervals []flowInterval
	read      int // intervals that are written
}

// flowInterval is what a flow does in an interval.
type flowInterval struct {
	start           fattree.Picoseconds
	sent, recycled  int32
	distinct, valid int32 // at the end
}

// add takes in an event of the flow.
func (t *flowTrace) add(e transport.Event) {
	distinct, start := int32(0), e.Time/t.length*t.length
	if last := len(t.intervals) - 1; last >= 0 {
		distinct = t.intervals[last].distinct
	}
	if last := len(t.intervals) - 1; last < 0 || t.intervals[last].start < start {
		t.intervals = append(t.intervals, flowInterval{start: start, distinct: distinct})
	}
	now := &t.intervals[len(t.intervals)-1]
	if now.valid = int32(e.Valid); e.Kind != transport.EventSend && e.Kind != transport.EventResend {
		return
	}
	if now.sent++; e.Recycled {
		now.recycled++
	}
	if !t.used.Has(e.EV) {
		t.used.Add(e.EV)
		now.distinct++
	}
}

// at returns the last interval before a time, nil if there is none, and the share of recycled EVs in the one that ends
// then, nil if it has no packet. Times must ascend.
func (t *flowTrace) at(end fattree.Picoseconds) (last *flowInterval, share any) {
	for t.read < len(t.intervals) && t.intervals[t.read].start < end {
		t.read++
	}
	if t.read == 0 {
		return nil, nil
	}
	if last = &t.intervals[t.read-1]; last.start == end-t.length && last.sent > 0 {
		share = float64(last.recycled) / float64(last.sent)
	}
	return last, share
}
