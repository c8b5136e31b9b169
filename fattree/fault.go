package fattree

import (
	"cmp"
	"math/bits"
	"slices"

	"repslab/faults"
	"repslab/internal/elementary"
)

// Fault is the failure or degradation of links for some time. A failed link loses every packet that enters it:
// data, ACKs and all others. Routing reacts only with [Spec].Reroutes. Links of hosts do not fail, but the links of
// network cards ([Switch].NIC) do. Of faults that overlap on a link, the lowest rate and the largest loss count.
type Fault struct {
	Ports      []int       // the ports that send into the links, numbered as in [Network.Ports]
	Start, End Picoseconds // [Start, End); End 0 means for good
	// Rate 0 without a Loss is a failure. A Rate in (0, 1) reduces the rate of the links, the queues and the marking
	// thresholds to this fraction.
	Rate float64
	// Loss is the probability, in [0, 1), with which the links lose each data packet that enters them; headers pass.
	// Links with a Loss do not fail, and have their full rate if Rate is 0.
	Loss float64
	// Flapping links have the fault in the first Down of every Period, counted from Start; 0 < Down < Period. If
	// both are 0, links have the fault all the time.
	Period, Down Picoseconds

	// A silent fault of paths: data packets of the flows [Flows[0], Flows[1]) are lost if the switch of their
	// source sends them by one of the paths [Paths[0], Paths[1]). A path is one of this switch's equal-cost ports
	// towards the destination, counted from 0. Headers pass, and so do packets between hosts of one switch. A flow
	// stands for all messages of its connection. With a Loss the paths lose this part of the packets.
	Flows, Paths [2]int
}

// maxFlaps bounds the number of flaps before Horizon, summed over the links that flap.
const maxFlaps = 1 << 21

// Corruption describes bit errors. Each data packet is corrupted independently with the given probability at every
// link or switch that it crosses, and discarded by the receiver. ACKs are never corrupted. Errors on some links alone
// are a [Fault] with a Loss.
type Corruption struct {
	PerCable, PerSwitch float64     // probabilities in [0, 1)
	PerPacket           float64     // probability once for each packet, however long its path
	Start, End          Picoseconds // End 0 is permanent
	Period, Down        Picoseconds // as of a [Fault]
	// CountACKs counts errors as the authors' simulator does. Its rate r is a fraction of all packets that leave
	// switches, data packets and ACKs alike, but all errors hit data packets, and the links of sending hosts have
	// none. So a packet that passes h switches is corrupted with probability 2rh/(1+rh), 5.8 % for r = 1 % and h =
	// 3.
	CountACKs bool
}

// change is a change of the rate of a port, or of the part of packets that it loses, at a slot.
type change struct {
	slot       int32
	port       int32
	rate, loss float64 // from now on; 1 and 0 are healthy
}

// validateFaults reports the first wrong entry of Faults.
func (n *Network) validateFaults() error {
	for i, f := range n.spec.Faults {
		if err := validateTimes("Faults", i, f.Start, f.End); err != nil {
			return err
		}
		if !(f.Rate >= 0 && f.Rate < 1) {
			return refuse("Faults", i, "Rate", f.Rate, "must be in [0, 1)")
		}
		if !(f.Loss >= 0 && f.Loss < 1) {
			return refuse("Faults", i, "Loss", f.Loss, "must be in [0, 1)")
		}
		for _, port := range f.Ports {
			if !n.betweenSwitches(port) {
				return refuse("Faults", i, "Ports", port, "must be ports of switches to other switches")
			}
			if least := LeastRate / n.rates[n.ports[port].link]; f.Rate > 0 && f.Rate < least {
				return refuse("Faults", i, "Rate", f.Rate, "must be 0 or at least %.4g, so that no link is slower than 1/%v of the fastest one", least, 1/LeastRate)
			}
		}
	}
	return n.validateFlaps()
}

