package view

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/metric"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/internal/values"
)

// Drawing is a plot of the rows of some tables.
type Drawing struct {
	*Plot
	Figure    plot.Plot
	rows      []rows.Row
	perFile   bool                  // each file has its own lines
	places    map[place]rows.Row    // nil for distributions
	lines     []lineKey             // lines of all panels, in the order of the legend
	xs, ys    []any                 // the values of --x and --y, in order
	names     map[string]string     // names from --legend
	inks      map[string]color.RGBA // colours from --colors
	colors    map[lineKey]plot.Color
	omissions []omission
}

// lineKey identifies a line by the value of --by and, if each file has its own lines, the file.
type lineKey struct{ by, file any }

// place is the place at which a row is drawn. y is nil except in heat maps.
type place struct {
	line        lineKey
	facet, x, y any
}

// omission is a reason why something is missing from drawn points, and the number of these points.
type omission struct {
	text   string
	points int
}

// MostFacets is the largest number of panels, MostStacked the largest number of panels one under the other.
const MostFacets, MostStacked = 12, 24

// rowsKey is the --value of a heat map that counts the rows of each cell, and MostCells the largest number of cells.
const (
	rowsKey   = "rows"
	MostCells = 250_000
)

// Draw returns the plot of tables that have the columns.
func Draw(f *Plot, tables []*rows.Table) (*Drawing, error) {
	d := &Drawing{Plot: f}
	d.rows = allRows(tables)
	if f.Kind != CdfPlot {
		d.xs, d.ys = d.columns(), d.values(f.Y)
	}
	slices.SortStableFunc(d.xs, byNumber)
	slices.SortStableFunc(d.ys, byNumber)
	if count := len(d.xs) * len(d.ys); f.Kind == HeatPlot && count > MostCells {
		return nil, console.Usagef("--kind heat: %d values of %s by %d of %s are %d cells, more than %d: choose rows by --where, or wider cells by --x-bin",
			len(d.xs), f.X, len(d.ys), f.Y, count, MostCells)
	}
	if err := cmp.Or(d.setPlaces(len(tables)), d.setNames()); err != nil {
		return nil, err
	}
	d.setColors()
	facets := d.values(f.Facet)
	most := MostFacets
	if f.Stack {
		most = MostStacked
	}
	if len(facets) > most {
		return nil, console.Usagef("--facet: %s has %d values, but there are at most %d panels", f.Facet, len(facets), most)
	}
	var panels []plot.Panel
	for _, facet := range facets {
		panel, err := d.panel(facet)
		if err != nil {
			return nil, err
		}
		panels = append(panels, panel)
	}
	d.arrange(panels)
	return d, nil
}

// columns returns the values of --x or, with --x-bin, the values at which columns of cells begin, from
// the first to the last.
func (d *Drawing) columns() (list []any) {
	if d.Kind != HeatPlot || d.XBin == 0 {
		return d.values(d.X)
	}
	first, last := math.Inf(1), math.Inf(-1)
	for _, row := range d.rows {
		if at, ok := d.across(row).(float64); ok {
			first, last = min(first, at), max(last, at)
		}
	}
	for k := math.Round(first / d.XBin); k <= math.Round(last/d.XBin) && len(list) <= MostCells; k++ {
		list = append(list, rounded(k*d.XBin))
	}
	return list
}

// across returns the place of a row along x; with --x-bin it is the beginning of the cell.
func (d *Drawing) across(row rows.Row) any {
	if v, ok := row.Number(d.X); ok && d.Kind == HeatPlot && d.XBin > 0 {
		return rounded(math.Floor(v/d.XBin+1e-9) * d.XBin)
	}
	return row.Get(d.X)
}

// rounded returns v with nine digits, so that multiples of 0.1 are short.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 9, 64), 64) // always a number
	return v
}

// byNumber compares cells that are numbers; others are equal.
func byNumber(a, b any) int {
	x, _ := rows.AsNumber(a)
	y, _ := rows.AsNumber(b)
	return cmp.Compare(x, y)
}

// mostNarrow is the largest number of lines for which a legend has room above a panel of a single column.
const mostNarrow = 12

