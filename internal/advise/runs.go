package advise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/ballsbins"
	"repslab/evsimbalance"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// point returns the network under a load balancer.
func (f Input) point(lb string, failure cases.Failures) (*cases.Fattree, error) {
	p := new(cases.Fattree)
	space := cases.FattreeSpace(p)
	p.Spec.Profile, p.Cc, p.Lb, p.Failure, p.Message = cases.ProfileNamed(cmp.Or(f.profile, cases.ProfileUET)), "nscc-uet", cmp.Or(f.lb, lb), failure, f.Message
	p.Size = cases.TreeSize{Hosts: f.ToRs * f.HostsPerToR, HostsPerToR: f.HostsPerToR, UplinksPerToR: f.Uplinks,
		Gbps: float64(f.LinkGbps), FabricGbps: float64(f.FabricGbps), Latency: math.Round(f.latencyNs())}
	p.Spec.MTU, p.Options.AckRatio, p.Variant, p.Options.RTO = f.MTU, f.AckRatio, f.Variant, fattree.Picoseconds(math.Round(f.RTOUs*1e6))
	p.Recycling.Rules, p.Recycling.REPS.EVSSize = f.Rules, f.EVs
	if f.KMin > 0 {
		p.KMin = &f.KMin
	}
	if f.KMax > 0 {
		p.KMax = &f.KMax
	}
	return p, param.AsFlags(p.Complete(), space.FieldFlag)
}

// command returns the fattree command that runs the network under load balancers, without failures and with the
// given ones.
func (f Input) command(failures cases.Failures, balancers ...string) string {
	text := fmt.Sprintf("fattree --profile %s --hosts %d --hosts-per-tor %d", cmp.Or(f.profile, cases.ProfileUET), f.ToRs*f.HostsPerToR, f.HostsPerToR)
	if f.HostsPerToR != f.Uplinks || f.FabricGbps != f.LinkGbps {
		text += fmt.Sprintf(" --uplinks-per-tor %d --fabric-gbps %d", f.Uplinks, f.FabricGbps)
	}
	text += fmt.Sprintf(" --link-gbps %d --latency-ns %.0f --mtu %d --message-bytes %d%s --lb %s --failure '%s", f.LinkGbps,
		math.Round(f.latencyNs()), f.MTU, f.Message, f.senders(), cmp.Or(f.lb, strings.Join(balancers, ",")), cases.NoFailure)
	if failures != nil {
		text += "|" + failures.String()
	}
	return text + "'"
}

// crossingNs returns the transmission time of a packet and its ACK on two host links and two uplinks.
func (f Input) crossingNs() float64 {
	return 2 * 8 * float64(f.MTU+64) * (1/float64(f.LinkGbps) + 1/float64(f.FabricGbps))
}

// latencyNs returns the latency of each of the four links between hosts that gives a round trip of RTTUs.
func (f Input) latencyNs() float64 { return (1000*f.RTTUs - f.crossingNs()) / 8 }

// prepare checks the flags together, and derives the sizes of the models.
func (a *Advice) prepare() (err error) {
	in := a.Input
	a.slotNs = float64(in.MTU) * 8 / float64(in.FabricGbps)
	a.delay = int(math.Round(1000 * in.RTTUs / a.slotNs))
	a.packets = int((in.Message-1)/int64(in.MTU-64)) + 1
	switch {
	case in.latencyNs() < 1:
		return console.Usagef("--rtt-us (%v) must be at least %.3g: a packet of %d bytes and its ACK cross two links of hosts and two uplinks",
			in.RTTUs, math.Ceil(in.crossingNs()+8)/1000, in.MTU)
	case a.delay > 1<<12:
		return console.Usagef("--rtt-us (%v) must be at most %.4g, %d packets of --mtu %d at %d Gb/s", in.RTTUs,
			(1<<12)*a.slotNs/1000, 1<<12, in.MTU, in.FabricGbps)
	case in.Variant != cases.AckStandard && in.AckRatio == 1:
		return console.Usagef("--ack-variant: %s must come with --ack-ratio above 1", in.Variant)
	case in.Variant == cases.AckReuse && in.Rules != balance.Paper:
		return console.Usagef("--ack-variant: %s must come with --reps %s", cases.AckReuse, balance.Paper)
	}
	if a.base, err = in.point(cases.BalancerREPS, nil); err == nil {
		kmax := 0
		if b, steep := a.base.Breakdown(); steep {
			a.steep, kmax = b.String(), b.KMax
		}
		a.changes = in.tried(float64(a.base.Options.RTO)/1e6, float64(a.base.Plan.LongestRTT())/1e6, kmax)
	}
	return err
}

