//go:build !js

package fattree

import (
	"cmp"
	"math/bits"
	"slices"

	"repslab/faults"
	"repslab/internal/bitset"
	"repslab/internal/ecmphash"
)

// Routing reacts to failures if the Spec has Reroutes. A cable works while the links in both of its directions work,
// and its ports leave and rejoin groups together. They leave when the cable has failed for RerouteAfter without a
// break, and rejoin when it has worked for as long. All switches learn of it in the same slot. A port also leaves the
// group towards the hosts of a switch if no path of cables in their groups leads on from it, as routing protocols
// withdraw routes. A group that would be empty keeps all ports: packets that have no route are lost on failed links.

// move is a cable that leaves the groups, or rejoins them.
type move struct {
	slot int32
	port int32 // one end of the cable
	out  bool
}

// routing is the state of routing in a run.
type routing struct {
	moves   []move  // in order of slots
	next    int     // index of the next move
	out     []bool  // by port: its cable has left the groups
	leading []bool  // by switch: whether it leads to the destination at hand, once known
	known   []int32 // by switch: the last destination for which leading is known, or being worked out
}

// validateReroutes reports wrong times, and topologies in which routing cannot react.
func (s *Spec) validateReroutes(o *Outline) error {
	bad := faults.List{Package: "fattree"}
	bad.Check(s.RerouteAfter >= 0, "RerouteAfter", ps(s.RerouteAfter), "must not be negative")
	bad.Check(s.RerouteAfter == 0 || s.Reroutes, "RerouteAfter", ps(s.RerouteAfter), "must be 0 without Reroutes")
	bad.Check(!s.Reroutes || !o.Sink, "Reroutes", s.Reroutes, "must be false with a sink, which has no links that fail")
	bad.Check(!s.Reroutes || o.HostLinks <= 1, "Reroutes", s.Reroutes,
		"must be false for hosts with several links, such as one into each plane: how hosts learn which planes have a route is not modelled")
	return bad.Err()
}

// checkGroups reports the first switch that has several groups towards the hosts of another switch: routing keeps one
// group for each pair of switches. O(ports).
func (n *Network) checkGroups() error {
	for i := range n.nodes {
		for _, host := range n.borders(i) {
			if host > 0 && int(host) < len(n.home) && n.home[host] == n.home[host-1] && n.home[host] != int32(i) {
				return faults.New("fattree", "Reroutes", true, "must be false: %v has several groups towards the hosts of %v", switchNumber(i), switchNumber(n.home[host]))
			}
		}
	}
	return nil
}

// borders returns the hosts at which another group of a switch begins, and possibly other hosts.
func (n *Network) borders(number int) []int32 {
	sw := &n.nodes[number]
	list := []int32{sw.firstHost, sw.firstHost + sw.below}
	for child := int32(1); child*sw.cables < sw.ports && sw.below > 0; child++ {
		// The first host of a child is the least one that node.next maps to its ports.
		list = append(list, sw.firstHost+min(sw.below, int32((uint64(child)<<childShift+sw.perChild-1)/sw.perChild)))
	}
	if number < len(n.ranges) {
		for _, r := range n.ranges[number] {
			list = append(list, int32(r.End))
		}
	}
	return list
}

// otherEnds returns by port the port at the other end of its cable. Of the parallel cables of a class between two
// switches, the k-th port of one switch belongs to the k-th port of the other. O(ports).
func (n *Network) otherEnds() []int32 {
	type bundle struct{ from, to, class int32 }
	ports := map[bundle][]int32{}
	n.eachLink(func(from, port int32) {
		b := bundle{from, n.ports[port].peer, n.ports[port].link}
		ports[b] = append(ports[b], port)
	})
	list := make([]int32, len(n.ports))
	for b, here := range ports {
		for k, there := range ports[bundle{b.to, b.from, b.class}] {
			list[here[k]] = there
		}
	}
	return list
}

