package main

import (
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/traffic"
	"repslab/reps"
)

// The names of what --lb, --cc and --workload choose from.
type (
	controlName  string
	workloadName string
	arrivalName  string
	switchName   string
)

// What can be on or off.
const (
	on  switchName = "on"
	off switchName = "off"
)

// onOff reads a list of them.
func onOff(text string) ([]switchName, error) { return namesOf([]switchName{on, off})(text) }

// fattreeParameters lists the flags, those first whose lists run slowest.
func fattreeParameters() []parameter {
	return []parameter{
		{"hosts", "", "hosts (default 128)"},
		{"tiers", "", "tiers of switches, 2 or 3 (default 2)"},
		{"oversubscription", "", "hosts to an uplink of a ToR (default 1)"},
		{"link-gbps", "", "rate of all links (default 400)"},
		{"latency-ns", "", "latency of all links (default 1000)"},
		{"topology", "", "take the tree from a file in htsim's .topo format"},
		{"workload", "", list(workloadNames()) + " (default permutation)"},
		{"sizes", "", "take the sizes of flows from a file of a cumulative distribution"},
		{"load", "0.6", "part of each host's link that flows of drawn sizes take"},
		{"arrivals", string(paced), "how flows of drawn sizes come: paced, poisson"},
		{"duration-us", "5000", "time during which flows of drawn sizes start"},
		{"degree", "", "senders of an incast (default 8), flows of a host in an alltoall (8), hosts of an allreduce-ring (half)"},
		{"message-bytes", "", "size of a message, such as 8MB (default 8MiB; allreduce-ring 4MB, -butterfly 20MB, alltoall 2MB)"},
		{"background-every", "", "let one of so many flows be background traffic pinned by ECMP"},
		{"inherit", string(off), "whether flows go on where the last one between their hosts ended: on, off"},
		{"flows", "", "take the workload from a file in htsim's .cm format"},
		{"failure", noFailure, "what fails: " + fattree.FailureGrammar + "; several to compare are separated by |"},
		{"mtu", "4150", "bytes of a full packet, 64 of header included"},
		{"queue", "100", "packets that a port's queue holds"},
		{"kmin", "", "packets left behind from which ECN marks (default 25 % of queue)"},
		{"kmax", "", "packets left behind from which ECN marks all (default 76 % of queue)"},
		{"window", "151", "initial congestion window in packets"},
		{"rto-us", "", "retransmission time-out (default: unloaded RTT and four full queues)"},
		{"trimming", string(on), "whether full queues trim packets: on, off"},
		{"ack-ratio", "1", "packets to an ACK"},
		{"ack-variant", string(ackStandard), "what a coalesced ACK teaches: standard (the EV of the last packet), carry (of all), reuse (reps uses an EV ack-ratio times)"},
		{"cc", controls()[0].name, "congestion control: " + list(controlNames())},
		{"evs", "65536", "entropy values"},
		{"freezing", string(on), "freezing mode of reps: on, off, at=US (forced at that time)"},
		{"freeze-us", "10000", "length of freezing mode"},
		{"freeze-exit", reps.ExitOnTimeout.String(), "what ends freezing mode of reps: timeout, probe (the path is probed once in an RTO)"},
		{"ring", "8", "entries of reps's ring, 1 to 32"},
		{"reps", string(balance.Paper), "rules of reps: " + list(balance.AllRules())},
		{"lb", string(lbREPS), "load balancer: " + list(balancerNames())},
	}
}

// fattreeUses lists the parameters that only some combinations use.
func fattreeUses() []use[*fattreePoint] {
	const (
		ownTree    = "without --topology"
		ownFlows   = "without --flows"
		ownSizes   = "without --flows and --sizes"
		drawnSizes = "by workloads of drawn sizes: websearch, facebook and --sizes"
		byREPS     = "by --lb reps"
		byCache    = "by --lb reps with --reps paper or artifact"
		byFreezing = byCache + " and --freezing on or at=US"
	)
	tree := func(p *fattreePoint) bool { return p.topology == nil }
	drawn := func(p *fattreePoint) bool { return p.kind().sizes != nil }
	freezes := func(p *fattreePoint) bool { return p.caches() && !p.freezing.off }
	return []use[*fattreePoint]{
		{"hosts", ownTree, tree},
		{"tiers", ownTree, tree},
		{"oversubscription", ownTree, tree},
		{"link-gbps", ownTree, tree},
		{"latency-ns", ownTree, tree},
		{"workload", ownSizes, func(p *fattreePoint) bool { return p.flows == nil && p.sizes == nil }},
		{"sizes", ownFlows, func(p *fattreePoint) bool { return p.flows == nil }},
		{"load", drawnSizes, drawn},
		{"arrivals", drawnSizes, drawn},
		{"duration-us", drawnSizes, drawn},
		{"degree", "by --workload incast, allreduce-ring and alltoall", func(p *fattreePoint) bool { return p.kind().degree != nil }},
		{"message-bytes", "by workloads of equal messages, not by websearch, facebook, --sizes and --flows", func(p *fattreePoint) bool { return p.kind().message > 0 }},
		{"inherit", "by workloads in which a pair of hosts has several flows: allreduce-ring, those of drawn sizes and some of --flows", (*fattreePoint).mayInherit},
		{"evs", "by load balancers that choose EVs, not by adaptive-roce, switch-ops and round-robin, and with --background-every", (*fattreePoint).takesEVs},
		{"ack-variant", "with --ack-ratio above 1: carry by --lb plb, plb-k25 and reps, reuse " + byCache, (*fattreePoint).coalesces},
		{"freezing", byCache, (*fattreePoint).caches},
		{"freeze-us", byFreezing + " and --freeze-exit timeout", func(p *fattreePoint) bool { return freezes(p) && p.exit == reps.ExitOnTimeout }},
		{"freeze-exit", byFreezing, freezes},
		{"ring", byCache, (*fattreePoint).caches},
		{"reps", byREPS, func(p *fattreePoint) bool { return p.lb == lbREPS }},
	}
}

