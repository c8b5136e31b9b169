package figures

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// The horizons of the figure, in rounds: that of fig. 18, that of the authors' script,
// and one that shows the trend.
const (
	fig20Short  = 200
	fig20Middle = 2000
	fig20Long   = 100_000
)

// fig20Curve is a process and its observations.
type fig20Curve struct {
	key      string            // "ops" or as below
	cfg      coalescing.Config // of OPS, Bins and Threshold
	seen     []coalescing.Observation
	replicas []uint64 // of each observation
}

// The processes of the figure.
const (
	fig20OPS      = "ops"
	fig20Standard = "standard"
	fig20Script   = "every-rth-round"
	fig20Carry    = "carry"
	fig20Reuse    = "reuse"
	fig20Rings    = "carry, per-flow"
)

// at returns the observation of a round.
func (c *fig20Curve) at(round int) coalescing.Observation {
	for _, o := range c.seen {
		if o.Round == round {
			return o
		}
	}
	panic(fmt.Sprintf("figures: fig20: round %d is not observed", round))
}

// fig20Curves returns the curves of a switch of n ports, OPS last.
func fig20Curves(n int) []*fig20Curve {
	var list []*fig20Curve
	add := func(key string, cfg coalescing.Config, ratios ...int) {
		for _, r := range ratios {
			cfg.Bins, cfg.Ratio = n, r
			list = append(list, &fig20Curve{key: key, cfg: cfg.WithDefaults()})
		}
	}
	add(fig20Standard, coalescing.Config{}, 1, 2, 4, 8)
	add(fig20Script, coalescing.Config{Variant: coalescing.EveryRthRound}, 1, 2, 4, 8)
	add(fig20Carry, coalescing.Config{Variant: coalescing.Carry}, 8)
	add(fig20Rings, coalescing.Config{Variant: coalescing.Carry, Clocking: recycled.PerFlow}, 8)
	add(fig20Reuse, coalescing.Config{Variant: coalescing.Reuse}, 8)
	threshold := list[0].cfg.Threshold
	return append(list, &fig20Curve{key: fig20OPS, cfg: coalescing.Config{Bins: n, Threshold: threshold}})
}

// longReplicas returns the number of runs to the last round: fewer for balls
// with a sender, which cost more.
func (c *fig20Curve) longReplicas() uint64 {
	if c.key == fig20OPS || c.key == fig20Script {
		return 32
	}
	return 8
}

// observe returns the function of an estimation that observes the given rounds.
func (c *fig20Curve) observe(rounds []int) func(context.Context, mc.Plan) ([]coalescing.Observation, error) {
	return func(ctx context.Context, plan mc.Plan) ([]coalescing.Observation, error) {
		if c.key == fig20OPS {
			return fig20Oblivious(ctx, c.cfg.Bins, rounds, plan)
		}
		cfg := c.cfg
		cfg.Rounds = rounds
		result, err := coalescing.Simulate(ctx, cfg, plan)
		return result.Observations, err
	}
}

// fig20Oblivious estimates maximum and total loads under OPS.
func fig20Oblivious(ctx context.Context, bins int, rounds []int, plan mc.Plan) ([]coalescing.Observation, error) {
	result, err := ballsbins.Simulate(ctx, ballsbins.Config{Bins: bins, Rounds: rounds}, plan)
	var seen []coalescing.Observation
	for _, o := range result.Observations {
		seen = append(seen, coalescing.Observation{Round: o.Round, MaxLoad: o.MaxLoad, TotalLoad: o.TotalLoad})
	}
	return seen, err
}

// fig20Key is the key of an experiment of the figure: a curve, up to its middle or beyond.
type fig20Key struct {
	curve *fig20Curve
	long  bool
}

