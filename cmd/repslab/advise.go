package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"repslab/ballsbins"
	"repslab/evsimbalance"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
	"repslab/sweep"
)

// adviseFlags describe a NIC and its network.
type adviseFlags struct {
	RTTUs    float64 `json:"rtt_us"`
	LinkGbps int     `json:"link_gbps"`
	Uplinks  int     `json:"uplinks"`
	ToRs     int     `json:"tors"`
	EVs      int     `json:"evs"`
	AckRatio int     `json:"ack_ratio"`
	Failed   float64 `json:"failed_percent"`
	MTU      int     `json:"mtu"`
	Message  int64   `json:"message_bytes"`
	Seed     uint64  `json:"seed"`
	Replicas int     `json:"replicas"`
	workers  int
}

// advice is the page: the input, its numbers in order, and their sources.
type advice struct {
	Input   adviseFlags    `json:"input"`
	Numbers []adviceNumber `json:"numbers"`
	Sources []adviceSource `json:"sources"`
	Advice  []string       `json:"advice"` // sentences, each with its number and the number's source

	section                   string // of the next numbers
	slotNs                    float64
	delay, packets            int // of the RTT and of a message, in slots
	queue, kmin, kmax, window int // packets
}

// adviceNumber is a result with its interval, or a note on why there is none.
type adviceNumber struct {
	Section  string   `json:"section"`
	Quantity string   `json:"quantity"` // with its unit
	Balancer string   `json:"balancer,omitempty"`
	Value    *float64 `json:"value"`
	Lo       *float64 `json:"lo,omitempty"`
	Hi       *float64 `json:"hi,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Note     string   `json:"note,omitempty"`
	Source   int      `json:"source"` // from 1
}

// adviceSource is a command that prints the numbers, and the range in which its model holds.
type adviceSource struct {
	Command string `json:"command"`
	Valid   string `json:"valid"`
}

// adviseBalancers are the compared balancers, by the names of --lb and of recycled's --rule.
func adviseBalancers() []string { return []string{"reps", "ops", "mixed"} }

// newAdvise returns the command that advises on a NIC.
func newAdvise() *cobra.Command {
	cmd := newCommand("advise")
	var f adviseFlags
	var format, output string
	var force bool
	flags := cmd.Flags()
	number := func(to *int, name, preset, help string, least, most int) {
		addValue(flags, to, name, preset, help, intsIn(least, most))
	}
	addValue(flags, &f.RTTUs, "rtt-us", "8", "round-trip time without queues, us", func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0, Max: 10_000, MinOpen: true})
	})
	number(&f.LinkGbps, "link-gbps", "400", "rate of the links", 1, 100_000)
	number(&f.Uplinks, "uplinks", "32", "uplinks of a ToR, and its hosts", 2, 256)
	number(&f.ToRs, "tors", "", "ToRs of the network", 4, 256)
	byDefault(flags, "tors", "enough for 128 hosts, at least 4")
	addValue(flags, &f.EVs, "evs", strconv.Itoa(reps.UltraEthernetEVSSize),
		"entropy values of a connection, a power of two: 2^b for b bits of the hashed header", powersOfTwo)
	number(&f.AckRatio, "ack-ratio", "4", "packets per ACK", 1, 64)
	addKind(flags, &f.Failed, "failed", "percent", "1%", "share of the cables above ToRs that fail during a message; 0 for none",
		func(text string) ([]float64, error) {
			number := strings.TrimSuffix(text, "%")
			if strings.Contains(number, "%") {
				return nil, fmt.Errorf("%.60q must be one percentage, such as 1%%", text)
			}
			return values.Floats(number, values.FloatRange{Min: 0, Max: 50})
		})
	number(&f.MTU, "mtu", "4150", "bytes of a full packet, including 64 of header", 65, 1<<20)
	addValue(flags, &f.Message, "message-bytes", "4MiB", "size of a message", func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 26})
	})
	number(&f.Replicas, "replicas", "10", "independent runs of every estimate", 2, mc.MaxReplicas)
	addSeed(flags, &f.Seed, "the same seed prints the same bytes")
	addWorkers(flags, &f.workers, "concurrent runs")
	addName(flags, &format, "format", "text", "text or json", []string{"text", "json"})
	addOutput(flags, &output, &force)
	annotate(flags, groupKey, []string{"Estimation"}, "replicas", "seed", "workers")
	annotate(flags, groupKey, []string{"Parameters"}, "rtt-us", "link-gbps", "uplinks", "tors", "evs", "ack-ratio", "failed", "mtu",
		"message-bytes")
	seldom(flags, "force")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkOutput("-o", output, force); err != nil {
			return err
		}
		f.ToRs = cmp.Or(f.ToRs, max(4, 128/f.Uplinks))
		a := advice{Input: f}
		for _, part := range []func(context.Context) error{a.network, a.oneSwitch, a.theory, a.hash, a.memory} {
			if err := part(cmd.Context()); err != nil {
				return err
			}
		}
		a.conclude()
		width := usualWidth
		if output == "" {
			width = helpWidth(cmd.OutOrStdout())
		}
		data := []byte(a.page(width))
		if format == "json" {
			var err error
			if data, err = json.MarshalIndent(a, "", "  "); err != nil {
				return err
			}
			data = append(data, '\n')
		}
		return writeOutput(cmd.OutOrStdout(), output, force, data)
	}
	return cmd
}

// powersOfTwo reads numbers of entropy values.
func powersOfTwo(text string) ([]int, error) {
	list, err := values.Ints(text, values.IntRange{Min: 1, Max: balance.MaxEVS})
	for _, v := range list {
		if v&(v-1) != 0 {
			return nil, fmt.Errorf("%d must be a power of two: b bits have 2^b values", v)
		}
	}
	return list, err
}

// plan returns the plan of all estimates.
func (a *advice) plan() mc.Plan {
	return mc.Plan{Seed: a.Input.Seed, Workers: a.Input.workers, Replicas: uint64(a.Input.Replicas)}
}

// source adds a command as the source of the next numbers, and their section of the page.
func (a *advice) source(section, command, valid string) {
	a.section = section
	command = fmt.Sprintf("repslab %s --replicas %d --seed %d", command, a.Input.Replicas, a.Input.Seed)
	a.Sources = append(a.Sources, adviceSource{command, valid})
}

// add adds a number to the section.
func (a *advice) add(n adviceNumber) {
	n.Section, n.Source = a.section, len(a.Sources)
	a.Numbers = append(a.Numbers, n)
}

// estimate adds an estimate, or the number of runs behind it if some are missing.
func (a *advice) estimate(quantity, balancer string, e mc.Estimate) {
	n := adviceNumber{Quantity: quantity, Balancer: balancer}
	if e.N < uint64(a.Input.Replicas) {
		n.Note = fmt.Sprintf("%d of %d runs", e.N, a.Input.Replicas)
	} else {
		n.Kind, n.Value, n.Lo, n.Hi = "estimate", &e.Value, &e.Lo, &e.Hi
	}
	a.add(n)
}

// value adds a number that is no estimate, or a note if its model does not have it.
func (a *advice) value(quantity, balancer, kind string, v float64, err error) {
	n := adviceNumber{Quantity: quantity, Balancer: balancer}
	if err != nil {
		n.Note = "not covered"
	} else {
		n.Kind, n.Value = kind, &v
	}
	a.add(n)
}

// network runs the fat tree, healthy and with failed cables.
func (a *advice) network(ctx context.Context) error {
	in := a.Input
	packetNs := float64(in.MTU) * 8 / float64(in.LinkGbps)
	crossing := 4 * (packetNs + 64*8/float64(in.LinkGbps)) // of a packet and its ACK, by four links
	latency := (float64(1000*in.RTTUs) - crossing) / 8
	a.slotNs, a.delay = packetNs, int(math.Round(1000*in.RTTUs/packetNs))
	switch {
	case latency < 1:
		return usagef("--rtt-us (%v) must be at least %.3g: a packet of %d bytes and its ACK cross four links of %d Gb/s",
			in.RTTUs, math.Ceil(crossing+8)/1000, in.MTU, in.LinkGbps)
	case a.delay > 1<<12:
		return usagef("--rtt-us (%v) must be at most %.4g, %d packets of --mtu %d at --link-gbps %d", in.RTTUs,
			(1<<12)*packetNs/1000, 1<<12, in.MTU, in.LinkGbps)
	}
	a.packets = int((in.Message-1)/int64(in.MTU-64)) + 1
	at := max(1, int(math.Round(float64(a.packets)*packetNs/2000)))
	failures, cables := noFailure, int(math.Round(in.Failed/100*float64(in.ToRs*in.Uplinks)))
	if cables > 0 {
		failures += fmt.Sprintf("|cables=%d,place=random,dir=both,at=%d", cables, at)
	}
	command := fmt.Sprintf("fattree --profile %s --hosts %d --hosts-per-tor %d --link-gbps %d --latency-ns %.0f --mtu %d "+
		"--message-bytes %d --evs %d --ack-ratio %d --lb %s", profileUET, in.ToRs*in.Uplinks, in.Uplinks, in.LinkGbps,
		math.Round(latency), in.MTU, in.Message, in.EVs, in.AckRatio, strings.Join(adviseBalancers(), ","))
	given := texts{"failure": failures}
	for flag := range slices.Chunk(strings.Fields(command)[1:], 2) {
		given[keyOf(strings.TrimPrefix(flag[0], "--"))] = flag[1]
	}
	a.source("Network", command+" --failure '"+failures+"'", "Two tiers, no oversubscription, a message "+
		"a host, NSCC, trimming; nothing reroutes but the balancer.")
	point := new(fattreePoint)
	network := fattreeSpace(point)
	var setups []experiment.Setup
	var last fattreePoint
	network.point = func() sweep.Point {
		p := *point
		setups, last = append(setups, p.setup()), p
		return p.point()
	}
	if _, err := network.grid("fattree", selection{Parameters: given}); err != nil {
		return err
	}
	for run := range uint64(in.Replicas) { // a placement that cuts ToRs off would end the last runs
		var fault *mc.FieldError
		if _, err := last.specOf(in.Seed, run); errors.As(err, &fault) {
			return usagef("--failed: %v%% of %d cables %s, in run %d", in.Failed, in.ToRs*in.Uplinks, fault.Problem, run+1)
		}
	}
	a.queue, a.kmin, a.kmax, a.window = point.spec.Queue, point.spec.KMin, point.spec.KMax, point.spec.LongestWindow()
	if err := a.compare(ctx, setups[:3], 2); err != nil {
		return err
	}
	a.section = fmt.Sprintf("%d of %d cables failed", cables, in.ToRs*in.Uplinks)
	if cables == 0 {
		a.add(adviceNumber{Quantity: "slowest flow, us", Note: "--failed is less than one cable"})
		return nil
	}
	return a.compare(ctx, setups[3:], 4)
}

// compare runs the network under each balancer and adds the first of its quantities.
func (a *advice) compare(ctx context.Context, setups []experiment.Setup, quantities int) error {
	c, _, err := experiment.Compare(setups...).Run(ctx, a.plan())
	if err != nil {
		return err
	}
	for i, q := range []struct {
		name string
		of   func(s experiment.Summary) mc.Estimate
	}{
		{"slowest flow, us", func(s experiment.Summary) mc.Estimate { return s.MaxFCT.Per(1e6) }},
		{"maximum queue, packets", func(s experiment.Summary) mc.Estimate { return s.MaxQueue }},
		{"reroute time, us", func(s experiment.Summary) mc.Estimate { return s.Reroute.Per(1e6) }},
		{"lost packets", func(s experiment.Summary) mc.Estimate { return s.Lost }},
	}[:quantities] {
		for j, name := range adviseBalancers() {
			a.estimate(q.name, name, q.of(c.Summary(j)))
		}
		for j := 1; i == 0 && j < len(setups); j++ {
			a.estimate(timesOfREPS, adviseBalancers()[j], c.Ratio(j))
		}
	}
	return nil
}

// settling accumulates runs of senders on one switch. It implements [mc.Tally].
type settling struct {
	maxLoad mc.Sample // packets
	settled mc.Sample // rounds, of the runs that settled
	random  mc.Moments
}

// Parts implements [mc.Tally].
func (s *settling) Parts() []mc.NamedPart {
	return []mc.NamedPart{{Name: "max_load", Part: &s.maxLoad}, {Name: "settled", Part: &s.settled}, {Name: "random", Part: &s.random}}
}

// StoppingStatistic implements [mc.Tally].
func (s *settling) StoppingStatistic() mc.Estimate { return s.maxLoad.Mean(mc.DefaultConfidence) }

// Of runs on one switch.
const (
	settledBelow  = 0.05 // share of packets that are not recycled
	partsOfRandom = 1_000_000_000
)

// settle runs a process for a number of circuits, each of some rounds. The run has settled at the
// end of its last circuit with a share of random throws from settledBelow on, unless that is the last.
func (s *settling) settle(p recycled.Process, circuit, circuits int) {
	var unsettled int
	var all, random, share float64
	for c := 1; c <= circuits; c++ {
		p.Advance(circuit)
		thrown, drawn := p.Throws()
		share = (float64(drawn) - random) / (float64(thrown) - all)
		if all, random = float64(thrown), float64(drawn); share >= settledBelow {
			unsettled = c
		}
	}
	s.maxLoad.Add(int64(p.MaxLoad()))
	s.random.Add(int64(math.Round(share * partsOfRandom)))
	if unsettled < circuits {
		s.settled.Add(int64(unsettled * circuit))
	}
}

// oneSwitch runs senders at full rate on one switch, without congestion control.
func (a *advice) oneSwitch(ctx context.Context) error {
	in := a.Input
	cfg := recycled.Config{Clocking: recycled.PerFlow, Bins: in.Uplinks, Threshold: a.kmin, Delay: a.delay,
		Window: a.delay + 1, EVS: in.EVs, Ratio: in.AckRatio}
	circuit := cfg.Delay + cfg.Threshold
	circuits := max(4, (a.packets-1)/circuit+1)
	cfg.MaxRounds = circuit * circuits
	a.source("One switch", fmt.Sprintf("recycled --clocking per-flow --bins %d --threshold %d --delay %d --window %d --evs %d "+
		"--rule %s --ack-ratio %d --max-rounds %d", cfg.Bins, cfg.Threshold, cfg.Delay, cfg.Window, cfg.EVS,
		strings.Join(adviseBalancers(), ","), cfg.Ratio, cfg.MaxRounds),
		"As many flows as uplinks at full rate, windows of RTT + 1 packets, marks above Kmin, endless queues, no congestion "+
			"control. Settled: then less than 5 % are not recycled in any RTT + Kmin.")
	var tallies []*settling
	for _, name := range adviseBalancers() {
		cfg.Rule = recycled.Rule(name)
		e := mc.EachRun(func() *settling { return new(settling) },
			func() (recycled.Process, error) { return recycled.New(cfg) },
			func(ctx context.Context, t *settling, p recycled.Process) error {
				t.settle(p, circuit, circuits)
				return ctx.Err()
			})
		t, _, err := e.Run(ctx, a.plan())
		if err != nil {
			return err
		}
		tallies = append(tallies, t)
	}
	for _, q := range []struct {
		name string
		of   func(t *settling) mc.Estimate
	}{
		{"maximum queue, packets", (*settling).StoppingStatistic},
		{notRecycled, func(t *settling) mc.Estimate {
			return t.random.Mean(mc.DefaultConfidence).Per(partsOfRandom / 100)
		}},
		{"time to settle, us", func(t *settling) mc.Estimate {
			return t.settled.Mean(mc.DefaultConfidence).Per(1000 / a.slotNs)
		}},
	} {
		for i, name := range adviseBalancers() {
			a.estimate(q.name, name, q.of(tallies[i]))
		}
	}
	return nil
}

// theory adds the processes of the paper, without a round trip.
func (a *advice) theory(ctx context.Context) error {
	in := a.Input
	cfg := ballsbins.Config{Bins: in.Uplinks, Rounds: []int{a.packets}}
	a.source("OPS without windows", fmt.Sprintf("ballsbins --bins %d --rounds %d", in.Uplinks, a.packets),
		"A message at full load; endless queues and EVs. Mean field: independent ports.")
	r, err := ballsbins.Simulate(ctx, cfg, a.plan())
	if err != nil {
		return err
	}
	a.estimate("queue at its end, packets", "ops", r.Observations[0].MaxLoad)
	law, err := ballsbins.MeanFieldMaxLoad(ctx, cfg)
	a.value("  mean field", "ops", "lower bound", append(law, 0)[0], err)
	stationary, err := ballsbins.StationaryBinomial(in.Uplinks, 0.9)
	if err != nil {
		return err
	}
	a.value("  mean field at 90 % load", "ops", "lower bound", stationary.MeanMax(in.Uplinks), nil)
	a.source("REPS without a round trip", fmt.Sprintf("recycled --bins %d", in.Uplinks),
		"The process of the paper's proof: an ACK for every packet, marks above 4 ln n. Bound: recycled.RoundsBound, n >= 16.")
	perRound := 1000 / a.slotNs
	proof, err := recycled.Simulate(ctx, recycled.Config{Bins: in.Uplinks}, a.plan())
	if err != nil {
		return err
	}
	a.estimate("time to converge, us", "reps", proof.Rounds.Per(perRound))
	threshold := recycled.Config{Bins: in.Uplinks}.WithDefaults().Threshold
	rounds, _, err := recycled.RoundsBound(in.Uplinks, threshold)
	a.value("  with probability 1 - 2/n", "reps", "upper bound", rounds/perRound, err)
	return nil
}

// hash adds how evenly the switches' hash spreads the EVs.
func (a *advice) hash(context.Context) error {
	in := a.Input
	a.source("Hash", fmt.Sprintf("evs --flows %d --uplinks %d --evs %d", in.Uplinks, in.Uplinks, in.EVs),
		"As many flows as uplinks, a uniform hash; EVs that are drawn or walked through.")
	r, err := evsimbalance.ExactResult(evsimbalance.Config{Flows: in.Uplinks, EVS: in.EVs, Uplinks: in.Uplinks})
	if err != nil {
		return err
	}
	a.value("busiest uplink, % too many", "", "exact", 100*r.Mean.Value, nil)
	a.value("  one hash seed in 20 above", "", "exact", 100*r.P95.Value, nil)
	for _, percent := range []float64{10, 1} {
		evs, err := evsimbalance.LeastEVs(in.Uplinks, in.Uplinks, percent/100)
		a.value(fmt.Sprintf("EVs for %v %%", percent), "", "exact", float64(evs), err)
	}
	return nil
}

// memory adds the state of a connection.
func (a *advice) memory(context.Context) error {
	a.section = "Memory"
	a.Sources = append(a.Sources, adviceSource{"go doc ./fattree/balance Footprint; go doc ./reps Footprint", fmt.Sprintf(
		"Rules of uet-htsim, %d EVs, windows of %d packets; bits rounded up.", a.Input.EVs, a.window)})
	add := func(quantity, name string, components []reps.Component, err error) error {
		_, bits := reps.SumBits(components)
		a.value(quantity, name, "exact", float64((bits+7)/8), err)
		return err
	}
	for _, name := range adviseBalancers() {
		components, err := balance.Footprint(name, a.Input.EVs, a.window)
		if err := add("bytes of a connection", name, components, err); err != nil {
			return err
		}
	}
	components, err := reps.Footprint(reps.Config{})
	return add("  by the paper, 2^16 EVs", "reps", components, err)
}

// page writes the advice as a page of text with a width for its sentences; tables have the usual one.
func (a *advice) page(width int) string {
	var page strings.Builder
	in := a.Input
	fmt.Fprintln(&page, wrap(fmt.Sprintf("repslab advise --rtt-us %v --link-gbps %d --uplinks %d --tors %d --evs %d --ack-ratio %d "+
		"--failed %v%% --mtu %d --message-bytes %d --replicas %d --seed %d\n\nA packet lasts %.4g ns, the round trip %d packets, a message %d. "+
		"The network has %d ToRs with %d hosts and as many uplinks each, so a message in %d stays in its ToR; queues hold %d packets and mark from %d (Kmin) to %d; "+
		"windows grow to %d. Numbers are exact, bounds, or means of %d runs with 95 %% intervals.", in.RTTUs, in.LinkGbps,
		in.Uplinks, in.ToRs, in.EVs, in.AckRatio, in.Failed, in.MTU, in.Message, in.Replicas, in.Seed, a.slotNs, a.delay, a.packets,
		in.ToRs, in.Uplinks, in.ToRs, a.queue, a.kmin, a.kmax, a.window, in.Replicas), width))
	section, names := "", adviseBalancers()
	for row, rest := firstRow(a.Numbers); len(row) > 0; row, rest = firstRow(rest) {
		if first := row[0]; first.Section != section {
			section = first.Section
			head := fmt.Sprintf("%-29s%14s%14s%14s", fmt.Sprintf("%s [%d]", section, first.Source), names[0], names[1], names[2])
			if first.Balancer == "" {
				head, _, _ = strings.Cut(head, "  ")
			}
			page.WriteString("\n" + head + "\n")
		}
		cells := make([]string, len(names))
		for _, n := range row {
			cells[max(0, slices.Index(names, n.Balancer))] = n.String()
		}
		kind, _, _ := strings.Cut(row[0].Kind, " ")
		line := fmt.Sprintf("  %-27s%14s%14s%14s %s", row[0].Quantity, cells[0], cells[1], cells[2], kind)
		page.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	page.WriteString("\n")
	for i, source := range a.Sources {
		fmt.Fprintln(&page, wrap(fmt.Sprintf("  [%d]  %s", i+1, source.Command), width))
		fmt.Fprintln(&page, wrap("       "+source.Valid, width))
	}
	page.WriteString("\nAdvice\n")
	for _, sentence := range a.Advice {
		fmt.Fprintln(&page, wrap("  "+sentence, width))
	}
	return page.String()
}

// conclude says in words what the numbers advise.
func (a *advice) conclude() {
	for _, n := range a.Numbers {
		sentence, known := adviceSentences[n.Quantity]
		if !known || n.Value == nil || n.Balancer == "ops" && n.Quantity != timesOfREPS {
			continue
		}
		so := "that is enough"
		switch {
		case n.Quantity == timesOfREPS && *n.Lo > 1.05:
			so = "prefer reps"
		case n.Quantity == timesOfREPS && *n.Hi < 0.95:
			so = "prefer " + n.Balancer
		case n.Quantity == timesOfREPS && *n.Lo >= 0.95 && *n.Hi <= 1.05:
			so = "either will do"
		case n.Quantity == timesOfREPS:
			so = "more replicas must tell which to prefer"
		case n.Quantity == notRecycled && *n.Value > 50:
			so = "acknowledge more of them, or all"
		case n.Quantity == notRecycled:
			so = "so many ACKs are enough"
		case n.Quantity == evsForTenth && *n.Value > float64(a.Input.EVs):
			so = "hash more bits"
		}
		words := strings.NewReplacer("SECTION", n.Section, "WHO", n.Balancer, "NUMBER", n.String(), "SO", so,
			"EVS", fmt.Sprint(a.Input.EVs), "PACKETS", count(a.Input.AckRatio, "packet"))
		a.Advice = append(a.Advice, words.Replace(sentence)+fmt.Sprintf(" [%d].", n.Source))
	}
}

// Quantities that advice depends on.
const (
	timesOfREPS = "  in times of reps"
	notRecycled = "not recycled at the end, %"
	evsForTenth = "EVs for 10 %"
)

// adviceSentences are the sentences about quantities.
var adviceSentences = map[string]string{
	timesOfREPS:             "SECTION: WHO takes NUMBER times as long as reps, so SO",
	"reroute time, us":      "SECTION: WHO sends into failed cables for NUMBER us; a shorter time-out shortens this",
	notRecycled:             "At full load NUMBER % of the packets of WHO are not recycled with an ACK for PACKETS: SO",
	evsForTenth:             "Drawn EVs spread the load to 10 % from NUMBER EVs on, and the NIC has EVS: SO",
	"bytes of a connection": "Each connection of WHO needs NUMBER bytes of memory",
}

// firstRow divides numbers into those of the first quantity and the others.
func firstRow(numbers []adviceNumber) (row, rest []adviceNumber) {
	i := 0
	for i < len(numbers) && numbers[i].Quantity == numbers[0].Quantity && numbers[i].Section == numbers[0].Section {
		i++
	}
	return numbers[:i], numbers[i:]
}

// String returns the number as a cell of the page: the mean and half of its interval, or the ends of
// an interval that is not symmetric by more than a hundredth of that half.
func (n adviceNumber) String() string {
	switch {
	case n.Note != "":
		return n.Note
	case n.Lo == nil || *n.Lo == *n.Hi:
		return strconv.FormatFloat(*n.Value, 'g', max(4, len(fmt.Sprintf("%.0f", *n.Value))), 64)
	}
	half, digits := (*n.Hi-*n.Lo)/2, 0
	if math.Abs(*n.Lo+half-*n.Value) > half/100 {
		digits = min(2, max(0, 3-len(fmt.Sprintf("%.0f", *n.Hi))))
		return fmt.Sprintf("%.*f to %.*f", digits, *n.Lo, digits, *n.Hi)
	}
	for scaled := half; scaled < 9.95 && len(fmt.Sprintf("%.*f", digits, *n.Value)) < 5; scaled *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f ±%.*f", digits, *n.Value, digits, half)
}
