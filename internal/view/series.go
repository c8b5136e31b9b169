package view

import (
	"cmp"
	"math"
	"slices"

	"repslab/internal/console"
	"repslab/internal/plot"
	"repslab/internal/rows"
)

// curve returns the line or the bars at the places that differ from p only in x. Bars also have a place
// where there is no row, so that the bars of all lines are in the same order everywhere.
func (d *Drawing) curve(p place) (plot.Series, error) {
	s := d.series(p.line, plot.LinePoints)
	if d.Kind == BarPlot {
		s.Mark = plot.Bars
	}
	intervals := false
	for i, v := range d.xs {
		p.x = v
		x, m := float64(i), noValue()
		row, found := d.places[p]
		if found {
			var errX, errY error
			if d.Kind == LinePlot {
				x, errX = coordinate(row, "x", d.X, d.LogX)
			}
			m, errY = d.shown(row, p)
			if err := cmp.Or(errX, errY); err != nil {
				return s, err
			}
			intervals = intervals || row.Table.IsEstimate(d.Y) && !d.isBase(p.line) || m.Bounded()
		}
		if found || d.Kind == BarPlot {
			s.X, s.Y, s.Lo, s.Hi = append(s.X, x), append(s.Y, m.Value), append(s.Lo, m.Lo), append(s.Hi, m.Hi)
		}
	}
	if !intervals {
		s.Lo, s.Hi = nil, nil
	}
	return s, nil
}

// points returns the points of all rows of a line in a facet, including rows at the same place.
func (d *Drawing) points(p place) (plot.Series, error) {
	s := d.series(p.line, plot.Points)
	for _, row := range d.rows {
		if d.placeOf(row) != p {
			continue
		}
		x, errX := coordinate(row, "x", d.X, d.LogX)
		y, errY := coordinate(row, "y", d.Y, d.LogY)
		if err := cmp.Or(errX, errY); err != nil {
			return s, err
		}
		if math.IsNaN(x) || math.IsNaN(y) {
			d.note("points have no " + d.X + " or no " + d.Y + ": they are left out")
			continue
		}
		s.X, s.Y = append(s.X, x), append(s.Y, y)
	}
	return s, nil
}

// series returns an empty series for a line.
func (d *Drawing) series(key lineKey, mark plot.Mark) plot.Series {
	s := plot.Series{Mark: mark, Color: d.colors[key]}
	switch {
	case d.By == "" && d.perFile:
		s.Name = d.name(rows.FileKey, key.file)
	case d.perFile:
		s.Name = d.name(d.By, key.by) + " (" + d.name(rows.FileKey, key.file) + ")"
	case d.By != "" && !(d.Stack && key.by == nil): // a line of the whole network has no name
		s.Name = d.name(d.By, key.by)
	}
	value := key.by
	if d.By == "" {
		value = key.file
	}
	for _, value := range append(d.parts(d.By, key.by), value) {
		if ink, given := d.inks[cellText(value)]; given {
			s.Color = s.Color.WithInk(ink)
		}
	}
	return s
}

// distribution returns, for each value of --x, the share of the rows at a place with at most this value.
// A row without a value counts as larger than all others.
func (d *Drawing) distribution(p place) (plot.Series, error) {
	s := d.series(p.line, plot.Steps)
	var values []float64
	number := 0
	for _, row := range d.rows {
		if d.placeOf(row) != p {
			continue
		}
		number++
		if row.Get(d.X) == nil {
			d.note("points have no " + d.X + ": they count as larger than all others")
			continue
		}
		v, err := coordinate(row, "x", d.X, d.LogX)
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
			s.X, s.Y = append(s.X, v), append(s.Y, float64(i+1)/float64(number))
		}
	}
	if d.LogY {
		for i := range s.Y {
			if s.Y[i] = 1 - s.Y[i]; i > 0 && s.Y[i] <= 0 {
				s.Y[i] = s.Y[i-1] // the tail ends at the largest value, not at a share of 0
			}
		}
	}
	return s, nil
}

// cells returns the cells of the heat map of a panel.
func (d *Drawing) cells(p place) (plot.Series, error) {
	s := plot.Series{Mark: plot.Cells}
	totals, err := d.totals()
	if err != nil {
		return s, err
	}
	for i, x := range d.xs {
		for j, y := range d.ys {
			p.x, p.y = x, y
			row, found := d.places[p]
			if !found {
				continue
			}
			z, known := totals[p]
			if !known {
				if z, err = coordinate(row, "value", d.Value, d.LogValue); err != nil {
					return s, err
				}
			}
			if math.IsNaN(z) {
				d.note("points have no " + d.Value + ": their cells are blank")
			}
			s.X, s.Y, s.Z = append(s.X, float64(i)), append(s.Y, float64(j)), append(s.Z, z)
		}
	}
	return s, nil
}

// totals returns, if cells add up their rows, the sum of the values or the number of the rows of each
// cell. Rows without a value are left out.
func (d *Drawing) totals() (map[place]float64, error) {
	if !d.adds() {
		return nil, nil
	}
	sums := map[place]float64{}
	for _, row := range d.rows {
		v, err := 1.0, error(nil)
		if d.Value != rowsKey {
			v, err = coordinate(row, "value", d.Value, false)
		}
		if err != nil {
			return nil, err
		}
		if !math.IsNaN(v) {
			sums[d.placeOf(row)] += v
		}
	}
	return sums, nil
}

// coordinate returns the number of a row on an axis, which is "x", "y" or "value". Null is NaN, and an
// error on x.
func coordinate(row rows.Row, axis, key string, logarithmic bool) (float64, error) {
	v, ok := row.Number(key)
	hint := ""
	if axis == "x" {
		hint = "; --kind bar takes texts"
	}
	switch {
	case !ok && axis != "x" && row.Get(key) == nil:
		return math.NaN(), nil
	case !ok:
		return 0, console.Usagef("--%s: %q must be a column of numbers, but it has %s%s", axis, key, cellText(row.Get(key)), hint)
	case logarithmic && v <= 0 && axis == "value":
		return 0, console.Usagef("--log-value: %s must be positive, but it is %v", key, v)
	case logarithmic && v < 0:
		return 0, console.Usagef("--log-%s: %s must be 0 or more, but it is %v", axis, key, v)
	}
	return v, nil
}
