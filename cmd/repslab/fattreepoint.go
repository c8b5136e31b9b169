package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/sweep"
)

// complete applies defaults, takes the contents of files, and checks the point.
func (p *fattreePoint) complete() error {
	switch {
	case p.schedule != nil:
		p.workload = scheduleFile
	case p.flows != nil:
		p.workload = flowList
	case p.sizes != nil:
		p.workload = sizesFile
	}
	p.kind = workloadNamed(p.workload)
	if err := p.completeTree(); err != nil {
		return err
	}
	if p.flows != nil && !p.mapsNodes() && p.flows.data.hosts > p.hosts() {
		return usagef("--flows: its %d hosts must be at most the %d of the tree: give --hosts, --radix or --topology for more", p.flows.data.hosts, p.hosts())
	}
	if p.routing == exactRouting && p.tree.Tiers != 2 {
		return usagef("--ev-routing exact: must come with 2 tiers, not %d", p.tree.Tiers)
	}
	if p.trimming == trimmingSleek && p.profile != profileUET {
		return usagef("--trimming sleek: must come with --profile %s", profileUET)
	}
	p.completeWorkload()
	if p.schedule != nil {
		if err := p.completeSchedule(); err != nil {
			return err
		}
	}
	p.completeSpec()
	if err := p.completeBalancer(); err != nil {
		return err
	}
	var err error
	if p.spec, err = p.specOf(1, 0); err != nil {
		return err
	}
	if err := cmp.Or(p.checkSteps(), p.spec.Validate(), p.checkTimes()); err != nil || len(p.failure) == 0 {
		return err
	}
	_, err = fattree.Build(p.spec)
	return err
}

// checkTimes refuses a time-out that ends before any ACK can arrive, and failures that never begin.
func (p *fattreePoint) checkTimes() error {
	const us = 1_000_000
	if rtt := p.spec.LongestRTT(); p.rtoUs > 0 && p.spec.RTO < rtt {
		return usagef("--rto-us: %v must be at least %v, a round trip without queues", p.rtoUs, math.Ceil(float64(rtt)/1000)/1000)
	}
	for _, f := range p.failure {
		if f.Start >= p.spec.Horizon {
			return usagef("--failure: %q must begin before %v us, when a run ends", f, float64(p.spec.Horizon)/us)
		}
	}
	return nil
}

// completeSpec applies the defaults of the network.
func (p *fattreePoint) completeSpec() {
	switch p.profile {
	case profileUET:
		p.spec.Transport = fattree.UltraEthernet
	case profileMRC:
		p.spec.Transport = fattree.MRC
	}
	if p.ackBytes > 0 {
		p.spec.AckRatio = fattree.AckRatioOf(p.ackBytes, p.spec.MTU)
	}
	p.spec.CarryEVs = p.variant == ackCarry
	p.spec.InheritConnections, p.spec.DisableTrimming = p.inherit == "on", p.trimming != "on"
	p.spec.Sleek = p.trimming == trimmingSleek
	if p.spec.Choose = nil; p.routing == exactRouting {
		p.spec.Choose = topology.ExactPath
	}
	const us = 1_000_000
	p.spec.Queue, p.spec.InitialWindow, p.spec.RTO = p.queue, p.window, fattree.Picoseconds(math.Round(p.rtoUs*us))
	p.spec = p.spec.WithDefaults()
	p.spec.Horizon = fattree.Picoseconds(math.Round(p.horizonUs * us)) // specOf adds the flows, on which the default depends
	if p.kmin != nil {
		p.spec.KMin = *p.kmin
	}
	if p.kmax != nil {
		p.spec.KMax = *p.kmax
	}
}

// completeWorkload applies the workload's defaults and clears parameters it does not use.
func (p *fattreePoint) completeWorkload() {
	if p.message == 0 || p.kind.message == 0 {
		p.message = p.kind.message
	}
	switch {
	case p.kind.degree == nil:
		p.degree = 0
	case p.degree == 0:
		p.degree = p.kind.degree(p.hosts())
	}
}

// completeBalancer completes the configuration of the load balancer and checks that it
// works with the congestion control.
func (p *fattreePoint) completeBalancer() error {
	config := &p.recycling.REPS
	config.FreezingTimeout = uint32(p.freezeUs) * 1000
	config.DisableFreezing = p.freezing.text == "off"
	p.recycling.FreezeAt = fattree.Picoseconds(p.freezing.at) * 1_000_000
	if p.variant == ackReuse {
		config.ReuseCount = p.spec.AckRatio
	}
	var err error
	if p.main, err = p.mainBalancer(); err != nil {
		return err
	}
	if fewer, ok := p.main.(interface{ EVs() int }); ok {
		config.EVSSize = fewer.EVs()
	}
	if err := p.checkMRC(); err != nil {
		return err
	}
	if _, memoryless := p.control().(transport.Memoryless); p.lb == lbSubflows && !memoryless {
		return usagef("--cc: %s must be dctcp or none with --lb %s, whose subflows have a window each",
			p.cc, lbSubflows)
	}
	return nil
}

