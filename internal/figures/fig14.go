package figures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"repslab/evsimbalance"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
)

// The set-up of the paper's figure.
const (
	fig14Uplinks = 32
	fig14Flows   = 32 // in the middle panel; the left panel has 1
	fig14Least   = 4  // log2 of the smallest EVS
	fig14Most    = 16
)

// fig14Exact names the exact distributions in the legend.
const fig14Exact = "exact mean and 2.5 to 97.5 %"

// fig14Method is a method with an empty series.
type fig14Method struct {
	method evsimbalance.Method
	series plot.Series
}

// fig14Methods lists the methods.
func fig14Methods() []fig14Method {
	return []fig14Method{
		{evsimbalance.Exact, plot.Series{Name: fig14Exact, Color: plot.Indigo, Mark: plot.Line}},
		{evsimbalance.Hash, plot.Series{Name: "model's hash", Color: plot.Rose, Mark: plot.Points}},
		{evsimbalance.CRC32, plot.Series{Name: "CRC-32 mod 32: 0 from 32 EVs on", Color: plot.Olive, Mark: plot.Points}},
	}
}

// fig14Configs returns the configurations of a method, by ascending size of the EVS.
func fig14Configs(flows int, method evsimbalance.Method) []evsimbalance.Config {
	var list []evsimbalance.Config
	for e := fig14Least; e <= fig14Most; e++ {
		list = append(list, evsimbalance.Config{Flows: flows, EVS: 1 << e, Uplinks: fig14Uplinks, Method: method})
	}
	return list
}

// fig14Runs are results by configuration.
type fig14Runs = engine.Results[evsimbalance.Config, evsimbalance.Result]

// fig14Law returns the exact distribution of the maximum load.
func fig14Law(balls, bins int) *evsimbalance.MaxLaw {
	law, err := evsimbalance.NewMaxLaw(balls, bins)
	if err != nil {
		panic(err) // the figure's numbers are valid
	}
	return law
}

// fig14 reproduces the load imbalance of an EVS on the uplinks of a switch.
func fig14(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const replicas = 400
	var list engine.Estimations[evsimbalance.Config, evsimbalance.Result]
	for _, flows := range []int{1, fig14Flows} {
		for _, m := range fig14Methods() {
			for _, cfg := range fig14Configs(flows, m.method) {
				list.Add(cfg, replicas, engine.Simulating(evsimbalance.Simulate, cfg))
			}
		}
	}
	runs, err := list.Run(ctx, s)
	if err != nil {
		return engine.Output{}, err
	}
	imbalances := frame.Table{}
	for _, e := range list {
		cfg, m := e.Key, runs.At(e.Key)
		if m.Replicas > 0 {
			m.Mean = m.Mean.OfFew(positive(0))
			runs[e.Key] = m
		}
		imbalances.Add(cells{{"flows", cfg.Flows}, {"evs", cfg.EVS}, {"uplinks", cfg.Uplinks},
			{"method", string(cfg.Method)}, {"imbalance_mean", frame.WithErrorAndEnds(m.Mean)},
			{"imbalance_p025", m.P025.Value}, {"imbalance_p05", m.P05.Value},
			{"imbalance_p50", m.P50.Value}, {"imbalance_p95", m.P95.Value}, {"imbalance_p975", m.P975.Value}},
			madeFrom(s.Seed, m.Replicas))
	}
	squares := fig14Squares()
	squareTable, squarePanel := fig14SquarePanel(squares)
	panels := []plot.Panel{fig14Panel(runs, "(a) 1 flow", 1), fig14Panel(runs, "(b) 32 flows", fig14Flows), squarePanel}
	panels[1].References = []plot.ReferenceLine{{At: 10}, {At: 1}} // the bounds in the claims
	return engine.Output{
		Tables:   []frame.Table{imbalances, squareTable},
		Plot:     &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{panels}},
		Notes:    notes(facts{"replicas": replicas}, "fig14"),
		Findings: []claims.Finding{fig14Few(), fig14All(), fig14Asymptotic(squares), fig14Vanishing(), fig14Ports()},
	}, nil
}

