package model

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/frame"
	"repslab/internal/values"
	"repslab/reps"
)

// FattreeName is the name of the model of networks.
const FattreeName = "fattree"

func fattreeModel() Model {
	return New(Model{
		Name:    FattreeName,
		Streams: 10,
		Older:   olderFailures,
		Results: fattreeResults(),
		Brief: []string{"hosts", "workload", "failure", "lb", "max_fct_us", "max_fct_us_se", "mean_fct_us", "p99_fct_us",
			"step_us", "step_us_se", "network_wait", "finished_runs", "lost"},
		unit:     "packet_hop",
		replicas: 3, // a run of a large network takes seconds
	}, func() Space { return FattreeSpace(new(Fattree)) })
}

// Fattree is a point: a combination of parameters of the fattree command.
type Fattree struct {
	Spec      fattree.Spec  // with defaults once completed; without flows and faults, which [Fattree.SpecOf] draws
	Plan      *fattree.Plan // of the Spec, once completed
	Tree      topology.FatTree
	Recycling balance.RecyclingConfig
	mrc       balance.MRCConfig // without probeUs and skip
	skip      skipRule
	timer     string // perPacket or perConnection
	resend    string // inTurn or resentFirst
	probeUs   int
	main      transport.Balancer // balancer of all flows except background traffic, to ask for its properties

	Size              TreeSize
	topology          *input[treeInput] // nil if not given
	workload          string
	kind              workload              // the workload with this name
	sizes             *input[traffic.Sizes] // nil if not given
	load              float64
	arrivals          string
	duration          int
	degree            int                        // 0 if it has no effect
	Message           int64                      // 0 if it has no effect
	background        int                        // 0 means none
	flows             *input[flowsInput]         // nil if not given
	pairsRepeat       bool                       // some pair of hosts has several flows; false if sizes are drawn
	schedule          *input[*schedule.Schedule] // nil if not given
	placement         *input[[]fattree.Host]     // hosts by rank; its data are nil for linear and random placement
	steps             int
	calcPathUs        any                 // critical path of the schedule's calcs; nil without a schedule
	playing           fattree.Picoseconds // upper bound of the time of its steps on the default network
	Options           transport.Options   // of the hosts
	Profile           string
	queue, window     int  // 0 if not given, like horizonUs
	KMin, KMax        *int // nil if not given
	planes, ackBytes  int  // ackBytes is 0 if not given
	Failure           Failures
	burst             burst
	failureSeed       int // 0 draws places anew for each replica
	freezing          freezingMode
	freezeUs          int     // duration of freezing mode
	RtoUs, horizonUs  float64 // 0 for the default, like targetUs
	targetUs          float64 // target delay of nscc
	Variant, Cc, Lb   string
	inherit, trimming string // on or off, or trimmingSleek
	routing, acks     string // hashRouting or exactRouting
	slips             string
	excludeUs, idleUs int
	pathStart         string
	lastHop           string // on, off, or empty if not given
	inside            string // on or off; groups turn it on
	groups            flowGroups
}

