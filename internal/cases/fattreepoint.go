package cases

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/largepages"
	"repslab/internal/param"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/sweep"
)

// hosts returns the number of hosts.
func (p *Fattree) hosts() int { return p.Tree.Hosts }

// control returns a congestion control.
func (p *Fattree) control() transport.Control {
	control, err := congestion.New(p.Cc)
	if err != nil {
		panic(err) // the parameter takes names of the list alone
	}
	if nscc, is := control.(*congestion.NSCC); is {
		nscc.Target = p.target
	}
	return control
}

// SpecOf returns the network of a replica, with its flows and places of failures. Its horizon is 0, the default, until
// the point is completed.
func (p *Fattree) SpecOf(seed, replica uint64) (fattree.Spec, error) {
	spec := p.Spec
	var err error
	stream := mc.NewStream(seed, mc.Workload, replica)
	switch {
	case p.schedule != nil:
		spec.Workload = p.job(stream.Source())
	case p.flows != nil:
		spec.Workload, err = p.flowList(replica)
	default:
		spec.Workload, err = p.mix().Workload(stream)
	}
	if err != nil {
		return spec, err
	}
	spec.Workload.BackgroundEvery = p.background
	spec.Faults, spec.Errors, err = p.allPlanes().Place(p.Failure, stream.Child(1).Source())
	return spec, err
}

// resolve returns the plan of a replica's network. Its default horizon is long enough for the steps of a schedule, and
// for the pauses of bursty senders.
func (p *Fattree) resolve(spec fattree.Spec) (*fattree.Plan, error) {
	plan, err := spec.Resolve()
	if err != nil || spec.Horizon > 0 || p.playing == 0 && p.Options.BurstOff == 0 {
		return plan, err
	}
	spec.Horizon = max(plan.Spec().Horizon, p.playing)
	if b := p.burst(); b.off > 0 {
		spec.Horizon += fattree.Picoseconds(float64(spec.Horizon) * b.off / b.on)
	}
	return spec.Resolve()
}

// manyHosts is the number of hosts from which on replicas run one after the other, each with all workers, and
// garbage is collected early, because a network is large.
const manyHosts = 10_000

// bytesOfHost is about twice the memory for a host of a large network in each plane, with its share of the
// switches and with messages up to 1 MiB.
const bytesOfHost = 16 << 10

// Setup returns the setup of the point.
func (p *Fattree) Setup() experiment.Setup {
	if p.hosts() >= manyHosts {
		largepages.CollectEarly() // each replica leaves its network as garbage
		largepages.Take(p.hosts() * p.planes * bytesOfHost)
	}
	return experiment.Setup{Network: p.networks(), Balancer: p.balancer, Control: p.control}
}

// networks returns the networks of replicas: one for all of them, unless flows or places of failures are drawn.
func (p *Fattree) networks() experiment.Networks {
	if p.takes(part.random) || len(p.flows) > 1 || p.schedule != nil && p.placement.Path == randomised || slices.ContainsFunc(p.Failure, topology.Failure.IsDrawn) {
		return p.build
	}
	once := sync.OnceValues(func() (*fattree.Network, error) { return p.build(1, 0) })
	return func(_, _ uint64) (*fattree.Network, error) { return once() }
}

// build returns the network of a replica. Its errors name flags: a replica may lack a flow of --failure, or be cut
// apart by cables that it draws, which the replica that Complete checks is not.
func (p *Fattree) build(seed, replica uint64) (n *fattree.Network, err error) {
	spec, err := p.SpecOf(seed, replica)
	if err == nil {
		n, err = fattree.Build(spec)
	}
	if err != nil {
		return nil, param.Usagef("%w, in replica %d of --seed %d", param.AsFlags(err, FattreeSpace(new(Fattree)).FieldFlag), replica, seed)
	}
	return n, nil
}

