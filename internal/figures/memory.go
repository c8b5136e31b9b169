package figures

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/supermarket"
	"repslab/mc"
	"repslab/recycled"
)

// The switch of figure memory: its ports, the slow ports among them, rounds of a round trip, balls per port on
// average if none is slow, entropy values of a sender, and rounds of a run. Dispatchers that only sample need more
// rounds, until slow ports have filled.
const (
	memoryBins     = 32
	memorySlow     = 4
	memoryDelay    = 25
	memoryQueue    = 20
	memoryEVS      = 256
	memoryRounds   = 4000
	samplingRounds = 8000
)

// memoryAlpha is the rate at which an idle port's names are sent: a name takes a twentieth of a service.
const memoryAlpha = 20

// The bits of an EV and of a port's name.
const (
	evBits   = 8
	nameBits = 5
)

// memoryCase is a process on ports. Slow ports serve once in every rounds, or never if every is 0. Without a
// policy, senders recycle; with a policy, a dispatcher chooses.
type memoryCase struct {
	recycled.Config
	policy  supermarket.Policy
	choices int
	names   int
	every   int
}

// remembered returns the case of senders with rings that learn of one ball in ratio.
func remembered(every, ring, ratio int) memoryCase {
	return memoryCase{Config: recycled.Config{Bins: memoryBins, Clocking: recycled.PerFlow, Threshold: 2 * memoryQueue,
		Delay: memoryDelay, Window: memoryDelay + memoryQueue, EVS: memoryEVS, Ring: ring, Ratio: ratio}, every: every}
}

// chosen returns the case of a dispatcher that samples ports.
func chosen(every int, policy supermarket.Policy, choices int) memoryCase {
	return memoryCase{policy: policy, choices: choices, every: every}
}

// pulled returns the case of a dispatcher that remembers names of idle ports.
func pulled(every, names int) memoryCase {
	return memoryCase{policy: supermarket.Pull, names: names, every: every}
}

// dispatched returns the configuration of a dispatcher without a delay. It has as many balls as wait at the ports
// in remembered if all ports are busy.
func (c memoryCase) dispatched() supermarket.Config {
	rate := 0.0
	if c.every > 0 {
		rate = 1 / float64(c.every)
	}
	return supermarket.Config{Servers: memoryBins, Rates: slices.Repeat([]float64{rate}, memorySlow),
		Jobs:   int((memoryDelay+memoryQueue)*memoryBins - memoryDelay*c.capacity()),
		Policy: c.policy, Choices: c.choices, Names: c.names, Alpha: memoryAlpha}
}

// bits returns the size of the memory of a sender or of the dispatcher.
func (c memoryCase) bits() int {
	switch c.policy {
	case "":
		return evBits * c.Ring
	case supermarket.Memory:
		return nameBits
	case supermarket.Observations:
		return memoryBins * bits.Len(uint(c.dispatched().Jobs))
	}
	return nameBits * c.names
}

// capacity returns the number of balls that the ports can serve in a round.
func (c memoryCase) capacity() float64 {
	if c.every == 0 {
		return memoryBins - memorySlow
	}
	return memoryBins - memorySlow + float64(memorySlow)/float64(c.every)
}

// share returns the support of a fraction of the capacity over half of a run.
func (c memoryCase) share() mc.Support { return shareOf(1, memoryRounds/2*c.capacity()) }

// most returns a bound on the fraction of the capacity that is served in the long run, if at least a share of the
// throws goes to the slow ports. These ports serve no more than their rate.
func (c memoryCase) most(share float64) float64 {
	return min(1, memorySlow/(share*float64(c.every)*c.capacity()))
}

// mostCoalesced returns a bound on the fraction served with one ACK, and thus one token, for several balls: the
// other throws are random.
func (c memoryCase) mostCoalesced() float64 {
	return c.most((1 - 1/float64(c.Ratio)) * memorySlow / memoryBins)
}

// mostChosen returns a bound on the fraction served by sampling alone: all samples may be slow ports.
func (c memoryCase) mostChosen() float64 {
	return c.most(math.Pow(float64(memorySlow)/memoryBins, float64(c.choices)))
}

// memoryRun holds statistics of the second half of a run.
type memoryRun struct {
	Served   float64 // fraction of the capacity; senders throw a ball again when it was served
	Random   float64 // fraction of throws that are random; for senders
	Messages float64 // messages per ball; for a dispatcher
}

