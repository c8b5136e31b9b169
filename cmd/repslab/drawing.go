package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/plot"
	"repslab/mc"
)

// drawing is a plot of the rows of some tables.
type drawing struct {
	*plotFlags
	figure     plot.Plot
	rows       []record
	perFile    bool              // lines of different files are apart
	lines      []lineKey         // of all panels, in the order of the legend
	across, up *categories       // of --x and --y, where their values are categories
	names      map[string]string // of --legend

	few, unknown, alone, missing int // for the warnings
}

// lineKey identifies a line by the value of --by and, where lines of files are apart, the file.
type lineKey struct{ by, file any }

// mostFacets is the largest number of panels.
const mostFacets = 12

// newDrawing returns the plot of tables that have the columns.
func newDrawing(f *plotFlags, tables []*storedTable) (*drawing, error) {
	d := &drawing{plotFlags: f}
	for _, t := range tables {
		d.rows = append(d.rows, t.rows...)
	}
	if err := cmp.Or(d.setLines(tables), d.setNames()); err != nil {
		return nil, err
	}
	if f.kind == barPlot || f.kind == heatPlot {
		d.across = d.categories(f.x)
	}
	if f.kind == heatPlot {
		d.up = d.categories(f.y)
	}
	facets := d.values(f.facet)
	if len(facets) > mostFacets {
		return nil, usagef("--facet: %s has %d values, but there are at most %d panels", f.facet, len(facets), mostFacets)
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

// arrange sets the grid of panels, whose axes have labels at the outer sides.
func (d *drawing) arrange(panels []plot.Panel) {
	number := len(panels)
	d.figure = plot.Plot{Title: d.title, SharedAxes: true, SharedLegend: number > 1}
	if number > 1 || d.across != nil && len(d.across.places)*max(1, len(d.lines)) > 16 {
		d.figure.Columns = plot.Double
	}
	if d.yZero {
		showZero(panels)
	}
	columns := [mostFacets + 1]int{0, 1, 2, 3, 2, 3, 3, 4, 4, 3, 4, 4, 4}[number]
	for i := range panels {
		if i%columns > 0 {
			panels[i].YLabel = ""
		}
		if i+columns < number {
			panels[i].XLabel = ""
		}
		if (i+1)%columns > 0 {
			panels[i].ZLabel = ""
		}
	}
	d.figure.Panels = slices.Collect(slices.Chunk(panels, columns))
}

// showZero gives panels with shared axes a vertical axis with 0.
func showZero(panels []plot.Panel) {
	negative, positive := false, false
	for _, p := range panels {
		for _, s := range p.Series {
			negative = negative || slices.ContainsFunc(s.Y, func(y float64) bool { return y < 0 })
			positive = positive || slices.ContainsFunc(s.Y, func(y float64) bool { return y > 0 })
		}
	}
	for i := range panels {
		switch y := &panels[i].Y; {
		case !negative:
			y.Min = new(0.0)
		case !positive:
			y.Max = new(0.0)
		}
	}
}

// setLines finds the lines. Rows at the same place of a line are an error;
// lines of files that share a place are apart.
func (d *drawing) setLines(tables []*storedTable) error {
	a, b, clash := d.clash()
	if clash && len(tables) > 1 && d.kind != heatPlot && d.by != fileKey && d.facet != fileKey {
		d.perFile = true
		a, b, clash = d.clash()
	}
	if clash {
		return d.clashError(a, b)
	}
	for _, row := range d.rows {
		if key := d.lineOf(row); !slices.Contains(d.lines, key) {
			d.lines = append(d.lines, key)
		}
	}
	isBase := func(key lineKey) bool { return cellText(key.by) == d.ratioTo }
	if d.ratioTo != "" && !slices.ContainsFunc(d.lines, isBase) {
		return usagef("--ratio-to: %q must be a value of --by: %s", d.ratioTo, list(d.values(d.by)))
	}
	return nil
}

// setNames reads --legend. Values may hold commas and equals signs, as those of --failure do.
func (d *drawing) setNames() error {
	keys := []string{d.by, d.facet, fileKey}
	switch d.kind {
	case barPlot:
		keys = append(keys, d.x)
	case heatPlot:
		keys = append(keys, d.x, d.y)
	}
	var values []string
	for _, key := range keys {
		for _, v := range d.values(key) {
			if v != nil {
				values = append(values, cellText(v))
			}
		}
	}
	first := func(text string) (value string) { // the longest that text begins with, followed by =
		for _, v := range values {
			if strings.HasPrefix(text, v+"=") && len(v) > len(value) {
				value = v
			}
		}
		return value
	}
	d.names = map[string]string{}
	for rest := d.legend; rest != ""; {
		value := first(rest)
		name := strings.TrimPrefix(rest, value+"=")
		end := 0
		for end < len(name) && (name[end] != ',' || first(name[end+1:]) == "") {
			end++
		}
		if value == "" || strings.Contains(name[:end], "=") {
			return usagef("--legend: %q must be VALUE=NAME,...; the values are %s", d.legend, strings.Join(values, ", "))
		}
		d.names[value], rest = name[:end], strings.TrimPrefix(name[end:], ",")
	}
	return nil
}

// lineOf returns the line of a row.
func (d *drawing) lineOf(row record) lineKey {
	key := lineKey{by: row.get(d.by)}
	if d.perFile {
		key.file = row.get(fileKey)
	}
	return key
}

// clash returns two rows at the same place of a line, if there are any: in a distribution, where rows of
// a file have no place, rows of two files.
func (d *drawing) clash() (a, b record, clash bool) {
	type place struct {
		line        lineKey
		facet, x, y any
	}
	seen := map[place]record{}
	for _, row := range d.rows {
		p := place{line: d.lineOf(row), facet: row.get(d.facet)}
		if d.kind != cdfPlot {
			p.x = row.get(d.x)
		}
		if d.kind == heatPlot {
			p.y = row.get(d.y)
		}
		before, twice := seen[p]
		if twice && (d.kind != cdfPlot || before.table != row.table) {
			return before, row, true
		}
		seen[p] = row
	}
	return a, b, false
}

// clashError says how rows at the same place can be told apart.
func (d *drawing) clashError(a, b record) error {
	flag := "by"
	if d.by != "" || d.kind == heatPlot {
		flag = "facet"
	}
	for _, key := range a.table.pointKeys() {
		if a.get(key) != b.get(key) {
			return usagef("--%s: several rows have %s = %s and differ in %s: sweep fewer parameters, or give --%s %s",
				flag, d.x, cellText(a.get(d.x)), key, flag, key)
		}
	}
	return usagef("--%s: several rows have %s = %s: give --%s a column that tells them apart",
		flag, d.x, cellText(a.get(d.x)), flag)
}

// panel draws the rows with a value of --facet.
func (d *drawing) panel(facet any) (p plot.Panel, err error) {
	var rows []record
	for _, row := range d.rows {
		if row.get(d.facet) == facet {
			rows = append(rows, row)
		}
	}
	p.XLabel, p.YLabel = cmp.Or(d.xLabel, axisLabel(d.x)), cmp.Or(d.yLabel, axisLabel(d.y))
	if d.facet != "" {
		p.Title = d.name(d.facet, facet)
	}
	p.X.Scale, p.Y.Scale, p.Z.Scale = d.scale(d.logX, d.x), d.scale(d.logY, ""), d.scale(d.logValue, "")
	switch d.kind {
	case cdfPlot:
		p.YLabel, p.Y.Min, p.Y.Max = cmp.Or(d.yLabel, "Cumulative share"), new(0.0), new(1.0)
		p.Series, err = d.distributions(rows)
	case heatPlot:
		p.X.Ticks, p.X.TickLabels = d.across.ticks()
		p.Y.Ticks, p.Y.TickLabels = d.up.ticks()
		p.ZLabel = axisLabel(d.value)
		p.Series, err = d.cells(rows)
	case barPlot:
		p.X.Ticks, p.X.TickLabels = d.across.ticks()
		p.Series, err = d.curves(rows)
	default:
		p.Series, err = d.curves(rows)
	}
	if d.ratioTo != "" && d.yLabel == "" {
		name, _ := quantityOf(d.y)
		p.YLabel = name + " relative to " + d.rename(d.ratioTo)
	}
	return p, err
}

// scale returns the scale of an axis: a logarithmic one of powers of two where all values of a
// column are.
func (d *drawing) scale(logarithmic bool, key string) plot.Scale {
	if !logarithmic {
		return plot.Linear
	}
	for _, row := range d.rows {
		v, ok := row.number(key)
		if fraction, _ := math.Frexp(v); !ok || fraction != 0.5 {
			return plot.Log10
		}
	}
	return plot.Log2
}

// curves returns the lines or the bars of a panel.
func (d *drawing) curves(rows []record) (list []plot.Series, err error) {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b record) int {
		x, _ := a.number(d.x)
		other, _ := b.number(d.x)
		return cmp.Compare(x, other)
	})
	type place struct{ file, x any }
	bases := map[place]mean{} // of --ratio-to
	for _, row := range rows {
		if key := d.lineOf(row); d.ratioTo != "" && cellText(key.by) == d.ratioTo {
			if bases[place{key.file, row.get(d.x)}], err = d.mean(row); err != nil {
				return nil, err
			}
		}
	}
	for _, key := range d.lines {
		s, intervals := d.series(key, plot.LinePoints), false
		itself := d.ratioTo != "" && cellText(key.by) == d.ratioTo
		for _, row := range rows {
			if d.lineOf(row) != key {
				continue
			}
			m, errY := d.mean(row)
			x, errX := d.place(row)
			if err := cmp.Or(errX, errY); err != nil {
				return nil, err
			}
			if math.IsNaN(m.value) {
				d.missing++
			}
			lacks := []mean{m}
			if d.ratioTo != "" {
				base := bases[place{key.file, row.get(d.x)}]
				m, lacks = d.over(m, base, itself), append(lacks, base)
			}
			d.count(lacks)
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, m.value), append(s.Lo, m.lo), append(s.Hi, m.hi)
			intervals = intervals || !itself && row.table.has(standardErrorOf(d.y))
		}
		if !intervals {
			s.Lo, s.Hi = nil, nil
		}
		if d.kind == barPlot {
			s.Mark = plot.Bars
			d.across.complete(&s)
		}
		if len(s.X) > 0 {
			list = append(list, s)
		}
	}
	return list, nil
}

