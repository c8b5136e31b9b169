package figures

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"repslab/ballsbins"
	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
	"repslab/reps"
)

// The switch of the cross-check.
const (
	crossBins      = 32
	crossRoundTrip = 100 // slots
	crossNear      = 14  // τ without a delay: 4 ln 32
	crossFar       = 25  // τ with one: Kmin of the network's figures
)

// crossCurve is a process that is followed in the theory, in the network or in both.
type crossCurve struct {
	panel     int
	name      string // in the legend
	color     plot.Color
	threshold int
	delay     int
	window    int // 0 is none
	oblivious bool
	theory    bool // follow it in the theory too
	evs       int  // hashed onto ports; 0 is one EV for each port
	control   func() fattree.Control

	runs []crossRun
}

// crossCurves returns the processes of the figure.
func crossCurves() []*crossCurve {
	none := fixedWindow
	far := func(panel int, name string, color plot.Color, window int) *crossCurve {
		return &crossCurve{panel: panel, name: name, color: color, threshold: crossFar, delay: crossRoundTrip,
			window: window, theory: true, control: none}
	}
	hashed := func(name string, color plot.Color, evs int) *crossCurve {
		c := far(3, name, color, 101)
		c.theory, c.evs = false, evs
		return c
	}
	controlled := func(name string, color plot.Color, oblivious bool) *crossCurve {
		c := far(2, name, color, 151)
		c.theory, c.oblivious, c.control = false, oblivious, dctcp
		return c
	}
	return []*crossCurve{
		{name: "OPS", color: plot.Vermilion, threshold: crossNear, oblivious: true, theory: true, control: none},
		{name: "REPS", color: plot.Blue, threshold: crossNear, theory: true, control: none},
		far(1, "REPS, no window", plot.Purple, 0),
		far(1, "REPS, W = 151", plot.SkyBlue, 151),
		far(1, "REPS, W = 111", plot.Green, 111),
		far(1, "REPS, W = 101", plot.Blue, 101),
		far(2, "REPS, W = 151", plot.SkyBlue, 151),
		controlled("REPS, DCTCP", plot.Blue, false),
		controlled("OPS, DCTCP", plot.Vermilion, true),
		far(3, "REPS, W = 101", plot.Blue, 101),
		hashed("hash, 65,536 EVs", plot.Black, fullEVS),
		hashed("hash, 256 EVs", plot.Green, 256),
		hashed("hash, 32 EVs", plot.Orange, 32),
	}
}

// crossRun is a replica of a curve.
type crossRun struct {
	network, theory []int64 // maximum loads at the observed rounds
	differing       int64
	random          float64 // share of throws that are not recycled
}

// balancer returns the senders of the network.
func (c *crossCurve) balancer() (fattree.Balancer, error) {
	evs := c.evs
	if evs == 0 {
		evs = crossBins
	}
	if c.oblivious {
		return balance.NewSpraying(evs)
	}
	return balance.NewRecycling(balance.Paper, reps.Config{EVSSize: evs})
}

// process returns the theory's process: the batched one, or that of senders with
// rings.
func (c *crossCurve) process() (queues, error) {
	if c.oblivious {
		return switchSetup{oblivious: ballsbins.Config{Bins: crossBins}}.open()
	}
	return switchSetup{recycled: recycled.Config{Bins: crossBins, Threshold: c.threshold, Clocking: recycled.PerFlow,
		Delay: c.delay, Window: c.window}}.open()
}

// spec describes the network for the given number of rounds.
func (c *crossCurve) spec(rounds int) fattree.Spec {
	spec := fattree.OneSwitch{Bins: crossBins, Threshold: c.threshold, Delay: c.delay, Window: c.window,
		Rounds: rounds}.Spec()
	if c.evs > 0 {
		spec.Choose = nil
	}
	return spec
}

