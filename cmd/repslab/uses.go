package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"repslab/sweep"
)

// use says which combinations a parameter means something in. A parameter without a
// use means something in all of them.
type use[P any] struct {
	flag string
	only string // in words, after "it is used only"
	by   func(P) bool
}

// newGrid returns the grid of a model's parameters, with presets filled in. The
// zipped parameters run together.
func (m model) newGrid(given map[string]string, zipped []string) (*grid, error) {
	g := &grid{texts: map[string]string{}, presets: map[string]string{}, given: map[string]bool{}, zipped: zipped}
	var keys []string
	for _, p := range m.parameters {
		keys = append(keys, keyOf(p.flag))
		g.presets[p.flag] = p.preset
		if p.preset != "" {
			g.texts[p.flag] = p.preset
		}
	}
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if _, known := g.presets[flag]; !known {
			return nil, usagef("parameter %.60q must be one of %s", keyOf(flag), strings.Join(keys, ", "))
		}
		g.texts[flag], g.given[flag] = given[flag], true
	}
	for _, flag := range zipped {
		if !g.has(flag) {
			return nil, usagef("--zip: %.60q must be a parameter of %s that has a value: %s", flag, m.name, strings.Join(slices.Sorted(maps.Keys(g.texts)), ", "))
		}
	}
	return g, nil
}

// collect returns the combinations of a grid; next makes one from the current values.
// If combinations have the same keys because they differ only in values that mean
// nothing to them, the first one stays. A parameter that the user gave and that means
// nothing in all combinations is an error; one that means nothing in some of them is
// warned of.
func collect[P interface{ point() sweep.Point }](g *grid, uses []use[P], next func() (P, error)) ([]P, error) {
	axes := make([]*gridAxis, len(uses)) // nil where the parameter has no value
	for i := range g.axes {
		if k := slices.IndexFunc(uses, func(u use[P]) bool { return u.flag == g.axes[i].flag }); k >= 0 {
			axes[k] = &g.axes[i]
			axes[k].unused = true
		}
	}
	var list []P
	total, seen := 0, map[string]bool{}
	err := g.each(func() error {
		p, err := next()
		if err != nil {
			return err
		}
		total++
		several := false // a parameter that means nothing here has several values
		for i, u := range uses {
			switch a := axes[i]; {
			case a == nil:
			case u.by(p):
				a.unused = false
			default:
				several = several || len(a.values) > 1
				a.ignored++
				a.asked = a.asked || g.given[a.flag] && a.values[g.wheels[a.wheel].at] != g.presets[a.flag]
			}
		}
		if several {
			keys := fmt.Sprintf("%#v", p.point().Parameters)
			if seen[keys] {
				return nil
			}
			seen[keys] = true
		}
		list = append(list, p)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, u := range uses {
		switch a := axes[i]; {
		case a == nil:
		case a.unused && g.given[a.flag]:
			return nil, usagef("--%s: %.60s means nothing here: it is used only %s", a.flag, a.text(), u.only)
		case !a.unused && a.asked:
			g.warnings = append(g.warnings, fmt.Sprintf("--%s: it means nothing in %d of %d combinations: it is used only %s", a.flag, a.ignored, total, u.only))
		}
	}
	return list, nil
}

// pointsOf returns the points of combinations.
func pointsOf[P interface{ point() sweep.Point }](list []P, err error) ([]sweep.Point, error) {
	points := make([]sweep.Point, len(list))
	for i, p := range list {
		points[i] = p.point()
	}
	return points, err
}
