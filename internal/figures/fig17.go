package figures

import (
	"context"
	"errors"
	"fmt"

	"repslab/ballsbins"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// fig17Key is the key of an experiment of the figure.
type fig17Key struct {
	variant ballsbins.Variant
	ports   int
}

// fig17 reproduces the mean maximum queue over 1,000 rounds of batched balls into
// bins, by the number of ports.
func fig17(ctx context.Context, s engine.Settings) (engine.Output, error) {
	const lambda, rounds, every = 0.99, 1000, 50
	const replicas = 10_000
	ports := []int{4, 8, 16, 32, 64, 128}
	variants := []ballsbins.Variant{ballsbins.ServeThenArrive, ballsbins.Weighted}
	titles := []string{"(a) Text: balls arrive with probability λ", "(b) Authors' script: balls of weight λ"}
	config := func(key fig17Key) ballsbins.Config {
		return ballsbins.Config{Bins: key.ports, Lambda: lambda, Variant: key.variant,
			Rounds: mc.RoundsEvery(every, rounds)}
	}
	var list engine.Estimations[fig17Key, ballsbins.Result]
	for _, variant := range variants {
		for _, n := range ports {
			key := fig17Key{variant, n}
			list.Add(key, replicas, engine.Simulating(ballsbins.Simulate, config(key)))
		}
	}
	runs, err := list.Run(ctx, s)
	if err != nil {
		return engine.Output{}, err
	}
	var main frame.Table
	figure := plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{nil}}
	var grows rule
	var ends []float64 // of the smallest and of the largest number of ports
	for i, variant := range variants {
		panel := plot.Panel{Title: titles[i], XLabel: "Round", YLabel: "Mean maximum queue (packets)"}
		var last mc.Estimate
		for j, n := range ports {
			key := fig17Key{variant, n}
			result := runs.At(key)
			meanField, err := meanFieldOrNull(ctx, config(key))
			if err != nil {
				return engine.Output{}, err
			}
			series := plot.Series{Name: fmt.Sprintf("n = %d", n), Mark: plot.LinePoints}
			for k := range result.Observations {
				o := &result.Observations[k]
				o.MaxLoad = o.MaxLoad.OfFew(counted(1))
				appendPoint(&series, float64(o.Round), o.MaxLoad)
				main.Add(cells{{"process", string(variant)}, {"bins", n}, {"lambda", lambda}, {"round", o.Round},
					{"max_load_mean", frame.WithErrorAndEnds(o.MaxLoad)}, {"mean_field_max_load", meanField[k]}},
					madeFrom(s.Seed, result.Replicas))
			}
			panel.Series = append(panel.Series, series)
			end := result.Observations[len(result.Observations)-1].MaxLoad
			if j > 0 {
				grows.add(claims.ClearlyBelow(last, end), "")
			}
			if j == 0 || j == len(ports)-1 {
				grows.words = append(grows.words, fmt.Sprintf("%s, n = %d: %s", variant, n, withBounds(end, "%.1f")))
				ends = append(ends, end.Value)
			}
			last = end
		}
		figure.Panels[0] = append(figure.Panels[0], panel)
	}
	leaky, err := leakyFinding()
	if err != nil {
		return engine.Output{}, err
	}
	why := fmt.Sprintf("%d ports have a maximum %.2f times that of %d; in the authors' script %.2f times",
		ports[len(ports)-1], ends[1]/ends[0], ports[0], ends[3]/ends[2])
	return engine.Output{
		Tables:   []frame.Table{main},
		Plot:     &figure,
		Notes:    notes(facts{"replicas": replicas}, "fig17"),
		Findings: []claims.Finding{grows.all("N075", "in packets: ", "; ", why), leaky},
	}, nil
}

// leakyFinding grades the orders of the maximum load for λ < 1.
func leakyFinding() (claims.Finding, error) {
	constants, err := ballsbins.FitLeaky([]int{4, 16, 64, 256, 1024, 4096, 65536},
		[]float64{0.5, 0.7, 0.9, 0.99, 0.999})
	return claims.InWords("N074", claims.Within("N074", "upper", constants.Upper) && claims.Within("N074", "lower", constants.Lower),
		fmt.Sprintf("at most %.3f ln(n/(1-λ))/(1-λ), at least %.3f ln(n)/(1-λ)", constants.Upper, constants.Lower),
		"of independent ports in their stationary law, over finitely many n and λ"), err
}

// meanFieldOrNull returns the mean-field maximum load at the observed rounds, nil if the process has none.
func meanFieldOrNull(ctx context.Context, cfg ballsbins.Config) ([]any, error) {
	cells := make([]any, len(cfg.Rounds))
	values, err := ballsbins.MeanFieldMaxLoad(ctx, cfg)
	if errors.Is(err, ballsbins.ErrNoMeanField) {
		return cells, nil
	}
	for i, v := range values {
		cells[i] = v
	}
	return cells, err
}
