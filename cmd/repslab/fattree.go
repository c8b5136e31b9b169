package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/traffic"
	"repslab/internal/values"
	"repslab/reps"
)

func fattreeModel() model {
	return newModel(model{
		name:     "fattree",
		streams:  2,
		results:  numbers(fattreeResults()),
		unit:     "packet_hop",
		replicas: 3, // a run of a large network takes seconds
		over:     fattreeOver,
		extend:   extendFattree,
	}, fattreeSpace())
}

// fattreePoint is a combination of parameters of the fattree command.
type fattreePoint struct {
	spec      fattree.Spec // once completed with defaults and the workload of replica 0
	recycling balance.RecyclingConfig

	oversubscription, gbps, latency int
	topology                        *input[fattree.Topology] // nil where none is given
	workload                        string
	kind                            *workload             // of that name
	sizes                           *input[traffic.Sizes] // nil where none is given
	load                            float64
	arrivals                        string
	duration                        int
	degree                          int                // 0 where it has no effect
	message                         int64              // 0 where it has no effect
	background                      int                // 0 means none
	flows                           *input[flowsInput] // nil where none is given
	failure                         failureSpec
	freezing                        freezingMode
	freezeUs                        int // of freezing mode
	variant, cc, lb                 string
}

// fattreeSpace returns the parameters, in the order of the columns.
func fattreeSpace() space[fattreePoint] {
	defaults := fattreePoint{
		spec:      fattree.Spec{Topology: fattree.Topology{Hosts: 128}}.WithDefaults(),
		recycling: balance.RecyclingConfig{Rules: balance.Paper, REPS: reps.Config{EVSSize: 1 << 16, BufferSize: 8}},
		workload:  workloads()[0].name, load: 0.6, arrivals: paced, duration: 5000,
		freezing: freezingMode{text: "on"}, freezeUs: 10_000, variant: ackStandard,
		cc: controls()[0].name, lb: lbREPS,
	}
	return newSpace(defaults, space[fattreePoint]{
		parameters: slices.Concat(treeParameters(), senderParameters(), trafficParameters(),
			packetParameters(), repsParameters(), portParameters()),
		complete: (*fattreePoint).complete,
		point:    (*fattreePoint).point,
	})
}

// treeParameters shape the tree.
func treeParameters() []parameter[fattreePoint] {
	type point = fattreePoint
	over := integer("oversubscription", "hosts per uplink of a ToR", 1, 1<<10,
		func(p *point) *int { return &p.oversubscription })
	return []parameter[point]{
		withoutTopology(integer("hosts", "hosts", 2, fattree.MaxHosts,
			func(p *point) *int { return &p.spec.Topology.Hosts })),
		withoutTopology(integer("tiers", "tiers of switches, 2 or 3", 2, 3,
			func(p *point) *int { return &p.spec.Topology.Tiers })),
		withoutTopology(over.field("UplinksPerToR").cell(func(p *point) any {
			return float64(p.spec.Topology.HostsPerToR) / float64(p.spec.Topology.UplinksPerToR)
		})),
	}
}

// withoutTopology marks a parameter that a topology file replaces.
func withoutTopology(q parameter[fattreePoint]) parameter[fattreePoint] {
	return q.usedOnly("without --topology", func(p *fattreePoint) bool { return p.topology == nil })
}

// senderParameters choose load balancer and congestion control. Their lists run fastest.
func senderParameters() []parameter[fattreePoint] {
	type point = fattreePoint
	lb := name("lb", "load balancer: "+list(names(balancers())), names(balancers()),
		func(p *point) *string { return &p.lb })
	rules := name("reps", "rules of reps: "+list(balance.AllRules()), balance.AllRules(),
		func(p *point) *balance.Rules { return &p.recycling.Rules }).field("Rules").
		usedOnly("by --lb reps", func(p *point) bool { return p.lb == lbREPS }).nullUnused()
	cc := name("cc", "congestion control: "+list(names(controls())), names(controls()),
		func(p *point) *string { return &p.cc })
	lb.rank, rules.rank, cc.rank = 3, 2, 1
	return []parameter[point]{lb, rules, cc}
}

