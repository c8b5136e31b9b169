package model

import (
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/values"
)

// trafficParameters returns the parameters that choose flows and failures.
func (p *Fattree) trafficParameters() []Parameter {
	drawn := func(q Parameter) Parameter {
		return q.usedOnly("by workloads of drawn sizes: websearch, facebook and --sizes",
			func() bool { return p.kind.sizes != nil }).nullUnused()
	}
	messages := func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 40})
	}
	kinds := topology.FailureKinds()
	failure := word("failure", fmt.Sprintf("what fails: %s, %s, ...", kinds[0].Example, kinds[1].Example),
		failureSpecs, &p.Failure).in("Failures").field("Faults", "Errors", "failures").of("failures").
		more("fattree --help-all describes kinds and options; several at once are joined by a semicolon, several to compare by |, or written " +
			"as a range in place of a number: cables=1..8:x2 or cables=1%..8%:+1")
	failure.Choices = lists.Map(kinds, func(k topology.KindInfo) string { return string(k.Kind) + "=\t" + k.Summary })
	failure.Columns = append(failure.Columns, p.failedColumns()...)
	bursty := settable("burst", "senders have new packets in bursts alone, such as on=50,off=100", bursts, p.setBurst).
		show(func() any { return p.burst().String() }).text().
		seldom().of("bursts").field("BurstOn", "BurstOff").
		more("on and off in us, from the beginning of a run on; in the pauses ACKs and time-outs go on, and lost packets " +
			"are sent again; slowdown compares with a flow that never pauses; several values are separated by |")
	failure.separator, bursty.separator = "|", "|" // values contain commas
	flows := listed("workload", "flows", &p.workload)
	all := lists.Map(workloads(), func(w workload) string { return w.name }) // with workloads of files, which rows have
	flows.read = word("", "", NamesOf(all), &p.workload).read
	return []Parameter{
		flows.usedOnly("without --flows, --sizes and --schedule", func() bool { return p.flows == nil && p.sizes == nil && p.schedule == nil }),
		file("sizes", "flow sizes from a cumulative distribution", traffic.ReadSizes, &p.sizes).seldom().
			usedOnly("without --flows and --schedule", func() bool { return p.flows == nil && p.schedule == nil }).nullUnused(),
		drawn(probability("load", "offered load of websearch and facebook", &p.load)).
			more("as a fraction of the host link rate"),
		drawn(oneOf("arrivals", "arrivals of these flows", &p.poisson, []string{"paced", "poisson"}, false, true).seldom()),
		drawn(wholeMicroseconds("duration-us", "time during which these flows start",
			1, 90_000, &p.duration).seldom()).field("Duration", "Flows"), // less than the horizon
		Integer("degree", "senders of an incast or ring", 1, fattree.MaxHosts, &p.degree).
			noPreset("by --workload").
			more("concurrent flows per host of an alltoall; by default 8, half the hosts for an allreduce-ring").
			field("members", "parallel").
			usedOnly("by --workload incast, allreduce-ring and alltoall",
				func() bool { return p.kind.degree != nil }).nullUnused(),
		variable("message-bytes", "message size, such as 8MB", messages, &p.Message).
			noPreset("by --workload").field("Bytes", "Flows").
			more("8MiB; 4MB for allreduce-ring, 20MB for allreduce-butterfly, 2MB for alltoall").
			usedOnly("by workloads of equal messages, not by websearch, facebook, --sizes and --flows",
				func() bool { return p.kind.message > 0 }).nullUnused(),
		Integer("background-every", "make flows 0, N, 2N, ... background traffic pinned by ECMP", 2, fattree.MaxFlows,
			&p.background).noPreset("").nullIf(func() bool { return p.background == 0 }).seldom(),
		onOff("inherit", "a flow inherits the connection of the last one between its hosts",
			&p.Options.InheritConnections).field("InheritConnections").seldom().
			usedOnly("by workloads in which a pair of hosts has several flows: "+
				"allreduce-ring, those of drawn sizes and some of --flows", p.mayInherit),
		bursty, failure,
		settable("failure-seed", "draw random places of failures once, from this seed", IntsIn(1, math.MaxInt32), func(v int) { p.failureSeed = v }).
			in("Failures").seldom().noPreset("a draw for each replica").
			more("all replicas and combinations have the same places; rows show it as the option seed of --failure").
			usedOnly("by failures in random places", func() bool { return slices.ContainsFunc(p.Failure, topology.Failure.IsRandom) }),
	}
}

// failedColumns returns the columns that count cables and switches of all planes that fail or are slow. A cable or
// switch that two terms of --failure hit counts twice. Ports of network cards and transceivers count as cables.
func (p *Fattree) failedColumns() (list []Column) {
	for _, key := range []string{"failed_cables", "slow_cables", "flapping_cables", "failed_switches", "flapping_switches"} {
		list = append(list, Column{frame.Number(key), func() any {
			sum := 0
			for _, f := range p.Failure {
				if f.Column() == key {
					n, _ := f.Number(p.allPlanes()) // no error: complete has placed the failures
					sum += n
				}
			}
			return sum
		}})
	}
	return list
}