// run follows a replica up to the last of the observed rounds. Under REPS theory
// and network draw the same words, so that each bin must hold the same in both.
func (c *crossCurve) run(ctx context.Context, seed, replica uint64, rounds []int) (crossRun, error) {
	last := rounds[len(rounds)-1]
	network, err := fattree.Build(c.spec(last))
	if err != nil {
		return crossRun{}, err
	}
	balancer, err := c.balancer()
	if err != nil {
		return crossRun{}, err
	}
	theory, err := c.process()
	if err != nil {
		return crossRun{}, err
	}
	streams := fattree.NewStreams(seed, replica)
	run := network.NewRun()
	run.Begin(balancer, c.control(), streams)
	theory.reset(streams.Balancer())
	var out crossRun
	pause := mc.CheckEvery(crossBins)
	for round := 1; round <= last; round++ {
		if round%pause == 0 && ctx.Err() != nil {
			return out, ctx.Err()
		}
		run.Step()
		inNetwork, inTheory := 0, 0
		if c.theory {
			theory.step()
		}
		for bin := range crossBins {
			inNetwork = max(inNetwork, run.QueueLength(bin))
			if c.theory {
				inTheory = max(inTheory, theory.load(bin))
				if !c.oblivious && run.QueueLength(bin) != theory.load(bin) {
					out.differing++
				}
			}
		}
		if round == rounds[len(out.network)] {
			out.network, out.theory = append(out.network, int64(inNetwork)), append(out.theory, int64(inTheory))
		}
	}
	sent, recycled := run.Progress()
	out.random = 1 - float64(recycled)/float64(sent)
	return out, nil
}

// loads returns the mean maximum loads in the network and in the theory at the i-th
// observed round.
func (c *crossCurve) loads(i int) (network, theory mc.Estimate) {
	return meanCount(c.runs, func(r crossRun) int64 { return r.network[i] }),
		meanCount(c.runs, func(r crossRun) int64 { return r.theory[i] })
}

// random returns the mean share of throws that are not recycled.
func (c *crossCurve) random() mc.Estimate {
	return meanOf(c.runs, func(r crossRun) float64 { return r.random })
}

// differing returns the number of rounds and bins in which network and theory differ, where
// they must not.
func (c *crossCurve) differing() (sum int64) {
	for _, r := range c.runs {
		sum += r.differing
	}
	return sum
}

// crosscheck compares the theory's processes with the network of one switch, and shows
// the effect of what the theory leaves out.
func crosscheck(ctx context.Context, s Settings) (Output, error) {
	curves := crossCurves()
	rounds := logRounds(0, choose(s.Scale, 10_000, 100_000))
	replicas := s.Scale.replicas(3, 10)
	var list trials[*crossCurve, crossRun]
	for _, c := range curves {
		list.add(c, replicas, func() (replicaRunner[crossRun], error) {
			return func(ctx context.Context, seed, replica uint64) (crossRun, error) {
				return c.run(ctx, seed, replica, rounds)
			}, nil
		})
	}
	runs, err := list.run(ctx, s)
	if err != nil {
		return Output{}, err
	}
	for _, c := range curves {
		c.runs = runs.at(c)
	}
	return Output{
		Tables: []table.Table{crossTable(curves, rounds, s.Seed), crossEnds(curves, s.Seed)},
		Plot:   crossPlot(curves, rounds),
		Notes:  crossNotes(curves, rounds[len(rounds)-1], replicas),
	}, nil
}

// cells returns the parameters of a curve.
func (c *crossCurve) cells() cells {
	lb, control := "reps", "none"
	if c.oblivious {
		lb = "ops"
	}
	if c.control() == dctcp() {
		control = "dctcp"
	}
	return cells{{"lb", lb}, {"cc", control}, {"bins", crossBins}, {"threshold", c.threshold}, {"delay", c.delay},
		{"window", orNull(c.window > 0, c.window)}, {"hashed_evs", orNull(c.evs > 0, c.evs)}}
}

