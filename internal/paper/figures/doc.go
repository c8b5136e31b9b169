// Package figures answers one question: which experiment re-makes which figure,
// table or claim of the paper [Bonato26]?
//
// Each figure has a file of its name, beginning with the rules of the claims that it
// decides; figNNjudge.go holds the judging where it is long. Figures are numbered by
// their order of appearance in the camera-ready paper. Beside the paper's there are
// our own: open, look, crosscheck, ring, oversubscription, settings, conclusion.
// Pieces that several figures share: acks.go (coalesced ACKs), distribution.go
// (quantiles and shares of flows), micro.go (the ECN thresholds of the microscopic
// figures), switch.go (queues of one switch, by the theory), testbed.go (the FPGA
// testbed as a model).
package figures
