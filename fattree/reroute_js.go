package fattree

import (
	"repslab/faults"
	"repslab/internal/bitset"
)

// routing never reacts in the live page, which has no room for more.
type routing struct{}

func (s *Spec) validateReroutes(*Outline) error {
	bad := faults.List{Package: "fattree"}
	bad.Check(!s.Reroutes && s.RerouteAfter == 0, "Reroutes", s.Reroutes, "must be false, and RerouteAfter 0, in a browser")
	return bad.Err()
}

func (*Network) checkGroups() error       { return nil }
func (*Network) otherEnds() []int32       { return nil }
func (*Run) beginRouting()                {}
func (*Run) planMoves()                   {}
func (*Run) reroute()                     {}
func (*Run) nextMove(end int32) int32     { return end }
func (*tile) withdrawn(int32) *bitset.Set { return nil }
func (Ports) another(Passing) int         { return 0 }