// FattreeSpace sets the point to the defaults. It returns the parameters that set the point, in the order of the
// columns.
func FattreeSpace(p *Fattree) Space {
	*p = Fattree{
		Spec: fattree.Spec{Topology: topology.FatTree{Hosts: defaultHosts}, MTU: 4150, PMax: 1}, Options: transport.Options{AckRatio: 1},
		Tree:      topology.FatTree{Hosts: defaultHosts}.WithDefaults(),
		Recycling: balance.RecyclingConfig{Rules: balance.Paper, REPS: reps.Config{EVSSize: 1 << 16, BufferSize: 8}},
		Profile:   profileREPS, planes: 1, workload: workloads()[0].name, load: 0.6, arrivals: paced, duration: 5000,
		freezing: freezingMode{text: "on"}, freezeUs: 10_000, Variant: AckStandard,
		placement: &input[[]fattree.Host]{path: linear}, steps: 1, Cc: congestion.All()[0].Name, Lb: BalancerREPS, inherit: "off", trimming: "on", routing: hashRouting, acks: hashRouting, slips: noSlips,
		pathStart: startZero, excludeUs: 200_000,
		skip: skipRule{text: "rotation"}, timer: perPacket, resend: inTurn, inside: "off",
	}
	return NewSpace(p, (*Fattree).Complete, (*Fattree).point, slices.Concat(
		grouped(NetworkGroup, p.treeParameters()...), grouped(ControlGroup, p.senderParameters()...),
		grouped(TrafficGroup, p.trafficParameters()...), grouped(ControlGroup, p.packetParameters()...),
		grouped(BalancerGroup, p.repsParameters()...), grouped(BalancerGroup, p.mrcParameters()...), grouped(NetworkGroup, p.portParameters()...),
		grouped(TrafficGroup, p.fileParameters()...), grouped(TrafficGroup, p.scheduleParameters()...),
		grouped(TrafficGroup, p.countParameters()...)))
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
func (p *Fattree) senderParameters() []Parameter {
	profile := word("profile", "rules of hosts: "+strings.Join(profileNames(), ", "),
		profiles, &p.Profile).field("Profile").of("name").more("and defaults of other flags; " + profileREPS + " is the REPS artifact, " +
		ProfileUET + " Ultra Ethernet's uet-htsim of August 2025 (40ccb05), whose thresholds revision 1.0.3 of the specification recommends, " + profileMRC + " Multipath Reliable Connection, whose EVs name planes too")
	profile.Choices = profileNames()
	lb := listed("lb", "balancer", &p.Lb).in(BalancerGroup).presetUnder("mixed", ProfileUET).presetUnder("mrc", profileMRC)
	rules := name("reps", "rules of reps", balance.AllRules(), &p.Recycling.Rules).in(BalancerGroup).
		presetUnder(string(balance.UltraEthernet), ProfileUET).field("Rules").
		usedOnly("by --lb reps", func() bool { return p.Lb == BalancerREPS }).nullUnused()
	cc := listed("cc", "controller", &p.Cc).presetUnder("nscc-uet", ProfileUET, profileMRC)
	lb.rank, rules.rank, cc.rank = 3, 2, 1
	return []Parameter{profile, lb, rules, cc}
}

// packetParameters returns the parameters that choose entropy values, ACKs and trimming.
func (p *Fattree) packetParameters() []Parameter {
	return []Parameter{
		Integer("evs", "entropy values", 1, balance.MaxEVS, &p.Recycling.REPS.EVSSize).in(BalancerGroup).
			field("EVSSize").presetUnder(strconv.Itoa(reps.UltraEthernetEVSSize), ProfileUET).presetUnder("256", profileMRC).
			more(fmt.Sprintf("of bitmap, mixed and host-adaptive a power of two up to %d, of stratified a power of two; %d alone is as many as the balancer takes; "+
				"of mrc and reps-planes by --profile %s those of each plane", balance.BitmapEVs(balance.MaxEVS), balance.MaxEVS, profileMRC)).keptAs(p.takenEVs).
			usedOnly("by load balancers that choose EVs, not by "+lbOracle+", "+balancersThat(routes)+
				", and with --background-every", func() bool { return p.takesEVs() && p.Lb != lbOracle }),
		name("ev-routing", "how switches choose ports by EVs", []string{hashRouting, exactRouting}, &p.routing).in(BalancerGroup).
			seldom().field("Choose", "ChooseByTier").more("exact: an EV is a path: the ToR takes the uplink EV modulo its uplinks, an aggregation switch of 3 tiers "+
			"the uplink EV / uplinks of a ToR, modulo its own; so --evs is the product of both: 64 for 1024 hosts with 3 tiers; "+
			"with --planes an EV is the same path in every plane").
			show(p.evRouting).text().usedOnly("by load balancers that choose EVs; "+lbOracle+" always has exact", p.takesEVs),
		name("ack-routing", "how switches choose ports for ACKs", []string{hashRouting, exactRouting}, &p.acks).in(BalancerGroup).
			seldom().field("HashAnswers").presetUnder(exactRouting, profileMRC).nullIf(func() bool { return p.routing != exactRouting || p.Lb == lbOracle }).
			more("and for other headers to a source; hash: as the artifact; exact: by the EV of the packet answered, as --profile "+profileMRC).
			usedOnly("with --ev-routing exact, not by --lb "+lbOracle+", whose ACKs are exact too", func() bool { return p.routing == exactRouting && p.Lb != lbOracle }),
		Integer("ack-ratio", "packets per ACK", 1, transport.MaxAckRatio, &p.Options.AckRatio).field("ReuseCount").unit("packets").
			presetUnder("", ProfileUET, profileMRC).usedOnly("without --ack-bytes", func() bool { return p.ackBytes == 0 }),
		settable("ack-bytes", "bytes per ACK in place of --ack-ratio", IntsIn(1, 1<<16), func(v int) { p.ackBytes = v }).
			more("which follows by the 16-bit counter of uet-htsim: 64000 bytes are 63 packets").seldom(),
		name("ack-variant", "EVs of ACKs", []string{AckStandard, AckCarry, AckReuse}, &p.Variant).
			more("if an ACK answers several packets; standard: the EV of the last packet; carry: the EVs of all; reuse: reps uses an EV ack-ratio times").field("CarryEVs").
			usedOnly("with --ack-ratio above 1: carry by --lb "+balancersThat(func(b transport.Balancer) bool { return b.Traits().UsesCarried })+", reuse "+byCache,
				p.coalesces),
		name("slips", "slips of the authors' simulator that hosts repeat", []string{noSlips, slipRequests, slipTurns, bothSlips}, &p.slips).
			seldom().field("RequestsForRetransmission", "DoubleTurns").
			more("for comparisons with it: requests: a lost request to send again enlarges the window; turns: a flow that loses packets gets more than its share of its host's link").
			usedOnly("by --profile "+profileREPS+" without --planes", func() bool { return p.Profile == profileREPS && p.planes == 1 }),
		name("trimming", "full queues trim packets", append(onOff(), trimmingSleek), &p.trimming).in(NetworkGroup).
			field("DisableTrimming").more("sleek is off with the loss recovery SLEEK").seldom(),
	}
}

// The values of --profile.
const (
	profileREPS = "reps"
	ProfileUET  = "uet"
	profileMRC  = "mrc"
)

// profileNames lists the values of --profile.
func profileNames() []string { return []string{profileREPS, ProfileUET, profileMRC} }

// profiles reads the value of --profile, which must be one name.
func profiles(text string) ([]string, error) {
	list, err := values.Names(text, profileNames())
	if err == nil && len(list) > 1 {
		err = fmt.Errorf("%q must be one profile: presets are the same in all combinations", text)
	}
	return list, err
}

// trimmingSleek is a value of --trimming: no trimming, and SLEEK's loss recovery.
const trimmingSleek = "sleek"

// The values of --ev-routing.
const (
	hashRouting  = "hash"
	exactRouting = "exact"
)

// The values of --slips, see transport.Options.
const (
	noSlips      = "none"
	slipRequests = "requests"
	slipTurns    = "turns"
	bothSlips    = "both"
)

// evRouting returns how switches choose ports by EVs.
func (p *Fattree) evRouting() any {
	if p.Lb == lbOracle {
		return exactRouting
	}
	return p.routing
}

// lastHopMarks returns the meaning of each value of --mark-last-hop.
func lastHopMarks() map[string]fattree.LastHopMarks {
	return map[string]fattree.LastHopMarks{"on": fattree.MarkLastHop, "off": fattree.SpareLastHop}
}

// onOff returns the values of a parameter that is on or off.
func onOff() []string { return []string{"on", "off"} }

const byCache = "by --lb reps-planes, and by --lb reps with --reps other than fifo"

// portParameters returns the parameters that configure queues and links.
func (p *Fattree) portParameters() []Parameter {
	threshold := func(flag, help, otherwise string, least int, given **int, field *int) Parameter {
		return settable(flag, help, IntsIn(least, 1<<30), func(v int) { *given = &v }).
			derived(otherwise, func() any { return *field }).presetUnder("", ProfileUET, profileMRC).unit("packets")
	}
	derived := func(flag, help, otherwise string, most int, given *int, shown func() any) Parameter {
		return Integer(flag, help, 1, most, given).derived(otherwise, shown).presetUnder("", ProfileUET, profileMRC).unit("packets")
	}
	t, size := &p.Tree, &p.Size
	threeTiers := func() bool { return t.Tiers == 3 }
	layer := func(flag, help string, gbps *float64, link *fattree.Link) Parameter {
		return p.withoutTopology(number(flag, help, 1, 100_000, gbps)).seldom().show(func() any { return link.Gbps })
	}
	linkGbps := layer("link-gbps", "rate of all links", &size.Gbps, &t.Access).
		more("that of the links of hosts where --fabric-gbps or --core-gbps is given")
	linkGbps.Rare = false
	latency := p.withoutTopology(number("latency-ns", "latency of all links", 0.001, 1_000_000, &size.Latency)).seldom().
		show(func() any { return t.Access.LatencyNs }).field("LatencyNs", "Access.LatencyNs", "Fabric.LatencyNs", "Core.LatencyNs")
	latency.Columns = append(latency.Columns, Column{frame.Number("rtt_us"), func() any { return float64(p.Plan.LongestRTT()) / us }})
	return []Parameter{
		derived("queue", "packets in the queue of a port", "one BDP", fattree.MaxQueue, &p.queue,
			func() any { return p.Spec.Queue }).more("of a link of hosts on the longest path; at least 100, by other profiles 25"),
		Integer("last-hop-queue", "packets in the queue of a port to a host", 1, fattree.MaxQueue, &p.Spec.LastHopQueue).
			noPreset("--queue").nullIf(func() bool { return p.Spec.LastHopQueue == 0 }).seldom().unit("packets"),
		name("mark-last-hop", "ports to hosts mark", onOff(), &p.lastHop).seldom().noPreset("by --profile and --cc").
			more("on; off by --profile " + profileMRC + ", and where receivers grant credit: eqds and rccc").
			field("LastHopMarks").nullIf(func() bool { return p.lastHop == "" }),
		threshold("kmin", "queue length after dequeue at which ECN marking starts", "25 %", 0,
			&p.KMin, &p.Spec.KMin).seldom().more("of --queue where that is given, else of one BDP, but at least 2"),
		threshold("kmax", "queue length after dequeue above which ECN marks all packets", "76 %", 1,
			&p.KMax, &p.Spec.KMax).seldom().more("as for --kmin, but at least 5"),
		probability("pmax", "probability of an ECN mark at --kmax", &p.Spec.PMax).seldom().
			more("it rises from 0 at --kmin to this; above --kmax all packets are marked. DCQCN's authors have 0.01").
			usedOnly("with --kmax above --kmin", func() bool { return p.Spec.KMax > p.Spec.KMin }),
		derived("window", "initial congestion window in packets", "1.5 BDP", 1<<20, &p.window,
			func() any { return transport.LongestWindow(p.Plan) }).in(ControlGroup).field("InitialWindow").
			more("of the flow's path; the column has that of the longest path"),
		variable("rto-us", "retransmission time-out", Microseconds(10_000_000), &p.RtoUs).in(ControlGroup).seldom().field("RTO").
			show(func() any { return float64(p.Options.RTO) / us }).noPreset("RTT and four full queues").
			more("the queues of links slower than a host's drain at their rates; " + ProfileUET + " 15 us and six full queues, " +
				profileMRC + " its timer's least period that is long enough"),
		variable("target-us", "target of the queueing delay of nscc", Microseconds(1_000_000), &p.targetUs).in(ControlGroup).seldom().field("Target").
			noPreset("6 us; of nscc-uet 0.75 round trips").nullIf(func() bool { return p.targetUs == 0 }).
			more("the artifact takes 6 us whatever its command line says").usedOnly("by --cc nscc and nscc-uet", func() bool {
			_, is := p.control().(*congestion.NSCC)
			return is
		}),
		variable("horizon-us", "time at which a run ends, finished or not", Microseconds(1_000_000_000), &p.horizonUs).seldom().field("Horizon").
			show(func() any { return float64(p.Spec.Horizon) / us }).noPreset("as long as the flows need").
			more("100 ms, or later: the last start and 100 times what the packets of the busiest host take on the slowest link, longer by the oversubscription"),
		linkGbps.field("Gbps", "Access.Gbps"),
		layer("fabric-gbps", "rate of links above the ToRs", &size.FabricGbps, &t.Fabric).
			noPreset("--link-gbps").field("Fabric.Gbps"),
		layer("core-gbps", "rate of links to the core of 3 tiers", &size.coreGbps, &t.Core).
			noPreset("--fabric-gbps").field("Core.Gbps").nullIf(func() bool { return !threeTiers() }).
			usedOnly("with --tiers 3, without --topology", func() bool { return threeTiers() && p.topology == nil }),
		latency,
		Integer("mtu", "bytes of a full packet, including 64 of header", 65, 1<<20, &p.Spec.MTU).seldom().unit("bytes"),
	}
}

// Microseconds returns a reader of times in microseconds, at least one nanosecond.
func Microseconds(most float64) func(text string) ([]float64, error) {
	return func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0.001, Max: most})
	}
}

