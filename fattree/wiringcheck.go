//go:build !js

package fattree

import (
	"fmt"
	"slices"

	"repslab/faults"
)

// mostSteps bounds the number of steps along paths that [Build] checks: about 10 ms.
const mostSteps = 1 << 20

// Limits of an Outline. Those of links are the ones of package topology.
const (
	mostGbps     = 1e5
	mostPathGbps = 1e9
	// mostOversubscription is above the product of two tiers of the largest radix and the slowest uplinks.
	mostOversubscription = 1e15
	mostLatency          = 1e6 // ns
	mostHops             = 1 << 10
)

// validate reports the faults of o as joined [*faults.FieldError] values. It does not look at the wiring. O(classes
// times kinds of paths).
func (o Outline) validate() error {
	bad := faults.List{Package: "fattree"}
	refuse := func(field string, value any, constraint string, args ...any) {
		bad.Refuse("Topology.Outline()."+field, value, constraint, args...)
	}
	within := func(field string, value, least, most float64) {
		if !(value >= least && value <= most) {
			refuse(field, value, "must be in [%v, %v]", least, most)
		}
	}
	within("Hosts", float64(o.Hosts), 1, MaxHosts)
	within("Ports", float64(o.Ports), 1, MaxPorts)
	within("HostLinks", float64(o.HostLinks), 0, MaxRadix)
	within("SwitchLatencyNs", o.SwitchLatencyNs, 0, mostLatency)
	within("Oversubscription", o.Oversubscription, 0, mostOversubscription)
	if len(o.Links) == 0 {
		refuse("Links", o.Links, "must have a class, that of the links of hosts")
		return bad.Err()
	}
	_, fastest := o.rates()
	for i, link := range o.Links {
		name := fmt.Sprintf("Links[%d].", i)
		within(name+"Gbps", link.Gbps, max(1, LeastRate*min(fastest, mostGbps)), mostGbps)
		within(name+"LatencyNs", link.LatencyNs, 0, mostLatency)
	}
	if !o.Sink && len(o.Paths) == 0 {
		refuse("Paths", o.Paths, "must have a kind of path")
	}
	if o.Below != nil && (len(o.Below) != len(o.Links) || slices.Min(o.Below) < 1) {
		refuse("Below", o.Below, "must be nil, or have a number above 0 for each of the %d classes", len(o.Links))
	}
	for i, path := range o.Paths {
		name := fmt.Sprintf("Paths[%d].", i)
		within(name+"Gbps", path.Gbps, 1, mostPathGbps)
		if len(path.Links) != len(o.Links) || slices.Min(path.Links) < 0 || slices.Max(path.Links) > mostHops {
			refuse(name+"Links", path.Links, "must have a number of links for each of the %d classes, in [0, %d]", len(o.Links), mostHops)
		} else if path.hops() == 0 {
			refuse(name+"Links", path.Links, "must have a link")
		}
	}
	return bad.Err()
}

// switchNumber is the number of a switch, for errors.
type switchNumber int32

// String names the switch.
func (n switchNumber) String() string { return fmt.Sprintf("switch %d", int32(n)) }

// misfit returns the fault of the next switch of a wiring, or of its ports to other switches.
func (w *Wiring) misfit(s *Switch, ports []Port) error {
	number := switchNumber(len(w.nodes))
	refuse := func(constraint string, args ...any) error {
		return faults.New("fattree", "Topology.Wire()", number, constraint, args...)
	}
	if s.Hosts < 0 || s.Hosts > 0 && (s.FirstHost < 0 || s.Hosts > int32(len(w.home))-s.FirstHost) {
		return refuse("must have hosts in [0, %d), not %d from %d on", len(w.home), s.Hosts, s.FirstHost)
	}
	if s.NIC && (s.Hosts != 1 || s.First != 1 || s.Count != int32(len(ports)) || s.Count < 1 || s.Count > w.hostLinks) {
		return refuse("is a NIC, which must have one host, and ports to other switches that are all equal, at most %d", w.hostLinks)
	}
	classes := 1
	for i, p := range ports {
		if i > 0 && p.Link != ports[i-1].Link {
			classes++
		}
		if p.Link < 1 || classes > 2 {
			return refuse("must have links to others of one or two classes from 1 on, in order")
		}
	}
	return nil
}

// place names a port or a range of a switch in an error.
type place struct {
	what string
	at   switchNumber
	port int32
}

// String names the place.
func (p place) String() string {
	if p.port < 0 {
		return p.at.String()
	}
	return fmt.Sprintf("%v, %s %d", p.at, p.what, p.port)
}

// checker collects the faults of a wiring.
type checker struct {
	*wires
	outline Outline
	faults  faults.List
	steps   int
}

// refuse notes a fault at a place; port is -1 for the whole switch.
func (c *checker) refuse(number int, what string, port int32, constraint string, args ...any) {
	c.faults.Refuse("Topology.Wire()", place{what, switchNumber(number), port}, constraint, args...)
}

