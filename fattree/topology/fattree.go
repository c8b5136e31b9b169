package topology

import (
	"cmp"
	"math"

	"repslab/fattree"
	"repslab/faults"
)

// MaxUplinks is the largest number of uplinks of a switch.
const MaxUplinks = 1 << 10

// FatTree is a folded Clos network of one to three tiers of switches. Hosts of a ToR, and ToRs of
// a pod, have consecutive numbers. It is a [fattree.Topology].
//
//	1  one switch with Hosts output ports to an ideal sink: the balls-into-bins
//	   set-up of [Bonato26] sec. 2; only Hosts and Access matter
//	2  ToRs with UplinksPerToR uplinks to as many spines (divided by CablesPerPair)
//	3  pods of ToRsPerPod ToRs and UplinksPerToR aggregation switches (divided
//	   by CablesPerPair) with UplinksPerAgg uplinks each to the core switches of
//	   their group, UplinksPerAgg / CoreCablesPerPair
//
// A field that is 0 has its documented default; Hosts has none.
type FatTree struct {
	Hosts int // 1 to fattree.MaxHosts
	Tiers int // 1 to 3; default 2

	HostsPerToR   int // must divide Hosts; default DefaultRadix
	UplinksPerToR int // default HostsPerToR: no oversubscription
	ToRsPerPod    int // for 3 tiers: must divide the number of ToRs; default UplinksPerToR
	UplinksPerAgg int // for 3 tiers; default ToRsPerPod
	CablesPerPair int // parallel cables between a ToR and a switch above it; default 1

	CoreCablesPerPair int // for 3 tiers: parallel cables between an aggregation switch and a core switch; default 1

	// The classes of links: host to ToR, ToR to spine or aggregation switch, and aggregation switch to core.
	// Defaults are 400 Gb/s and 1000 ns. A negative latency is not allowed.
	Access, Fabric, Core fattree.Link
	SwitchLatencyNs      float64 // of each switch on a path; default 0, negative is not allowed
}

// DefaultRadix returns the default number of hosts of a ToR. For 2 tiers it is the largest divisor of hosts not
// above the square root of hosts. For 3 tiers it is k/2 of the smallest even k with k^3/4 = hosts, and 0 if there
// is no such k or hosts is above fattree.MaxHosts. Exact, O(sqrt(hosts)).
func DefaultRadix(hosts, tiers int) int {
	if hosts > fattree.MaxHosts {
		return 0
	}
	if tiers == 3 {
		for half := 1; 2*half*half*half <= hosts; half++ {
			if 2*half*half*half == hosts {
				return half
			}
		}
		return 0
	}
	r := max(1, int(math.Sqrt(float64(hosts))))
	for hosts%r != 0 {
		r--
	}
	return r
}

// WithDefaults returns t with every zero field replaced by its default.
func (t FatTree) WithDefaults() FatTree {
	t.Tiers = cmp.Or(t.Tiers, 2)
	if t.HostsPerToR == 0 {
		t.HostsPerToR = DefaultRadix(t.Hosts, t.Tiers)
	}
	t.UplinksPerToR = cmp.Or(t.UplinksPerToR, t.HostsPerToR)
	t.ToRsPerPod = cmp.Or(t.ToRsPerPod, t.UplinksPerToR)
	t.UplinksPerAgg = cmp.Or(t.UplinksPerAgg, t.ToRsPerPod)
	t.CablesPerPair, t.CoreCablesPerPair = cmp.Or(t.CablesPerPair, 1), cmp.Or(t.CoreCablesPerPair, 1)
	for _, link := range []*fattree.Link{&t.Access, &t.Fabric, &t.Core} {
		link.Gbps, link.LatencyNs = cmp.Or(link.Gbps, 400), cmp.Or(link.LatencyNs, 1000)
	}
	return t
}

// Validate reports every fault of t with defaults applied, as joined [*faults.FieldError]
// values.
func (t FatTree) Validate() error {
	t = t.WithDefaults()
	bad := faults.List{Package: "topology"}
	if t.Hosts < 1 || t.Hosts > fattree.MaxHosts {
		bad.Refuse("Hosts", t.Hosts, "must be in [1, %d]", fattree.MaxHosts)
		return bad.Err()
	}
	if t.Tiers < 1 || t.Tiers > 3 {
		bad.Refuse("Tiers", t.Tiers, "must be 1, 2 or 3")
		return bad.Err()
	}
	if t.Tiers > 1 {
		t.validateShape(&bad)
	}
	t.validateLinks(&bad)
	return bad.Err()
}

