package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/reps"
)

func fattreeModel() model {
	return newModel(model{
		name:     "fattree",
		streams:  4,
		results:  numbers(fattreeRow(experiment.Summary{})),
		unit:     "packet_hop",
		replicas: 3, // a run of a large network takes seconds
		over:     fattreeOver,
		extend:   extendFattree,
	}, func() space { return fattreeSpace(new(fattreePoint)) })
}

// fattreePoint is a combination of parameters of the fattree command.
type fattreePoint struct {
	spec      fattree.Spec // once completed with defaults and the workload of replica 0
	tree      topology.FatTree
	recycling balance.RecyclingConfig
	main      fattree.Balancer // that of all flows but background traffic, to ask about

	size              treeSize
	topology          *input[topology.FatTree] // nil where none is given
	workload          string
	kind              workload              // of that name
	sizes             *input[traffic.Sizes] // nil where none is given
	load              float64
	arrivals          string
	duration          int
	degree            int                // 0 where it has no effect
	message           int64              // 0 where it has no effect
	background        int                // 0 means none
	flows             *input[flowsInput] // nil where none is given
	profile           string
	kmin, kmax        *int // nil where not given
	planes, ackBytes  int  // ackBytes is 0 where not given
	failure           failureSpec
	freezing          freezingMode
	freezeUs          int // of freezing mode
	rtoUs             int // 0 for the default
	variant, cc, lb   string
	inherit, trimming string // on or off, or trimmingSleek
}

// fattreeSpace makes the point that of the defaults, and returns the parameters that set it, in the
// order of the columns.
func fattreeSpace(p *fattreePoint) space {
	*p = fattreePoint{
		spec:      fattree.Spec{Topology: topology.FatTree{Hosts: defaultHosts}}.WithDefaults(),
		tree:      topology.FatTree{Hosts: defaultHosts}.WithDefaults(),
		recycling: balance.RecyclingConfig{Rules: balance.Paper, REPS: reps.Config{EVSSize: 1 << 16, BufferSize: 8}},
		profile:   profileREPS, planes: 1, workload: workloads()[0].name, load: 0.6, arrivals: paced, duration: 5000,
		freezing: freezingMode{text: "on"}, freezeUs: 10_000, variant: ackStandard,
		cc: congestion.All()[0].Name, lb: lbREPS, inherit: "off", trimming: "on",
	}
	return newSpace(p, (*fattreePoint).complete, (*fattreePoint).point,
		slices.Concat(p.treeParameters(), p.senderParameters(), p.trafficParameters(),
			p.packetParameters(), p.repsParameters(), p.portParameters(), p.fileParameters()))
}

// treeParameters shape the tree.
func (p *fattreePoint) treeParameters() []parameter {
	t, size := &p.tree, &p.size
	optional := func(flag, help string, least, most int, field, shown *int) parameter {
		return p.withoutTopology(integer(flag, help, least, most, field)).show(func() any { return *shown }).noPreset()
	}
	hostsPerToR := optional("hosts-per-tor",
		"hosts per ToR (default: the largest divisor of hosts up to its root, of 3 tiers half the radix)",
		1, fattree.MaxHosts, &size.hostsPerToR, &t.HostsPerToR)
	hostsPerToR.columns = append(hostsPerToR.columns, column{table.Number("tors"), func() any { return t.ToRs() }})
	return []parameter{
		optional("hosts", fmt.Sprintf("hosts (default %d, with --radix all that fit)", defaultHosts),
			2, fattree.MaxHosts, &size.hosts, &t.Hosts),
		p.withoutTopology(integer("tiers", "tiers of switches, 2 or 3", 2, 3, &t.Tiers)),
		integer("oversubscription", "hosts per uplink of a ToR", 1, 1<<10, &size.oversubscription).
			show(func() any { return float64(t.HostsPerToR) / float64(t.UplinksPerToR) }).
			usedOnly("without --topology, --uplinks-per-tor, and --hosts-per-tor with --radix", func() bool {
				return p.topology == nil && size.uplinksPerToR == 0 && (size.hostsPerToR == 0 || size.radix == 0)
			}),
		hostsPerToR,
		optional("uplinks-per-tor", "uplinks of a ToR (default: one per host)", 1, topology.MaxUplinks,
			&size.uplinksPerToR, &t.UplinksPerToR),
		integer("radix", "ports of a switch: those of a ToR in all, and the most of the others", 2, 1<<12, &size.radix).
			show(func() any { return t.Radix() }).noPreset().
			usedOnly("without --topology, and without --hosts-per-tor or --uplinks-per-tor",
				func() bool { return p.topology == nil && size.usesRadix() }),
		integer("planes", "copies of the tree; every host has a link into each", 1, topology.MaxPlanes, &p.planes),
	}
}

