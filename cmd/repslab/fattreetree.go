package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
)

// defaultHosts is the number of hosts unless it is given or follows from --radix.
const defaultHosts = 128

// mostToRs is the number of ToRs per host of a ToR beyond which the default shape is refused.
const mostToRs = 4

// treeSize holds the sizes and rates of a tree as the flags give them; 0 where they do not.
type treeSize struct {
	hosts                               int
	hostsPerToR, uplinksPerToR, radix   int
	oversubscription                    float64
	gbps, fabricGbps, coreGbps, latency float64
}

// completeTree makes the topology that the flags or the file describe.
func (p *fattreePoint) completeTree() (err error) {
	var t topology.FatTree
	if p.topology != nil {
		t = p.topology.data.tree
	} else {
		size := p.size
		if p.flows != nil && !p.flows.data.ns3 && size.hosts == 0 && size.radix == 0 {
			size.hosts = p.flows.data.hosts
		}
		if t, err = size.topology(p.tree.Tiers); err != nil {
			return p.ofFlowList(err)
		}
	}
	p.tree = t.WithDefaults()
	if err := p.size.checkPorts(p.tree); err != nil {
		return err
	}
	p.spec.Topology = p.tree
	if err := t.Validate(); err != nil {
		return err
	}
	if p.planes > 1 {
		p.spec.Topology = topology.Planes{Tree: p.tree, Planes: p.planes}
	}
	if err := p.spec.Topology.Validate(); err != nil || p.topology != nil || p.size.radix == 0 {
		return err
	}
	if ports := p.tree.Radix(); ports > p.size.radix && p.size.usesRadix() {
		return usagef("--radix: %d must be at least %d, the ports of a switch above the %d ToRs of %d hosts",
			p.size.radix, ports, p.tree.ToRs(), p.tree.HostsPerToR)
	}
	return nil
}

// mapsNodes reports whether the flows are between the nodes of a topology.
func (p *fattreePoint) mapsNodes() bool {
	return p.flows != nil && p.flows.data.ns3 && p.topology != nil && p.topology.data.nodes != nil
}

// flowList returns the flows of the file.
func (p *fattreePoint) flowList(rand.Source) (flows, error) {
	switch w := p.flows.data.workload; {
	case p.mapsNodes():
		w, err := traffic.OnHosts(w, p.topology.data.nodes)
		if err != nil {
			err = usagef("--flows: %w", err)
		}
		return w, err
	case p.profile == profileUET && !p.flows.data.ns3:
		return traffic.StartsIn(w, 1_000_000)
	default:
		return w, nil
	}
}

// ofFlowList returns an error about a number of hosts that the flow list gave.
func (p *fattreePoint) ofFlowList(err error) error {
	if p.flows == nil || p.size.hosts > 0 || p.size.radix > 0 {
		return err
	}
	return usagef("--flows: its %d nodes make no tree, give --hosts: %w", p.flows.data.hosts, err)
}

// fluidTree returns a tree of the capacity of all planes.
func (p *fattreePoint) fluidTree() topology.FatTree {
	t := p.tree
	for _, link := range []*fattree.Link{&t.Access, &t.Fabric, &t.Core} {
		link.Gbps *= float64(p.planes)
	}
	return t
}

// usesRadix reports whether the ports of a ToR do not already follow from its hosts and uplinks.
func (s treeSize) usesRadix() bool { return s.hostsPerToR == 0 || s.uplinksPerToR == 0 }

// topology returns the topology without defaults.
func (s treeSize) topology(tiers int) (topology.FatTree, error) {
	link := func(gbps float64) fattree.Link { return fattree.Link{Gbps: gbps, LatencyNs: s.latency} }
	fabric := cmp.Or(s.fabricGbps, s.gbps)
	t := topology.FatTree{
		Hosts: cmp.Or(s.hosts, defaultHosts), Tiers: tiers, HostsPerToR: s.hostsPerToR, UplinksPerToR: s.uplinksPerToR,
		Access: link(s.gbps), Fabric: link(fabric), Core: link(cmp.Or(s.coreGbps, fabric)),
	}
	if s.radix > 0 && s.usesRadix() {
		if err := s.dividePorts(&t); err != nil {
			return t, err
		}
	}
	if t.HostsPerToR == 0 {
		if err := checkHosts(t.Hosts, tiers); err != nil {
			return t, err
		}
	}
	if t.UplinksPerToR == 0 && s.oversubscription > 0 {
		t = t.WithDefaults()
		uplinks, whole := wholeNumber(float64(t.HostsPerToR) / s.hostsPerUplink(t))
		if t.UplinksPerToR = int(uplinks); !whole {
			return t, usagef("--oversubscription: %v would make %.4g uplinks of %v Gb/s for the %d hosts of a ToR at %v Gb/s, must make a whole number",
				s.oversubscription, uplinks, t.Fabric.Gbps, t.HostsPerToR, t.Access.Gbps)
		}
	}
	return t, nil
}

