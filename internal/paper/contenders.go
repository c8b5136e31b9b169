package paper

import (
	"repslab/fattree"
	"repslab/fattree/balance"
)

// contender is a load balancer that the figures of the network compare.
type contender struct {
	key, name string // in tables, in legends
	look      int    // in plots, the same in all figures
	open      func(evs int) (fattree.Balancer, error)
}

// setup returns what runs the contender on networks.
func (c contender) setup(evs int, network func(uint64) (*fattree.Network, error)) fattree.Setup {
	return fattree.Setup{Network: network, Control: dctcp, Balancer: func() (fattree.Balancer, error) { return c.open(evs) }}
}

// ops and repsPaper are the contenders of every figure: oblivious spraying, and
// REPS by the rules of the paper.
func ops() contender {
	return contender{"ops", "OPS", 2, func(evs int) (fattree.Balancer, error) { return balance.NewSpraying(evs) }}
}

func repsPaper() contender {
	return repsAs("reps", "REPS", 1, balance.RecyclingConfig{Rules: balance.Paper})
}

// repsFIFO is the authors' list of EVs without end, which they ran in their EVS
// figure.
func repsFIFO() contender {
	return repsAs("reps-fifo", "REPS, authors' list", 4, balance.RecyclingConfig{Rules: balance.FIFO})
}

func ecmp() contender {
	return contender{"ecmp", "ECMP", 3, func(evs int) (fattree.Balancer, error) { return balance.NewECMP(evs) }}
}

// plb is PLB as the authors ran it: one mark in a round suffices.
func plb() contender {
	return contender{"plb", "PLB", 5, func(evs int) (fattree.Balancer, error) { return balance.NewPLB(evs, 0) }}
}

func flowlet() contender {
	return contender{"flowlet", "Flowlet", 6, func(evs int) (fattree.Balancer, error) { return balance.NewFlowlet(evs) }}
}

func mprdma() contender {
	return contender{"mprdma", "MPRDMA", 7, func(evs int) (fattree.Balancer, error) { return balance.NewMPRDMA(evs) }}
}

// mptcp is the authors' MPTCP-like balancer: 8 EVs in turn, packet by packet.
func mptcp() contender {
	return contender{"mptcp", "MPTCP-like", 8, func(evs int) (fattree.Balancer, error) { return balance.NewMultipath(evs, 8) }}
}

// bitmap takes 256 EVs at most, as the authors ran it.
func bitmap() contender {
	return contender{"bitmap", "BitMap", 4, func(evs int) (fattree.Balancer, error) { return balance.NewBitmap(min(evs, 256)) }}
}

func adaptiveRoCE() contender {
	return contender{"adaptive-roce", "Adaptive RoCE", 15, func(int) (fattree.Balancer, error) { return balance.NewAdaptive(), nil }}
}

// contenders lists who is compared in figures of three load balancers.
func contenders() []contender { return []contender{ecmp(), ops(), repsPaper()} }

// allContenders lists who is compared in figures of all load balancers, REPS
// last.
func allContenders() []contender {
	return []contender{ecmp(), ops(), plb(), flowlet(), mprdma(), mptcp(), bitmap(), adaptiveRoCE(), repsPaper()}
}