// trafficParameters choose flows and failures.
func trafficParameters() []parameter[fattreePoint] {
	type point = fattreePoint
	drawn := func(q parameter[point]) parameter[point] {
		return q.usedOnly("by workloads of drawn sizes: websearch, facebook and --sizes",
			func(p *point) bool { return p.kind.sizes != nil }).nullUnused()
	}
	failure := variable("failure", "what fails: "+fattree.FailureGrammar+"; several to compare are separated by |",
		failureSpecs, func(p *point) *failureSpec { return &p.failure }).
		cell(func(p *point) any { return p.failure.String() }).text().field("Faults", "Errors", "failures")
	failure.separator = "|" // commas belong to the values
	return []parameter[point]{
		name("workload", "", names(workloads()), func(p *point) *string { return &p.workload }).
			usedOnly("without --flows and --sizes", func(p *point) bool { return p.flows == nil && p.sizes == nil }),
		file("sizes", "take flow sizes from a file of a cumulative distribution", traffic.ReadSizes,
			func(p *point) **input[traffic.Sizes] { return &p.sizes }).
			usedOnly("without --flows", func(p *point) bool { return p.flows == nil }).nullUnused(),
		drawn(probability("load", "offered load of flows of drawn sizes, as a fraction of the host link rate",
			func(p *point) *float64 { return &p.load })),
		drawn(name("arrivals", "arrivals of flows of drawn sizes: paced, poisson", []string{paced, poisson},
			func(p *point) *string { return &p.arrivals })),
		drawn(integer("duration-us", "time during which flows of drawn sizes start",
			1, 90_000, func(p *point) *int { return &p.duration })).field("Duration", "Flows"), // before the horizon
		integer("degree", "senders of an incast (default 8), concurrent flows per host of an alltoall (8), "+
			"hosts of an allreduce-ring (half)",
			1, fattree.MaxHosts, func(p *point) *int { return &p.degree }).noPreset().field("members", "parallel").
			usedOnly("by --workload incast, allreduce-ring and alltoall",
				func(p *point) bool { return p.kind.degree != nil }).nullUnused(),
		variable("message-bytes",
			"size of a message, such as 8MB (default 8MiB; allreduce-ring 4MB, -butterfly 20MB, alltoall 2MB)",
			messageSizes, func(p *point) *int64 { return &p.message }).noPreset().field("Bytes", "Flows").
			usedOnly("by workloads of equal messages, not by websearch, facebook, --sizes and --flows",
				func(p *point) bool { return p.kind.message > 0 }).nullUnused(),
		integer("background-every", "make every N-th flow background traffic pinned by ECMP", 2, fattree.MaxFlows,
			func(p *point) *int { return &p.background }).noPreset().
			nullIf(func(p *point) bool { return p.background == 0 }),
		onOff("inherit", "a flow inherits the connection of the last one between its hosts: on, off", true,
			func(p *point) *bool { return &p.spec.InheritConnections }).field("InheritConnections").
			usedOnly("by workloads in which a pair of hosts has several flows: "+
				"allreduce-ring, those of drawn sizes and some of --flows", (*point).mayInherit),
		failure,
	}
}

// messageSizes reads the sizes of messages.
func messageSizes(text string) ([]int64, error) {
	return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 40})
}

// packetParameters choose entropy values, ACKs and trimming.
func packetParameters() []parameter[fattreePoint] {
	type point = fattreePoint
	return []parameter[point]{
		integer("evs", "entropy values", 1, balance.MaxEVS,
			func(p *point) *int { return &p.recycling.REPS.EVSSize }).field("EVSSize").
			usedOnly("by load balancers that choose EVs, not by "+balancersThat(routes)+
				", and with --background-every", (*point).takesEVs),
		integer("ack-ratio", "packets per ACK", 1, fattree.MaxAckRatio,
			func(p *point) *int { return &p.spec.AckRatio }).field("ReuseCount"),
		name("ack-variant", "what a coalesced ACK reports: standard (the EV of the last packet), carry (of all), "+
			"reuse (reps uses an EV ack-ratio times)",
			[]string{ackStandard, ackCarry, ackReuse}, func(p *point) *string { return &p.variant }).field("CarryEVs").
			usedOnly("with --ack-ratio above 1: carry by --lb "+balancersThat(fattree.UsesCarried)+", reuse "+byCache,
				(*point).coalesces),
		onOff("trimming", "full queues trim packets: on, off", false,
			func(p *point) *bool { return &p.spec.DisableTrimming }).field("DisableTrimming"),
	}
}

