package cases

import (
	"cmp"
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/param"
)

// defaultHosts is the number of hosts if neither --hosts nor --radix is given.
const defaultHosts = 128

// mostToRs is the largest ratio of ToRs to hosts of a ToR in the default shape.
const mostToRs = 4

// TreeSize holds the sizes and rates of a tree as the flags give them; 0 if not given.
type TreeSize struct {
	Hosts                               int
	HostsPerToR, UplinksPerToR, radix   int
	oversubscription                    float64
	Gbps, FabricGbps, coreGbps, Latency float64
}

// completeTree makes the topology that the flags or the file describe.
func (p *Fattree) completeTree() (err error) {
	var t topology.FatTree
	if p.topology != nil {
		t = p.topology.Data.tree
	} else {
		size := p.Size
		if p.flows != nil && !p.flows[0].Data.ns3 && size.Hosts == 0 && size.radix == 0 {
			size.Hosts = p.listedHosts()
		}
		if t, err = size.topology(p.Tree.Tiers); err != nil {
			return p.ofFlowList(err)
		}
	}
	p.Tree = t.WithDefaults()
	if err := p.Size.checkPorts(p.Tree); err != nil {
		return err
	}
	p.Spec.Topology = p.Tree
	if err := t.Validate(); err != nil {
		return err
	}
	if p.planes > 1 {
		p.Spec.Topology = p.allPlanes()
	}
	if err := p.Spec.Topology.Validate(); err != nil || p.topology != nil || p.Size.radix == 0 {
		return err
	}
	if ports := p.Tree.Radix(); ports > p.Size.radix && p.Size.usesRadix() {
		return param.Usagef("--radix: %d must be at least %d, the ports of a switch above the %d ToRs of %d hosts",
			p.Size.radix, ports, p.Tree.ToRs(), p.Tree.HostsPerToR)
	}
	return nil
}

// allPlanes returns the network's planes. If there is one plane, it is the tree itself.
func (p *Fattree) allPlanes() topology.Planes {
	return topology.Planes{Tree: p.Tree, Planes: p.planes}
}

// mapsNodes reports whether the flow list names nodes of the topology file.
func (p *Fattree) mapsNodes() bool {
	return p.flows != nil && p.flows[0].Data.ns3 && p.topology != nil && p.topology.Data.nodes != nil
}

// listedHosts returns the number of hosts that the flow lists have, the most of several; 0 without a flow list.
func (p *Fattree) listedHosts() (most int) {
	for _, list := range p.flows {
		most = max(most, list.Data.hosts)
	}
	return most
}

// flowList returns the flows of a replica's file.
func (p *Fattree) flowList(replica uint64) (flows, error) {
	list := p.flows[replica%uint64(len(p.flows))]
	switch w := list.Data.workload; {
	case p.mapsNodes():
		w, err := traffic.OnHosts(w, p.topology.Data.nodes)
		if err != nil {
			err = param.Usagef("--flows: %w", err)
		}
		return w, err
	case p.Spec.Profile == fattree.UltraEthernet && !list.Data.ns3:
		return traffic.StartsIn(w, 1_000_000)
	default:
		return w, nil
	}
}

// ofFlowList adds to an error that the flow list gave the number of hosts, if it did.
func (p *Fattree) ofFlowList(err error) error {
	if p.flows == nil || p.Size.Hosts > 0 || p.Size.radix > 0 {
		return err
	}
	return param.Usagef("--flows: its %d nodes make no tree, give --hosts: %w", p.listedHosts(), err)
}

// fluidTree returns a tree with the capacity of all planes.
func (p *Fattree) fluidTree() topology.FatTree {
	t := p.Tree
	for _, link := range []*fattree.Link{&t.Access, &t.Fabric, &t.Core} {
		link.Gbps *= float64(p.planes)
	}
	return t
}