// withoutTopology marks a parameter that a topology file replaces.
func (p *fattreePoint) withoutTopology(q parameter) parameter {
	return q.usedOnly("without --topology", func() bool { return p.topology == nil })
}

// senderParameters choose load balancer and congestion control. Their lists run fastest.
func (p *fattreePoint) senderParameters() []parameter {
	profile := word("profile", "rules of hosts and defaults of other flags, those of a public simulator: "+
		profileREPS+" (the REPS artifact), "+profileUET+" (Ultra Ethernet's uet-htsim); one for all combinations",
		profiles, &p.profile).field("Transport")
	lb := name("lb", "load balancer: "+list(names("lb")), names("lb"), &p.lb).presetUnder(profileUET, "mixed")
	rules := name("reps", "rules of reps: "+list(balance.AllRules()), balance.AllRules(), &p.recycling.Rules).
		presetUnder(profileUET, string(balance.UltraEthernet)).field("Rules").
		usedOnly("by --lb reps", func() bool { return p.lb == lbREPS }).nullUnused()
	cc := name("cc", "congestion control: "+list(names("cc")), names("cc"), &p.cc).presetUnder(profileUET, "nscc-uet")
	lb.rank, rules.rank, cc.rank = 3, 2, 1
	return []parameter{profile, lb, rules, cc}
}

// trafficParameters choose flows and failures.
func (p *fattreePoint) trafficParameters() []parameter {
	drawn := func(q parameter) parameter {
		return q.usedOnly("by workloads of drawn sizes: websearch, facebook and --sizes",
			func() bool { return p.kind.sizes != nil }).nullUnused()
	}
	messages := func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 40})
	}
	failure := word("failure", "what fails: "+topology.FailureGrammar+"; several to compare are separated by |",
		failureSpecs, &p.failure).field("Faults", "Errors", "failures")
	failure.separator = "|" // commas belong to the values
	return []parameter{
		name("workload", "", names("workload"), &p.workload).
			usedOnly("without --flows and --sizes", func() bool { return p.flows == nil && p.sizes == nil }),
		file("sizes", "take flow sizes from a file of a cumulative distribution", traffic.ReadSizes, &p.sizes).
			usedOnly("without --flows", func() bool { return p.flows == nil }).nullUnused(),
		drawn(probability("load", "offered load of flows of drawn sizes, as a fraction of the host link rate", &p.load)),
		drawn(name("arrivals", "arrivals of flows of drawn sizes: paced, poisson", []string{paced, poisson}, &p.arrivals)),
		drawn(integer("duration-us", "time during which flows of drawn sizes start",
			1, 90_000, &p.duration)).field("Duration", "Flows"), // before the horizon
		integer("degree", "senders of an incast (default 8), concurrent flows per host of an alltoall (8), "+
			"hosts of an allreduce-ring (half)", 1, fattree.MaxHosts, &p.degree).noPreset().field("members", "parallel").
			usedOnly("by --workload incast, allreduce-ring and alltoall",
				func() bool { return p.kind.degree != nil }).nullUnused(),
		variable("message-bytes",
			"size of a message, such as 8MB (default 8MiB; allreduce-ring 4MB, -butterfly 20MB, alltoall 2MB)",
			messages, &p.message).noPreset().field("Bytes", "Flows").
			usedOnly("by workloads of equal messages, not by websearch, facebook, --sizes and --flows",
				func() bool { return p.kind.message > 0 }).nullUnused(),
		integer("background-every", "make every N-th flow background traffic pinned by ECMP", 2, fattree.MaxFlows,
			&p.background).noPreset().nullIf(func() bool { return p.background == 0 }),
		name("inherit", "a flow inherits the connection of the last one between its hosts: on, off", onOff(),
			&p.inherit).field("InheritConnections").
			usedOnly("by workloads in which a pair of hosts has several flows: "+
				"allreduce-ring, those of drawn sizes and some of --flows", p.mayInherit),
		failure,
	}
}

