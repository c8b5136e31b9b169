package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// The horizons of the figure, in rounds: the horizon of fig. 18, the horizon of the authors' script, and one that
// shows the trend.
const (
	fig20Short  = 200
	fig20Middle = 2000
	fig20Long   = 100_000
)

// fig20Curve is a process with its observations.
type fig20Curve struct {
	key   string            // "ops", or one of the keys below
	cfg   coalescing.Config // of OPS only Bins and Threshold
	lines []fig20Line
	seen  []fig20Observation
}

// fig20Line says in which of a switch's three panels to draw a curve, and under which name.
type fig20Line struct {
	panel int
	name  string
	color plot.Color
}

// fig20Observation is the mean over replicas after a round.
type fig20Observation struct {
	coalescing.Observation
	replicas uint64
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

// tau returns the threshold in the process's own terms: in the authors' script a queue of length τ is already
// overfull.
func (c *fig20Curve) tau() int {
	if c.key == fig20Script {
		return c.cfg.Threshold + 1
	}
	return c.cfg.Threshold
}

// overTau returns the mean maximum load after a round as a multiple of the threshold.
func (c *fig20Curve) overTau(round int) mc.Estimate { return c.maxLoad(round).Per(float64(c.tau())) }

// maxLoad returns the mean maximum load after a round.
func (c *fig20Curve) maxLoad(round int) mc.Estimate {
	return c.seen[slices.IndexFunc(c.seen, func(o fig20Observation) bool { return o.Round == round })].MaxLoad
}

// fig20Curves returns the curves of a switch of n ports, OPS last.
func fig20Curves(n int) []*fig20Curve {
	var list []*fig20Curve
	add := func(key string, cfg coalescing.Config, lines ...fig20Line) {
		cfg.Bins = n
		list = append(list, &fig20Curve{key: key, cfg: cfg.WithDefaults(), lines: lines})
	}
	for panel, of := range []struct {
		key, short string
		variant    coalescing.Variant
		color      plot.Color
	}{{fig20Standard, "standard at 8:1", coalescing.Standard, plot.Rose},
		{fig20Script, "script at 8:1", coalescing.EveryRthRound, plot.Sand}} {
		for i, ratio := range []int{1, 2, 4, 8} {
			lines := []fig20Line{{panel, fmt.Sprintf("%d:1", ratio), plot.NthColor(i)}}
			if ratio == 8 {
				lines = append(lines, fig20Line{2, of.short, of.color})
			}
			add(of.key, coalescing.Config{Variant: of.variant, Ratio: ratio}, lines...)
		}
	}
	add(fig20Carry, coalescing.Config{Variant: coalescing.Carry, Ratio: 8},
		fig20Line{2, "carry EVs", plot.Olive})
	add(fig20Rings, coalescing.Config{Variant: coalescing.Carry, Ratio: 8, Clocking: recycled.PerFlow},
		fig20Line{2, "carry EVs, ring per sender", plot.Black})
	add(fig20Reuse, coalescing.Config{Variant: coalescing.Reuse, Ratio: 8}, fig20Line{2, "reuse EVs", plot.Teal.Hollow()})
	ops := &fig20Curve{key: fig20OPS, cfg: coalescing.Config{Bins: n, Threshold: list[0].cfg.Threshold}}
	spraying := lb("ops")
	for panel := range 3 {
		ops.lines = append(ops.lines, fig20Line{panel, spraying.name, spraying.color})
	}
	return append(list, ops)
}

// longReplicas returns the number of runs to the last round. Processes with senders cost more and have fewer.
func (c *fig20Curve) longReplicas() uint64 {
	if c.key == fig20OPS || c.key == fig20Script {
		return 32
	}
	return 8
}

// observe returns an estimation that observes the given rounds.
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
	return lists.Map(result.Observations, func(o ballsbins.Observation) coalescing.Observation {
		return coalescing.Observation{Round: o.Round, MaxLoad: o.MaxLoad, TotalLoad: o.TotalLoad}
	}), err
}

// fig20Key is the key of an experiment of the figure: a curve, up to its middle or beyond it.
type fig20Key struct {
	curve *fig20Curve
	long  bool
}

// RecordedAs returns the curve by name.
func (k fig20Key) RecordedAs() any { return k.String() + map[bool]string{true: ", long"}[k.long] }

// String names the curve.
func (k fig20Key) String() string {
	return fmt.Sprintf("%s, n = %d, %d:1", k.curve.key, k.curve.cfg.Bins, k.curve.cfg.Ratio)
}

// fig20 reproduces the maximum queue under ACK coalescing, by the round.
func fig20(ctx context.Context, s engine.Settings) (engine.Output, error) {
	// The authors' script has 8 ports.
	switches := [][]*fig20Curve{fig20Curves(8), fig20Curves(32)}
	const short = 400
	var list engine.Estimations[fig20Key, []coalescing.Observation]
	for _, c := range slices.Concat(switches...) {
		list.Add(fig20Key{c, false}, short, c.observe(logRounds(0, fig20Middle)))
		list.Add(fig20Key{c, true}, c.longReplicas(), c.observe(logRounds(fig20Middle, fig20Long)))
	}
	seen, err := list.Run(ctx, s)
	if err != nil {
		return engine.Output{}, err
	}
	for _, e := range list {
		for _, o := range seen.At(e.Key) {
			o.MaxLoad = o.MaxLoad.OfFew(counted(1))
			e.Key.curve.seen = append(e.Key.curve.seen, fig20Observation{o, o.MaxLoad.N})
		}
	}
	return engine.Output{
		Tables:   []frame.Table{fig20Table(switches, s.Seed)},
		Plot:     fig20Plot(switches),
		Notes:    notes(facts{"replicas": short}, "fig20"),
		Findings: []claims.Finding{fig20Barely(switches), fig20Better(switches)},
	}, nil
}

