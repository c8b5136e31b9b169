package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
	"repslab/recycled"
)

// open runs an experiment on each open question in the theory of recycled balls. It decides no claim of the paper.
func open(ctx context.Context, s engine.Settings) (engine.Output, error) {
	parts, err := openParts(ctx, s)
	out := engine.Output{Plot: &plot.Plot{Columns: plot.Double, Height: 4.7, Panels: [][]plot.Panel{nil, nil}}}
	panels := 0
	for _, p := range parts {
		out.Notes = append(out.Notes, fmt.Sprintf("%s %s Found: %s", p.texts[0], p.texts[1], p.texts[2]))
		out.Tables = append(out.Tables, p.rows)
		if len(p.panel.Series) > 0 {
			row := &out.Plot.Panels[panels/3]
			*row = append(*row, p.panel)
			panels++
		}
	}
	return out, err
}

// openPart is a question with its experiment and finding.
type openPart struct {
	title string
	texts []string // question, experiment, finding
	rows  frame.Table
	panel plot.Panel // may be empty
}

// openParts runs the experiments in the order of their panels.
func openParts(ctx context.Context, s engine.Settings) ([]openPart, error) {
	var parts []openPart
	experiments := []func(*openRuns) openPart{openThresholds, openRobin, openTrip, openWindow, openNetwork, openLost,
		openCoalesced}
	for i, experiment := range experiments {
		r := &openRuns{ctx: ctx, Settings: s.Part(i, len(experiments))}
		parts = append(parts, experiment(r))
		if r.err != nil {
			return nil, r.err
		}
	}
	return parts, nil
}

// openRuns runs the points of an experiment one after the other and keeps the first error.
type openRuns struct {
	engine.Settings
	ctx          context.Context
	done, points int // finished points; expected points, where a search may take more or fewer
	err          error
}

// next returns the settings of the next point. Each stage has its own seed, so its replicas are independent of the
// replicas of earlier stages. Points beyond the expected number do not add to the progress.
func (r *openRuns) next(stage openStage) engine.Settings {
	s := r.Settings
	s.Seed = stage.seed(s.Seed)
	if r.done >= r.points {
		s.Progress = nil
	}
	r.done++
	return s.Part(r.done-1, r.points)
}

// estimate runs the next point of an experiment. After an error it does nothing. The record names runs by their
// configuration, without fields that are younger than it where they are zero.
func estimate[C, R any](r *openRuns, replicas uint64, simulate func(context.Context, C, mc.Plan) (R, error), cfg C) R {
	var runs engine.Results[string, R]
	key := strings.NewReplacer(" Ramp:0", "", " PMax:0", "", " Start:[]", "", " Active:0", "").Replace(fmt.Sprintf("%+v", cfg))
	if s := r.next(onMap); r.err == nil {
		runs, r.err = engine.Estimations[string, R]{{Key: key, Replicas: replicas, Run: engine.Simulating(simulate, cfg)}}.Run(r.ctx, s)
	}
	return runs[key]
}

// replicasOf runs the next point of an experiment and returns its replicas. After an error it does nothing.
func replicasOf[C comparable, T any](r *openRuns, cfg C, replicas uint64, stage openStage,
	open func() (engine.ReplicaRunner[T], error)) []T {
	var runs engine.Results[C, []T]
	if s := r.next(stage); r.err == nil {
		runs, r.err = engine.Trials[C, T]{{Key: cfg, Replicas: replicas, Open: open}}.Run(r.ctx, s)
	}
	return runs[cfg]
}

// openPoint is a configuration of the recycled process with the statistics of its runs.
type openPoint struct {
	recycled.Config
	stage openStage
	openSeen
}

// openSeen holds statistics of the runs of a point.
type openSeen struct {
	Runs, Converged, Certified, Lost uint64      // number of runs: all, and of each kind
	Rounds                           mc.Estimate // rounds to convergence, of the runs that converged
	AtDecision, MaxLoad              mc.Estimate // largest load until the run is decided, and in the whole run
	Random                           mc.Estimate // share of random throws
}

// newOpenSeen summarises the runs of a configuration.
func newOpenSeen(cfg recycled.Config, runs []recycled.Outcome) openSeen {
	of := func(selected func(recycled.Outcome) bool) []recycled.Outcome { return lists.Where(runs, selected) }
	converged := of(func(o recycled.Outcome) bool { return o.Status == recycled.Converged })
	return openSeen{
		Runs: uint64(len(runs)), Converged: uint64(len(converged)),
		Certified:  uint64(len(of(func(o recycled.Outcome) bool { return o.Status == recycled.Certified }))),
		Lost:       uint64(len(of(func(o recycled.Outcome) bool { return o.RandomFraction >= unstableFrom }))),
		Rounds:     meanCount(converged, func(o recycled.Outcome) int64 { return int64(o.Rounds) }),
		AtDecision: meanCount(runs, func(o recycled.Outcome) int64 { return int64(o.MaxLoadAtDecision) }),
		MaxLoad:    meanCount(runs, func(o recycled.Outcome) int64 { return int64(o.MaxLoad) }),
		Random: inSupport(runs, func(o recycled.Outcome) float64 { return o.RandomFraction },
			shareOf(1, float64(cfg.MaxRounds/2*cfg.Bins))),
	}
}