// arrange sets the grid of panels. Only axes at the outer sides have labels.
func (d *Drawing) arrange(panels []plot.Panel) {
	number := len(panels)
	d.Figure = plot.Plot{Title: d.Title, SharedAxes: !d.Stack, SharedX: d.Stack,
		SharedLegend: number > 1 && (d.LegendPlace == plot.Auto || d.LegendPlace == plot.Above)}
	if number > 1 && !d.Stack || d.categories() && len(d.xs)*len(d.lines) > 16 || len(d.lines) > mostNarrow {
		d.Figure.Columns = plot.Double
	}
	columns := [MostFacets + 1]int{0, 1, 2, 3, 2, 3, 3, 4, 4, 3, 4, 4, 4}[min(number, MostFacets)]
	if d.Stack {
		columns, d.Figure.Height = 1, 0.7+0.9*float64(number) // inches
	}
	for i := range panels {
		p := &panels[i]
		p.Legend = d.LegendPlace
		if i%columns > 0 {
			p.YLabel = ""
		}
		if i+columns < number {
			p.XLabel = ""
		}
		if (i+1)%columns > 0 {
			p.ZLabel = ""
		}
	}
	d.Figure.Panels = slices.Collect(slices.Chunk(panels, columns))
}

// categories reports whether the values of --x are drawn as categories, equally spaced in their order.
func (d *Drawing) categories() bool { return d.Kind == BarPlot || d.Kind == HeatPlot }

// shared reports whether all rows of a line share one place.
func (d *Drawing) shared() bool { return d.Kind == CdfPlot || d.Kind == PointPlot }

// adds reports whether the cells of a heat map add up their rows.
func (d *Drawing) adds() bool { return d.Kind == HeatPlot && (d.Total || d.Value == rowsKey) }

// setPlaces finds the lines and the places of rows. Two rows at the same place are an error, unless they
// are from different files: then each file has its own lines.
func (d *Drawing) setPlaces(files int) error {
	a, b, clash := d.clash()
	if clash && files > 1 && d.Kind != HeatPlot && d.By != rows.FileKey && d.Facet != rows.FileKey {
		d.perFile = true
		a, b, clash = d.clash()
	}
	if clash {
		return d.clashError(a, b)
	}
	for _, row := range d.rows {
		if key := d.placeOf(row).line; !slices.Contains(d.lines, key) {
			d.lines = append(d.lines, key)
		}
	}
	if d.RatioTo != "" && !slices.ContainsFunc(d.lines, d.isBase) {
		allowed := values.Texts(d.values(d.By))
		return console.Usagef("--ratio-to (a value of --by): %q %s", d.RatioTo, values.MustBeOneOf(d.RatioTo, allowed))
	}
	return nil
}

// isBase reports whether --ratio-to names the line, with or without blanks between the values of several columns.
func (d *Drawing) isBase(key lineKey) bool {
	unspaced := func(text string) string { return strings.ReplaceAll(text, ", ", ",") }
	return d.RatioTo != "" && unspaced(cellText(key.by)) == unspaced(d.RatioTo)
}

// base returns the value of --by that --ratio-to names.
func (d *Drawing) base() any { return d.lines[slices.IndexFunc(d.lines, d.isBase)].by }

// placeOf returns the place of a row.
func (d *Drawing) placeOf(row rows.Row) place {
	p := place{line: lineKey{by: row.Get(d.By)}, facet: row.Get(d.Facet)}
	if d.perFile {
		p.line.file = row.Get(rows.FileKey)
	}
	if !d.shared() {
		p.x = d.across(row)
	}
	if d.Kind == HeatPlot {
		p.y = row.Get(d.Y)
	}
	return p
}

// clash sets the places and returns two rows with the same place, if there are any. In distributions and
// point plots all rows of a line share a place, so only rows of two files clash.
func (d *Drawing) clash() (a, b rows.Row, clash bool) {
	d.places = map[place]rows.Row{}
	for _, row := range d.rows {
		p := d.placeOf(row)
		before, twice := d.places[p]
		if twice && !d.adds() && (!d.shared() || before.Table != row.Table) {
			return before, row, true
		}
		d.places[p] = row
	}
	return a, b, false
}

// clashError says how rows at the same place can be told apart.
func (d *Drawing) clashError(a, b rows.Row) error {
	flag, advice := "by", "give --%s a column that tells them apart"
	if d.By != "" || d.Kind == HeatPlot {
		flag = "facet"
	}
	keys := a.Table.PointKeys()
	if a.Table.Model.Name == "" { // a CSV file, of which only the columns of the plot were read
		a, b = d.whole(a), d.whole(b)
		keys = frame.Keys(a.Table.Columns)
	}
	for _, key := range keys {
		if a.Get(key) != b.Get(key) {
			advice = "sweep fewer parameters, or give --%s " + key + ", in which they differ"
			break
		}
	}
	return console.Usagef("--%s: several rows have %s = %s: "+advice, flag, d.X, cellText(a.Get(d.X)), flag)
}