// packetParameters choose entropy values, ACKs and trimming.
func (p *fattreePoint) packetParameters() []parameter {
	return []parameter{
		integer("evs", "entropy values", 1, balance.MaxEVS, &p.recycling.REPS.EVSSize).field("EVSSize").
			presetUnder(profileUET, strconv.Itoa(reps.UltraEthernetEVSSize)).
			usedOnly("by load balancers that choose EVs, not by "+balancersThat(routes)+
				", and with --background-every", p.takesEVs),
		integer("ack-ratio", "packets per ACK", 1, fattree.MaxAckRatio, &p.spec.AckRatio).field("ReuseCount").
			presetUnder(profileUET, "").usedOnly("without --ack-bytes", func() bool { return p.ackBytes == 0 }),
		settable("ack-bytes", "bytes per ACK in place of --ack-ratio, which follows by the 16-bit counter of uet-htsim: "+
			"64000 bytes are 63 packets", intsIn(1, 1<<16), func(v int) { p.ackBytes = v }),
		name("ack-variant", "what a coalesced ACK reports: standard (the EV of the last packet), carry (of all), "+
			"reuse (reps uses an EV ack-ratio times)",
			[]string{ackStandard, ackCarry, ackReuse}, &p.variant).field("CarryEVs").
			usedOnly("with --ack-ratio above 1: carry by --lb "+balancersThat(fattree.UsesCarried)+", reuse "+byCache,
				p.coalesces),
		name("trimming", "full queues trim packets: on, off, or off with the loss recovery SLEEK: sleek",
			append(onOff(), trimmingSleek), &p.trimming).field("DisableTrimming"),
	}
}

// The values of --profile.
const (
	profileREPS = "reps"
	profileUET  = "uet"
)

// profiles reads the name of one profile.
func profiles(text string) ([]string, error) {
	list, err := values.Names(text, []string{profileREPS, profileUET})
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("%q must be one profile: presets are the same in all combinations", text)
	}
	return list, err
}

// trimmingSleek is a value of --trimming: off, with SLEEK's loss recovery.
const trimmingSleek = "sleek"

// onOff returns the values of a switch.
func onOff() []string { return []string{"on", "off"} }

const byCache = "by --lb reps with --reps other than fifo"

// repsParameters configure the ring and freezing mode of reps.
func (p *fattreePoint) repsParameters() []parameter {
	const byFreezing = byCache + " and --freezing on or at=US"
	noCache := func() bool { return !p.caches() }
	freezes := func() bool { return p.caches() && p.freezing.text != "off" }
	exit := &p.recycling.REPS.Exit
	return []parameter{
		word("freezing", "freezing mode of reps: on, off, at=US (forced at that time)", freezings, &p.freezing).
			field("FreezeAt", "DisableFreezing").usedOnly(byCache, p.caches).nullUnused(),
		integer("freeze-us", "length of freezing mode", 1, 2_000_000, &p.freezeUs).field("FreezingTimeout").nullIf(noCache).
			usedOnly(byFreezing+" and --freeze-exit timeout",
				func() bool { return freezes() && *exit == reps.ExitOnTimeout }),
		name("freeze-exit", "event that ends freezing mode of reps: timeout, probe (the path is probed once per RTO)",
			[]reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}, exit).nullIf(noCache).field("Exit").
			usedOnly(byFreezing, freezes),
		integer("ring", "entries of reps's ring, 1 to 32", 1, reps.MaxBufferSize, &p.recycling.REPS.BufferSize).
			field("BufferSize").usedOnly(byCache, p.caches).nullUnused(),
	}
}

