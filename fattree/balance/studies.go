//go:build !js

package balance

import (
	"repslab/fattree/transport"
	"repslab/reps"
)

// newLarge returns a REPS with a ring of more than reps.MaxBufferSize entries, by the rules of the artifact or of
// the paper. perWindow returns the configuration for a BDP in packets. The browser's page does not have it.
func newLarge(c RecyclingConfig, perWindow func(packets int) reps.Config, artifact bool) (transport.Balancer, error) {
	return newRecycling[reps.Large](c, func(packets int) (s reps.Large, err error) {
		return s, s.Init(perWindow(packets), artifact)
	})
}

// studies lists the load balancers for questions about paths. The browser's page omits them to load faster.
func studies() []Named {
	return []Named{
		{"reps-exclude", "reps that never freezes: the EV of a time-out is not used for --exclude-us; not by --profile uet", "no other source",
			func(evs int) (transport.Balancer, error) {
				return RecyclingConfig{REPS: reps.Config{EVSSize: evs}}.NewExcluding(DefaultExclude)
			}},
		{"klb", "K active EVs in turn; a mark replaces its EV with probability (K-1)/K; K is --active-evs", "ecn-sweep",
			func(evs int) (transport.Balancer, error) { return NewKLB(evs, DefaultActive, false) }},
		{"klb-always", "klb in which every mark replaces its EV: the senders of SKLB, without its switches", "ecn-sweep",
			func(evs int) (transport.Balancer, error) { return NewKLB(evs, DefaultActive, true) }},
		{"hklb", "uniform EVs until K without a mark are known, then as klb; a loss removes its EV", "ecn-sweep",
			func(evs int) (transport.Balancer, error) { return NewHKLB(evs, DefaultActive) }},
		{"path-round-robin", "EVs in turn from --path-start: with --ev-routing exact and as many --evs as paths, all paths in turn", "no other source",
			func(evs int) (transport.Balancer, error) { return NewRotation(evs, StartZero) }},
		{"source-round-robin", "path-round-robin with one rotation for all flows of a host", "McClure25",
			func(evs int) (transport.Balancer, error) { return NewSourceRotation(evs, StartZero) }},
		{"destination-round-robin", "each switch takes its ports in turn for data, separately for each destination host", "McClure25",
			func(int) (transport.Balancer, error) { return NewDestinationRoundRobin(), nil }},
		{"shorter-of-two", "each switch takes the shorter queue of two uniform ports for data", "Mitzenmacher01",
			func(int) (transport.Balancer, error) { return NewShorterOfTwo(), nil }},
		{"path-static", "one EV for each source host, its number; with --ev-routing exact and as many --evs as paths no two hosts of a ToR share one",
			"no other source", NewStatic},
		{"oracle", "bound: knows the links that are up and their rates, and sends to paths in proportion; with exact EVs", "no other source",
			NewOracle},
	}
}
