package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/mc"
	"repslab/internal/report"
)

// fig03 re-makes the synthetic part of the comparison on a healthy network.
func fig03() Figure {
	return Figure{
		ID:    "fig03",
		Title: "Load balancers on a healthy network: incast, permutation, tornado",
		Rules: []Rule{
			{"N005", "the mean maximum FCT of ECMP over that of REPS, largest over the points of the figure, is 5.4 to 6.6, or 6 is in its 95 % interval"},
			{"N006", "the mean maximum FCT of OPS over that of REPS, largest over the points of the figure, is 1.125 to 1.375, or 1.25 is in its 95 % interval"},
			{"N033", "as N006, in percent: the largest gain of REPS over OPS is 22.5 to 27.5 %, or 25 % is in its 95 % interval"},
			{"N034", "in every incast the mean maximum FCT of every load balancer is within 10 % of that of REPS"},
		},
		build: buildFig03,
	}
}

// fig03Point is a workload of the figure.
type fig03Point struct {
	key, short string // "permutation", "P."
	bytes      int64
	runs       []networkRuns // by contender
}

// fig03Scene is the figure's comparison.
type fig03Scene struct {
	compared []contender
	hosts    int
	points   []fig03Point
}

// index returns the number of a contender.
func (f fig03Scene) index(key string) int {
	return slices.IndexFunc(f.compared, func(c contender) bool { return c.key == key })
}

// newFig03 runs the comparison.
func newFig03(ctx context.Context, s Settings) (fig03Scene, error) {
	f := fig03Scene{compared: contenders(), hosts: int(s.Scale.choose(128, 1024))}
	spec := fattree.Spec{Topology: fattree.Topology{Hosts: f.hosts}, DisableTrimming: true, Queue: 101, KMin: 25, KMax: 76}
	var setups []fattree.Setup
	for _, pattern := range []string{"incast", "permutation", "tornado"} {
		for _, bytes := range []int64{4 * mib, 8 * mib, 16 * mib} {
			message := traffic.Message{Bytes: bytes}
			network := s.permutation(spec, bytes)
			switch pattern {
			case "incast":
				network = fixed(spec)(traffic.Incast(f.hosts, 8, message))
			case "tornado":
				network = fixed(spec)(traffic.Tornado(f.hosts, message))
			}
			f.points = append(f.points, fig03Point{key: pattern, short: strings.ToUpper(pattern[:1]) + ".", bytes: bytes})
			for _, c := range f.compared {
				setups = append(setups, c.setup(fullEVS, network))
			}
		}
	}
	all, err := simulate(ctx, s, setups, s.Scale.choose(3, 10), keepRun)
	for i := range all {
		p := &f.points[i/len(f.compared)]
		p.runs = append(p.runs, all[i])
	}
	return f, err
}

func buildFig03(ctx context.Context, s Settings) (Output, error) {
	f, err := newFig03(ctx, s)
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []Table{f.table(s.Seed), f.slowdowns(s.Seed), f.cdf(s.Seed)},
		Formats: []report.Format{report.CSV},
		Plot:    f.plot(),
		Notes: []string{
			fmt.Sprintf("%d hosts, 2 tiers, queue 101, ECN 25/76, no trimming, DCTCP variant; incast is 8 senders of one ToR to one host. The authors ran 1,024 hosts, one seed a bar; `--full` does so with 10 seeds.", f.hosts),
			"Categories are pattern and message size in MiB. Panel (b): maximum FCT of OPS over that of the other, replicas paired: above 1 is faster than OPS. Panel (c): flows of all replicas of the 8 MiB permutation. Panel (d): the slowest percent of the flows of a permutation, over what fluids that share links max-min fairly would take, flow by flow.",
			"fig03-slowdown.csv has slowdowns against the fluid ideal by pattern and flow size, fig03-cdf.csv the distribution of FCTs at every percent. `repslab fattree --flows-out` writes single flows.",
			"The data-centre traces and collectives of the paper's figure are not here, nor load balancers beyond ECMP, OPS and REPS. The authors' simulator on 128 hosts, 8 MiB, 3 seeds: permutation 787.1, 195.7 and 184.7 us under ECMP, OPS and REPS, tornado 672.9, 193.2 and 183.4, incast (one seed) 1,414.8, 1,420.4 and 1,387.1.",
		},
		Findings: f.findings(),
	}, nil
}

