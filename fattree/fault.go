package fattree

import (
	"cmp"
	"math"
	"slices"

	"repslab/internal/elementary"
	"repslab/mc"
)

// Direction selects the half of a cable.
type Direction uint8

// The directions.
const (
	Up   Direction = iota // towards the higher tier
	Down                  // towards the lower tier
	Both
)

// Fault is the failure or degradation of a part of the network for some time. A failed
// link loses every packet that enters it, data, ACK or other; routing never reacts. Links
// of hosts do not fail.
type Fault struct {
	// The failed part is the cable at uplink number Uplink of a switch, given by its
	// Tier (0: ToRs; 1: aggregation switches, with 3 tiers) and its number Switch in
	// that tier. With WholeSwitch it is everything that the switch sends (tier 1 or 2).
	Tier, Switch, Uplink int
	WholeSwitch          bool
	Direction            Direction // of a cable

	Start, End Picoseconds // [Start, End); End 0 means for good
	Rate       float64     // 0 failed; in (0, 1) degraded to this fraction of the rate, queue and marking thresholds with it
}

// change is a change of the rate of a port at a slot.
type change struct {
	slot int32
	port int32
	rate float64 // from now on; 1 is healthy
}

// validateFaults reports the first wrong entry of Faults.
func (s Spec) validateFaults() error {
	t := s.Topology
	if t.Tiers == 1 && len(s.Faults) > 0 {
		return mc.NewFieldError("fattree", "Faults", len(s.Faults), "must be none: a network of one tier has no link that can fail")
	}
	for i, f := range s.Faults {
		lowest, highest := 0, t.Tiers-2
		if f.WholeSwitch {
			lowest, highest = 1, t.Tiers-1
		}
		if f.Tier < lowest || f.Tier > highest {
			return refuse("Faults", i, "Tier", f.Tier, "must be in [%d, %d]", lowest, highest)
		}
		if switches := t.switches(f.Tier); f.Switch < 0 || f.Switch >= switches {
			return refuse("Faults", i, "Switch", f.Switch, "must be in [0, %d]", switches-1)
		}
		if uplinks := t.uplinks(f.Tier); !f.WholeSwitch && (f.Uplink < 0 || f.Uplink >= uplinks) {
			return refuse("Faults", i, "Uplink", f.Uplink, "must be in [0, %d]", uplinks-1)
		}
		if f.Direction > Both {
			return refuse("Faults", i, "Direction", f.Direction, "must be Up, Down or Both")
		}
		if err := validateTimes("Faults", i, f.Start, f.End); err != nil {
			return err
		}
		if !(f.Rate >= 0 && f.Rate < 1) {
			return refuse("Faults", i, "Rate", f.Rate, "must be in [0, 1)")
		}
		if least := leastRate * t.fastest() / t.slowestOf(f); f.Rate > 0 && f.Rate < least {
			return refuse("Faults", i, "Rate", f.Rate, "must be 0 or at least %.4g, so that no link is slower than 1/%v of the fastest one", least, 1/leastRate)
		}
	}
	return nil
}

// validateTimes reports a wrong begin or end of entry i of a list.
func validateTimes(list string, i int, start, end Picoseconds) error {
	if start < 0 {
		return refuse(list, i, "Start", ps(start), "must not be negative")
	}
	if end != 0 && end <= start {
		return refuse(list, i, "End", ps(end), "must be 0 or after Start (%v)", ps(start))
	}
	return nil
}

// slowestOf returns the rate of the slowest of the links that a fault in its place
// hits, in Gb/s.
func (t Topology) slowestOf(f Fault) float64 {
	slowest := math.Inf(1)
	if f.WholeSwitch {
		slowest = t.link(f.Tier).Gbps
	}
	if f.Tier < t.Tiers-1 {
		slowest = min(slowest, t.link(f.Tier+1).Gbps)
	}
	return slowest
}

// validateErrors reports the first wrong entry of Errors.
func (s Spec) validateErrors() error {
	if s.Topology.Tiers == 1 && len(s.Errors) > 0 {
		return mc.NewFieldError("fattree", "Errors", len(s.Errors), "must be none: a network of one tier has no link with bit errors")
	}
	for i, c := range s.Errors {
		if !(c.PerCable >= 0 && c.PerCable < 1) {
			return refuse("Errors", i, "PerCable", c.PerCable, "must be in [0, 1)")
		}
		if !(c.PerSwitch >= 0 && c.PerSwitch < 1) {
			return refuse("Errors", i, "PerSwitch", c.PerSwitch, "must be in [0, 1)")
		}
		if most := 1 / float64(2*s.Topology.Tiers-1); c.CountACKs && max(c.PerCable, c.PerSwitch) >= most {
			return refuse("Errors", i, "CountACKs", c.CountACKs, "must be false, or rates lower than %.2g, at which no packet would arrive", most)
		}
		if err := validateTimes("Errors", i, c.Start, c.End); err != nil {
			return err
		}
	}
	return nil
}