// firstFlows returns the flows of replica 0.
func (p *Fattree) firstFlows(seed uint64) (*fattree.Workload, error) {
	spec, err := p.SpecOf(seed, 0)
	return &spec.Workload, param.AsFlags(err, FattreeSpace(new(Fattree)).FieldFlag)
}

// point returns the point of a sweep.
func (p *Fattree) point() sweep.Point {
	type tally = *experiment.Tally
	e := mc.Experiment[tally]{
		NewTally: experiment.Setup{Groups: p.flowGroups()}.NewExperiment().NewTally,
		NewWorker: func(seed uint64) mc.Worker[tally] { // builds the network late, because a sweep has many points
			s := p.Setup()
			s.Groups, s.Inside = p.flowGroups(), p.countsInside()
			return s.NewExperiment().NewWorker(seed)
		},
		Alone: p.hosts() >= manyHosts,
	}
	point := sweep.Estimated(p.String(), nil, e, func(_ context.Context, t tally, _ uint64) (sweep.Results, error) {
		return p.results(t.Summary()), nil
	})
	point.Work = p.hops
	return point
}

// newBalancer returns the load balancer with a name of --lb.
func (p *Fattree) newBalancer(lb string) (transport.Balancer, error) {
	switch lb {
	case BalancerREPS:
		return p.newREPS()
	case lbPerPlane:
		c := p.Recycling
		c.Rules = balance.Paper
		return c.NewPerPlane()
	case lbMRC:
		return p.mrcConfig().New()
	case lbExclude:
		return p.Recycling.NewExcluding(p.exclude)
	case lbKLB, lbKLBAlways:
		return balance.NewKLB(p.Recycling.REPS.EVSSize, p.active, lb == lbKLBAlways)
	case lbHKLB:
		return balance.NewHKLB(p.Recycling.REPS.EVSSize, p.active)
	case lbPathTurns:
		return balance.NewRotation(p.Recycling.REPS.EVSSize, p.start)
	case lbHostTurns:
		return balance.NewSourceRotation(p.Recycling.REPS.EVSSize, p.start)
	case lbOracle:
		paths := p.Tree.UplinksPerToR
		if p.Tree.Tiers == 3 {
			paths *= p.Tree.UplinksPerAgg
		}
		return balance.NewOracle(min(paths, balance.MaxEVS))
	}
	return balance.New(lb, p.Recycling.REPS.EVSSize)
}

// newREPS returns reps with the rules of NICs that its pseudocode does not have.
func (p *Fattree) newREPS() (transport.Balancer, error) {
	b, err := p.Recycling.New()
	if err == nil && p.explore > 0 {
		b, err = balance.NewExploring(b, p.Recycling.REPS.EVSSize, p.explore)
	}
	if err == nil && p.shares {
		b, err = balance.NewShared(b)
	}
	return b, err
}

// mrcConfig returns the configuration of mrc.
func (p *Fattree) mrcConfig() balance.MRCConfig {
	c := p.mrc
	c.MRC.Planes, c.MRC.Values = 1, p.Recycling.REPS.EVSSize
	if p.Spec.Profile == fattree.MRC {
		c.MRC.Planes = p.planes
		c.MRC.Values = min(c.MRC.Values, transport.PlaneEVs(p.planes))
	}
	c.MRC.Skip, c.SkipTime = skipRules()[p.skip.Name], fattree.Picoseconds(p.skip.PS)
	return c
}

// network names the point in warnings that are the same under every balancer, failure and number of EVs, so that
// each is printed once.
func (p *Fattree) network() string {
	return fmt.Sprintf("hosts=%d workload=%s", p.hosts(), p.workload)
}

// String names the point in warnings and progress.
func (p *Fattree) String() string {
	traffic := "workload=" + p.workload
	if p.flows != nil {
		traffic = "flows=" + strings.Join(values.Texts(p.flows), ",")
	}
	return fmt.Sprintf("hosts=%d lb=%s %s failure=%s evs=%d", p.hosts(), p.Lb, traffic, p.Failure, p.Recycling.REPS.EVSSize)
}

