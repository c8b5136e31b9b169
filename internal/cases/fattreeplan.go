package cases

import (
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/internal/frame"
	"repslab/internal/metric"
	"repslab/internal/param"
)

// PlanColumns returns the columns of [PlanRows]: the parameters that vary, then quantity, value and unit.
func PlanColumns(points []ExtraPoint) []frame.Column {
	return append(param.Numbers(points[0].varying), frame.Text("quantity"), frame.Text("value"), frame.Text("unit"))
}

// PlanRows returns a row for each resolved value of the points: for each parameter that a point uses, with its unit,
// for values that follow from them, and for the parts of a mix in replica 0 of a seed.
func PlanRows(points []ExtraPoint, g *param.Grid, seed uint64) (list [][]any, err error) {
	m := fattreeModel()
	for i := range points {
		row := frame.Row{}
		for at, head := range m.Keys {
			row = append(row, frame.Cell{head.Key, g.Points[i].Parameters[at]})
		}
		parts, err := points[i].plannedParts(seed)
		if err != nil {
			return nil, err
		}
		for _, c := range slices.Concat(row, points[i].planned(), parts) {
			if c.Value != nil {
				list = append(list, append(points[i].varying.Values(), c.Key, c.Value, unitOf(m, c.Key)))
			}
		}
	}
	return list, nil
}

// plannedParts returns the hosts, flows, bytes and starts of each part of a mix, in replica 0. Flows that others start
// do not count among the starts.
func (p *Fattree) plannedParts(seed uint64) (row frame.Row, err error) {
	if p.parts == nil || p.parts[0].Name == "" {
		return nil, nil
	}
	w, err := p.firstFlows(seed)
	if err != nil {
		return nil, err
	}
	for _, q := range p.parts {
		first, end := w.Part(q.Name)
		hosts, bytes := map[fattree.Host]bool{}, int64(0)
		var starts []fattree.Picoseconds
		for _, f := range w.Flows[first:end] {
			hosts[f.Source], hosts[f.Destination], bytes = true, true, bytes+f.Bytes
			if f.StartedBy == fattree.NoTrigger {
				starts = append(starts, f.Start)
			}
		}
		row = append(row, frame.Cell{q.Name + ".hosts", len(hosts)}, frame.Cell{q.Name + ".flows", end - first}, frame.Cell{q.Name + ".bytes", bytes})
		if len(starts) > 0 {
			row = append(row, frame.Cell{q.Name + ".first_start_us", float64(slices.Min(starts)) / us}, frame.Cell{q.Name + ".last_start_us", float64(slices.Max(starts)) / us})
		}
	}
	return row, nil
}

// planned returns values of the plan that have no column.
func (p *Fattree) planned() frame.Row {
	s, slot := p.Plan.Spec(), p.Plan.SlotTime()
	slots := func(t fattree.Picoseconds) any { return int64((t + slot - 1) / slot) }
	return frame.Row{
		{"payload_bytes", s.PayloadBytes()}, {"bdp_packets", p.Plan.LongestBDP()},
		{"slot_ns", float64(slot) / 1000}, {"rounding_pct", 100 * p.Plan.Rounding()},
		{"rto_slots", slots(p.Options.RTO)}, {"horizon_slots", slots(p.Spec.Horizon)},
	}
}

// PlanWarnings returns the warnings about the points, each once.
func PlanWarnings(points []ExtraPoint) (list []string) {
	for i := range points {
		for _, w := range points[i].warnings() {
			if !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	return list
}

// unitOf returns the unit of a parameter's column or of another key.
func unitOf(m param.Model, key string) string {
	key = key[strings.LastIndex(key, ".")+1:] // behind the name of a part
	switch {
	case strings.HasSuffix(key, "_slots"):
		return "slots"
	case key == "bytes":
		return "bytes"
	}
	if q, is := m.Parameter(param.FlagOf(key)); is && q.Unit != "" && param.KeyOf(q.Flag) == key {
		return q.Unit
	}
	_, unit := metric.QuantityOf(key)
	return unit
}