// mayInherit reports whether connections can be inherited, or are not to be.
func (p *fattreePoint) mayInherit() bool {
	if p.inherit == off || p.kind().sizes != nil {
		return true
	}
	pairs := map[[2]fattree.Host]bool{}
	for _, f := range p.spec.Workload.Flows {
		pairs[[2]fattree.Host{f.Source, f.Destination}] = true
	}
	return len(pairs) < len(p.spec.Workload.Flows)
}

// coalesces reports whether the ACK variant is the standard one or differs from it.
func (p *fattreePoint) coalesces() bool {
	switch p.variant {
	case ackCarry:
		return p.ackRatio > 1 && p.hearsCarried()
	case ackReuse:
		return p.ackRatio > 1 && p.caches()
	}
	return true
}

// fattreeAxes adds the parameters to a grid and returns what gives their current
// combination.
func fattreeAxes(g *grid) func() *fattreePoint {
	hosts := orPreset(g, "hosts", "128", intsIn(2, fattree.MaxHosts))
	tiers := orPreset(g, "tiers", "2", intsIn(2, 3))
	over := orPreset(g, "oversubscription", "1", intsIn(1, 1<<10))
	gbps := orPreset(g, "link-gbps", "400", intsIn(1, 100_000))
	latency := orPreset(g, "latency-ns", "1000", intsIn(1, 1_000_000))
	topology := optional(g, "topology", filesBy(&g.inputs, traffic.ReadTopology))
	workload := orPreset(g, "workload", workloads()[0].name, namesOf(workloadNames()))
	sizes := optional(g, "sizes", filesBy(&g.inputs, traffic.ReadSizes))
	load := axis(g, "load", probabilities)
	arrivals := axis(g, "arrivals", namesOf([]arrivalName{paced, poisson}))
	duration := axis(g, "duration-us", intsIn(1, 90_000)) // flows must start before the horizon
	degree := optional(g, "degree", intsIn(1, fattree.MaxHosts))
	message := optional(g, "message-bytes", sizesUpTo(1<<40))
	background := optional(g, "background-every", intsIn(2, fattree.MaxFlows))
	inherit := axis(g, "inherit", onOff)
	flows := optional(g, "flows", filesBy(&g.inputs, readFlowList))
	failure := barred(g, "failure", failureSpecs)
	mtu := axis(g, "mtu", intsIn(65, 1<<20))
	queue := axis(g, "queue", intsIn(1, fattree.MaxQueue))
	kmin := optional(g, "kmin", intsIn(0, 1<<30))
	kmax := optional(g, "kmax", intsIn(1, 1<<30))
	window := axis(g, "window", intsIn(1, 1<<20))
	rto := optional(g, "rto-us", intsIn(1, 1_000_000))
	trimming := axis(g, "trimming", onOff)
	ackRatio := axis(g, "ack-ratio", intsIn(1, fattree.MaxAckRatio))
	cc := axis(g, "cc", namesOf(controlNames()))
	evs := axis(g, "evs", intsIn(1, balance.MaxEVS))
	freezing := axis(g, "freezing", freezings)
	exit := axis(g, "freeze-exit", exits)
	ring := axis(g, "ring", intsIn(1, reps.MaxBufferSize))
	variant := axis(g, "ack-variant", namesOf([]ackVariant{ackStandard, ackCarry, ackReuse}))
	freeze := axis(g, "freeze-us", intsIn(1, 2_000_000))
	rules := axis(g, "reps", namesOf(balance.AllRules()))
	lb := axis(g, "lb", namesOf(balancerNames()))
	return func() *fattreePoint {
		p := &fattreePoint{
			hosts: hosts(), tiers: tiers(), oversubscription: over(), workload: workload(),
			load: load(), arrivals: arrivals(), duration: duration(), inherit: inherit(), failure: failure(),
			gbps: gbps(), latency: latency(), mtu: mtu(), queue: queue(), window: window(), trimming: trimming(), ackRatio: ackRatio(),
			cc: cc(), evs: evs(), freezing: freezing(), exit: exit(), ring: ring(), variant: variant(), freeze: freeze(), rules: rules(), lb: lb(),
		}
		marking := fattree.Spec{Queue: p.queue}.WithDefaults()
		p.kmin, p.kmax = marking.KMin, marking.KMax
		if v, given := kmin(); given {
			p.kmin = v
		}
		if v, given := kmax(); given {
			p.kmax = v
		}
		p.rto, _ = rto()
		p.topology, _ = topology()
		p.flows, _ = flows()
		p.sizes, _ = sizes()
		p.degree, _ = degree()
		p.message, _ = message()
		p.background, _ = background()
		return p
	}
}
