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
// and for values that follow from them.
func PlanRows(points []ExtraPoint, g *param.Grid) (list [][]any) {
	m := fattreeModel()
	for i := range points {
		row := frame.Row{}
		for at, head := range m.Keys {
			row = append(row, frame.Cell{head.Key, g.Points[i].Parameters[at]})
		}
		for _, c := range append(row, points[i].planned()...) {
			if c.Value != nil {
				list = append(list, append(points[i].varying.Values(), c.Key, c.Value, unitOf(m, c.Key)))
			}
		}
	}
	return list
}

// planned returns values of the plan that have no column.
func (p *Fattree) planned() frame.Row {
	s, slot := p.Plan.Spec(), p.Plan.SlotTime()
	slots := func(t fattree.Picoseconds) any { return int64((t + slot - 1) / slot) }
	return frame.Row{
		{"header_bytes", s.HeaderBytes}, {"payload_bytes", s.PayloadBytes()}, {"bdp_packets", p.Plan.LongestBDP()},
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
	if strings.HasSuffix(key, "_slots") {
		return "slots"
	}
	if q, is := m.Parameter(param.FlagOf(key)); is && q.Unit != "" && param.KeyOf(q.Flag) == key {
		return q.Unit
	}
	_, unit := metric.QuantityOf(key)
	return unit
}
