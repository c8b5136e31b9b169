package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/table"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/mrc"
	"repslab/reps"
)

func fattreeModel() model {
	return newModel(model{
		name:    "fattree",
		streams: 9,
		older:   olderFailures,
		results: numbers(fattreeRow(experiment.Summary{}, nil)),
		brief: []string{"hosts", "workload", "failure", "lb", "max_fct_us", "max_fct_us_se", "mean_fct_us", "p99_fct_us",
			"step_us", "step_us_se", "network_wait", "finished_runs", "lost"},
		unit:     "packet_hop",
		replicas: 3, // a run of a large network takes seconds
		extend:   extendFattree,
	}, func() space { return fattreeSpace(new(fattreePoint)) })
}

// fattreePoint is a combination of parameters of the fattree command.
type fattreePoint struct {
	spec      fattree.Spec // once completed with defaults and the workload of replica 0
	tree      topology.FatTree
	recycling balance.RecyclingConfig
	mrc       balance.MRCConfig // probeUs and skip apart
	probeUs   int
	skip      skipRule
	main      transport.Balancer // that of all flows but background traffic, to ask about

	size              treeSize
	topology          *input[treeInput] // nil where none is given
	workload          string
	kind              workload              // of that name
	sizes             *input[traffic.Sizes] // nil where none is given
	load              float64
	arrivals          string
	duration          int
	degree            int                        // 0 where it has no effect
	message           int64                      // 0 where it has no effect
	background        int                        // 0 means none
	flows             *input[flowsInput]         // nil where none is given
	schedule          *input[*schedule.Schedule] // nil where none is given
	placement         *input[[]fattree.Host]     // of ranks; nil data for linear and random ones
	steps             int
	calcPathUs        any                 // of the schedule; nil without one
	playing           fattree.Picoseconds // that its steps take at most on the default network
	profile           string
	queue, window     int  // 0 where not given, like horizonUs
	kmin, kmax        *int // nil where not given
	planes, ackBytes  int  // ackBytes is 0 where not given
	failure           failureSpec
	freezing          freezingMode
	freezeUs          int     // of freezing mode
	rtoUs, horizonUs  float64 // 0 for the default, like targetUs
	targetUs          float64 // of nscc
	variant, cc, lb   string
	inherit, trimming string // on or off, or trimmingSleek
	routing           string
}

// fattreeSpace makes the point that of the defaults, and returns the parameters that set it, in the
// order of the columns.
func fattreeSpace(p *fattreePoint) space {
	*p = fattreePoint{
		spec:      fattree.Spec{Topology: topology.FatTree{Hosts: defaultHosts}, MTU: 4150, AckRatio: 1},
		tree:      topology.FatTree{Hosts: defaultHosts}.WithDefaults(),
		recycling: balance.RecyclingConfig{Rules: balance.Paper, REPS: reps.Config{EVSSize: 1 << 16, BufferSize: 8}},
		profile:   profileREPS, planes: 1, workload: workloads()[0].name, load: 0.6, arrivals: paced, duration: 5000,
		freezing: freezingMode{text: "on"}, freezeUs: 10_000, variant: ackStandard,
		placement: &input[[]fattree.Host]{path: linear}, steps: 1, cc: congestion.All()[0].Name, lb: lbREPS, inherit: "off", trimming: "on", routing: hashRouting,
		skip: skipRule{text: "rotation"},
	}
	return newSpace(p, (*fattreePoint).complete, (*fattreePoint).point, slices.Concat(
		grouped(networkGroup, p.treeParameters()...), grouped(controlGroup, p.senderParameters()...),
		grouped(trafficGroup, p.trafficParameters()...), grouped(controlGroup, p.packetParameters()...),
		grouped(balancerGroup, p.repsParameters()...), grouped(balancerGroup, p.mrcParameters()...), grouped(networkGroup, p.portParameters()...),
		grouped(trafficGroup, p.fileParameters()...), grouped(trafficGroup, p.scheduleParameters()...)))
}

