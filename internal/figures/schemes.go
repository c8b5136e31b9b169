package figures

import (
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
)

// Contender is a load balancer that the figures of the network compare.
type Scheme struct {
	Key, Name string // in tables, in legends
	Look      int    // in plots, the same in all figures
	Open      func(evs int) (fattree.Balancer, error)
}

// Setup returns what runs the contender on networks.
func (c Scheme) Setup(evs int, network fattree.Networks) fattree.Setup {
	return fattree.Setup{Network: network, Control: DCTCP, Balancer: func() (fattree.Balancer, error) { return c.Open(evs) }}
}

// named returns a contender that package balance knows by its key.
func named(key, name string, look int) Scheme {
	return Scheme{key, name, look, func(evs int) (fattree.Balancer, error) { return balance.New(key, evs) }}
}

// OPS is oblivious spraying. It and [REPS] are in every figure.
func OPS() Scheme { return named("ops", "OPS", 2) }

// REPS is REPS by the rules of the paper.
func REPS() Scheme {
	return REPSAs("reps", "REPS", 1, balance.RecyclingConfig{Rules: balance.Paper})
}

// REPSList is the authors' list of EVs without end, which they ran in their EVS
// figure.
func REPSList() Scheme {
	return REPSAs("reps-fifo", "REPS, authors' list", 4, balance.RecyclingConfig{Rules: balance.FIFO})
}

// ECMP is a path for each flow.
func ECMP() Scheme { return named("ecmp", "ECMP", 3) }

// PLB is PLB as the authors ran it: one mark in a round suffices.
func PLB() Scheme { return named("plb", "PLB", 5) }

// Flowlet is a path for each burst.
func Flowlet() Scheme { return named("flowlet", "Flowlet", 6) }

// MPRDMA is MPRDMA as the authors ran it.
func MPRDMA() Scheme { return named("mprdma", "MPRDMA", 7) }

// MPTCP is the authors' MPTCP-like balancer: 8 EVs in turn, packet by packet.
func MPTCP() Scheme { return named("mptcp", "MPTCP-like", 8) }

// BitMap takes 256 EVs at most, as the authors ran it.
func BitMap() Scheme { return named("bitmap", "BitMap", 4) }

func adaptiveRoCE() Scheme { return named("adaptive-roce", "Adaptive RoCE", 15) }

// Three lists who is compared in figures of three load balancers.
func ThreeSchemes() []Scheme { return []Scheme{ECMP(), OPS(), REPS()} }

// All lists who is compared in figures of all load balancers, REPS last.
func AllSchemes() []Scheme {
	return []Scheme{ECMP(), OPS(), PLB(), Flowlet(), MPRDMA(), MPTCP(), BitMap(), adaptiveRoCE(), REPS()}
}

// DCTCP is the congestion control of all figures but those about it.
func DCTCP() fattree.Control { return congestion.DCTCP{} }
