package cases

import (
	"fmt"
	"slices"
	"strconv"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/param"
	"repslab/reps"
)

// us is a microsecond in picoseconds.
const us = 1_000_000

// FattreeName is the name of the model of networks.
const FattreeName = "fattree"

func fattreeModel() param.Model {
	return param.New(param.Model{
		Name:    FattreeName,
		Streams: 10,
		Older:   olderFailures,
		Results: fattreeResults(),
		Brief: []string{"hosts", "workload", "failure", "lb", "max_fct_us", "max_fct_us_se", "mean_fct_us", "p99_fct_us",
			"step_us", "step_us_se", "network_wait", "finished_runs", "lost"},
		Unit:     "packet_hop",
		Replicas: 3, // a run of a large network takes seconds
	}, func() param.Space { return FattreeSpace(new(Fattree)) })
}

// Fattree is a point: a combination of parameters of the fattree command. Flags set the libraries' configurations.
type Fattree struct {
	// Spec and Options have defaults once the point is completed, but neither flows nor faults, which
	// [Fattree.SpecOf] draws.
	Spec       fattree.Spec
	Options    transport.Options // of the hosts
	Plan       *fattree.Plan     // of the Spec, once completed
	Tree       topology.FatTree
	Size       TreeSize
	planes     int
	KMin, KMax *int                // nil if not given
	exact      bool                // switches choose ports by exact EVs
	ackBytes   int                 // 0 if not given
	Variant    string              // of ACKs
	target     fattree.Picoseconds // target delay of nscc, 0 for its default
	Cc, Lb     string
	lbOf       lbOf
	main       transport.Balancer // balancer of all flows except background traffic, to ask for its properties

	traits transport.Traits // of all balancers together, once completed

	Recycling balance.RecyclingConfig
	freezing  param.NamedTime // on, off or at
	idle      fattree.Picoseconds
	exclude   fattree.Picoseconds
	active    int               // EVs of a set of klb and hklb
	shares    bool              // connections of one destination share a state
	explore   int               // of so many packets of a connection one explores; 0 is none
	start     balance.Start     // first EV of path-round-robin and source-round-robin
	mrc       balance.MRCConfig // without skip
	skip      param.NamedTime   // rotation, one-per-packet or time

	workload    string
	parts       []part                      // of the workload, at least one
	sizes       *param.Input[traffic.Sizes] // nil if not given
	load        float64
	poisson     bool
	duration    fattree.Picoseconds
	degree      int                              // 0 if it has no effect
	Message     int64                            // 0 if it has no effect
	background  int                              // 0 means none
	topology    *param.Input[treeInput]          // nil if not given
	flows       []*param.Input[flowsInput]       // by replica; nil if not given
	pairsRepeat bool                             // some pair of hosts has several flows; false if sizes are drawn
	schedule    *param.Input[*schedule.Schedule] // nil if not given
	placement   *param.Input[[]fattree.Host]     // hosts by rank; its data are nil for linear and random placement
	steps       int
	queues      bool                // messages of a stream between two ranks are one connection
	calcPathUs  any                 // critical path of the schedule's calcs; nil without a schedule
	playing     fattree.Picoseconds // upper bound of the time of its steps on the default network
	hops        float64             // of all packets of a run, if none is sent again
	Failure     Failures
	failureSeed int  // 0 draws places anew for each replica
	inside      bool // groups turn it on
	groups      flowGroups
}

