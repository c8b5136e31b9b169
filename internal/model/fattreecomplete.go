package model

import (
	"cmp"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/console"
)

// us is a microsecond in picoseconds.
const us = 1_000_000

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
		return console.Usagef("--workload: %s must come with --%s, whose file has the flows", p.workload, p.workload)
	}
	p.kind = workloadNamed(p.workload)
	if err := p.completeTree(); err != nil {
		return err
	}
	if p.flows != nil && !p.mapsNodes() && p.flows.data.hosts > p.hosts() {
		return console.Usagef("--flows: its %d hosts must be at most the %d of the tree: give --hosts, --radix or --topology for more", p.flows.data.hosts, p.hosts())
	}
	if p.trimming == trimmingSleek && p.Profile != ProfileUET {
		return console.Usagef("--trimming sleek: must come with --profile %s", ProfileUET)
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
	p.pairsRepeat = p.inherit == "on" && pairsRepeat(spec.Workload.Flows)
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
	if rtt := p.Plan.LongestRTT(); p.RtoUs > 0 && p.Options.RTO < rtt {
		return console.Usagef("--rto-us: %v must be at least %v, a round trip without queues", p.RtoUs, math.Ceil(float64(rtt)/1000)/1000)
	}
	for _, f := range p.Failure {
		if f.Start >= p.Spec.Horizon {
			return console.Usagef("--failure: %q must begin before %v us, when a run ends", f, float64(p.Spec.Horizon)/us)
		}
	}
	return nil
}

// completeSpec resolves the network and its hosts, without flows and faults. Of the thresholds of marks a default may
// accompany one that is given.
func (p *Fattree) completeSpec() (err error) {
	switch p.Profile {
	case ProfileUET:
		p.Spec.Profile = fattree.UltraEthernet
	case profileMRC:
		p.Spec.Profile = fattree.MRC
	}
	p.Spec.DisableTrimming = p.trimming != "on"
	p.Spec.RetransmissionsFirst = p.resend == resentFirst
	if p.Spec.Choose, p.Spec.ChooseByTier = nil, true; p.evRouting() == exactRouting {
		p.Spec.Choose = topology.ExactPath
	}
	p.Spec.HashAnswers = p.acks == hashRouting && p.Lb != lbOracle
	p.Spec.LastHopMarks = lastHopMarks()[p.lastHop]
	p.Spec.Queue = p.queue
	horizon := fattree.Picoseconds(math.Round(p.horizonUs * us))
	p.Spec.Horizon = horizon
	p.completeOptions()
	if p.Plan, err = p.Spec.Resolve(); err != nil {
		return err
	}
	if p.Spec = p.Plan.Spec(); p.KMin != nil || p.KMax != nil {
		p.Spec.KMin, p.Spec.KMax = *cmp.Or(p.KMin, &p.Spec.KMin), *cmp.Or(p.KMax, &p.Spec.KMax)
		if p.Plan, err = p.Spec.Resolve(); err != nil {
			return err
		}
	}
	p.Options = transport.OptionsOf(p.Plan)
	p.Spec.Options = p.Options
	p.Spec.Horizon = horizon // the default depends on the flows, which SpecOf adds
	return nil
}

// completeOptions sets the options of the hosts.
func (p *Fattree) completeOptions() {
	o := &p.Options
	if p.ackBytes > 0 {
		o.AckRatio = transport.AckRatioOf(p.ackBytes, p.Spec.MTU)
	}
	o.InitialWindow, o.RTO = p.window, fattree.Picoseconds(math.Round(p.RtoUs*us))
	o.BurstOn, o.BurstOff = p.burst.picoseconds()
	o.CarryEVs, o.InheritConnections = p.Variant == AckCarry, p.inherit == "on"
	o.Sleek, o.ConnectionTimer = p.trimming == trimmingSleek, p.timer == perConnection
	o.RequestsForRetransmission = p.slips == slipRequests || p.slips == bothSlips
	o.DoubleTurns = p.slips == slipTurns || p.slips == bothSlips
	p.Spec.Options = *o
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
	config.FreezingTimeout = uint32(p.freezeUs) * 1000
	config.DisableFreezing = p.freezing.text == "off"
	p.Recycling.FreezeAt = fattree.Picoseconds(p.freezing.at) * 1_000_000
	if p.idles() {
		p.Recycling.Idle = fattree.Picoseconds(p.idleUs) * fattree.Microsecond
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
	case p.Lb == lbExclude && p.Profile == ProfileUET:
		return console.Usagef("--lb: %s must come without --profile %s, by which a time-out does not tell the EV", p.Lb, p.Profile)
	case p.Lb == lbOracle && p.planes > 1:
		return console.Usagef("--lb: %s must come without --planes, whose links it does not choose", p.Lb)
	}
	if p.Lb == lbSubflows && !p.control().Traits().Memoryless {
		return console.Usagef("--cc: %s must be dctcp or none with --lb %s, whose subflows have a window each",
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
		return console.Usagef("--%s: %v must come without --profile %s", flag, value, profileMRC)
	}
	if p.Profile != profileMRC {
		return nil
	}
	return cmp.Or(
		refuse(grants, "cc", p.Cc),
		refuse(p.Lb == lbSubflows, "lb", p.Lb),
		refuse(p.background > 0, "background-every", p.background),
		refuse(p.Variant == AckCarry, "ack-variant", p.Variant),
	)
}
