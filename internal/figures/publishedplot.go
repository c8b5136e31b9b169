package figures

import (
	"fmt"
	"math"
	"strings"

	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/mc"
)

// held is a published number with ours.
type held struct {
	publishedRow
	ours
	nearest float64 // our p99 by nearest rank; NaN of other statistics
}

// heldRows are published numbers with ours.
type heldRows []held

// timesAgainst returns the published times with ours.
func timesAgainst(c *comparison, rows []publishedRow) heldRows {
	return lists.Map(rows, func(r publishedRow) held {
		runs, nearest := c.at(r.setting, r.x, r.lb), math.NaN()
		if r.statistic == "p99" {
			nearest = meanOf(runs, kept(nearestP99)).Value
		}
		return held{r, r.of(runs), nearest}
	})
}

// gainsAgainst returns published times of spraying over those of REPS, with ours. Their standard deviation is not
// known, since only means over seeds are published.
func gainsAgainst(c *comparison, rows []publishedRow) (list heldRows) {
	for _, spray := range rows {
		for _, reps := range rows {
			if spray.lb != "stratified" || reps.lb != "reps-legacy" || spray.setting != reps.setting || spray.x != reps.x || spray.statistic != reps.statistic {
				continue
			}
			both := spray.of(c.at(spray.setting, spray.x, spray.lb)).over(reps.of(c.at(reps.setting, reps.x, reps.lb)))
			gain := spray
			gain.lb, gain.value, gain.sd = spray.lb+" over "+reps.lb, spray.value/reps.value, math.NaN()
			list = append(list, held{gain, both, math.NaN()})
		}
	}
	return list
}

// ratio returns ours over theirs.
func (h held) ratio() mc.Estimate { return h.estimate().Per(h.value) }

// theirs returns 1, the published number over itself, with its interval over seeds by Student's law if it is known.
func (h held) theirs() mc.Estimate {
	e := mc.Estimate{Value: 1, Lo: math.Inf(-1), Hi: math.Inf(1), N: uint64(h.seeds)}
	if se := h.sd / math.Sqrt(float64(h.seeds-1)) / h.value; se >= 0 {
		w := mc.NewWelch(1, se, float64(h.seeds), 0, float64(h.seeds))
		e.Lo, e.Hi = w.Lo, w.Hi
	}
	return e
}

// table lists the rows. The keys of numbers end with their unit.
func (list heldRows) table(name, unit string, seed uint64) frame.Table {
	t := frame.Table{Name: name}
	for _, h := range list {
		z, p := h.against(h.value)
		theirs, spread := h.theirs(), h.sd >= 0
		t.Add(cells{{"publisher", h.publisher()}, {"setting", h.setting}, {"x", h.x}, {"lb", h.lb},
			{"statistic", h.statistic},
			{"seeds", h.seeds}, {"published" + unit, h.value}, {"published_sd" + unit, orNull(spread, h.sd)},
			{"repslab" + unit, frame.WithErrorAndEnds(h.estimate())}, {"repslab_sd" + unit, h.overPermutations()},
			{"nearest_rank" + unit, orNull(h.nearest >= 0, h.nearest)}, {"ratio", frame.WithEnds(h.ratio())},
			{"published_from", orNull(spread, theirs.Lo)},
			{"published_to", orNull(spread, theirs.Hi)}, {"z", z}, {"p_value", p}, {"source", h.source}},
			madeFrom(seed, len(h.observations)))
	}
	return t
}

// agreement says how near ours are to theirs, for a statistic.
type agreement struct {
	statistic           string
	numbers, near, like int     // all, those within 1 %, and those with p >= 0.05
	farthest, z         float64 // largest distance of a ratio from 1, and the root mean square of z
}

// agreement returns the agreement of each statistic, of one publisher or of all.
func (list heldRows) agreement(publisher string) (all []agreement) {
	for _, statistic := range []string{"mean", "p50", "p99", "max"} {
		a := agreement{statistic: statistic}
		for _, h := range list {
			if h.statistic != statistic || publisher != "" && publisher != h.publisher() {
				continue
			}
			off := math.Abs(h.ratio().Value - 1)
			z, p := h.against(h.value)
			a.numbers, a.farthest, a.z = a.numbers+1, max(a.farthest, off), a.z+float64(z*z)
			if off <= 0.01 {
				a.near++
			}
			if p >= 0.05 {
				a.like++
			}
		}
		if a.z = math.Sqrt(a.z / float64(a.numbers)); a.numbers > 0 {
			all = append(all, a)
		}
	}
	return all
}

