package fattree

import "repslab/internal/bitset"

// routing never reacts in the live page, which does not set Spec.Reroutes and has no room for more.
type routing struct{}

func (*Spec) validateReroutes(*Outline) error { return nil }
func (*Network) checkGroups() error           { return nil }
func (*Network) otherEnds() []int32           { return nil }
func (*Run) beginRouting()                    {}
func (*Run) planMoves()                       {}
func (*Run) reroute()                         {}
func (*Run) nextMove(end int32) int32         { return end }
func (*tile) withdrawn(int32) *bitset.Set     { return nil }
func (Ports) another(Passing) int             { return 0 }