// series returns an empty series of a line. Balancers have their colours; in further files these are
// hollow.
func (d *drawing) series(key lineKey, mark plot.Mark) plot.Series {
	s := plot.Series{Mark: mark, Color: plot.BalancerColor(strings.ToLower(cellText(key.by)))}
	switch {
	case d.by == "" && d.perFile:
		s.Name = d.name(fileKey, key.file)
	case d.by == "":
	case d.perFile:
		s.Name = d.name(d.by, key.by) + " (" + d.name(fileKey, key.file) + ")"
		for range slices.Index(d.values(fileKey), key.file) * min(1, int(s.Color)) {
			s.Color = s.Color.Hollow()
		}
	default:
		s.Name = d.name(d.by, key.by)
	}
	return s
}

// mean is the value of a row with its interval, whose ends are NaN if there is none.
type mean struct {
	value, lo, hi float64
	stdErr        float64 // 0 for an exact result, NaN where it is not known well enough
	runs          float64 // +Inf for an exact result, NaN if unknown
}

// count counts a point whose interval lacks runs in one of some means.
func (d *drawing) count(means []mean) {
	for _, m := range means {
		switch {
		case math.IsNaN(m.value) || !math.IsNaN(m.stdErr):
		case math.IsNaN(m.runs):
			d.unknown++
			return
		case m.runs < plot.LeastRuns:
			d.few++
			return
		}
	}
}

