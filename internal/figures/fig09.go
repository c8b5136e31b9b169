package figures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/mc"
)

// fig09 re-makes a growing part of all cables dead.
func fig09() Figure {
	return Figure{
		ID:    "fig09",
		Title: "Up to half of all cables dead: REPS, PLB and the ideal, and what thawing costs",
		Rules: []claims.Rule{
			{Claim: "N054", Text: "at every part of dead cables the mean maximum FCT of REPS is at most 1.25 times the ideal of the authors' figure; with half of them dead that of PLB is at least twice that of REPS, and the shortest but REPS's"},
		},
		Build: buildFig09,
	}
}

// fig09Cut is when the runs of all balancers end, finished or not, in ms.
const fig09Cut = 20

// fig09Grid is one permutation under some contenders with some parts of the
// uplinks of every ToR dead.
type fig09Grid struct {
	compared []Scheme
	hosts    int
	bytes    int64
	parts    []float64           // of cables, in per cent
	horizon  fattree.Picoseconds // where runs are cut; 0 is the default
	replicas uint64
	runs     Batch[Run] // by part and contender
}

// run runs it.
func (g *fig09Grid) run(ctx context.Context, s Settings) error {
	for _, part := range g.parts {
		spec := fattree.Spec{Topology: fattree.Topology{Hosts: g.hosts}, KMin: microKMin, KMax: microKMax, Horizon: g.horizon}
		for tor := range spec.Topology.WithDefaults().ToRs() {
			for uplink := range g.dead(part) {
				spec.Faults = append(spec.Faults, fattree.Fault{Switch: tor, Uplink: uplink})
			}
		}
		for _, c := range g.compared {
			g.runs.Add(c.Setup(FullEVS, Permutation(s.Seed, spec, g.bytes)), part, c.Key)
		}
	}
	return g.runs.Run(ctx, s, g.replicas, KeepTimes)
}

// uplinks returns the number of uplinks of a ToR.
func (g *fig09Grid) uplinks() int {
	return fattree.Topology{Hosts: g.hosts}.WithDefaults().UplinksPerToR
}

// dead returns how many uplinks of every ToR a part of the cables is.
func (g *fig09Grid) dead(part float64) int {
	return int(math.Round(part / 100 * float64(g.uplinks())))
}

// at returns the runs of a point.
func (g *fig09Grid) at(part float64, key string) Runs { return g.runs.Of(part, key) }

// ideal returns the authors' ideal for the uplinks that live, in us: a message at
// the full rate and 20 us, in as much more time as there are fewer uplinks.
func (g *fig09Grid) ideal(part float64) float64 {
	const gbps = 400
	alive := 1 - float64(g.dead(part))/float64(g.uplinks())
	return (float64(g.bytes)*8/gbps/1000 + 20) / alive
}

// rows lists it.
func (g *fig09Grid) rows(seed uint64) [][]any {
	var rows [][]any
	for _, part := range g.parts {
		for _, c := range g.compared {
			r := g.at(part, c.Key)
			row := []any{c.Key, g.hosts, g.bytes, part, g.dead(part), g.ideal(part), r.MaxFCT().Value / g.ideal(part), r.Count(LostPackets).Value, r.Reroute().Value}
			rows = append(rows, append(row, r.Cells(nil, seed)...))
		}
	}
	return rows
}

// fig09Scene is the figure: REPS and PLB as in the paper, REPS by two rules with
// two lengths of freezing mode, and all balancers with half of the cables dead.
type fig09Scene struct {
	paper, thawing, all fig09Grid
}

// newFig09 returns what is to be run.
func newFig09(scale Scale) fig09Scene {
	frozen := REPSAs("artifact", "authors', 10 ms", 6, balance.RecyclingConfig{Rules: balance.Artifact})
	short, thawing := REPSThawing(), ArtifactThawing()
	short.Name, short.Look, thawing.Name = "REPS, 100 us", 2, "authors', 100 us"
	long := REPS()
	long.Name = "REPS, 10 ms"
	f := fig09Scene{
		paper:   fig09Grid{compared: []Scheme{REPS(), PLB()}, hosts: 128, bytes: 8 * MiB, parts: []float64{0, 12.5, 25, 37.5, 50}},
		thawing: fig09Grid{compared: []Scheme{long, short, frozen, thawing}, hosts: 64, bytes: 8 * MiB, parts: []float64{12.5, 25, 50}},
		all:     fig09Grid{compared: AllSchemes(), hosts: 64, bytes: 8 * MiB, parts: []float64{50}, horizon: fig09Cut * 1000 * Microseconds},
	}
	if scale == Full {
		f.paper.hosts, f.paper.bytes, f.paper.parts = 1024, 32*MiB, []float64{0, 10, 20, 30, 40, 50}
		f.thawing.hosts, f.thawing.parts = 1024, []float64{10, 30, 50}
		f.all.hosts = 128
	}
	f.paper.replicas, f.thawing.replicas, f.all.replicas = 3, 3, scale.Choose(3, 10)
	return f
}

