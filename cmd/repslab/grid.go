package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"repslab/internal/cell"
	"repslab/internal/table"
	"repslab/sweep"
)

// maxPoints bounds the combinations of one command.
const maxPoints = 1_000_000

// space holds the parameters of a model, bound to the fields of one point. To add a parameter,
// add its descriptor: its place in the list is that of its flag in the help and of its columns
// in rows.
type space struct {
	parameters []parameter
	reset      func()             // clears the point; parameters without a value stay zero
	complete   func() error       // applies the defaults that depend on several parameters, and checks
	point      func() sweep.Point // without its parameters; later combinations do not change it
}

// newSpace returns the space of a point that holds the defaults. Each combination completes the
// point, and makes a point of the grid of a copy.
func newSpace[P any](p *P, complete func(*P) error, point func(*P) sweep.Point, parameters []parameter) space {
	return space{
		parameters: parameters,
		reset:      func() { *p = *new(P) },
		complete:   func() error { return complete(p) },
		point: func() sweep.Point {
			q := *p
			return point(&q)
		},
	}
}

// selection holds the texts that a user gave for parameters, by flags or in a file.
type selection struct {
	texts  map[string]string // by flag
	zip    []string          // flags whose lists run together
	inputs []sweep.Input     // files whose contents are known
}

// grid holds the points of a selection.
type grid struct {
	points     []sweep.Point
	parameters map[string]string // canonical texts of all parameters that are used, by key
	zip        []string          // keys
	inputs     []sweep.Input     // files that were read
	warnings   []string          // about flags that some combinations do not use
}

// axis is a parameter with the values of a selection.
type axis struct {
	parameter
	values    valueList
	dimension int  // of the combinations, in which zipped axes share one
	at        int  // index of the value in the current combination
	given     bool // by the user
	used      int  // combinations that use it
	unused    int  // combinations that do not
	asked     bool // some of these have a value that the user gave and that is not the preset
}

// text returns the values as the flag takes them.
func (a *axis) text() string {
	texts := make([]string, a.values.length)
	for i := range texts {
		texts[i] = a.values.text(i)
	}
	return strings.Join(texts, a.separator)
}

