package main

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
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/internal/lists"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// point returns the network under a load balancer.
func (f adviseFlags) point(lb string, failure failureSpec) (*fattreePoint, error) {
	p := new(fattreePoint)
	space := fattreeSpace(p)
	p.profile, p.cc, p.lb, p.failure, p.message = profileUET, "nscc-uet", lb, failure, f.Message
	p.size = treeSize{hosts: f.ToRs * f.HostsPerToR, hostsPerToR: f.HostsPerToR, uplinksPerToR: f.Uplinks,
		gbps: float64(f.LinkGbps), fabricGbps: float64(f.FabricGbps), latency: math.Round(f.latencyNs())}
	p.spec.MTU, p.spec.AckRatio, p.variant, p.rtoUs = f.MTU, f.AckRatio, f.Variant, f.RTOUs
	p.recycling.Rules, p.recycling.REPS.EVSSize = f.Rules, f.EVs
	return p, asFlags(p.complete(), space.fieldFlag)
}

// command returns the command of fattree that runs the network under load balancers, without and with failures.
func (f adviseFlags) command(failures failureSpec, balancers ...string) string {
	text := fmt.Sprintf("fattree --profile %s --hosts %d --hosts-per-tor %d", profileUET, f.ToRs*f.HostsPerToR, f.HostsPerToR)
	if f.HostsPerToR != f.Uplinks || f.FabricGbps != f.LinkGbps {
		text += fmt.Sprintf(" --uplinks-per-tor %d --fabric-gbps %d", f.Uplinks, f.FabricGbps)
	}
	text += fmt.Sprintf(" --link-gbps %d --latency-ns %.0f --mtu %d --message-bytes %d%s --lb %s --failure '%s", f.LinkGbps,
		math.Round(f.latencyNs()), f.MTU, f.Message, f.senders(), strings.Join(balancers, ","), noFailure)
	if failures != nil {
		text += "|" + failures.String()
	}
	return text + "'"
}

// crossingNs returns the time that it takes to send a packet and its ACK on two links of hosts and two uplinks.
func (f adviseFlags) crossingNs() float64 {
	return 2 * 8 * float64(f.MTU+64) * (1/float64(f.LinkGbps) + 1/float64(f.FabricGbps))
}

// latencyNs returns the latency of each of the four links between hosts with which the round trip takes RTTUs.
func (f adviseFlags) latencyNs() float64 { return (1000*f.RTTUs - f.crossingNs()) / 8 }

// prepare checks the flags together and derives the sizes of the models.
func (a *advice) prepare(context.Context) (err error) {
	in := a.Input
	a.slotNs = float64(in.MTU) * 8 / float64(in.FabricGbps)
	a.delay = int(math.Round(1000 * in.RTTUs / a.slotNs))
	a.packets = int((in.Message-1)/int64(in.MTU-64)) + 1
	switch {
	case in.latencyNs() < 1:
		return usagef("--rtt-us (%v) must be at least %.3g: a packet of %d bytes and its ACK cross two links of hosts and two uplinks",
			in.RTTUs, math.Ceil(in.crossingNs()+8)/1000, in.MTU)
	case a.delay > 1<<12:
		return usagef("--rtt-us (%v) must be at most %.4g, %d packets of --mtu %d at %d Gb/s", in.RTTUs,
			(1<<12)*a.slotNs/1000, 1<<12, in.MTU, in.FabricGbps)
	case in.Variant != ackStandard && in.AckRatio == 1:
		return usagef("--ack-variant: %s must come with --ack-ratio above 1", in.Variant)
	case in.Variant == ackReuse && in.Rules != balance.Paper:
		return usagef("--ack-variant: %s must come with --reps %s", ackReuse, balance.Paper)
	}
	if a.base, err = in.point(lbREPS, nil); err == nil {
		a.changes = in.tried(float64(a.base.spec.RTO)/1e6, float64(a.base.spec.LongestRTT())/1e6)
	}
	return err
}