// checkMRC refuses what the hosts of the profile MRC do not have.
func (p *fattreePoint) checkMRC() error {
	_, grants := p.control().(transport.Granter)
	refuse := func(wrong bool, flag string, value any) error {
		if !wrong {
			return nil
		}
		return usagef("--%s: %v must come without --profile %s", flag, value, profileMRC)
	}
	if p.profile != profileMRC {
		return nil
	}
	return cmp.Or(
		refuse(grants, "cc", p.cc),
		refuse(p.lb == lbSubflows, "lb", p.lb),
		refuse(p.background > 0, "background-every", p.background),
		refuse(p.variant == ackCarry, "ack-variant", p.variant),
	)
}

// hosts returns the number of hosts.
func (p *fattreePoint) hosts() int { return p.tree.Hosts }

// sent returns the message that flows send.
func (p *fattreePoint) sent() traffic.Message { return traffic.Message{Bytes: p.message} }

// control returns a congestion control.
func (p *fattreePoint) control() transport.Control {
	known := congestion.All()
	control := known[slices.IndexFunc(known, func(c congestion.Named) bool { return c.Name == p.cc })].New()
	if nscc, is := control.(*congestion.NSCC); is {
		nscc.Target = fattree.Picoseconds(math.Round(p.targetUs * 1e6))
	}
	return control
}

// arriving returns flows of drawn sizes.
func (p *fattreePoint) arriving(source rand.Source) (fattree.Workload, error) {
	t := p.tree
	a := traffic.Arrivals{
		Hosts: t.Hosts, HostsPerToR: t.HostsPerToR, Sizes: p.kind.sizes(p), Load: p.load, Gbps: t.Access.Gbps,
		Duration: fattree.Picoseconds(p.duration) * 1_000_000,
	}
	if p.arrivals == poisson {
		return traffic.Poisson(a, source)
	}
	return traffic.Paced(a, source)
}

// specOf returns the network of a replica.
func (p *fattreePoint) specOf(seed, replica uint64) (fattree.Spec, error) {
	spec := p.spec
	var err error
	stream := mc.NewStream(seed, mc.Workload, replica)
	if spec.Workload, err = p.kind.flows(p, stream.Source()); err != nil {
		return spec, err
	}
	spec.Workload.BackgroundEvery = p.background
	places := stream.Child(1).Source()
	if planes, several := spec.Topology.(topology.Planes); several {
		spec.Faults, spec.Errors, err = planes.Place(p.failure, places)
	} else {
		spec.Faults, spec.Errors, err = topology.Place(p.tree, p.failure, places)
	}
	if err != nil || spec.Horizon > 0 {
		return spec, err
	}
	spec = spec.WithDefaults()
	spec.Horizon = max(spec.Horizon, p.playing)
	return spec, nil
}

// manyHosts is the number of hosts from which replicas run one after the other, each with all workers,
// and garbage is collected early, as a network is large.
const manyHosts = 10_000

// bytesOfHost is about twice what a host of a large network takes in each plane with messages up to 1 MiB, its share of
// the switches included.
const bytesOfHost = 16 << 10

// setup returns the setup of the point.
func (p *fattreePoint) setup() experiment.Setup {
	if p.hosts() >= manyHosts && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(25) // each replica leaves its network as garbage to the next
	}
	if p.hosts() >= manyHosts {
		takeLargePages(p.hosts() * p.planes * bytesOfHost)
	}
	network := experiment.Fixed(p.spec)
	if p.kind.random || p.schedule != nil && p.placement.path == randomised || slices.ContainsFunc(p.failure, topology.Failure.IsDrawn) {
		network = experiment.Varied(p.specOf)
	}
	return experiment.Setup{Network: network, Balancer: p.balancer, Control: p.control}
}

