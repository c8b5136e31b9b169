package main

import (
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/traffic"
)

// system is one of those that a flag chooses from.
type system struct {
	name    string
	summary string // one line
	source  string // where it is from
}

// controlSystem is a congestion control.
type controlSystem struct {
	system
	control func() fattree.Control
}

// controls lists the congestion controls, the default one first.
func controls() []controlSystem {
	return []controlSystem{
		{system{"dctcp", "DCTCP variant: a packet more per round trip, a quarter less of what a marked ACK covers", "paper section 4.1; authors' simulator, there mprdma"}, func() fattree.Control { return congestion.DCTCP{} }},
		{system{"eqds", "EQDS: receivers pace credit at 0.99 of their link, the first window is speculative", "paper section 4.1 and figure 15; authors' simulator"}, func() fattree.Control { return new(congestion.EQDS) }},
		{system{"nscc", "NSCC: marks and queueing delay with quick adaptation; stands for the proprietary control", "paper figure 15; authors' simulator"}, func() fattree.Control { return new(congestion.NSCC) }},
		{system{"none", "the window stays", "a control experiment"}, func() fattree.Control { return congestion.None{} }},
	}
}

// The workloads that files make.
const (
	flowList  workloadName = "flows"
	sizesFile workloadName = "sizes"
)

// workloadSystem is a workload.
type workloadSystem struct {
	system
	fromFile bool                // chosen by the flag of its name, a file
	message  int64               // default of --message-bytes; 0 where it means nothing
	degree   func(hosts int) int // default of --degree; nil where it means nothing
	sizes    func(*fattreePoint) traffic.Sizes
	drawn    bool // another one for each replica
	make     func(p *fattreePoint, source rand.Source) (fattree.Workload, error)
}

// workloads lists the workloads, the default one first.
func workloads() []workloadSystem {
	const (
		pattern    = "paper section 4.1"
		arrivals   = "paper section 4.1; authors' generator"
		collective = "paper section 4.1; authors' generator of collectives"
	)
	eight := func(int) int { return 8 }
	half := func(hosts int) int { return max(2, hosts/2) }
	return []workloadSystem{
		{system: system{"permutation", "every host to one other, drawn at random", pattern}, message: 8 << 20, drawn: true,
			make: func(p *fattreePoint, source rand.Source) (fattree.Workload, error) {
				return traffic.Permutation(p.hosts, p.sent(), source)
			}},
		{system: system{"tornado", "host i to host i + hosts/2", pattern}, message: 8 << 20,
			make: func(p *fattreePoint, _ rand.Source) (fattree.Workload, error) {
				return traffic.Tornado(p.hosts, p.sent())
			}},
		{system: system{"incast", "degree hosts of one ToR to host 0", pattern}, message: 8 << 20, degree: eight,
			make: func(p *fattreePoint, _ rand.Source) (fattree.Workload, error) {
				return traffic.Incast(p.hosts, p.degree, p.sent())
			}},
		{system: system{"one-tor", "the hosts of ToR 0 to those half-way round", "authors' scripts of the first, third and sixth figure"}, message: 8 << 20,
			make: func(p *fattreePoint, _ rand.Source) (fattree.Workload, error) {
				return traffic.OneToR(p.spec.Topology, p.sent())
			}},
		{system: system{"websearch", "flows of a web search cluster's sizes, 2.8 MB on average", arrivals}, drawn: true,
			sizes: func(*fattreePoint) traffic.Sizes { return traffic.WebSearch() }, make: (*fattreePoint).arriving},
		{system: system{"facebook", "flows of a Hadoop cluster's sizes, 120 kB on average", arrivals}, drawn: true,
			sizes: func(*fattreePoint) traffic.Sizes { return traffic.Facebook() }, make: (*fattreePoint).arriving},
		{system: system{"sizes", "flows of the sizes in the file of --sizes", arrivals}, fromFile: true, drawn: true,
			sizes: func(p *fattreePoint) traffic.Sizes { return p.sizes.data }, make: (*fattreePoint).arriving},
		{system: system{"allreduce-ring", "chains of messages around a ring of degree hosts (default half of them)", collective}, message: 4_000_000, degree: half, drawn: true,
			make: func(p *fattreePoint, source rand.Source) (fattree.Workload, error) {
				return traffic.RingAllreduce(p.hosts, p.degree, p.sent(), source)
			}},
		{system: system{"allreduce-butterfly", "log2 hosts exchanges between hosts 1, 2, 4, ... apart", collective}, message: 20_000_000,
			make: func(p *fattreePoint, _ rand.Source) (fattree.Workload, error) {
				return traffic.ButterflyAllreduce(p.hosts, p.sent())
			}},
		{system: system{"alltoall", "every pair of hosts, degree flows of a host at a time", collective}, message: 2_000_000, degree: eight, drawn: true,
			make: func(p *fattreePoint, source rand.Source) (fattree.Workload, error) {
				return traffic.AllToAll(p.hosts, p.degree, p.sent(), source)
			}},
		{system: system{"flows", "the flow list in the file of --flows", "htsim's .cm format"}, fromFile: true,
			make: func(p *fattreePoint, _ rand.Source) (fattree.Workload, error) { return p.flows.data.workload, nil }},
	}
}

// controlNames are the values of --cc.
func controlNames() (names []controlName) {
	for _, c := range controls() {
		names = append(names, controlName(c.name))
	}
	return names
}

// workloadNames are the values of --workload.
func workloadNames() (names []workloadName) {
	for _, w := range workloads() {
		if !w.fromFile {
			names = append(names, workloadName(w.name))
		}
	}
	return names
}

// named returns the entry of a table with a name that is in it.
func named[T any](list []T, name string, nameOf func(T) string) T {
	for _, entry := range list {
		if nameOf(entry) == name {
			return entry
		}
	}
	panic("repslab: nothing is called " + name)
}

// control returns the point's congestion control.
func (p *fattreePoint) control() fattree.Control {
	return named(controls(), string(p.cc), func(c controlSystem) string { return c.name }).control()
}

// kind returns the point's workload.
func (p *fattreePoint) kind() workloadSystem {
	return named(workloads(), string(p.workload), func(w workloadSystem) string { return w.name })
}

// sent returns the point's message.
func (p *fattreePoint) sent() traffic.Message { return traffic.Message{Bytes: p.message} }

// The ways in which flows of drawn sizes arrive.
const (
	paced   arrivalName = "paced"
	poisson arrivalName = "poisson"
)

// arriving returns flows of drawn sizes.
func (p *fattreePoint) arriving(source rand.Source) (fattree.Workload, error) {
	t := p.spec.Topology
	a := traffic.Arrivals{
		Hosts: p.hosts, HostsPerToR: t.HostsPerToR, Sizes: p.kind().sizes(p), Load: p.load, Gbps: t.Access.Gbps,
		Duration: fattree.Picoseconds(p.duration) * 1_000_000,
	}
	if p.arrivals == poisson {
		return traffic.Poisson(a, source)
	}
	return traffic.Paced(a, source)
}