// axes returns the parameters that have a value, the slowest first.
func (s space) axes(model string, sel selection, files *inputFiles) ([]*axis, error) {
	var axes []*axis
	var keys, flags []string
	for _, q := range s.parameters {
		keys = append(keys, keyOf(q.flag))
		if _, given := sel.texts[q.flag]; given || q.preset != "" {
			axes = append(axes, &axis{parameter: q, given: given})
			flags = append(flags, q.flag)
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(sel.texts)) {
		if !slices.Contains(keys, keyOf(flag)) {
			return nil, usagef("parameter %.60q must be one of %s", keyOf(flag), strings.Join(keys, ", "))
		}
	}
	for _, flag := range sel.zip {
		if !slices.Contains(flags, flag) {
			slices.Sort(flags)
			return nil, usagef("--zip: %.60q must be a parameter of %s that has a value: %s",
				flag, model, strings.Join(flags, ", "))
		}
	}
	for _, a := range axes {
		text := a.preset
		if a.given {
			text = sel.texts[a.flag]
		}
		var err error
		if a.values, err = a.read(files, text); err != nil {
			return nil, usagef("--%s: %w", a.flag, err)
		}
	}
	slices.SortStableFunc(axes, func(a, b *axis) int { return a.rank - b.rank })
	return axes, nil
}

// dimensions gives each axis a dimension, zipped ones that of the first of them, and returns
// the lengths of the dimensions and the number of combinations.
func dimensions(axes []*axis, zip []string) (lengths []int, total int, err error) {
	var first *axis // of the zipped ones
	for _, a := range axes {
		zipped := slices.Contains(zip, a.flag)
		switch {
		case !zipped || first == nil:
			a.dimension = len(lengths)
			lengths = append(lengths, a.values.length)
			if zipped {
				first = a
			}
		case a.values.length != first.values.length:
			return nil, 0, usagef("--zip: --%s has %d values and --%s has %d, but they must have the same number",
				first.flag, first.values.length, a.flag, a.values.length)
		default:
			a.dimension = first.dimension
		}
	}
	total = 1
	for _, length := range lengths {
		if total *= length; total > maxPoints {
			return nil, 0, usagef("the parameters have more than %d combinations", maxPoints)
		}
	}
	return lengths, total, nil
}

// grid returns the points of a selection, all of them valid, or a usage error. Of combinations
// with the same keys, which differ only in values that they do not use, the first stays. A
// parameter that the user gave and that no combination uses is an error.
func (s space) grid(model string, sel selection) (*grid, error) {
	files := inputFiles{carried: sel.inputs}
	axes, err := s.axes(model, sel, &files)
	if err != nil {
		return nil, err
	}
	lengths, total, err := dimensions(axes, sel.zip)
	if err != nil {
		return nil, err
	}
	g := &grid{parameters: map[string]string{}, inputs: files.read}
	seen := map[[sha256.Size]byte]bool{}
	values := make([]int, len(lengths))
	for i := range total {
		if err := s.combine(axes, combin.SubFor(values, i, lengths)); err != nil {
			return nil, err
		}
		keys := s.keys()
		if countUses(axes) {
			d := digest(keys)
			if seen[d] {
				continue
			}
			seen[d] = true
		}
		point := s.point()
		point.Parameters = keys
		g.points = append(g.points, point)
	}
	return g, g.describe(axes, sel.zip)
}

// describe sets the texts of the parameters and the warnings about them.
func (g *grid) describe(axes []*axis, zip []string) error {
	for _, a := range axes {
		switch {
		case a.used == 0 && a.given:
			return usagef("--%s: %.60s has no effect here: it is used only %s", a.flag, a.text(), a.only)
		case a.used == 0:
			continue // its preset comes back when the configuration is read
		}
		g.parameters[keyOf(a.flag)] = a.text()
		if slices.Contains(zip, a.flag) {
			g.zip = append(g.zip, keyOf(a.flag))
		}
		if a.asked {
			g.warnings = append(g.warnings, fmt.Sprintf(
				"--%s: it has no effect in %d of %d combinations: it is used only %s",
				a.flag, a.unused, a.used+a.unused, a.only))
		}
	}
	return nil
}

// combine makes the point the combination of the values at some indices, one for each dimension.
func (s space) combine(axes []*axis, values []int) error {
	s.reset()
	for _, a := range axes {
		a.at = values[a.dimension]
		if err := a.values.apply(a.at); err != nil {
			return err
		}
	}
	if err := s.complete(); err != nil {
		return asFlags(err, s.fieldFlag)
	}
	return nil
}

// countUses counts the parameters that the current combination uses. It reports whether one
// that it does not use has several values.
func countUses(axes []*axis) (several bool) {
	for _, a := range axes {
		if a.isUsed() {
			a.used++
			continue
		}
		a.unused++
		several = several || a.values.length > 1
		a.asked = a.asked || a.given && a.values.text(a.at) != a.preset
	}
	return several
}

// keys returns the cells of the parameters.
func (s space) keys() []any {
	cells := make([]any, 0, len(s.parameters)+1)
	for _, q := range s.parameters {
		for _, c := range q.columns {
			cells = append(cells, c.cell())
		}
	}
	return cells
}

// heads returns the heads of the parameters' columns.
func (s space) heads() (heads []table.Column) {
	for _, q := range s.parameters {
		for _, c := range q.columns {
			heads = append(heads, c.Column)
		}
	}
	return heads
}

// fieldFlag returns the flag of a field or an argument of a library, in any case of letters.
// If several parameters set it, that is the first one that the point uses.
func (s space) fieldFlag(field string) (flag string, ok bool) {
	for _, q := range s.parameters {
		if q.sets(field) && q.isUsed() {
			return q.flag, true
		}
		if q.sets(field) && !ok {
			flag, ok = q.flag, true
		}
	}
	return flag, ok
}

// digest identifies the cells of a row.
func digest(cells []any) [sha256.Size]byte {
	var text []byte
	for _, v := range cells {
		text = cell.AppendMember(text, "", v)
	}
	return sha256.Sum256(text)
}