// fig20 reproduces the maximum queue under ACK coalescing, by the round.
func fig20(ctx context.Context, s Settings) (Output, error) {
	switches := [][]*fig20Curve{fig20Curves(8), fig20Curves(32)}
	short := s.Scale.replicas(100, 400)
	var list estimations[fig20Key, []coalescing.Observation]
	for _, c := range slices.Concat(switches...) {
		list.add(fig20Key{c, false}, short, c.observe(logRounds(0, fig20Middle)))
		if s.Scale == Full {
			list.add(fig20Key{c, true}, c.longReplicas(), c.observe(logRounds(fig20Middle, fig20Long)))
		}
	}
	seen, err := list.run(ctx, s)
	if err != nil {
		return Output{}, err
	}
	for _, e := range list {
		for _, o := range seen.at(e.key) {
			e.key.curve.seen, e.key.curve.replicas = append(e.key.curve.seen, o), append(e.key.curve.replicas,
				e.replicas)
		}
	}
	return Output{
		Tables:   []table.Table{fig20Table(switches, s.Seed)},
		Plot:     fig20Plot(switches),
		Notes:    fig20Notes(short, s.Scale == Full),
		Findings: []claims.Finding{fig20Barely(switches), fig20Better(switches)},
	}, nil
}

// fig20Table lists every curve at every observed round.
func fig20Table(switches [][]*fig20Curve, seed uint64) table.Table {
	var t table.Table
	for _, c := range slices.Concat(switches...) {
		for i, o := range c.seen {
			variant, clocking, acked := string(c.cfg.Variant), string(c.cfg.Clocking), c.key != fig20OPS
			if !acked {
				variant, clocking = c.key, ""
			}
			addRow(&t, cells{{"variant", variant}, {"clocking", clocking}, {"ack_ratio", orNull(acked, c.cfg.Ratio)},
				{"bins", c.cfg.Bins}, {"threshold", c.cfg.Threshold},
				{"colors_per_bin", orNull(c.cfg.Clocking == recycled.RoundRobin, c.cfg.Colors)}, {"round", o.Round}},
				withError("max_load_mean", "max_load", o.MaxLoad),
				cells{{"max_load_p95", orNull(acked, o.MaxLoadP95.Value)},
					{"total_load_per_bin", o.TotalLoad.Value / float64(c.cfg.Bins)},
					{"peak_load_mean", orNull(acked, o.Peak.Value)},
					{"over_threshold_fraction", orNull(acked, o.OverThreshold.Value)},
					{"random_throw_fraction", orNull(acked, o.RandomFraction.Value)}},
				madeFrom(seed, c.replicas[i]))
		}
	}
	return t
}

// fig20Plot draws a row of panels for each switch: standard by the ratio, the
// authors' script by the ratio, all variants at 8:1.
func fig20Plot(switches [][]*fig20Curve) *plot.Plot {
	figure := plot.Plot{Columns: plot.Double, Height: 4.2}
	letter := 'a'
	for _, curves := range switches {
		ops := curves[len(curves)-1]
		// Three times the largest mean leaves room for the legend.
		top := 3 * ops.seen[len(ops.seen)-1].MaxLoad.Value
		var panels []plot.Panel
		for _, title := range []string{"Standard", "Authors' script", "Variants at 8:1"} {
			panels = append(panels, plot.Panel{
				Title: fmt.Sprintf("(%c) %s, n = %d", letter, title,
					ops.cfg.Bins), XLabel: "Round", YLabel: "Mean max. queue (packets)",
				X: onScale(plot.Log10), Y: onScale(plot.Log2, 2, top), Legend: plot.TopLeft,
				References: level(float64(ops.cfg.Threshold), "τ"),
			})
			letter++
		}
		for _, c := range curves {
			c.draw(panels)
		}
		figure.Panels = append(figure.Panels, panels)
	}
	return &figure
}

// draw adds the curve to the panels that show it.
func (c *fig20Curve) draw(panels []plot.Panel) {
	add := func(panel int, name string, color plot.Color) {
		series := plot.Series{Name: name, Color: color}
		for _, o := range c.seen {
			appendPoint(&series, float64(o.Round), o.MaxLoad)
		}
		panels[panel].Series = append(panels[panel].Series, series)
	}
	byRatio, color := fmt.Sprintf("%d:1", c.cfg.Ratio), plot.Color(bits.Len(uint(c.cfg.Ratio)))
	highest := c.cfg.Ratio == 8
	switch c.key {
	case fig20Standard:
		add(0, byRatio, color)
		if highest {
			add(2, "standard", color)
		}
	case fig20Script:
		add(1, byRatio, color)
		if highest {
			add(2, "script", plot.Orange)
		}
	case fig20Carry:
		add(2, "carry EVs", plot.SkyBlue)
	case fig20Rings:
		add(2, "carry, rings", plot.Vermilion)
	case fig20Reuse:
		add(2, "reuse EVs", plot.Green)
	case fig20OPS:
		for i := range panels {
			add(i, "OPS", plot.Black)
		}
	}
}