// tried returns changes of one flag each that may help, given the time-out and the round trip in us. kmax is the Kmax
// that is enough if marks rise too steeply, otherwise 0.
func (f Input) tried(rtoUs, rttUs float64, kmax int) (list []change) {
	try := func(possible bool, format string, value any, set func(changed *Input)) {
		changed := f
		if set(&changed); possible {
			list = append(list, change{flag: fmt.Sprintf(format, value), in: changed, differs: map[int][]string{}})
		}
	}
	half := math.Round(rtoUs / 2)
	try(kmax > 0, "--kmax %d", kmax, func(f *Input) { f.KMax = kmax })
	try(f.AckRatio > 1, "--ack-ratio %d", 1, func(f *Input) { f.AckRatio, f.Variant = 1, cases.AckStandard })
	try(f.AckRatio > 1 && f.Variant != cases.AckCarry, "--ack-variant %s", cases.AckCarry, func(f *Input) { f.Variant = cases.AckCarry })
	try(f.EVs < balance.MaxEVS, "--evs %d", balance.MaxEVS, func(f *Input) { f.EVs = balance.MaxEVS })
	try(half >= rttUs, "--rto-us %v", half, func(f *Input) { f.RTOUs = half })
	for _, lb := range []string{"mrc", "ops", cases.BalancerREPS} {
		rules := balance.UltraEthernet // the default, which command omits
		if lb == cases.BalancerREPS {
			rules = balance.Paper
		}
		try(f.Variant == cases.AckStandard, "--profile mrc --lb %v", lb, func(f *Input) { f.profile, f.lb, f.Rules = "mrc", lb, rules })
	}
	return list
}

// failures returns the number of cables that fail in the middle of a message, and the failure; nil if none fails.
func (a *Advice) failures() (cables int, failures cases.Failures, err error) {
	in := a.Input
	if cables = int(math.Round(in.Failed / 100 * float64(in.ToRs*in.Uplinks))); cables == 0 {
		return 0, nil, nil
	}
	at := max(1, int(math.Round(float64(a.packets*in.MTU)*8/float64(in.LinkGbps)/2000)))
	failures = cases.Failures{{Kind: topology.Cables, Count: cables, Place: topology.Random, Direction: topology.Both,
		Start: fattree.Picoseconds(at) * 1_000_000}}
	p, err := in.point(cases.BalancerREPS, failures)
	for run := range uint64(in.Replicas) { // a placement that cuts off ToRs would stop the last runs
		if err == nil {
			_, err = p.SpecOf(in.Seed, run)
		}
		if fault, is := errors.AsType[*faults.FieldError](err); is {
			return 0, nil, console.Usagef("--failed: %v%% of %d cables %s, in run %d", in.Failed, in.ToRs*in.Uplinks, fault.Problem, run+1)
		}
	}
	return cables, failures, err
}

// network runs the fat tree, healthy and with failed cables, under the balancers and under reps with each change.
func (a *Advice) network(ctx context.Context) error {
	in := a.Input
	cables, failures, err := a.failures()
	if err != nil {
		return err
	}
	a.source(in.command(failures, balancers()...), fmt.Sprintf("Two tiers, oversubscription %.3g, a message a host, an "+
		"ACK for %s, NSCC, trimming; nothing reroutes but the balancer.", a.base.Tree.Oversubscription(), console.Count(in.AckRatio, "packet")))
	for i := range a.changes {
		c := &a.changes[i]
		a.source(c.in.command(failures, cases.BalancerREPS), "")
		c.source = len(a.Sources)
	}
	if err := a.compare(ctx, "Network", nil); err != nil {
		return err
	}
	if section := fmt.Sprintf("%d of %d cables failed", cables, in.ToRs*in.Uplinks); cables == 0 {
		a.add(Number{Section: section, Quantity: "slowest flow, us", Note: "--failed is less than one cable", Source: 1})
	} else if err := a.compare(ctx, section, failures); err != nil {
		return err
	}
	for _, c := range a.changes {
		a.Numbers = append(a.Numbers, c.numbers...)
	}
	return nil
}

