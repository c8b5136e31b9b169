package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/reps"
)

// scheme is a load balancer in figures.
type scheme struct {
	key, name string     // key in tables; name in legends
	color     plot.Color // the same in all figures
	open      func(evs int) (transport.Balancer, error)
	carries   bool // ACKs carry the EVs of all packets they cover
}

// thawAt100us is the length of freezing mode in the authors' figure of two failures, in ns. All other figures use
// the default.
const thawAt100us = 100_000

// schemes lists the load balancers of the figures, as the authors ran them: PLB changes its path after one marked
// round, MPTCP sends on 8 EVs in turn, BitMap has 256 EVs. After REPS come its variants, and balancers of later
// simulators and of MRC.
func schemes() []scheme {
	thawing := reps.Config{FreezingTimeout: thawAt100us}
	return []scheme{
		named("ecmp", "ECMP"),
		named("ops", "OPS"),
		named("plb", "PLB"),
		named("flowlet", "Flowlet"),
		named("mprdma", "MPRDMA"),
		named("mptcp", "MPTCP-like"),
		named("bitmap", "BitMap"),
		named("adaptive-roce", "Adaptive RoCE"),
		variant("reps", "REPS", balance.RecyclingConfig{}),
		// The authors' unbounded list of EVs, which they ran in their EVS figure.
		variant("reps-fifo", "REPS, authors' list", balance.RecyclingConfig{Rules: balance.FIFO}),
		variant("reps-100us", "REPS, leaves freezing mode after 100 us", balance.RecyclingConfig{REPS: thawing}),
		// At the end of freezing mode it erases its ring and sends a window of random EVs.
		variant("artifact-100us", "authors' REPS, leaves freezing mode after 100 us",
			balance.RecyclingConfig{Rules: balance.Artifact, REPS: thawing}),
		variant("reps-unfrozen", "REPS without freezing",
			balance.RecyclingConfig{REPS: reps.Config{DisableFreezing: true}}),
		// It leaves freezing mode when a probe is answered.
		variant("reps-probe", "REPS, probes",
			balance.RecyclingConfig{REPS: reps.Config{Exit: reps.ExitOnProbe}}),
		// It assumes that a path has failed although none has.
		variant("reps-forced", "REPS, frozen from 50 us on",
			balance.RecyclingConfig{FreezeAt: forcedAt * microseconds}),
		named("mixed", "Mixed"),
		named("mrc", "MRC"),
		named("reps-planes", "REPS for each plane"),
		named("stratified", "Oblivious, stratified"),
	}
}

// allSchemes lists the load balancers of the paper's comparisons, REPS last.
func allSchemes() []scheme {
	list := schemes()
	return list[:1+slices.IndexFunc(list, func(c scheme) bool { return c.key == "reps" })]
}

// lb returns the load balancer with the given key. It panics if there is none.
func lb(key string) scheme {
	for _, c := range schemes() {
		if c.key == key {
			return c
		}
	}
	panic(fmt.Sprintf("figures: no load balancer is called %q", key))
}

// lbs returns the load balancers with the given keys.
func lbs(keys ...string) []scheme { return lists.Map(keys, lb) }

// setup returns the experiment that runs the scheme under DCTCP.
func (c scheme) setup(evs int, network experiment.Networks) experiment.Setup {
	return experiment.Setup{Network: network, Control: dctcp,
		Balancer: func() (transport.Balancer, error) { return c.open(evs) }}
}

// called returns the scheme under another key, name and colour.
func (c scheme) called(key, name string, color plot.Color) scheme {
	c.key, c.name, c.color = key, name, color
	return c
}

// series returns an empty series of the scheme.
func (c scheme) series(mark plot.Mark) plot.Series {
	return plot.Series{Name: c.name, Color: c.color, Mark: mark}
}

// distribution returns a series of the scheme with the cumulative distribution of a digest.
func (c scheme) distribution(of digest) plot.Series {
	s := c.series(plot.Line)
	for k := range 201 {
		share := float64(k) / 200
		appendXY(&s, of.rank(share), share)
	}
	return s
}

// tail returns a series with, for each number, the share of numbers that are at least as large.
func (c scheme) tail(of digest) plot.Series {
	s := c.series(plot.Line)
	n := len(of.Ranks)
	for k := range 201 {
		larger := max(1, int(math.Round(math.Pow(float64(n), float64(200-k)/200))))
		appendXY(&s, of.Ranks[n-larger], float64(larger)/float64(n))
	}
	return s
}

// named returns a scheme of package balance by its key.
func named(key, name string) scheme {
	return scheme{key: key, name: name, color: plot.BalancerColor(key),
		open: func(evs int) (transport.Balancer, error) { return balance.New(key, evs) }}
}

// variant returns REPS in a configuration that has its own colour.
func variant(key, name string, cfg balance.RecyclingConfig) scheme {
	return repsAs(key, name, plot.BalancerColor(key), cfg)
}

// repsAs returns REPS in a configuration.
func repsAs(key, name string, color plot.Color, cfg balance.RecyclingConfig) scheme {
	cfg.REPS.BufferSize = cmp.Or(cfg.REPS.BufferSize, reps.DefaultBufferSize)
	cfg.REPS.ReuseCount = cmp.Or(cfg.REPS.ReuseCount, reps.DefaultReuseCount)
	open := func(evs int) (transport.Balancer, error) {
		of := cfg
		of.REPS.EVSSize = evs
		return of.New()
	}
	return scheme{key: key, name: name, color: color, open: open}
}

// dctcp returns the congestion control of all figures except those about congestion control.
func dctcp() transport.Control { return congestion.DCTCP{} }

// fixedWindow returns a control that leaves the window constant.
func fixedWindow() transport.Control { return congestion.None{} }