// fig14Panel draws the imbalance for a number of flows.
func fig14Panel(runs fig14Runs, title string, flows int) plot.Panel {
	panel := plot.Panel{Title: title, XLabel: "EVS size", YLabel: "Load imbalance (%)",
		X: atPowersOf2(onScale(plot.Log2, 12, 90_000), 4, 7, 10, 13, 16),
		Y: ticked(onScale(plot.Log10, 0.2, 2000), "%g", 1, 10, 100, 1000.0)}
	for _, m := range fig14Methods() {
		for _, cfg := range fig14Configs(flows, m.method) {
			r := runs.At(cfg)
			lo, hi := r.Mean.Lo, r.Mean.Hi // interval of the mean
			if m.method == evsimbalance.Exact {
				lo, hi = r.P025.Value, r.P975.Value
			}
			if r.Mean.Value > 0 {
				appendBand(&m.series, float64(cfg.EVS), 100*r.Mean.Value, 100*lo, 100*hi)
			}
		}
		panel.Series = append(panel.Series, m.series)
	}
	return panel
}

// fig14Square holds the maximum load of n balls in n bins, from its exact distribution.
type fig14Square struct {
	bins      int
	mean      float64
	low, high int     // quantiles 2.5 % and 97.5 %
	gonnet    float64 // Γ^-1(n) - 3/2
	growth    float64 // mean imbalance over ln n / ln ln n
}

// fig14Squares returns the results for 2^4 to 2^24 balls.
func fig14Squares() []fig14Square {
	var squares []fig14Square
	for e := 4; e <= 24; e += 2 {
		n, log := 1<<e, math.Log(float64(int(1)<<e))
		law := fig14Law(n, n)
		mean := law.Mean()
		squares = append(squares, fig14Square{n, mean, law.Quantile(0.025), law.Quantile(0.975),
			evsimbalance.GonnetMean(n), (mean - 1) / (log / math.Log(log))})
	}
	return squares
}

// fig14SquarePanel lists and draws these results.
func fig14SquarePanel(squares []fig14Square) (frame.Table, plot.Panel) {
	t := frame.Table{Name: "one-ball-a-bin"}
	exact := plot.Series{Name: fig14Exact, Color: plot.Indigo}
	gonnet := plot.Series{Name: "Gonnet's asymptotic mean", Color: plot.Black, Dash: plot.Dashed}
	for _, q := range squares {
		t.Add(cells{{"bins", q.bins}, {"max_load_mean", q.mean}, {"max_load_p025", q.low},
			{"max_load_p975", q.high}, {"gonnet_mean", q.gonnet}, {"imbalance_mean", q.mean - 1},
			{"imbalance_per_lnn_over_lnlnn", q.growth}})
		appendBand(&exact, float64(q.bins), q.mean, float64(q.low), float64(q.high))
		appendXY(&gonnet, float64(q.bins), q.gonnet)
	}
	return t, plot.Panel{Title: "(c) As many EVs as uplinks", XLabel: "Uplinks n", YLabel: "Maximum load (EVs)",
		X:      atPowersOf2(onScale(plot.Log2, 12, 2.2e7), 4, 8, 12, 16, 20, 24),
		Y:      ticked(from(0, 12), "%d", 0, 3, 6, 9, 12),
		Series: []plot.Series{exact, gonnet}}
}

// fig14Few grades the claim about 32 flows and few EVs, by exact distributions.
func fig14Few() claims.Finding {
	holds := true
	var measured []string
	for e := fig14Least; e <= 8; e++ {
		law := fig14Law(fig14Flows<<e, fig14Uplinks)
		mean, above := law.Imbalance(law.Mean()), 1-law.AtMost(0.1)
		measured = append(measured, fmt.Sprintf("EVS 2^%d %.3g %%, %.3g", e, 100*mean, above))
		holds = holds && (e == 8 || claims.Within("N063", "mean imbalance", 100*mean))
	}
	last := len(measured) - 1
	return claims.InWords("N063", holds,
		"mean imbalance, and probability of more than 10 %: "+strings.Join(measured[:last], "; "),
		"the first size outside the claim: "+measured[last])
}

