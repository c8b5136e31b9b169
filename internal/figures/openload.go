package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// openLost measures the largest load for λ < 1 as a function of 1/(1 - λ).
func openLost(scale Scale) openExperiment {
	const n = 64
	lambdas := []float64{0.8, 0.9, 0.95, 0.98, 0.99}
	clockings := recycled.Clockings()
	replicas, rounds := scale.replicas(10, 40), choose(scale, 5000, 50_000)
	return openExperiment{len(lambdas) * (len(clockings) + 1), func(r *openRuns) openPart {
		t := table.Table{Name: "lambda"}
		panel := plot.Panel{Title: "(e) Balls lost, n = 64", XLabel: "1 / (1 - λ)", YLabel: "Mean maximum load",
			X: onScale(plot.Log10), Y: onScale(plot.Log2, 8), Legend: plot.Above}
		threshold := theoremThreshold(n)
		row := func(process string, threshold any, lambda float64, load mc.Estimate, random float64, runs uint64) {
			addRow(&t, cells{{"process", process}, {"bins", n}, {"threshold", threshold}, {"lambda", lambda},
				{"rounds", rounds}},
				withEnds("max_load_mean", "max_load", load), cells{{"random_throw_fraction", random}},
				madeFrom(r.settings.Seed, runs))
		}
		var loads []plot.Series
		for i, clocking := range clockings {
			s := plot.Series{Name: string(clocking), Mark: plot.LinePoints, Color: plot.NthColor(i)}
			for _, lambda := range lambdas {
				cfg := recycled.Config{Bins: n, Clocking: clocking, Lambda: lambda, MaxRounds: rounds}
				o := estimate(r, replicas, onMap, simulating(recycled.Simulate, cfg))
				appendPoint(&s, 1/(1-lambda), o.MaxLoad)
				row(string(clocking), threshold, lambda, o.MaxLoad, o.RandomFraction.Value, o.Replicas)
			}
			loads = append(loads, s)
		}
		oblivious := plot.Series{Name: "OPS, last round", Mark: plot.LinePoints, Color: plot.Purple}
		for _, lambda := range lambdas {
			cfg := ballsbins.Config{Bins: n, Lambda: lambda, Rounds: []int{rounds}}
			for _, o := range estimate(r, replicas, onMap, simulating(ballsbins.Simulate, cfg)).Observations {
				appendPoint(&oblivious, 1/(1-lambda), o.MaxLoad)
				row("ops", nil, lambda, o.MaxLoad, 1, replicas)
			}
		}
		if r.err != nil {
			return openPart{}
		}
		panel.Series = append(loads, oblivious)
		panel.References = level(float64(threshold), "τ")
		ends := func(s plot.Series) string {
			last := len(s.Y) - 1
			return fmt.Sprintf("%s %.3g [%.3g, %.3g] and %.3g [%.3g, %.3g]", s.Name, s.Y[0], s.Lo[0], s.Hi[0],
				s.Y[last], s.Lo[last], s.Hi[last])
		}
		return openPart{
			answer: openAnswer{
				title:      "Lost balls",
				question:   "The theory is for λ = 1. With each throw lost with probability 1 - λ nothing is absorbing: do loads stay O(ln n), or are they O(ln n/(1 - λ)) as for oblivious spraying?",
				experiment: fmt.Sprintf("All three clockings at n = %d, τ = %d and λ = 0.8..0.99, %d runs of %d rounds: the largest load of a run; OPS: the maximum at the last round, which is less (panel e; open-lambda.csv).", n, threshold, replicas, rounds),
				found: fmt.Sprintf("Loads of recycled balls hardly depend on λ, while those of OPS grow like 1/(1 - λ). At λ = 0.8 and 0.99: %s. The bound O(ln n/(1 - λ)) that the runs are compatible with is far too weak for them. In round-robin, which does not converge at λ = 1, losses help: they take away what has gathered too much.",
					each(panel.Series, ends)),
			},
			rows: t, panel: panel,
		}
	}}
}