// caches reports whether the load balancer is a reps with rings and freezing mode.
func (p *Fattree) caches() bool {
	return p.Lb == lbPerPlane || p.has(BalancerREPS) && p.Recycling.Rules != balance.FIFO
}

// idles reports whether the load balancer has a rule for idle connections.
func (p *Fattree) idles() bool {
	return p.has(BalancerREPS) && p.Recycling.Rules == balance.Paper || p.Lb == lbPerPlane || p.has(lbExclude)
}

// keepsActive reports whether the load balancer keeps sets of active EVs.
func (p *Fattree) keepsActive() bool { return p.has(lbKLB) || p.has(lbKLBAlways) || p.has(lbHKLB) }

// coalesces reports whether the ACK variant has an effect or is the standard one.
func (p *Fattree) coalesces() bool {
	switch p.Variant {
	case AckCarry:
		return p.Options.AckRatio > 1 && p.traits.UsesCarried
	case AckReuse:
		return p.Options.AckRatio > 1 && p.caches()
	}
	return true
}

// takesEVs reports whether the load balancer chooses EVs: all do, except balancers that let switches choose the
// ports.
func (p *Fattree) takesEVs() bool { return !routes(p.main) || p.background > 0 || p.lbOf != nil }

// namesPlanes reports whether the load balancer gives each plane a part of the EVs of its own.
func (p *Fattree) namesPlanes() bool {
	return p.Spec.Profile == fattree.MRC && (p.Lb == lbMRC || p.Lb == lbPerPlane)
}

// takenEVs says which numbers of EVs the load balancer takes.
func (p *Fattree) takenEVs() string {
	if p.namesPlanes() {
		return fmt.Sprintf("at most %d with --lb %s, the EVs of each of %d planes", transport.PlaneEVs(p.planes), p.Lb, p.planes)
	}
	if b, err := balance.New(p.Lb, balance.MaxEVS); err == nil {
		if most := b.Traits().EVs; most > 0 {
			return fmt.Sprintf("a power of two up to %d with --lb %s", most, p.Lb)
		}
	}
	panic("model: --lb " + p.Lb + " changes --evs without a rule of takenEVs")
}

// mayInherit reports whether connections can be inherited, or inheritance is off.
func (p *Fattree) mayInherit() bool {
	if p.queues && (p.schedule == nil || p.Spec.Profile == fattree.MRC) {
		return false
	}
	return !p.inherits() || p.pairsMayRepeat() && p.hasState()
}

// hasState reports whether connections end with another state than they begin with.
func (p *Fattree) hasState() bool {
	_, fixed := p.control().(congestion.None)
	return !fixed || p.queues || p.Options.RequestsForRetransmission || p.traits.Inherit != nil
}

// inherits reports whether a flow begins with what an earlier one knew.
func (p *Fattree) inherits() bool {
	return p.Options.InheritConnections || p.queues
}

// mayShare reports whether connections can share the state of REPS, or do not.
func (p *Fattree) mayShare() bool {
	return p.has(BalancerREPS) && (!p.shares || p.pairsMayRepeat())
}

// pairsMayRepeat reports whether some pair of hosts has several flows, or may have them in a replica with other flows.
func (p *Fattree) pairsMayRepeat() bool { return p.takes(part.timed) || p.pairsRepeat }

// pairsRepeat reports whether some pair of hosts has several flows.
func pairsRepeat(flows []fattree.Flow) bool {
	pairs := map[[2]fattree.Host]bool{}
	for _, f := range flows {
		pairs[[2]fattree.Host{f.Source, f.Destination}] = true
	}
	return len(pairs) < len(flows)
}