// Groups of flags in the help.
const (
	networkGroup  = "Network"
	trafficGroup  = "Traffic"
	balancerGroup = "Load balancer"
	controlGroup  = "Congestion control"
)

// treeParameters shape the tree.
func (p *fattreePoint) treeParameters() []parameter {
	t, size := &p.tree, &p.size
	optional := func(flag, help, otherwise string, least, most int, field, shown *int) parameter {
		return p.withoutTopology(integer(flag, help, least, most, field)).show(func() any { return *shown }).
			noPreset(otherwise)
	}
	hostsPerToR := optional("hosts-per-tor", "hosts per ToR", "a balanced tree", 1, fattree.MaxHosts,
		&size.hostsPerToR, &t.HostsPerToR).
		more("by default the largest divisor of hosts up to its root, and half the radix with 3 tiers")
	hostsPerToR.columns = append(hostsPerToR.columns, column{table.Number("tors"), func() any { return t.ToRs() }})
	return []parameter{
		optional("hosts", "hosts", fmt.Sprintf("%d; with --radix all that fit", defaultHosts), 2, fattree.MaxHosts,
			&size.hosts, &t.Hosts).more("with --flows its Nodes, without --radix"),
		p.withoutTopology(integer("tiers", "tiers of switches, 2 or 3", 2, 3, &t.Tiers)),
		integer("oversubscription", "capacity of a ToR down over up", 1, 1<<10, &size.oversubscription).
			show(func() any { return t.Oversubscription() }).noPreset("by uplinks").
			more("rates of links included; the column multiplies those of all tiers").
			usedOnly("without --topology, --uplinks-per-tor, and --hosts-per-tor with --radix", func() bool {
				return p.topology == nil && size.uplinksPerToR == 0 && (size.hostsPerToR == 0 || size.radix == 0)
			}),
		hostsPerToR,
		optional("uplinks-per-tor", "uplinks of a ToR", "one per host", 1, topology.MaxUplinks,
			&size.uplinksPerToR, &t.UplinksPerToR),
		integer("radix", "ports of a switch", 2, 1<<12, &size.radix).
			more("those of a ToR in all, and the most of the others").
			show(func() any { return t.Radix() }).noPreset("as needed").
			usedOnly("without --topology, and without --hosts-per-tor or --uplinks-per-tor",
				func() bool { return p.topology == nil && size.usesRadix() }),
		integer("planes", "copies of the tree; every host has a link into each", 1, topology.MaxPlanes, &p.planes).seldom(),
	}
}

// withoutTopology marks a parameter that a topology file replaces.
func (p *fattreePoint) withoutTopology(q parameter) parameter {
	return q.usedOnly("without --topology", func() bool { return p.topology == nil })
}

