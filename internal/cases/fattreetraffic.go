package cases

import (
	"fmt"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/values"
)

// readMessages reads sizes of messages.
func readMessages(text string) ([]int64, error) {
	return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 40})
}

// trafficParameters returns the parameters that choose flows and failures.
func (p *Fattree) trafficParameters() []param.Parameter {
	kinds := topology.FailureKinds()
	failure := param.Word("failure", fmt.Sprintf("what fails: %s, %s, ...", kinds[0].Example, kinds[1].Example),
		failureSpecs, &p.Failure).In("Failures").Field("Faults", "Errors", "failures").Of("failures").
		More("fattree --help-all describes kinds and options; several at once are joined by a semicolon, several to compare by |, or written " +
			"as a range in place of a number: cables=1..8:x2 or cables=1%..8%:+1")
	failure.Choices = lists.Map(kinds, func(k topology.KindInfo) string { return string(k.Kind) + "=\t" + k.Summary })
	bursty := param.Settable("burst", "senders have new packets in bursts alone, such as on=50,off=100", bursts, p.setBurst).
		Show(func() any { return p.burst().String() }).Text().
		Seldom().Of("bursts").Field("BurstOn", "BurstOff").
		More("on and off in us, from the beginning of a run on; in the pauses ACKs and time-outs go on, and lost packets " +
			"are sent again; slowdown compares with a flow that never pauses; several values are separated by |")
	failure.Separator, bursty.Separator = "|", "|" // values contain commas
	flows := listed("workload", "flows", &p.workload).Field("Parts").
		More("or a sum of parts with options, as in 'permutation: bytes=8MiB, hosts=70%; incast: bytes=200kB, degree=16, every=50us; websearch: load=0.3'; " +
			"each part has a row; repslab help workload describes the options; several values are separated by |, names by commas too")
	flows.Read = param.Word("", "", workloadSpecs, &p.workload).Read // with workloads of files, which rows have
	const drawn = "by workloads of drawn sizes: websearch, facebook and --sizes"
	taken := func(q param.Parameter, only string, by func(part) bool) param.Parameter {
		return q.UsedOnly(only+"; a part of --workload with an option for it does not", func() bool { return p.takes(by) }).NullUnused()
	}
	return []param.Parameter{
		flows.UsedOnly("without --flows and --schedule, and with --sizes if a part names it",
			func() bool { return p.flows == nil && p.schedule == nil && (p.sizes == nil || p.workload != sizesFile) }),
		param.File("sizes", "flow sizes from a cumulative distribution", traffic.ReadSizes, &p.sizes).Seldom().
			UsedOnly("without --flows and --schedule", func() bool { return p.flows == nil && p.schedule == nil }).NullUnused(),
		taken(param.Probability("load", "offered load of websearch and facebook", &p.load), drawn, part.takesLoad).
			More("as a fraction of the host link rate"),
		taken(param.OneOf("arrivals", "arrivals of these flows", &p.poisson, arrivalNames(), false, true).Seldom(), drawn, part.takesArrivals),
		taken(param.WholeMicroseconds("duration-us", "time during which these flows start",
			1, 90_000, &p.duration).Seldom(), drawn+", and by parts of --workload with every= or load=", part.takesDuration).Field("Duration", "Flows"), // less than the horizon
		taken(param.Integer("degree", "senders of an incast or ring", 1, fattree.MaxHosts, &p.degree).
			NoPreset("by --workload").
			More("concurrent flows per host of an alltoall; by default 8, half the hosts for an allreduce-ring").
			Field("members", "parallel"),
			"by --workload incast, allreduce-ring and alltoall", part.takesDegree).NullIf(func() bool { return p.degree == 0 }),
		taken(param.Variable("message-bytes", "message size, such as 8MB", readMessages, &p.Message).
			NoPreset("by --workload").Field("Bytes", "Flows").
			More("8MiB; 4MB for allreduce-ring, 20MB for allreduce-butterfly, 2MB for alltoall"),
			"by workloads of equal messages, not by websearch, facebook, --sizes and --flows", part.takesMessage).NullIf(func() bool { return p.Message == 0 }),
		param.Integer("background-every", "make flows 0, N, 2N, ... background traffic pinned by ECMP, but for flows in a group of --lb-of", 2, fattree.MaxFlows,
			&p.background).NoPreset("").NullIf(func() bool { return p.background == 0 }).Seldom(),
		param.Choice("inherit", "a flow inherits the connection of the last one between its hosts", []string{"on", "off", "queue"}, func(i int) {
			p.Options.InheritConnections, p.queues = i == 0, i == 2
		}, func() int {
			return map[[2]bool]int{{true, false}: 0, {false, false}: 1, {false, true}: 2}[[2]bool{p.Options.InheritConnections, p.queues}]
		}).More("queue: all messages of a stream of a rank to another rank are one connection").Field("InheritConnections", "Connection").Seldom().
			UsedOnly("by workloads in which a pair of hosts has several flows: "+
				"allreduce-ring, those of drawn sizes and some of --flows; queue only with --schedule and without --profile mrc; on with --cc none only by --lb "+
				balancersThat(func(b transport.Balancer) bool { return b.Traits().Inherit != nil }), p.mayInherit),
		bursty, p.withFailed(failure), p.rerouteParameter().In("Failures"),
		param.Settable("failure-seed", "draw random places of failures once, from this seed", param.IntsIn(1, math.MaxInt32), func(v int) { p.failureSeed = v }).
			In("Failures").Seldom().NoPreset("a draw for each replica").
			More("all replicas and combinations have the same places; rows show it as the option seed of --failure").
			UsedOnly("by failures in random places", func() bool { return slices.ContainsFunc(p.Failure, topology.Failure.IsRandom) }),
	}
}

// withFailed adds columns that count cables and switches of all planes that fail, are slow or lose packets. A
// cable or switch that two terms of --failure hit counts twice. Ports of network cards and transceivers count as
// cables.
func (p *Fattree) withFailed(q param.Parameter) param.Parameter {
	for _, key := range []string{"failed_cables", "slow_cables", "lossy_cables", "flapping_cables", "failed_switches", "slow_switches", "lossy_switches", "flapping_switches"} {
		q = q.Also(key, func() any {
			sum := 0
			for _, f := range p.Failure {
				if f.Column() == key {
					n, _ := f.Number(p.allPlanes()) // no error: complete has placed the failures
					sum += n
				}
			}
			return sum
		})
	}
	return q
}
