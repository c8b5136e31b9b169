package figures

import (
	"context"
	"fmt"
	"math"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// The switch of figure memory: ports, the slow ones among them, rounds of a round trip, balls of a
// port on average if none is slow, entropy values of a sender, and rounds of a run.
const (
	memoryBins   = 32
	memorySlow   = 4
	memoryDelay  = 25
	memoryQueue  = 20
	memoryEVS    = 256
	memoryRounds = 8000
)

// memoryCase is a process on ports of which the slow ones serve in every few rounds, or never if
// every is 0.
type memoryCase struct {
	recycled.Config
	every int
}

// remembered returns the case of senders with rings that hear of one ball in ratio.
func remembered(every, ring, ratio int) memoryCase {
	return memoryCase{recycled.Config{Bins: memoryBins, Clocking: recycled.PerFlow, Threshold: 2 * memoryQueue,
		Delay: memoryDelay, Window: memoryDelay + memoryQueue, EVS: memoryEVS, Ring: ring, Ratio: ratio}, every}
}

// chosen returns the case without memory and without delay: a served ball goes at once to the
// least loaded of some samples. There are as many balls as wait at the ports of remembered if all
// of them are busy.
func chosen(every, choices int) memoryCase {
	c := memoryCase{recycled.Config{Bins: memoryBins, Oblivious: true, Closed: true, Start: recycled.Random,
		Choices: choices}, every}
	c.Balls = int((memoryDelay+memoryQueue)*memoryBins - memoryDelay*c.capacity())
	return c
}

// capacity returns the balls that the ports can serve in a round.
func (c memoryCase) capacity() float64 {
	if c.every == 0 {
		return memoryBins - memorySlow
	}
	return memoryBins - memorySlow + float64(memorySlow)/float64(c.every)
}

// most returns a bound on the part of the capacity that is served in the long run if at least a
// share of the throws goes to the slow ports, which serve no more than their rate.
func (c memoryCase) most(share float64) float64 {
	return min(1, memorySlow/(share*float64(c.every)*c.capacity()))
}

// mostCoalesced bounds what is served with one ACK, and so one token, for some balls: the other
// throws are random.
func (c memoryCase) mostCoalesced() float64 {
	return c.most((1 - 1/float64(c.Ratio)) * memorySlow / memoryBins)
}

// mostChosen bounds what is served by samples alone: all of them may be slow ports.
func (c memoryCase) mostChosen() float64 {
	return c.most(math.Pow(float64(memorySlow)/memoryBins, float64(c.Choices)))
}

// memoryRun is what the second half of a run shows.
type memoryRun struct {
	served float64 // throws of a round over the capacity: each ball that is served is thrown again
	random float64 // likewise, random throws
}

// open opens a runner of the case.
func (c memoryCase) open() (replicaRunner[memoryRun], error) {
	process, err := recycled.New(c.Config)
	return func(ctx context.Context, seed, replica uint64) (memoryRun, error) {
		process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
		for port := range memorySlow {
			process.SetPort(port, c.every)
		}
		half := func() (all, random int64) {
			for range memoryRounds / 2 {
				process.Step()
			}
			return process.Throws()
		}
		all, random := half()
		allLater, randomLater := half()
		most := memoryRounds / 2 * c.capacity()
		return memoryRun{float64(allLater-all) / most, float64(randomLater-random) / most}, ctx.Err()
	}, err
}

// memoryCurve is a curve of a panel: cases by the number that varies.
type memoryCurve struct {
	name  string
	color plot.Color
	at    func(x int) memoryCase
}

// memoryPanel is a panel with its curves over xs.
type memoryPanel struct {
	plot.Panel
	xs     []int
	curves []memoryCurve
}

// memoryPanels lays out the figure.
func memoryPanels(scale Scale) []memoryPanel {
	slow := memoryPanel{Panel: plot.Panel{Title: "(a) 4 of 32 ports slow", XLabel: "Rounds of a slow port per ball"},
		xs: choose(scale, []int{1, 2, 4, 16}, []int{1, 2, 4, 8, 16, 32})}
	for i, ring := range []int{1, 2, 4, 8} {
		slow.curves = append(slow.curves, memoryCurve{fmt.Sprintf("recycling, ring of %d", ring), plot.NthColor(i),
			func(every int) memoryCase { return remembered(every, ring, 1) }})
	}
	slow.curves = append(slow.curves,
		memoryCurve{"two-choice, current loads", plot.Orange, func(every int) memoryCase { return chosen(every, 2) }},
		memoryCurve{"one-choice", plot.Black, func(every int) memoryCase { return chosen(every, 1) }})
	rings := memoryPanel{Panel: plot.Panel{Title: "(b) Size of the ring", XLabel: "Ring (entries)"},
		xs: choose(scale, []int{1, 2, 4, 8}, []int{1, 2, 3, 4, 6, 8, 16, 32})}
	ratios := memoryPanel{Panel: plot.Panel{Title: "(c) Coalescing, ring of 8", XLabel: "Balls per ACK"},
		xs: choose(scale, []int{1, 2, 4}, []int{1, 2, 3, 4, 6, 8, 16})}
	for i, every := range []int{2, 4, 16} {
		name, color := fmt.Sprintf("slow port: %d rounds", every), plot.NthColor(i).Hollow()
		rings.curves = append(rings.curves, memoryCurve{name, color,
			func(ring int) memoryCase { return remembered(every, ring, 1) }})
		ratios.curves = append(ratios.curves, memoryCurve{name, color,
			func(ratio int) memoryCase { return remembered(every, 8, ratio) }})
	}
	rings.curves = append(rings.curves, memoryCurve{"failed port", plot.Purple.Hollow(),
		func(ring int) memoryCase { return remembered(0, ring, 1) }})
	return []memoryPanel{slow, rings, ratios}
}

// memories are the cases of the figure.
type memories struct {
	Settings
	replicas uint64
	runs     results[memoryCase, []memoryRun]
}

// run runs the cases of panels.
func (m *memories) run(ctx context.Context, panels []memoryPanel) (order []memoryCase, err error) {
	var list trials[memoryCase, memoryRun]
	there := map[memoryCase]bool{}
	for _, p := range panels {
		for _, curve := range p.curves {
			for _, x := range p.xs {
				if c := curve.at(x); !there[c] {
					there[c] = true
					order = append(order, c)
					list.add(c, m.replicas, c.open)
				}
			}
		}
	}
	m.runs, err = list.run(ctx, m.Settings)
	return order, err
}

// served returns the part of the capacity that is served, in percent, and random that of the
// random throws.
func (m *memories) served(c memoryCase) mc.Estimate {
	return meanOf(m.runs.at(c), func(r memoryRun) float64 { return r.served }).Per(0.01)
}

func (m *memories) random(c memoryCase) mc.Estimate {
	return meanOf(m.runs.at(c), func(r memoryRun) float64 { return r.random }).Per(0.01)
}

// table lists all cases.
func (m *memories) table(order []memoryCase) table.Table {
	var rows table.Table
	for _, c := range order {
		recycles := c.Clocking == recycled.PerFlow
		addRow(&rows, cells{{"process", map[bool]string{true: "per-flow", false: "closed"}[recycles]},
			{"slow_rounds", c.every}, {"ring", orNull(recycles, c.Ring)}, {"ack_ratio", orNull(recycles, c.Ratio)},
			{"choices", orNull(!recycles, c.Choices)}, {"bins", memoryBins}},
			withEnds("served_percent", "served", m.served(c)), withEnds("random_percent", "random", m.random(c)),
			madeFrom(m.Seed, m.replicas))
	}
	return rows
}

// drawn draws a panel.
func (m *memories) drawn(p memoryPanel) plot.Panel {
	panel := p.Panel
	panel.YLabel = "Served (% of capacity)"
	panel.X, panel.Y = ticked(onScale(plot.Log2), "%d", p.xs...), from(0, 105)
	for _, c := range p.curves {
		panel.Series = append(panel.Series, over(plot.Series{Name: c.name, Mark: plot.LinePoints, Color: c.color}, p.xs,
			func(x int) mc.Estimate { return m.served(c.at(x)) }))
	}
	return panel
}

// memory shows how much of a ring recycling needs where ports serve at unequal rates.
func memory(ctx context.Context, s Settings) (Output, error) {
	m := memories{Settings: s, replicas: s.Scale.replicas(5, 20)}
	panels := memoryPanels(s.Scale)
	order, err := m.run(ctx, panels)
	if err != nil {
		return Output{}, err
	}
	var drawn []plot.Panel
	for _, p := range panels {
		drawn = append(drawn, m.drawn(p))
	}
	return Output{
		Tables: []table.Table{m.table(order)},
		Plot:   &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{drawn}},
		Notes:  notes(m.facts(panels[1]), "memory"),
	}, nil
}