const byCache = "by --lb reps with --reps paper or artifact"

// repsParameters configure the ring and freezing mode of reps.
func repsParameters() []parameter[fattreePoint] {
	type point = fattreePoint
	const byFreezing = byCache + " and --freezing on or at=US"
	noCache := func(p *point) bool { return !p.caches() }
	freezes := func(p *point) bool { return p.caches() && !p.recycling.REPS.DisableFreezing }
	freezing := param("freezing", "freezing mode of reps: on, off, at=US (forced at that time)",
		freezings, (*point).setFreezing).
		cell(func(p *point) any { return p.freezing.text }).text().field("FreezeAt", "DisableFreezing")
	exit := variable("freeze-exit",
		"event that ends freezing mode of reps: timeout, probe (the path is probed once per RTO)",
		exits, func(p *point) *reps.Exit { return &p.recycling.REPS.Exit }).
		cell(func(p *point) any { return p.recycling.REPS.Exit.String() }).text()
	return []parameter[point]{
		freezing.usedOnly(byCache, (*point).caches).nullUnused(),
		integer("freeze-us", "length of freezing mode", 1, 2_000_000, func(p *point) *int { return &p.freezeUs }).
			field("FreezingTimeout").nullIf(noCache).usedOnly(byFreezing+" and --freeze-exit timeout", func(p *point) bool {
			return freezes(p) && p.recycling.REPS.Exit == reps.ExitOnTimeout
		}),
		exit.nullIf(noCache).field("Exit").usedOnly(byFreezing, freezes),
		integer("ring", "entries of reps's ring, 1 to 32", 1, reps.MaxBufferSize,
			func(p *point) *int { return &p.recycling.REPS.BufferSize }).
			field("BufferSize").usedOnly(byCache, (*point).caches).nullUnused(),
	}
}

// portParameters configure queues, links and the files that replace other parameters.
func portParameters() []parameter[fattreePoint] {
	type point = fattreePoint
	queue := param("queue", "packets that a port's queue holds", intsIn(1, fattree.MaxQueue), func(p *point, v int) error {
		marking := fattree.Spec{Queue: v}.WithDefaults()
		p.spec.Queue, p.spec.KMin, p.spec.KMax = v, marking.KMin, marking.KMax
		return nil
	})
	const rtoHelp = "retransmission time-out (default: unloaded RTT and four full queues)"
	rto := param("rto-us", rtoHelp, intsIn(1, 1_000_000), func(p *point, v int) error {
		p.spec.RTO = fattree.Picoseconds(v) * 1_000_000
		return nil
	})
	return []parameter[point]{
		queue.cell(func(p *point) any { return p.spec.Queue }),
		integer("kmin", "queue length after dequeue at which ECN marking starts (default 25 % of queue)",
			0, 1<<30, func(p *point) *int { return &p.spec.KMin }).noPreset(),
		integer("kmax", "queue length after dequeue from which ECN marks every packet (default 76 % of queue)",
			1, 1<<30, func(p *point) *int { return &p.spec.KMax }).noPreset(),
		integer("window", "initial congestion window in packets", 1, 1<<20,
			func(p *point) *int { return &p.spec.InitialWindow }).field("InitialWindow"),
		rto.cell(func(p *point) any { return float64(p.spec.RTO) / 1e6 }).noPreset().field("RTO"),
		withoutTopology(integer("link-gbps", "rate of all links", 1, 100_000, func(p *point) *int { return &p.gbps }).
			cell(func(p *point) any { return p.spec.Topology.Access.Gbps })).
			field("Gbps", "Access.Gbps", "Fabric.Gbps", "Core.Gbps"),
		withoutTopology(integer("latency-ns", "latency of all links", 1, 1_000_000,
			func(p *point) *int { return &p.latency }).
			cell(func(p *point) any { return p.spec.Topology.Access.LatencyNs })).
			field("Access.LatencyNs", "Fabric.LatencyNs", "Core.LatencyNs"),
		integer("mtu", "bytes of a full packet, including 64 of header", 65, 1<<20,
			func(p *point) *int { return &p.spec.MTU }),
		file("topology", "take the tree from a file in htsim's .topo format", traffic.ReadTopology,
			func(p *point) **input[fattree.Topology] { return &p.topology }),
		file("flows", "take the workload from a file in htsim's .cm format", readFlowList,
			func(p *point) **input[flowsInput] { return &p.flows }).key("flow_list"),
	}
}