// fig20Table lists every curve at every observed round.
func fig20Table(switches [][]*fig20Curve, seed uint64) frame.Table {
	var t frame.Table
	for _, c := range slices.Concat(switches...) {
		for _, o := range c.seen {
			variant, clocking, acked := string(c.cfg.Variant), string(c.cfg.Clocking), c.key != fig20OPS
			if !acked {
				variant, clocking = c.key, ""
			}
			t.Add(cells{{"variant", variant}, {"clocking", clocking}, {"ack_ratio", orNull(acked, c.cfg.Ratio)},
				{"bins", c.cfg.Bins}, {"threshold", c.cfg.Threshold},
				{"colors_per_bin", orNull(c.cfg.Clocking == recycled.RoundRobin, c.cfg.Colors)}, {"round", o.Round},
				{"max_load_mean", frame.WithErrorAndEnds(o.MaxLoad)}, {"max_load_p95", orNull(acked, o.MaxLoadP95.Value)},
				{"total_load_per_bin", o.TotalLoad.Value / float64(c.cfg.Bins)},
				{"peak_load_mean", orNull(acked, o.Peak.Value)},
				{"over_threshold_fraction", orNull(acked, o.OverThreshold.Value)},
				{"random_throw_fraction", orNull(acked, o.RandomFraction.Value)}},
				madeFrom(seed, o.replicas))
		}
	}
	return t
}

// fig20Plot draws a row of panels for each switch: standard by the ratio, the authors' script by the ratio, and
// all variants at 8:1.
func fig20Plot(switches [][]*fig20Curve) *plot.Plot {
	figure := plot.Plot{Columns: plot.Double, Height: 4.2, SharedLegend: true}
	letter := 'a'
	for _, curves := range switches {
		ops := curves[len(curves)-1]
		top := 1.3 * ops.seen[len(ops.seen)-1].MaxLoad.Value
		var panels []plot.Panel
		for i, title := range []string{"Standard", "Authors' script", "All at 8:1"} {
			tau := fig20Find(curves, []string{fig20Standard, fig20Script, fig20Standard}[i], 8).tau()
			panels = append(panels, plot.Panel{
				Title:  fmt.Sprintf("(%c) %s, n = %d, τ = %d", letter, title, ops.cfg.Bins, tau),
				XLabel: "Round", YLabel: "Mean max. queue (packets)",
				X: onScale(plot.Log10), Y: onScale(plot.Log2, 2, top),
				References: level(float64(tau), "threshold τ"),
			})
			letter++
		}
		for _, c := range curves {
			for _, line := range c.lines {
				series := plot.Series{Name: line.name, Color: line.color}
				for _, o := range c.seen {
					appendPoint(&series, float64(o.Round), o.MaxLoad)
				}
				panels[line.panel].Series = append(panels[line.panel].Series, series)
			}
		}
		figure.Panels = append(figure.Panels, panels)
	}
	return &figure
}

// fig20Find returns the curve of a process at a ratio. OPS has no ratio.
func fig20Find(curves []*fig20Curve, key string, ratio int) *fig20Curve {
	for _, c := range curves {
		if c.key == key && c.cfg.Ratio == ratio {
			return c
		}
	}
	panic(fmt.Sprintf("figures: fig20: no curve for %s at %d:1", key, ratio))
}

// fig20Barely grades whether queues barely exceed the threshold at 2:1 and 4:1.
func fig20Barely(switches [][]*fig20Curve) claims.Finding {
	var barely rule
	for _, of := range []struct {
		key, name string
		switches  [][]*fig20Curve
	}{{fig20Standard, "standard coalescing", switches}, {fig20Script, "the authors' script", switches[:1]}} {
		for _, ratio := range []int{2, 4} {
			var all rule
			most := 0.0
			for _, curves := range of.switches {
				c := fig20Find(curves, of.key, ratio)
				early, late := c.overTau(fig20Short), c.overTau(fig20Middle)
				all.add(claims.Met("N086", "queue", early).Condition, "")
				all.add(claims.Met("N086", "queue", late).Condition, "")
				most = max(most, early.Value, late.Value)
			}
			name := fmt.Sprintf("%s at %d:1", of.name, ratio)
			barely.part(name, all.holds(), "%s %.2f", name, most)
		}
	}
	rings := fig20Find(switches[0], fig20Rings, 8).overTau(fig20Middle)
	return barely.inParts("N086", "largest mean maximum queue / τ: ", "; ",
		fmt.Sprintf("if ACKs carry all EVs, queues reach only %.2f τ even at 8:1", rings.Value))
}

// fig20Better grades whether 8:1 is better than oblivious spraying.
func fig20Better(switches [][]*fig20Curve) claims.Finding {
	var better rule
	var shorter []string
	for _, round := range []int{fig20Short, fig20Middle} {
		least, most := 1.0, 0.0
		for _, curves := range switches {
			theirs := fig20Find(curves, fig20OPS, 0).maxLoad(round)
			for _, key := range []string{fig20Standard, fig20Script} {
				c := fig20Find(curves, key, 8)
				ours := c.maxLoad(round)
				better.add(claims.ClearlyBelow(ours, theirs), "")
				gain := 1 - ours.Value/theirs.Value
				least, most = min(least, gain), max(most, gain)
			}
		}
		shorter = append(shorter, fmt.Sprintf("%.0f to %.0f %% shorter after %d rounds", 100*least, 100*most, round))
	}
	return better.all("N087", "mean maximum queue at 8:1 against OPS: "+strings.Join(shorter, ", "), "",
		fmt.Sprintf("least and most of %d comparisons", len(better.parts)))
}
