package figures

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// openLost measures the largest load for λ < 1 as a function of 1/(1 - λ).
func openLost(r *openRuns) openPart {
	const n = 64
	lambdas := []float64{0.8, 0.9, 0.95, 0.98, 0.99}
	clockings := []recycled.Clocking{recycled.SelfClocked, recycled.RoundRobin, recycled.PerFlow}
	const replicas, rounds = 40, 50_000
	threshold := theoremThreshold(n)
	r.points = len(lambdas) * (len(clockings) + 1)
	t := frame.Table{Name: "lambda"}
	var loads []plot.Series
	// add lists the load at a λ, and adds it to the last curve.
	add := func(process string, threshold any, lambda float64, load mc.Estimate, random float64) {
		load = load.OfFew(counted(1))
		t.Add(cells{{"process", process}, {"bins", n}, {"threshold", threshold}, {"lambda", lambda},
			{"rounds", rounds}, {"max_load_mean", frame.WithEnds(load)},
			{"random_throw_fraction", random}}, madeFrom(r.Seed, load.N))
		appendPoint(&loads[len(loads)-1], 1/(1-lambda), load)
	}
	for _, clocking := range clockings {
		loads = append(loads, plot.Series{Name: string(clocking), Mark: plot.LinePoints,
			Color: map[recycled.Clocking]plot.Color{recycled.SelfClocked: plot.Teal, recycled.RoundRobin: plot.Olive,
				recycled.PerFlow: plot.Indigo}[clocking]})
		for _, lambda := range lambdas {
			cfg := recycled.Config{Bins: n, Clocking: clocking, Lambda: lambda, MaxRounds: rounds}
			o := estimate(r, replicas, recycled.Simulate, cfg)
			add(string(clocking), threshold, lambda, o.MaxLoad, o.RandomFraction.Value)
		}
	}
	loads = append(loads, plot.Series{Name: "OPS, last round", Mark: plot.LinePoints, Color: lb("ops").color})
	for _, lambda := range lambdas {
		cfg := ballsbins.Config{Bins: n, Lambda: lambda, Rounds: []int{rounds}}
		for _, o := range estimate(r, replicas, ballsbins.Simulate, cfg).Observations {
			add("ops", nil, lambda, o.MaxLoad, 1)
		}
	}
	if r.err != nil {
		return openPart{}
	}
	ends := func(s plot.Series) string {
		last := len(s.Y) - 1
		return fmt.Sprintf("%s: %s and %s", s.Name, bandText(s, 0), bandText(s, last))
	}
	return openPart{
		title: "Lost balls",
		texts: notes(facts{"n": n, "threshold": threshold, "replicas": replicas, "rounds": rounds,
			"ends": each(loads, ends), "shown": lambdaMatters(loads)}, "open-lambda"),
		rows: t,
		panel: plot.Panel{Title: "(e) Load λ < 1, n = 64", XLabel: "1 / (1 − λ)", YLabel: "Mean maximum load",
			X: ticked(onScale(plot.Log10, 4.5, 110), "%d", 5, 10, 20, 50, 100), Y: onScale(plot.Log2, 8),
			Legend: plot.Above, Series: loads, References: level(float64(threshold), fmt.Sprintf("τ = %d", threshold))},
	}
}

// bandText writes a drawn estimate with its interval, if it has one.
func bandText(s plot.Series, i int) string {
	if math.IsNaN(s.Lo[i]) {
		return fmt.Sprintf("%.3g (no interval)", s.Y[i])
	}
	return withBounds(mc.Estimate{Value: s.Y[i], Lo: s.Lo[i], Hi: s.Hi[i]}, "%.3g")
}

// lambdaMatters reports whether, over all λ, the load of the last curve (OPS) grows fourfold and ends above the
// others, while the others change by less than half.
func lambdaMatters(loads []plot.Series) bool {
	ops := loads[len(loads)-1]
	last := len(ops.Y) - 1
	return ops.Y[last] > 4*ops.Y[0] && !slices.ContainsFunc(loads[:len(loads)-1], func(s plot.Series) bool {
		return math.Abs(s.Y[last]/s.Y[0]-1) > 0.5 || !(s.Hi[last] < ops.Lo[last])
	})
}

// openCoalesced follows the number of balls under coalescing over decades of rounds.
func openCoalesced(r *openRuns) openPart {
	const n = 32
	const replicas = 20
	rounds := []int{200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000}
	configs := []coalescing.Config{{Ratio: 1}, {Ratio: 2}, {Ratio: 4}, {Ratio: 8},
		{Ratio: 8, Variant: coalescing.Carry}}
	r.points = len(configs)
	t := frame.Table{Name: "coalescing"}
	var growing []plot.Series
	for i, cfg := range configs {
		cfg.Bins, cfg.Rounds = n, rounds
		cfg = cfg.WithDefaults()
		s := plot.Series{Name: fmt.Sprintf("%s, r = %d", cfg.Variant, cfg.Ratio), Mark: plot.LinePoints,
			Color: plot.NthColor(i)}
		for _, o := range estimate(r, replicas, coalescing.Simulate, cfg).Observations {
			balls := o.TotalLoad.Per(n).OfFew(counted(n))
			appendPoint(&s, float64(o.Round), balls)
			t.Add(cells{{"ack_variant", string(cfg.Variant)}, {"ack_ratio", cfg.Ratio}, {"bins", n},
				{"threshold", cfg.Threshold}, {"round", o.Round}, {"balls_per_bin", frame.WithEnds(balls)},
				{"max_load_mean", o.MaxLoad.Value}, {"random_throw_fraction", o.RandomFraction.Value}},
				madeFrom(r.Seed, balls.N))
		}
		growing = append(growing, s)
	}
	if r.err != nil {
		return openPart{}
	}
	growth := func(s plot.Series) string {
		last := len(s.Y) - 1
		return fmt.Sprintf("%s: %.3g to %s, %.2f", s.Name, s.Y[0], bandText(s, last), lastDecade(s))
	}
	return openPart{
		title: "Coalesced acknowledgements",
		texts: notes(facts{"n": n, "threshold": theoremThreshold(n), "replicas": replicas, "first": rounds[0],
			"last": rounds[len(rounds)-1], "growth": each(growing, growth), "shown": coalescedGrow(growing)}, "open-coalescing"),
		rows: t,
		panel: plot.Panel{Title: "(f) One ACK for r balls, n = 32", XLabel: "Round", YLabel: "Balls / bins n",
			X: onScale(plot.Log10), Y: onScale(plot.Log2, 4), Legend: plot.Above, Series: growing,
			References: level(float64(theoremThreshold(n)), fmt.Sprintf("τ = %d", theoremThreshold(n)))},
	}
}

