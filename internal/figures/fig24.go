package figures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/plot"
)

// fig24Steps divides the share of flows into steps. All points of both distributions are at whole steps, so sums
// of trapezoids over steps are exact.
const fig24Steps = 1000

// fig24Curve is a distribution of sizes at every step of the share of flows.
type fig24Curve struct {
	name    string
	color   plot.Color
	sizes   traffic.Sizes
	bytes   []float64 // size that a share of step/fig24Steps of the flows does not exceed
	carried []float64 // share of all bytes that these flows carry
}

// newFig24Curve returns a distribution at every step.
func newFig24Curve(name string, color plot.Color, sizes traffic.Sizes) fig24Curve {
	c := fig24Curve{name: name, color: color, sizes: sizes}
	sum := 0.0
	for step := range fig24Steps + 1 {
		c.bytes = append(c.bytes, sizes.Quantile(min(float64(step)/fig24Steps, math.Nextafter(1, 0))))
		if step > 0 {
			sum += (c.bytes[step-1] + c.bytes[step]) / 2 / fig24Steps
		}
		c.carried = append(c.carried, sum/sizes.Mean())
	}
	return c
}

// below returns the share of flows with at most the given bytes, and the share of all bytes that these flows
// carry. bytes must be between the smallest and the largest size.
func (c fig24Curve) below(bytes float64) (flows, carried float64) {
	step, _ := slices.BinarySearch(c.bytes, bytes)
	part := (bytes - c.bytes[step-1]) / (c.bytes[step] - c.bytes[step-1])
	flows = (float64(step-1) + part) / fig24Steps
	return flows, c.carried[step-1] + part/fig24Steps*(c.bytes[step-1]+bytes)/2/c.sizes.Mean()
}

// drawn returns the sizes of some thousand flows of a trace, ascending.
func (c fig24Curve) drawn(seed uint64) ([]float64, error) {
	const hosts, flows, gbps = 128, 12_000, 400
	duration := c.sizes.Mean() * flows / hosts * 8 / gbps * 1000 // ps
	w, err := traffic.Paced(traffic.Arrivals{Hosts: hosts, HostsPerToR: 8, Sizes: c.sizes, Load: 1, Gbps: gbps,
		Duration: fattree.Picoseconds(duration)}, workloadSource(seed, 0))
	sizes := lists.Map(w.Flows, func(flow fattree.Flow) float64 { return float64(flow.Bytes) })
	slices.Sort(sizes)
	return sizes, err
}

// fig24 reproduces the distributions of flow sizes.
func fig24(ctx context.Context, s engine.Settings) (engine.Output, error) {
	if err := ctx.Err(); err != nil {
		return engine.Output{}, err
	}
	curves := []fig24Curve{newFig24Curve("WebSearch", plot.Indigo, traffic.WebSearch()),
		newFig24Curve("Facebook", plot.Rose, traffic.Facebook())}
	main, check := frame.Table{}, frame.Table{Name: "drawn"}
	panel := plot.Panel{XLabel: "Flow size (bytes)", X: onScale(plot.Log10, 100, 1e8), Y: from(0, 1.05)}
	flows, carried := panel, panel
	flows.Title, flows.YLabel = "(a) Flows", "Share of flows"
	carried.Title, carried.YLabel = "(b) Bytes", "Share of bytes"
	for _, c := range curves {
		key := strings.ToLower(c.name)
		line, weight := plot.Series{Name: c.name, Color: c.color}, plot.Series{Name: c.name, Color: c.color}
		for step, bytes := range c.bytes {
			share := float64(step) / fig24Steps
			main.Add(cells{{"distribution", key}, {"bytes", bytes}, {"flows_cdf", share},
				{"bytes_cdf", c.carried[step]}})
			if bytes >= 1 {
				appendXY(&line, bytes, share)
				appendXY(&weight, bytes, c.carried[step])
			}
		}
		sizes, err := c.drawn(s.Seed)
		if err != nil {
			return engine.Output{}, err
		}
		points := plot.Series{Name: c.name + ", drawn", Color: c.color, Mark: plot.Points}
		for k := 1; k < 20; k++ {
			appendXY(&points, rank(sizes, float64(k)/20), float64(k)/20)
		}
		check.Add(cells{{"distribution", key}, {"flows", len(sizes)}, {"mean_bytes", c.sizes.Mean()},
			{"drawn_mean_bytes", mean(sizes)},
			{"p50_bytes", c.sizes.Quantile(0.5)}, {"drawn_p50_bytes", rank(sizes, 0.5)},
			{"p90_bytes", c.sizes.Quantile(0.9)}, {"drawn_p90_bytes", rank(sizes, 0.9)}, {"seed", s.Seed}})
		flows.Series, carried.Series = append(flows.Series, line, points), append(carried.Series, weight)
	}
	small, load := curves[0].below(100_000)
	return engine.Output{
		Tables: []frame.Table{main, check},
		Plot:   &plot.Plot{Columns: plot.Double, SharedLegend: true, Panels: [][]plot.Panel{{flows, carried}}},
		Notes:  notes(facts{"websearch": curves[0].sizes.Mean(), "facebook": curves[1].sizes.Mean()}, "fig24"),
		Findings: []claims.Finding{claims.Exactly("N026", "share of flows", small,
			fmt.Sprintf("%.2f %% of the WebSearch flows are shorter than 100,000 bytes", 100*small),
			fmt.Sprintf("they carry %.2f %% of the bytes", 100*load))},
	}, nil
}
