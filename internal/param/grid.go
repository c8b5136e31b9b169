package param

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/combin"

	"repslab/faults"
	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/sweep"
)

// MaxPoints bounds the combinations of one command.
const MaxPoints = 1_000_000

// Space holds the parameters of a model, bound to the fields of one point. To add a parameter, add its descriptor.
// Its place in the list is the place of its flag in the help and of its columns in rows.
type Space struct {
	parameters []Parameter
	reset      func()             // clears the point; parameters without a value stay zero
	complete   func() error       // applies defaults that depend on several parameters, and checks the point
	Point      func() sweep.Point // without its parameters; it does not change with later combinations
}

// NewSpace returns the space of a point that holds the defaults. For each combination it completes a copy of the
// point and makes it a point of the grid.
func NewSpace[P any](p *P, complete func(*P) error, point func(*P) sweep.Point, parameters []Parameter) Space {
	return Space{
		parameters: parameters,
		reset:      func() { *p = *new(P) },
		complete:   func() error { return complete(p) },
		Point: func() sweep.Point {
			q := *p
			return point(&q)
		},
	}
}

// Selection holds the texts of parameters. In JSON it is a part of the configuration file.
type Selection struct {
	Parameters Texts         `json:"parameters"`
	Zip        []string      `json:"zip,omitempty"`    // parameters with lists that vary together
	Pool       []string      `json:"pool,omitempty"`   // parameters with lists of files for the replicas of a point
	Inputs     []sweep.Input `json:"inputs,omitempty"` // files that parameters name, with their contents

	Note func(text string) `json:"-"` // says what is read or combined, for a progress line; may be nil
}

// profileKey is the key of the parameter that chooses among presets.
const profileKey = "profile"

// profile returns the name of the profile of a selection; empty is the first profile.
func (s Selection) profile() string {
	return strings.ToLower(strings.TrimSpace(s.Parameters[profileKey]))
}

// Grid holds the points of a selection.
type Grid struct {
	Selection // canonical: the parameters that are used, and the files that were read
	Points    []sweep.Point
	Warnings  []string // about flags that some combinations do not use
	pooled    int      // number of files of the pooled parameter, one for each replica; 0 if none is pooled
}

// SpareInputs returns a usage error if the output of a flag would overwrite a file that the points were read from.
// An empty path is no output.
func (g *Grid) SpareInputs(flag, path string) error {
	for _, in := range g.Inputs {
		if path != "" && console.SameFile(path, in.Path) {
			return console.Usagef("%s: %q must not be a file that is read", flag, path)
		}
	}
	return nil
}

// axis is a parameter with its values in a selection.
type axis struct {
	Parameter
	values    valueList
	dimension int  // index of its dimension; zipped axes share one
	at        int  // index of the value in the current combination
	given     bool // given by the user
	zipped    bool // varies together with the other zipped ones
	pooled    int  // number of values that a point has all together; 0 if it has one
	used      int  // number of combinations that use it
	unused    int  // number of combinations that do not use it
	asked     bool // in some unused combination the value is given by the user and is not the preset
}

// text returns the values in the form of the flag.
func (a *axis) text() string {
	texts := make([]string, a.values.length)
	for i := range texts {
		texts[i] = a.values.text(i)
	}
	return strings.Join(texts, a.Separator)
}

// useFlags renames parameters that are named by a column, such as flow_list, to their flags.
func (s Space) useFlags(sel *Selection) error {
	sel.Parameters, sel.Zip = maps.Clone(sel.Parameters), slices.Clone(sel.Zip)
	for _, q := range s.parameters {
		if len(q.Columns) != 1 || q.Columns[0].Key == KeyOf(q.Flag) {
			continue
		}
		column, key := q.Columns[0].Key, KeyOf(q.Flag)
		text, given := sel.Parameters[column]
		if _, twice := sel.Parameters[key]; given && twice {
			return console.Usagef("parameters: %s and %s are the same, but one of them must be given", key, column)
		}
		if given {
			delete(sel.Parameters, column)
			sel.Parameters[key] = text
		}
		if i := slices.Index(sel.Zip, column); i >= 0 {
			sel.Zip[i] = key
		}
	}
	return nil
}