// mean returns the value of --y in a row.
func (d *drawing) mean(row record) (mean, error) {
	y, err := coordinate(row, "y", d.y, d.logY)
	m := mean{value: y, lo: math.NaN(), hi: math.NaN(), runs: math.Inf(1)}
	if err != nil || !row.table.has(standardErrorOf(d.y)) {
		return m, err
	}
	stdErr, estimated := row.number(standardErrorOf(d.y))
	runs, known := row.runs(d.y)
	switch {
	case !known:
		m.stdErr, m.runs = math.NaN(), math.NaN()
	case estimated && stdErr >= 0 && runs >= plot.LeastRuns:
		m.stdErr, m.runs = stdErr, float64(runs)
		m.lo, m.hi = mc.StudentInterval(y, stdErr, runs, mc.DefaultConfidence)
	case runs > 0:
		m.stdErr, m.runs = math.NaN(), float64(runs)
	}
	return m, nil
}

// over returns the ratio of two means of independent runs with the interval of [mc.WelchRatio]. That of a
// mean to itself is 1.
func (d *drawing) over(m, base mean, itself bool) mean {
	ratio := mean{value: m.value / base.value, lo: math.NaN(), hi: math.NaN()}
	switch {
	case base.value == 0 || math.IsNaN(base.value): // no row or no number
		ratio.value = math.NaN()
		if !math.IsNaN(m.value) {
			d.alone++
		}
	case !itself && m.value > 0 && base.value > 0 && m.stdErr+base.stdErr > 0: // not NaN
		ratio.lo, ratio.hi = mc.WelchRatio(m.value, m.stdErr, m.runs, base.value, base.stdErr, base.runs)
	}
	return ratio
}