// moves returns when cables leave and rejoin the groups, from all changes of rates in order of slots. O(changes).
func (n *Network) moves(changes []change) (all []move) {
	failed, flips := map[int32]bool{}, map[int32][]move{} // by port; by cable: when it fails and is repaired
	for _, c := range changes {
		cable := min(c.port, n.otherEnd[c.port])
		before := failed[c.port] || failed[n.otherEnd[c.port]]
		failed[c.port] = c.rate == 0
		after := failed[c.port] || failed[n.otherEnd[c.port]]
		if before != after {
			flips[cable] = append(flips[cable], move{c.slot, cable, after})
		}
	}
	wait := n.ceilSlot(min(n.spec.RerouteAfter, n.spec.Horizon))
	for _, list := range flips {
		for i, f := range list {
			due := int64(f.slot) + int64(wait)
			if due < int64(n.horizon) && (i == len(list)-1 || int64(list[i+1].slot) > due) {
				all = append(all, move{int32(due), f.port, f.out})
			}
		}
	}
	slices.SortFunc(all, func(a, b move) int { return cmp.Or(cmp.Compare(a.slot, b.slot), cmp.Compare(a.port, b.port)) })
	return all
}

// beginRouting puts all ports into their groups, at the beginning of a run.
func (r *Run) beginRouting() {
	if !r.net.spec.Reroutes {
		return
	}
	switches := len(r.net.nodes)
	r.routing = &routing{
		moves: r.net.moves(r.net.faults), out: make([]bool, len(r.net.ports)),
		leading: make([]bool, switches), known: make([]int32, switches),
	}
	for i := range r.tiles {
		r.tiles[i].out = map[int32]*bitset.Set{}
	}
}

// planMoves plans the moves anew after a change by SetFailed, which takes effect in the current slot: moves of earlier
// slots, which have been made, do not depend on it.
func (r *Run) planMoves() {
	var changes []change
	for i := range r.tiles {
		changes = append(changes, r.tiles[i].changes...)
	}
	r.routing.moves = r.net.moves(inOrder(changes))
}

// reroute makes the moves that are due, and works out all groups anew if there are any. No tile may be running.
// O(switches with hosts times ports) for a slot with moves.
func (r *Run) reroute() {
	g, before := r.routing, r.routing.next
	for ; g.next < len(g.moves) && g.moves[g.next].slot <= r.slot; g.next++ {
		m := g.moves[g.next]
		g.out[m.port], g.out[r.net.otherEnd[m.port]] = m.out, m.out
	}
	if g.next == before {
		return
	}
	for i := range r.tiles {
		clear(r.tiles[i].out)
		g.known[i] = none
	}
	if !slices.Contains(g.out, true) {
		return
	}
	switches := int32(len(r.net.nodes))
	for to := range switches {
		for from := int32(0); from < switches && r.net.nodes[to].nics > 0; from++ {
			r.leads(from, to)
		}
	}
}

// leads reports whether a path of cables in their groups leads from a switch to another one, which has hosts. It notes
// which ports leave the groups towards that switch.
func (r *Run) leads(from, to int32) bool {
	g := r.routing
	if from == to || g.known[from] == to {
		return from == to || g.leading[from]
	}
	g.known[from], g.leading[from] = to, false // a path that comes back is none
	sw := &r.net.nodes[from]
	first, count := r.net.toward(from, r.net.nodes[to].firstHost)
	out, left := bitset.Set(nil), count
	for i := range count {
		port := sw.firstPort + first + i
		if peer := r.net.ports[port].peer; !g.out[port] && peer >= 0 && r.leads(peer, to) {
			continue
		}
		if left == count {
			out = bitset.New(int(count))
		}
		out.Add(i)
		left--
	}
	if g.leading[from] = left > 0; left > 0 && left < count {
		r.tiles[from].out[to] = &out
	}
	return left > 0
}

// nextMove returns the slot of the next move after the current slot, at most end.
func (r *Run) nextMove(end int32) int32 {
	for _, m := range r.routing.moves[r.routing.next:] {
		if m.slot > r.slot {
			return min(end, m.slot)
		}
	}
	return end
}

// withdrawn returns the ports that have left the group of the tile's switch towards a host, nil if none.
func (t *tile) withdrawn(to int32) *bitset.Set {
	if len(t.out) == 0 {
		return nil
	}
	return t.out[t.net.home[to]]
}

// another returns the port of a packet if its own port has left the group. A second hash picks one of the others, so
// all other packets keep their ports: resilient hashing.
func (p Ports) another(at Passing) int {
	left := int(p.count)
	for _, word := range *p.out {
		left -= bits.OnesCount64(word)
	}
	r := p.run
	skip := ecmphash.Port(ecmphash.Hash(r.ends[at.Flow].key(), at.EV, ^r.salts[at.Switch]), left)
	for port := range int(p.count) {
		if p.Out(port) {
			continue
		}
		if skip == 0 {
			return port
		}
		skip--
	}
	panic("fattree: a group without ports")
}