func buildFig09(ctx context.Context, s Settings) (Output, error) {
	f := newFig09(s.Scale)
	rows := table.Table{Columns: append(append([]table.Column{table.Text("lb")},
		table.Numbers("hosts", "message_bytes", "dead_percent", "dead_uplinks_of_tor", "ideal_us", "over_authors_ideal", "lost", "reroute_us")...), RunColumns()...)}
	grids := []*fig09Grid{&f.paper, &f.thawing, &f.all}
	for i, g := range grids {
		if err := g.run(ctx, s.Part(i, len(grids))); err != nil {
			return Output{}, err
		}
		rows.Rows = append(rows.Rows, g.rows(s.Seed)...)
	}
	freezing, err := f.freezingNote()
	if err != nil {
		return Output{}, err
	}
	return Output{
		Tables:  []table.Table{rows},
		Formats: []table.Format{table.CSV},
		Plot:    f.plot(),
		Notes: []string{
			"The same first uplinks of every ToR are dead from the beginning on, upwards only: so did the authors, and the paths down stay even. A permutation, 2 tiers, queue 100, ECN 20/80, trimming, DCTCP variant.",
			fmt.Sprintf("(a) %d hosts, %d MiB; the authors ran 1,024 hosts and 32 MiB, with one seed. The ideal is theirs, of the uplinks that live: the message at 400 Gb/s and 20 us, over the part of uplinks alive.", f.paper.hosts, f.paper.bytes/MiB),
			freezing,
			fmt.Sprintf("(c) All balancers, %d hosts, 8 MiB, half of the cables dead. Bars are missing for those under which flows do not end within %d ms.", f.all.hosts, fig09Cut),
			fmt.Sprintf("Means over %d, %d and %d replicas with 95 %% intervals, over runs in which all flows end.", f.paper.replicas, f.thawing.replicas, f.all.replicas),
		},
		Findings: f.findings(),
	}, nil
}

// freezingNote says what the length of freezing mode does, here and in the authors'
// simulator.
func (f *fig09Scene) freezingNote() (string, error) {
	var theirs []any // with half of the cables dead and with 10 %, frozen for 10 ms and for 100 us
	for _, dead := range []int{50, 10} {
		for _, us := range []int{10_000, 100} {
			maxFCT, err := htsimFreezing(dead, us)
			if err != nil {
				return "", err
			}
			theirs = append(theirs, withComma(maxFCT))
		}
	}
	least, most := f.thawing.parts[0], f.thawing.parts[len(f.thawing.parts)-1]
	ours := func(part float64, key string) float64 { return f.thawing.at(part, key).MaxFCT().Value }
	const frozen, thawing = "artifact", "artifact-100us"
	return fmt.Sprintf("(b) %d hosts, %d MiB. How long freezing mode lasts decides, but only by the rules of the authors' simulator, which forget the ring when it ends and then draw a whole window of EVs at random: half of those packets are lost, and with them the window shrinks. The paper's rules keep the ring and draw every eighth packet.", f.thawing.hosts, f.thawing.bytes/MiB) +
		fmt.Sprintf(" The authors' simulator, one seed of 1,024 hosts, 8 MiB: with half of the cables dead %s us frozen for 10 ms and %s us for 100 us at a time; with 10 %% dead %s and %s us.", theirs...) +
		fmt.Sprintf(" Here, by the authors' rules, with %g %%: %.0f and %.0f us; with %g %%: %.0f and %.0f us.", most, ours(most, frozen), ours(most, thawing), least, ours(least, frozen), ours(least, thawing)), nil
}

