package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/ballsbins"
	"repslab/evsimbalance"
	"repslab/fattree/balance"
	"repslab/fattree/transport"
	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

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
	points, err := in.settings(cases.BalancerREPS).points()
	if err != nil {
		return err
	}
	kmax := 0
	a.base = points[0]
	if b, steep := a.base.Breakdown(); steep {
		a.steep, kmax = b.String(), b.KMax
	}
	a.changes = in.tried(a.base, kmax)
	return nil
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
		". By paper, as in vectors and c/reps.c, an EV takes 16 bits; else as many as tell --evs values apart. go doc ./fattree/balance Footprint names the variables."
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