// point returns the point of a sweep.
func (p *fattreePoint) point() sweep.Point {
	type tally = *experiment.Tally
	e := mc.Experiment[tally]{
		NewTally: experiment.Setup{}.NewExperiment().NewTally,
		NewWorker: func(seed uint64) mc.Worker[tally] { // builds the network: a sweep has many points
			return p.setup().NewExperiment().NewWorker(seed)
		},
		Alone: p.hosts() >= manyHosts,
	}
	return sweep.Estimated(p.String(), nil, e, func(_ context.Context, t tally, _ uint64) (sweep.Results, error) {
		return p.results(t.Summary()), nil
	})
}

// mainBalancer returns the load balancer, that of background traffic apart.
func (p *fattreePoint) mainBalancer() (transport.Balancer, error) {
	switch p.lb {
	case lbREPS:
		return p.recycling.New()
	case lbPerPlane:
		c := p.recycling
		c.Rules = balance.Paper
		return c.NewPerPlane()
	case lbMRC:
		return p.mrcConfig().New()
	}
	return balance.New(p.lb, p.recycling.REPS.EVSSize)
}

// mrcConfig returns the configuration of mrc.
func (p *fattreePoint) mrcConfig() balance.MRCConfig {
	c := p.mrc
	c.MRC.Planes, c.MRC.Values = 1, p.recycling.REPS.EVSSize
	if p.profile == profileMRC {
		c.MRC.Planes = p.planes
		c.MRC.Values = min(c.MRC.Values, transport.PlaneEVs(p.planes))
	}
	c.ProbePeriod = fattree.Picoseconds(p.probeUs) * 1_000_000
	c.MRC.Skip, c.SkipTime = p.skip.rule, fattree.Picoseconds(p.skip.us)*1_000_000
	return c
}

// balancer returns the load balancer of all flows, background traffic included.
func (p *fattreePoint) balancer() (transport.Balancer, error) {
	main, err := p.mainBalancer()
	if err != nil || p.background == 0 {
		return main, err
	}
	background, err := balance.NewECMP(p.recycling.REPS.EVSSize)
	return balance.NewMixed(main, background), err
}

// String names the point in warnings and progress.
func (p *fattreePoint) String() string {
	return fmt.Sprintf("hosts=%d lb=%s workload=%s failure=%s evs=%d",
		p.hosts(), p.lb, p.workload, p.failure, p.recycling.REPS.EVSSize)
}

// caches reports whether the load balancer is a reps with rings and freezing mode.
func (p *fattreePoint) caches() bool {
	return p.lb == lbPerPlane || p.lb == lbREPS && p.recycling.Rules != balance.FIFO
}

// coalesces reports whether the ACK variant has an effect or is the standard one.
func (p *fattreePoint) coalesces() bool {
	switch p.variant {
	case ackCarry:
		return p.spec.AckRatio > 1 && transport.UsesCarried(p.main)
	case ackReuse:
		return p.spec.AckRatio > 1 && p.caches()
	}
	return true
}

// takesEVs reports whether a load balancer chooses EVs: all do but those whose switches
// choose the ports.
func (p *fattreePoint) takesEVs() bool { return !routes(p.main) || p.background > 0 }

// mayInherit reports whether connections can be inherited, or are not to be.
func (p *fattreePoint) mayInherit() bool {
	if !p.spec.InheritConnections || p.kind.sizes != nil {
		return true
	}
	pairs := map[[2]fattree.Host]bool{}
	for _, f := range p.spec.Workload.Flows {
		pairs[[2]fattree.Host{f.Source, f.Destination}] = true
	}
	return len(pairs) < len(p.spec.Workload.Flows)
}

// offeredLoad returns the bytes of flows of drawn sizes as a fraction of what the links of all hosts carry while they
// start, or nil.
func (p *fattreePoint) offeredLoad(s experiment.Summary) any {
	if p.kind.sizes == nil {
		return nil
	}
	perHost := s.Bytes.Value / float64(p.hosts())
	return perHost * 8 / (float64(p.duration) * 1000 * p.tree.Access.Gbps)
}