// fig14All grades the claim about 32 flows and all EVs, by exact distributions.
func fig14All() claims.Finding {
	many, single := fig14Law(fig14Flows<<fig14Most, fig14Uplinks), fig14Law(1<<fig14Most, fig14Uplinks)
	mean, within := many.Imbalance(many.Mean()), many.AtMost(0.01)
	return claims.InParts("N064", []claims.Part{
		claims.Met("N064", "the average hash salt", claims.Exact(100*mean)), claims.Met("N064", "every hash salt", claims.Exact(100*within)),
	}, fmt.Sprintf("mean imbalance %.3g %%, 97.5 %% quantile %.3g %%", 100*mean,
		100*many.Imbalance(float64(many.Quantile(0.975)))),
		fmt.Sprintf("%.3g %% of the hash salts give less than 1 %%; a single flow has %.3g %% on average", 100*within,
			100*single.Imbalance(single.Mean())))
}

// fig14Vanishing grades that the imbalance vanishes with many EVs per uplink, by exact distributions.
func fig14Vanishing() claims.Finding {
	const least, most = 7, 21
	falls, mean, high := true, math.Inf(1), math.Inf(1)
	var first string
	for e := least; e <= most; e++ {
		law := fig14Law(1<<e, fig14Uplinks)
		now, tail := law.Imbalance(law.Mean()), law.Imbalance(float64(law.Quantile(0.975)))
		falls, mean, high = falls && now < mean && tail < high, now, tail
		if e == least {
			first = fmt.Sprintf("%.3g, %.3g %%", 100*now, 100*tail)
		}
	}
	return claims.InWords("N105", falls && claims.Within("N105", "last quantile", 100*high),
		fmt.Sprintf("mean imbalance and 97.5 %% quantile: %s at m = 2^%d, %.3g, %.3g %% at 2^%d",
			first, least, 100*mean, 100*high, most), "over finite m, exact")
}

// fig14Ports grades that more ports need more EVs, by exact distributions.
func fig14Ports() claims.Finding {
	grows, before, most := true, 0, claims.Find("N106").Bound("mean imbalance").Hi
	var words []string
	for _, ports := range []int{8, 16, 32, 64, 128} {
		evs, err := evsimbalance.LeastEVs(fig14Flows, ports, most/100)
		if err != nil {
			panic(err) // the numbers are valid
		}
		grows, before = grows && evs > before, evs
		words = append(words, fmt.Sprintf("%d with %d", evs, ports))
	}
	return claims.InWords("N106", grows, fmt.Sprintf("EVs for a mean imbalance of at most %g %%, by uplinks: %s", most,
		strings.Join(words, ", ")), "exact, 32 flows")
}

// fig14Asymptotic grades the claim about m = n.
func fig14Asymptotic(squares []fig14Square) claims.Finding {
	holds, farthest := true, 0.0
	for _, q := range squares {
		off := math.Abs(q.mean - q.gonnet)
		farthest = max(farthest, off)
		holds = holds && claims.Within("N065", "mean", off) &&
			claims.Within("N065", "quantiles", max(float64(q.high)-q.gonnet, q.gonnet-float64(q.low)))
	}
	first, last := squares[0], squares[len(squares)-1]
	return claims.InWords("N065", holds,
		fmt.Sprintf("mean maximum load %.3f at n = 2^4, %.3f at 2^24, at most %.2f off Γ^-1(n) - 3/2; "+
			"2.5 to 97.5 %%: %d to %d, %d to %d EVs", first.mean, last.mean, farthest,
			first.low, first.high, last.low, last.high),
		fmt.Sprintf("over finite n; mean imbalance / (ln n / ln ln n) is %.2f at 2^4, %.2f at 2^24", first.growth,
			last.growth))
}