// table lists every bar.
func (f fig03Scene) table(seed uint64) Table {
	t := Table{Columns: append([]report.Column{text("workload"), text("lb")}, append(numbers("hosts", "message_bytes", "evs"), networkColumns()...)...)}
	for _, p := range f.points {
		for i, c := range f.compared {
			t.Rows = append(t.Rows, append([]any{p.key, c.key, f.hosts, p.bytes, fullEVS}, p.runs[i].cells(p.runs[f.index("ops")], seed)...))
		}
	}
	return t
}

// pooled returns a number of every flow of all complete runs, ascending.
func pooled[T int64 | float64](runs networkRuns, of func(networkRun) []T) []T {
	var all []T
	for _, r := range runs {
		all = append(all, of(r)...)
	}
	slices.Sort(all)
	return all
}

func fctsOf(r networkRun) []int64        { return r.fcts }
func slowdownsOf(r networkRun) []float64 { return r.slowdowns }

// rank returns the p-quantile of ascending values by nearest rank, NaN if there
// are none.
func rank[T int64 | float64](sorted []T, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return float64(sorted[max(0, int(math.Ceil(p*float64(len(sorted))))-1)])
}

// slowdowns lists slowdowns against the fluid ideal by flow size.
func (f fig03Scene) slowdowns(seed uint64) Table {
	t := Table{Name: "slowdown", Columns: append([]report.Column{text("workload"), text("lb")}, numbers("hosts", "flow_bytes", "flows", "slowdown_mean", "slowdown_p50", "slowdown_p95", "slowdown_p99", "slowdown_max", "seed", "replicas")...)}
	for _, p := range f.points {
		for i, c := range f.compared {
			all := pooled(p.runs[i], slowdownsOf)
			sum := 0.0
			for _, x := range all {
				sum += x
			}
			t.Rows = append(t.Rows, []any{p.key, c.key, f.hosts, p.bytes, len(all), sum / float64(len(all)),
				rank(all, 0.5), rank(all, 0.95), rank(all, 0.99), rank(all, 1), seed, len(p.runs[i])})
		}
	}
	return t
}

// cdf lists the distribution of completion times.
func (f fig03Scene) cdf(seed uint64) Table {
	t := Table{Name: "cdf", Columns: append([]report.Column{text("workload"), text("lb")}, numbers("hosts", "message_bytes", "cdf", "fct_us", "seed", "replicas")...)}
	for _, p := range f.points {
		for i, c := range f.compared {
			all := pooled(p.runs[i], fctsOf)
			for percent := 1; percent <= 100; percent++ {
				share := float64(percent) / 100
				t.Rows = append(t.Rows, []any{p.key, c.key, f.hosts, p.bytes, share, rank(all, share) / microseconds, seed, len(p.runs[i])})
			}
		}
	}
	return t
}