// fig20Find returns the curve of a process at a ratio; OPS has none.
func fig20Find(curves []*fig20Curve, key string, ratio int) *fig20Curve {
	for _, c := range curves {
		if c.key == key && c.cfg.Ratio == ratio {
			return c
		}
	}
	panic(fmt.Sprintf("figures: fig20: no curve for %s at %d:1", key, ratio))
}

// fig20Barely judges whether queues barely exceed the threshold at 2:1 and 4:1.
func fig20Barely(switches [][]*fig20Curve) claims.Finding {
	var barely rule
	add := func(c *fig20Curve, judged bool) {
		tau := float64(c.cfg.Threshold)
		early, late := c.at(fig20Short).MaxLoad, c.at(fig20Middle).MaxLoad
		barely.words = append(barely.words,
			fmt.Sprintf("%s, n = %d, %d:1: %.2f, %.2f", c.key, c.cfg.Bins, c.cfg.Ratio, early.Value/tau,
				late.Value/tau))
		for _, e := range []mc.Estimate{early, late} {
			if judged {
				barely.add(claims.AtMost(e, 1.25*tau), "")
			}
		}
	}
	for _, curves := range switches {
		for _, key := range []string{fig20Standard, fig20Script} {
			for _, ratio := range []int{2, 4} {
				add(fig20Find(curves, key, ratio), true)
			}
		}
	}
	for _, curves := range switches {
		add(fig20Find(curves, fig20Rings, 8), false)
	}
	return barely.all("N086", "mean maximum queue / τ after round 200, 2,000: ", "; ",
		"near to the truth for the script at 2:1 and a short horizon. At 4:1 queues are a third to two thirds longer than τ after 200 rounds, and as at least all but one in r packets are sprayed at random they go on growing as far as was looked. Senders with rings and carry EVs are what keeps to τ, or nearly, even at 8:1")
}

// fig20Better judges whether 8:1 is better than oblivious spraying.
func fig20Better(switches [][]*fig20Curve) claims.Finding {
	var better rule
	for _, curves := range switches {
		ops := fig20Find(curves, fig20OPS, 0)
		for _, key := range []string{fig20Standard, fig20Script} {
			c := fig20Find(curves, key, 8)
			for _, round := range []int{fig20Short, fig20Middle} {
				ours, theirs := c.at(round).MaxLoad, ops.at(round).MaxLoad
				better.add(claims.ClearlyBelow(ours, theirs), "%s, n = %d, round %d: %.1f against %.1f", key,
					c.cfg.Bins, round, ours.Value, theirs.Value)
			}
		}
	}
	return better.all("N087", "mean maximum queue at 8:1 against OPS: ", "; ",
		"by a quarter to a third after 200 rounds, by about a half after 2,000: OPS grows faster")
}

// fig20Notes describes the set-up.
func fig20Notes(replicas uint64, long bool) []string {
	notes := []string{
		"Standard: a flow acknowledges every r-th of its packets, only that one is judged, and its EV serves one packet more. Round-robin clocking, b = 2.4 ln n colours a port; τ = 4 ln n, both rounded up (dashed line).",
		"Authors' script: every r-th round is a round of the self-clocked process, in the others all packets are sprayed at random. All ports thus lose their memory together, unlike under coalescing, where one packet in r is recycled. The script sets τ = 10 for n = 8 and counts a queue of τ as overfull, which is our 9.",
		"Carry EVs judges all r packets, each by the queue at its own departure; reuse EVs lets a remembered EV serve r packets. Carry, rings: REPS senders with a ring of 8 instead of the colours. 1:1 is not the recycled process of fig. 18 under standard, since using an EV consumes it, as in REPS; in the script it is.",
		fmt.Sprintf("Means over %d runs up to round 2,000, 95 %% intervals as bands.", replicas),
	}
	if long {
		return append(notes, "Beyond round 2,000 the means are over fewer runs, 32 of OPS and of the script and 8 of the others, hence the steps at that round.")
	}
	return append(notes, "`--full` goes on to round 100,000.")
}
