package main

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/values"
	"repslab/mc"
)

// drawing is a plot of the rows of some tables.
type drawing struct {
	*plotFlags
	figure  plot.Plot
	rows    []record
	perFile bool                  // lines of different files are apart
	places  map[place]record      // not of distributions
	lines   []lineKey             // of all panels, in the order of the legend
	xs, ys  []any                 // the values of --x and --y, in order
	names   map[string]string     // of --legend
	inks    map[string]color.RGBA // of --colors
	lacks   []omission
}

// lineKey identifies a line by the value of --by and, where lines of files are apart, the file.
type lineKey struct{ by, file any }

// place is where a row is drawn. y is nil but in heat maps.
type place struct {
	line        lineKey
	facet, x, y any
}

// omission is a reason why points are drawn without something, and the number of these points.
type omission struct {
	text   string
	points int
}

// mostFacets is the largest number of panels.
const mostFacets = 12

// newDrawing returns the plot of tables that have the columns.
func newDrawing(f *plotFlags, tables []*storedTable) (*drawing, error) {
	d := &drawing{plotFlags: f}
	d.rows = allRows(tables)
	if f.kind != cdfPlot {
		d.xs, d.ys = d.values(f.x), d.values(f.y)
	}
	slices.SortStableFunc(d.xs, byNumber)
	slices.SortStableFunc(d.ys, byNumber)
	if err := cmp.Or(d.setPlaces(len(tables)), d.setNames()); err != nil {
		return nil, err
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

// byNumber compares cells that are numbers.
func byNumber(a, b any) int {
	x, _ := asNumber(a)
	y, _ := asNumber(b)
	return cmp.Compare(x, y)
}

// arrange sets the grid of panels, whose axes have labels at the outer sides.
func (d *drawing) arrange(panels []plot.Panel) {
	number := len(panels)
	d.figure = plot.Plot{Title: d.title, SharedAxes: true,
		SharedLegend: number > 1 && (d.legendPlace == plot.Auto || d.legendPlace == plot.Above)}
	if number > 1 || d.categories() && len(d.xs)*len(d.lines) > 16 {
		d.figure.Columns = plot.Double
	}
	columns := [mostFacets + 1]int{0, 1, 2, 3, 2, 3, 3, 4, 4, 3, 4, 4, 4}[number]
	for i := range panels {
		p := &panels[i]
		p.Legend = d.legendPlace
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
	d.figure.Panels = slices.Collect(slices.Chunk(panels, columns))
}

// categories reports whether the values of --x are equally spaced, in their order.
func (d *drawing) categories() bool { return d.kind == barPlot || d.kind == heatPlot }

// setPlaces finds the lines and the places of rows. Two rows at a place are an error, unless they
// are of different files: then the lines of files are apart.
func (d *drawing) setPlaces(files int) error {
	a, b, clash := d.clash()
	if clash && files > 1 && d.kind != heatPlot && d.by != fileKey && d.facet != fileKey {
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
	if d.ratioTo != "" && !slices.ContainsFunc(d.lines, d.isBase) {
		allowed := values.Texts(d.values(d.by))
		return usagef("--ratio-to (a value of --by): %q %s", d.ratioTo, values.MustBeOneOf(d.ratioTo, allowed))
	}
	return nil
}

// isBase reports whether a line is one that --ratio-to names.
func (d *drawing) isBase(key lineKey) bool { return d.ratioTo != "" && cellText(key.by) == d.ratioTo }

// base returns the value of --by that --ratio-to names.
func (d *drawing) base() any { return d.lines[slices.IndexFunc(d.lines, d.isBase)].by }

// placeOf returns the place of a row.
func (d *drawing) placeOf(row record) place {
	p := place{line: lineKey{by: row.get(d.by)}, facet: row.get(d.facet)}
	if d.perFile {
		p.line.file = row.get(fileKey)
	}
	if d.kind != cdfPlot {
		p.x = row.get(d.x)
	}
	if d.kind == heatPlot {
		p.y = row.get(d.y)
	}
	return p
}

// clash sets the places and returns two rows at the same one, if there are any: in a distribution, whose rows
// are all at the place of their line, rows of two files.
func (d *drawing) clash() (a, b record, clash bool) {
	d.places = map[place]record{}
	for _, row := range d.rows {
		p := d.placeOf(row)
		before, twice := d.places[p]
		if twice && (d.kind != cdfPlot || before.table != row.table) {
			return before, row, true
		}
		d.places[p] = row
	}
	return a, b, false
}

// clashError says how rows at the same place can be told apart.
func (d *drawing) clashError(a, b record) error {
	flag, advice := "by", "give --%s a column that tells them apart"
	if d.by != "" || d.kind == heatPlot {
		flag = "facet"
	}
	for _, key := range a.table.pointKeys() {
		if a.get(key) != b.get(key) {
			advice = "sweep fewer parameters, or give --%s " + key + ", in which they differ"
			break
		}
	}
	return usagef("--%s: several rows have %s = %s: "+advice, flag, d.x, cellText(a.get(d.x)), flag)
}

// setNames reads --legend and --colors.
func (d *drawing) setNames() (err error) {
	lines := slices.Concat(d.values(d.by), d.values(fileKey))
	named := slices.Concat(lines, d.values(d.facet))
	if d.categories() {
		named = slices.Concat(named, d.xs, d.ys)
	}
	if d.names, err = namesFor("legend", d.legend, named); err != nil {
		return err
	}
	colors, err := namesFor("colors", d.colors, lines)
	d.inks = map[string]color.RGBA{}
	for value, name := range colors {
		var known bool
		if d.inks[value], known = plot.InkNamed(name); !known {
			return usagef("--colors: %q must be #rrggbb or one of SVG's names, such as royalblue", name)
		}
	}
	return err
}

// namesFor reads the text VALUE=NAME,... of a flag, whose values, those of a table, may hold commas and
// equals signs, as those of --failure do.
func namesFor(flag, text string, cells []any) (map[string]string, error) {
	cells = slices.DeleteFunc(slices.Clone(cells), func(v any) bool { return v == nil })
	first := func(text string) (value string) { // the longest that text begins with, followed by =
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
			return nil, usagef("--%s: %q must be VALUE=NAME,...; the values are %s", flag, text, list(cells))
		}
		names[value], rest = name[:end], strings.TrimPrefix(name[end:], ",")
	}
	return names, nil
}

// panel draws the rows with a value of --facet.
func (d *drawing) panel(facet any) (p plot.Panel, err error) {
	p.XLabel, p.YLabel = cmp.Or(d.xLabel, axisLabel(d.x)), cmp.Or(d.yLabel, d.quantity())
	p.X, p.Y = plot.Axis{Min: d.ends[0], Max: d.ends[1]}, plot.Axis{Min: d.ends[2], Max: d.ends[3]}
	p.X.Scale, p.Y.Scale, p.Z.Scale = d.scale(d.logX, d.x), d.scale(d.logY, ""), d.scale(d.logValue, "")
	if d.facet != "" {
		p.Title = d.name(d.facet, facet)
	}
	if d.kind == barPlot && d.logY {
		if p.Origin = 1; d.ratioTo == "" {
			p.Origin = *d.ends[2] // given, as check sees to
		}
	}
	if d.categories() {
		p.X.Ticks, p.X.TickLabels = d.ticks(d.xs)
	} else if p.X.Origin = originOf(d.x); d.ratioTo == "" { // a ratio to another line has no least value
		p.Y.Origin = originOf(d.y)
	}
	draw := d.curve
	switch d.kind {
	case cdfPlot:
		if draw, p.Y.Max = d.distribution, new(1.0); !d.logY {
			p.Y.Min = new(0.0)
		}
	case heatPlot:
		draw, p.ZLabel = d.cells, axisLabel(d.value)
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
		return p, usagef("--x: %q must be a column with numbers", d.x)
	}
	return p, nil
}

// quantity returns the label of the vertical axis.
func (d *drawing) quantity() string {
	switch {
	case d.kind == cdfPlot && d.logY:
		return "Share above"
	case d.kind == cdfPlot:
		return "Cumulative share"
	case d.ratioTo != "":
		name, _ := quantityOf(d.y)
		return name + " relative to " + d.name(d.by, d.base())
	}
	return axisLabel(d.y)
}

// scale returns the scale of an axis: a logarithmic one of powers of two where all values of a
// column are.
func (d *drawing) scale(logarithmic bool, key string) plot.Scale {
	if !logarithmic {
		return plot.Linear
	}
	for _, row := range d.rows {
		v, ok := row.number(key)
		if fraction, _ := math.Frexp(v); !ok || fraction != 0.5 && v != 0 {
			return plot.Log10
		}
	}
	return plot.Log2
}

// ticks returns the ticks of an axis of categories, at most 24 of them.
func (d *drawing) ticks(values []any) (at []float64, labels []string) {
	for i := 0; i < len(values); i += 1 + (len(values)-1)/24 {
		at, labels = append(at, float64(i)), append(labels, d.rename(cellText(values[i])))
	}
	return at, labels
}

// curve returns the line or the bars at the places that differ from p in x alone. Bars have a place
// where there is no row, too, so that those of all lines are in the same order everywhere.
func (d *drawing) curve(p place) (plot.Series, error) {
	s := d.series(p.line, plot.LinePoints)
	if d.kind == barPlot {
		s.Mark = plot.Bars
	}
	intervals := false
	for i, v := range d.xs {
		p.x = v
		x, m := float64(i), nothing()
		row, found := d.places[p]
		if found {
			var errX, errY error
			if d.kind == linePlot {
				x, errX = coordinate(row, "x", d.x, d.logX)
			}
			m, errY = d.shown(row, p)
			if err := cmp.Or(errX, errY); err != nil {
				return s, err
			}
			intervals = intervals || row.table.isEstimate(d.y) && !d.isBase(p.line) || m.bounded()
		}
		if found || d.kind == barPlot {
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, m.value), append(s.Lo, m.lo), append(s.Hi, m.hi)
		}
	}
	if !intervals {
		s.Lo, s.Hi = nil, nil
	}
	return s, nil
}

// series returns an empty series of a line. Balancers have their colours; in further files these are
// hollow.
func (d *drawing) series(key lineKey, mark plot.Mark) plot.Series {
	s := plot.Series{Mark: mark, Color: plot.BalancerColor(strings.ToLower(cellText(key.by)))}
	switch {
	case d.by == "" && d.perFile:
		s.Name = d.name(fileKey, key.file)
	case d.perFile:
		s.Name = d.name(d.by, key.by) + " (" + d.name(fileKey, key.file) + ")"
		for range slices.Index(d.values(fileKey), key.file) * min(1, int(s.Color)) {
			s.Color = s.Color.Hollow()
		}
	case d.by != "":
		s.Name = d.name(d.by, key.by)
	}
	value := key.by
	if d.by == "" {
		value = key.file
	}
	if ink, given := d.inks[cellText(value)]; given {
		s.Color = s.Color.WithInk(ink)
	}
	return s
}

// mean is a value with its interval; NaN stands for what does not exist.
type mean struct {
	value, lo, hi float64
	stdErr        float64 // 0 of an exact result, NaN if it is not known well enough for an interval
	runs          float64 // +Inf of an exact result
	lack          string  // what the value lacks, and why; "" for nothing
}

// bounded reports whether one bound of the value is known, and no value: the other end is infinite.
func (m mean) bounded() bool {
	return math.IsNaN(m.value) && math.IsInf(m.lo, -1) != math.IsInf(m.hi, 1)
}

// nothing returns no value.
func nothing() mean {
	return mean{value: math.NaN(), lo: math.NaN(), hi: math.NaN(), runs: math.Inf(1)}
}

// mean returns the value of --y in a row.
func (d *drawing) mean(row record) (m mean, err error) {
	m = nothing()
	m.value, err = coordinate(row, "y", d.y, d.logY)
	stdErr, estimated := row.number(stemOf(d.y) + "_se")
	runs, known := row.runs(d.y)
	lo, hi := row.interval(d.y)
	own := row.table.has(stemOf(d.y)+"_hi") && !math.IsInf(hi, 0)
	lacks := func(reason string) { m.stdErr, m.lack = math.NaN(), "points have no interval of "+d.y+": "+reason }
	switch {
	case row.bound(d.y) != "":
		m.lo, m.hi = lo, hi
	case math.IsNaN(m.value):
		m.lack = "points have no " + d.y + ": they are left out"
	case !row.table.isEstimate(d.y) || known && runs == 0: // exact
	case known && runs < plot.LeastRuns:
		lacks("fewer than three runs give none")
	case !own && !known:
		lacks("the file has no number of runs, replicas, and neither " + stemOf(d.y) + "_lo nor _hi")
	case !own && (!estimated || stdErr < 0):
		lacks("the file has no standard error")
	default:
		if m.lo, m.hi, m.stdErr, m.runs = lo, hi, stdErr, float64(runs); !estimated || !known {
			m.stdErr = math.NaN() // of a ratio
		}
	}
	return m, err
}

// shown returns the mean of the row at a place or its ratio to that of --ratio-to, whose interval takes
// the two as independent, and notes what it lacks.
func (d *drawing) shown(row record, p place) (m mean, err error) {
	m, err = d.mean(row)
	if d.ratioTo != "" && err == nil && (m.bounded() || !math.IsNaN(m.value)) {
		itself := d.isBase(p.line)
		p.line.by = d.base()
		base := nothing()
		if other, found := d.places[p]; found {
			base, err = d.mean(other)
		}
		m = m.over(base)
		if itself {
			m.lo, m.hi, m.lack = math.NaN(), math.NaN(), ""
		}
	}
	if m.lack != "" {
		d.note(m.lack)
	}
	return m, err
}

// over returns the ratio of two means of independent runs.
func (m mean) over(base mean) mean {
	ratio := nothing()
	switch {
	case m.bounded() && base.value > 0:
		ratio.lo, ratio.hi = m.lo/base.value, m.hi/base.value
		return ratio
	case base.bounded() && m.value > 0:
		ratio.lo, ratio.hi = m.value/base.hi, m.value/base.lo
		if base.lo > 0 {
			ratio.lo = math.Inf(-1)
		} else {
			ratio.hi = math.Inf(1)
		}
		return ratio
	case m.bounded() || base.value == 0 || math.IsNaN(base.value):
		ratio.lack = "points are left out: --ratio-to has no value there to divide by"
		return ratio
	}
	ratio.value, ratio.lack = m.value/base.value, cmp.Or(m.lack, base.lack)
	if math.IsNaN(m.stdErr + base.stdErr) {
		ratio.lack = cmp.Or(ratio.lack, "points have no interval of the ratio: the file lacks standard errors or the number of runs")
	}
	if m.value > 0 && base.value > 0 && m.stdErr+base.stdErr > 0 { // not NaN
		ratio.lo, ratio.hi = mc.WelchRatio(m.value, m.stdErr, m.runs, base.value, base.stdErr, base.runs)
	}
	return ratio
}

// standardErrorOf returns the key of the standard error of a column, by the rule of
// the keys: rounds_mean has rounds_se, and max_fct_us has max_fct_us_se.
func standardErrorOf(key string) string {
	return strings.TrimSuffix(key, "_mean") + "_se"
}

// distribution returns the share of the rows at a place whose --x is at most a value. A row without
// one is larger than all others.
func (d *drawing) distribution(p place) (plot.Series, error) {
	s := d.series(p.line, plot.Steps)
	var values []float64
	rows := 0
	for _, row := range d.rows {
		if d.placeOf(row) != p {
			continue
		}
		rows++
		if row.get(d.x) == nil {
			d.note("points have no " + d.x + ": they count as larger than all others")
			continue
		}
		v, err := coordinate(row, "x", d.x, d.logX)
		if err != nil {
			return s, err
		}
		values = append(values, v)
	}
	slices.Sort(values)
	for i, v := range values {
		if i == 0 {
			s.X, s.Y = append(s.X, v), append(s.Y, 0)
		}
		if i+1 == len(values) || values[i+1] > v {
			s.X, s.Y = append(s.X, v), append(s.Y, float64(i+1)/float64(rows))
		}
	}
	if d.logY {
		for i := range s.Y {
			if s.Y[i] = 1 - s.Y[i]; i > 0 && s.Y[i] <= 0 {
				s.Y[i] = s.Y[i-1] // the tail ends at its largest value, not at a share of 0
			}
		}
	}
	return s, nil
}

// cells returns the cells of the heat map of a panel.
func (d *drawing) cells(p place) (plot.Series, error) {
	s := plot.Series{Mark: plot.Cells}
	for i, x := range d.xs {
		for j, y := range d.ys {
			p.x, p.y = x, y
			row, found := d.places[p]
			if !found {
				continue
			}
			z, err := coordinate(row, "value", d.value, d.logValue)
			if err != nil {
				return s, err
			}
			if math.IsNaN(z) {
				d.note("points have no " + d.value + ": their cells are blank")
			}
			s.X, s.Y, s.Z = append(s.X, float64(i)), append(s.Y, float64(j)), append(s.Z, z)
		}
	}
	return s, nil
}

// coordinate returns the cell of a row on an axis, which is "x", "y" or "value"; NaN for null but on x.
func coordinate(row record, axis, key string, logarithmic bool) (float64, error) {
	v, ok := row.number(key)
	hint := ""
	if axis == "x" {
		hint = "; --kind bar takes texts"
	}
	switch {
	case !ok && axis != "x" && row.get(key) == nil:
		return math.NaN(), nil
	case !ok:
		return 0, usagef("--%s: %q must be a column of numbers, but it has %s%s", axis, key, cellText(row.get(key)), hint)
	case logarithmic && v <= 0 && axis == "value":
		return 0, usagef("--log-value: %s must be positive, but it is %v", key, v)
	case logarithmic && v < 0:
		return 0, usagef("--log-%s: %s must be 0 or more, but it is %v", axis, key, v)
	}
	return v, nil
}

// values returns the values of a column, each once, as they come; of no column it is nil.
func (d *drawing) values(key string) []any { return valuesOf(key, d.rows) }

// valuesOf returns the values of a column in some rows, each once, as they come; of no column it is nil.
func valuesOf(key string, rows []record) (list []any) {
	seen := map[any]bool{}
	for _, row := range rows {
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

// note counts a point that lacks something.
func (d *drawing) note(text string) {
	i := slices.IndexFunc(d.lacks, func(l omission) bool { return l.text == text })
	if i < 0 {
		i = len(d.lacks)
		d.lacks = append(d.lacks, omission{text: text})
	}
	d.lacks[i].points++
}

// warnings says how many points lack something, and why.
func (d *drawing) warnings() []string {
	return lists.Map(d.lacks, func(l omission) string { return fmt.Sprintf("%d of %d %s", l.points, len(d.rows), l.text) })
}