// warnings returns warnings about settings that may not mean what the user expects.
func (p *Fattree) warnings() (list []string) {
	warn := func(format string, args ...any) {
		list = append(list, fmt.Sprintf("%s: "+format, append([]any{p.network()}, args...)...))
	}
	files := map[string][]string{} // warnings of the readers, by flag
	if p.topology != nil {
		files["topology"] = p.topology.Data.warnings
	}
	for _, list := range p.flows {
		files["flows"] = append(files["flows"], list.Data.warnings...)
	}
	if p.sizes != nil {
		files["sizes"] = p.sizes.Data.Warnings()
	}
	if p.schedule != nil {
		files["schedule"] = p.schedule.Data.Warnings
	}
	for _, flag := range slices.Sorted(maps.Keys(files)) {
		for _, text := range files[flag] {
			warn("--%s: %s", flag, text)
		}
	}
	bdp := p.Plan.LongestBDP()
	if window := transport.LongestWindow(p.Plan); float64(window) < bdp {
		warn("--window: %d packets are less than the bandwidth-delay product of %.4g: a flow cannot fill its link until its window grows", window, bdp)
	}
	switch p.control().(type) {
	case *congestion.EQDS, *congestion.RCCC: // without windows
	default:
		if most := max(1, transport.SteadyAckRatio(p.Plan)); p.Options.AckRatio > most {
			warn("--ack-ratio: with more than %d packets per ACK a flow alone waits for ACKs, since its window runs empty", most)
		}
	}
	if rounding := p.Plan.Rounding(); rounding > 0.02 {
		warn("a round trip is %.2g %% too long, because links take whole slots of %d ps", 100*rounding, p.Plan.SlotTime())
	}
	if b, is := p.Breakdown(); is {
		warn("--kmax: %v: docs/round-trip.md", b)
	}
	if nodes := p.listedHosts(); nodes > 0 && !p.mapsNodes() && nodes < p.hosts() {
		warn("--flows: its %d nodes are the first of the tree's %d hosts", nodes, p.hosts())
	}
	if p.Spec.Profile == fattree.UltraEthernet && p.planes > 1 {
		warn("--profile %s has windows for one of the %d planes, as uet-htsim: a flow alone does not fill its links", ProfileUET, p.planes)
	}
	return list
}

// results returns the row of a summary.
func (p *Fattree) results(s experiment.Summary) sweep.Results {
	loads := p.offeredLoads(s)
	row := fattreeRow(s, nil, loads[0])
	out := sweep.Results{Work: float64(s.TotalHops), Rows: [][]any{row.Values()}, Warnings: p.warnings()}
	out.Warnings = append(out.Warnings, wideIntervals(p.String(), row, s.Spread)...)
	for i, g := range p.flowGroups() {
		load := noEstimate()
		if len(p.parts) > 1 && i < len(p.parts) {
			load = loads[1+i]
		}
		out.Rows[0] = fattreeRow(s, allFlows, loads[0]).Values()
		row := fattreeRow(s.Groups[i], g.Name, load)
		out.Rows = append(out.Rows, row.Values())
		out.Warnings = append(out.Warnings, wideIntervals(p.String()+" group="+g.Name, row, s.Groups[i].Spread)...)
		if s.Groups[i].Of("flows").Value == 0 {
			out.Warnings = append(out.Warnings, fmt.Sprintf("no flow is in %s: %s", g.Name, p))
		}
	}
	out.Warnings = append(out.Warnings, p.loadWarnings(loads)...)
	if s.Unfinished > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf(
			"%s: flows were left unfinished after %.4g ms (--horizon-us) in %d of %d replicas; completion times are lower bounds",
			p, float64(p.Spec.Horizon)/1e9, s.Unfinished, s.Replicas))
	}
	for _, f := range p.Failure {
		if end := s.Of("end_us").Value; float64(f.Start)/1e6 >= end {
			out.Warnings = append(out.Warnings, fmt.Sprintf(
				"--failure: %q begins after the last flow, which ends after %.4g us on average: %s", f, end, p))
		}
	}
	return out
}