// fileParameters returns the parameters that name files in place of other parameters.
func (p *Fattree) fileParameters() []Parameter {
	return []Parameter{
		file("topology", "take the tree from a file in htsim's .topo format or ns-3's", readTree, &p.topology).
			in(NetworkGroup).seldom(),
		file("flows", "take the flows from a file in htsim's .cm format or ns-3's", readFlowList, &p.flows).key("flow_list").seldom().
			usedOnly("without --schedule", func() bool { return p.schedule == nil }),
	}
}

// countParameters returns the parameters that choose additional counts.
func (p *Fattree) countParameters() []Parameter {
	groups := word("groups", "rows of flow groups too, such as 'mice: bytes<100kB'",
		groupSpecs, &p.groups).noPreset("").nullIf(func() bool { return p.groups == nil }).of("groups").more(groupGrammar)
	groups.separator = "|" // values contain commas
	return []Parameter{
		name("inside", "count origins of EVs, valid entries, freezing", onOff(), &p.inside).seldom().
			show(func() any { return p.insideText() }).text().
			more("for the columns from valid_share to marked_acks; a run takes about three times as long; on with --groups, and if --columns has one").
			usedOnly("by hosts that record events, not by --profile mrc", func() bool { return p.Profile != profileMRC }).nullUnused(),
		groups,
	}
}

// insideText returns the value of --inside.
func (p *Fattree) insideText() string {
	if len(p.groups) > 0 {
		return "on"
	}
	return p.inside
}

// file is a parameter that names input files, or takes one of some names that stand for no data. Its cell is null
// if none is given.
func file[T any](flag, help string, read func(io.Reader) (T, error), field **input[T], names ...string) Parameter {
	readAll := func(files *inputFiles, text string) ([]*input[T], error) {
		return eachFile(files, text, func(path string) (in *input[T], err error) {
			in = &input[T]{path: path}
			if !slices.Contains(names, path) {
				in.data, err = readInput(files, path, read)
			}
			return in, err
		})
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

// Values of --ack-variant.
const (
	AckStandard = "standard"
	AckCarry    = "carry"
	AckReuse    = "reuse"
)
