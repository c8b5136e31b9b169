package figures

import (
	"fmt"
	"math"

	"repslab/ballsbins"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// queues is a switch of the theory that is advanced round by round.
type queues struct {
	bins     int
	recycles bool
	reset    func(mc.Stream)
	step     func()
	load     func(bin int) int
}

// openQueues opens a switch.
type openQueues func() (queues, error)

// sprayed returns switches under oblivious spraying.
func sprayed(cfg ballsbins.Config) openQueues {
	return func() (queues, error) {
		b, err := ballsbins.New(cfg)
		if err != nil {
			return queues{}, err
		}
		return queues{cfg.Bins, false, b.Reset, b.Step, func(bin int) int { return int(b.Load(bin)) }}, nil
	}
}

// recycling returns switches with recycled balls.
func recycling(cfg recycled.Config) openQueues {
	return func() (queues, error) {
		p, err := recycled.New(cfg)
		if err != nil {
			return queues{}, err
		}
		return queues{cfg.Bins, true, p.Reset, p.Step, p.Load}, nil
	}
}

// longest returns the longest queue.
func (q queues) longest() int {
	most := 0
	for bin := range q.bins {
		most = max(most, q.load(bin))
	}
	return most
}

// switchSetup is a switch of a figure.
type switchSetup struct {
	key, title, label string // label in the panel of shares; empty if it is not drawn there
	threshold         int    // length of the longest queue that is not overfull
	tau               int    // τ, drawn if balls are recycled
	open              openQueues
}

// trace runs replica 0 for some rounds. It returns the panel with the queue of every port, and with τ if balls are
// recycled.
func (f switchSetup) trace(rounds int, seed uint64, rows *frame.Table) (plot.Panel, error) {
	panel := plot.Panel{Title: f.title, XLabel: "Round", YLabel: "Queue (packets)", Legend: plot.None}
	q, err := f.open()
	if err != nil {
		return panel, err
	}
	if q.recycles {
		panel.References = level(float64(f.tau), fmt.Sprintf("τ = %d", f.tau))
	}
	for bin := range q.bins {
		panel.Series = append(panel.Series, plot.Series{Color: plot.NthColor(bin), Dash: plot.Solid})
	}
	q.reset(mc.NewStream(seed, mc.Algorithm, 0))
	for r := 1; r <= rounds; r++ {
		q.step()
		for bin := range q.bins {
			rows.Add(cells{{"setup", f.key}, {"bins", q.bins}, {"threshold", f.threshold}, {"round", r},
				{"port", bin}, {"queue", q.load(bin)}, {"seed", seed}})
			appendXY(&panel.Series[bin], float64(r), float64(q.load(bin)))
		}
	}
	return panel, nil
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

// logRounds returns rounds from from to to to observe, evenly spaced on a logarithmic scale, and the rounds that
// rules and notes mention.
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
