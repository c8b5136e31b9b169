package lineup

import (
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
)

// Contender is a load balancer that the figures of the network compare.
type Contender struct {
	Key, Name string // in tables, in legends
	Look      int    // in plots, the same in all figures
	Open      func(evs int) (fattree.Balancer, error)
}

// Setup returns what runs the contender on networks.
func (c Contender) Setup(evs int, network func(uint64) (*fattree.Network, error)) fattree.Setup {
	return fattree.Setup{Network: network, Control: DCTCP, Balancer: func() (fattree.Balancer, error) { return c.Open(evs) }}
}

// OPS is oblivious spraying. It and [REPS] are in every figure.
func OPS() Contender {
	return Contender{"ops", "OPS", 2, func(evs int) (fattree.Balancer, error) { return balance.NewSpraying(evs) }}
}

// REPS is REPS by the rules of the paper.
func REPS() Contender {
	return REPSAs("reps", "REPS", 1, balance.RecyclingConfig{Rules: balance.Paper})
}

// REPSList is the authors' list of EVs without end, which they ran in their EVS
// figure.
func REPSList() Contender {
	return REPSAs("reps-fifo", "REPS, authors' list", 4, balance.RecyclingConfig{Rules: balance.FIFO})
}

// ECMP is a path for each flow.
func ECMP() Contender {
	return Contender{"ecmp", "ECMP", 3, func(evs int) (fattree.Balancer, error) { return balance.NewECMP(evs) }}
}

// PLB is PLB as the authors ran it: one mark in a round suffices.
func PLB() Contender {
	return Contender{"plb", "PLB", 5, func(evs int) (fattree.Balancer, error) { return balance.NewPLB(evs, 0) }}
}

// Flowlet is a path for each burst.
func Flowlet() Contender {
	return Contender{"flowlet", "Flowlet", 6, func(evs int) (fattree.Balancer, error) { return balance.NewFlowlet(evs) }}
}

// MPRDMA is MPRDMA as the authors ran it.
func MPRDMA() Contender {
	return Contender{"mprdma", "MPRDMA", 7, func(evs int) (fattree.Balancer, error) { return balance.NewMPRDMA(evs) }}
}

// MPTCP is the authors' MPTCP-like balancer: 8 EVs in turn, packet by packet.
func MPTCP() Contender {
	return Contender{"mptcp", "MPTCP-like", 8, func(evs int) (fattree.Balancer, error) { return balance.NewMultipath(evs, 8) }}
}

// BitMap takes 256 EVs at most, as the authors ran it.
func BitMap() Contender {
	return Contender{"bitmap", "BitMap", 4, func(evs int) (fattree.Balancer, error) { return balance.NewBitmap(min(evs, 256)) }}
}

func adaptiveRoCE() Contender {
	return Contender{"adaptive-roce", "Adaptive RoCE", 15, func(int) (fattree.Balancer, error) { return balance.NewAdaptive(), nil }}
}

// Three lists who is compared in figures of three load balancers.
func Three() []Contender { return []Contender{ECMP(), OPS(), REPS()} }

// All lists who is compared in figures of all load balancers, REPS last.
func All() []Contender {
	return []Contender{ECMP(), OPS(), PLB(), Flowlet(), MPRDMA(), MPTCP(), BitMap(), adaptiveRoCE(), REPS()}
}

// DCTCP is the congestion control of all figures but those about it.
func DCTCP() fattree.Control { return congestion.DCTCP{} }