// whole returns a row of a CSV file with all columns of the file, or the row as it is if the file has changed.
func (d *Drawing) whole(row rows.Row) rows.Row {
	at := slices.IndexFunc(row.Table.Rows, func(r rows.Row) bool { return &r.Cells[0] == &row.Cells[0] })
	t, err := rows.ReadAny(context.Background(), nil, row.Table.Path, io.Discard)
	if err != nil || Select([]*rows.Table{t}, d.Where) != nil || len(t.Rows) != len(row.Table.Rows) {
		return row
	}
	return t.Rows[at]
}

// setNames reads --legend and --colors.
func (d *Drawing) setNames() (err error) {
	lines := slices.Concat(d.values(d.By), d.values(rows.FileKey))
	if keys := d.lineKeys(); len(keys) > 1 {
		for _, key := range keys {
			lines = append(lines, d.values(key)...)
		}
	}
	named := slices.Concat(lines, d.values(d.Facet))
	if d.categories() {
		named = slices.Concat(named, d.xs, d.ys)
	}
	if d.names, err = namesFor("legend", d.Legend, named); err != nil {
		return err
	}
	colors, err := namesFor("colors", d.Colors, lines)
	d.inks = map[string]color.RGBA{}
	for value, name := range colors {
		var known bool
		if d.inks[value], known = plot.InkNamed(name); !known {
			return console.Usagef("--colors: %q must be #rrggbb or one of SVG's names, such as royalblue", name)
		}
	}
	return err
}

// namesFor reads the text VALUE=NAME,... of a flag. The values are values of a table and may hold commas
// and equals signs, as values of --failure do.
func namesFor(flag, text string, cells []any) (map[string]string, error) {
	cells = lists.Where(cells, func(v any) bool { return v != nil })
	first := func(text string) (value string) { // the longest value with which text begins, followed by =
		for _, v := range cells {
			if v := cellText(v); strings.HasPrefix(text, v+"=") && len(v) > len(value) {
				value = v
			}
		}
		return value
	}
	names := map[string]string{}
	for rest := text; rest != ""; {
		value := first(rest)
		name := strings.TrimPrefix(rest, value+"=")
		end := 0
		for end < len(name) && (name[end] != ',' || first(name[end+1:]) == "") {
			end++
		}
		if value == "" || strings.Contains(name[:end], "=") {
			return nil, console.Usagef("--%s: %q must be VALUE=NAME,...; the values are %s", flag, text, strings.Join(values.Texts(cells), ", "))
		}
		names[value], rest = name[:end], strings.TrimPrefix(name[end:], ",")
	}
	return names, nil
}