// openCoalesced follows the balls under coalescing over decades of rounds.
func openCoalesced(scale Scale) openExperiment {
	const n = 32
	ratios := []int{1, 2, 4, 8}
	variants := []coalescing.Variant{coalescing.Standard, coalescing.Carry}
	rounds := []int{200, 500, 1000, 2000, 5000, 10_000, 20_000}
	rounds = append(rounds, choose(scale, nil, []int{50_000, 100_000, 200_000})...)
	replicas := scale.replicas(6, 20)
	return openExperiment{len(ratios) + 1, func(r *openRuns) openPart {
		panel := plot.Panel{Title: "(f) One ACK in r, n = 32", XLabel: "Round", YLabel: "Balls per bin M/n",
			X: onScale(plot.Log10), Y: onScale(plot.Log2, 4), Legend: plot.Above}
		t := table.Table{Name: "coalescing"}
		add := func(variant coalescing.Variant, ratio int) {
			cfg := coalescing.Config{Bins: n, Ratio: ratio, Variant: variant, Rounds: rounds}.WithDefaults()
			s := plot.Series{Name: fmt.Sprintf("%s, r = %d", variant, ratio), Mark: plot.LinePoints,
				Color: plot.NthColor(len(panel.Series))}
			for _, o := range estimate(r, replicas, onMap, simulating(coalescing.Simulate, cfg)).Observations {
				e := o.TotalLoad.Per(n)
				appendPoint(&s, float64(o.Round), e)
				addRow(&t, cells{{"ack_variant", string(variant)}, {"ack_ratio", ratio}, {"bins", n},
					{"threshold", cfg.Threshold}, {"round", o.Round}},
					withEnds("balls_per_bin", "balls", e),
					cells{{"max_load_mean", o.MaxLoad.Value}, {"random_throw_fraction", o.RandomFraction.Value}},
					madeFrom(r.settings.Seed, replicas))
			}
			panel.Series = append(panel.Series, s)
		}
		for _, ratio := range ratios {
			add(variants[0], ratio)
		}
		add(variants[1], ratios[len(ratios)-1])
		if r.err != nil {
			return openPart{}
		}
		panel.References = level(float64(theoremThreshold(n)), "τ")
		growth := func(s plot.Series) string {
			last := len(s.Y) - 1
			return fmt.Sprintf("%s: %.3g to %.3g [%.3g, %.3g], exponent %.2f over the last decade", s.Name, s.Y[0],
				s.Y[last], s.Lo[last], s.Hi[last], lastDecade(s))
		}
		return openPart{
			answer: openAnswer{
				title:    "Coalesced acknowledgements",
				question: "With one ACK for r balls, do the balls in the bins settle? The paper: queues barely exceed τ.",
				experiment: fmt.Sprintf("Round-robin with memory consumed by use, n = %d, τ = %d, %d runs, M/n from round %d to round %d (panel f; open-coalescing.csv; fig20 has maximum loads).",
					n, theoremThreshold(n), replicas, rounds[0], rounds[len(rounds)-1]),
				found: fmt.Sprintf("%s. M never falls at full rate, and under standard coalescing with r >= 4 it keeps growing, faster the larger r is: at most one throw in r can be recycled, so the others are oblivious. A statement that queues barely exceed τ is therefore one about the horizon. For r = 2 the growth is slow; that it stops is not shown. Carry, which teaches all r, grows no faster at r = 8 than r = 1 does.",
					each(panel.Series, growth)),
			},
			rows: t, panel: panel,
		}
	}}
}

// lastDecade returns the slope of ln y over ln x from a tenth of the last x on.
func lastDecade(s plot.Series) float64 {
	last := len(s.X) - 1
	first := last
	for first > 0 && s.X[first-1] >= s.X[last]/10 {
		first--
	}
	return math.Log(s.Y[last]/s.Y[first]) / math.Log(s.X[last]/s.X[first])
}

// The switch of openNetwork: the panel (d) set-up of τ = 25, d = 100.
const (
	networkPorts     = 32
	networkThreshold = 25
	networkDelay     = 100
)

