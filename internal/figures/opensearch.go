package figures

import "repslab/mc"

// openStage is a stage of a search. Each stage has replicas of its own, so that a
// point chosen in one is not flattered in the next.
type openStage int

// The stages.
const (
	onMap     openStage = iota // points laid out beforehand
	choosing                   // points that the map suggests
	confirmed                  // points that are reported, with what the others chose
)

// String names the stage in tables.
func (s openStage) String() string { return [...]string{"map", "choosing", "confirmed"}[s] }

// seed returns the seed of the stage's replicas.
func (s openStage) seed(first uint64) uint64 { return first + uint64(s) }

// crossing is where a share rises through a level with an integer: at the point
// below it is less and at the point above more, both by the 95 % interval. Between
// them it is undecided. Either is nil if no such point was found within the bounds of
// the search.
type crossing[P any] struct{ below, above *P }

// cross looks for the crossing of a share by fresh runs. From hi it steps up to most,
// until the interval excludes the level there, and then, unless a point on the way was
// below, from lo < hi down to least.
func cross[P any](lo, hi, least, most int, level float64, at func(int) (P, mc.Estimate)) crossing[P] {
	var c crossing[P]
	look := func(x int) {
		switch p, share := at(x); {
		case share.Hi < level:
			c.below = &p
		case share.Lo > level:
			c.above = &p
		}
	}
	for x := hi; x <= most && c.above == nil; x++ {
		look(x)
	}
	for x := lo; x >= least && c.below == nil; x-- {
		look(x)
	}
	return c
}
