package main

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"

	"repslab/internal/cell"
	"repslab/internal/table"
	"repslab/sweep"
)

// maxPoints bounds the combinations of one command.
const maxPoints = 1_000_000

// space holds the parameters of a model, whose combinations are of type P. To add a
// parameter, add its descriptor: its place in the list is that of its flag in the help and
// of its columns in rows.
type space[P any] struct {
	model      string // its name, set by newModel
	parameters []parameter[P]
	complete   func(*P) error       // applies the defaults that depend on several parameters, and checks
	point      func(*P) sweep.Point // without its parameters
}

// newSpace completes a space: parameters with a value have that of defaults as preset.
func newSpace[P any](defaults P, s space[P]) space[P] {
	for i := range s.parameters {
		if q := &s.parameters[i]; q.preset == "" && q.value != nil {
			q.preset = fmt.Sprint(q.value(&defaults))
		}
	}
	return s
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
type axis[P any] struct {
	parameter[P]
	values valueList[P]
	stride int // combinations from one value to the next
	given  bool
	used   int  // combinations that use it
	unused int  // combinations that do not
	asked  bool // some of these have a value that the user gave and that is not the preset
}

// at returns the index of the value in a combination.
func (a *axis[P]) at(combination int) int { return combination / a.stride % a.values.length }

// text returns the values as the flag takes them.
func (a *axis[P]) text() string {
	texts := make([]string, a.values.length)
	for i := range texts {
		texts[i] = a.values.text(i)
	}
	return strings.Join(texts, a.separator)
}

// axes returns the parameters that have a value, the slowest first.
func (s space[P]) axes(sel selection, files *inputFiles) ([]*axis[P], error) {
	var axes []*axis[P]
	var keys, flags []string
	for _, q := range s.parameters {
		keys = append(keys, keyOf(q.flag))
		if _, given := sel.texts[q.flag]; given || q.preset != "" {
			axes = append(axes, &axis[P]{parameter: q, given: given})
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
				flag, s.model, strings.Join(flags, ", "))
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
	slices.SortStableFunc(axes, func(a, b *axis[P]) int { return a.rank - b.rank })
	return axes, nil
}

// arrange sets the strides of axes, of which the zipped ones run together as the first of
// them, and returns the number of combinations.
func arrange[P any](axes []*axis[P], zip []string) (total int, err error) {
	var first *axis[P] // of the zipped ones
	for _, a := range axes {
		if !slices.Contains(zip, a.flag) {
			continue
		}
		if first == nil {
			first = a
		} else if a.values.length != first.values.length {
			return 0, usagef("--zip: --%s has %d values and --%s has %d, but they must have the same number",
				first.flag, first.values.length, a.flag, a.values.length)
		}
	}
	total = 1
	for _, a := range slices.Backward(axes) {
		a.stride = total
		if a == first || !slices.Contains(zip, a.flag) {
			total *= a.values.length
		}
		if total > maxPoints {
			return 0, usagef("the parameters have more than %d combinations", maxPoints)
		}
	}
	for _, a := range axes {
		if slices.Contains(zip, a.flag) {
			a.stride = first.stride
		}
	}
	return total, nil
}

// combinations returns the combinations of a selection, all of them valid, and the axes.
// Of combinations with the same keys, which differ only in values that they do not use,
// the first stays. A parameter that the user gave and that no combination uses is an error.
func (s space[P]) combinations(sel selection, files *inputFiles) (list []*P, axes []*axis[P], err error) {
	if axes, err = s.axes(sel, files); err != nil {
		return nil, nil, err
	}
	total, err := arrange(axes, sel.zip)
	if err != nil {
		return nil, nil, err
	}
	seen := map[[sha256.Size]byte]bool{}
	for i := range total {
		p, err := s.combination(axes, i)
		if err != nil {
			return nil, nil, err
		}
		if countUses(axes, i, p) {
			keys := digest(s.keys(p))
			if seen[keys] {
				continue
			}
			seen[keys] = true
		}
		list = append(list, p)
	}
	for _, a := range axes {
		if a.used == 0 && a.given {
			return nil, nil, usagef("--%s: %.60s has no effect here: it is used only %s", a.flag, a.text(), a.only)
		}
	}
	return list, axes, nil
}

// combination returns a combination.
func (s space[P]) combination(axes []*axis[P], number int) (*P, error) {
	p := new(P)
	for _, a := range axes {
		if err := a.values.apply(a.at(number), p); err != nil {
			return nil, err
		}
	}
	return p, asFlags(s.complete(p), func(field string) (string, bool) { return s.fieldFlag(p, field) })
}

// countUses counts the parameters that a combination uses. It reports whether one that it
// does not use has several values.
func countUses[P any](axes []*axis[P], number int, p *P) (several bool) {
	for _, a := range axes {
		if a.isUsed(p) {
			a.used++
			continue
		}
		a.unused++
		several = several || a.values.length > 1
		a.asked = a.asked || a.given && a.values.text(a.at(number)) != a.preset
	}
	return several
}

// grid returns the points of a selection.
func (s space[P]) grid(sel selection) (*grid, error) {
	files := inputFiles{carried: sel.inputs}
	list, axes, err := s.combinations(sel, &files)
	if err != nil {
		return nil, err
	}
	g := &grid{parameters: map[string]string{}, inputs: files.read}
	for _, a := range axes {
		if a.used == 0 {
			continue // its preset comes back when the configuration is read
		}
		g.parameters[keyOf(a.flag)] = a.text()
		if slices.Contains(sel.zip, a.flag) {
			g.zip = append(g.zip, keyOf(a.flag))
		}
		if a.asked {
			g.warnings = append(g.warnings, fmt.Sprintf(
				"--%s: it has no effect in %d of %d combinations: it is used only %s",
				a.flag, a.unused, a.used+a.unused, a.only))
		}
	}
	for _, p := range list {
		point := s.point(p)
		point.Parameters = s.keys(p)
		g.points = append(g.points, point)
	}
	return g, nil
}

// keys returns the cells of the parameters.
func (s space[P]) keys(p *P) []any {
	cells := make([]any, 0, len(s.parameters)+1)
	for i := range s.parameters {
		for _, c := range s.parameters[i].columns {
			cells = append(cells, c.cell(p))
		}
	}
	return cells
}

// heads returns the heads of the parameters' columns.
func (s space[P]) heads() (heads []table.Column) {
	for _, q := range s.parameters {
		for _, c := range q.columns {
			if c.key == q.textKey {
				heads = append(heads, table.Text(c.key))
			} else {
				heads = append(heads, table.Number(c.key))
			}
		}
	}
	return heads
}

// fieldFlag returns the flag of a field or an argument of a library, in any case of letters.
// If several parameters set it, that is the first one that the combination uses.
func (s space[P]) fieldFlag(p *P, field string) (flag string, ok bool) {
	for _, q := range s.parameters {
		if !slices.ContainsFunc(q.names(), func(name string) bool { return strings.EqualFold(name, field) }) {
			continue
		}
		if q.isUsed(p) {
			return q.flag, true
		}
		if !ok {
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