// senderParameters choose load balancer and congestion control. Their lists run fastest.
func (p *fattreePoint) senderParameters() []parameter {
	profile := word("profile", "rules and defaults of hosts: "+strings.Join(profileNames(), ", "),
		profiles, &p.profile).field("Transport").of("name").more(profileREPS + " is the REPS artifact, " +
		profileUET + " Ultra Ethernet's uet-htsim of August 2025 (40ccb05), whose thresholds revision 1.0.3 of the specification recommends, " + profileMRC + " Multipath Reliable Connection, whose EVs name planes too")
	profile.choices = profileNames()
	lb := listed("lb", "balancer", &p.lb).in(balancerGroup).presetUnder("mixed", profileUET).presetUnder("mrc", profileMRC)
	rules := name("reps", "rules of reps", balance.AllRules(), &p.recycling.Rules).in(balancerGroup).
		presetUnder(string(balance.UltraEthernet), profileUET).field("Rules").
		usedOnly("by --lb reps", func() bool { return p.lb == lbREPS }).nullUnused()
	cc := listed("cc", "controller", &p.cc).presetUnder("nscc-uet", profileUET, profileMRC)
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
	failure := word("failure", "what fails: cables=1, ber-cable=1%, ...",
		failureSpecs, &p.failure).in("Failures").field("Faults", "Errors", "failures").of("failures").
		more(topology.FailureGrammar + "; several to compare are separated by |, or written as a range in place of a number: " +
			"cables=1..8:x2 or cables=1%..8%:+1")
	failure.columns = append(failure.columns, p.failedColumns()...)
	failure.separator = "|" // commas belong to the values
	return []parameter{
		listed("workload", "flows", &p.workload).
			usedOnly("without --flows, --sizes and --schedule", func() bool { return p.flows == nil && p.sizes == nil && p.schedule == nil }),
		file("sizes", "flow sizes from a cumulative distribution", traffic.ReadSizes, &p.sizes).seldom().
			usedOnly("without --flows and --schedule", func() bool { return p.flows == nil && p.schedule == nil }).nullUnused(),
		drawn(probability("load", "offered load of websearch and facebook", &p.load)).
			more("as a fraction of the host link rate"),
		drawn(name("arrivals", "arrivals of these flows", []string{paced, poisson}, &p.arrivals).seldom()),
		drawn(integer("duration-us", "time during which these flows start",
			1, 90_000, &p.duration)).field("Duration", "Flows"), // before the horizon
		integer("degree", "senders of an incast, hosts of a ring", 1, fattree.MaxHosts, &p.degree).
			noPreset("by --workload").
			more("concurrent flows per host of an alltoall; by default 8, half the hosts for an allreduce-ring").
			field("members", "parallel").
			usedOnly("by --workload incast, allreduce-ring and alltoall",
				func() bool { return p.kind.degree != nil }).nullUnused(),
		variable("message-bytes", "message size, such as 8MB", messages, &p.message).
			noPreset("by --workload").field("Bytes", "Flows").
			more("8MiB; 4MB for allreduce-ring, 20MB for allreduce-butterfly, 2MB for alltoall").
			usedOnly("by workloads of equal messages, not by websearch, facebook, --sizes and --flows",
				func() bool { return p.kind.message > 0 }).nullUnused(),
		integer("background-every", "make flows 0, N, 2N, ... background traffic pinned by ECMP", 2, fattree.MaxFlows,
			&p.background).noPreset("").nullIf(func() bool { return p.background == 0 }).seldom(),
		name("inherit", "a flow inherits the connection of the last one between its hosts", onOff(),
			&p.inherit).field("InheritConnections").seldom().
			usedOnly("by workloads in which a pair of hosts has several flows: "+
				"allreduce-ring, those of drawn sizes and some of --flows", p.mayInherit),
		failure,
	}
}

// failedColumns are the columns of the numbers of cables and switches of all planes that fail or are slow.
// One that two terms of --failure hit counts twice. Ports of network cards and transceivers count as cables.
func (p *fattreePoint) failedColumns() (list []column) {
	cables := []topology.FailureKind{topology.Cables, topology.Transceivers, topology.NICPorts}
	switches, slow := []topology.FailureKind{topology.Switches}, []topology.FailureKind{topology.Degrade}
	add := func(key string, kinds []topology.FailureKind, lasting ...bool) {
		list = append(list, column{table.Number(key), func() any {
			sum := 0
			for _, f := range p.failure {
				if slices.Contains(kinds, f.Kind) && slices.Contains(lasting, f.IsForGood()) {
					n, _ := f.Number(topology.Planes{Tree: p.tree, Planes: p.planes}) // complete has placed them
					sum += n
				}
			}
			return sum
		}})
	}
	add("failed_cables", cables, true)
	add("slow_cables", slow, true, false)
	add("flapping_cables", cables, false)
	add("failed_switches", switches, true)
	add("flapping_switches", switches, false)
	return list
}