// validateFlaps reports the first wrong period, or too many flaps.
func (n *Network) validateFlaps() error {
	flaps := int64(0)
	for i, f := range n.spec.Faults {
		if f.Period == 0 && f.Down == 0 {
			continue
		}
		if err := validatePeriod("Faults", i, f.Period, f.Down); err != nil {
			return err
		}
		if flaps += min(f.flaps(n.spec.Horizon), 2*maxFlaps) * int64(len(f.Ports)); flaps > maxFlaps {
			return faults.New("fattree", "Faults", faultCount(len(n.spec.Faults)), "must flap less often: links do so more than %d times before the run ends", maxFlaps)
		}
	}
	return nil
}

// validatePeriod reports a wrong period of entry i of a list.
func validatePeriod(list string, i int, period, down Picoseconds) error {
	if (period != 0 || down != 0) && !(0 < down && down < period && period <= longestPeriod) {
		return refuse(list, i, "Down", ps(down), "must be above 0 and below Period (%v), which must be at most %v", ps(period), ps(longestPeriod))
	}
	return nil
}

// longestPeriod keeps times far below overflow.
const longestPeriod = 1 << 60

// flaps returns how often the fault begins before a time.
func (f *Fault) flaps(until Picoseconds) int64 {
	if f.End != 0 {
		until = min(until, f.End)
	}
	switch {
	case f.Start >= until:
		return 0
	case f.Period == 0:
		return 1
	}
	return int64((until-1-f.Start)/f.Period) + 1
}

// holds reports whether the fault is in force at a time.
func (f *Fault) holds(now Picoseconds) bool {
	return f.Start <= now && (f.End == 0 || now < f.End) && (f.Period == 0 || (now-f.Start)%f.Period < f.Down)
}

// SetFailed fails the link that a port sends into, or repairs it, in the slot that [Run.Step] runs next, like a
// [Fault] that begins or ends then. It lasts until a later change of the same link by [Spec.Faults], or until the
// next [Run.Begin]. Spec.Faults must not be empty, because hosts put more into ACKs when ACKs can be lost; a fault
// in the last slot before Horizon is enough. The error is a joined [*faults.FieldError]. O(changes of the switch).
func (r *Run) SetFailed(port int, failed bool) error {
	made(r != nil && r.net != nil, "Run", "NewRun")
	bad := faults.List{Package: "fattree"}
	bad.Check(len(r.net.faults) > 0, "Faults", faultCount(0), "must be at least one where links fail during a run")
	bad.Check(r.net.betweenSwitches(port), "port", port, "must be that of a switch to another switch")
	if err := bad.Err(); err != nil {
		return err
	}
	t := &r.tiles[r.net.switchOf(int32(port))]
	c := change{r.slot, int32(port), 1, 0}
	if failed {
		c.rate = 0
	}
	t.changes = inOrder(append(t.changes, c))
	if t.diedAt == nil {
		t.diedAt = map[int32]int32{}
	}
	if r.routing != nil {
		r.planMoves()
	}
	return nil
}

// betweenSwitches reports whether a port leads from a switch to another switch.
func (n *Network) betweenSwitches(port int) bool {
	return port >= 0 && port < len(n.ports) && n.ports[port].link > 0
}

// denyPaths notes the faults of paths. It reports the first flow or path that does not exist, and the first flow
// that would lose all its paths.
func (n *Network) denyPaths() error {
	for i := range n.spec.Faults {
		f := &n.spec.Faults[i]
		for flow := f.Flows[0]; flow < f.Flows[1]; flow++ {
			if flow < 0 || flow >= n.Flows() {
				return refuse("Faults", i, "Flows", flow, "must be a flow that exists, in [0, %d]", n.Flows()-1)
			}
			sw, to := n.home[n.ends[flow].source], n.ends[flow].destination
			first, count := n.toward(sw, to)
			switch least, end, last := f.Paths[0], f.Paths[1], int(count)-1; {
			case n.nodes[sw].nic:
				return refuse("Faults", i, "Flows", flow, "must be a flow of a host without a network card of several links, one for each plane")
			case sw == n.home[to]:
				continue
			case least < 0 || end <= least || end-1 > last || end-least > last && f.isForGood():
				return refuse("Faults", i, "Paths", end-1, "must be an uplink of the ToR of flow %d, in [0, %d], and not the last one left for good", flow, last)
			}
			for path := f.Paths[0]; path < f.Paths[1]; path++ {
				at := [2]int32{n.Connection(int32(flow)), n.nodes[sw].firstPort + first + int32(path)}
				n.denied[at] = append(n.denied[at], f)
			}
		}
	}
	return nil
}