// usesRadix reports whether the radix has an effect: it has none if hosts and uplinks of a ToR are given.
func (s TreeSize) usesRadix() bool { return s.HostsPerToR == 0 || s.UplinksPerToR == 0 }

// topology returns the topology before defaults.
func (s TreeSize) topology(tiers int) (topology.FatTree, error) {
	link := func(gbps float64) fattree.Link { return fattree.Link{Gbps: gbps, LatencyNs: s.Latency} }
	fabric := cmp.Or(s.FabricGbps, s.Gbps)
	t := topology.FatTree{
		Hosts: cmp.Or(s.Hosts, defaultHosts), Tiers: tiers, HostsPerToR: s.HostsPerToR, UplinksPerToR: s.UplinksPerToR,
		Access: link(s.Gbps), Fabric: link(fabric), Core: link(cmp.Or(s.coreGbps, fabric)),
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
			return t, param.Usagef("--oversubscription: %v would make %.4g uplinks of %v Gb/s for the %d hosts of a ToR at %v Gb/s, must make a whole number",
				s.oversubscription, uplinks, t.Fabric.Gbps, t.HostsPerToR, t.Access.Gbps)
		}
	}
	return t, nil
}

// wholeNumber returns x rounded and true if x is a whole number of at least 1 up to rounding errors; otherwise x
// and false.
func wholeNumber(x float64) (nearest float64, whole bool) {
	if nearest = math.Round(x); nearest < 1 || math.Abs(x-nearest) > 1e-9*nearest {
		return x, false
	}
	return nearest, true
}

// hostsPerUplink returns the hosts of a ToR for each uplink: the oversubscription times the ratio of the links'
// rates. It is 1 without oversubscription.
func (s TreeSize) hostsPerUplink(t topology.FatTree) float64 {
	if s.oversubscription == 0 {
		return 1
	}
	return s.oversubscription * t.Fabric.Gbps / t.Access.Gbps
}

// dividePorts divides the ports of switches of the given radix between links down and links up. If the number of
// hosts is not given, the tree has as many as fit.
func (s TreeSize) dividePorts(t *topology.FatTree) error {
	switch {
	case s.HostsPerToR > 0:
		t.UplinksPerToR = s.radix - s.HostsPerToR
	case s.UplinksPerToR > 0:
		t.HostsPerToR = s.radix - s.UplinksPerToR
	default:
		uplinks, whole := wholeNumber(float64(s.radix) / (1 + s.hostsPerUplink(*t)))
		if t.UplinksPerToR = int(uplinks); !whole {
			return param.Usagef("--radix: %d must be a multiple of %.4g, the ports of a ToR for one uplink and its hosts",
				s.radix, 1+s.hostsPerUplink(*t))
		}
		t.HostsPerToR = s.radix - t.UplinksPerToR
	}
	if t.HostsPerToR < 1 || t.UplinksPerToR < 1 {
		return param.Usagef("--radix: %d must be above the %d ports of a ToR for its hosts or uplinks",
			s.radix, max(s.HostsPerToR, s.UplinksPerToR))
	}
	tors := s.radix
	if t.Tiers == 3 {
		if s.radix%2 != 0 {
			return param.Usagef("--radix: %d must be even in a tree of 3 tiers", s.radix)
		}
		t.ToRsPerPod, t.UplinksPerAgg = s.radix/2, s.radix/2
		tors *= t.ToRsPerPod
	}
	t.Hosts = cmp.Or(s.Hosts, tors*t.HostsPerToR)
	return nil
}