// wholeNumber returns the whole number from 1 on that x is but for the rounding of its factors, or x and false.
func wholeNumber(x float64) (nearest float64, whole bool) {
	if nearest = math.Round(x); nearest < 1 || math.Abs(x-nearest) > 1e-9*nearest {
		return x, false
	}
	return nearest, true
}

// hostsPerUplink returns the hosts of a ToR for each uplink: the oversubscription times the ratio of their rates, or 1.
func (s treeSize) hostsPerUplink(t topology.FatTree) float64 {
	if s.oversubscription == 0 {
		return 1
	}
	return s.oversubscription * t.Fabric.Gbps / t.Access.Gbps
}

// dividePorts divides the ports of switches of the given radix between the links down and up.
// Without a number of hosts the tree has as many as fit.
func (s treeSize) dividePorts(t *topology.FatTree) error {
	switch {
	case s.hostsPerToR > 0:
		t.UplinksPerToR = s.radix - s.hostsPerToR
	case s.uplinksPerToR > 0:
		t.HostsPerToR = s.radix - s.uplinksPerToR
	default:
		uplinks, whole := wholeNumber(float64(s.radix) / (1 + s.hostsPerUplink(*t)))
		if t.UplinksPerToR = int(uplinks); !whole {
			return usagef("--radix: %d must be a multiple of %.4g, the ports of a ToR for one uplink and its hosts",
				s.radix, 1+s.hostsPerUplink(*t))
		}
		t.HostsPerToR = s.radix - t.UplinksPerToR
	}
	if t.HostsPerToR < 1 || t.UplinksPerToR < 1 {
		return usagef("--radix: %d must be above the %d ports of a ToR for its hosts or uplinks",
			s.radix, max(s.hostsPerToR, s.uplinksPerToR))
	}
	tors := s.radix
	if t.Tiers == 3 {
		if s.radix%2 != 0 {
			return usagef("--radix: %d must be even in a tree of 3 tiers", s.radix)
		}
		t.ToRsPerPod, t.UplinksPerAgg = s.radix/2, s.radix/2
		tors *= t.ToRsPerPod
	}
	t.Hosts = cmp.Or(s.hosts, tors*t.HostsPerToR)
	return nil
}

// checkPorts refuses a tree whose hosts or uplinks, which no flag gives, follow from flags and are too many.
func (s treeSize) checkPorts(t topology.FatTree) error {
	flag, value := "hosts", t.Hosts
	switch {
	case s.radix > 0 && s.usesRadix():
		flag, value = "radix", s.radix
	case s.hostsPerToR > 0:
		flag, value = "hosts-per-tor", s.hostsPerToR
	}
	switch {
	case s.hosts == 0 && t.Hosts > fattree.MaxHosts:
		return usagef("--%s: %d must be lower: the tree would have %d hosts, of at most %d",
			flag, value, t.Hosts, fattree.MaxHosts)
	case s.uplinksPerToR == 0 && t.UplinksPerToR > topology.MaxUplinks:
		return usagef("--%s: %d makes ToRs with %d uplinks, of at most %d: give --oversubscription or --uplinks-per-tor",
			flag, value, t.UplinksPerToR, topology.MaxUplinks)
	}
	return nil
}

// checkHosts refuses a number of hosts from which no balanced tree follows, and names the nearest
// that make one.
func checkHosts(hosts, tiers int) error {
	if balanced(hosts, tiers) {
		return nil
	}
	var nearest string
	for _, step := range []int{-1, 1} {
		n := hosts + step
		for n > 0 && n <= fattree.MaxHosts && !balanced(n, tiers) {
			n += step
		}
		if n < 2 || n > fattree.MaxHosts {
			continue
		}
		if nearest != "" {
			nearest += " or "
		}
		radix := topology.DefaultRadix(n, tiers)
		nearest += fmt.Sprintf("%d (%d ToRs of %d)", n, n/radix, radix)
	}
	if tiers == 3 {
		return usagef("--hosts: %d must be k^3/4 for an even k in a tree of 3 tiers: %s; or give --hosts-per-tor",
			hosts, nearest)
	}
	return usagef("--hosts: %d would make %d ToRs of %d: try %s, or give --hosts-per-tor",
		hosts, hosts/topology.DefaultRadix(hosts, tiers), topology.DefaultRadix(hosts, tiers), nearest)
}

// balanced reports whether the default shape of a tree has a ToR's hosts, and not many more ToRs
// than these.
func balanced(hosts, tiers int) bool {
	radix := topology.DefaultRadix(hosts, tiers)
	return radix > 0 && (tiers == 3 || hosts <= mostToRs*radix*radix)
}
