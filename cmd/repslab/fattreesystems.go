package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/traffic"
	"repslab/internal/values"
)

// system is a choice of --lb, --cc, --workload or --failure.
type system struct {
	name    string
	summary string // one line
	source  string // keys of docs/references.md, or a description

	control  func() fattree.Control // of --cc
	workload *workload              // of --workload
}

// systemTable lists the choices of a flag, the default first except for lb.
type systemTable struct {
	flag    string
	systems []system
}

// systemTables lists the tables that --list prints.
func systemTables() []systemTable {
	return []systemTable{{"lb", balancers()}, {"cc", controls()}, {"workload", workloads()}, {"failure", failureKinds()}}
}

// names returns the values of a table's flag: systems that come from a file have flags of
// their own.
func names(systems []system) (names []string) {
	for _, s := range systems {
		if s.workload == nil || !s.workload.fromFile {
			names = append(names, s.name)
		}
	}
	return names
}

// named returns the system with a name that is in the list.
func named(systems []system, name string) system {
	return systems[slices.IndexFunc(systems, func(s system) bool { return s.name == name })]
}

// Load balancers of which the command knows more than the name: the one that the flags of
// REPS are for, the one that takes a power of two of EVs, and the one that not every
// congestion control can serve.
const (
	lbREPS     = "reps"
	lbBitmap   = "bitmap"
	lbSubflows = "mptcp-subflows"
)

// balancers lists the load balancers.
func balancers() (list []system) {
	for _, b := range balance.All() {
		list = append(list, system{name: b.Name, summary: b.Summary, source: b.Source})
	}
	return list
}

// balancersThat names the load balancers with a property.
func balancersThat(have func(fattree.Balancer) bool) string {
	var found []string
	for _, named := range balance.All() {
		if b, err := named.New(balance.MaxEVS); err == nil && have(b) {
			found = append(found, named.Name)
		}
	}
	last := len(found) - 1
	return strings.Join(found[:last], ", ") + " and " + found[last]
}

// routes reports whether the switches of a load balancer choose the ports, not its EVs.
func routes(b fattree.Balancer) bool {
	_, is := b.(fattree.Router)
	return is
}

// controls lists the congestion controls.
func controls() (list []system) {
	for _, c := range congestion.All() {
		list = append(list, system{name: c.Name, summary: c.Summary, source: c.Source, control: c.New})
	}
	return list
}

// failureKinds lists the kinds of failures.
func failureKinds() []system {
	return []system{
		{name: string(fattree.Cables), source: "Bonato26 sec. 4.3",
			summary: "failed links: the first uplinks of every ToR, upwards, or drawn at random (place=random, dir=both)"},
		{name: string(fattree.Switches), source: "Bonato26 sec. 4.3",
			summary: "failed switches above the ToRs: the first ones, of every pod, or drawn at random"},
		{name: string(fattree.Degrade), source: "Bonato26 sec. 4.2", summary: "links at a fraction of their rate"},
		{name: string(fattree.CableErrors), source: "Bonato26 sec. 4.3",
			summary: "bit errors on every link: the receiver discards the packet"},
		{name: string(fattree.SwitchErrors), source: "Bonato26 sec. 4.3", summary: "bit errors in every switch"},
	}
}

// workload describes how the flows of a workload are made.
type workload struct {
	message  int64               // default of --message-bytes; 0 if the workload does not use it
	degree   func(hosts int) int // default of --degree; nil if the workload does not use it
	sizes    func(*fattreePoint) traffic.Sizes
	random   bool // another one for each replica
	fromFile bool // chosen by the flag of its name
	flows    func(p *fattreePoint, source rand.Source) (flows, error)
}

// flows are the flows of a workload.
type flows = fattree.Workload

// The workloads that files make.
const (
	flowList  = "flows"
	sizesFile = "sizes"
)

// workloads lists the workloads.
func workloads() []system { return slices.Concat(patterns(), sizedWorkloads(), collectives()) }

// newWorkload returns a workload, whose flows come from the parameters and, if random, the source.
func newWorkload(
	name, summary, source string, w workload, draw func(p *fattreePoint, r rand.Source) (flows, error),
) system {
	w.flows = draw
	return system{name: name, summary: summary, source: source, workload: &w}
}