// packetParameters choose entropy values, ACKs and trimming.
func (p *fattreePoint) packetParameters() []parameter {
	return []parameter{
		integer("evs", "entropy values", 1, balance.MaxEVS, &p.recycling.REPS.EVSSize).in(balancerGroup).
			field("EVSSize").presetUnder(strconv.Itoa(reps.UltraEthernetEVSSize), profileUET).presetUnder("256", profileMRC).
			usedOnly("by load balancers that choose EVs, not by "+balancersThat(routes)+
				", and with --background-every", p.takesEVs),
		name("ev-routing", "how switches choose ports by EVs", []string{hashRouting, exactRouting}, &p.routing).in(balancerGroup).
			seldom().field("Choose").more("exact: the EV modulo the equal-cost ports, so that an EV is a path; with 2 tiers").
			usedOnly("by load balancers that choose EVs", p.takesEVs),
		integer("ack-ratio", "packets per ACK", 1, fattree.MaxAckRatio, &p.spec.AckRatio).field("ReuseCount").
			presetUnder("", profileUET, profileMRC).usedOnly("without --ack-bytes", func() bool { return p.ackBytes == 0 }),
		settable("ack-bytes", "bytes per ACK in place of --ack-ratio", intsIn(1, 1<<16), func(v int) { p.ackBytes = v }).
			more("which follows by the 16-bit counter of uet-htsim: 64000 bytes are 63 packets").seldom(),
		name("ack-variant", "EVs of a coalesced ACK", []string{ackStandard, ackCarry, ackReuse}, &p.variant).
			more("standard: that of the last packet; carry: of all; reuse: reps uses an EV ack-ratio times").field("CarryEVs").
			usedOnly("with --ack-ratio above 1: carry by --lb "+balancersThat(transport.UsesCarried)+", reuse "+byCache,
				p.coalesces),
		name("trimming", "full queues trim packets", append(onOff(), trimmingSleek), &p.trimming).in(networkGroup).
			field("DisableTrimming").more("sleek is off with the loss recovery SLEEK").seldom(),
	}
}

// The values of --profile.
const (
	profileREPS = "reps"
	profileUET  = "uet"
	profileMRC  = "mrc"
)

// profileNames lists them.
func profileNames() []string { return []string{profileREPS, profileUET, profileMRC} }

// profiles reads the name of one profile.
func profiles(text string) ([]string, error) {
	list, err := values.Names(text, profileNames())
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("%q must be one profile: presets are the same in all combinations", text)
	}
	return list, err
}

// trimmingSleek is a value of --trimming: off, with SLEEK's loss recovery.
const trimmingSleek = "sleek"

// The values of --ev-routing.
const (
	hashRouting  = "hash"
	exactRouting = "exact"
)

// onOff returns the values of a switch.
func onOff() []string { return []string{"on", "off"} }

const byCache = "by --lb reps-planes, and by --lb reps with --reps other than fifo"

// repsParameters configure the ring and freezing mode of reps.
func (p *fattreePoint) repsParameters() []parameter {
	const byFreezing = byCache + " and --freezing on or at=US"
	noCache := func() bool { return !p.caches() }
	freezes := func() bool { return p.caches() && p.freezing.text != "off" }
	exit := &p.recycling.REPS.Exit
	return []parameter{
		word("freezing", "freezing mode of reps: on, off, at=US", freezings, &p.freezing).more("at forces it at that time").
			field("FreezeAt", "DisableFreezing").usedOnly(byCache, p.caches).nullUnused(),
		integer("freeze-us", "length of freezing mode", 1, 2_000_000, &p.freezeUs).seldom().
			field("FreezingTimeout").nullIf(noCache).
			usedOnly(byFreezing+" and --freeze-exit timeout",
				func() bool { return freezes() && *exit == reps.ExitOnTimeout }),
		name("freeze-exit", "event that ends freezing mode", []reps.Exit{reps.ExitOnTimeout, reps.ExitOnProbe}, exit).
			more("probe: the path is probed once per RTO").seldom().nullIf(noCache).field("Exit").
			usedOnly(byFreezing, freezes),
		integer("ring", "entries of the ring of reps", 1, reps.MaxBufferSize, &p.recycling.REPS.BufferSize).seldom().
			field("BufferSize").usedOnly(byCache, p.caches).nullUnused(),
	}
}