// FattreeSpace sets the point to the defaults. It returns the parameters that set the point, in the order of the
// columns.
func FattreeSpace(p *Fattree) param.Space {
	*p = Fattree{
		Spec:    fattree.Spec{Topology: topology.FatTree{Hosts: defaultHosts}, MTU: 4150, PMax: 1, HashAnswers: true, ChooseByTier: true},
		Options: transport.Options{AckRatio: 1}, Tree: topology.FatTree{Hosts: defaultHosts}.WithDefaults(), planes: 1,
		Recycling: balance.RecyclingConfig{Rules: balance.Paper, REPS: reps.Config{EVSSize: 1 << 16, BufferSize: 8, FreezingTimeout: 10_000_000}},
		workload:  workloads()[0].name, load: 0.6, duration: 5000 * us, placement: &param.Input[[]fattree.Host]{Path: linear}, steps: 1,
		freezing: param.NamedTime{Name: "on"}, skip: param.NamedTime{Name: "rotation"}, exclude: balance.DefaultExclude, active: balance.DefaultActive, start: balance.StartZero, Variant: AckStandard,
		Cc: congestion.All()[0].Name, Lb: BalancerREPS,
	}
	return param.NewSpace(p, (*Fattree).Complete, (*Fattree).point, slices.Concat(
		param.Grouped(NetworkGroup, p.treeParameters()...), param.Grouped(ControlGroup, p.senderParameters()...),
		param.Grouped(TrafficGroup, p.trafficParameters()...), param.Grouped(ControlGroup, p.packetParameters()...),
		param.Grouped(BalancerGroup, p.repsParameters()...), param.Grouped(BalancerGroup, p.mrcParameters()...), param.Grouped(NetworkGroup, p.portParameters()...),
		param.Grouped(TrafficGroup, p.fileParameters()...), param.Grouped(TrafficGroup, p.scheduleParameters()...),
		param.Grouped(TrafficGroup, p.countParameters()...)))
}

// Groups of flags in the help.
const (
	NetworkGroup  = "Network"
	TrafficGroup  = "Traffic"
	BalancerGroup = "Load balancer"
	ControlGroup  = "Congestion control"
)

// senderParameters returns the parameters that choose load balancer and congestion control. Their lists vary
// fastest.
func (p *Fattree) senderParameters() []param.Parameter {
	profile := param.OneOf("profile", "rules of hosts", &p.Spec.Profile, profileNames(), fattree.Artifact, fattree.UltraEthernet, fattree.MRC).
		Single("one profile: presets are the same in all combinations").Field("Profile").More("and defaults of other flags; " + profileREPS + " is the REPS artifact, " +
		ProfileUET + " Ultra Ethernet's uet-htsim of August 2025 (40ccb05), whose thresholds revision 1.0.3 of the specification recommends, " + profileMRC + " Multipath Reliable Connection, whose EVs name planes too")
	lb := listed("lb", "balancer", &p.Lb).In(BalancerGroup).PresetUnder("mixed", ProfileUET).PresetUnder("mrc", profileMRC)
	rules := param.Name("reps", "rules of reps", balance.AllRules(), &p.Recycling.Rules).In(BalancerGroup).
		PresetUnder(string(balance.UltraEthernet), ProfileUET).Field("Rules").
		UsedOnly("by --lb reps", func() bool { return p.has(BalancerREPS) }).NullUnused()
	groups := param.Word("lb-of", "balancer of a group of flows, such as 'source=0..63: ops'", lbOfSpecs, &p.lbOf).In(BalancerGroup).Of("groups").NoPreset("").
		NullIf(func() bool { return p.lbOf == nil }).
		More("or 'websearch: ops; bytes<100kB: ecmp': GROUP: BALANCER, joined by semicolons, for a fleet that is changed over; all other flows have --lb; GROUP is the name of a part of --workload " +
			"or of a group of --groups, or conditions of --groups that are known before the run; of several that hold the first counts; each group has a row, and the flows in none, named others; " +
			"several values are separated by |; none is no group")
	groups.Separator = "|" // values contain commas
	cc := listed("cc", "controller", &p.Cc).PresetUnder("nscc-uet", ProfileUET, profileMRC)
	lb.Rank, rules.Rank, cc.Rank = 3, 2, 1
	return []param.Parameter{profile, lb, groups, rules, cc}
}

