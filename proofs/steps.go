package proofs

import "slices"

// Steps returns all steps in the order of the paper, then those of the stronger
// theorem.
func Steps() []Step {
	return slices.Concat(theoremSteps(), preambleSteps(), assumptionSteps(), phaseOneSteps(), phaseTwoSteps(),
		driftSteps(), colorSteps(), conclusionSteps(), lemmaOneSteps(), lemmaTwoSteps(), strongerSteps())
}

// lines returns the line numbers from first to last.
func lines(first, last int) []int {
	var list []int
	for l := first; l <= last; l++ {
		list = append(list, l)
	}
	return list
}

// reading returns the step as a claim about round-robin, with its own check,
// argument and repair.
func (s Step) reading(reason, repair string, check func(*Audit) Finding) Step {
	s.ID += "r"
	s.Process = RoundRobin
	s.Domain = "the text's process, n >= 16, τ >= 4 ln n, b >= 2.4 ln n"
	s.Reason, s.Repair, s.Check = reason, repair, check
	s.Constants, s.Rests = nil, nil
	return s
}