// file is a parameter that names input files; its cell is null where none is given.
func file[T any](
	flag, help string, read func(io.Reader) (T, error), field func(*fattreePoint) **input[T],
) parameter[fattreePoint] {
	readAll := func(files *inputFiles, text string) (list []*input[T], err error) {
		for path := range strings.SplitSeq(text, ",") {
			data, err := readInput(files, path, read)
			if err != nil {
				return nil, err
			}
			list = append(list, &input[T]{path, data})
		}
		return list, nil
	}
	set := func(p *fattreePoint, in *input[T]) error {
		*field(p) = in
		return nil
	}
	return paramFrom(flag, help, readAll, set).cell(func(p *fattreePoint) any {
		if in := *field(p); in != nil {
			return in.path
		}
		return nil
	}).noPreset().key(keyOf(flag))
}

// Values of --ack-variant and --arrivals.
const (
	ackStandard = "standard"
	ackCarry    = "carry"
	ackReuse    = "reuse"

	paced   = "paced"
	poisson = "poisson"
)

// freezingMode selects whether and when reps enters freezing mode.
type freezingMode struct {
	text string // on, off or at=US
	at   int    // us at which it is forced; 0 never
}

// String returns the value of --freezing.
func (m freezingMode) String() string { return m.text }

// freezings reads a list of freezing modes.
func freezings(text string) (list []freezingMode, err error) {
	for word := range strings.SplitSeq(text, ",") {
		mode := freezingMode{text: word}
		if time, forced := strings.CutPrefix(word, "at="); forced {
			mode.at, err = strconv.Atoi(time)
			if err != nil || mode.at < 1 || mode.at > 1_000_000 {
				return nil, fmt.Errorf("%q must be at=US with US in [1, 1000000]", word)
			}
			mode.text = fmt.Sprintf("at=%d", mode.at)
		} else if word != "on" && word != "off" {
			return nil, fmt.Errorf("%q must be on, off or at=US", word)
		}
		list = append(list, mode)
	}
	return list, nil
}

// setFreezing sets the freezing mode.
func (p *fattreePoint) setFreezing(m freezingMode) error {
	p.freezing = m
	p.recycling.FreezeAt = fattree.Picoseconds(m.at) * 1_000_000
	p.recycling.REPS.DisableFreezing = m.text == "off"
	return nil
}

// exits reads a list of events that end freezing mode.
func exits(text string) ([]reps.Exit, error) {
	allowed := []reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}
	found, err := values.Names(text, []string{allowed[0].String(), allowed[1].String()})
	list := make([]reps.Exit, len(found))
	for i, name := range found {
		list[i] = allowed[slices.IndexFunc(allowed, func(e reps.Exit) bool { return e.String() == name })]
	}
	return list, err
}

// failureSpec is a value of --failure; empty for a healthy network.
type failureSpec []fattree.Failure

// noFailure is the value of --failure for a healthy network.
const noFailure = "none"

// String returns the failures in the grammar of --failure.
func (f failureSpec) String() string {
	if len(f) == 0 {
		return noFailure
	}
	return fattree.FailuresString(f)
}

// random reports whether a place is drawn.
func (f failureSpec) random() bool {
	return slices.ContainsFunc(f, func(one fattree.Failure) bool { return one.Random })
}

// failureSpecs reads values of --failure, separated by bars.
func failureSpecs(text string) ([]failureSpec, error) {
	var specs []failureSpec
	for one := range strings.SplitSeq(text, "|") {
		if strings.TrimSpace(one) == noFailure {
			specs = append(specs, failureSpec{})
			continue
		}
		list, err := fattree.ParseFailures(one)
		if err != nil {
			return nil, err
		}
		specs = append(specs, list)
	}
	return specs, nil
}