// tried returns the changes of one flag that may help, for a time-out and a round trip in us.
func (f adviseFlags) tried(rtoUs, rttUs float64) (list []adviceChange) {
	try := func(possible bool, format string, value any, set func(changed *adviseFlags)) {
		changed := f
		if set(&changed); possible {
			list = append(list, adviceChange{flag: fmt.Sprintf(format, value), in: changed, differs: map[int][]string{}})
		}
	}
	half := math.Round(rtoUs / 2)
	try(f.AckRatio > 1, "--ack-ratio %d", 1, func(f *adviseFlags) { f.AckRatio, f.Variant = 1, ackStandard })
	try(f.AckRatio > 1 && f.Variant != ackCarry, "--ack-variant %s", ackCarry, func(f *adviseFlags) { f.Variant = ackCarry })
	try(f.EVs < balance.MaxEVS, "--evs %d", balance.MaxEVS, func(f *adviseFlags) { f.EVs = balance.MaxEVS })
	try(half >= rttUs, "--rto-us %v", half, func(f *adviseFlags) { f.RTOUs = half })
	return list
}

// failures returns the cables that fail in the middle of a message, or nil.
func (a *advice) failures() (cables int, failures failureSpec, err error) {
	in := a.Input
	if cables = int(math.Round(in.Failed / 100 * float64(in.ToRs*in.Uplinks))); cables == 0 {
		return 0, nil, nil
	}
	at := max(1, int(math.Round(float64(a.packets*in.MTU)*8/float64(in.LinkGbps)/2000)))
	if failures, err = failureSpecOf(fmt.Sprintf("cables=%d,place=random,dir=both,at=%d", cables, at)); err != nil {
		return 0, nil, err
	}
	p, err := in.point(lbREPS, failures)
	for run := range uint64(in.Replicas) { // a placement that cuts ToRs off would end the last runs
		var fault *mc.FieldError
		if err == nil {
			_, err = p.specOf(in.Seed, run)
		}
		if errors.As(err, &fault) {
			return 0, nil, usagef("--failed: %v%% of %d cables %s, in run %d", in.Failed, in.ToRs*in.Uplinks, fault.Problem, run+1)
		}
	}
	return cables, failures, err
}

// network runs the fat tree, healthy and with failed cables, under the balancers and with each change of reps.
func (a *advice) network(ctx context.Context) error {
	in := a.Input
	cables, failures, err := a.failures()
	if err != nil {
		return err
	}
	a.source(in.command(failures, adviseBalancers()...), fmt.Sprintf("Two tiers, oversubscription %.3g, a message a host, an "+
		"ACK for %s, NSCC, trimming; nothing reroutes but the balancer.", a.base.tree.Oversubscription(), count(in.AckRatio, "packet")))
	for i := range a.changes {
		c := &a.changes[i]
		a.source(c.in.command(failures, lbREPS), "")
		c.source = len(a.Sources)
	}
	if err := a.compare(ctx, "Network", nil); err != nil {
		return err
	}
	if section := fmt.Sprintf("%d of %d cables failed", cables, in.ToRs*in.Uplinks); cables == 0 {
		a.add(adviceNumber{Section: section, Quantity: "slowest flow, us", Note: "--failed is less than one cable", Source: 1})
	} else if err := a.compare(ctx, section, failures); err != nil {
		return err
	}
	for _, c := range a.changes {
		a.Numbers = append(a.Numbers, c.numbers...)
	}
	return nil
}