// denies reports whether a fault of paths loses a packet at the port that it has chosen.
func (t *tile) denies(c *Crossing) bool {
	faults := t.net.denied[[2]int32{c.Packet.Flow(), t.sw.firstPort + int32(c.port())}]
	end := Picoseconds(t.slot+1)*t.net.slotTime - 1 // the end of the slot: the last fault of a slot counts, as for a link
	return slices.ContainsFunc(faults, func(f *Fault) bool { return f.holds(end) && (f.Loss == 0 || t.losing.Float64() < f.Loss) })
}

// isForGood reports whether the fault is a failure that never ends.
func (f *Fault) isForGood() bool { return f.Rate == 0 && f.Loss == 0 && f.End == 0 && f.Period == 0 }

// lossyPort is a port of a tile into a link that loses a part of the data packets.
type lossyPort struct {
	id   int32 // in the tile
	loss float64
}

// setLoss sets the part of the packets that a port's link loses.
func (t *tile) setLoss(id int32, loss float64) {
	t.lossy = slices.DeleteFunc(t.lossy, func(l lossyPort) bool { return l.id == id })
	if loss > 0 {
		t.lossy = append(t.lossy, lossyPort{id, loss})
	}
	t.unusual = t.demands || len(t.lossy) > 0
}

// breakLinks draws which of 64 busy ports lose the packet that they send next, and lets their links fail for now.
func (t *tile) breakLinks(from uint32, busy uint64) (broken uint64) {
	for _, l := range t.lossy {
		if at := uint32(l.id) - from; at < 64 && busy>>at&1 != 0 && t.losing.Float64() < l.loss {
			t.ports[l.id].side = failed
			broken |= 1 << at
		}
	}
	return broken
}

