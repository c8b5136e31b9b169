package figures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"repslab/ballsbins"
	"repslab/fattree"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/internal/checks"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// The switch of the cross-check.
const (
	crossBins      = 32
	crossRoundTrip = 100 // slots
	crossNear      = 14  // τ without a delay: 4 ln 32
	crossFar       = 25  // τ with a delay: Kmin of the network's figures
)

// crossCurve is a process to follow in the theory, in the network or in both.
type crossCurve struct {
	panels    []int  // the first two panels draw theory and network, the others only the network
	name      string // in the legend
	color     plot.Color
	lb, cc    string
	threshold int
	delay     int
	window    int  // 0 is none
	theory    bool // follow it also in the theory
	evs       int  // number of EVs hashed onto ports; 0 is one EV for each port

	inNetwork, inTheory []mc.Estimate // maximum loads at the observed rounds
	random              mc.Estimate   // share of throws that are not recycled
	differing           int64         // number of loads that differ but must not, in all runs
}

// crossCurves returns the processes of the figure.
func crossCurves() []*crossCurve {
	near := func(of scheme) *crossCurve {
		return &crossCurve{panels: []int{0}, name: of.name, color: of.color, lb: of.key, cc: "none", threshold: crossNear, theory: true}
	}
	far := func(name string, color plot.Color, window int, panels ...int) *crossCurve {
		return &crossCurve{panels: panels, name: name, color: color, lb: "reps", cc: "none", threshold: crossFar,
			delay: crossRoundTrip, window: window, theory: true}
	}
	hashed := func(name string, color plot.Color, evs int) *crossCurve {
		c := far(name, color, 101, 3)
		c.theory, c.evs = false, evs
		return c
	}
	controlled := func(of scheme) *crossCurve {
		c := far(of.name+", DCTCP", of.color, 151, 2)
		c.theory, c.lb, c.cc = false, of.key, "dctcp"
		return c
	}
	return []*crossCurve{
		near(lb("ops")),
		near(lb("reps")),
		far("no window", plot.Indigo, 0, 1),
		far("W = 151", plot.Wine, 151, 1, 2),
		far("W = 111", plot.Olive, 111, 1),
		far("W = 101", plot.Teal, 101, 1, 3),
		controlled(lb("reps")),
		controlled(lb("ops")),
		hashed("65,536 EVs", plot.Black, fullEVS),
		hashed("256 EVs", plot.Rose, 256),
		hashed("32 EVs", plot.Magenta, 32),
	}
}

// String names the curve.
func (c *crossCurve) String() string { return c.name }

// RecordedAs returns the name.
func (c *crossCurve) RecordedAs() any { return c.name }

// drawsSame reports whether theory and network use the same random words, so that every load must be equal.
func (c *crossCurve) drawsSame() bool { return c.theory && c.lb == "reps" }

// crossRun is a replica of a curve.
type crossRun struct {
	Network, Theory []int64 // maximum loads at the observed rounds
	Differing       int64   // number of loads that differ but must not
	Random          float64 // share of throws that are not recycled
}

// process returns the theory's process: the batched one, or senders with rings.
func (c *crossCurve) process() openQueues {
	if c.lb == "ops" {
		return sprayed(ballsbins.Config{Bins: crossBins})
	}
	return recycling(recycled.Config{Bins: crossBins, Threshold: c.threshold, Clocking: recycled.PerFlow,
		Delay: c.delay, Window: c.window})
}

// runner opens runners that follow a replica up to the last observed round.
func (c *crossCurve) runner(rounds []int) (engine.ReplicaRunner[crossRun], error) {
	last, evs, control := rounds[len(rounds)-1], crossBins, fixedWindow
	spec := experiment.OneSwitch{Bins: crossBins, Threshold: c.threshold, Delay: c.delay, Window: c.window,
		Rounds: last}.Spec()
	if c.evs > 0 {
		spec.Choose, evs = nil, c.evs
	}
	if c.cc == "dctcp" {
		control = dctcp
	}
	network, err := fattree.Build(spec)
	if err != nil {
		return nil, err
	}
	balancer, err := lb(c.lb).open(evs)
	if err != nil {
		return nil, err
	}
	theory, err := c.process()()
	run, pause := transport.NewRun(network), checks.Every(crossBins)
	return func(ctx context.Context, seed, replica uint64) (out crossRun, err error) {
		streams := fattree.NewStreams(seed, replica)
		run.Begin(balancer, control(), streams)
		theory.reset(streams.Balancer())
		for round := 1; round <= last; round++ {
			if round%pause == 0 && ctx.Err() != nil {
				return out, ctx.Err()
			}
			run.Step()
			if c.theory {
				theory.step()
			}
			inNetwork := 0
			for bin := range crossBins {
				inNetwork = max(inNetwork, run.QueueLength(bin))
				if c.drawsSame() && run.QueueLength(bin) != theory.load(bin) {
					out.Differing++
				}
			}
			if round == rounds[len(out.Network)] {
				out.Network = append(out.Network, int64(inNetwork))
				out.Theory = append(out.Theory, int64(theory.longest()))
			}
		}
		result, err := run.Result()
		if err == nil {
			out.Random = 1 - float64(result.Recycled)/float64(result.Sent)
		}
		return out, err
	}, err
}