// checkWiring reports the first faults of a wiring: hosts that are not attached exactly once, links to nowhere or
// one way, ports that do not exist, and hosts that a switch has no way to. If there are none, it follows the paths
// of flows, as many as mostSteps allows, and reports a path that does not lead to its host over the links of
// Outline.Paths. O(ports + mostSteps). The live page omits the check: all its topologies are from package
// topology.
func (n *Network) checkWiring(validFlows bool) error {
	c := checker{wires: &n.wires, outline: n.outline, faults: faults.List{Package: "fattree"}}
	c.faults.Add(n.fault)
	for _, check := range []func(){c.checkHosts, c.checkSwitches, c.checkBothWays, c.checkSizes} {
		if c.faults.Err() == nil {
			check()
		}
	}
	if c.faults.Err() == nil && validFlows {
		c.checkFlows(n.spec)
	}
	return c.faults.Err()
}

// checkHosts reports a host that is not attached to exactly one switch.
func (c *checker) checkHosts() {
	attached := 0
	for i := range c.nodes {
		sw := &c.nodes[i]
		attached += int(sw.nics)
		for id := range sw.nics {
			if host := -1 - c.ports[sw.firstPort+id].peer; c.home[host] != int32(i) {
				c.refuse(i, "port", id, "must not lead to host %d, which is attached to switch %d too", host, c.home[host])
				return
			}
		}
	}
	c.faults.Check(attached == len(c.home), "Topology.Wire()", attached, "must attach all %d hosts of Outline.Hosts", len(c.home))
}

// checkSizes reports a wiring of another size than the outline's.
func (c *checker) checkSizes() {
	hosts, ports := len(c.home), int64(len(c.ports)-len(c.home))
	c.faults.Check(hosts == c.outline.Hosts && ports == c.outline.Ports, "Topology.Wire()", ports,
		"ports for %d hosts, must be the %d Ports and %d Hosts of the Outline", hosts, c.outline.Ports, c.outline.Hosts)
}

// checkSwitches reports ports to nowhere, and hosts that a switch has no way to.
func (c *checker) checkSwitches() {
	for i := range c.nodes {
		sw := &c.nodes[i]
		for id := sw.nics; id < sw.ports; id++ {
			w := c.ports[sw.firstPort+id]
			if w.peer < 0 || int(w.peer) >= len(c.nodes) || int(w.peer) == i {
				c.refuse(i, "port", id, "must lead to another switch in [0, %d), not %d", len(c.nodes), w.peer)
				return
			}
			if int(w.link) >= len(c.outline.Links) {
				c.refuse(i, "port", id, "must have a link of a class in [1, %d), not %d", len(c.outline.Links), w.link)
				return
			}
		}
		if c.checkTable(i, sw); c.faults.Err() != nil {
			return
		}
	}
}

// checkTable reports hosts that a switch has no way to.
func (c *checker) checkTable(number int, sw *node) {
	hosts := int32(len(c.home))
	if sw.below > 0 {
		children := int64(uint64(sw.below-1)*sw.perChild>>childShift) + 1
		if sw.firstHost < 0 || sw.below > hosts-sw.firstHost {
			c.refuse(number, "", -1, "must have hosts in [0, %d) below it, not %d from %d on", hosts, sw.below, sw.firstHost)
		} else if sw.cables < 1 || children*int64(sw.cables) > int64(sw.ports) {
			c.refuse(number, "", -1, "has %d ports, which must be enough for the %d Cables of each child with PerChild of the %d hosts below it",
				sw.ports, sw.cables, sw.below)
		}
	}
	inside := func(first, count int32) bool { return first >= 0 && count >= 1 && first <= sw.ports-count }
	switch {
	case sw.below >= hosts:
	case sw.count != 0:
		if !inside(sw.first, sw.count) {
			c.refuse(number, "", -1, "has %d ports, which must include [First, First+Count) = [%d, %d)", sw.ports, sw.first, sw.first+sw.count)
		}
	case number >= len(c.ranges) || len(c.ranges[number]) == 0:
		c.refuse(number, "", -1, "must have a Count of ports, or Ranges, that lead to the hosts that are not below it")
	default:
		before := Host(0)
		for i, r := range c.ranges[number] {
			last := i == len(c.ranges[number])-1
			if r.End <= before || last != (r.End == Host(hosts)) {
				c.refuse(number, "range", int32(i), "ends before host %d, but ranges must be in order and end with the last of %d hosts", r.End, hosts)
				return
			}
			if before = r.End; !inside(r.First, r.Count) {
				c.refuse(number, "range", int32(i), "must be of 1 or more of the %d ports, not of [%d, %d)", sw.ports, r.First, r.First+r.Count)
				return
			}
		}
	}
}

