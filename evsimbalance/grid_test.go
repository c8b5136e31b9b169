package evsimbalance

import (
	"math"
	"testing"
)

// TestGridLeavesOutNothing: of the sum (4) hardly anything is at the angles that
// are left out, whatever the largest load, and hardly anything of what it counts
// are other numbers of balls; and few angles are kept that could be left out.
func TestGridLeavesOutNothing(t *testing.T) {
	for _, c := range []struct {
		balls   int
		classes []class
	}{
		{1, []class{newClass(1, 1), newClass(1e-3, 5)}},
		{5, []class{newClass(2.5, 2)}},
		{40, []class{newClass(10, 4)}},
		{300, []class{newClass(60, 3), newClass(20, 6)}},
		{2000, []class{newClass(62.5, 32)}},
		{100, []class{newClass(1, 100)}},
		{3000, []class{newClass(2900, 1), newClass(1, 100)}},
	} {
		g := newGrid(c.balls, c.classes)
		full := grid{size: g.size, points: (g.size + 1) / 2}
		if g.size%2 == 0 || g.points < 1 || g.points > full.points {
			t.Fatalf("%d balls: %d points of %d", c.balls, g.points, g.size)
		}
		var walks []*walk
		end := 0
		for _, class := range c.classes {
			walks = append(walks, newWalk(class, full))
			end = max(end, class.first+len(class.mass))
		}
		for k := range end {
			rest := 0.0
			for _, w := range walks {
				w.advance(k)
			}
			for j := g.points; j < full.points; j++ {
				size := 2.0
				for _, w := range walks {
					size *= math.Pow(math.Hypot(w.spokes[j].sumRe, w.spokes[j].sumIm), float64(w.bins))
				}
				rest += size
			}
			// Masses have rounding errors, so that sums of them that vanish do not.
			if rest > negligible+float64(full.points)*1e-30 {
				t.Errorf("%d balls, loads up to %d: %.2g is left out, more than %v", c.balls, k, rest, negligible)
				break
			}
		}
		// P[Poisson(m) = m + size] against P[Poisson(m) = m].
		m, size := float64(c.balls), float64(g.size)
		here, _ := math.Lgamma(m + 1)
		there, _ := math.Lgamma(m + size + 1)
		if alias := size*math.Log(m) + here - there; alias > math.Log(negligible) {
			t.Errorf("%d balls: a grid of %d counts %d more with a relative weight of e^%.1f", c.balls, g.size, g.size, alias)
		}
	}
}

// TestGridIsSmall: a grid is hardly larger than the aliases and the terms of all
// loads demand, so that a law takes no longer than it must.
func TestGridIsSmall(t *testing.T) {
	for _, c := range []struct{ balls, bins, points int }{{7, 7, 21}, {4096, 64, 30}, {1 << 16, 32, 35}, {1 << 21, 32, 36}} {
		g := newGrid(c.balls, []class{newClass(float64(c.balls)/float64(c.bins), c.bins)})
		m := float64(c.balls)
		// The least size whose aliases count for nothing: the alias m + size of
		// Poisson(m) has at most exp(-m ((1+u) ln(1+u) - u)), u = size/m.
		least := 1
		for far := 0.0; far > math.Log(negligible/(2*math.E*math.Sqrt(m))); least++ {
			u := float64(least+1) / m
			far = -m * ((1+u)*math.Log1p(u) - u)
		}
		if g.size < least || g.size > least+least/30+4 {
			t.Errorf("%+v: size %d, want %d and hardly more", c, g.size, least)
		}
		// The term of all loads is exp(-2 m sin^2(angle/2)), on both sides.
		needed, rest := (g.size+1)/2, 0.0
		for ; needed > 1; needed-- {
			sine := math.Sin(math.Pi * float64(needed-1) / float64(g.size))
			if rest += 2 * math.Exp(-2*m*sine*sine); rest > negligible {
				break
			}
		}
		if g.points < needed || g.points > c.points {
			t.Errorf("%+v: %d points, want at least %d", c, g.points, needed)
		}
	}
}