// panel draws the rows with the given value of --facet.
func (d *Drawing) panel(facet any) (p plot.Panel, err error) {
	p.XLabel, p.YLabel = cmp.Or(d.XLabel, metric.AxisLabel(d.model(), d.X)), cmp.Or(d.YLabel, d.quantity())
	p.X, p.Y = plot.Axis{Min: d.Ends[0], Max: d.Ends[1]}, plot.Axis{Min: d.Ends[2], Max: d.Ends[3]}
	p.X.Scale, p.Y.Scale, p.Z.Scale = d.scale(d.LogX, d.X), d.scale(d.LogY, ""), d.scale(d.LogValue, "")
	if d.Facet != "" {
		p.Title = d.name(d.Facet, facet)
	}
	if d.Facet == rows.QuantityKey && d.Stack {
		p.Title, p.YLabel = metric.AxisLabel(d.model(), p.Title), d.YLabel
	}
	if d.Kind == BarPlot && d.LogY {
		if p.Origin = 1; d.RatioTo == "" {
			p.Origin = *d.Ends[2] // check requires it
		}
	}
	if d.categories() {
		p.X.Ticks, p.X.TickLabels = d.ticks(d.xs)
	} else if p.X.Origin = metric.OriginOf(d.X); d.RatioTo == "" { // a ratio to another line has no least value
		p.Y.Origin = metric.OriginOf(d.Y)
	}
	if d.Kind == LinePlot || d.Kind == PointPlot {
		p.X.Few = d.few()
	}
	draw := d.curve
	switch d.Kind {
	case CdfPlot:
		if draw, p.Y.Max = d.distribution, new(1.0); !d.LogY {
			p.Y.Min = new(0.0)
		}
	case PointPlot:
		draw = d.points
	case HeatPlot:
		draw, p.ZLabel = d.cells, metric.AxisLabel(d.model(), d.Value)
		p.Y.Ticks, p.Y.TickLabels = d.ticks(d.ys)
	}
	for _, key := range d.lines {
		s, err := draw(place{line: key, facet: facet})
		if err != nil {
			return p, err
		}
		if len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	if p.Series == nil {
		return p, console.Usagef("--x: %q must be a column with numbers", d.X)
	}
	return p, nil
}

// mostMarked is the largest number of values of --x that are all marked on the axis.
const mostMarked = 8

// few returns the numbers of --x if they are few.
func (d *Drawing) few() (list []float64) {
	if len(d.xs) > mostMarked {
		return nil
	}
	for _, v := range d.xs {
		if x, is := rows.AsNumber(v); is {
			list = append(list, x)
		}
	}
	return list
}

// model returns the name of the first table's model, empty for a CSV file.
func (d *Drawing) model() string { return d.rows[0].Table.Model.Name }

// quantity returns the label of the vertical axis.
func (d *Drawing) quantity() string {
	switch {
	case d.Kind == CdfPlot && d.LogY:
		return "Share above"
	case d.Kind == CdfPlot:
		return "Cumulative share"
	case d.RatioTo != "":
		name, _ := metric.QuantityOf(d.Y)
		return name + " relative to " + d.name(d.By, d.base())
	}
	return metric.AxisLabel(d.model(), d.Y)
}

// scale returns the scale of an axis. A logarithmic scale has base 2 if all values of the column are
// powers of two.
func (d *Drawing) scale(logarithmic bool, key string) plot.Scale {
	if !logarithmic {
		return plot.Linear
	}
	for _, row := range d.rows {
		v, ok := row.Number(key)
		if fraction, _ := math.Frexp(v); !ok || fraction != 0.5 && v != 0 {
			return plot.Log10
		}
	}
	return plot.Log2
}

// ticks returns the ticks of an axis of categories, at most 24 of them.
func (d *Drawing) ticks(values []any) (at []float64, labels []string) {
	for i := 0; i < len(values); i += 1 + (len(values)-1)/24 {
		at, labels = append(at, float64(i)), append(labels, d.rename(cellText(values[i])))
	}
	return at, labels
}

// values returns the distinct values of a column in the order of the rows, or nil without a column.
func (d *Drawing) values(key string) []any { return valuesOf(key, d.rows) }

// valuesOf returns the distinct values of a column in the given rows, in their order, or nil without a
// column.
func valuesOf(key string, among []rows.Row) (list []any) {
	seen := map[any]bool{}
	for _, row := range among {
		if v := row.Get(key); !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

// name returns the name of a value of a column: the name from --legend, or the text of the value. Numbers
// are preceded by the column.
func (d *Drawing) name(key string, cell any) string {
	text := cellText(cell)
	renamed := d.rename(text)
	parts := d.parts(key, cell)
	if renamed == text && parts != nil {
		names := lists.Map(d.lineKeys(), func(part string) string { name := d.name(part, parts[0]); parts = parts[1:]; return name })
		return strings.Join(names, ", ")
	}
	if _, isText := cell.(string); isText || renamed != text {
		return renamed
	}
	quantity, unit := metric.QuantityOf(key)
	return strings.TrimSpace(quantity + " = " + text + " " + unit)
}

// parts returns the cells of several columns of --by that a value of all of them joins, or nil if it joins none.
func (d *Drawing) parts(key string, cell any) []any {
	if keys := d.lineKeys(); key == d.By && len(keys) > 1 {
		at := slices.IndexFunc(d.rows, func(row rows.Row) bool { return row.Get(key) == cell })
		return d.rows[at].Pick(keys)
	}
	return nil
}

// rename returns the name that --legend gives to the text of a value, or the text.
func (d *Drawing) rename(text string) string { return cmp.Or(d.names[text], text) }

// cellText writes a cell for people.
func cellText(cell any) string {
	if cell == nil {
		return "-"
	}
	return fmt.Sprint(cell)
}

// note counts a point from which something is omitted.
func (d *Drawing) note(text string) {
	i := slices.IndexFunc(d.omissions, func(l omission) bool { return l.text == text })
	if i < 0 {
		i = len(d.omissions)
		d.omissions = append(d.omissions, omission{text: text})
	}
	d.omissions[i].points++
}

// Warnings reports the omissions: the number of points and the reason.
func (d *Drawing) Warnings() []string {
	return lists.Map(d.omissions, func(l omission) string { return fmt.Sprintf("%d of %d %s", l.points, len(d.rows), l.text) })
}