// mrcParameters configure the sets and probes of mrc.
func (p *fattreePoint) mrcParameters() []parameter {
	uses := func() bool { return p.lb == lbMRC }
	sized := func(flag, help, field, otherwise string, least, most int, value *int) parameter {
		return integer(flag, help, least, most, value).seldom().field(field).noPreset(otherwise).
			nullIf(func() bool { return *value == 0 }).usedOnly("by --lb mrc", uses)
	}
	c := &p.mrc.MRC
	return []parameter{
		sized("mrc-active", "EVs of each plane in use by mrc", "Active", "128 of all planes, or --evs", 1, mrc.MaxSet, &c.Active),
		sized("mrc-backup", "EVs of each plane that wait to replace one; -1 is none", "Backup", "as many", -1, mrc.MaxSet, &c.Backup),
		sized("mrc-min-active", "active EVs of all planes from which on a loss rules out none", "MinActive", "a quarter of them", 1,
			topology.MaxPlanes*mrc.MaxSet, &c.MinActive),
		sized("mrc-replies", "probes answered in a row until an EV is used again", "ProbeReplies", strconv.Itoa(mrc.DefaultProbeReplies), 1, 255, &c.ProbeReplies),
		sized("mrc-probe-us", "least time between two probes of a flow", "ProbePeriod", "unloaded RTT", 1, 1_000_000, &p.probeUs),
		word("mrc-skip", "how long a mark passes over an EV of mrc: rotation, one-per-packet, time=US", skipRules, &p.skip).seldom().
			field("Skip", "SkipTime").more("one-per-packet is a rotation that forgets at most one mark for each packet sent").
			nullIf(func() bool { return !uses() }).usedOnly("by --lb mrc", uses),
	}
}

