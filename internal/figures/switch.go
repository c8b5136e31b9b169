package figures

import (
	"math"

	"repslab/ballsbins"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// switchSetup is a switch by the theory: oblivious, or recycled.
type switchSetup struct {
	key, title, label string // label in the panel of shares; empty where it is not there
	threshold         int    // what all queues are compared with; τ where recycled
	oblivious         ballsbins.Config
	recycled          recycled.Config // used where Bins is not 0
}

// queues is a switch that is advanced round by round.
type queues struct {
	bins  int
	reset func(mc.Stream)
	step  func()
	load  func(bin int) int
}

// open returns the setup's switch.
func (f switchSetup) open() (queues, error) {
	if f.recycled.Bins != 0 {
		p, err := recycled.New(f.recycled)
		if err != nil {
			return queues{}, err
		}
		return queues{f.recycled.Bins, p.Reset, p.Step, p.Load}, nil
	}
	b, err := ballsbins.New(f.oblivious)
	if err != nil {
		return queues{}, err
	}
	return queues{f.oblivious.Bins, b.Reset, b.Step, func(bin int) int { return int(b.Load(bin)) }}, nil
}

// trace runs replica 0 for some rounds and returns the panel with the queue of
// every port.
func (f switchSetup) trace(q queues, rounds int, seed uint64, rows *table.Table) plot.Panel {
	panel := plot.Panel{Title: f.title, XLabel: "Round", YLabel: "Queue (packets)", Legend: plot.None}
	panel.Series = make([]plot.Series, q.bins)
	q.reset(mc.NewStream(seed, mc.Algorithm, 0))
	for r := 1; r <= rounds; r++ {
		q.step()
		for bin := range q.bins {
			s := &panel.Series[bin]
			addRow(rows, cells{{"setup", f.key}, {"bins", q.bins}, {"threshold", f.threshold}, {"round", r},
				{"port", bin}, {"queue", q.load(bin)}, {"seed", seed}})
			appendXY(s, float64(r), float64(q.load(bin)))
		}
	}
	for bin := range panel.Series {
		panel.Series[bin].Color = plot.NthColor(bin % 8)
		panel.Series[bin].Dash = plot.Solid
	}
	if f.recycled.Bins != 0 {
		panel.References = level(float64(f.threshold), "τ")
	}
	return panel
}

// shareOneScale gives all panels one vertical axis.
func shareOneScale(panels []plot.Panel) {
	var most float64
	for _, p := range panels {
		for _, s := range p.Series {
			for _, y := range s.Y {
				most = max(most, y)
			}
		}
	}
	for i := range panels {
		panels[i].Y = from(0, most+1)
	}
}

// logRounds returns observed rounds after from up to to, evenly spaced on a
// logarithmic scale, with those that rules and notes speak of.
func logRounds(from, to int) []int {
	var rounds []int
	for exponent := 0; ; exponent++ {
		decade := int(math.Pow10(exponent))
		for _, tenths := range []int{10, 13, 16, 20, 25, 32, 40, 50, 63, 80} {
			r := decade * tenths / 10
			if r > to {
				return rounds
			}
			if r > from && (len(rounds) == 0 || r > rounds[len(rounds)-1]) {
				rounds = append(rounds, r)
			}
		}
	}
}