// wellServed is the part of the capacity, in percent, that a ring of enough entries serves.
const wellServed = 97

// facts returns the numbers of the notes; rings is the panel of the sizes of the ring.
func (m *memories) facts(rings memoryPanel) facts {
	text := func(of mc.Estimate) string { return withBounds(of, "%.3g") }
	facts := facts{"bins": memoryBins, "slow": memorySlow, "delay": memoryDelay, "queue": memoryQueue,
		"evs": memoryEVS, "rounds": memoryRounds, "replicas": m.replicas, "threshold": 2 * memoryQueue,
		"window": memoryDelay + memoryQueue, "well": wellServed}
	for _, every := range []int{2, 4, 16} {
		facts[fmt.Sprintf("one-%d", every)] = text(m.served(chosen(every, 1)))
		facts[fmt.Sprintf("two-%d", every)] = text(m.served(chosen(every, 2)))
		coalesced := remembered(every, 8, 2)
		facts[fmt.Sprintf("coalesced-%d", every)] = text(m.served(coalesced))
		facts[fmt.Sprintf("most-%d", every)] = 100 * coalesced.mostCoalesced()
	}
	for i, c := range rings.curves {
		facts[fmt.Sprintf("enough-%d", i)] = "more than are drawn"
		for k := len(rings.xs) - 1; k >= 0 && m.served(c.at(rings.xs[k])).Lo >= wellServed; k-- {
			facts[fmt.Sprintf("enough-%d", i)] = rings.xs[k]
		}
	}
	facts["one-entry"], facts["random-8"] = text(m.served(remembered(16, 1, 1))), text(m.random(remembered(16, 8, 1)))
	facts["two-most"] = 100 * chosen(16, 2).mostChosen()
	facts["failed"] = text(m.served(remembered(0, 8, 1)))
	return facts
}