// crossTable lists maximum loads over time, in the network and in the theory.
func crossTable(curves []*crossCurve, rounds []int, seed uint64) table.Table {
	var t table.Table
	for _, c := range curves {
		for i, round := range rounds {
			n, m := c.loads(i)
			addRow(&t, c.cells(), cells{{"round", round}, {"network_max_load_mean", n.Value},
				{"network_max_load_se", n.StdErr},
				{"theory_max_load_mean", orNull(c.theory, m.Value)},
				{"theory_max_load_se", orNull(c.theory, m.StdErr)}}, madeFrom(seed, n.N))
		}
	}
	return t
}

// crossEnds lists in how many rounds and bins theory and network differ, and the
// random share.
func crossEnds(curves []*crossCurve, seed uint64) table.Table {
	t := table.Table{Name: "runs"}
	for _, c := range curves {
		random := c.random()
		addRow(&t, c.cells(), cells{{"random_throw_fraction", random.Value},
			{"differing_loads", orNull(c.theory && !c.oblivious, c.differing())}},
			madeFrom(seed, random.N))
	}
	return t
}

// crossPlot draws the theory as lines and the network as points where there are
// both, else the network as a line.
func crossPlot(curves []*crossCurve, rounds []int) *plot.Plot {
	titles := []string{"(a) No delay, τ = 14", "(b) Round trip of 100 slots, τ = 25",
		"(c) Congestion control, from W = 151", "(d) Ports by a hash, W = 101"}
	panels := make([]plot.Panel, len(titles))
	for i, title := range titles {
		panels[i] = plot.Panel{Title: title, XLabel: "Round", YLabel: "Max. queue (packets)", Legend: plot.TopLeft,
			X: onScale(plot.Log10, 10, float64(rounds[len(rounds)-1])), Y: onScale(plot.Log2, 4, 2048),
			References: level(float64([]int{crossNear, crossFar, crossFar, crossFar}[i]), "τ")}
	}
	for _, c := range curves {
		line := plot.Series{Name: c.name, Color: c.color}
		points := plot.Series{Color: c.color, Mark: plot.Points}
		for i, round := range rounds {
			if round < 10 {
				continue
			}
			n, m := c.loads(i)
			if !c.theory {
				m = n
			} else {
				appendXY(&points, float64(round), n.Value)
			}
			appendXY(&line, float64(round), m.Value)
		}
		p := &panels[c.panel]
		p.Series = append(p.Series, line)
		if c.theory {
			p.Series = append(p.Series, points)
		}
	}
	return &plot.Plot{Columns: plot.Double, Height: 4.4, Panels: [][]plot.Panel{panels[:2], panels[2:]}}
}

// crossNotes describes the set-up and says whether theory and network agree.
func crossNotes(curves []*crossCurve, last int, replicas uint64) []string {
	var same, differing int64
	var random []string
	for _, c := range curves {
		random = append(random, fmt.Sprintf("%s (τ = %d) %.2g", c.name, c.threshold, c.random().Value))
		if c.theory && !c.oblivious {
			same += int64(last) * crossBins * int64(replicas)
			differing += c.differing()
		}
	}
	return []string{
		"Lines are the theory, points the network of one switch with 32 ports and package reps in its hosts; where there is a line alone it is the network's, for what the theory leaves out. Mean over replicas of the longest queue after the arrivals of a round.",
		fmt.Sprintf("Under REPS both draw the same random words and must agree in each bin and round: of %d loads compared %d differ. Under OPS they draw different words and agree in law.", same, differing),
		"(a) Without a delay REPS stays at its threshold while queues under OPS grow with the root of time. (b) With a round trip of 100 slots and more than the round trip in flight it does not: the window decides. (c) DCTCP starts at W = 151 and finds such a window by itself, under OPS by sending less. (d) With the switches' hash in the place of one EV for each port, many EVs change nothing; few leave each host only some ports.",
		"Share of packets with a random EV: " + onceEach(random) + ".",
		fmt.Sprintf("%d rounds, %d replicas.", last, replicas),
	}
}

// onceEach lists texts, each once.
func onceEach(texts []string) string {
	var list []string
	for _, s := range texts {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return strings.Join(list, ", ")
}
