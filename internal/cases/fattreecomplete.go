package cases

import (
	"cmp"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/param"
)

// Complete applies defaults, takes over the contents of files, and checks the point.
func (p *Fattree) Complete() error {
	switch {
	case p.schedule != nil:
		p.workload = scheduleFile
	case p.flows != nil:
		p.workload = flowList
	case p.sizes != nil:
		p.workload = sizesFile
	case slices.Contains([]string{scheduleFile, flowList, sizesFile}, p.workload):
		return param.Usagef("--workload: %s must come with --%s, whose file has the flows", p.workload, p.workload)
	}
	p.kind = workloadNamed(p.workload)
	if err := p.completeTree(); err != nil {
		return err
	}
	if p.flows != nil && !p.mapsNodes() && p.flows.Data.hosts > p.hosts() {
		return param.Usagef("--flows: its %d hosts must be at most the %d of the tree: give --hosts, --radix or --topology for more", p.flows.Data.hosts, p.hosts())
	}
	if p.Options.Sleek && p.Spec.Profile != fattree.UltraEthernet {
		return param.Usagef("--trimming sleek: must come with --profile %s", ProfileUET)
	}
	p.completeFailures()
	p.completeWorkload()
	if p.schedule != nil {
		if err := p.completeSchedule(); err != nil {
			return err
		}
	}
	if err := p.completeSpec(); err != nil {
		return err
	}
	if err := p.completeBalancer(); err != nil {
		return err
	}
	return p.checkFlows()
}

// checkFlows checks the point with flows of any seed, since a point is made before the seed of its runs is known.
// It keeps the horizon, but neither the flows nor places of failures: other seeds have others.
func (p *Fattree) checkFlows() error {
	spec, err := p.SpecOf(1, 0)
	if err := cmp.Or(err, p.checkSteps(), p.checkGroups()); err != nil {
		return err
	}
	plan, err := p.resolve(spec)
	if err != nil {
		return err
	}
	p.Spec.Horizon = plan.Spec().Horizon
	p.hops = 0
	for _, f := range spec.Workload.Flows {
		p.hops += float64(p.Spec.Packets(f.Bytes)) * float64(2*p.Tree.Climb(f.Source, f.Destination)+1)
	}
	p.pairsRepeat = p.Options.InheritConnections && pairsRepeat(spec.Workload.Flows)
	if err := p.checkTimes(); err != nil || len(p.Failure) == 0 {
		return err
	}
	if p.kind.sizes != nil { // each replica has another number of flows, so build refuses missing ones
		spec.Faults = slices.DeleteFunc(spec.Faults, func(f fattree.Fault) bool { return len(f.Ports) == 0 })
		if plan, err = spec.Resolve(); err != nil {
			return err
		}
	}
	_, err = plan.Build()
	return err
}

// completeFailures sets the seed of failures in random places to --failure-seed, if they have no seed.
func (p *Fattree) completeFailures() {
	p.Failure = slices.Clone(p.Failure) // points share the list
	for i := range p.Failure {
		if f := &p.Failure[i]; f.IsDrawn() {
			f.Seed = p.failureSeed
		}
	}
}

// checkTimes returns an error for a time-out that ends before any ACK can arrive, or for failures that never
// begin.
func (p *Fattree) checkTimes() error {
	if rtt := p.Plan.LongestRTT(); p.Options.RTO < rtt {
		return param.Usagef("--rto-us: %v must be at least %v, a round trip without queues", float64(p.Options.RTO)/us, math.Ceil(float64(rtt)/1000)/1000)
	}
	for _, f := range p.Failure {
		if f.Start >= p.Spec.Horizon {
			return param.Usagef("--failure: %q must begin before %v us, when a run ends", f, float64(p.Spec.Horizon)/us)
		}
	}
	return nil
}

// completeSpec resolves the network and its hosts, without flows and faults. Of the thresholds of marks a default may
// accompany one that is given.
func (p *Fattree) completeSpec() (err error) {
	s, o, horizon := &p.Spec, &p.Options, p.Spec.Horizon
	if s.ChooseByTier = true; p.exact || p.Lb == lbOracle {
		s.Choose = topology.ExactPath
	}
	s.HashAnswers = s.HashAnswers && p.Lb != lbOracle
	if p.ackBytes > 0 {
		o.AckRatio = transport.AckRatioOf(p.ackBytes, s.MTU)
	}
	o.CarryEVs = p.Variant == AckCarry
	s.Options = *o
	if p.Plan, err = s.Resolve(); err != nil {
		return err
	}
	if *s = p.Plan.Spec(); p.KMin != nil || p.KMax != nil {
		s.KMin, s.KMax = *cmp.Or(p.KMin, &s.KMin), *cmp.Or(p.KMax, &s.KMax)
		if p.Plan, err = s.Resolve(); err != nil {
			return err
		}
	}
	*o = transport.OptionsOf(p.Plan)
	s.Options, s.Horizon = *o, horizon // the default horizon depends on the flows, which SpecOf adds
	return nil
}

// completeWorkload applies the workload's defaults and clears parameters it does not use.
func (p *Fattree) completeWorkload() {
	if p.Message == 0 || p.kind.message == 0 {
		p.Message = p.kind.message
	}
	switch {
	case p.kind.degree == nil:
		p.degree = 0
	case p.degree == 0:
		p.degree = p.kind.degree(p.hosts())
	}
}

// completeBalancer completes the configuration of the load balancer, and checks that it works with the congestion
// control.
func (p *Fattree) completeBalancer() error {
	config := &p.Recycling.REPS
	config.DisableFreezing, p.Recycling.FreezeAt = p.freezing.Name == "off", fattree.Picoseconds(p.freezing.PS)
	if p.idles() {
		p.Recycling.Idle = p.idle
	}
	if p.Variant == AckReuse {
		config.ReuseCount = p.Options.AckRatio
	}
	var err error
	if p.main, err = p.mainBalancer(); err != nil {
		return err
	}
	config.EVSSize = cmp.Or(p.main.Traits().EVs, config.EVSSize)
	if p.namesPlanes() {
		config.EVSSize = min(config.EVSSize, transport.PlaneEVs(p.planes))
	}
	if err := p.checkMRC(); err != nil {
		return err
	}
	switch {
	case p.Lb == lbExclude && p.Spec.Profile == fattree.UltraEthernet:
		return param.Usagef("--lb: %s must come without --profile %s, by which a time-out does not tell the EV", p.Lb, ProfileUET)
	case p.Lb == lbOracle && p.planes > 1:
		return param.Usagef("--lb: %s must come without --planes, whose links it does not choose", p.Lb)
	}
	if p.Lb == lbSubflows && !p.control().Traits().Memoryless {
		return param.Usagef("--cc: %s must be dctcp or none with --lb %s, whose subflows have a window each",
			p.Cc, lbSubflows)
	}
	return nil
}

// checkMRC returns an error for options that the hosts of the profile MRC do not have.
func (p *Fattree) checkMRC() error {
	_, grants := p.control().(transport.Granter)
	refuse := func(wrong bool, flag string, value any) error {
		if !wrong {
			return nil
		}
		return param.Usagef("--%s: %v must come without --profile %s", flag, value, profileMRC)
	}
	if p.Spec.Profile != fattree.MRC {
		return nil
	}
	return cmp.Or(
		refuse(grants, "cc", p.Cc),
		refuse(p.Lb == lbSubflows, "lb", p.Lb),
		refuse(p.background > 0, "background-every", p.background),
		refuse(p.Variant == AckCarry, "ack-variant", p.Variant),
	)
}
