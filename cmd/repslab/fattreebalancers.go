package main

import (
	"repslab/fattree"
	"repslab/fattree/balance"
)

// balancerName is the name of a load balancer.
type balancerName string

// Balancers that the command knows more about than their names: the one that the
// flags of REPS are for, the one that takes a power of two of EVs, the one that
// not every congestion control can serve, and those that count unmarked ACKs.
const (
	lbREPS     balancerName = "reps"
	lbBitmap   balancerName = "bitmap"
	lbSubflows balancerName = "mptcp-subflows"
	lbPLB      balancerName = "plb"
	lbPLBK25   balancerName = "plb-k25"
)

// balancers lists what --lb chooses from, by the names of package balance. Sources
// are keys of docs/references.md.
func balancers() []system {
	return []system{
		{"ecmp", "one EV for each flow, its number", "Bonato26 sec. 4.1"},
		{"ops", "oblivious packet spraying: a uniform EV for each packet", "Dixit13; Bonato26 sec. 4.1"},
		{string(lbPLB), "another EV after 2 rounds of an RTT with a mark, or a time-out; K = 0 as the authors run it", "Qureshi22; Bonato26-artifact"},
		{string(lbPLBK25), "plb with rounds congested above 25 % of marks, as the authors mean it", "Qureshi22; Bonato26-artifact"},
		{"flowlet", "another EV after half an RTT without an ACK", "Vanini17; Bonato26-artifact"},
		{"mprdma", "the EV of the last ACK that left room in the window, else uniform", "Lu18; Bonato26-artifact"},
		{"mptcp", "8 fixed EVs in turn, packet by packet, with one window", "Raiciu11; Bonato26-artifact"},
		{string(lbSubflows), "8 subflows with a window and an EV each, a packet to the next that has room; --cc dctcp or none", "Raiciu11; Bonato26 sec. 4.1"},
		{string(lbBitmap), "like STrack: EVs in turn, those with marks and losses passed over; the largest power of two of --evs up to 256", "Le24; Bonato26-artifact"},
		{"adaptive-roce", "each switch takes the shortest queue, for data and ACKs", "Bonato26-artifact"},
		{"switch-ops", "control: each switch takes a uniform port, for data and ACKs", "no other source"},
		{"round-robin", "control: each switch takes its ports in turn for data", "no other source"},
		{string(lbREPS), "the EVs of unmarked ACKs again, else uniform; freezing mode when a failure is suspected", "Bonato26 sec. 3"},
	}
}

// balancerNames are the values of --lb.
func balancerNames() (names []balancerName) {
	for _, b := range balancers() {
		names = append(names, balancerName(b.name))
	}
	return names
}

// hearsCarried reports whether the point's load balancer learns from the unmarked
// packets that an ACK carries beside its own.
func (p *fattreePoint) hearsCarried() bool {
	return p.lb == lbREPS || p.lb == lbPLB || p.lb == lbPLBK25
}

// takesEVs reports whether a load balancer of the point chooses EVs: all do but
// those whose switches choose the ports.
func (p *fattreePoint) takesEVs() bool {
	b, err := p.mainBalancer()
	_, routes := b.(fattree.Router)
	return err == nil && !routes || p.background > 0
}

// caches reports whether the point's load balancer is a reps with a ring and
// freezing mode.
func (p *fattreePoint) caches() bool { return p.lb == lbREPS && p.rules != balance.FIFO }

// mainBalancer returns the point's load balancer.
func (p *fattreePoint) mainBalancer() (fattree.Balancer, error) {
	if p.lb == lbREPS {
		return p.recycling().New()
	}
	return balance.New(string(p.lb), p.evs)
}