// standardErrorOf returns the key of the standard error of a column, by the rule of
// the keys: rounds_mean has rounds_se, and max_fct_us has max_fct_us_se.
func standardErrorOf(key string) string {
	return strings.TrimSuffix(key, "_mean") + "_se"
}

// distributions returns the share of the rows of each line whose --x is at most a value. A row without
// one is larger than all others.
func (d *drawing) distributions(rows []record) (list []plot.Series, err error) {
	for _, key := range d.lines {
		s := d.series(key, plot.Steps)
		var values []float64
		total := 0
		for _, row := range rows {
			if d.lineOf(row) != key {
				continue
			}
			total++
			if row.get(d.x) == nil {
				d.missing++
				continue
			}
			v, err := coordinate(row, "x", d.x, d.logX)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		slices.Sort(values)
		for i, v := range values {
			if i == 0 {
				s.X, s.Y = append(s.X, v), append(s.Y, 0)
			}
			if i+1 == len(values) || values[i+1] > v {
				s.X, s.Y = append(s.X, v), append(s.Y, float64(i+1)/float64(total))
			}
		}
		if len(s.X) > 0 {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil, usagef("--x: %q must be a column with numbers", d.x)
	}
	return list, nil
}

// cells returns the cells of a heat map.
func (d *drawing) cells(rows []record) ([]plot.Series, error) {
	s := plot.Series{Mark: plot.Cells}
	for _, row := range rows {
		v, err := coordinate(row, "value", d.value, d.logValue)
		if err != nil {
			return nil, err
		}
		s.X, s.Y = append(s.X, d.across.places[row.get(d.x)]), append(s.Y, d.up.places[row.get(d.y)])
		s.Z = append(s.Z, v)
	}
	return []plot.Series{s}, nil
}

// place returns where a row is on the horizontal axis.
func (d *drawing) place(row record) (float64, error) {
	if d.across != nil {
		return d.across.places[row.get(d.x)], nil
	}
	return coordinate(row, "x", d.x, d.logX)
}

// coordinate returns the cell of a row on an axis, which is "x", "y" or "value"; NaN for null but on x.
func coordinate(row record, axis, key string, logarithmic bool) (float64, error) {
	v, ok := row.number(key)
	switch {
	case !ok && axis != "x" && row.get(key) == nil:
		return math.NaN(), nil
	case !ok && axis == "x":
		return 0, usagef("--x: %q must be a column of numbers, but it has %s; --kind bar takes texts",
			key, cellText(row.get(key)))
	case !ok:
		return 0, usagef("--%s: %q must be a column of numbers, but it has %s", axis, key, cellText(row.get(key)))
	case logarithmic && v <= 0:
		return 0, usagef("--log-%s: %s must be positive, but it is %v", axis, key, v)
	}
	return v, nil
}

// categories places the values of a column at 0, 1 and so on: numbers in their order, others as
// they come.
type categories struct {
	places map[any]float64
	labels []string
}

// categories returns the categories of a column.
func (d *drawing) categories(key string) *categories {
	values := d.values(key)
	number := func(v any) float64 { f, _ := asNumber(v); return f }
	slices.SortStableFunc(values, func(a, b any) int { return cmp.Compare(number(a), number(b)) })
	c := &categories{places: map[any]float64{}}
	for i, v := range values {
		c.places[v] = float64(i)
		c.labels = append(c.labels, d.rename(cellText(v)))
	}
	return c
}

// ticks returns the ticks of an axis of categories, at most 24 of them.
func (c *categories) ticks() (at []float64, labels []string) {
	for i := 0; i < len(c.labels); i += 1 + (len(c.labels)-1)/24 {
		at, labels = append(at, float64(i)), append(labels, c.labels[i])
	}
	return at, labels
}

// complete gives bars their places also where there is none, so that those of all lines are in the
// same order everywhere.
func (c *categories) complete(s *plot.Series) {
	for i := range c.labels {
		if slices.Contains(s.X, float64(i)) {
			continue
		}
		s.X, s.Y = append(s.X, float64(i)), append(s.Y, math.NaN())
		if s.Lo != nil {
			s.Lo, s.Hi = append(s.Lo, math.NaN()), append(s.Hi, math.NaN())
		}
	}
}

// values returns the values of a column, each once, as they come; of no column it is nil.
func (d *drawing) values(key string) (list []any) {
	seen := map[any]bool{}
	for _, row := range d.rows {
		if v := row.get(key); !seen[v] {
			seen[v] = true
			list = append(list, v)
		}
	}
	return list
}

// name returns the name of a value of a column: its text or the one that --legend gives; numbers
// are preceded by the column.
func (d *drawing) name(key string, cell any) string {
	text := cellText(cell)
	renamed := d.rename(text)
	if _, isText := cell.(string); isText || renamed != text {
		return renamed
	}
	quantity, unit := quantityOf(key)
	return strings.TrimSpace(quantity + " = " + text + " " + unit)
}

// rename returns the name that --legend gives to the text of a value, or the text.
func (d *drawing) rename(text string) string { return cmp.Or(d.names[text], text) }

// cellText writes a cell for people.
func cellText(cell any) string {
	if cell == nil {
		return "-"
	}
	return fmt.Sprint(cell)
}

// warnings says how many points lack something, and why; exact results need no interval.
func (d *drawing) warnings() (list []string) {
	warn := func(number int, text, reason string) {
		if number > 0 {
			list = append(list, fmt.Sprintf("%d of %d "+text+": %s", number, len(d.rows), reason))
		}
	}
	warn(d.few, "points have no interval of "+d.y, "fewer than three runs give none")
	warn(d.unknown, "points have no interval of "+d.y, "the file does not say how many runs finished")
	warn(d.alone, "points are left out", d.ratioTo+" has no value there to divide by")
	if d.kind == cdfPlot {
		warn(d.missing, "points have no "+d.x, "they count as larger than all others")
	} else {
		warn(d.missing, "points have no "+d.y, "they are left out")
	}
	return list
}