// axes returns the parameters with a value, the slowest first.
func (s Space) axes(model string, sel Selection, files *InputFiles) ([]*axis, error) {
	var axes []*axis
	var keys, flags []string
	if err := s.useFlags(&sel); err != nil {
		return nil, err
	}
	profile := sel.profile()
	for _, q := range s.parameters {
		keys = append(keys, KeyOf(q.Flag))
		if preset, other := q.under[profile]; other {
			q.Preset = preset
		}
		if _, given := sel.Parameters[KeyOf(q.Flag)]; given || q.Preset != "" {
			axes = append(axes, &axis{Parameter: q, given: given})
			flags = append(flags, q.Flag)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(sel.Parameters)) {
		if flag, ok := s.FieldFlag(key); ok && !slices.Contains(keys, key) {
			return nil, console.Usagef("parameter %.60q must be named %s", key, KeyOf(flag))
		}
		if !slices.Contains(keys, key) {
			return nil, console.Usagef("parameter %.60q %s", key, values.MustBeOneOf(key, keys))
		}
	}
	for _, key := range sel.Zip {
		i := slices.Index(flags, FlagOf(key))
		if i < 0 {
			slices.Sort(flags)
			return nil, console.Usagef("--zip: %.60q must be a parameter of %s that has a value: %s",
				FlagOf(key), model, strings.Join(flags, ", "))
		}
		axes[i].zipped = true
	}
	for _, a := range axes {
		text := a.Preset
		if a.given {
			text = strings.ReplaceAll(sel.Parameters[KeyOf(a.Flag)], betweenItems, a.Separator)
		}
		var err error
		if a.values, err = a.Read(files, text); err != nil {
			return nil, console.Usagef("--%s: %w", a.Flag, err)
		}
	}
	slices.SortStableFunc(axes, func(a, b *axis) int { return a.Rank - b.Rank })
	return axes, pool(axes, sel.Pool)
}

// pool gives a point all values of each parameter with one of the keys.
func pool(axes []*axis, keys []string) error {
	for _, key := range keys {
		i := slices.IndexFunc(axes, func(a *axis) bool { return a.Flag == FlagOf(key) && a.Pools && a.given && !a.zipped })
		if i < 0 {
			return console.Usagef("--pool: %.60q must be flows, and come with --flows and without --zip flows", FlagOf(key))
		}
		a := axes[i]
		all, text := a.values, a.text()
		files := map[string]bool{}
		for i := range all.length {
			files[all.text(i)] = true
		}
		if a.pooled > 0 || len(files) < max(2, all.length) {
			return console.Usagef("--pool: %.60q must be given once, with at least 2 files, each once: %.60s", FlagOf(key), text)
		}
		a.pooled = all.length
		a.values = valueList{length: 1, text: func(int) string { return text }, apply: func(int) (err error) {
			for i := 0; i < all.length && err == nil; i++ {
				err = all.apply(i)
			}
			return err
		}}
	}
	return nil
}

// dimensions gives each axis a dimension; zipped axes share the dimension of the first of them. It returns the
// lengths of the dimensions and the number of combinations.
func dimensions(axes []*axis) (lengths []int, total int, err error) {
	var first *axis // first zipped axis
	for _, a := range axes {
		switch {
		case !a.zipped || first == nil:
			a.dimension = len(lengths)
			lengths = append(lengths, a.values.length)
			if a.zipped {
				first = a
			}
		case a.values.length != first.values.length:
			return nil, 0, console.Usagef("--zip: --%s has %d values and --%s has %d, but they must have the same number",
				first.Flag, first.values.length, a.Flag, a.values.length)
		default:
			a.dimension = first.dimension
		}
	}
	total = 1
	for _, length := range lengths {
		if total *= length; total > MaxPoints {
			return nil, 0, console.Usagef("the parameters have more than %d combinations", MaxPoints)
		}
	}
	return lengths, total, nil
}

// Replicas returns a plan with as many replicas as a pooled parameter has files. Another number that the user asks for
// is a usage error: with more replicas some would have the same flows, with fewer the row would name files that no
// replica has.
func (g *Grid) Replicas(p mc.Plan, asked bool) (mc.Plan, error) {
	if pooled := uint64(g.pooled); pooled > 0 {
		if asked && p.Replicas != pooled {
			return p, console.Usagef("--replicas: %d must be %d, the number of pooled files", p.Replicas, pooled)
		}
		p.Replicas = pooled
	}
	return p, nil
}

// WarnExact warns that the number of runs has no effect, if all points are exact.
func (g *Grid) WarnExact() {
	if !slices.ContainsFunc(g.Points, func(p sweep.Point) bool { return !p.Exact }) {
		g.Warnings = append(g.Warnings, "--replicas and --precision have no effect: results are exact, without runs")
	}
}

// combination describes the current combination by its values.
func combination(axes []*axis) string {
	var flags []string
	for _, a := range axes {
		if a.values.length > 1 {
			flags = append(flags, "--"+a.Flag+" "+a.values.text(a.at))
		}
	}
	return strings.Join(flags, " ")
}

// Grid returns the points of a selection. If only some combinations are impossible, it warns of them; if all are,
// it returns a usage error. Of combinations with equal keys, such as those that differ only in values that they do
// not use, it keeps the first. A parameter that the user gave and that no combination uses is an error.
func (s Space) Grid(model string, sel Selection) (*Grid, error) {
	files := InputFiles{carried: sel.Inputs, note: sel.Note}
	axes, err := s.axes(model, sel, &files)
	if err != nil {
		return nil, err
	}
	lengths, total, err := dimensions(axes)
	if err != nil {
		return nil, err
	}
	g := &Grid{Selection: Selection{Parameters: Texts{}, Inputs: files.read}}
	var text []byte                      // keys as text
	seen := map[[sha256.Size]byte]bool{} // digests of the texts so far
	values := make([]int, len(lengths))
	derived := Texts{}
	var impossible int
	var first error // first error of an impossible combination
	reasons := map[string]bool{}
	for i := range total {
		if sel.Note != nil && total > 1 {
			sel.Note(fmt.Sprintf("combination %d of %d", i+1, total))
		}
		if err := s.combine(axes, combin.SubFor(values, i, lengths)); err != nil {
			impossible++
			if !reasons[err.Error()] {
				reasons[err.Error()] = true
				g.Warnings = append(g.Warnings, fmt.Sprintf("%s is left out: %v", combination(axes), err))
			}
			first = cmp.Or(first, err)
			continue
		}
		countUses(axes)
		s.noteDerived(sel, derived)
		keys := s.keys()
		text = text[:0]
		for _, key := range keys {
			text = frame.AppendMember(text, "", key)
		}
		if digest := sha256.Sum256(text); !seen[digest] {
			seen[digest] = true
			point := s.Point()
			point.Parameters = keys
			g.Points = append(g.Points, point)
		}
	}
	if len(g.Points) == 0 {
		return nil, first
	}
	if impossible > 0 {
		g.Warnings = append(g.Warnings, fmt.Sprintf("%d of %d combinations are impossible", impossible, total))
	}
	maps.Copy(g.Parameters, derived)
	maps.DeleteFunc(g.Parameters, func(_, text string) bool { return text == varies })
	return g, g.describe(axes)
}

// varies is the text of a derived parameter that differs between combinations.
const varies = "varies"

// noteDerived records the parameters with presets, under the profile, that depend on other parameters.
func (s Space) noteDerived(sel Selection, derived Texts) {
	for i := range s.parameters {
		q := &s.parameters[i]
		if !q.depends(sel.profile()) || !q.isUsed() {
			continue
		}
		key := KeyOf(q.Flag)
		if _, given := sel.Parameters[key]; given {
			continue
		}
		text := fmt.Sprint(q.Columns[0].Cell())
		if before, known := derived[key]; known && before != text {
			text = varies
		}
		derived[key] = text
	}
}

// describe sets the texts of the parameters, and warns about flags that some combinations do not use.
func (g *Grid) describe(axes []*axis) error {
	for _, a := range axes {
		switch {
		case a.used == 0 && a.given:
			return a.noEffect(a.text())
		case a.used == 0:
			continue // the preset applies again when the configuration is read
		}
		g.Parameters[KeyOf(a.Flag)] = a.text()
		if a.zipped {
			g.Zip = append(g.Zip, KeyOf(a.Flag))
		}
		if a.pooled > 0 {
			g.Pool, g.pooled = append(g.Pool, KeyOf(a.Flag)), a.pooled
		}
		if a.asked {
			g.Warnings = append(g.Warnings, fmt.Sprintf(
				"--%s: it has no effect in %d of %d combinations: it is used only %s",
				a.Flag, a.unused, a.used+a.unused, a.Only))
		}
	}
	return nil
}

// combine sets the point to the values at the given indices, one for each dimension.
func (s Space) combine(axes []*axis, values []int) error {
	s.reset()
	for _, late := range []bool{false, true} {
		for _, a := range axes {
			if a.late != late {
				continue
			}
			a.at = values[a.dimension]
			if err := a.values.apply(a.at); err != nil {
				return err
			}
		}
	}
	if err := s.complete(); err != nil {
		return cmp.Or(s.unusedFault(axes, err), AsFlags(err, s.FieldFlag))
	}
	for _, a := range axes {
		if a.taken != nil && a.isChanged() {
			return console.Usagef("--%s: %s must be %s", a.Flag, a.values.text(a.at), a.taken())
		}
	}
	return nil
}

// unusedFault returns the usage error of a library's fault in a parameter that the user gave and the point does not
// use; nil for other errors. The library has no words for the parameter's values and conditions.
func (s Space) unusedFault(axes []*axis, err error) error {
	fault, is := errors.AsType[*faults.FieldError](err)
	if !is {
		return nil
	}
	flag, _ := s.FieldFlag(fault.Field)
	for _, a := range axes {
		if a.Flag == flag && a.given && !a.isUsed() {
			return a.noEffect(a.values.text(a.at))
		}
	}
	return nil
}

// noEffect returns the usage error of a text that the user gave and no point uses.
func (a *axis) noEffect(text string) error {
	return console.Usagef("--%s: %.60s has no effect here: it is used only %s", a.Flag, text, a.Only)
}

// isChanged reports whether the point has another value than the user has asked for. The default alone asks for
// nothing: it stands for as much as the point takes, also in the configuration of a result file.
func (a *axis) isChanged() bool {
	text := a.values.text(a.at)
	asks := a.given && (a.values.length > 1 || text != a.Preset)
	return asks && a.isUsed() && text != fmt.Sprint(a.Columns[0].Cell())
}

// countUses counts for each axis whether the current combination uses it.
func countUses(axes []*axis) {
	for _, a := range axes {
		if a.isUsed() {
			a.used++
			continue
		}
		a.unused++
		a.asked = a.asked || a.given && a.values.text(a.at) != a.Preset
	}
}

// keys returns the cells of the parameters.
func (s Space) keys() []any {
	cells := make([]any, 0, len(s.parameters)+1)
	for _, q := range s.parameters {
		for _, c := range q.Columns {
			cells = append(cells, c.Cell())
		}
	}
	return cells
}

// Heads returns the heads of the parameters' columns.
func (s Space) Heads() (heads []frame.Column) {
	for _, q := range s.parameters {
		for _, c := range q.Columns {
			heads = append(heads, c.Column)
		}
	}
	return heads
}

// FieldFlag returns the flag of a library's field or argument; case does not matter. If several parameters set it,
// it returns the first one that the point uses.
func (s Space) FieldFlag(field string) (flag string, ok bool) {
	for _, q := range s.parameters {
		if q.Sets(field) && q.isUsed() {
			return q.Flag, true
		}
		if q.Sets(field) && !ok {
			flag, ok = q.Flag, true
		}
	}
	return flag, ok
}