// networkRun holds the runs of a network under a balancer, or under reps with a change.
type networkRun struct {
	balancer string
	change   *change // nil without a change
	summary  experiment.Summary
	ratio    mc.Estimate // slowest flow, divided by the slowest flow under unchanged reps
}

// networkRuns runs the network under each balancer, then under reps with each change.
func (a *Advice) networkRuns(ctx context.Context, section string, failure cases.Failures) ([]networkRun, error) {
	runs := lists.Map(balancers(), func(name string) networkRun { return networkRun{balancer: name} })
	for i := range a.changes {
		runs = append(runs, networkRun{balancer: cases.BalancerREPS, change: &a.changes[i]})
	}
	var setups []experiment.Setup
	for _, r := range runs {
		in := a.Input
		if r.change != nil {
			in = r.change.in
		}
		p, err := in.point(r.balancer, failure)
		if err != nil {
			return nil, err
		}
		setups = append(setups, p.Setup())
	}
	line, plan := console.NewProgress(a.stderr, false), a.plan()
	plan.Progress = func(p mc.Progress) { line.Draw(section, float64(p.Done), float64(p.Total)) }
	c, _, err := experiment.Compare(setups...).Run(ctx, plan)
	line.Clear()
	if err != nil {
		return nil, err
	}
	for i := range runs {
		runs[i].summary, runs[i].ratio = c.Summary(i), c.Ratio(i)
	}
	return runs, nil
}

// compare adds the numbers of the balancers in a network, and records the numbers of changes.
func (a *Advice) compare(ctx context.Context, section string, failure cases.Failures) error {
	runs, err := a.networkRuns(ctx, section, failure)
	if err != nil {
		return err
	}
	compared, changed := runs[:len(balancers())], runs[len(balancers()):]
	first, quantities := 1, 2 // row of the balancers; number of printed quantities
	if failure != nil {
		first, quantities = 1+len(balancers()), 4
	}
	longest := float64(a.base.Spec.Horizon) / 1e6
	longestRatio := longest / (float64(a.packets*a.Input.MTU) * 8 / float64(a.Input.LinkGbps) / 1000)
	for i, q := range []struct {
		name, key string
		most      float64
	}{
		{"slowest flow, us", "max_fct_us", longest},
		{"maximum queue, packets", "max_queue_packets", float64(a.base.Spec.Queue)},
		{"reroute time, us", "reroute_us", longest},
		{lostPackets, "lost", math.Inf(1)},
	}[:quantities] {
		number := Number{Section: section, Key: q.key, Source: 1}
		for j, r := range compared {
			number.Quantity, number.Balancer, number.Row = q.name, r.balancer, first+j
			a.estimate(number, r.summary.Of(q.key), q.most)
		}
		for j, r := range compared[1:] {
			if i == 0 {
				number.Quantity, number.Balancer, number.Row, number.Over = ratioToREPS, r.balancer, first+1+j, first
				a.estimate(number, r.ratio, longestRatio)
			}
		}
	}
	for _, r := range changed {
		r.change.judge(r.ratio, compared[0].summary.Of("lost"), r.summary.Of("lost"), a.Input.Replicas, longestRatio, failure != nil)
	}
	return nil
}

