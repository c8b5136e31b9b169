package main

import (
	"context"
	"fmt"

	"repslab/evsimbalance"
	"repslab/sweep"
)

func evsModel() model {
	return newModel(model{name: "evs", streams: 2, results: numbers(evsResults())}, evsSpace())
}

// evsPoint is a combination of parameters of an EV set.
type evsPoint struct{ evsimbalance.Config }

func evsSpace() space[evsPoint] {
	type point = evsPoint
	return newSpace(point{evsimbalance.Config{}.WithDefaults()}, space[point]{
		parameters: []parameter[point]{
			integer("flows", "flows that leave the switch", 1, evsimbalance.MaxFlows, func(p *point) *int { return &p.Flows }),
			integer("evs", "entropy values of a flow; above 65536, those of a field longer than 16 bits",
				1, evsimbalance.MaxEVS, func(p *point) *int { return &p.EVS }),
			integer("uplinks", "ports that the hash chooses from", 1, evsimbalance.MaxUplinks,
				func(p *point) *int { return &p.Uplinks }),
			name("method", "", evsimbalance.Methods(), func(p *point) *evsimbalance.Method { return &p.Method }),
		},
		complete: func(p *point) error { return p.Validate() },
		point:    (*point).point,
	})
}

// String names the point in warnings and progress.
func (p *evsPoint) String() string {
	return fmt.Sprintf("flows=%d evs=%d uplinks=%d method=%s", p.Flows, p.EVS, p.Uplinks, p.Method)
}

// point returns the point of a sweep.
func (p *evsPoint) point() sweep.Point {
	if p.Method == evsimbalance.Exact {
		return sweep.Exact(p.String(), nil, func(context.Context) (sweep.Results, error) {
			result, err := evsimbalance.ExactResult(p.Config)
			return p.results(result), err
		})
	}
	fold := func(_ context.Context, tally *evsimbalance.Tally, _ uint64) (sweep.Results, error) {
		return p.results(tally.Result()), nil
	}
	return sweep.Estimated(p.String(), nil, evsimbalance.NewExperiment(p.Config), fold)
}

func evsResults() []column[evsimbalance.Result] {
	type result = evsimbalance.Result
	return []column[result]{
		{"imbalance_mean", func(r result) any { return r.Mean.Value }},
		{"imbalance_se", func(r result) any { return r.Mean.StdErr }},
		{"imbalance_p025", func(r result) any { return r.P025.Value }},
		{"imbalance_p05", func(r result) any { return r.P05.Value }},
		{"imbalance_p50", func(r result) any { return r.P50.Value }},
		{"imbalance_p95", func(r result) any { return r.P95.Value }},
		{"imbalance_p975", func(r result) any { return r.P975.Value }},
	}
}

// results returns the row of a result.
func (p *evsPoint) results(s evsimbalance.Result) sweep.Results {
	out := sweep.Results{
		Rows: [][]any{cellsOf(evsResults(), s)},
		Work: float64(max(1, s.Replicas)) * float64(p.Balls()),
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