// checkPorts returns an error if hosts or uplinks that follow from flags are too many.
func (s TreeSize) checkPorts(t topology.FatTree) error {
	flag, value := "hosts", t.Hosts
	switch {
	case s.radix > 0 && s.usesRadix():
		flag, value = "radix", s.radix
	case s.HostsPerToR > 0:
		flag, value = "hosts-per-tor", s.HostsPerToR
	}
	switch {
	case s.Hosts == 0 && t.Hosts > fattree.MaxHosts:
		return param.Usagef("--%s: %d must be lower: the tree would have %d hosts, of at most %d",
			flag, value, t.Hosts, fattree.MaxHosts)
	case s.UplinksPerToR == 0 && t.UplinksPerToR > topology.MaxUplinks:
		return param.Usagef("--%s: %d makes ToRs with %d uplinks, of at most %d: give --oversubscription or --uplinks-per-tor",
			flag, value, t.UplinksPerToR, topology.MaxUplinks)
	}
	return nil
}

// checkHosts returns an error for a number of hosts without a balanced tree. It names the nearest numbers that
// have one.
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
		return param.Usagef("--hosts: %d must be k^3/4 for an even k in a tree of 3 tiers: %s; or give --hosts-per-tor",
			hosts, nearest)
	}
	return param.Usagef("--hosts: %d would make %d ToRs of %d: try %s, or give --hosts-per-tor",
		hosts, hosts/topology.DefaultRadix(hosts, tiers), topology.DefaultRadix(hosts, tiers), nearest)
}

// balanced reports whether the default shape of a tree exists and has not many more ToRs than hosts of a ToR.
func balanced(hosts, tiers int) bool {
	radix := topology.DefaultRadix(hosts, tiers)
	return radix > 0 && (tiers == 3 || hosts <= mostToRs*radix*radix)
}

// treeParameters returns the parameters that shape the tree.
func (p *Fattree) treeParameters() []param.Parameter {
	t, size := &p.Tree, &p.Size
	optional := func(flag, help, otherwise string, least, most int, field, shown *int) param.Parameter {
		return p.withoutTopology(param.Integer(flag, help, least, most, field)).Show(func() any { return *shown }).
			NoPreset(otherwise)
	}
	hostsPerToR := optional("hosts-per-tor", "hosts per ToR", "a balanced tree", 1, fattree.MaxHosts,
		&size.HostsPerToR, &t.HostsPerToR).
		More("by default the largest divisor of hosts up to its root, and half the radix with 3 tiers").Seldom().
		Also("tors", func() any { return t.ToRs() })
	return []param.Parameter{
		optional("hosts", "hosts", fmt.Sprintf("%d; with --radix all that fit", defaultHosts), 2, fattree.MaxHosts,
			&size.Hosts, &t.Hosts).More("with --flows its Nodes, without --radix"),
		p.withoutTopology(param.Integer("tiers", "tiers of switches, 2 or 3", 2, 3, &t.Tiers)),
		param.Number("oversubscription", "ToR capacity down over up", 1e-6, 1e9, &size.oversubscription).
			Show(func() any { return t.Oversubscription() }).NoPreset("by uplinks").
			More("rates of links included; the column multiplies those of all tiers").
			UsedOnly("without --topology, --uplinks-per-tor, and --hosts-per-tor with --radix", func() bool {
				return p.topology == nil && size.UplinksPerToR == 0 && (size.HostsPerToR == 0 || size.radix == 0)
			}),
		hostsPerToR,
		optional("uplinks-per-tor", "uplinks of a ToR", "one per host", 1, topology.MaxUplinks,
			&size.UplinksPerToR, &t.UplinksPerToR).Seldom(),
		param.Integer("radix", "ports of a switch", 2, 1<<12, &size.radix).
			More("those of a ToR in all, and the most of the others").
			Show(func() any { return t.Radix() }).NoPreset("as needed").
			UsedOnly("without --topology, and without --hosts-per-tor or --uplinks-per-tor",
				func() bool { return p.topology == nil && size.usesRadix() }),
		param.Integer("planes", "copies of the tree; every host has a link into each", 1, topology.MaxPlanes, &p.planes).Seldom(),
	}
}

// withoutTopology marks a parameter that a topology file replaces.
func (p *Fattree) withoutTopology(q param.Parameter) param.Parameter {
	return q.UsedOnly("without --topology", func() bool { return p.topology == nil })
}