// errorRate is a [Corruption] as a run needs it.
type errorRate struct {
	start, end Picoseconds
	intact     [3]float64 // probability that a packet stays whole, by the tiers above the ToRs that its path climbs
}

// errorRates returns the spec's corruptions.
func (n *Network) errorRates() []errorRate {
	var list []errorRate
	for _, c := range n.spec.Errors {
		e := errorRate{start: c.Start, end: c.End}
		if c.End == 0 {
			e.end = n.spec.Horizon
		}
		for climb := range e.intact {
			e.intact[climb] = c.intact(climb)
		}
		list = append(list, e)
	}
	return list
}

// intact returns the probability that a packet stays whole whose path climbs some tiers above the
// ToRs.
func (c Corruption) intact(climb int) float64 {
	switches := float64(2*climb + 1)
	if c.CountACKs {
		whole := func(rate float64) float64 {
			passed := float64(rate * switches)
			return (1 - passed) / (1 + passed)
		}
		return whole(c.PerCable) * whole(c.PerSwitch)
	}
	return elementary.Pow(1-c.PerCable, switches+1) * elementary.Pow(1-c.PerSwitch, switches)
}

// corrupted draws whether a packet that arrives now has a bit error.
func (t *tile) corrupted(p packet) bool {
	intact := 1.0
	for _, e := range t.net.errors {
		if e.start <= t.now && t.now < e.end {
			intact *= e.intact[t.net.routes[p.flow()].climb]
		}
	}
	return intact < 1 && t.spoiling.Float64() >= intact
}

// switches returns the number of switches of a tier.
func (t Topology) switches(tier int) int {
	switch tier {
	case 0:
		return t.ToRs()
	case 1:
		return t.Pods() * t.AggsPerPod()
	}
	return t.AggsPerPod() * t.UplinksPerAgg
}

// uplinks returns the number of uplinks of a switch of a tier.
func (t Topology) uplinks(tier int) int {
	if tier == 0 {
		return t.UplinksPerToR
	}
	return t.UplinksPerAgg
}

// changes translates faults into what happens to ports, in order of time. Of
// faults that overlap on a port the worst counts.
func (n *Network) changes() []change {
	ofPort := map[int32][]Fault{}
	var ports []int32
	for _, f := range n.spec.Faults {
		for _, port := range n.faultyPorts(f) {
			if ofPort[port] == nil {
				ports = append(ports, port)
			}
			ofPort[port] = append(ofPort[port], f)
		}
	}
	var all []change
	for _, port := range ports {
		all = append(all, n.changesOf(port, ofPort[port])...)
	}
	slices.SortStableFunc(all, func(a, b change) int { return cmp.Compare(a.slot, b.slot) })
	return all
}

// changesOf returns the rates of one port over time.
func (n *Network) changesOf(port int32, faults []Fault) []change {
	var times []Picoseconds
	for _, f := range faults {
		times = append(times, f.Start)
		if f.End != 0 {
			times = append(times, f.End)
		}
	}
	slices.Sort(times)
	var list []change
	for _, now := range slices.Compact(times) {
		if now/n.slotTime >= int64(n.horizon) {
			break
		}
		rate := 1.0
		for _, f := range faults {
			if f.Start <= now && (f.End == 0 || now < f.End) {
				rate = min(rate, f.Rate)
			}
		}
		list = append(list, change{int32(now / n.slotTime), port, rate})
	}
	return list
}

// faultyPorts returns the ports that send into the faulty part.
func (n *Network) faultyPorts(f Fault) []int32 {
	sw := n.firstNode[f.Tier] + int32(f.Switch)
	if f.WholeSwitch {
		return n.portsOf(sw)
	}
	up, down := n.nodes[sw].up(int32(f.Uplink)), n.opposite(sw, int32(f.Uplink))
	switch f.Direction {
	case Up:
		return []int32{up}
	case Down:
		return []int32{down}
	}
	return []int32{up, down}
}