// compare runs the network under each balancer, and under reps with each change. It adds the numbers of balancers and
// notes those of changes.
func (a *advice) compare(ctx context.Context, section string, failure failureSpec) error {
	var setups []experiment.Setup
	for i := range len(adviseBalancers()) + len(a.changes) {
		in, lb := a.Input, lbREPS
		if change := i - len(adviseBalancers()); change >= 0 {
			in = a.changes[change].in
		} else {
			lb = adviseBalancers()[i]
		}
		p, err := in.point(lb, failure)
		if err != nil {
			return err
		}
		setups = append(setups, p.setup())
	}
	line, plan := newProgressLine(a.stderr, false), a.plan()
	plan.Progress = func(p mc.Progress) { line.draw(section, float64(p.Done), float64(p.Total)) }
	c, _, err := experiment.Compare(setups...).Run(ctx, plan)
	line.clear()
	if err != nil {
		return err
	}
	first, quantities := 1, 2 // row of the balancers, printed quantities
	if failure != nil {
		first, quantities = 1+len(adviseBalancers()), 4
	}
	longest := float64(a.base.spec.Horizon) / 1e6
	longestRatio := longest / (float64(a.packets*a.Input.MTU) * 8 / float64(a.Input.LinkGbps) / 1000)
	for i, q := range []struct {
		name, key string
		of        func(s experiment.Summary) mc.Estimate
		most      float64
	}{
		{"slowest flow, us", "max_fct_us", func(s experiment.Summary) mc.Estimate { return s.MaxFCT.Per(1e6) }, longest},
		{"maximum queue, packets", "max_queue_packets", func(s experiment.Summary) mc.Estimate { return s.MaxQueue }, float64(a.base.spec.Queue)},
		{"reroute time, us", "reroute_us", func(s experiment.Summary) mc.Estimate { return s.Reroute.Per(1e6) }, longest},
		{lostPackets, "lost", func(s experiment.Summary) mc.Estimate { return s.Lost }, math.Inf(1)},
	}[:quantities] {
		for j, name := range adviseBalancers() {
			a.estimate(adviceNumber{Section: section, Quantity: q.name, Balancer: name, Key: q.key, Row: first + j, Source: 1}, q.of(c.Summary(j)), q.most)
		}
		for j := 1; i == 0 && j < len(adviseBalancers()); j++ {
			a.estimate(adviceNumber{Section: section, Quantity: ratioToREPS, Balancer: adviseBalancers()[j], Key: q.key, Row: first + j,
				Over: first, Source: 1}, c.Ratio(j), longestRatio)
		}
	}
	for i := range a.changes {
		j := len(adviseBalancers()) + i
		a.changes[i].judge(c.Ratio(j), c.Summary(0).Lost, c.Summary(j).Lost, a.Input.Replicas, longestRatio, failure != nil)
	}
	return nil
}

// judge notes the numbers of a change in a network, with or without failed cables, and whether it gains or costs
// leastGain or more: in the slowest flow and, with failed cables, in lost packets. An interval must exclude that it
// changes nothing.
func (c *adviceChange) judge(ratio, lostBefore, lost mc.Estimate, runs int, longestRatio float64, failed bool) {
	n := adviceNumber{Section: "Changes of reps", Balancer: lbREPS, Change: c.flag, Source: c.source}
	network := 0
	if failed {
		network = 1
	}
	n.Network, n.Row = adviseNetworks()[network], 1+network
	times := n
	times.Quantity, times.Key, times.Over = ratioToREPS, "max_fct_us", 1+network*len(adviseBalancers())
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
func (a *advice) oneSwitch(ctx context.Context) error {
	in, kmin := a.Input, a.base.spec.KMin
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
		strings.Join(adviseBalancers(), ","), cfg.Ratio, cfg.MaxRounds), valid)
	var results []recycled.Result
	for _, name := range adviseBalancers() {
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
		{"not recycled, %", "random_throw_fraction", func(r recycled.Result) mc.Estimate { return r.RandomFraction.Per(0.01) }, 100},
	} {
		for i, r := range results {
			a.estimate(adviceNumber{Section: "One switch", Quantity: q.name, Balancer: adviseBalancers()[i], Key: q.key, Row: i + 1}, q.of(r), q.most)
		}
	}
	return nil
}

