package main

import (
	"fmt"
	"slices"
	"strings"

	"repslab/internal/values"
)

// maxPoints bounds the combinations of one command.
const maxPoints = 1_000_000

// grid is the product of parameters: the axes that [axis] adds, the last one
// running fastest. Zipped axes run together, as the first of them.
type grid struct {
	texts    map[string]string // of the flags that are given or have a default
	presets  map[string]string // of all flags; empty where there is none
	given    map[string]bool   // flags that the user gave
	zipped   []string          // flags
	axes     []gridAxis
	wheels   []wheel
	zip      int      // one more than the wheel of the zipped axes; 0 while there is none
	err      error    // the first fault of any axis
	warnings []string // about flags that mean nothing in some combinations
	inputs   inputFiles
}

// gridAxis is a parameter of a grid.
type gridAxis struct {
	flag      string
	values    []string // in canonical text
	separator string   // between values
	wheel     int
	unused    bool // it means nothing in all combinations
	ignored   int  // combinations in which it means nothing
	asked     bool // one of these has a value that the user gave and that is not the preset
}

// text returns the values as the flag takes them.
func (a gridAxis) text() string { return strings.Join(a.values, a.separator) }

// wheel is what moves one axis, or all zipped ones.
type wheel struct {
	flag       string // of its first axis
	at, length int
}

// axis adds a parameter that has a text to a grid and returns what gives its
// current value during each. The values are those that read finds in the text.
func axis[T any](g *grid, flag string, read func(string) ([]T, error)) func() T {
	list, err := read(g.texts[flag])
	if err != nil && g.err == nil {
		g.err = usagef("--%s: %w", flag, err)
	}
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = fmt.Sprint(v)
	}
	w := g.wheelFor(flag, len(list))
	g.axes = append(g.axes, gridAxis{flag: flag, values: texts, separator: ",", wheel: w})
	return func() T { return list[g.wheels[w].at] }
}

// barred is an axis whose values contain commas and are separated by bars.
func barred[T any](g *grid, flag string, read func(string) ([]T, error)) func() T {
	next := axis(g, flag, read)
	g.axes[len(g.axes)-1].separator = "|"
	return next
}

// optional is an axis, or nothing (false) where its flag has no text.
func optional[T any](g *grid, flag string, read func(string) ([]T, error)) func() (T, bool) {
	if !g.has(flag) {
		return func() (none T, given bool) { return none, false }
	}
	next := axis(g, flag, read)
	return func() (T, bool) { return next(), true }
}

// orPreset is an axis whose text is the preset where none is given.
func orPreset[T any](g *grid, flag, preset string, read func(string) ([]T, error)) func() T {
	if !g.has(flag) {
		g.texts[flag] = preset
	}
	return axis(g, flag, read)
}

// has reports whether a flag has a text.
func (g *grid) has(flag string) bool {
	_, ok := g.texts[flag]
	return ok
}

// wheelFor returns the number of the wheel that moves a new axis.
func (g *grid) wheelFor(flag string, length int) int {
	together := slices.Contains(g.zipped, flag)
	if together && g.zip > 0 {
		first := g.wheels[g.zip-1]
		if length != first.length && g.err == nil {
			g.err = usagef("--zip: --%s has %d values and --%s has %d, but they must have the same number", first.flag, first.length, flag, length)
		}
		return g.zip - 1
	}
	g.wheels = append(g.wheels, wheel{flag: flag, length: length})
	if together {
		g.zip = len(g.wheels)
	}
	return len(g.wheels) - 1
}

// each calls visit for every combination of values, until it fails.
func (g *grid) each(visit func() error) error {
	if g.err != nil {
		return g.err
	}
	total := 1
	for _, w := range g.wheels {
		if total *= w.length; total > maxPoints {
			return usagef("the parameters have more than %d combinations", maxPoints)
		}
	}
	for range total {
		if err := visit(); err != nil {
			return err
		}
		g.advance()
	}
	return nil
}

// advance moves to the next combination.
func (g *grid) advance() {
	for i := len(g.wheels) - 1; i >= 0; i-- {
		w := &g.wheels[i]
		if w.at++; w.at < w.length {
			return
		}
		w.at = 0
	}
}

// intsIn reads integers between two bounds, ends included.
func intsIn(least, most int) func(string) ([]int, error) {
	return func(text string) ([]int, error) {
		return values.Ints(text, values.IntRange{Min: least, Max: most})
	}
}

// sizesUpTo reads sizes in bytes.
func sizesUpTo(most int64) func(string) ([]int64, error) {
	return func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Min: 1, Max: most})
	}
}

// probabilities reads numbers in (0, 1].
func probabilities(text string) ([]float64, error) {
	return values.Floats(text, values.FloatRange{Min: 0, Max: 1, MinOpen: true})
}

// namesOf reads names out of a list.
func namesOf[T ~string](allowed []T) func(string) ([]T, error) {
	return func(text string) ([]T, error) {
		plain := make([]string, len(allowed))
		for i, name := range allowed {
			plain[i] = string(name)
		}
		found, err := values.Names(text, plain)
		if err != nil {
			return nil, err
		}
		list := make([]T, len(found))
		for i, name := range found {
			list[i] = T(name)
		}
		return list, nil
	}
}

// exprAt evaluates an expression of n to an integer between two bounds, or
// returns a usage error about the flag.
func exprAt(flag string, e values.Expr, n, least, most int) (int, error) {
	v, err := e.Ceil(n, values.IntRange{Min: least, Max: most})
	if err != nil {
		return 0, usagef("--%s: %w", flag, err)
	}
	return v, nil
}

// list writes names for a flag's help.
func list[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}