// open opens a runner of the case.
func (c memoryCase) open() (engine.ReplicaRunner[memoryRun], error) {
	if c.policy != "" {
		return c.openDispatcher()
	}
	process, err := recycled.New(c.Config)
	return func(ctx context.Context, seed, replica uint64) (memoryRun, error) {
		process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
		for port := range memorySlow {
			process.SetPort(port, c.every)
		}
		process.Advance(memoryRounds / 2)
		all, random := process.Throws()
		process.Advance(memoryRounds / 2)
		allLater, randomLater := process.Throws()
		most := memoryRounds / 2 * c.capacity()
		return memoryRun{Served: min(1, float64(allLater-all)/most), Random: float64(randomLater-random) / most}, ctx.Err()
	}, err
}

// openDispatcher opens a runner of a case with a policy.
func (c memoryCase) openDispatcher() (engine.ReplicaRunner[memoryRun], error) {
	process, err := supermarket.New(c.dispatched())
	half := memoryRounds / 2.0
	if c.policy == supermarket.JSQ {
		half = samplingRounds / 2
	}
	return func(ctx context.Context, seed, replica uint64) (memoryRun, error) {
		process.Reset(mc.NewStream(seed, mc.Algorithm, replica))
		process.Advance(half)
		process.Forget()
		process.Advance(half)
		a := process.Averages()
		// The number of services scatters around the capacity, but no more than the capacity is served in the long
		// run.
		return memoryRun{Served: min(1, a.Served/c.capacity()), Messages: a.Messages}, ctx.Err()
	}, err
}

// memoryCurve is a curve of a panel: cases by the number that varies along it.
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
func memoryPanels() []memoryPanel {
	slow := memoryPanel{Panel: plot.Panel{Title: "(a) Recycling, 4 of 32 ports slow", XLabel: "Rounds of a slow port per ball"},
		xs: []int{1, 2, 4, 8, 16, 32}}
	for i, ring := range []int{1, 2, 4, 8} {
		slow.curves = append(slow.curves, memoryCurve{fmt.Sprintf("ring of %d", ring), plot.NthColor(i),
			func(every int) memoryCase { return remembered(every, ring, 1) }})
	}
	others := memoryPanel{Panel: plot.Panel{Title: "(d) A dispatcher without delay, 4 of 32 ports slow", XLabel: slow.XLabel}, xs: slow.xs,
		curves: memoryDispatchers()}
	rings := memoryPanel{Panel: plot.Panel{Title: "(b) Recycling, by the ring", XLabel: "Ring (entries)"},
		xs: []int{1, 2, 3, 4, 6, 8, 16, 32}}
	ratios := memoryPanel{Panel: plot.Panel{Title: "(c) Recycling with coalesced ACKs, ring of 8", XLabel: "Balls per ACK"},
		xs: []int{1, 2, 3, 4, 6, 8, 16}}
	for i, every := range []int{2, 4, 16} {
		name, color := fmt.Sprintf("slow: %d rounds per ball", every), plot.NthColor(4+i)
		rings.curves = append(rings.curves, memoryCurve{name, color,
			func(ring int) memoryCase { return remembered(every, ring, 1) }})
		ratios.curves = append(ratios.curves, memoryCurve{name, color,
			func(ratio int) memoryCase { return remembered(every, 8, ratio) }})
	}
	rings.curves = append(rings.curves, memoryCurve{"failed for good", plot.Black,
		func(ring int) memoryCase { return remembered(0, ring, 1) }})
	return []memoryPanel{slow, rings, ratios, others}
}

// memoryDispatchers returns the dispatchers to compare with recycling, by the rounds of a slow port.
func memoryDispatchers() []memoryCurve {
	by := func(policy supermarket.Policy, choices int) func(int) memoryCase {
		return func(every int) memoryCase { return chosen(every, policy, choices) }
	}
	return []memoryCurve{
		{"one-choice", plot.Black.Hollow(), by(supermarket.JSQ, 1)},
		{"two-choice", plot.Indigo.Hollow(), by(supermarket.JSQ, 2)},
		{"1 remembered port, 1 sample", plot.Teal.Hollow(), by(supermarket.Memory, 1)},
		{"all loads, 1 sample", plot.Rose.Hollow(), by(supermarket.Observations, 1)},
		{"4 idle ports", plot.Olive.Hollow(), func(every int) memoryCase { return pulled(every, 4) }},
	}
}

// memories are the cases of the figure and their results.
type memories struct {
	engine.Settings
	replicas uint64
	runs     engine.Results[memoryCase, []memoryRun]
}

// run runs the cases of panels.
func (m *memories) run(ctx context.Context, panels []memoryPanel) (order []memoryCase, err error) {
	var list engine.Trials[memoryCase, memoryRun]
	for _, p := range panels {
		for _, curve := range p.curves {
			for _, x := range p.xs {
				if c := curve.at(x); !slices.Contains(order, c) {
					order = append(order, c)
					list.Add(c, m.replicas, c.open)
				}
			}
		}
	}
	m.runs, err = list.Run(ctx, m.Settings)
	return order, err
}

