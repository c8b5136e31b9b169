package view

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/internal/metric"
	"repslab/internal/rows"
)

// mostEach is the largest number of ports or flows that have a line each by default: in the panel of one quantity, and
// in each of several panels.
var mostEach = [2]int{8, 4}

// sums are the quantities of a trace without a panel by default: others show them by port or flow.
var sums = []string{"valid", "distinct_evs", "sent", "recycled", "marked", "retransmitted"}

// numberKey is the key of ports, flows and tiers in a trace.
const numberKey = "number"

// chooseOfTrace sets flags that are not given, for files of fattree --trace. A quantity alone gives its name to the
// axis. Several have a panel each, with its own axes, unless they are 0 all the time or among the sums. Ports and
// flows have a line each or, if they are many, tiers and flows have two.
func (f *Plot) chooseOfTrace(tables []*rows.Table, stderr io.Writer) {
	if f.Y != "value" {
		return
	}
	quantities := valuesOf(rows.QuantityKey, allRows(tables))
	several := f.Facet == "" && len(quantities) > 1
	if several {
		f.Facet = rows.QuantityKey
		dropZeros(tables, f.Y, stderr)
		f.dropSums(tables, stderr)
	} else if len(quantities) == 1 {
		f.YLabel = cmp.Or(f.YLabel, metric.AxisLabel(cellText(quantities[0])))
	}
	f.Stack = f.Stack || f.Facet == rows.QuantityKey
	if f.By != "" {
		return
	}
	f.By = numberKey
	if f.Kind != LinePlot {
		return
	}
	most := mostEach[0]
	if several {
		most = mostEach[1]
	}
	joined := false
	for _, t := range tables {
		joined = joinMany(t, most) || joined
	}
	if joined {
		console.WarnTo(stderr)(fmt.Sprintf("more than %d ports or flows of a quantity are drawn as their mean and largest: --by number draws each", most))
	}
}

// dropZeros removes the rows of quantities that are always 0, and names these quantities.
func dropZeros(tables []*rows.Table, key string, stderr io.Writer) {
	moves := map[any]bool{}
	for _, row := range allRows(tables) {
		v, ok := row.Number(key)
		moves[row.Get(rows.QuantityKey)] = moves[row.Get(rows.QuantityKey)] || ok && v != 0
	}
	dropQuantities(tables, func(quantity any) bool { return !moves[quantity] }, stderr, "no panel for what is 0 all the time: %s")
}

// dropQuantities removes the rows of some quantities, unless these are all, and says which.
func dropQuantities(tables []*rows.Table, dropped func(quantity any) bool, stderr io.Writer, warning string) {
	all := valuesOf(rows.QuantityKey, allRows(tables))
	list := lists.Where(all, dropped)
	if len(list) == 0 || len(list) == len(all) {
		return
	}
	console.WarnTo(stderr)(fmt.Sprintf(warning, strings.Join(lists.Map(list, cellText), ", ")))
	for _, t := range tables {
		t.Rows = slices.DeleteFunc(t.Rows, func(row rows.Row) bool { return dropped(row.Get(rows.QuantityKey)) })
	}
}

// dropSums removes the rows of sums, unless --where chooses quantities or nothing else is there.
func (f *Plot) dropSums(tables []*rows.Table, stderr io.Writer) {
	if slices.ContainsFunc(f.Where, func(text string) bool { return strings.HasPrefix(text, rows.QuantityKey+"=") }) {
		return
	}
	isSum := func(quantity any) bool { return slices.Contains(sums, cellText(quantity)) }
	dropQuantities(tables, isSum, stderr, "no panel by default for %s: --where quantity=... draws them")
}

// joinMany replaces the rows of quantities of more than most ports or flows by two for each tier and direction, or
// for all uplinks or flows: their mean and their largest value. It reports whether there are any. Other numbers get
// the name of the port or flow.
func joinMany(t *rows.Table, most int) bool {
	count, quantities := map[any]int{}, valuesOf(rows.QuantityKey, t.Rows)
	for _, quantity := range quantities {
		of := lists.Where(t.Rows, func(row rows.Row) bool { return row.Get(rows.QuantityKey) == quantity })
		count[quantity] = len(valuesOf(numberKey, of))
	}
	type bundle struct {
		row            rows.Row
		sum, most, all float64
	}
	var kept []rows.Row
	bundles, order := map[string]*bundle{}, []string(nil)
	for _, row := range t.Rows {
		value, is := row.Number("value")
		one, many := portOrFlow(row)
		if count[row.Get(rows.QuantityKey)] <= most {
			kept = append(kept, row.With(numberKey, one))
			continue
		}
		if !is {
			continue
		}
		row = row.With(numberKey, many)
		key := fmt.Sprint(row.With("value", nil).Cells)
		b, there := bundles[key]
		if !there {
			b = &bundle{row: row, most: value}
			bundles[key], order = b, append(order, key)
		}
		b.sum, b.most, b.all = b.sum+value, max(b.most, value), b.all+1
	}
	for _, key := range order {
		b := bundles[key]
		name := cellText(b.row.Get(numberKey))
		kept = append(kept, b.row.With(numberKey, name+", mean").With("value", b.sum/b.all), b.row.With(numberKey, name+", largest").With("value", b.most))
	}
	place := func(row rows.Row) int { return slices.Index(quantities, row.Get(rows.QuantityKey)) }
	slices.SortStableFunc(kept, func(a, b rows.Row) int { return cmp.Compare(place(a), place(b)) })
	t.Rows = kept
	return len(order) > 0
}

// portOrFlow returns the name of the port or flow of a row of a trace, and the name of all that are like it: tor:up for
// tor0:up3, uplinks, or flows. The whole network has no name.
func portOrFlow(row rows.Row) (one, many any) {
	number := row.Get(numberKey)
	if text, is := number.(string); is {
		name, port, _ := strings.Cut(text, ":")
		return text, strings.TrimRight(name, "0123456789") + ":" + strings.TrimRight(port, "0123456789/")
	}
	if number == nil {
		return nil, nil
	}
	kind := "flow"
	if strings.HasPrefix(cellText(row.Get(rows.QuantityKey)), "uplink_") {
		kind = "uplink"
	}
	return kind + " " + cellText(number), kind + "s"
}