// packetParameters returns the parameters that choose entropy values, ACKs and trimming.
func (p *Fattree) packetParameters() []param.Parameter {
	o := &p.Options
	return []param.Parameter{
		param.Integer("evs", "entropy values", 1, balance.MaxEVS, &p.Recycling.REPS.EVSSize).In(BalancerGroup).
			Field("EVSSize").PresetUnder(strconv.Itoa(reps.UltraEthernetEVSSize), ProfileUET).PresetUnder("256", profileMRC).
			More(fmt.Sprintf("of bitmap, mixed and host-adaptive a power of two up to %d, of stratified a power of two; %d alone is as many as the balancer takes; "+
				"of mrc and reps-planes by --profile %s those of each plane", balance.BitmapEVs(balance.MaxEVS), balance.MaxEVS, profileMRC)).KeptAs(p.takenEVs).
			UsedOnly("by load balancers that choose EVs, not by "+lbOracle+", "+balancersThat(routes)+
				", and with --background-every", func() bool { return p.takesEVs() && p.Lb != lbOracle }),
		param.Choice("ev-routing", "how switches choose ports by EVs", []string{"hash", "exact"},
			func(i int) { p.exact = i == 1 }, func() int { return param.Bit(p.exact || p.Lb == lbOracle) }).In(BalancerGroup).
			Seldom().Field("Choose", "ChooseByTier").More("exact: an EV is a path: the ToR takes the uplink EV modulo its uplinks, an aggregation switch of 3 tiers "+
			"the uplink EV / uplinks of a ToR, modulo its own; so --evs is the product of both: 64 for 1024 hosts with 3 tiers; "+
			"with --planes an EV is the same path in every plane").
			UsedOnly("by load balancers that choose EVs; "+lbOracle+" always has exact", p.takesEVs),
		param.OneOf("ack-routing", "how switches choose ports for ACKs", &p.Spec.HashAnswers, []string{"hash", "exact"}, true, false).In(BalancerGroup).
			Seldom().Field("HashAnswers").PresetUnder("exact", profileMRC).NullIf(func() bool { return !p.exact || p.Lb == lbOracle }).
			More("and for other headers to a source; hash: as the artifact; exact: by the EV of the packet answered, as --profile "+profileMRC).
			UsedOnly("with --ev-routing exact, not by --lb "+lbOracle+", whose ACKs are exact too", func() bool { return p.exact && p.Lb != lbOracle }),
		param.Integer("ack-ratio", "packets per ACK", 1, transport.MaxAckRatio, &p.Options.AckRatio).Field("ReuseCount").InUnits("packets").
			PresetUnder("", ProfileUET, profileMRC).UsedOnly("without --ack-bytes", func() bool { return p.ackBytes == 0 }),
		param.Settable("ack-bytes", "bytes per ACK in place of --ack-ratio", param.IntsIn(1, 1<<16), func(v int) { p.ackBytes = v }).
			More("which follows by the 16-bit counter of uet-htsim: 64000 bytes are 63 packets").Seldom(),
		param.Name("ack-variant", "EVs of ACKs", []string{AckStandard, AckCarry, AckReuse}, &p.Variant).
			More("if an ACK answers several packets; standard: the EV of the last packet; carry: the EVs of all; reuse: reps uses an EV ack-ratio times").Field("CarryEVs").
			UsedOnly("with --ack-ratio above 1: carry by --lb "+balancersThat(func(b transport.Balancer) bool { return b.Traits().UsesCarried })+", reuse "+byCache,
				p.coalesces),
		param.Choice("slips", "slips of the authors' simulator that hosts repeat", []string{"none", "requests", "turns", "both"},
			func(i int) { o.RequestsForRetransmission, o.DoubleTurns = i&1 > 0, i&2 > 0 },
			func() int { return param.Bit(o.RequestsForRetransmission) + 2*param.Bit(o.DoubleTurns) }).
			Seldom().Field("RequestsForRetransmission", "DoubleTurns").
			More("for comparisons with it: requests: a lost request to send again enlarges the window; turns: a flow that loses packets gets more than its share of its host's link").
			UsedOnly("by --profile "+profileREPS+" without --planes", func() bool { return p.Spec.Profile == fattree.Artifact && p.planes == 1 }),
		param.Choice("trimming", "full queues trim packets", []string{"on", "off", "sleek"}, func(i int) { p.Spec.DisableTrimming, o.Sleek = i > 0, i > 1 },
			func() int { return param.Bit(p.Spec.DisableTrimming) + param.Bit(o.Sleek) }).In(NetworkGroup).
			Field("DisableTrimming").More("sleek is off with the loss recovery SLEEK").Seldom(),
		param.OneOf("last-hop-trims", "what balancers learn of packets that the port to their receiver trims", &o.LastHopGood, []string{"lost", "good"}, false, true).
			Field("LastHopGood").More("good: that their path works; --profile uet has this always").Seldom().
			UsedOnly("by --profile "+profileREPS+" with --trimming on and --lb "+balancersThat(func(b transport.Balancer) bool { return b.Traits().UsesTrims }), func() bool {
				return p.Spec.Profile == fattree.Artifact && !p.Spec.DisableTrimming && p.traits.UsesTrims
			}).NullUnused(),
	}
}