// point runs the next point of an experiment.
func (r *openRuns) point(cfg recycled.Config, replicas uint64, stage openStage) openPoint {
	var seen engine.Results[recycled.Config, openSeen]
	s := r.next(stage)
	run := func(ctx context.Context, plan mc.Plan) (openSeen, error) {
		alone := s
		alone.Recorder = nil // the summary is recorded, not each run
		runs, err := engine.Trials[recycled.Config, recycled.Outcome]{{Key: cfg, Replicas: plan.Replicas, Open: func() (engine.ReplicaRunner[recycled.Outcome], error) {
			process, err := recycled.New(cfg)
			return func(ctx context.Context, seed, replica uint64) (recycled.Outcome, error) {
				return recycled.Run(ctx, process, cfg, mc.NewStream(seed, mc.Algorithm, replica))
			}, err
		}}}.Run(ctx, alone)
		return newOpenSeen(cfg, runs[cfg]), err
	}
	if r.err == nil {
		seen, r.err = engine.Estimations[recycled.Config, openSeen]{{Key: cfg, Replicas: replicas, Run: run}}.Run(r.ctx, s)
	}
	return openPoint{cfg, stage, seen[cfg]}
}

// share returns a count of runs as a share of all runs.
func (p openPoint) share(of uint64) mc.Estimate {
	return proportion(of, p.Runs)
}

// madeFrom returns the last cells of the point's row.
func (p openPoint) madeFrom(seed uint64) cells { return madeFrom(p.stage.seed(seed), p.Runs) }

// openStage is a stage of a search. Each stage has its own replicas, so that a point chosen in one stage is not
// flattered in the next.
type openStage int

// The stages.
const (
	onMap     openStage = iota // points laid out beforehand
	choosing                   // points that the map suggests
	confirmed                  // points that are reported, together with the points that led to them
)

// String names the stage in tables.
func (s openStage) String() string { return [...]string{"map", "choosing", "confirmed"}[s] }

// seed returns the seed of the stage's replicas.
func (s openStage) seed(first uint64) uint64 { return first + uint64(s) }

// crossing is the place where a share rises through a level as an integer grows. At the point below, the share is
// less than the level, and at the point above it is more, both by the 95 % interval. Between the two points it is
// undecided. Either point is nil if the search found none within its bounds.
type crossing[P any] struct{ below, above *P }

// cross looks for the crossing of a share with fresh runs. From hi it steps up to at most most, until the interval
// excludes the level. Then it steps from lo < hi down to at least least, unless a point on the way up was below
// the level.
func cross[P any](lo, hi, least, most int, level float64, at func(int) (P, mc.Estimate)) crossing[P] {
	var c crossing[P]
	look := func(x int) {
		switch p, share := at(x); {
		case share.Hi < level:
			c.below = &p
		case share.Lo > level:
			c.above = &p
		}
	}
	for x := hi; x <= most && c.above == nil; x++ {
		look(x)
	}
	for x := lo; x >= least && c.below == nil; x-- {
		look(x)
	}
	return c
}

// shareMap draws the points of a map of (n, τ) by the share of runs that converge. A map has too few runs to
// distinguish 99 % from 100 %.
func shareMap(points []openPoint) []plot.Series {
	var drawn []plot.Series
	above := -1.0
	for _, class := range []struct {
		name  string
		most  float64 // the largest share in the class
		color plot.Color
	}{
		{"no run", 0, plot.Sand}, {"up to half", half, plot.Rose},
		{"more than half", math.Nextafter(1, 0), plot.Teal}, {"all runs", 1, plot.Indigo},
	} {
		s := plot.Series{Name: class.name, Mark: plot.Points, Color: class.color}
		for _, p := range points {
			if share := p.converged().Value; p.stage == onMap && above < share && share <= class.most {
				appendXY(&s, float64(p.Bins), float64(p.Threshold))
			}
		}
		if len(s.X) > 0 {
			drawn = append(drawn, s)
		}
		above = class.most
	}
	return drawn
}

// theoremThreshold is the theorem's smallest integer τ.
func theoremThreshold(n int) int { return int(math.Ceil(4 * math.Log(float64(n)))) }

// joined joins a list in words, with semicolons if an item contains a comma.
func joined(list []string) string {
	if len(list) < 2 || slices.ContainsFunc(list, func(item string) bool { return strings.Contains(item, ",") }) {
		return strings.Join(list, "; ")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// each writes a value for every item.
func each[T any](items []T, text func(T) string) string {
	return joined(lists.Map(items, text))
}