// validateShape reports radices that do not fit together.
func (t FatTree) validateShape(bad *faults.List) {
	if t.HostsPerToR < 1 || t.Hosts%t.HostsPerToR != 0 {
		if t.Tiers == 3 && t.HostsPerToR == 0 {
			bad.Refuse("Hosts", t.Hosts, "must be k^3/4 for an even k in a tree of 3 tiers whose HostsPerToR is not given")
			return
		}
		bad.Refuse("HostsPerToR", t.HostsPerToR, "must divide Hosts (%d)", t.Hosts)
		return
	}
	if t.UplinksPerToR < 1 || t.UplinksPerToR > MaxUplinks {
		bad.Refuse("UplinksPerToR", t.UplinksPerToR, "must be in [1, %d]", MaxUplinks)
		return
	}
	bad.Check(t.CablesPerPair >= 1 && t.UplinksPerToR%max(1, t.CablesPerPair) == 0, "CablesPerPair", t.CablesPerPair, "must divide UplinksPerToR (%d)", t.UplinksPerToR)
	if t.Tiers == 2 {
		t.validatePorts(bad)
		return
	}
	tors := t.Hosts / t.HostsPerToR
	bad.Check(t.ToRsPerPod >= 1 && tors%max(1, t.ToRsPerPod) == 0, "ToRsPerPod", t.ToRsPerPod, "must divide the number of ToRs (%d)", tors)
	if t.UplinksPerAgg < 1 || t.UplinksPerAgg > MaxUplinks {
		bad.Refuse("UplinksPerAgg", t.UplinksPerAgg, "must be in [1, %d]", MaxUplinks)
		return
	}
	if t.CoreCablesPerPair < 1 || t.UplinksPerAgg%t.CoreCablesPerPair != 0 {
		bad.Refuse("CoreCablesPerPair", t.CoreCablesPerPair, "must divide UplinksPerAgg (%d)", t.UplinksPerAgg)
		return
	}
	t.validatePorts(bad)
}

// validatePorts reports too many ports, counting two for each cable between switches. The shape must be valid,
// except that divisors need not divide.
func (t FatTree) validatePorts(bad *faults.List) {
	ports := t.ports()
	bad.Check(ports <= fattree.MaxPorts, "Hosts", t.Hosts, "must be fewer, or uplinks: the switches need %d ports, of at most %d", ports, fattree.MaxPorts)
	bad.Check(t.Radix() <= fattree.MaxRadix, "Hosts", t.Hosts, "must be fewer, or cables: a switch needs %d ports, of at most %d", t.Radix(), fattree.MaxRadix)
}

// ports returns the ports of all switches of a tree.
func (t FatTree) ports() int64 {
	tors := int64(t.Hosts / t.HostsPerToR)
	ports := int64(t.Hosts) + 2*tors*int64(t.UplinksPerToR)
	if t.Tiers == 3 && t.ToRsPerPod > 0 && t.CablesPerPair > 0 {
		ports += 2 * (tors / int64(t.ToRsPerPod)) * int64(t.UplinksPerToR/t.CablesPerPair) * int64(t.UplinksPerAgg)
	}
	return ports
}

// validateLinks reports rates and latencies out of range.
func (t FatTree) validateLinks(bad *faults.List) {
	for i, l := range []struct {
		name string
		fattree.Link
	}{{"Access", t.Access}, {"Fabric", t.Fabric}, {"Core", t.Core}} {
		if t.Tiers == 1 && i > 0 {
			break
		}
		if !(l.Gbps >= 1 && l.Gbps <= 1e5) {
			bad.Refuse(l.name+".Gbps", l.Gbps, "must be in [1, 100000]")
		} else {
			bad.Check(i >= t.Tiers || l.Gbps >= fattree.LeastRate*t.fastest(), l.name+".Gbps", l.Gbps, "must be at least 1/%v of the fastest link's (%v)", 1/fattree.LeastRate, t.fastest())
		}
		bad.Check(l.LatencyNs >= 0 && l.LatencyNs <= 1e6, l.name+".LatencyNs", l.LatencyNs, "must be in [0, 1000000]")
	}
	bad.Check(t.SwitchLatencyNs >= 0 && t.SwitchLatencyNs <= 1e6, "SwitchLatencyNs", t.SwitchLatencyNs, "must be in [0, 1000000]")
}

