package model

import (
	"context"
	"maps"
	"slices"

	"repslab/fattree/transport"
	"repslab/internal/cell"
	"repslab/mc"
)

// EVCounts say which flows' EVs --ev-counts counts, as --event-flows gives them; empty is all.
type EVCounts struct{ Flows string }

// evCount counts what became of a flow's packets with an EV.
type evCount struct {
	path                                 any
	sent, good, marked, nacked, timedOut int
}

// counter returns the count that an event of a packet adds to.
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
func (c *evCount) row(flow int, ev int32) cell.Row {
	return cell.Row{{"flow", flow}, {"ev", int(ev)}, {"path", c.path}, {"sent", c.sent}, {"good", c.good}, {"marked", c.marked},
		{"nacked", c.nacked}, {"timed_out", c.timedOut}}
}

// chosen returns the flows to count.
func (f *EVCounts) chosen(p *Fattree) ([]int, error) {
	if err := checkEvents("ev-counts", p); err != nil {
		return nil, err
	}
	flows := len(p.Spec.Workload.Flows)
	return flowsOf("event-flows", f.Flows, flows, flows)
}

// Check refuses what a combination of parameters cannot write.
func (f *EVCounts) Check(p *Fattree) error {
	_, err := f.chosen(p)
	return err
}

// Write is an [ExtraWriter] that runs replica 0 again and writes a row for each EV that a flow used. It needs some 150
// bytes for each.
func (f *EVCounts) Write(p *Fattree, ctx context.Context, rows *extraRows, plan mc.Plan) error {
	list, err := f.chosen(p)
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