// networkRun is the second half of a run of the switch.
type networkRun struct {
	largest int64   // queue of any port, packets
	busy    float64 // share of port-slots with a packet to send
}

// openNetwork repeats the window's experiment with the network model's switch and
// the real package reps, with and without congestion control.
func openNetwork(scale Scale) openExperiment {
	windows := []int{networkDelay + 1, networkDelay + 11, networkDelay + 51}
	controls := []struct {
		name    string
		control func() fattree.Control
	}{
		{"none", fixedWindow},
		{"dctcp", dctcp},
	}
	replicas, slots := scale.replicas(6, 20), choose(scale, 3000, 20_000)
	return openExperiment{len(windows) * len(controls), func(r *openRuns) openPart {
		t := table.Table{Name: "network"}
		var found []string
		for _, c := range controls {
			for _, window := range windows {
				runs := estimate(r, replicas, onMap, switchRuns(c.control, window, slots))
				largest := meanCount(runs, func(n networkRun) int64 { return n.largest })
				busy := meanOf(runs, func(n networkRun) float64 { return n.busy }).Value
				addRow(&t, cells{{"cc", c.name}, {"ports", networkPorts}, {"threshold", networkThreshold},
					{"delay", networkDelay}, {"window", window}, {"slots", slots}},
					withEnds("max_queue_mean", "max_queue", largest), cells{{"busy_fraction", busy}},
					madeFrom(r.settings.Seed, replicas))
				found = append(found,
					fmt.Sprintf("%s, W = %d: largest queue %.3g [%.3g, %.3g], busy %.4g %%", c.name, window,
						largest.Value, largest.Lo, largest.Hi, 100*busy))
			}
		}
		if r.err != nil {
			return openPart{}
		}
		return openPart{
			answer: openAnswer{
				title:    "The window and congestion control",
				question: "Does congestion control do in the network what a small window does in the theory?",
				experiment: fmt.Sprintf("The network model's single switch with package reps in its hosts, which without congestion control equals per-flow load by load: %d ports, marking above τ = %d, d = %d, initial windows W, %d runs of %d slots; the largest queue and the share of busy port-slots in the second half (open-network.csv).",
					networkPorts, networkThreshold, networkDelay, replicas, slots),
				found: fmt.Sprintf("%s. It does, at a price. Without control the queues are what the window makes them. With the DCTCP variant marks cut a large window until the queues are of the order of the threshold again; the ports then idle more, as the cut of marks that come a round trip late is too deep.",
					joined(found)),
			},
			rows: t,
		}
	}}
}

// switchRuns returns the experiment that runs the switch.
func switchRuns(control func() fattree.Control, window, slots int) func(context.Context, mc.Plan) ([]networkRun,
	error) {
	open := func() (replicaRunner[networkRun], error) {
		network, err := fattree.Build(fattree.OneSwitch{Bins: networkPorts, Threshold: networkThreshold,
			Delay: networkDelay, Window: window, Rounds: slots}.Spec())
		if err != nil {
			return nil, err
		}
		sender, err := balance.NewRecycling(balance.Paper, reps.Config{EVSSize: networkPorts})
		run := network.NewRun()
		return func(ctx context.Context, seed, replica uint64) (networkRun, error) {
			run.Begin(sender, control(), fattree.NewStreams(seed, replica))
			largest, busy := 0, 0
			for slot := range slots {
				run.Step()
				for port := range networkPorts {
					if queue := run.QueueLength(port); 2*slot >= slots && queue > 0 {
						largest = max(largest, queue)
						busy++
					}
				}
			}
			return networkRun{int64(largest), float64(busy) / float64((slots-slots/2)*networkPorts)}, ctx.Err()
		}, err
	}
	return func(ctx context.Context, plan mc.Plan) ([]networkRun, error) {
		list := trials[int, networkRun]{{window, plan.Replicas, open}}
		runs, err := list.run(ctx, Settings{Seed: plan.Seed, Workers: plan.Workers})
		return runs[window], err
	}
}
