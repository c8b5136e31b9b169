package fattree

import (
	"math"
	"sort"
)

// AppendPath appends to dst the ports that the switches pick by hash for a flow's packet with an EV. Ports are
// counted from 0 among the equal-cost ports; switches with a single port are left out. A network card with several
// links counts as a switch that picks the given link. AppendPath returns dst unchanged if a [Router] chooses.
// The hashes of the last run apply. O(hops).
func (r *Run) AppendPath(dst []int32, flow int32, ev uint16, link int32) []int32 {
	if r.router != nil {
		return dst
	}
	r.net.walk(r.ends[flow], func(at, first, count int32) int32 {
		choice := link
		if count == 1 {
			return 0
		} else if !r.net.nodes[at].nic {
			choice = int32(Ports{r, first, count, r.tiles[at].withdrawn(r.ends[flow].destination)}.Hashed(Passing{Switch: at, Flow: flow, EV: ev}))
		}
		dst = append(dst, choice)
		return choice
	})
	return dst
}

// walk goes from host to host. At each switch, pick chooses among count equal-cost ports that begin with port
// first, and returns its choice counted from 0.
func (n *Network) walk(ends ends, pick func(at, first, count int32) int32) {
	for at := n.home[ends.source]; at >= 0; {
		sw := &n.nodes[at]
		first, count := n.toward(at, ends.destination)
		first += sw.firstPort
		at = n.ports[first+pick(at, first, count)].peer
	}
}

// Paths returns an upper bound of a flow's number of paths where Spec.Choose picks ports: the product of the
// numbers of equal-cost ports on the way of its packet with EV 0. It returns 0 if Choose is nil. O(hops).
func (n *Network) Paths(flow int32) int {
	if n.spec.Choose == nil {
		return 0
	}
	paths := 1
	n.walk(n.ends[flow], func(_, first, count int32) int32 {
		paths *= int(count)
		return int32(n.chosen(flow, 0, first, count))
	})
	return paths
}

// PathGbps returns the lowest rate of the links, in Gb/s at time now, on the way of a flow's packet with an EV or,
// if back is true, on the way of its answer. It is 0 if Spec.Faults has failed a link of the way at that time.
// Spec.Choose must pick the ports, and there must be no network cards. O(hops log changes).
func (n *Network) PathGbps(flow int32, ev uint16, back bool, now Picoseconds) float64 {
	if n.spec.Choose == nil {
		panic("fattree: Network.PathGbps without Spec.Choose")
	}
	lowest, way := math.Inf(1), n.ends[flow]
	if back {
		way = ends{way.destination, way.source}
	}
	n.walk(way, func(_, first, count int32) int32 {
		choice := int32(n.chosen(flow, ev, first, count))
		port, rate := first+choice, 1.0
		if list := n.perPort[port]; list != nil {
			if i := n.behind(list, now); i > 0 {
				rate = list[i-1].rate
			}
		}
		lowest = min(lowest, rate*n.outline.Links[n.ports[port].link].Gbps)
		return choice
	})
	return lowest
}

// NextChange returns the first time after now at which a fault of Spec.Faults begins or ends, as switches see it, or
// Idle. O(log changes).
func (n *Network) NextChange(now Picoseconds) Picoseconds {
	if i := n.behind(n.faults, now); i < len(n.faults) {
		return Picoseconds(n.faults[i].slot) * n.slotTime
	}
	return Idle
}

// behind returns the number of changes up to a time, inclusive.
func (n *Network) behind(list []change, now Picoseconds) int {
	return sort.Search(len(list), func(i int) bool { return Picoseconds(list[i].slot)*n.slotTime > now })
}
