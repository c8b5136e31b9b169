package figures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// open runs an experiment on each question that the theory of recycled balls
// leaves open. It decides no claim of the paper.
func open() Figure {
	return Figure{
		ID:    "open",
		Title: "Open questions: smaller thresholds, round trip, window, lost balls, coalescing",
		Build: func(ctx context.Context, s Settings) (Output, error) {
			answers, out, err := buildOpen(ctx, s)
			for _, a := range answers {
				out.Notes = append(out.Notes, fmt.Sprintf("%s %s Found: %s", a.question, a.experiment, a.found))
			}
			return out, err
		},
	}
}

// openAnswer holds a question, its experiment and the finding.
type openAnswer struct {
	title, question, experiment, found string
}

// openPart is one experiment: an answer, a table, a panel, which may be empty.
type openPart struct {
	answer openAnswer
	rows   table.Table
	panel  plot.Panel
}

// openExperiment makes a part with a number of Monte Carlo points; a search may take
// more or fewer.
type openExperiment struct {
	points int
	make   func(*openRuns) openPart
}

// openExperiments lists the experiments in the order of the panels.
func openExperiments(scale Scale) []openExperiment {
	return []openExperiment{
		openThresholds(scale), openRobin(scale), openTrip(scale),
		openWindow(scale), openNetwork(scale), openLost(scale), openCoalesced(scale),
	}
}

// buildOpen makes all of them.
func buildOpen(ctx context.Context, s Settings) ([]openAnswer, Output, error) {
	experiments := openExperiments(s.Scale)
	runs := &openRuns{ctx: ctx, settings: s}
	for _, e := range experiments {
		runs.parts += e.points
	}
	var answers []openAnswer
	out := Output{Plot: &plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{nil, nil}}}
	panels := 0
	for _, e := range experiments {
		runs.end += e.points
		part := e.make(runs)
		runs.part = runs.end
		if runs.err != nil {
			return nil, Output{}, runs.err
		}
		answers = append(answers, part.answer)
		out.Tables = append(out.Tables, part.rows)
		if len(part.panel.Series) > 0 {
			row := panels / 3
			out.Plot.Panels[row] = append(out.Plot.Panels[row], part.panel)
			panels++
		}
	}
	return answers, out, nil
}

// openDocument writes the answers as the document docs/open-questions.md.
func openDocument(answers []openAnswer) string {
	var s strings.Builder
	s.WriteString("# Open questions of the convergence theory\n\n" +
		"What the theory leaves open (docs/proof.md has what is proved), an experiment for each, and what was found. Numbers are those of `repslab reproduce open --quick --seed 1`; a test compares. `--full` repeats them with more and longer runs. Intervals are 95 %, of shares by Wilson. Where a point was chosen because of its runs, its numbers are those of fresh runs, of the next seeds, that took no part in the choice; where a search steps on until an interval excludes a level, the end that it states may still be a little too near. Bins n, threshold τ, balls M, colours b a bin, delay d and window W as in package recycled.\n\n" +
		"A finding here is a measurement over a finite range and horizon, not a theorem.\n")
	for _, a := range answers {
		fmt.Fprintf(&s, "\n## %s\n\n%s\n\n*Experiment.* %s\n\n*Found.* %s\n", a.title, a.question, a.experiment,
			a.found)
	}
	return s.String()
}

// openRuns runs experiments one after the other and keeps the first error.
type openRuns struct {
	ctx              context.Context
	settings         Settings
	part, end, parts int // the next point, the first of the next experiment, all
	err              error
}

// plan returns the plan of the next experiment. The replicas of a later stage, those of a
// later seed, are independent of those of earlier stages. Experiments beyond the
// expected number make no progress.
func (r *openRuns) plan(replicas uint64, stage openStage) mc.Plan {
	s := r.settings
	s.Seed = stage.seed(s.Seed)
	if r.part >= r.end {
		s.Progress = nil
	}
	return s.part(r.part, r.parts).plan(replicas)
}

// estimate runs an experiment; after an error it does nothing.
func estimate[R any](r *openRuns, replicas uint64, stage openStage, run func(context.Context, mc.Plan) (R, error)) R {
	var result R
	if r.err == nil {
		result, r.err = run(r.ctx, r.plan(replicas, stage))
	}
	r.part++
	return result
}

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

// shareClass is a range of the share of runs, for the maps.
type shareClass struct {
	name string
	most float64 // the largest share in it
}

// shareClasses are the classes of the maps, ascending. The runs of a map are too few to
// tell 99 % from all.
func shareClasses() []shareClass {
	return []shareClass{{"no run", 0}, {"up to half", 0.5}, {"more than half", math.Nextafter(1, 0)}, {"all runs", 1}}
}

// openMap draws points (x, y) by the class of a share.
type openMap struct{ series []plot.Series }

// newOpenMap returns an empty map.
func newOpenMap() *openMap {
	m := &openMap{}
	for i, c := range shareClasses() {
		m.series = append(m.series,
			plot.Series{Name: c.name, Mark: plot.Points,
				Color: []plot.Color{plot.Orange, plot.Vermilion, plot.SkyBlue, plot.Blue}[i]})
	}
	return m
}

// add puts a point on the map.
func (m *openMap) add(x, y, share float64) {
	for i, c := range shareClasses() {
		if share <= c.most {
			appendXY(&m.series[i], x, y)
			return
		}
	}
}

// drawn returns the classes that have points.
func (m *openMap) drawn() []plot.Series {
	var list []plot.Series
	for _, s := range m.series {
		if len(s.X) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// theoremThreshold is the theorem's smallest integer τ.
func theoremThreshold(n int) int { return int(math.Ceil(4 * math.Log(float64(n)))) }

// joined writes a list in words.
func joined(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// each writes a value for every item.
func each[T any](items []T, text func(T) string) string {
	var list []string
	for _, item := range items {
		list = append(list, text(item))
	}
	return joined(list)
}

// withInterval writes an estimate with its interval.
func withInterval(e mc.Estimate) string {
	return fmt.Sprintf("%.3g [%.3g, %.3g]", e.Value, e.Lo, e.Hi)
}
