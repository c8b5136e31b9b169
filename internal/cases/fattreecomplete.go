package cases

import (
	"cmp"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/param"
	"repslab/reps"
)

// Complete applies defaults, takes over the contents of files, and checks the point.
func (p *Fattree) Complete() error {
	parts, err := parseParts(p.workload)
	switch {
	case err != nil:
		return err
	case p.schedule != nil:
		p.workload, parts = scheduleFile, []part{{kind: workloadNamed(scheduleFile)}}
	case p.flows != nil:
		p.workload, parts = flowList, []part{{kind: workloadNamed(flowList)}}
	case p.sizes != nil && !slices.ContainsFunc(parts, part.namesSizes):
		p.workload, parts = sizesFile, []part{{kind: workloadNamed(sizesFile)}}
	case p.sizes == nil && slices.ContainsFunc(parts, part.namesSizes):
		return param.Usagef("--workload: %s must come with --sizes, whose file has the flows", p.workload)
	case slices.Contains([]string{scheduleFile, flowList}, p.workload):
		return param.Usagef("--workload: %s must come with --%s, whose file has the flows", p.workload, p.workload)
	}
	p.parts = parts
	if err := p.completeTree(); err != nil {
		return err
	}
	if listed := p.listedHosts(); !p.mapsNodes() && listed > p.hosts() {
		return param.Usagef("--flows: its %d hosts must be at most the %d of the tree: give --hosts, --radix or --topology for more", listed, p.hosts())
	}
	if err := p.checkShares(); err != nil {
		return err
	}
	if p.Options.Sleek && p.Spec.Profile != fattree.UltraEthernet {
		return param.Usagef("--trimming sleek: must come with --profile %s", ProfileUET)
	}
	if err := p.checkReroutes(); err != nil {
		return err
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

// hopsOf returns the hops of the packets of a workload, if none is sent again.
func (p *Fattree) hopsOf(w fattree.Workload) (hops float64) {
	for _, f := range w.Flows {
		hops += float64(p.Spec.Packets(f.Bytes)) * float64(2*p.Tree.Climb(f.Source, f.Destination)+1)
	}
	return hops
}

// checkFlows checks the point with flows of any seed, since a point is made before the seed of its runs is known, and
// with all flow lists. It keeps the horizon, but neither the flows nor places of failures: other seeds have others.
func (p *Fattree) checkFlows() error {
	if err := cmp.Or(p.checkSteps(), p.checkGroupNames(), p.checkGroups("groups", p.groups), p.completeLbOf()); err != nil {
		return err
	}
	horizon := fattree.Picoseconds(0)
	p.hops, p.pairsRepeat = 0, false
	var plans []*fattree.Plan
	for replica := range max(1, len(p.flows)) {
		spec, err := p.SpecOf(1, uint64(replica))
		if err == nil {
			err = p.checkConnections(spec.Workload)
		}
		if err != nil {
			return err
		}
		plan, err := p.resolve(spec)
		if err != nil {
			return err
		}
		horizon = max(horizon, plan.Spec().Horizon)
		p.hops += p.hopsOf(spec.Workload) / float64(max(1, len(p.flows)))
		p.pairsRepeat = p.pairsRepeat || (p.inherits() || p.shares) && pairsRepeat(spec.Workload.Flows)
		if p.takes(part.timed) { // each replica has another number of flows, so build refuses missing ones
			spec.Faults = slices.DeleteFunc(spec.Faults, func(f fattree.Fault) bool { return len(f.Ports) == 0 })
			if plan, err = spec.Resolve(); err != nil {
				return err
			}
		}
		plans = append(plans, plan)
	}
	p.Spec.Horizon = horizon
	if err := p.checkTimes(); err != nil || len(p.Failure) == 0 {
		return err
	}
	for _, plan := range plans {
		if _, err := plan.Build(); err != nil {
			return err
		}
	}
	return nil
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

// completeWorkload clears parameters that no part uses, and applies the defaults of a part alone: several have their
// own.
func (p *Fattree) completeWorkload() {
	kind := p.parts[0].kind
	switch {
	case !p.takes(part.takesMessage):
		p.Message = 0
	case p.Message == 0 && len(p.parts) == 1:
		p.Message = kind.message
	}
	switch {
	case !p.takes(part.takesDegree):
		p.degree = 0
	case p.degree == 0 && len(p.parts) == 1:
		p.degree = kind.degree(p.hostsOf(p.parts[0]))
	}
}

// completeBalancer completes the configuration of the load balancer, and checks that it works with the congestion
// control.
func (p *Fattree) completeBalancer() error {
	config := &p.Recycling.REPS
	config.DisableFreezing, p.Recycling.FreezeAt = p.freezing.Name == "off", fattree.Picoseconds(p.freezing.PS)
	if config.DisableFreezing { // and --freeze-cache has no effect
		config.FrozenCache = reps.CacheAll
	}
	if p.idles() {
		p.Recycling.Idle = p.idle
	}
	if p.Variant == AckReuse {
		config.ReuseCount = p.Options.AckRatio
	}
	var err error
	if p.main, err = p.newBalancer(p.Lb); err != nil {
		return err
	}
	all, err := p.balancer()
	if err != nil {
		return err
	}
	p.traits = all.Traits()
	config.EVSSize = cmp.Or(p.main.Traits().EVs, config.EVSSize)
	if p.namesPlanes() {
		config.EVSSize = min(config.EVSSize, transport.PlaneEVs(p.planes))
	}
	if err := cmp.Or(p.checkMRC(), p.checkLbOf()); err != nil {
		return err
	}
	switch {
	case p.has(lbExclude) && p.Spec.Profile == fattree.UltraEthernet:
		return param.Usagef("--lb: %s must come without --profile %s, by which a time-out does not tell the EV", lbExclude, ProfileUET)
	case p.Lb == lbOracle && p.planes > 1:
		return param.Usagef("--lb: %s must come without --planes, whose links it does not choose", p.Lb)
	}
	if p.has(lbSubflows) && !p.control().Traits().Memoryless {
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
		refuse(p.lbOf != nil, "lb-of", p.lbOf),
		refuse(p.background > 0, "background-every", p.background),
		refuse(p.Variant == AckCarry, "ack-variant", p.Variant),
	)
}
