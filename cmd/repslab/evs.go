package main

import (
	"context"
	"fmt"

	"repslab/evsimbalance"
	"repslab/sweep"
)

func evsModel() model {
	return newModel(model{
		name:    "evs",
		streams: 2,
		short:   "Entropy values: how unevenly a hash spreads them over uplinks",
		long: `Gives the load imbalance of entropy values (EVs) on the uplinks of a switch: the
largest number of EVs on an uplink, divided by the average, minus 1, when each flow
uses every value of an EV set once.

--method chooses how EVs are mapped to uplinks:
  exact        uniformly and independently, by the exact distribution of the maximum
  multinomial  the same, by Monte Carlo
  hash         by the model's switch hash, random hosts and a random salt per replica
  crc32        by the CRC-32 of the packet's 5-tuple modulo uplinks, likewise

Exact rows have a null imbalance_se and 0 replicas, whatever --replicas and --precision
say. flows * evs is at most 2^30, and at most 2^21 for exact on 2 to 15 uplinks. An EV
has 16 bits, so hash and crc32 take evs up to 65536. exact and multinomial throw any
number of balls; more than 65536 stand for EVs of a longer field, and a warning says so.`,
		example: `  repslab evs --flows 1,32 --evs 16..65536:x2 --uplinks 32
  repslab evs --flows 32 --evs 256 --method exact,multinomial,hash,crc32 --replicas 1000`,
		results: numbers(evsResults()),
	}, evsSpace())
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
			integer("uplinks", "ports that the hash chooses from", 1, evsimbalance.MaxUplinks, func(p *point) *int { return &p.Uplinks }),
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
		out.Warnings = append(out.Warnings, "--evs: an EV has 16 bits, so rows with more than 65536 entropy values are those of a longer field")
	}
	return out
}
