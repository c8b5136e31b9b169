package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
	"repslab/recycled"
)

// open runs an experiment on each question that the theory of recycled balls
// leaves open. It decides no claim of the paper.
func open(ctx context.Context, s Settings) (Output, error) {
	parts, err := openParts(ctx, s)
	out := Output{Plot: &plot.Plot{Columns: plot.Double, Height: 4.7, Panels: [][]plot.Panel{nil, nil}}}
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

// openPart is a question with its experiment and the finding.
type openPart struct {
	title string
	texts []string // question, experiment, finding
	rows  table.Table
	panel plot.Panel // may be empty
}

// openParts runs the experiments in the order of their panels.
func openParts(ctx context.Context, s Settings) ([]openPart, error) {
	var parts []openPart
	experiments := []func(*openRuns) openPart{openThresholds, openRobin, openTrip, openWindow, openNetwork, openLost,
		openCoalesced}
	for i, experiment := range experiments {
		r := &openRuns{ctx: ctx, Settings: s.part(i, len(experiments))}
		parts = append(parts, experiment(r))
		if r.err != nil {
			return nil, r.err
		}
	}
	return parts, nil
}

// openRuns runs the points of an experiment one after the other and keeps the first error.
type openRuns struct {
	Settings
	ctx          context.Context
	done, points int // finished; expected, of which a search may take more or fewer
	err          error
}

// next returns the settings of the next point. The replicas of a later stage, those of a
// later seed, are independent of those of earlier stages. Points beyond the expected
// number make no progress.
func (r *openRuns) next(stage openStage) Settings {
	s := r.Settings
	s.Seed = stage.seed(s.Seed)
	if r.done >= r.points {
		s.Progress = nil
	}
	r.done++
	return s.part(r.done-1, r.points)
}

// estimate runs the next point of an experiment; after an error it does nothing.
func estimate[C, R any](r *openRuns, replicas uint64, simulate func(context.Context, C, mc.Plan) (R, error), cfg C) R {
	var runs results[string, R]
	key := fmt.Sprintf("%+v", cfg)
	if s := r.next(onMap); r.err == nil {
		runs, r.err = estimations[string, R]{{key, replicas, simulating(simulate, cfg)}}.run(r.ctx, s)
	}
	return runs[key]
}

// replicasOf runs the next point of an experiment and returns its replicas; after an error
// it does nothing.
func replicasOf[C comparable, T any](r *openRuns, cfg C, replicas uint64, stage openStage,
	open func() (replicaRunner[T], error)) []T {
	var runs results[C, []T]
	if s := r.next(stage); r.err == nil {
		runs, r.err = trials[C, T]{{cfg, replicas, open}}.run(r.ctx, s)
	}
	return runs[cfg]
}

// openPoint is a configuration of the recycled process with what its runs have seen.
type openPoint struct {
	recycled.Config
	stage openStage
	openSeen
}

// openSeen is what the runs of a point have seen.
type openSeen struct {
	Runs, Converged, Certified, Lost uint64      // runs: all, and the runs of a kind
	Rounds                           mc.Estimate // to convergence, of the runs that converged
	AtDecision, MaxLoad              mc.Estimate // largest load until the run is decided, and of the whole run
	Random                           mc.Estimate // share of random throws
}

// newOpenSeen sums up the runs of a configuration.
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
	var seen results[recycled.Config, openSeen]
	s := r.next(stage)
	run := func(ctx context.Context, plan mc.Plan) (openSeen, error) {
		alone := s
		alone.Recorder = nil // the sum is recorded, not each run
		runs, err := trials[recycled.Config, recycled.Outcome]{{cfg, plan.Replicas, func() (replicaRunner[recycled.Outcome], error) {
			process, err := recycled.New(cfg)
			return func(ctx context.Context, seed, replica uint64) (recycled.Outcome, error) {
				return recycled.Run(ctx, process, cfg, mc.NewStream(seed, mc.Algorithm, replica))
			}, err
		}}}.run(ctx, alone)
		return newOpenSeen(cfg, runs[cfg]), err
	}
	if r.err == nil {
		seen, r.err = estimations[recycled.Config, openSeen]{{cfg, replicas, run}}.run(r.ctx, s)
	}
	return openPoint{cfg, stage, seen[cfg]}
}

// share returns a number of the runs as a share of all.
func (p openPoint) share(of uint64) mc.Estimate {
	return proportion(of, p.Runs)
}

// madeFrom returns the last cells of the point's row.
func (p openPoint) madeFrom(seed uint64) cells { return madeFrom(p.stage.seed(seed), p.Runs) }

// openStage is a stage of a search. Each stage has replicas of its own, so that a
// point chosen in one is not flattered in the next.
type openStage int

// The stages.
const (
	onMap     openStage = iota // points laid out beforehand
	choosing                   // points that the map suggests
	confirmed                  // points that are reported, with what the others chose
)

// String names the stage in tables.
func (s openStage) String() string { return [...]string{"map", "choosing", "confirmed"}[s] }

// seed returns the seed of the stage's replicas.
func (s openStage) seed(first uint64) uint64 { return first + uint64(s) }

// crossing is where a share rises through a level with an integer: at the point
// below it is less and at the point above more, both by the 95 % interval. Between
// them it is undecided. Either is nil if no such point was found within the bounds of
// the search.
type crossing[P any] struct{ below, above *P }

// cross looks for the crossing of a share by fresh runs. From hi it steps up to most,
// until the interval excludes the level there, and then, unless a point on the way was
// below, from lo < hi down to least.
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

// shareMap draws the points of a map of (n, τ) by the share of runs that converge. The runs
// of a map are too few to tell 99 % from all.
func shareMap(points []openPoint) []plot.Series {
	var drawn []plot.Series
	above := -1.0
	for _, class := range []struct {
		name  string
		most  float64 // the largest share in it
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

// joined writes a list in words, with semicolons between items that contain commas.
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
