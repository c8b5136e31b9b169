package topology

import (
	"math/rand/v2"

	"repslab/faults"
)

// site is a network to place failures in: its planes, which are copies of one tree.
type site struct {
	network Planes
	planes  []*placer

	whole planeSet          // planes in which all ToRs reach each other
	hosts map[hostPorts]int // number of hosts by their working ports
}

// planeSet is a set of planes: bit k is plane k.
type planeSet uint8

// hostPorts holds the planes to which a host has a working port: to send, and to receive.
type hostPorts struct{ up, down planeSet }

// spot is a part of the tree in the planes [first, end).
type spot struct {
	Part
	first, end int
}

func newSite(p Planes) *site {
	s := &site{network: p, whole: planeSet(1<<p.Planes - 1)}
	w := p.Tree.Wire()
	for range p.Planes {
		s.planes = append(s.planes, newPlacer(p.Tree, w))
	}
	s.hosts = map[hostPorts]int{{s.whole, s.whole}: p.Tree.Hosts}
	return s
}

// check refuses a failure that cannot occur in the network.
func (s *site) check(f Failure) error {
	t := &s.planes[0].t
	refuse := func(problem string, args ...any) error {
		return faults.New("topology", "failures", f, problem, args...)
	}
	switch {
	case t.Tiers == 1:
		return refuse("must be none: a network of one tier has no cable that can fail")
	case f.Core && t.Tiers < 3:
		return refuse("must have no layer=core: a network of %d tiers has no core", t.Tiers)
	case f.Plane >= FirstPlane && int(f.Plane-FirstPlane) >= len(s.planes):
		return refuse("must be in a plane below %d, the number of planes", len(s.planes))
	case f.Kind == NICPorts && s.network.isTree():
		return refuse("must come in a network of several planes: a host has one port without them")
	case f.Kind == FlowPaths && f.lastPath() >= t.UplinksPerToR:
		return refuse("must have paths in [0, %d], the uplinks of a ToR", t.UplinksPerToR-1)
	case f.Kind == Transceivers && t.UplinksPerToR < perTransceiver:
		return refuse("must come with ToRs of at least %d uplinks, not %d", perTransceiver, t.UplinksPerToR)
	}
	return nil
}

// among returns the number of planes among which each place of a failure is chosen, and the number of planes
// in which it fails.
func (f Failure) among(planes int) (choices, each int) {
	switch f.Plane {
	case EveryPlane:
		return 1, planes
	case AnyPlane:
		return planes, 1
	}
	return 1, 1
}

// spots returns the places where parts of the tree can fail, plane by plane.
func (s *site) spots(f Failure, parts []Part) []spot {
	choices, each := f.among(len(s.planes))
	first := 0
	if f.Plane >= FirstPlane {
		first = int(f.Plane - FirstPlane)
	}
	all := make([]spot, 0, choices*len(parts))
	for plane := first; plane < first+choices; plane++ {
		for _, part := range parts {
			all = append(all, spot{part, plane, plane + each})
		}
	}
	return all
}

// place returns the places that one failure hits.
func (s *site) place(f Failure, random *rand.Rand) ([]spot, error) {
	one := s.planes[0]
	parts := one.candidates(f)
	if f.Place != Random {
		fixed, err := one.fixed(f, parts)
		placed := s.spots(f, fixed)
		for _, at := range placed {
			s.fail(f, at)
		}
		return placed, err
	}
	spots := s.spots(f, parts)
	want, err := f.number(len(spots))
	if err != nil {
		return nil, err
	}
	random.Shuffle(len(spots), func(i, j int) { spots[i], spots[j] = spots[j], spots[i] })
	placed := spots[:0]
	for _, at := range spots {
		if len(placed) == want {
			break
		}
		if s.fail(f, at) {
			placed = append(placed, at)
		}
	}
	if len(placed) < want {
		ends := "ToRs"
		if !s.network.isTree() {
			ends = "hosts"
		}
		return nil, faults.New("topology", "failures", f, "must leave a path between any two %s: only %d of %d can fail without cutting the last one", ends, len(placed), want)
	}
	return placed, nil
}

// fail lets a part fail and returns true. If the place is random and its failure would cut off a host, it returns
// false.
func (s *site) fail(f Failure, at spot) bool {
	whole := s.whole
	killed, cut := s.kill(f, at)
	if f.Place != Random || !cut {
		return true
	}
	after := s.portsOf(at)
	s.whole = whole
	for i, ports := range killed {
		s.planes[at.first+i].revive(ports)
	}
	s.move(at, after)
	return false
}

// kill notes a permanent failure. It returns the ports that worked before, by plane from at.first on, and whether
// a pair of hosts may have lost its last path.
func (s *site) kill(f Failure, at spot) (killed [][]int, cut bool) {
	if !f.cuts() || !f.isForGood() {
		return nil, false
	}
	before := s.portsOf(at)
	for plane := at.first; plane < at.end; plane++ {
		p := s.planes[plane]
		ports := p.kill(at.Part)
		killed = append(killed, ports)
		// In a single plane, a fixed place needs no check: there is no other choice.
		look := len(ports) > 0 && !at.ToHost && (f.Place == Random || len(s.planes) > 1)
		if look && !p.connected(at.Part) {
			s.whole &^= 1 << plane
			cut = true
		}
	}
	s.move(at, before)
	if at.ToHost {
		return killed, before != s.portsOf(at) && !s.meetsAll(s.portsOf(at))
	}
	return killed, cut && !s.allMeet()
}

// portsOf returns the working ports of the host of a spot, if the spot is at a host.
func (s *site) portsOf(at spot) (h hostPorts) {
	if !at.ToHost {
		return h
	}
	part := at.Part
	part.Direction = Both
	ports := s.planes[0].t.Ports(part)
	for plane, p := range s.planes {
		if !p.dead[ports[0]] {
			h.up |= 1 << plane
		}
		if !p.dead[ports[1]] {
			h.down |= 1 << plane
		}
	}
	return h
}

// move updates the count of hosts by working ports, if the spot is at a host: before are its ports before the
// failure.
func (s *site) move(at spot, before hostPorts) {
	if at.ToHost {
		s.hosts[before]--
		s.hosts[s.portsOf(at)]++
	}
}

// allMeet reports whether every two hosts share a usable plane in each direction: the ports of both work, and all
// its ToRs reach each other.
func (s *site) allMeet() bool {
	for h, count := range s.hosts {
		if count > 0 && !s.meetsAll(h) {
			return false
		}
	}
	return true
}

// meetsAll reports whether a host with the given ports shares a usable plane with all other hosts.
func (s *site) meetsAll(h hostPorts) bool {
	for other, count := range s.hosts {
		if other == h {
			count-- // itself
		}
		if count > 0 && (h.up&other.down&s.whole == 0 || other.up&h.down&s.whole == 0) {
			return false
		}
	}
	return true
}

// allPorts returns the ports that send into a spot.
func (s *site) allPorts(at spot) (ports []int) {
	for plane := at.first; plane < at.end; plane++ {
		ports = append(ports, s.network.Ports(at.Part, plane)...)
	}
	return ports
}
