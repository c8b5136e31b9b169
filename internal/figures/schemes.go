package figures

import (
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/reps"
)

// scheme is a load balancer of the figures.
type scheme struct {
	key, name string // in tables; in legends
	color     int    // of plots, the same in all figures
	open      func(evs int) (fattree.Balancer, error)
}

// setup returns the experiment that runs the scheme under DCTCP.
func (c scheme) setup(evs int, network fattree.Networks) fattree.Setup {
	return fattree.Setup{Network: network, Control: DCTCP, Balancer: func() (fattree.Balancer, error) { return c.open(evs) }}
}

// called returns the scheme under another key, name and colour.
func (c scheme) called(key, name string, color int) scheme {
	c.key, c.name, c.color = key, name, color
	return c
}

// named returns a scheme that package balance knows by its key.
func named(key, name string, color int) scheme {
	return scheme{key, name, color, func(evs int) (fattree.Balancer, error) { return balance.New(key, evs) }}
}

// The schemes as the authors ran them: PLB repaths after one marked round, MPTCP sends
// on 8 EVs in turn, BitMap has 256 EVs.
func OPS() scheme          { return named("ops", "OPS", 2) }
func ECMP() scheme         { return named("ecmp", "ECMP", 3) }
func PLB() scheme          { return named("plb", "PLB", 5) }
func Flowlet() scheme      { return named("flowlet", "Flowlet", 6) }
func MPRDMA() scheme       { return named("mprdma", "MPRDMA", 7) }
func MPTCP() scheme        { return named("mptcp", "MPTCP-like", 8) }
func BitMap() scheme       { return named("bitmap", "BitMap", 4) }
func AdaptiveRoCE() scheme { return named("adaptive-roce", "Adaptive RoCE", 15) }

// REPS follows the rules of the paper.
func REPS() scheme { return repsAs("reps", "REPS", 1, balance.RecyclingConfig{}) }

// repsAs is REPS in another configuration.
func repsAs(key, name string, color int, cfg balance.RecyclingConfig) scheme {
	return scheme{key, name, color, func(evs int) (fattree.Balancer, error) {
		of := cfg
		of.REPS.EVSSize = evs
		return of.New()
	}}
}

// repsList is the authors' list of EVs without end, which they ran in their EVS figure.
func repsList() scheme {
	return repsAs("reps-fifo", "REPS, authors' list", 4, balance.RecyclingConfig{Rules: balance.FIFO})
}

// thawAt100us is the length of freezing mode in the authors' figure of two
// failures, in ns; in all others they have the default.
const thawAt100us = 100_000

// repsThawing is REPS that leaves freezing mode after 100 us.
func repsThawing() scheme {
	return repsAs("reps-100us", "REPS, thaws after 100 us", 1,
		balance.RecyclingConfig{REPS: reps.Config{FreezingTimeout: thawAt100us}})
}

// artifactThawing is the authors' REPS that leaves freezing mode after 100 us, erases its
// ring, and then sends a window of random EVs.
func artifactThawing() scheme {
	return repsAs("artifact-100us", "authors' REPS, thaws after 100 us", 4,
		balance.RecyclingConfig{Rules: balance.Artifact, REPS: reps.Config{FreezingTimeout: thawAt100us}})
}

// repsUnfrozen is REPS without freezing mode.
func repsUnfrozen() scheme {
	return repsAs("reps-unfrozen", "REPS without freezing", 3,
		balance.RecyclingConfig{REPS: reps.Config{DisableFreezing: true}})
}

// threeSchemes lists the schemes of figures of three load balancers.
func threeSchemes() []scheme { return []scheme{ECMP(), OPS(), REPS()} }

// allSchemes lists all load balancers, REPS last.
func allSchemes() []scheme {
	return []scheme{ECMP(), OPS(), PLB(), Flowlet(), MPRDMA(), MPTCP(), BitMap(), AdaptiveRoCE(), REPS()}
}

// DCTCP is the congestion control of all figures but those about it.
func DCTCP() fattree.Control { return congestion.DCTCP{} }

// fixedWindow is no congestion control.
func fixedWindow() fattree.Control { return congestion.None{} }
