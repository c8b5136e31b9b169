package cases

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/mc"
)

// Events says which events of replica 0 to write, as the flags --event-flows, --event-us and --event-most do.
type Events struct {
	Flows string // flows by numbers from 0 or by conditions of --groups; empty is flow 0, and all flows for counts
	Time  string // FROM..TO in microseconds; empty is all
	Most  int    // events of each flow, the first ones; 0 is 100,000, or fewer for many flows
}

// mostEvents is the largest number of events in a file, some 4 GB of memory. defaultEvents is the default number
// of events for each flow.
const mostEvents, defaultEvents = 10_000_000, 100_000

// flows returns the flows of replica 0 of which to record events.
func (f *Events) flows(p *Fattree, seed uint64) ([]int, error) {
	flows, err := p.firstFlows(seed)
	if err != nil {
		return nil, err
	}
	return p.flowsOf("event-flows", f.Flows, flows, 1)
}

// config returns the events to record of some flows.
func (f *Events) config(list []int) (cfg transport.WatchConfig, err error) {
	if len(list) == 0 { // a schedule without messages
		return cfg, param.Usagef("--events and --ev-counts: must come with flows, but the run has none")
	}
	cfg.Flows = lists.Map(list, func(flow int) int32 { return int32(flow) })
	most := mostEvents / len(list)
	if f.Most < 0 || f.Most > most {
		return cfg, param.Usagef("--event-most: %d must be in [1, %d] for %d flows: more than %d events do not fit", f.Most, most, len(list), mostEvents)
	}
	cfg.Most = cmp.Or(f.Most, min(defaultEvents, most))
	cfg.From, cfg.To, err = f.period()
	return cfg, err
}

// Check returns an error for a combination of parameters that records no events, or flows that replica 0 does not
// have.
func (f *Events) Check(p *Fattree, seed uint64) error {
	if p.Spec.Profile == fattree.MRC {
		return param.Usagef("--events and --ev-counts: must come without --profile %s, which records no events", profileMRC)
	}
	flows, err := f.flows(p, seed)
	if err == nil {
		_, err = f.config(flows)
	}
	return err
}

// period returns the time of the events; a to of 0 is the end of the run.
func (f *Events) period() (from, to fattree.Picoseconds, err error) {
	if f.Time == "" {
		return 0, 0, nil
	}
	const most = 1e9 // microseconds; no run is longer
	first, last, isRange := strings.Cut(f.Time, "..")
	begin, wrong := strconv.ParseFloat(first, 64)
	end, wrongEnd := strconv.ParseFloat(last, 64)
	if !isRange || wrong != nil || wrongEnd != nil || !(begin >= 0 && begin < end && end <= most) {
		return 0, 0, param.Usagef("--event-us: %q must be FROM..TO in microseconds, 0 <= FROM < TO <= %d, such as 20..40", f.Time, int(most))
	}
	return fattree.Picoseconds(begin * us), fattree.Picoseconds(end * us), nil
}

// Write is an [ExtraWriter]. It runs replica 0 again and writes the events of the flows.
func (f *Events) Write(p *Fattree, ctx context.Context, rows *extraRows, plan mc.Plan) error {
	setup := p.Setup()
	flows, err := f.flows(p, plan.Seed)
	if err != nil {
		return err
	}
	cfg, err := f.config(flows)
	if err != nil {
		return err
	}
	setup.Watch = func(*fattree.Network, uint64) transport.WatchConfig { return cfg }
	r, err := runFirst(ctx, setup, plan)
	if err != nil {
		return err
	}
	if err := rows.begin(eventRow(new(transport.Event))); err != nil { // there may be no event
		return err
	}
	for i := range r.Events {
		if err := rows.add(eventRow(&r.Events[i])); err != nil {
			return err
		}
	}
	if r.Missed > 0 {
		rows.Warn(fmt.Sprintf("--events: %d events beyond the first %d of a flow are left out, see --event-most", r.Missed, cfg.Most))
	}
	for _, flow := range cfg.Flows {
		if !slices.ContainsFunc(r.Events, func(e transport.Event) bool { return e.Flow == flow }) {
			rows.Warn(fmt.Sprintf("--events: flow %d has no event: messages of a connection are recorded under its first", flow))
		}
	}
	return nil
}

// eventRow returns the row of an event. Cells without a value are nil.
func eventRow(e *transport.Event) frame.Row {
	row := frame.Row{{"time_us", float64(e.Time) / 1e6}, {"flow", int(e.Flow)}, {"event", string(e.Kind)}}
	about := frame.Row{{"packet", nil}, {"ev", nil}, {"path", nil}, {"ev_source", nil}, {"marked", nil}, {"rtt_us", nil}}
	if e.Packet >= 0 {
		about[0].Value = int(e.Packet)
	}
	if e.EV >= 0 {
		about[1].Value, about[2].Value = int(e.EV), joined(e.Path, "/")
	}
	if e.Origin != "" {
		about[3].Value = string(e.Origin)
	}
	if e.Kind == transport.EventAck || e.Kind == transport.EventReply {
		about[4].Value = e.Marked
	}
	if e.RTT > 0 {
		about[5].Value = float64(e.RTT) / 1e6
	}
	var slots []string
	for _, s := range e.Slots {
		valid := 0
		if s.Valid {
			valid = 1
		}
		slots = append(slots, fmt.Sprintf("%d:%d", s.EV, valid))
	}
	return append(append(row, about...), frame.Row{
		{"cwnd_packets", e.Window}, {"in_flight", int(e.InFlight)}, {"valid", e.Valid}, {"frozen", e.Frozen}, {"slots", strings.Join(slots, " ")},
	}...)
}

// joined writes numbers with a separator; nil if there are none.
func joined(list []int32, separator string) any {
	if len(list) == 0 {
		return nil
	}
	text := make([]string, len(list))
	for i, v := range list {
		text[i] = strconv.Itoa(int(v))
	}
	return strings.Join(text, separator)
}
