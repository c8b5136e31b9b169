package cases

import (
	"context"
	"maps"
	"slices"

	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/mc"
)

// evCount counts the fates of a flow's packets with one EV.
type evCount struct {
	path                                 any
	sent, good, marked, nacked, timedOut int
}

// counter returns the count that an event increments.
func (c *evCount) counter(e transport.Event) *int {
	switch {
	case e.Kind == transport.EventSend || e.Kind == transport.EventResend:
		return &c.sent
	case e.Kind == transport.EventAck && e.Marked:
		return &c.marked
	case e.Kind == transport.EventAck:
		return &c.good
	case e.Kind == transport.EventNack:
		return &c.nacked
	}
	return &c.timedOut
}

// row returns the row of an EV of a flow.
func (c *evCount) row(flow int, ev int32) frame.Row {
	return frame.Row{{"flow", flow}, {"ev", int(ev)}, {"path", c.path}, {"sent", c.sent}, {"good", c.good}, {"marked", c.marked},
		{"nacked", c.nacked}, {"timed_out", c.timedOut}}
}

// WriteCounts is an [ExtraWriter]. It runs replica 0 again and writes a row for each EV that a flow used: for all
// flows, or only for the flows that f names. It needs some 150 bytes for each row.
func (f *Events) WriteCounts(p *Fattree, ctx context.Context, rows *extraRows, plan mc.Plan) error {
	flows, err := p.firstFlows(plan.Seed)
	if err != nil {
		return err
	}
	list, err := p.flowsOf("event-flows", f.Flows, flows, len(flows.Flows))
	if err != nil {
		return err
	}
	all := map[int32]map[int32]*evCount{} // by flow and EV
	for _, flow := range list {
		all[int32(flow)] = map[int32]*evCount{}
	}
	if _, err := watchFirst(ctx, p.Setup(), plan, list, func(e transport.Event) {
		of := all[e.Flow]
		if e.Packet >= 0 && of[e.EV] == nil {
			of[e.EV] = &evCount{path: joined(e.Path, "/")}
		}
		if e.Packet >= 0 {
			*of[e.EV].counter(e)++
		}
	}); err != nil {
		return err
	}
	if err := rows.begin(new(evCount).row(0, 0)); err != nil { // there may be no packet
		return err
	}
	for _, flow := range list {
		of := all[int32(flow)]
		for _, ev := range slices.Sorted(maps.Keys(of)) {
			if err := rows.add(of[ev].row(flow, ev)); err != nil {
				return err
			}
		}
	}
	return nil
}