// agreements says the agreement of means and of p99.
func agreements(list []agreement) string {
	shown := lists.Where(list, func(a agreement) bool { return a.statistic == "mean" || a.statistic == "p99" })
	return strings.Join(lists.Map(shown, func(a agreement) string {
		return fmt.Sprintf("%s: %d of %d within 1 %%, the farthest %.1f %% off", a.statistic, a.near, a.numbers, 100*a.farthest)
	}), "; ")
}

// publishedPlot draws ours over theirs, setting by setting, and the gain of REPS by the number of slow links.
func publishedPlot(times, gains heldRows) *plot.Plot {
	recycling := func(statistic string) func(held) bool {
		return func(h held) bool { return h.lb == "reps-fifo" && h.statistic == statistic }
	}
	spraying := func(last bool) func(held) bool {
		return func(h held) bool { return h.publisher() == sprayingPublisher && (h.seeds > 1) == last }
	}
	setting := func(h held) string { return h.short() }
	return &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{
		{times.ratios("(a) Mean FCT of REPS, 400 Gb/s", recycling("mean"), setting), times.ratios("(b) p99 FCT of REPS, 400 Gb/s", recycling("p99"), setting)},
		{gains.bySlow("(c) 128 hosts, mean", publishedSlow128, "mean"), gains.bySlow("(d) 128 hosts, p99", publishedSlow128, "p99")},
		{gains.bySlow("(e) 1,024 hosts, mean", publishedSlow1024, "mean"), gains.bySlow("(f) 1,024 hosts, p99", publishedSlow1024, "p99")},
		{times.ratios("(g) Spraying, 8,192 hosts", spraying(false), func(h held) string { return h.short() + " " + h.statistic }),
			times.ratios("(h) Spraying, last flow", spraying(true), setting)},
	}}
}

// theirSeries and ourSeries are the looks of both sides.
func theirSeries() plot.Series {
	return plot.Series{Name: "published", Color: plot.Black, Mark: plot.Points}
}

func ourSeries() plot.Series {
	return plot.Series{Name: "here", Color: plot.Teal, Mark: plot.Points}
}

// ratios draws a panel of ours over theirs, for some rows with labels.
func (list heldRows) ratios(title string, those func(held) bool, label func(held) string) plot.Panel {
	of := lists.Where(list, those)
	theirs, ours := theirSeries(), ourSeries()
	for i, h := range of {
		const beside = 0.12
		appendPoint(&theirs, float64(i)-beside, h.theirs())
		appendPoint(&ours, float64(i)+beside, h.ratio())
	}
	return plot.Panel{Title: title, YLabel: "Over published", X: barAxis(of, label), Y: from(), Series: []plot.Series{theirs, ours},
		References: []plot.ReferenceLine{{At: 1}}}
}

// bySlow draws a panel of gains over the number of slow links.
func (list heldRows) bySlow(title, setting, statistic string) plot.Panel {
	theirs, ours := theirSeries(), ourSeries()
	for _, h := range list {
		if h.setting == setting && h.statistic == statistic {
			appendPoint(&theirs, float64(h.x), h.theirs().Per(1/h.value))
			appendPoint(&ours, float64(h.x), h.estimate())
		}
	}
	most := ours.X[len(ours.X)-1]
	return plot.Panel{Title: title, XLabel: "Slow links from the core", YLabel: "Spraying / REPS", X: from(-most/12, most*13/12), Y: from(),
		Series: []plot.Series{theirs, ours}}
}

// short names a setting on an axis.
func (h held) short() string {
	words := strings.NewReplacer("2 tiers, ", "2T ", "3 tiers, ", "3T ", " hosts, ", " ", "line rate", "line", "last flow", "").Replace(h.setting)
	return fmt.Sprintf("%s %d", strings.TrimPrefix(strings.TrimSpace(words), "8,192 "), h.x)
}