// The values of --profile.
const (
	profileREPS = "reps"
	ProfileUET  = "uet"
	profileMRC  = "mrc"
)

// profileNames lists the values of --profile, in the order of the profiles.
func profileNames() []string { return []string{profileREPS, ProfileUET, profileMRC} }

const byCache = "by --lb reps-planes, and by --lb reps with --reps other than fifo"

// portParameters returns the parameters that configure queues and links.
func (p *Fattree) portParameters() []param.Parameter {
	threshold := func(flag, help, otherwise string, least int, given **int, field *int) param.Parameter {
		return param.Settable(flag, help, param.IntsIn(least, 1<<30), func(v int) { *given = &v }).
			Derived(otherwise, func() any { return *field }).PresetUnder("", ProfileUET, profileMRC).InUnits("packets")
	}
	derived := func(flag, help, otherwise string, most int, field *int, shown func() any) param.Parameter {
		return param.Integer(flag, help, 1, most, field).Derived(otherwise, shown).PresetUnder("", ProfileUET, profileMRC).InUnits("packets")
	}
	t, size := &p.Tree, &p.Size
	threeTiers := func() bool { return t.Tiers == 3 }
	layer := func(flag, help string, gbps *float64, link *fattree.Link) param.Parameter {
		return p.withoutTopology(param.Number(flag, help, 1, 100_000, gbps)).Seldom().Show(func() any { return link.Gbps })
	}
	linkGbps := layer("link-gbps", "rate of all links", &size.Gbps, &t.Access).
		More("that of the links of hosts where --fabric-gbps or --core-gbps is given")
	linkGbps.Rare = false
	latency := p.withoutTopology(param.Number("latency-ns", "latency of all links", 0.001, 1_000_000, &size.Latency)).Seldom().
		Show(func() any { return t.Access.LatencyNs }).Field("LatencyNs", "Access.LatencyNs", "Fabric.LatencyNs", "Core.LatencyNs").
		Also("rtt_us", func() any { return float64(p.Plan.LongestRTT()) / us })
	return []param.Parameter{
		derived("queue", "packets in the queue of a port", "one BDP", fattree.MaxQueue, &p.Spec.Queue,
			func() any { return p.Spec.Queue }).More("of a link of hosts on the longest path; at least 100, by other profiles 25"),
		param.Integer("last-hop-queue", "packets in the queue of a port to a host", 1, fattree.MaxQueue, &p.Spec.LastHopQueue).
			NoPreset("--queue").NullIf(func() bool { return p.Spec.LastHopQueue == 0 }).Seldom().InUnits("packets"),
		param.OneOf("mark-last-hop", "ports to hosts mark", &p.Spec.LastHopMarks, []string{"on", "off"}, fattree.MarkLastHop, fattree.SpareLastHop).
			Seldom().NoPreset("by --profile and --cc").
			More("on; off by --profile " + profileMRC + ", and where receivers grant credit: eqds and rccc").
			Field("LastHopMarks"),
		threshold("kmin", "queue length after dequeue at which ECN marking starts", "25 %", 0,
			&p.KMin, &p.Spec.KMin).Seldom().More("of --queue where that is given, else of one BDP, but at least 2"),
		threshold("kmax", "queue length after dequeue above which ECN marks all packets", "76 %", 1,
			&p.KMax, &p.Spec.KMax).Seldom().More("as for --kmin, but at least 5"),
		param.Probability("pmax", "probability of an ECN mark at --kmax", &p.Spec.PMax).Seldom().
			More("it rises from 0 at --kmin to this; above --kmax all packets are marked. DCQCN's authors have 0.01").
			UsedOnly("with --kmax above --kmin", func() bool { return p.Spec.KMax > p.Spec.KMin }),
		derived("window", "initial congestion window in packets", "1.5 BDP", 1<<20, &p.Options.InitialWindow,
			func() any { return transport.LongestWindow(p.Plan) }).In(ControlGroup).Field("InitialWindow").
			More("of the flow's path; the column has that of the longest path"),
		param.Microseconds("rto-us", "retransmission time-out", 10_000_000, &p.Options.RTO).In(ControlGroup).Seldom().Field("RTO").
			NoPreset("RTT and four full queues").
			More("the queues of links slower than a host's drain at their rates; " + ProfileUET + " 15 us and six full queues, " +
				profileMRC + " its timer's least period that is long enough"),
		param.Microseconds("target-us", "target of the queueing delay of nscc", 1_000_000, &p.target).In(ControlGroup).Seldom().Field("Target").
			NoPreset("6 us; of nscc-uet 0.75 round trips").NullIf(func() bool { return p.target == 0 }).
			More("the artifact takes 6 us whatever its command line says").UsedOnly("by --cc nscc and nscc-uet", func() bool {
			_, is := p.control().(*congestion.NSCC)
			return is
		}),
		param.Microseconds("horizon-us", "time at which a run ends, finished or not", 1_000_000_000, &p.Spec.Horizon).Seldom().Field("Horizon").
			NoPreset("as long as the flows need").
			More("100 ms, or later: the last start and 100 times what the packets of the busiest host take on the slowest link, longer by the oversubscription"),
		linkGbps.Field("Gbps", "Access.Gbps"),
		layer("fabric-gbps", "rate of links above the ToRs", &size.FabricGbps, &t.Fabric).
			NoPreset("--link-gbps").Field("Fabric.Gbps"),
		layer("core-gbps", "rate of links to the core of 3 tiers", &size.coreGbps, &t.Core).
			NoPreset("--fabric-gbps").Field("Core.Gbps").NullIf(func() bool { return !threeTiers() }).
			UsedOnly("with --tiers 3, without --topology", func() bool { return threeTiers() && p.topology == nil }),
		latency,
		param.Integer("mtu", "bytes of a full packet, including 64 of header", 65, 1<<20, &p.Spec.MTU).Seldom().InUnits("bytes"),
	}
}