// curves adds a curve of each contender to a panel.
func (g *fig09Grid) curves(panel *plot.Panel) {
	for _, c := range g.compared {
		series := plot.Series{Name: c.Name, Color: c.Look, Mark: plot.ErrorBars}
		for _, part := range g.parts {
			AppendPoint(&series, part, g.at(part, c.Key).MaxFCT())
		}
		panel.Series = append(panel.Series, series)
	}
	ideal := plot.Series{Name: "ideal", Color: 7, Dash: plot.Dashed, Mark: plot.Line}
	for _, part := range g.parts {
		ideal.X, ideal.Y = append(ideal.X, part), append(ideal.Y, g.ideal(part))
	}
	panel.Series = append(panel.Series, ideal)
}

// plot draws the three parts.
func (f *fig09Scene) plot() *plot.Plot {
	dead := plot.Axis{Ticks: f.paper.parts}
	first := plot.Panel{Title: "(a) REPS and PLB", XLabel: "Dead cables (%)", YLabel: "Mean max. FCT (us)", X: dead, Y: plot.Axis{Min: new(0.0)}, Legend: plot.TopLeft}
	f.paper.curves(&first)
	second := plot.Panel{Title: "(b) Length of freezing mode", XLabel: "Dead cables (%)", YLabel: "Mean max. FCT (us)", X: plot.Axis{Ticks: f.thawing.parts}, Y: plot.Axis{Scale: plot.Log10}, Legend: plot.TopLeft}
	f.thawing.curves(&second)
	third := plot.Panel{Title: fmt.Sprintf("(c) Half dead; no bar: not in %d ms", fig09Cut), YLabel: "Mean max. FCT (us)", X: plot.Axis{Min: new(-0.6), Max: new(float64(len(f.all.compared)) - 0.4)}, Y: plot.Axis{Scale: plot.Log10, Min: new(100.0)},
		Rules: []plot.ReferenceLine{{At: f.all.ideal(50), Label: "ideal"}}}
	bars := plot.Series{Color: 1, Mark: plot.Bars}
	for i, c := range f.all.compared {
		third.X.Ticks, third.X.TickLabels = append(third.X.Ticks, float64(i)), append(third.X.TickLabels, c.Name)
		AppendPoint(&bars, float64(i), f.all.at(50, c.Key).MaxFCT())
	}
	third.Series = []plot.Series{bars}
	return &plot.Plot{Columns: plot.Double, Height: 2.6, Panels: [][]plot.Panel{{first, second, third}}}
}

// findings judges the claim.
func (f *fig09Scene) findings() []claims.Finding {
	farthest, overIdeal := 0.0, mc.Estimate{}
	var conditions []claims.Condition
	for _, part := range f.paper.parts {
		e := f.paper.at(part, "reps").MaxFCT()
		conditions = append(conditions, claims.AtMost(e.Per(f.paper.ideal(part)), 1.25))
		if ratio := e.Value / f.paper.ideal(part); ratio > farthest {
			farthest, overIdeal = ratio, e.Per(f.paper.ideal(part))
		}
	}
	behind := f.paper.at(50, "plb").Over(f.paper.at(50, "reps"))
	conditions = append(conditions, claims.AtLeast(behind, 2))
	second, best := "", math.Inf(1)
	var unfinished []string
	for _, c := range f.all.compared {
		e := f.all.at(50, c.Key).MaxFCT()
		if math.IsNaN(e.Value) {
			unfinished = append(unfinished, c.Name)
			continue
		}
		if c.Key != "reps" && c.Key != "plb" {
			conditions = append(conditions, claims.AtLeast(f.all.at(50, c.Key).Over(f.all.at(50, "plb")), 1))
		}
		if c.Key != "reps" && e.Value < best {
			second, best = c.Name, e.Value
		}
	}
	return []claims.Finding{claims.Estimated("N054", farthest <= 1.25 && behind.Value >= 2 && second == PLB().Name, overIdeal,
		fmt.Sprintf("REPS at most %s times the ideal; half of the cables dead: PLB %s times REPS, shortest but REPS's: %s, %.0f us", Interval(overIdeal, "%.2f"), Interval(behind, "%.2f"), second, best),
		"the authors compare with PLB alone; not finished within "+fmt.Sprint(fig09Cut)+" ms: "+strings.Join(unfinished, ", ")).Resting(claims.All(conditions...))}
}