// judge records the numbers of a change in a network, with or without failed cables. It notes whether the change
// gains or costs leastGain or more: in the slowest flow and, with failed cables, in lost packets. The interval
// must exclude no change.
func (c *change) judge(ratio, lostBefore, lost mc.Estimate, runs int, longestRatio float64, failed bool) {
	n := Number{Section: "Changes of reps", Balancer: cmp.Or(c.in.lb, cases.BalancerREPS), Change: c.flag, Source: c.source}
	network := 0
	if failed {
		network = 1
	}
	n.Network, n.Row = networks()[network], 1+network
	times := n
	times.Quantity, times.Key, times.Over = ratioToREPS, "max_fct_us", 1+network*len(balancers())
	times = times.estimated(ratio, runs, longestRatio)
	c.numbers = append(c.numbers, times)
	if sign, large := times.excess(); large {
		c.differs[sign] = append(c.differs[sign], times.String()+" times as long "+[]string{"while healthy", "with failed cables"}[network])
		c.slower = c.slower || sign > 0
	}
	if !failed {
		return
	}
	n.Quantity, n.Key = lostPackets, "lost"
	before, after := n.estimated(lostBefore, runs, math.Inf(1)), n.estimated(lost, runs, math.Inf(1))
	c.numbers = append(c.numbers, after)
	difference := lost.Welch(lostBefore)
	if math.Abs(lost.Value-lostBefore.Value) >= leastGain*lostBefore.Value && (difference.Lo > 0 || difference.Hi < 0) {
		sign := cmp.Compare(lost.Value, lostBefore.Value)
		c.differs[sign] = append(c.differs[sign], fmt.Sprintf("%v packets lost, not %v", after, before))
	}
}

// oneSwitch runs senders at full rate on one switch, without congestion control.
func (a *Advice) oneSwitch(ctx context.Context) error {
	in, kmin := a.Input, a.base.Spec.KMin
	cfg := recycled.Config{Clocking: recycled.PerFlow, Bins: in.Uplinks, Threshold: kmin, Delay: a.delay,
		Window: a.delay + 1, EVS: in.EVs, Ratio: in.AckRatio}
	circuit := cfg.Delay + cfg.Threshold
	cfg.MaxRounds = circuit * max(4, (a.packets-1)/circuit+1)
	valid := "As many flows as uplinks at the rate of uplinks, windows of RTT + 1 packets, marks above Kmin, endless queues, no " +
		"congestion control. Not recycled: in the second half."
	if in.AckRatio > 1 {
		valid += fmt.Sprintf(" An ACK brings one EV here, whatever --ack-variant, so at least %.4g %% are not.", 100-100/float64(in.AckRatio))
	}
	a.source(fmt.Sprintf("recycled --clocking per-flow --bins %d --threshold %d --delay %d --window %d --evs %d "+
		"--rule %s --ack-ratio %d --max-rounds %d", cfg.Bins, cfg.Threshold, cfg.Delay, cfg.Window, cfg.EVS,
		strings.Join(balancers(), ","), cfg.Ratio, cfg.MaxRounds), valid)
	var results []recycled.Result
	for _, name := range balancers() {
		cfg.Rule = recycled.Rule(name)
		r, err := recycled.Simulate(ctx, cfg, a.plan())
		if err != nil {
			return err
		}
		results = append(results, r)
	}
	for _, q := range []struct {
		name, key string
		of        func(r recycled.Result) mc.Estimate
		most      float64
	}{
		{"maximum queue, packets", "max_load_mean", func(r recycled.Result) mc.Estimate { return r.MaxLoad }, math.Inf(1)},
		{"not recycled, %", "random_throw_fraction", func(r recycled.Result) mc.Estimate { return r.RandomFraction.OfFew(mc.Support{Most: 1}).Per(0.01) }, 100},
	} {
		for i, r := range results {
			a.estimate(Number{Section: "One switch", Quantity: q.name, Balancer: balancers()[i], Key: q.key, Row: i + 1}, q.of(r), q.most)
		}
	}
	return nil
}

