package cases

import (
	"context"
	"fmt"
	"math"

	"repslab/evsimbalance"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/sweep"
)

func evsModel() param.Model {
	results := param.Numbers(evsRow(evsimbalance.Result{}))
	return param.New(param.Model{Name: "evs", Streams: 2, Results: results, Brief: []string{
		"flows", "evs", "uplinks", "imbalance_mean", "imbalance_se", "imbalance_p05", "imbalance_p95",
	}}, func() param.Space { return evsSpace(new(EVs)) })
}

// EVs is a point: a combination of parameters of an EV set.
type EVs struct{ evsimbalance.Config }

func evsSpace(p *EVs) param.Space {
	*p = EVs{evsimbalance.Config{}.WithDefaults()}
	validate := func(p *EVs) error { return p.Validate() }
	return param.NewSpace(p, validate, (*EVs).point, param.Formulas("uplinks", &p.Uplinks, []param.Parameter{
		param.Integer("flows", "flows that leave the switch", 1, evsimbalance.MaxFlows, &p.Flows),
		param.Integer("evs", "entropy values of a flow", 1, evsimbalance.MaxEVS, &p.EVS).
			More("above 65536, those of a field longer than 16 bits"),
		param.Integer("uplinks", "ports that the hash chooses from", 1, evsimbalance.MaxUplinks, &p.Uplinks),
		param.Name("method", "mapping of EVs to uplinks", evsimbalance.Methods(), &p.Method),
	}))
}

// String names the point in warnings and progress.
func (p *EVs) String() string {
	return fmt.Sprintf("flows=%d evs=%d uplinks=%d method=%s", p.Flows, p.EVS, p.Uplinks, p.Method)
}

// point returns the point of a sweep.
func (p *EVs) point() sweep.Point {
	if p.Method == evsimbalance.Exact {
		return sweep.Exact(p.String(), nil, func(context.Context) (sweep.Results, error) {
			result, err := evsimbalance.ExactResult(p.Config)
			return p.results(result), err
		})
	}
	fold := func(_ context.Context, tally *evsimbalance.Tally, _ uint64) (sweep.Results, error) {
		return p.results(tally.Result()), nil
	}
	point := sweep.Estimated(p.String(), nil, evsimbalance.NewExperiment(p.Config), fold)
	if point.Work = float64(p.Balls()); p.Method == evsimbalance.Multinomial {
		point.Work = float64(p.Uplinks) // a binomial draw each
	}
	return point
}

// evsRow returns the cells of a result. Exact quantiles have no interval.
func evsRow(r evsimbalance.Result) frame.Row {
	row := frame.Row{{"imbalance_mean", frame.WithError(r.Mean)}}
	for i, e := range []mc.Estimate{r.P025, r.P05, r.P50, r.P95, r.P975} {
		if r.Replicas == 0 {
			e.Lo, e.Hi = math.NaN(), math.NaN()
		}
		key := "imbalance_" + []string{"p025", "p05", "p50", "p95", "p975"}[i]
		row = append(row, frame.Cell{key, frame.WithEnds(e)})
	}
	return row
}

// results returns the row of a result.
func (p *EVs) results(s evsimbalance.Result) sweep.Results {
	row := evsRow(s)
	out := sweep.Results{
		Rows:     [][]any{row.Values()},
		Work:     float64(max(1, s.Replicas)) * float64(p.Balls()),
		Warnings: wideIntervals(p.String(), row, nil),
	}
	if s.Replicas == 1 {
		out.Warnings = append(out.Warnings, "one replica gives no standard error")
	}
	if p.EVS > evsimbalance.MaxHashedEVS {
		out.Warnings = append(out.Warnings,
			"--evs: an EV has 16 bits, so rows with more than 65536 entropy values are those of a longer field")
	}
	return out
}