// over returns a / b. It panics with the name of b's field if b is 0, as it is without defaults.
func over(a, b int, field string) int {
	if b == 0 {
		panic(faults.New("topology", field, b, "must not be 0: apply FatTree.WithDefaults"))
	}
	return a / b
}

// ToRs returns the number of ToRs; defaults must be applied.
func (t FatTree) ToRs() int { return over(t.Hosts, t.HostsPerToR, "HostsPerToR") }

// Pods returns the number of pods; a tree of 2 tiers is one pod. Defaults must be applied.
func (t FatTree) Pods() int {
	if t.Tiers == 3 {
		return over(t.ToRs(), t.ToRsPerPod, "ToRsPerPod")
	}
	return 1
}

// AggsPerPod returns the number of switches of the second tier of a pod: the aggregation switches, or the spines in
// a tree of 2 tiers. Defaults must be applied.
func (t FatTree) AggsPerPod() int { return over(t.UplinksPerToR, t.CablesPerPair, "CablesPerPair") }

// CoresPerAgg returns the number of core switches above an aggregation switch of 3 tiers. Defaults must be applied.
func (t FatTree) CoresPerAgg() int {
	return over(t.UplinksPerAgg, t.CoreCablesPerPair, "CoreCablesPerPair")
}

// Radix returns the largest number of ports of a switch; defaults must be applied.
func (t FatTree) Radix() int {
	tor, middle := t.HostsPerToR+t.UplinksPerToR, t.ToRs()*t.CablesPerPair
	if t.Tiers == 3 {
		middle = max(t.ToRsPerPod*t.CablesPerPair+t.UplinksPerAgg, t.Pods()*t.CoreCablesPerPair)
	}
	return max(tor, middle)
}

// Oversubscription returns the ratio of a switch's downlink capacity to its uplink capacity, multiplied over the
// tiers below the highest one: 1 without oversubscription. Exact up to rounding, O(1).
func (t FatTree) Oversubscription() float64 {
	t = t.WithDefaults()
	ratio := 1.0
	if t.Tiers > 1 {
		ratio *= float64(t.HostsPerToR) * t.Access.Gbps / (float64(t.UplinksPerToR) * t.Fabric.Gbps)
	}
	if t.Tiers > 2 {
		ratio *= float64(t.ToRsPerPod*t.CablesPerPair) * t.Fabric.Gbps / (float64(t.UplinksPerAgg) * t.Core.Gbps)
	}
	return ratio
}

// Climb returns the number of tiers above the ToRs on the path between two hosts: 0 within a ToR, 1 within a pod, 2
// between pods. Defaults must be applied.
func (t FatTree) Climb(a, b fattree.Host) int {
	ta, tb := over(int(a), t.HostsPerToR, "HostsPerToR"), over(int(b), t.HostsPerToR, "HostsPerToR")
	switch {
	case ta == tb:
		return 0
	case t.Tiers < 3 || over(ta, t.ToRsPerPod, "ToRsPerPod") == over(tb, t.ToRsPerPod, "ToRsPerPod"):
		return 1
	}
	return 2
}

// link returns the class of the cables below the switches of a tier: cables of tier 0 lead to hosts.
func (t FatTree) link(tier int) fattree.Link {
	return [...]fattree.Link{t.Access, t.Fabric, t.Core}[tier]
}

// fastest returns the highest rate of any link in use, in Gb/s.
func (t FatTree) fastest() float64 {
	most := t.Access.Gbps
	if t.Tiers > 1 {
		most = max(most, t.Fabric.Gbps)
	}
	if t.Tiers > 2 {
		most = max(most, t.Core.Gbps)
	}
	return most
}

// switches returns the number of switches of a tier.
func (t FatTree) switches(tier int) int {
	switch tier {
	case 0:
		return t.ToRs()
	case 1:
		return t.Pods() * t.AggsPerPod()
	}
	return t.AggsPerPod() * t.CoresPerAgg()
}

// uplinks returns the number of uplinks of a switch of a tier, which is 0 in the highest tier.
func (t FatTree) uplinks(tier int) int {
	switch {
	case tier == t.Tiers-1:
		return 0
	case tier == 0:
		return t.UplinksPerToR
	}
	return t.UplinksPerAgg
}