// theory adds results of the paper's processes, which have no round trip.
func (a *Advice) theory(ctx context.Context) error {
	in := a.Input
	a.source(fmt.Sprintf("ballsbins --bins %d --lambda 0.9,1 --rounds %d", in.Uplinks, a.packets),
		"Queues at the end of a message at this load; endless queues and EVs. Mean field: independent ports, a lower bound.")
	for i, load := range []float64{0.9, 1} {
		cfg := ballsbins.Config{Bins: in.Uplinks, Lambda: load, Rounds: []int{a.packets}}
		r, err := ballsbins.Simulate(ctx, cfg, a.plan())
		if err != nil {
			return err
		}
		at := fmt.Sprintf(" at %v %% load", 100*load)
		number := Number{Section: "OPS without windows", Quantity: "queue" + at, Balancer: "ops", Key: "max_load_mean", Row: i + 1}
		a.estimate(number, r.Observations[0].MaxLoad, math.Inf(1))
		law, err := ballsbins.MeanFieldMaxLoad(ctx, cfg)
		number.Quantity, number.Key = "mean field"+at, "mean_field_max_load"
		a.value(number, "lower bound", append(law, 0)[0], err)
	}
	a.source(fmt.Sprintf("recycled --bins %d", in.Uplinks),
		"The process of the paper's proof: an ACK for every packet, marks above 4 ln n. A round lasts as long as a packet.")
	proof, err := recycled.Simulate(ctx, recycled.Config{Bins: in.Uplinks}, a.plan())
	if err != nil {
		return err
	}
	a.estimate(Number{Section: "REPS without a round trip", Quantity: "time to converge, us", Balancer: cases.BalancerREPS, Key: "rounds_mean", Row: 1},
		proof.Rounds.Per(1000/a.slotNs), math.Inf(1))
	return nil
}

// hash adds how evenly the switches' hash spreads the EVs.
func (a *Advice) hash() {
	in := a.Input
	sets := slices.Compact([]int{in.EVs, balance.MaxEVS})
	a.source(fmt.Sprintf("evs --flows %d --uplinks %d --evs %s", in.Uplinks, in.Uplinks, strings.Join(lists.Map(sets, func(evs int) string { return fmt.Sprint(evs) }), ",")),
		"As many flows as uplinks, a uniform hash; EVs that are drawn or walked through. Recycled EVs do not inherit it.")
	for i, evs := range sets {
		r, err := evsimbalance.ExactResult(evsimbalance.Config{Flows: in.Uplinks, EVS: evs, Uplinks: in.Uplinks})
		number := Number{Section: "Busiest uplink by the hash", Row: i + 1}
		number.Quantity, number.Key = fmt.Sprintf("%d EVs, %% too many", evs), "imbalance_mean"
		a.value(number, "exact", 100*r.Mean.Value, err)
		number.Quantity, number.Key = fmt.Sprintf("%d EVs, 1 hash in 20, %%", evs), "imbalance_p95"
		a.value(number, "exact", 100*r.P95.Value, err)
	}
}

// memory adds the state of a connection: by the requested rules of reps, and by the other rules.
func (a *Advice) memory() {
	in := a.Input
	a.Sources = append(a.Sources, Source{})
	var sums []string
	add := func(quantity, name string, rules balance.Rules) {
		components, err := in.footprint(name, rules, transport.LongestWindow(a.base.Plan))
		_, bits := reps.SumBits(components)
		a.value(Number{Section: "Memory", Quantity: quantity, Balancer: name}, "exact", float64((bits+7)/8), err)
		if name == cases.BalancerREPS {
			name += " by " + string(rules)
		}
		sums = append(sums, name+" "+cmp.Or(strings.Join(lists.Map(components, inBits), "+"), "0"))
	}
	for _, name := range balancers() {
		add("bytes of a connection", name, in.Rules)
	}
	other := map[balance.Rules]balance.Rules{balance.UltraEthernet: balance.Paper, balance.Paper: balance.UltraEthernet}[in.Rules]
	add("bytes by --reps "+string(other), cases.BalancerREPS, other)
	a.Sources[len(a.Sources)-1].Valid = "Bits, rounded up to bytes: " + strings.Join(sums, "; ") +
		". By paper, as in vectors and libreps, an EV takes 16 bits; else as many as tell --evs values apart. go doc ./fattree/balance Footprint names the variables."
}

// footprint returns the state of a connection under a balancer.
func (f Input) footprint(name string, rules balance.Rules, window int) ([]reps.Component, error) {
	switch {
	case name != cases.BalancerREPS || rules != balance.Paper:
		return balance.Footprint(name, f.EVs, window)
	case f.Variant == cases.AckReuse:
		return reps.Footprint(reps.Config{ReuseCount: f.AckRatio})
	}
	return reps.Footprint(reps.Config{})
}

// inBits writes the bits of a component.
func inBits(c reps.Component) string {
	if c.Count > 1 {
		return fmt.Sprintf("%dx%d", c.Count, c.Bits)
	}
	return strconv.Itoa(c.Bits)
}