// theory adds the processes of the paper, without a round trip.
func (a *advice) theory(ctx context.Context) error {
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
		number := adviceNumber{Section: "OPS without windows", Quantity: "queue" + at, Balancer: "ops", Key: "max_load_mean", Row: i + 1}
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
	a.estimate(adviceNumber{Section: "REPS without a round trip", Quantity: "time to converge, us", Balancer: lbREPS, Key: "rounds_mean", Row: 1},
		proof.Rounds.Per(1000/a.slotNs), math.Inf(1))
	return nil
}

// hash adds how evenly the switches' hash spreads the EVs.
func (a *advice) hash(context.Context) error {
	in := a.Input
	sets := slices.Compact([]int{in.EVs, balance.MaxEVS})
	a.source(fmt.Sprintf("evs --flows %d --uplinks %d --evs %s", in.Uplinks, in.Uplinks, strings.Join(lists.Map(sets, func(evs int) string { return fmt.Sprint(evs) }), ",")),
		"As many flows as uplinks, a uniform hash; EVs that are drawn or walked through. Recycled EVs do not inherit it.")
	for i, evs := range sets {
		r, err := evsimbalance.ExactResult(evsimbalance.Config{Flows: in.Uplinks, EVS: evs, Uplinks: in.Uplinks})
		number := adviceNumber{Section: "Busiest uplink by the hash", Row: i + 1}
		number.Quantity, number.Key = fmt.Sprintf("%d EVs, %% too many", evs), "imbalance_mean"
		a.value(number, "exact", 100*r.Mean.Value, err)
		number.Quantity, number.Key = fmt.Sprintf("%d EVs, 1 hash in 20, %%", evs), "imbalance_p95"
		a.value(number, "exact", 100*r.P95.Value, err)
	}
	return nil
}

// memory adds the state of a connection, by the rules of reps that were asked for and by the others.
func (a *advice) memory(context.Context) error {
	in := a.Input
	a.Sources = append(a.Sources, adviceSource{})
	var sums []string
	add := func(quantity, name string, rules balance.Rules) {
		components, err := in.footprint(name, rules, a.base.spec.LongestWindow())
		_, bits := reps.SumBits(components)
		a.value(adviceNumber{Section: "Memory", Quantity: quantity, Balancer: name}, "exact", float64((bits+7)/8), err)
		if name == lbREPS {
			name += " by " + string(rules)
		}
		sums = append(sums, name+" "+cmp.Or(strings.Join(lists.Map(components, inBits), "+"), "0"))
	}
	for _, name := range adviseBalancers() {
		add("bytes of a connection", name, in.Rules)
	}
	other := map[balance.Rules]balance.Rules{balance.UltraEthernet: balance.Paper, balance.Paper: balance.UltraEthernet}[in.Rules]
	add("bytes by --reps "+string(other), lbREPS, other)
	a.Sources[len(a.Sources)-1].Valid = "Bits, rounded up to bytes: " + strings.Join(sums, "; ") +
		". By paper, as in vectors and libreps, an EV takes 16 bits; else as many as tell --evs values apart. go doc ./fattree/balance Footprint names the variables."
	return nil
}

// footprint returns the state of a connection under a balancer.
func (f adviseFlags) footprint(name string, rules balance.Rules, window int) ([]reps.Component, error) {
	switch {
	case name != lbREPS || rules != balance.Paper:
		return balance.Footprint(name, f.EVs, window)
	case f.Variant == ackReuse:
		return reps.Footprint(reps.Config{ReuseCount: f.AckRatio})
	}
	return reps.Footprint(reps.Config{})
}

// inBits returns the bits of a component.
func inBits(c reps.Component) string {
	if c.Count > 1 {
		return fmt.Sprintf("%dx%d", c.Count, c.Bits)
	}
	return strconv.Itoa(c.Bits)
}
