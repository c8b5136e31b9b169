package topology

import (
	"cmp"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/faults"
)

// MaxPlanes is the largest number of planes of a [Planes].
const MaxPlanes = 8

// Planes is a network of several planes, which are copies of a fat tree. Each host has a link of the rate of
// Tree.Access into each plane, and sends packet by packet over the next link that is free. Entropy values choose
// paths within a plane. It is a [fattree.Topology].
//
// Switches are numbered plane by plane, and within a plane as in the tree. The network cards of the hosts come
// last. A network of one plane has no cards, unless Cards is set: it is its tree, with the tree's numbers.
type Planes struct {
	Tree   FatTree // of 2 or 3 tiers if hosts have network cards
	Planes int     // 1 to MaxPlanes; default 1
	Cards  bool    // hosts have network cards even with one plane, for comparisons with several planes
}

// isTree reports whether the network is its tree: it has one plane and no network cards.
func (p Planes) isTree() bool { return p.Planes == 1 && !p.Cards }

// withDefaults returns p with every zero field replaced by its default.
func (p Planes) withDefaults() Planes {
	p.Tree = p.Tree.WithDefaults()
	p.Planes = cmp.Or(p.Planes, 1)
	return p
}

// Validate reports every fault of p with defaults applied, as joined [*faults.FieldError] values.
func (p Planes) Validate() error {
	p = p.withDefaults()
	if err := p.Tree.Validate(); err != nil || p.isTree() {
		return err
	}
	bad := faults.List{Package: "topology"}
	bad.Check(p.Tree.Tiers > 1, "Tiers", p.Tree.Tiers, "must be 2 or 3 in a network of planes")
	if p.Planes < 1 || p.Planes > MaxPlanes {
		bad.Refuse("Planes", p.Planes, "must be in [1, %d]", MaxPlanes)
	} else if p.Tree.Tiers > 1 {
		bad.Check(p.ports() <= fattree.MaxPorts, "Planes", p.Planes,
			"must be fewer, or hosts: switches and network cards need %d ports, of at most %d", p.ports(), fattree.MaxPorts)
	}
	return bad.Err()
}

// ports returns the ports of all switches, network cards included.
func (p Planes) ports() int64 {
	return int64(p.Planes)*p.Tree.ports() + int64(p.Tree.Hosts)*int64(1+p.Planes)
}

// Outline implements [fattree.Topology]. Paths have the links of one plane, and the rate of all planes together.
func (p Planes) Outline() fattree.Outline {
	p = p.withDefaults()
	o := p.Tree.Outline()
	if p.isTree() {
		return o
	}
	o.Ports, o.HostLinks = p.ports(), p.Planes
	// The links between hosts and ToRs become the second class: links between network cards and ToRs. The first
	// class states their rate.
	o.Links = append([]fattree.Link{p.Tree.Access}, o.Links...)
	if o.Below != nil {
		o.Below = append([]int{1}, o.Below...)
	}
	for i, path := range o.Paths {
		o.Paths[i] = fattree.Path{Links: append([]int{0}, path.Links...), Gbps: float64(p.Planes) * path.Gbps}
	}
	return o
}

// Path implements [fattree.Topology]: kinds of paths are the tree's.
func (p Planes) Path(from, to fattree.Host) int { return p.Tree.Path(from, to) }

// Wire implements [fattree.Topology].
func (p Planes) Wire() *fattree.Wiring {
	mustBeValid(p)
	p = p.withDefaults()
	if p.isTree() {
		return p.Tree.Wire()
	}
	w := fattree.NewWiring(p.Outline())
	t := p.Tree
	perPlane := int32(t.number(t.Tiers, 0))
	cards := int32(p.Planes) * perPlane
	var ports []fattree.Port
	for plane := range int32(p.Planes) {
		for tier := range t.Tiers {
			for i := range t.switches(tier) {
				sw := t.newSwitch(tier, i)
				ports = ports[:0]
				for host := range sw.Hosts {
					ports = append(ports, fattree.Port{Peer: cards + sw.FirstHost + host, Link: 1})
				}
				ports = t.appendPorts(ports, tier, i)
				for k := sw.Hosts; k < int32(len(ports)); k++ {
					ports[k].Peer += plane * perPlane
					ports[k].Link++
				}
				sw.Hosts = 0
				w.Add(sw, ports...)
			}
		}
	}
	for host := range t.Hosts {
		ports = ports[:0]
		for plane := range int32(p.Planes) {
			ports = append(ports, fattree.Port{Peer: plane*perPlane + int32(host/t.HostsPerToR), Link: 1})
		}
		w.Add(fattree.Switch{
			NIC: true, Hosts: 1, FirstHost: int32(host), Below: 1, PerChild: 1, Cables: 1, First: 1, Count: int32(p.Planes),
		}, ports...)
	}
	return w
}

// Place chooses the places of failures in the planes, like [Place] in a tree. A random place is skipped if, after
// its failure and all other permanent failures, two hosts would share no usable plane. A plane is usable for two
// hosts if the ports of both work and all its ToRs reach each other. O(places * planes * ToRs), as long as planes
// remain whole.
func (p Planes) Place(failures []Failure, source rand.Source) ([]fattree.Fault, []fattree.Corruption, error) {
	p = p.withDefaults()
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	return newSite(p).placeAll(failures, source)
}

// Ports returns the ports that send into a part of the tree in a plane, counted from 0, for a [fattree.Fault]. See
// [FatTree.Ports].
func (p Planes) Ports(part Part, plane int) []int {
	p = p.withDefaults()
	ports := p.Tree.Ports(part)
	for i, port := range ports {
		ports[i] = p.port(plane, port)
	}
	return ports
}

// port returns the network's number of a port of a plane that has number port in the tree. Defaults must be
// applied.
func (p Planes) port(plane, port int) int {
	if p.isTree() {
		return port
	}
	t := p.Tree
	perToR, perPlane := t.portsOf(0), t.firstPort(t.Tiers)-t.Hosts
	tor, ofToR := port/perToR, port%perToR
	if first := perToR - t.HostsPerToR; tor < t.ToRs() && ofToR >= first {
		// A card has a port to its host, the ports to the planes, and the port of the host.
		return p.Planes*perPlane + (tor*t.HostsPerToR+ofToR-first)*(p.Planes+2) + 1 + plane
	}
	// In planes, ToRs are not followed by ports of hosts.
	return plane*perPlane + port - min(tor, t.ToRs())*t.HostsPerToR
}