// plot draws completion times, speed-ups, a distribution and slowdowns.
func (f fig03Scene) plot() *report.Figure {
	var categories report.Axis
	for i, p := range f.points {
		categories.Ticks = append(categories.Ticks, float64(i))
		categories.TickLabels = append(categories.TickLabels, fmt.Sprintf("%s%d", p.short, p.bytes/mib))
	}
	times := report.Panel{Title: "(a) Completion time", XLabel: "Pattern, message (MiB)", YLabel: "Mean max. FCT (us)", X: categories, Y: report.Axis{Scale: report.Log10, Min: new(50.0), Max: new(5000.0)}}
	speedup := report.Panel{Title: "(b) Speed-up over OPS", XLabel: "Pattern, message (MiB)", YLabel: "Max. FCT of OPS / own", X: categories, Y: report.Axis{Min: new(0.0), Max: new(1.35)}, Rules: []report.Rule{{At: 1}}}
	cdf := report.Panel{Title: "(c) Flows of the 8 MiB permutation", XLabel: "FCT (us)", YLabel: "Share of flows", X: report.Axis{Scale: report.Log10}, Y: report.Axis{Min: new(0.0), Max: new(1.05)}}
	slow := report.Panel{Title: "(d) Permutation, slowest percent", XLabel: "Flow size (MiB)", YLabel: "Slowdown over ideal", X: report.Axis{Scale: report.Log2, Ticks: []float64{4, 8, 16}, TickLabels: []string{"4", "8", "16"}}, Y: report.Axis{Scale: report.Log2, Min: new(0.9), Max: new(9.0)}}
	oblivious := f.index("ops")
	for i, c := range f.compared {
		bars := report.Series{Name: c.name, Color: c.look, Mark: report.Bars}
		ratios, share := bars, report.Series{Name: c.name, Color: c.look}
		bySize := report.Series{Name: c.name, Color: c.look, Mark: report.LinePoints}
		for j, p := range f.points {
			appendPoint(&bars, float64(j), p.runs[i].maxFCT())
			if i != oblivious {
				appendPoint(&ratios, float64(j), p.runs[oblivious].over(p.runs[i]))
			}
			if p.key != "permutation" {
				continue
			}
			bySize.X, bySize.Y = append(bySize.X, float64(p.bytes)/mib), append(bySize.Y, rank(pooled(p.runs[i], slowdownsOf), 0.99))
			if p.bytes == 8*mib {
				all := pooled(p.runs[i], fctsOf)
				for k := range 201 {
					share.X, share.Y = append(share.X, rank(all, float64(k)/200)/microseconds), append(share.Y, float64(k)/200)
				}
			}
		}
		times.Series, cdf.Series, slow.Series = append(times.Series, bars), append(cdf.Series, share), append(slow.Series, bySize)
		if i != oblivious {
			speedup.Series = append(speedup.Series, ratios)
		}
	}
	return &report.Figure{Columns: report.Double, Height: 3.8, SharedLegend: true, Panels: [][]report.Panel{{times, speedup}, {cdf, slow}}}
}

// largest returns the largest ratio of the maximum FCT of a contender to that of
// REPS over the points, and where it is.
func (f fig03Scene) largest(key string) (mc.Estimate, string) {
	var most mc.Estimate
	where := ""
	for _, p := range f.points {
		if e := p.runs[f.index(key)].over(p.runs[f.index("reps")]); e.Value > most.Value {
			most, where = e, fmt.Sprintf("%s of %d MiB", p.key, p.bytes/mib)
		}
	}
	return most, where
}

// findings judges the claims.
func (f fig03Scene) findings() []Finding {
	const note = "of the synthetic workloads; traces and collectives are not in the figure"
	upTo := func(claim string, e mc.Estimate, claimed float64, measured string) Finding {
		return Finding{claim, judge(within10Percent(e.Value, claimed) || e.Lo <= claimed && claimed <= e.Hi), measured, e.Lo, e.Hi, note}
	}
	overECMP, whereECMP := f.largest("ecmp")
	overOPS, whereOPS := f.largest("ops")
	gain := percent(overOPS)
	farthest, who := 0.0, ""
	for _, p := range f.points {
		for i, c := range f.compared {
			if off := percent(p.runs[i].over(p.runs[f.index("reps")])).Value; p.key == "incast" && math.Abs(off) > math.Abs(farthest) {
				farthest, who = off, fmt.Sprintf("%s, %d MiB", c.name, p.bytes/mib)
			}
		}
	}
	return []Finding{
		upTo("N005", overECMP, 6, "ECMP over REPS up to "+interval(overECMP, "%.2f")+", "+whereECMP),
		upTo("N006", overOPS, 1.25, "OPS over REPS up to "+interval(overOPS, "%.3f")+", "+whereOPS),
		upTo("N033", gain, 25, "gain of REPS over OPS up to "+interval(gain, "%.1f")+" %, "+whereOPS),
		inWords("N034", math.Abs(farthest) <= 10, fmt.Sprintf("farthest from REPS in an incast: %s, %+.1f %%", who, farthest), ""),
	}
}