// portParameters configure queues and links.
func (p *fattreePoint) portParameters() []parameter {
	threshold := func(flag, help, otherwise string, least int, given **int, field *int) parameter {
		return settable(flag, help, intsIn(least, 1<<30), func(v int) { *given = &v }).
			show(func() any { return *field }).noPreset(otherwise).presetUnder("", profileUET, profileMRC)
	}
	derived := func(flag, help, otherwise string, most int, given *int, shown func() any) parameter {
		return integer(flag, help, 1, most, given).show(shown).noPreset(otherwise).presetUnder("", profileUET, profileMRC)
	}
	const us = 1e6
	t, size := &p.tree, &p.size
	threeTiers := func() bool { return t.Tiers == 3 }
	layer := func(flag, help string, gbps *int, link *fattree.Link) parameter {
		return p.withoutTopology(integer(flag, help, 1, 100_000, gbps)).seldom().show(func() any { return link.Gbps })
	}
	linkGbps := layer("link-gbps", "rate of all links", &size.gbps, &t.Access).
		more("that of the links of hosts where --fabric-gbps or --core-gbps is given")
	linkGbps.rare = false
	latency := p.withoutTopology(integer("latency-ns", "latency of all links", 1, 1_000_000, &size.latency)).seldom().
		show(func() any { return t.Access.LatencyNs }).field("LatencyNs", "Access.LatencyNs", "Fabric.LatencyNs", "Core.LatencyNs")
	latency.columns = append(latency.columns, column{table.Number("rtt_us"), func() any { return float64(p.spec.LongestRTT()) / us }})
	return []parameter{
		derived("queue", "packets in the queue of a port", "one BDP", fattree.MaxQueue, &p.queue,
			func() any { return p.spec.Queue }).more("of a link of hosts on the longest path; at least 100, by other profiles 25"),
		threshold("kmin", "queue length after dequeue at which ECN marking starts", "25 %", 0,
			&p.kmin, &p.spec.KMin).seldom().more("of --queue where that is given, else of one BDP, but at least 2"),
		threshold("kmax", "queue length after dequeue from which ECN marks all packets", "76 %", 1,
			&p.kmax, &p.spec.KMax).seldom().more("as for --kmin, but at least 5"),
		derived("window", "initial congestion window in packets", "1.5 BDP", 1<<20, &p.window,
			func() any { return p.spec.LongestWindow() }).in(controlGroup).field("InitialWindow").
			more("of the flow's path; the column has that of the longest path"),
		variable("rto-us", "retransmission time-out", microseconds(10_000_000), &p.rtoUs).in(controlGroup).seldom().field("RTO").
			show(func() any { return float64(p.spec.RTO) / us }).noPreset("RTT and four full queues").
			more("the queues of links slower than a host's drain at their rates; " + profileUET + " 15 us and six full queues, " +
				profileMRC + " its timer's least period that is long enough"),
		variable("target-us", "target of the queueing delay of nscc", microseconds(1_000_000), &p.targetUs).in(controlGroup).seldom().field("Target").
			noPreset("6 us; of nscc-uet 0.75 round trips").nullIf(func() bool { return p.targetUs == 0 }).
			more("the artifact takes 6 us whatever its command line says").usedOnly("by --cc nscc and nscc-uet", func() bool {
			_, is := p.control().(*congestion.NSCC)
			return is
		}),
		variable("horizon-us", "time at which a run ends, finished or not", microseconds(1_000_000_000), &p.horizonUs).seldom().field("Horizon").
			show(func() any { return float64(p.spec.Horizon) / us }).noPreset("as long as the flows need").
			more("100 ms, or later: the last start and 100 times what the packets of the busiest host take on the slowest link, longer by the oversubscription"),
		linkGbps.field("Gbps", "Access.Gbps"),
		layer("fabric-gbps", "rate of links above the ToRs", &size.fabricGbps, &t.Fabric).
			noPreset("--link-gbps").field("Fabric.Gbps"),
		layer("core-gbps", "rate of links to the core of 3 tiers", &size.coreGbps, &t.Core).
			noPreset("--fabric-gbps").field("Core.Gbps").nullIf(func() bool { return !threeTiers() }).
			usedOnly("with --tiers 3, without --topology", func() bool { return threeTiers() && p.topology == nil }),
		latency,
		integer("mtu", "bytes of a full packet, including 64 of header", 65, 1<<20, &p.spec.MTU).seldom(),
	}
}

// microseconds returns a reader of times from a nanosecond on.
func microseconds(most float64) func(text string) ([]float64, error) {
	return func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0.001, Max: most})
	}
}

// fileParameters name the files that replace other parameters.
func (p *fattreePoint) fileParameters() []parameter {
	return []parameter{
		file("topology", "take the tree from a file in htsim's .topo format or ns-3's", readTree, &p.topology).
			in(networkGroup).seldom(),
		file("flows", "take the flows from a file in htsim's .cm format or ns-3's", readFlowList, &p.flows).key("flow_list").seldom().
			usedOnly("without --schedule", func() bool { return p.schedule == nil }),
	}
}