// portParameters configure queues and links.
func (p *fattreePoint) portParameters() []parameter {
	threshold := func(flag, help string, least int, given **int, field *int) parameter {
		return settable(flag, help, intsIn(least, 1<<30), func(v int) { *given = &v }).
			show(func() any { return *field }).noPreset().presetUnder(profileUET, "")
	}
	t, size := &p.tree, &p.size
	threeTiers := func() bool { return t.Tiers == 3 }
	layer := func(flag, help string, gbps *int, link *fattree.Link) parameter {
		return p.withoutTopology(integer(flag, help, 1, 100_000, gbps)).show(func() any { return link.Gbps })
	}
	return []parameter{
		integer("queue", "packets that a port's queue holds", 1, fattree.MaxQueue, &p.spec.Queue).presetUnder(profileUET, ""),
		threshold("kmin", "queue length after dequeue at which ECN marking starts (default 25 % of queue)",
			0, &p.kmin, &p.spec.KMin),
		threshold("kmax", "queue length after dequeue from which ECN marks every packet (default 76 % of queue)",
			1, &p.kmax, &p.spec.KMax),
		integer("window", "initial congestion window in packets", 1, 1<<20, &p.spec.InitialWindow).field("InitialWindow").
			presetUnder(profileUET, ""),
		integer("rto-us", "retransmission time-out (default: unloaded RTT and four full queues)", 1, 1_000_000, &p.rtoUs).
			show(func() any { return float64(p.spec.RTO) / 1e6 }).noPreset().field("RTO"),
		layer("link-gbps", "rate of all links, those of hosts where others are given", &size.gbps, &t.Access).
			field("Gbps", "Access.Gbps"),
		layer("fabric-gbps", "rate of links between ToRs and switches above (default --link-gbps)",
			&size.fabricGbps, &t.Fabric).noPreset().field("Fabric.Gbps"),
		layer("core-gbps", "rate of links to the core of 3 tiers (default --fabric-gbps)", &size.coreGbps, &t.Core).
			noPreset().field("Core.Gbps").nullIf(func() bool { return !threeTiers() }).
			usedOnly("with --tiers 3, without --topology", func() bool { return threeTiers() && p.topology == nil }),
		p.withoutTopology(integer("latency-ns", "latency of all links", 1, 1_000_000, &size.latency)).
			show(func() any { return t.Access.LatencyNs }).field("LatencyNs", "Access.LatencyNs", "Fabric.LatencyNs", "Core.LatencyNs"),
		integer("mtu", "bytes of a full packet, including 64 of header", 65, 1<<20, &p.spec.MTU),
	}
}

// fileParameters name the files that replace other parameters.
func (p *fattreePoint) fileParameters() []parameter {
	return []parameter{
		file("topology", "take the tree from a file in htsim's .topo format", traffic.ReadTopology, &p.topology),
		file("flows", "take the workload from a file in htsim's .cm format", readFlowList, &p.flows).key("flow_list"),
	}
}

// file is a parameter that names input files; its cell is null where none is given.
func file[T any](flag, help string, read func(io.Reader) (T, error), field **input[T]) parameter {
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
	set := func(in *input[T]) error {
		*field = in
		return nil
	}
	return param(flag, help, readAll, set).show(func() any {
		if *field != nil {
			return (*field).path
		}
		return nil
	}).noPreset().text()
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

// failureSpec is a value of --failure; empty for a healthy network.
type failureSpec []topology.Failure

// noFailure is the value of --failure for a healthy network.
const noFailure = "none"

// String returns the failures in the grammar of --failure.
func (f failureSpec) String() string {
	if len(f) == 0 {
		return noFailure
	}
	return topology.FailuresString(f)
}

// random reports whether a place is drawn.
func (f failureSpec) random() bool {
	return slices.ContainsFunc(f, func(one topology.Failure) bool { return one.Place == topology.Random })
}

// failureSpecs reads values of --failure, separated by bars.
func failureSpecs(text string) ([]failureSpec, error) {
	var specs []failureSpec
	for one := range strings.SplitSeq(text, "|") {
		if strings.TrimSpace(one) == noFailure {
			specs = append(specs, failureSpec{})
			continue
		}
		list, err := topology.ParseFailures(one)
		if err != nil {
			return nil, err
		}
		specs = append(specs, list)
	}
	return specs, nil
}
