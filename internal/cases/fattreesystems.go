package cases

import (
	"math/rand/v2"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/param"
)

// System is a value of --lb, --cc, --workload or --failure, as --list prints it.
type System struct {
	Flag, Name string
	Summary    string // one line
	Source     string // keys of docs/references.md, or a description
}

// Systems lists the values of the flags, including workloads that come from files.
func Systems() (list []System) {
	for _, b := range balance.All() {
		list = append(list, System{"lb", b.Name, b.Summary, b.Source})
	}
	for _, c := range congestion.All() {
		list = append(list, System{"cc", c.Name, c.Summary, c.Source})
	}
	for _, w := range workloads() {
		list = append(list, System{"workload", w.name, w.summary, w.source})
	}
	for _, k := range topology.FailureKinds() {
		list = append(list, System{"failure", string(k.Kind), k.Summary, k.Source})
	}
	return list
}

// names returns the values that the user can give for a flag. Workloads that come from files have flags of their
// own.
func names(flag string) (names []string) {
	for _, c := range Systems() {
		if c.Flag == flag && c.Name != flowList && c.Name != sizesFile && c.Name != scheduleFile {
			names = append(names, c.Name)
		}
	}
	return names
}

// listed is a parameter with the names that --list prints.
func listed(flag, help string, field *string) param.Parameter {
	q := param.Name(flag, help, names(flag), field)
	for _, c := range Systems() {
		if i := slices.Index(q.Choices, c.Name); i >= 0 && c.Flag == flag {
			q.Choices[i] += "\t" + c.Summary
		}
	}
	return q
}

// Load balancers that the command treats specially: they have flags of their own, or do not work with every
// congestion control.
const (
	BalancerREPS = "reps"
	lbPerPlane   = "reps-planes"
	lbMRC        = "mrc"
	lbSubflows   = "mptcp-subflows"
	lbExclude    = "reps-exclude"
	lbPathTurns  = "path-round-robin"
	lbHostTurns  = "source-round-robin"
	lbOracle     = "oracle"
	lbKLB        = "klb"
	lbKLBAlways  = "klb-always"
	lbHKLB       = "hklb"
)

// balancersThat names the load balancers with a property.
func balancersThat(have func(transport.Balancer) bool) string {
	var found []string
	for _, named := range balance.All() {
		if b, err := named.New(balance.MaxEVS); err == nil && have(b) {
			found = append(found, named.Name)
		}
	}
	last := len(found) - 1
	return strings.Join(found[:last], ", ") + " and " + found[last]
}

// routes reports whether a load balancer lets switches choose the ports, and not only correct the ports of its EVs. A
// nil one, of a network that was refused, does not.
func routes(b transport.Balancer) bool {
	return b != nil && b.Traits().Router != nil && b.Traits().EVs == 0
}

// workload describes how to make the flows of a workload.
type workload struct {
	name, summary, source string
	traits
	// pattern returns the flows of a round; nil if each host starts flows by itself, or a file has the flows.
	pattern func(p *Fattree, degree int) traffic.Pattern
}

// traits are the properties of a workload.
type traits struct {
	message int64               // default of --message-bytes; 0 if the workload does not use it
	degree  func(hosts int) int // default of --degree; nil if the workload does not use it
	sizes   func(*Fattree) traffic.Sizes
	random  bool // drawn anew for each replica
}

// flows are the flows of a workload.
type flows = fattree.Workload

// The workloads that come from files, and the one of all hosts of a ToR.
const (
	oneToR       = "one-tor"
	flowList     = "flows"
	sizesFile    = "sizes"
	scheduleFile = "schedule"
)

// workloads lists the workloads: one message per host, flows of drawn sizes, collectives, and the flow list of a
// file.
func workloads() []workload {
	const section, generator = "paper section 4.1", "paper section 4.1; authors' generator"
	const collectives = "paper section 4.1; authors' generator of collectives"
	eight := func(int) int { return 8 }
	half := func(hosts int) int { return max(2, hosts/2) }
	type message = traffic.Message
	type source = rand.Source
	without := func(of traffic.Pattern) func(*Fattree, int) traffic.Pattern {
		return func(*Fattree, int) traffic.Pattern { return of }
	}
	with := func(of func(hosts, degree int, m message, r source) (flows, error)) func(*Fattree, int) traffic.Pattern {
		return func(_ *Fattree, degree int) traffic.Pattern {
			return func(hosts int, m message, r source) (flows, error) { return of(hosts, degree, m, r) }
		}
	}
	return []workload{
		{"permutation", "every host to one other, drawn at random", section, traits{message: 8 << 20, random: true}, without(traffic.Permutation)},
		{"tornado", "host i to host i + hosts/2", section, traits{message: 8 << 20},
			without(func(hosts int, m message, _ source) (flows, error) { return traffic.Tornado(hosts, m) })},
		{"incast", "degree hosts, from the middle one on, to host 0", section, traits{message: 8 << 20, degree: eight},
			with(func(hosts, degree int, m message, _ source) (flows, error) { return traffic.Incast(hosts, degree, m) })},
		{oneToR, "the hosts of ToR 0 to those half-way round",
			"authors' scripts of the first, third and sixth figure", traits{message: 8 << 20},
			func(p *Fattree, _ int) traffic.Pattern {
				return func(_ int, m message, _ source) (flows, error) { return traffic.OneToR(p.Tree, m) }
			}},
		{"websearch", "flows of a web search cluster's sizes, 2.8 MB on average", generator,
			traits{random: true, sizes: func(*Fattree) traffic.Sizes { return traffic.WebSearch() }}, nil},
		{"facebook", "flows of a Hadoop cluster's sizes, 120 kB on average", generator,
			traits{random: true, sizes: func(*Fattree) traffic.Sizes { return traffic.Facebook() }}, nil},
		{sizesFile, "flows of the sizes in the file of --sizes", generator,
			traits{random: true, sizes: func(p *Fattree) traffic.Sizes { return p.sizes.Data }}, nil},
		{"allreduce-ring", "chains of messages around a ring of degree hosts (default half of them)",
			collectives, traits{message: 4_000_000, degree: half, random: true}, with(traffic.RingAllreduce)},
		{"allreduce-butterfly", "log2 hosts exchanges between hosts 1, 2, 4, ... apart",
			collectives, traits{message: 20_000_000},
			without(func(hosts int, m message, _ source) (flows, error) { return traffic.ButterflyAllreduce(hosts, m) })},
		{"alltoall", "every pair of hosts, degree flows of a host at a time", collectives,
			traits{message: 2_000_000, degree: eight, random: true}, with(traffic.AllToAll)},
		{flowList, "the flow list in the file of --flows", "htsim's .cm format", traits{}, nil},
		{scheduleFile, "messages of the ranks in the file of --schedule, when they send them", "GOAL's format [Hoefler10]", traits{}, nil},
	}
}

// workloadNamed returns the workload with a name, which must be in the list.
func workloadNamed(name string) workload {
	known := workloads()
	return known[slices.IndexFunc(known, func(w workload) bool { return w.name == name })]
}