// coalescedGrow reports whether standard coalescing with r = 4 and 8 (the third and fourth curve) ends with more
// balls than with r = 1 (the first curve) and grows faster, and whether carry (the last curve) does not.
func coalescedGrow(growing []plot.Series) bool {
	one, carry := growing[0], growing[len(growing)-1]
	last := len(one.Y) - 1
	return lastDecade(carry) < lastDecade(one)+0.05 && !slices.ContainsFunc(growing[2:4], func(s plot.Series) bool {
		return !(s.Lo[last] > one.Hi[last]) || lastDecade(s) < lastDecade(one)+0.05
	})
}

// lastDecade returns the slope of ln y over ln x over the last factor of ten in x.
func lastDecade(s plot.Series) float64 {
	last := len(s.X) - 1
	first := last
	for first > 0 && s.X[first-1] >= s.X[last]/10 {
		first--
	}
	return math.Log(s.Y[last]/s.Y[first]) / math.Log(s.X[last]/s.X[first])
}

// openNetwork repeats the experiment about windows with the network model's switch and package reps itself, with
// and without congestion control.
func openNetwork(r *openRuns) openPart {
	const ports, threshold, delay = 32, 25, 100 // as in a curve of panel (d)
	const replicas, slots = 20, 20_000
	r.points = 6
	t := frame.Table{Name: "network"}
	var found []string
	var queues []mc.Estimate // queues with the largest window
	var idle []float64
	for _, cc := range []string{"none", "dctcp"} {
		control := map[string]func() transport.Control{"none": fixedWindow, "dctcp": dctcp}[cc]
		for _, window := range []int{delay + 1, delay + 11, delay + 51} {
			cfg := experiment.OneSwitch{Bins: ports, Threshold: threshold, Delay: delay, Window: window, Rounds: slots}
			runs := replicasOf(r, cfg, replicas, onMap, switchRunner(cfg, control))
			largest := meanCount(runs, func(run switchRun) int64 { return run.Largest })
			busy := meanOf(runs, func(run switchRun) float64 { return run.Busy }).Value
			t.Add(cells{{"cc", cc}, {"ports", ports}, {"threshold", threshold}, {"delay", delay},
				{"window", window}, {"slots", slots}, {"max_queue_mean", frame.WithEnds(largest)},
				{"busy_fraction", busy}}, madeFrom(r.Seed, len(runs)))
			found = append(found, fmt.Sprintf("%s, W = %d: %s, %.4g %%", cc, window,
				withBounds(largest, "%.3g"), 100*busy))
			if window == delay+51 {
				queues, idle = append(queues, largest), append(idle, 1-busy)
			}
		}
	}
	if r.err != nil {
		return openPart{}
	}
	return openPart{
		title: "The window and congestion control",
		texts: notes(facts{"ports": ports, "threshold": threshold, "delay": delay, "replicas": replicas, "slots": slots,
			"found": joined(found), "shown": queues[1].Hi < queues[0].Lo && idle[1] > idle[0]}, "open-network"),
		rows: t,
	}
}

// switchRun holds statistics of the second half of a run of one switch.
type switchRun struct {
	Largest int64   // queue of any port, packets
	Busy    float64 // share of port-slots with a packet to send
}

// switchRunner opens runners of a switch with REPS in its hosts.
func switchRunner(of experiment.OneSwitch, control func() transport.Control) func() (engine.ReplicaRunner[switchRun], error) {
	return func() (engine.ReplicaRunner[switchRun], error) {
		network, err := fattree.Build(of.Spec())
		if err != nil {
			return nil, err
		}
		sender, err := balance.NewRecycling(balance.Paper, reps.Config{EVSSize: of.Bins})
		run := transport.NewRun(network)
		return func(ctx context.Context, seed, replica uint64) (switchRun, error) {
			run.Begin(sender, control(), fattree.NewStreams(seed, replica))
			largest, busy := 0, 0
			for slot := range of.Rounds {
				run.Step()
				for port := range of.Bins {
					if queue := run.QueueLength(port); 2*slot >= of.Rounds && queue > 0 {
						largest = max(largest, queue)
						busy++
					}
				}
			}
			return switchRun{int64(largest), float64(busy) / float64((of.Rounds-of.Rounds/2)*of.Bins)}, ctx.Err()
		}, err
	}
}
