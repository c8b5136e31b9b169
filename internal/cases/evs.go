package cases

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"repslab/evsimbalance"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/mc"
	"repslab/sweep"
)

func evsModel() param.Model {
	results := param.Numbers(append(evsRow(evsimbalance.Result{}), new(EVs).planRow(new(sweep.Results))...))
	return param.New(param.Model{Name: "evs", Streams: 2, Results: results, Brief: []string{
		"flows", "evs", "uplinks", "imbalance_mean", "imbalance_se", "imbalance_p05", "imbalance_p95",
		"cover_evs", "tolerance_evs", "tolerance_p95_evs", "probes", "suspect_at_most",
	}}, func() param.Space { return evsSpace(new(EVs)) })
}

// EVs is a point: a combination of parameters of an EV set. Cover, tolerance and loss are 0 if not given.
type EVs struct {
	evsimbalance.Config
	cover, tolerance, loss float64
	falseAlarm, miss       float64
}

func evsSpace(p *EVs) param.Space {
	*p = EVs{Config: evsimbalance.Config{}.WithDefaults(), falseAlarm: 0.01, miss: 0.01}
	exact := func() bool { return p.Method == evsimbalance.Exact }
	tested := func() bool { return exact() && p.loss > 0 }
	asked := func(q param.Parameter, field *float64) param.Parameter {
		return q.NullIf(func() bool { return *field == 0 || !exact() }).NoPreset("").UsedOnly("by --method exact", exact)
	}
	validate := func(p *EVs) error { return p.Validate() }
	return param.NewSpace(p, validate, (*EVs).point, param.Formulas("uplinks", &p.Uplinks, []param.Parameter{
		param.Integer("flows", "flows that leave the switch", 1, evsimbalance.MaxFlows, &p.Flows),
		param.Integer("evs", "entropy values of a flow", 1, evsimbalance.MaxEVS, &p.EVS).
			More("above 65536, those of a field longer than 16 bits"),
		param.Integer("uplinks", "ports that the hash chooses from", 1, evsimbalance.MaxUplinks, &p.Uplinks),
		param.Name("method", "mapping of EVs to uplinks", evsimbalance.Methods(), &p.Method),
		asked(param.Number("cover", "also the EVs that reach all uplinks with this probability", 1e-9, 1-1e-9, &p.cover), &p.cover),
		asked(param.Number("tolerance", "also the EVs of each flow for which the imbalance is at most this", 1e-4, evsimbalance.MaxUplinks, &p.tolerance), &p.tolerance),
		asked(param.Probability("loss", "also the probes that find an uplink which loses this share of its packets", &p.loss), &p.loss).
			More("1: a silent uplink, which loses all"),
		param.Number("false-alarm", "probability that the probes suspect any of the uplinks if all are healthy", 1e-12, 0.5, &p.falseAlarm).
			UsedOnly("with --loss", tested).NullUnused(),
		param.Number("miss", "probability that the probes miss the lossy uplink", 1e-12, 0.5, &p.miss).
			UsedOnly("with --loss", tested).NullUnused(),
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

// planRow returns the answers to --cover, --tolerance and --loss, null where they are not given, and adds a warning to
// out where there is no answer.
func (p *EVs) planRow(out *sweep.Results) frame.Row {
	row := frame.Row{}
	add := func(given float64, answer func() ([]any, error), keys ...string) {
		cells, err := make([]any, len(keys)), error(nil)
		if given > 0 && p.Method == evsimbalance.Exact {
			if cells, err = answer(); err != nil {
				out.Warnings = append(out.Warnings, fmt.Sprintf("%s: %s is null: %s", p, keys[0], strings.TrimPrefix(err.Error(), "evsimbalance: ")))
				cells = make([]any, len(keys))
			}
		}
		for i, key := range keys {
			row = append(row, frame.Cell{key, cells[i]})
		}
	}
	add(p.cover, func() ([]any, error) {
		evs, err := evsimbalance.CoverEVs(p.Uplinks, p.cover)
		covered, errHere := evsimbalance.Coverage(p.EVS, p.Uplinks)
		return []any{evs, covered}, errors.Join(err, errHere)
	}, "cover_evs", "covered_probability")
	add(p.tolerance, func() ([]any, error) {
		evs, err := evsimbalance.LeastEVs(p.Flows, p.Uplinks, p.tolerance)
		return []any{evs}, err
	}, "tolerance_evs")
	add(p.tolerance, func() ([]any, error) {
		evs, err := evsimbalance.SureEVs(p.Flows, p.Uplinks, p.tolerance, 0.95)
		return []any{evs}, err
	}, "tolerance_p95_evs")
	add(p.loss, func() ([]any, error) {
		probes, err := evsimbalance.LeastProbes(p.Uplinks, p.loss, p.falseAlarm, p.miss)
		return []any{probes.Sent, probes.Suspect}, err
	}, "probes", "suspect_at_most")
	return row
}

// results returns the row of a result.
func (p *EVs) results(s evsimbalance.Result) sweep.Results {
	row := evsRow(s)
	out := sweep.Results{
		Work:     float64(max(1, s.Replicas)) * float64(p.Balls()),
		Warnings: wideIntervals(p.String(), row, nil),
	}
	out.Rows = [][]any{append(row, p.planRow(&out)...).Values()}
	if s.Replicas == 1 {
		out.Warnings = append(out.Warnings, "one replica gives no standard error")
	}
	if p.EVS > evsimbalance.MaxHashedEVS {
		out.Warnings = append(out.Warnings,
			"--evs: an EV has 16 bits, so rows with more than 65536 entropy values are those of a longer field")
	}
	return out
}