// fileParameters returns the parameters that name files in place of other parameters.
func (p *Fattree) fileParameters() []param.Parameter {
	return []param.Parameter{
		param.File("topology", "take the tree from a file in htsim's .topo format or ns-3's", readTree, &p.topology).
			In(NetworkGroup).Seldom(),
		param.Files("flows", "take the flows from a file in htsim's .cm format or ns-3's", readFlowList, &p.flows).Key("flow_list").Seldom().
			UsedOnly("without --schedule", func() bool { return p.schedule == nil }),
	}
}

// countParameters returns the parameters that choose additional counts.
func (p *Fattree) countParameters() []param.Parameter {
	groups := param.Word("groups", "rows of flow groups too, such as 'mice: bytes<100kB'",
		groupSpecs, &p.groups).NoPreset("").NullIf(func() bool { return p.groups == nil }).Of("groups").More(groupGrammar)
	groups.Separator = "|" // values contain commas
	return []param.Parameter{
		param.Choice("inside", "count origins of EVs, valid entries, freezing", []string{"on", "off"}, func(i int) { p.inside = i == 0 },
			func() int { return param.Bit(!p.countsInside()) }).Seldom().
			More("for the columns from valid_share to marked_acks; a run takes about three times as long; on with --groups, and if --columns has one").
			UsedOnly("by hosts that record events, not by --profile mrc", func() bool { return p.Spec.Profile != fattree.MRC }).NullUnused(),
		groups,
	}
}

// countsInside reports whether runs count what happens inside connections.
func (p *Fattree) countsInside() bool { return p.inside || len(p.groups) > 0 }

// Values of --ack-variant.
const (
	AckStandard = "standard"
	AckCarry    = "carry"
	AckReuse    = "reuse"
)