// patterns lists the workloads in which a host sends one message.
func patterns() []system {
	type point = fattreePoint
	const source = "paper section 4.1"
	return []system{
		newWorkload("permutation", "every host to one other, drawn at random", source,
			workload{message: 8 << 20, random: true},
			func(p *point, r rand.Source) (flows, error) { return traffic.Permutation(p.hosts(), p.sent(), r) }),
		newWorkload("tornado", "host i to host i + hosts/2", source, workload{message: 8 << 20},
			func(p *point, _ rand.Source) (flows, error) { return traffic.Tornado(p.hosts(), p.sent()) }),
		newWorkload("incast", "degree hosts of one ToR to host 0", source, workload{message: 8 << 20, degree: eight},
			func(p *point, _ rand.Source) (flows, error) { return traffic.Incast(p.hosts(), p.degree, p.sent()) }),
		newWorkload("one-tor", "the hosts of ToR 0 to those half-way round",
			"authors' scripts of the first, third and sixth figure", workload{message: 8 << 20},
			func(p *point, _ rand.Source) (flows, error) { return traffic.OneToR(p.spec.Topology, p.sent()) }),
	}
}

// sizedWorkloads lists the workloads of drawn sizes.
func sizedWorkloads() []system {
	type point = fattreePoint
	const source = "paper section 4.1; authors' generator"
	arriving := (*point).arriving
	return []system{
		newWorkload("websearch", "flows of a web search cluster's sizes, 2.8 MB on average", source,
			workload{random: true, sizes: func(*point) traffic.Sizes { return traffic.WebSearch() }}, arriving),
		newWorkload("facebook", "flows of a Hadoop cluster's sizes, 120 kB on average", source,
			workload{random: true, sizes: func(*point) traffic.Sizes { return traffic.Facebook() }}, arriving),
		newWorkload(sizesFile, "flows of the sizes in the file of --sizes", source,
			workload{random: true, fromFile: true, sizes: func(p *point) traffic.Sizes { return p.sizes.data }}, arriving),
	}
}

// collectives lists the collectives and, last, the flow list of a file.
func collectives() []system {
	type point = fattreePoint
	const source = "paper section 4.1; authors' generator of collectives"
	half := func(hosts int) int { return max(2, hosts/2) }
	return []system{
		newWorkload("allreduce-ring", "chains of messages around a ring of degree hosts (default half of them)", source,
			workload{message: 4_000_000, degree: half, random: true},
			func(p *point, r rand.Source) (flows, error) {
				return traffic.RingAllreduce(p.hosts(), p.degree, p.sent(), r)
			}),
		newWorkload("allreduce-butterfly", "log2 hosts exchanges between hosts 1, 2, 4, ... apart", source,
			workload{message: 20_000_000},
			func(p *point, _ rand.Source) (flows, error) { return traffic.ButterflyAllreduce(p.hosts(), p.sent()) }),
		newWorkload("alltoall", "every pair of hosts, degree flows of a host at a time", source,
			workload{message: 2_000_000, degree: eight, random: true},
			func(p *point, r rand.Source) (flows, error) {
				return traffic.AllToAll(p.hosts(), p.degree, p.sent(), r)
			}),
		newWorkload(flowList, "the flow list in the file of --flows", "htsim's .cm format", workload{fromFile: true},
			func(p *point, _ rand.Source) (flows, error) { return p.flows.data.workload, nil }),
	}
}

// eight is a default of --degree.
func eight(int) int { return 8 }

// addList adds --list to a command, which then prints tables and does nothing else.
func addList(cmd *cobra.Command) {
	var flags []string
	for _, t := range systemTables() {
		flags = append(flags, t.flag)
	}
	wanted := cmd.Flags().String("list", "",
		"print the choices of these flags, and nothing else: "+strings.Join(flags, ","))
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("list") {
			return run(cmd, args)
		}
		found, err := values.Names(*wanted, flags)
		if err != nil {
			return usagef("--list: %w", err)
		}
		for _, flag := range found {
			for _, s := range systemTables()[slices.Index(flags, flag)].systems {
				fmt.Fprintf(cmd.OutOrStdout(), "%-8s  %-19s  %s [%s]\n", flag, s.name, s.summary, s.source)
			}
		}
		return nil
	}
}
