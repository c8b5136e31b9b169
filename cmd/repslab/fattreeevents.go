package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/values"
	"repslab/mc"
)

// eventFlags say which events --events writes.
type eventFlags struct {
	flows, time string
	most        int
}

// add adds the flags beside --events.
func (f *eventFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.flows, "event-flows", "0", "`FLOWS` of --events, numbered from 0: 0,512 or 0..15")
	flags.StringVar(&f.time, "event-us", "", "write events of this time alone: `FROM..TO`, us")
	flags.IntVar(&f.most, "event-most", 100_000, "events of each flow at most, the first ones; a warning says how many are left out")
}

// mostEvents is the limit of the events of a file, some 2 GB of memory.
const mostEvents = 10_000_000

// config returns the events to record in a network with some number of flows.
func (f *eventFlags) config(flows int) (cfg transport.WatchConfig, err error) {
	list, err := values.Ints(f.flows, values.IntRange{Min: 0, Max: flows - 1})
	if err != nil {
		return cfg, usagef("--event-flows: %w", err)
	}
	for _, flow := range list {
		cfg.Flows = append(cfg.Flows, int32(flow))
	}
	if most := mostEvents / len(list); f.most < 1 || f.most > most {
		return cfg, usagef("--event-most: %d must be in [1, %d] for %d flows, which takes some 2 GB of memory", f.most, most, len(list))
	}
	cfg.Most = f.most
	cfg.From, cfg.To, err = f.period()
	return cfg, err
}

// check refuses what a combination of parameters cannot write.
func (f *eventFlags) check(p *fattreePoint) error {
	if p.profile == profileMRC {
		return usagef("--events: must come without --profile %s, whose hosts tell no events", profileMRC)
	}
	_, err := f.config(len(p.spec.Workload.Flows))
	return err
}

// checkUse refuses flags that say which events to write where --events is not given.
func (f *eventFlags) checkUse(flags *pflag.FlagSet, path string) error {
	for _, name := range []string{"event-flows", "event-us", "event-most"} {
		if flags.Changed(name) && path == "" {
			return usagef("--%s: must come with --events", name)
		}
	}
	return nil
}

// period returns the time of the events; a to of 0 is the end of the run.
func (f *eventFlags) period() (from, to fattree.Picoseconds, err error) {
	if f.time == "" {
		return 0, 0, nil
	}
	const us, most = 1e6, 1e9 // of most microseconds a run has no more
	first, last, isRange := strings.Cut(f.time, "..")
	begin, wrong := strconv.ParseFloat(first, 64)
	end, wrongEnd := strconv.ParseFloat(last, 64)
	if !isRange || wrong != nil || wrongEnd != nil || !(begin >= 0 && begin < end && end <= most) {
		return 0, 0, usagef("--event-us: %q must be FROM..TO in microseconds, 0 <= FROM < TO <= %d, such as 20..40", f.time, int(most))
	}
	return fattree.Picoseconds(begin * us), fattree.Picoseconds(end * us), nil
}

// write runs replica 0 again and writes the events of the flows.
func (f *eventFlags) write(p *fattreePoint, ctx context.Context, rows *extraRows, plan mc.Plan) error {
	setup := p.setup()
	cfg, err := f.config(len(p.spec.Workload.Flows))
	if err != nil {
		return err
	}
	setup.Watch = func(*fattree.Network, uint64) transport.WatchConfig { return cfg }
	runner, err := setup.NewRunner()
	if err != nil {
		return err
	}
	r, err := runner.Run(mc.WithGoroutines(ctx, plan.Workers), plan.Seed, 0)
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
		rows.warn(fmt.Sprintf("--events: %d events beyond the first %d of a flow are left out, see --event-most", r.Missed, f.most))
	}
	return nil
}

// eventRow returns the row of an event. Cells that it has not are nil.
func eventRow(e *transport.Event) []member {
	row := []member{{"time_us", float64(e.Time) / 1e6}, {"flow", int(e.Flow)}, {"event", string(e.Kind)}}
	about := []member{{"packet", nil}, {"ev", nil}, {"path", nil}, {"ev_source", nil}, {"marked", nil}, {"rtt_us", nil}}
	if e.Packet >= 0 {
		about[0].cell = int(e.Packet)
	}
	if e.EV >= 0 {
		about[1].cell, about[2].cell = int(e.EV), joined(e.Path, ".")
	}
	if e.Origin != "" {
		about[3].cell = string(e.Origin)
	}
	if e.Kind == transport.EventAck || e.Kind == transport.EventReply {
		about[4].cell = e.Marked
	}
	if e.RTT > 0 {
		about[5].cell = float64(e.RTT) / 1e6
	}
	var slots []string
	for _, s := range e.Slots {
		valid := 0
		if s.Valid {
			valid = 1
		}
		slots = append(slots, fmt.Sprintf("%d:%d", s.EV, valid))
	}
	return append(append(row, about...), []member{
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