// fattreeRow returns the results of a row: times with their intervals or, of unfinished runs, their bounds.
func fattreeRow(s experiment.Summary, offeredLoad any) []member {
	const microseconds = 1e6
	estimate := func(key string, e mc.Estimate, units float64) []member {
		e = e.Per(units)
		return []member{{key, e.Value}, {key + "_lo", e.Lo}, {key + "_hi", e.Hi}}
	}
	withError := func(key string, e mc.Estimate) []member {
		return slices.Insert(estimate(key, e, microseconds), 1, member{key + "_se", e.Per(microseconds).StdErr})
	}
	return slices.Concat(
		withError("max_fct_us", s.MaxFCT), withError("mean_fct_us", s.MeanFCT),
		estimate("p99_fct_us", s.P99FCT, microseconds), estimate("p999_fct_us", s.P999FCT, microseconds),
		estimate("slowdown_p99", s.SlowdownP99, 1), estimate("end_us", s.End, microseconds),
		[]member{ // known of unfinished runs too
			{"flows", s.Flows.Value},
			{"finished", s.Finished.Value},
			{"finished_runs", float64(s.Replicas-s.Unfinished) / float64(s.Replicas)},
			{"sent", s.Sent.Value},
			{"retransmitted", s.Retransmitted.Value},
			{"dropped", s.Dropped.Value},
			{"trimmed", s.Trimmed.Value},
			{"lost", s.Lost.Value},
			{"corrupted", s.Corrupted.Value},
			{"ecn_marked_fraction", s.Marked.Value / s.PacketHops.Value},
			{"recycled_fraction", s.Recycled.Value / s.Sent.Value},
			{"reorder_depth_p99", s.ReorderP99.Value},
			{"reroute_us", s.Reroute.Per(microseconds).Value},
			{"max_queue_packets", s.MaxQueue.Value},
			{"packet_hops", s.PacketHops.Value},
			{"offered_load", offeredLoad},
		},
		estimate("background_max_fct_us", s.BackgroundMaxFCT, microseconds),
		estimate("background_mean_fct_us", s.BackgroundMeanFCT, microseconds),
		withError("step_us", s.StepTime), estimate("step_p99_us", s.StepP99, microseconds), estimate("network_wait", s.StepWaiting, 1),
		[]member{{"late_rank", rankCell(s.LateRank)}, {"late_source", rankCell(s.LateLink[0])}, {"late_destination", rankCell(s.LateLink[1])}})
}

// warnings returns what of the network may not be what the user expects.
func (p *fattreePoint) warnings() (list []string) {
	warn := func(format string, args ...any) {
		list = append(list, fmt.Sprintf("%s: "+format, append([]any{p}, args...)...))
	}
	if p.schedule != nil {
		for _, w := range p.schedule.data.Warnings {
			warn("--schedule: %s", w)
		}
	}
	bdp := p.spec.LongestBDP()
	if p.window > 0 && float64(p.window) < bdp {
		warn("--window: %d packets are less than the bandwidth-delay product of %.4g: a flow cannot fill its link until its window grows", p.window, bdp)
	}
	switch p.control().(type) {
	case *congestion.EQDS, *congestion.RCCC: // without windows
	default:
		if most := max(1, p.spec.SteadyAckRatio()); p.spec.AckRatio > most {
			warn("--ack-ratio: with more than %d packets per ACK a flow alone waits for ACKs, since its window runs empty", most)
		}
	}
	if rounding := p.spec.Rounding(); rounding > 0.02 {
		warn("a round trip is %.2g %% too long, because links take whole slots of %d ps", 100*rounding, p.spec.SlotTime())
	}
	if p.flows != nil && !p.mapsNodes() && p.flows.data.hosts < p.hosts() {
		warn("--flows: its %d nodes are the first of the tree's %d hosts", p.flows.data.hosts, p.hosts())
	}
	if p.profile == profileUET && p.planes > 1 {
		warn("--profile %s has windows for one of the %d planes, as uet-htsim: a flow alone does not fill its links", p.profile, p.planes)
	}
	return list
}

// results returns the row of a summary.
func (p *fattreePoint) results(s experiment.Summary) sweep.Results {
	offered := p.offeredLoad(s)
	out := sweep.Results{Work: float64(s.TotalHops), Rows: [][]any{cellsOf(fattreeRow(s, offered))}, Warnings: p.warnings()}
	if load, drawn := offered.(float64); drawn && math.Abs(load/p.load-1) > 0.1 {
		reason := "every host starts a flow at once"
		if p.arrivals == poisson {
			reason = "flows are few"
		}
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s: --load %v offers %.2g in --duration-us %d, as %s: a longer time comes closer",
			p, p.load, load, p.duration, reason))
	}
	if s.Unfinished > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"%s: flows were left unfinished after %.4g ms (--horizon-us) in %d of %d replicas; completion times are lower bounds",
			p, float64(p.spec.Horizon)/1e9, s.Unfinished, s.Replicas))
	}
	for _, f := range p.failure {
		if end := s.End.Per(1e6).Value; float64(f.Start)/1e6 >= end {
			out.Warnings = append(out.Warnings, fmt.Sprintf(
				"--failure: %q begins after the last flow, which ends after %.4g us on average: %s", f, end, p))
		}
	}
	return out
}