// file is a parameter that names input files, or is one of some names without data. Its cell is null where none is
// given.
func file[T any](flag, help string, read func(io.Reader) (T, error), field **input[T], names ...string) parameter {
	readAll := func(files *inputFiles, text string) (list []*input[T], err error) {
		for path := range strings.SplitSeq(text, ",") {
			in := &input[T]{path: path}
			if !slices.Contains(names, path) {
				in.data, err = readInput(files, path, read)
			}
			if list = append(list, in); err != nil {
				return nil, err
			}
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
	}).noPreset("").text().of("FILES")
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
	for word := range strings.SplitSeq(strings.ToLower(text), ",") {
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

// skipRule is how long a mark passes over an EV of mrc.
type skipRule struct {
	text string // rotation, one-per-packet or time=US
	rule mrc.SkipRule
	us   int // of time=US
}

// String returns the value of --mrc-skip.
func (r skipRule) String() string { return r.text }

// skipRules reads a list of them.
func skipRules(text string) (list []skipRule, err error) {
	for word := range strings.SplitSeq(strings.ToLower(text), ",") {
		r := skipRule{text: word}
		time, held := strings.CutPrefix(word, "time=")
		switch {
		case held:
			r.rule = mrc.SkipHeld
			if r.us, err = strconv.Atoi(time); err != nil || r.us < 1 || r.us > 1_000_000 {
				return nil, fmt.Errorf("%q must be time=US with US in [1, 1000000]", word)
			}
			r.text = fmt.Sprintf("time=%d", r.us)
		case word == "one-per-packet":
			r.rule = mrc.SkipOnePerPacket
		case word != "rotation":
			return nil, fmt.Errorf("%q must be rotation, one-per-packet or time=US", word)
		}
		list = append(list, r)
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

// beforePlace matches what precedes the place in canonical terms of --failure.
var beforePlace = regexp.MustCompile(`(cables|switches|degrade)=[^,;|]*(,dir=[a-z]+)?(,layer=core)?`)

// olderFailures returns canonical values of --failure of a file of earlier streams: below 6, places were
// aligned unless a term named others.
func olderFailures(streams int, key, text string) string {
	if key != "failure" || streams >= 6 {
		return text
	}
	text = beforePlace.ReplaceAllString(text, "$0,place=aligned")
	return strings.NewReplacer(",place=aligned,place=first", ",place=first", ",place=aligned,place=random", "").Replace(text)
}

// failureRange matches a range in a value of --failure: of numbers, percentages or times. A rate, below 1, is
// not its step.
var failureRange = regexp.MustCompile(`=([^=,;:]*\.\.[^=,;:]*(?::[^0.=,;:][^=,;:]*)?)`)

// expanded returns the values without ranges that a value of --failure stands for; the first range is the
// slowest.
func expanded(text string) (list []string, err error) {
	at := failureRange.FindStringSubmatchIndex(text)
	if at == nil {
		return []string{text}, nil
	}
	bare, unit := strings.ReplaceAll(text[at[2]:at[3]], "%", ""), ""
	if at[3]-at[2] > len(bare) {
		unit = "%"
	}
	numbers, err := values.Floats(bare, values.FloatRange{Max: 1e9})
	for _, number := range numbers {
		rest, errRest := expanded(text[:at[2]] + strconv.FormatFloat(number, 'f', -1, 64) + unit + text[at[3]:])
		if err = cmp.Or(errRest, err); err != nil {
			break
		}
		if list = append(list, rest...); len(list) > maxPoints {
			return nil, fmt.Errorf("%.60q stands for more than %d values", text, maxPoints)
		}
	}
	return list, err
}

// failureSpecs reads values of --failure, separated by bars.
func failureSpecs(text string) (specs []failureSpec, err error) {
	for several := range strings.SplitSeq(text, "|") {
		list, err := expanded(several)
		if err != nil {
			return nil, err
		}
		for _, one := range list {
			spec, err := failureSpecOf(one)
			if err != nil {
				return nil, err
			}
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// failureSpecOf reads one value of --failure, in any case of letters.
func failureSpecOf(text string) (failureSpec, error) {
	if strings.EqualFold(strings.TrimSpace(text), noFailure) {
		return nil, nil
	}
	list, err := topology.ParseFailures(strings.ToLower(text))
	if err != nil {
		_, err = topology.ParseFailures(text) // the error has the text as it is
	}
	var fault *mc.FieldError
	if errors.As(err, &fault) {
		err = fmt.Errorf("%.60q %s; fattree --help-all has the grammar", fault.Value, fault.Problem)
	}
	return list, err
}
