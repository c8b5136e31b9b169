package view

import (
	"maps"
	"slices"
	"strings"

	"repslab/internal/plot"
)

// setColors gives lines their colours. A load balancer has its own and, if several columns make lines, each other
// value of the first column has one. The first line of a colour has the colour itself, a further one a shade. Lines
// without a colour keep [plot.AutoColor].
func (d *Drawing) setColors() {
	d.colors = map[lineKey]plot.Color{}
	taken := map[plot.Color]bool{}
	for _, key := range d.lines {
		if c := d.balancerColor(key); c != plot.AutoColor {
			d.colors[key], taken[c] = c, true
		}
	}
	d.colorValues(taken)
	first := map[plot.Color]bool{}
	for _, key := range d.lines {
		c := d.colors[key]
		if first[c] && c != plot.AutoColor {
			c = freeColor(taken, func(k int) plot.Color { return shadeOf(d.colors[key], k+1) })
		}
		d.colors[key], first[c], taken[c] = c, true, true
	}
}

// balancerColor returns the colour of the load balancer in the value of a line or in one of its parts.
func (d *Drawing) balancerColor(key lineKey) plot.Color {
	c := plot.BalancerColor(strings.ToLower(cellText(key.by)))
	for _, part := range d.parts(d.By, key.by) {
		if own := plot.BalancerColor(strings.ToLower(cellText(part))); own != plot.AutoColor {
			c = own
		}
	}
	return c
}

// colorValues gives lines by several columns without a load balancer the colours of their first columns' values.
func (d *Drawing) colorValues(taken map[plot.Color]bool) {
	values := map[any]plot.Color{}
	for _, key := range d.lines {
		parts := d.parts(d.By, key.by)
		if d.colors[key] != plot.AutoColor || parts == nil {
			continue
		}
		if _, known := values[parts[0]]; !known {
			c := freeColor(taken, plot.NthColor)
			values[parts[0]], taken[c] = c, true
		}
		d.colors[key] = values[parts[0]]
	}
}

// shadeOf returns the k-th shade of a colour.
func shadeOf(c plot.Color, k int) plot.Color {
	for range k {
		c = c.Hollow()
	}
	return c
}

// freeColor returns the first colour of a list that resembles no taken one or, if the first ones all do, the first that
// is not taken.
func freeColor(taken map[plot.Color]bool, nth func(k int) plot.Color) plot.Color {
	const tried = 24
	for k := range tried {
		resembled := func(other plot.Color) bool { return other != plot.AutoColor && nth(k).Resembles(other) }
		if !slices.ContainsFunc(slices.Collect(maps.Keys(taken)), resembled) {
			return nth(k)
		}
	}
	k := 0
	for taken[nth(k)] {
		k++
	}
	return nth(k)
}