// checkBothWays reports links that lead one way: two switches need as many links of each class in both directions.
// The sum is 0 if they match; if not, it is 0 only with probability 2^-64.
func (c *checker) checkBothWays() {
	var sum uint64
	c.eachLink(func(from int, w wire) {
		if n := number(int32(from), w); int32(from) < w.peer {
			sum += n
		} else {
			sum -= n
		}
	})
	if sum == 0 {
		return
	}
	surplus := map[uint64]int{}
	c.eachLink(func(from int, w wire) {
		if int32(from) < w.peer {
			surplus[number(int32(from), w)]++
		} else {
			surplus[number(int32(from), w)]--
		}
	})
	c.eachLink(func(from int, w wire) {
		if surplus[number(int32(from), w)] != 0 && c.faults.Err() == nil {
			c.refuse(from, "", -1, "has a link to switch %d, from which as many of the same class must lead back", w.peer)
		}
	})
}

// eachLink calls f with each link between switches and the switch at its beginning.
func (c *checker) eachLink(f func(from int, w wire)) {
	for i := range c.nodes {
		sw := &c.nodes[i]
		for _, w := range c.ports[sw.firstPort+sw.nics : sw.firstPort+sw.ports] {
			f(i, w)
		}
	}
}

// number hashes two switches and the class of a link between them; it is the same both ways.
func number(from int32, w wire) uint64 {
	x := uint64(min(from, w.peer))<<32 | uint64(max(from, w.peer))
	for _, odd := range []uint64{uint64(w.link)<<1 | 1, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb} {
		x = (x ^ x>>30) * (odd ^ 0x9e3779b97f4a7c14)
	}
	return x ^ x>>31
}

// checkFlows reports a path of a flow, there or back, that does not lead to its host or is not of its kind.
func (c *checker) checkFlows(s Spec) {
	seen, kinds := map[[2]Host]bool{}, len(c.outline.Paths)
	if c.outline.Sink {
		kinds = 1
	}
	for _, f := range s.Workload.Flows {
		for _, way := range [][2]Host{{f.Source, f.Destination}, {f.Destination, f.Source}} {
			if way[0] == way[1] || seen[way] {
				continue
			}
			kind := s.Topology.Path(way[0], way[1])
			if kind < 0 || kind >= kinds {
				c.faults.Refuse("Topology.Path()", kind, "from host %d to %d must be the number of one of the %d Outline.Paths", way[0], way[1], kinds)
				return
			}
			if c.outline.Sink {
				continue
			}
			seen[way] = true
			links := append([]int(nil), c.outline.Paths[kind].Links...)
			if home := c.home[way[0]]; !c.nodes[home].nic {
				links[0]--
			}
			if at := c.wrong(c.home[way[0]], way[1], links); at != none {
				c.refuse(int(at), "", -1, "must be on no path from host %d to %d but of the links of Outline.Paths[%d], %v by class, to that host",
					way[0], way[1], kind, c.outline.Paths[kind].Links)
				return
			}
			if c.steps > mostSteps {
				return
			}
		}
	}
}

// wrong returns a switch at which a path from a switch deviates from its kind, or none if all paths lead to the
// host. left counts the remaining links of the path by class.
func (c *checker) wrong(from int32, to Host, left []int) int32 {
	if c.steps++; c.steps > mostSteps {
		return none
	}
	sw := &c.nodes[from]
	first, count := sw.next(int32(to))
	if count == 0 {
		first, count = c.search(from, int32(to))
	}
	for port := sw.firstPort + first; port < sw.firstPort+first+count; port++ {
		w := c.ports[port]
		if w.peer < 0 {
			last := 0 // links of the first class that remain: the one to the host, unless its NIC is this switch
			if !sw.nic {
				last = 1
			}
			for class, count := range left {
				if Host(-1-w.peer) != to || class == 0 && count != last || class > 0 && count != 0 {
					return from
				}
			}
			continue
		}
		if int(w.link) >= len(left) || left[w.link] == 0 {
			return from
		}
		left[w.link]--
		at := c.wrong(w.peer, to, left)
		left[w.link]++
		if at != none {
			return at
		}
	}
	return none
}

// checkTrace panics with the faults of a configuration of samples.
func (r *Run) checkTrace(cfg TraceConfig) {
	bad := faults.List{Package: "fattree"}
	bad.Check(cfg.Every >= 0, "TraceConfig.Every", ps(cfg.Every), "must not be negative")
	bad.Check(cfg.Most >= 0, "TraceConfig.Most", cfg.Most, "must not be negative")
	for _, flow := range cfg.Flows {
		bad.In("TraceConfig.Flows", flow, 0, r.net.Flows()-1)
	}
	for _, ports := range append([][]int{cfg.Ports}, cfg.Groups...) {
		for _, port := range ports {
			bad.In("TraceConfig.Ports or Groups", port, 0, len(r.ports)-1)
		}
	}
	if err := bad.Err(); err != nil {
		panic(err)
	}
}