// served returns the fraction of the capacity that is served, in percent; random returns the fraction of throws
// that are random.
func (m *memories) served(c memoryCase) mc.Estimate {
	return inSupport(m.runs.At(c), func(r memoryRun) float64 { return r.Served }, c.share()).Per(0.01)
}

func (m *memories) random(c memoryCase) mc.Estimate {
	return inSupport(m.runs.At(c), func(r memoryRun) float64 { return r.Random }, c.share()).Per(0.01)
}

// messages returns the messages per ball.
func (m *memories) messages(c memoryCase) mc.Estimate {
	return meanOf(m.runs.At(c), func(r memoryRun) float64 { return r.Messages })
}

// table lists all cases.
func (m *memories) table(order []memoryCase) frame.Table {
	var rows frame.Table
	for _, c := range order {
		recycles := c.policy == ""
		rows.Add(cells{{"process", cmp.Or(string(c.policy), "per-flow")}, {"slow_rounds", c.every},
			{"ring", orNull(recycles, c.Ring)}, {"ack_ratio", orNull(recycles, c.Ratio)},
			{"choices", orNull(c.choices > 0, c.choices)}, {"names", orNull(c.names > 0, c.names)}, {"bins", memoryBins},
			{"memory_bits", c.bits()}, {"served_percent", frame.WithEnds(m.served(c))},
			{"random_percent", frame.WithEnds(knownIf(recycles, m.random(c)))},
			{"messages_per_ball", frame.WithEnds(knownIf(!recycles, m.messages(c)))}}, madeFrom(m.Seed, len(m.runs.At(c))))
	}
	return rows
}

// drawn draws a panel.
func (m *memories) drawn(p memoryPanel) plot.Panel {
	panel := p.Panel
	panel.YLabel = "Served (% of capacity)"
	panel.X, panel.Y = ticked(onScale(plot.Log2), "%d", p.xs...), from(0, 105)
	panel.Series = lists.Map(p.curves, func(c memoryCurve) plot.Series {
		return over(plot.Series{Name: c.name, Mark: plot.ErrorBars, Color: c.color}, p.xs,
			func(x int) mc.Estimate { return m.served(c.at(x)) })
	})
	return panel
}

// memory shows how large a ring recycling needs if ports serve at unequal rates.
func memory(ctx context.Context, s engine.Settings) (engine.Output, error) {
	m := memories{Settings: s, replicas: 20}
	panels := memoryPanels()
	order, err := m.run(ctx, panels)
	if err != nil {
		return engine.Output{}, err
	}
	drawn := lists.Map(panels, m.drawn)
	return engine.Output{
		Tables: []frame.Table{m.table(order)},
		Plot:   &plot.Plot{Columns: plot.Double, Height: 5, Panels: [][]plot.Panel{drawn[:2], drawn[2:]}},
		Notes:  notes(m.facts(panels[1]), "memory"),
	}, nil
}

// wellServed is the fraction of the capacity, in percent, that a large enough ring serves.
const wellServed = 97

// facts returns the numbers in the notes; rings is the panel with ring sizes.
func (m *memories) facts(rings memoryPanel) facts {
	text := func(of mc.Estimate) string { return withBounds(of, "%.3g") }
	facts := facts{"bins": memoryBins, "slow": memorySlow, "delay": memoryDelay, "queue": memoryQueue,
		"evs": memoryEVS, "rounds": memoryRounds, "replicas": m.replicas, "threshold": 2 * memoryQueue,
		"window": memoryDelay + memoryQueue, "well": wellServed, "alpha": memoryAlpha, "samplingRounds": samplingRounds}
	for _, every := range []int{2, 4, 16} {
		facts[fmt.Sprintf("one-%d", every)] = text(m.served(chosen(every, supermarket.JSQ, 1)))
		facts[fmt.Sprintf("two-%d", every)] = text(m.served(chosen(every, supermarket.JSQ, 2)))
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
	facts["random-bits"] = remembered(16, 8, 1).bits()
	facts["two-most"] = 100 * chosen(16, supermarket.JSQ, 2).mostChosen()
	facts["failed"] = text(m.served(remembered(0, 8, 1)))
	for _, curve := range memoryDispatchers()[2:] {
		c := curve.at(16)
		policy := string(c.policy)
		facts[policy], facts[policy+"-bits"] = text(m.served(c)), c.bits()
		facts[policy+"-messages"] = fmt.Sprintf("%.3g", m.messages(c).Value)
	}
	return facts
}