// crosscheck compares the theory's processes with the network of one switch, and shows the effects of what the
// theory omits.
func crosscheck(ctx context.Context, s engine.Settings) (engine.Output, error) {
	curves := crossCurves()
	rounds := logRounds(0, 100_000)
	const replicas = 10
	var list engine.Trials[*crossCurve, crossRun]
	for _, c := range curves {
		list.Add(c, replicas, func() (engine.ReplicaRunner[crossRun], error) { return c.runner(rounds) })
	}
	runs, err := list.Run(ctx, s)
	if err != nil {
		return engine.Output{}, err
	}
	for _, c := range curves {
		for i := range rounds {
			c.inNetwork = append(c.inNetwork, meanCount(runs.At(c), func(r crossRun) int64 { return r.Network[i] }))
			c.inTheory = append(c.inTheory, meanCount(runs.At(c), func(r crossRun) int64 { return r.Theory[i] }))
		}
		c.random = inSupport(runs.At(c), func(r crossRun) float64 { return r.Random }, shareOf(1, 0))
		for _, r := range runs.At(c) {
			c.differing += r.Differing
		}
	}
	return engine.Output{
		Tables: crossTables(curves, rounds, s.Seed),
		Plot:   crossPlot(curves, rounds),
		Notes:  crossNotes(curves, rounds[len(rounds)-1], replicas),
	}, nil
}

// crossTables lists maximum loads over time, in the network and in the theory. It also lists in how many rounds
// and bins the two differ, and the random share.
func crossTables(curves []*crossCurve, rounds []int, seed uint64) []frame.Table {
	over, ends := frame.Table{}, frame.Table{Name: "runs"}
	for _, c := range curves {
		parameters := cells{{"lb", c.lb}, {"cc", c.cc}, {"bins", crossBins}, {"threshold", c.threshold},
			{"delay", c.delay}, {"window", orNull(c.window > 0, c.window)}, {"hashed_evs", orNull(c.evs > 0, c.evs)}}
		for i, round := range rounds {
			n, m := c.inNetwork[i], c.inTheory[i]
			over.Add(parameters, cells{{"round", round}, {"network_max_load_mean", frame.WithError(n)},
				{"theory_max_load_mean", frame.WithError(knownIf(c.theory, m))}}, madeFrom(seed, n.N))
		}
		ends.Add(parameters, cells{{"random_throw_fraction", c.random.Value},
			{"differing_loads", orNull(c.drawsSame(), c.differing)}}, madeFrom(seed, c.random.N))
	}
	return []frame.Table{over, ends}
}

// crossPlot draws the theory as lines and the network as points, in one panel without a delay and one with a
// delay, and then the network alone.
func crossPlot(curves []*crossCurve, rounds []int) *plot.Plot {
	titles := []string{"(a) No delay, τ = 14", "(b) REPS, round trip of 100 slots, window W, τ = 25",
		"(c) Network: congestion control, first window 151", "(d) Network: REPS, W = 101, EVs hashed onto ports"}
	panels := make([]plot.Panel, len(titles))
	for i, title := range titles {
		panels[i] = plot.Panel{Title: title, XLabel: "Round", YLabel: "Max. queue (packets)", Legend: plot.TopLeft,
			X: onScale(plot.Log10, 10, float64(rounds[len(rounds)-1])), Y: onScale(plot.Log2, 4, 2048),
			References: level(float64([]int{crossNear, crossFar, crossFar, crossFar}[i]), "threshold τ")}
		if i < 2 {
			none := []float64{math.NaN()} // only for the legend
			panels[i].Series = []plot.Series{{Name: "line: theory", Color: plot.Black, Dash: plot.Solid, X: none, Y: none},
				{Name: "points: network", Color: plot.Black, Mark: plot.Points, X: none, Y: none}}
		}
	}
	for _, c := range curves {
		for _, panel := range c.panels {
			draw := func(s plot.Series, loads []mc.Estimate) {
				for i, round := range rounds {
					if round >= 10 {
						appendPoint(&s, float64(round), loads[i])
					}
				}
				panels[panel].Series = append(panels[panel].Series, s)
			}
			if panel < 2 {
				draw(plot.Series{Name: c.name, Color: c.color}, c.inTheory)
				draw(plot.Series{Color: c.color, Mark: plot.Points}, c.inNetwork)
			} else {
				draw(plot.Series{Name: c.name, Color: c.color, Mark: plot.LinePoints}, c.inNetwork)
			}
		}
	}
	return &plot.Plot{Columns: plot.Double, Height: 4.6, Panels: [][]plot.Panel{panels[:2], panels[2:]}}
}

// crossNotes describes the set-up and says whether theory and network agree.
func crossNotes(curves []*crossCurve, last int, replicas uint64) []string {
	var same, differing int64
	var random []string
	for _, c := range curves {
		random = append(random, fmt.Sprintf("%s (τ = %d) %.2g", c.name, c.threshold, c.random.Value))
		if c.drawsSame() {
			same += int64(last) * crossBins * int64(replicas)
			differing += c.differing
		}
	}
	return notes(facts{"compared": same, "differing": differing, "random": strings.Join(random, ", "), "rounds": last,
		"replicas": replicas}, "crosscheck")
}