// mendLinks undoes breakLinks.
func (t *tile) mendLinks(from uint32, broken uint64) {
	for ; broken != 0; broken &= broken - 1 {
		id := int32(from) + int32(bits.TrailingZeros64(broken))
		t.ports[id].side = t.sw.side(id)
	}
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

// validateErrors reports the first wrong entry of Errors.
func (s Spec) validateErrors(o Outline) error {
	if o.Sink && len(s.Errors) > 0 {
		return faults.New("fattree", "Errors", len(s.Errors), "must be none: the way to a sink has no link with bit errors")
	}
	for i, c := range s.Errors {
		if !(c.PerCable >= 0 && c.PerCable < 1) {
			return refuse("Errors", i, "PerCable", c.PerCable, "must be in [0, 1)")
		}
		if !(c.PerSwitch >= 0 && c.PerSwitch < 1) {
			return refuse("Errors", i, "PerSwitch", c.PerSwitch, "must be in [0, 1)")
		}
		if !(c.PerPacket >= 0 && c.PerPacket < 1) {
			return refuse("Errors", i, "PerPacket", c.PerPacket, "must be in [0, 1)")
		}
		if most := 1 / float64(o.mostHops()-1); c.CountACKs && max(c.PerCable, c.PerSwitch) >= most {
			return refuse("Errors", i, "CountACKs", c.CountACKs, "must be false, or rates lower than %.2g, at which no packet would arrive", most)
		}
		if err := cmp.Or(validateTimes("Errors", i, c.Start, c.End), validatePeriod("Errors", i, c.Period, c.Down)); err != nil {
			return err
		}
	}
	return nil
}

// errorRate is a [Corruption] in the form that a run needs.
type errorRate struct {
	Fault            // with its times alone
	intact []float64 // probability that a packet stays intact, by kind of path
}

// errorRates returns the spec's corruptions.
func (n *Network) errorRates() []errorRate {
	var list []errorRate
	for _, c := range n.spec.Errors {
		e := errorRate{Fault: Fault{Start: c.Start, End: c.End, Period: c.Period, Down: c.Down}}
		for _, path := range n.outline.Paths {
			e.intact = append(e.intact, c.intact(path.hops()))
		}
		list = append(list, e)
	}
	return list
}

// intact returns the probability that a packet stays intact on a path of some number of links.
func (c Corruption) intact(links int) float64 {
	switches := float64(links - 1)
	once := 1 - c.PerPacket
	if c.CountACKs {
		whole := func(rate float64) float64 {
			passed := float64(rate * switches)
			return (1 - passed) / (1 + passed)
		}
		return once * whole(c.PerCable) * whole(c.PerSwitch)
	}
	return once * elementary.Pow(1-c.PerCable, switches+1) * elementary.Pow(1-c.PerSwitch, switches)
}

// withoutErrors draws a bit error for each packet that arrives, and returns the packets without one.
func (t *tile) withoutErrors(arrived []Crossing) []Crossing {
	whole := arrived[:0]
	for _, c := range arrived {
		intact := 1.0
		for i := range t.net.errors {
			if e := &t.net.errors[i]; e.holds(t.edge.Now) {
				intact *= e.intact[t.net.routes[c.Packet.Flow()].path]
			}
		}
		if intact < 1 && t.spoiling.Float64() >= intact {
			t.Corrupted++
			t.noteLost(c.Packet)
		} else {
			whole = append(whole, c)
		}
	}
	return whole
}

// changes translates faults into changes of ports, in order of time. If faults overlap on a port, the worst
// counts.
func (n *Network) changes() []change {
	ofPort := map[int32][]Fault{}
	var ports []int32
	for _, f := range n.spec.Faults {
		for _, p := range f.Ports {
			port := int32(p)
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
	return inOrder(all)
}

// inOrder returns changes sorted by slot; within a slot they keep their order in the list.
func inOrder(list []change) []change {
	order := make([]int64, len(list)) // by slot, then by place
	for i, c := range list {
		order[i] = int64(c.slot)<<32 | int64(i)
	}
	slices.Sort(order)
	sorted := make([]change, len(list))
	for i, place := range order {
		sorted[i] = list[int32(place)]
	}
	return sorted
}

// changesOf returns the rates of one port over time.
func (n *Network) changesOf(port int32, faults []Fault) []change {
	var times []Picoseconds
	for _, f := range faults {
		for i := range f.flaps(n.spec.Horizon) {
			begin := f.Start + Picoseconds(i)*f.Period
			times = append(times, begin)
			if f.Period > 0 {
				times = append(times, begin+f.Down)
			}
		}
		if f.End != 0 {
			times = append(times, f.End)
		}
	}
	slices.Sort(times)
	var list []change
	for _, now := range slices.Compact(times) {
		if now/n.slotTime >= Picoseconds(n.horizon) {
			break
		}
		c := change{int32(now / n.slotTime), port, 1, 0}
		for _, f := range faults {
			if !f.holds(now) {
				continue
			}
			if c.loss = max(c.loss, f.Loss); f.Rate > 0 || f.Loss == 0 {
				c.rate = min(c.rate, f.Rate)
			}
		}
		if c.rate == 0 {
			c.loss = 0 // a failed link loses all packets
		}
		list = append(list, c)
	}
	return list
}

// checkPaths returns an error that names the first flow that permanent failures cut off.
func (n *Network) checkPaths() error {
	var dead []bool
	for _, f := range n.spec.Faults {
		if f.isForGood() {
			if dead == nil {
				dead = make([]bool, len(n.ports))
			}
			for _, port := range f.Ports {
				dead[port] = true
				if n.otherEnd != nil {
					dead[n.otherEnd[port]] = true // routing takes out the whole cable
				}
			}
		}
	}
	if dead == nil {
		return nil
	}
	alive := map[[2]int32]bool{} // by switch and switch of hosts
	for i, e := range n.ends {
		for _, way := range [][2]int32{{e.source, e.destination}, {e.destination, e.source}} {
			pair := [2]int32{n.home[way[0]], n.home[way[1]]}
			ok, known := alive[pair]
			if !known {
				ok = n.reaches(pair[0], way[1], dead, n.outline.mostHops()+1) // both ends may be network cards
				alive[pair] = ok
			}
			if !ok {
				return faults.New("fattree", "Faults", faultCount(len(n.spec.Faults)), "must not cut the last path of flow %d between hosts %d and %d", i, e.source, e.destination)
			}
		}
	}
	return nil
}
