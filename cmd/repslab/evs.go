package main

import (
	"context"
	"fmt"

	"repslab/evsimbalance"
	"repslab/sweep"
)

func evsModel() model {
	return model{
		name:    "evs",
		streams: 2,
		short:   "Entropy values: how unevenly a hash spreads them over uplinks",
		long: `Gives the load imbalance of entropy values (EVs) on the uplinks of a switch: the
most EVs on an uplink, divided by the average, minus 1, when each flow uses every
value of an EV set once.

--method chooses how EVs come to uplinks:
  exact        uniformly and independently, by the exact law of the maximum
  multinomial  the same, by Monte Carlo
  hash         by the model's switch hash, random hosts and a random salt a replica
  crc32        by the CRC-32 of the packet's 5-tuple modulo uplinks, likewise

Of an exact row imbalance_se is null and replicas is 0, whatever --replicas and
--precision say. flows * evs is at most 2^30, and at most 2^21 for exact on 2 to 15
uplinks. An EV has 16 bits, so hash and crc32 take evs up to 65536. exact and
multinomial throw any number of balls; above 65536 they stand for an EV in a longer
field, and a warning says so.`,
		example: `  repslab evs --flows 1,32 --evs 16..65536:x2 --uplinks 32
  repslab evs --flows 32 --evs 256 --method exact,multinomial,hash,crc32 --replicas 1000`,
		parameters: []parameter{
			{"flows", "1", "flows that leave the switch"},
			{"evs", "65536", "entropy values of a flow; above 65536, those of a field longer than 16 bits"},
			{"uplinks", "32", "ports that the hash chooses from"},
			{"method", string(evsimbalance.Exact), list(evsimbalance.Methods())},
		},
		keys:    columns([]string{"flows", "evs", "uplinks", "method"}, "method"),
		results: columns([]string{"imbalance_mean", "imbalance_se", "imbalance_p025", "imbalance_p05", "imbalance_p50", "imbalance_p95", "imbalance_p975"}),
		points:  evsPoints,
	}
}

// evsPoints returns the combinations of the parameters, all of them valid.
func evsPoints(g *grid) ([]sweep.Point, error) {
	flows := axis(g, "flows", intsIn(1, evsimbalance.MaxFlows))
	evs := axis(g, "evs", intsIn(1, evsimbalance.MaxEVS))
	uplinks := axis(g, "uplinks", intsIn(1, evsimbalance.MaxUplinks))
	method := axis(g, "method", namesOf(evsimbalance.Methods()))
	return pointsOf(collect(g, nil, func() (evsPoint, error) {
		p := evsPoint{evsimbalance.Config{Flows: flows(), EVS: evs(), Uplinks: uplinks(), Method: method()}}
		return p, asFlags(p.cfg.Validate(), evsFlags())
	}))
}

// evsFlags maps the fields of a configuration to flags.
func evsFlags() map[string]string {
	return map[string]string{"Flows": "flows", "EVS": "evs", "Uplinks": "uplinks", "Method": "method"}
}

// evsPoint is a combination of parameters of an EV set.
type evsPoint struct {
	cfg evsimbalance.Config
}

// String names the point in warnings and progress.
func (p evsPoint) String() string {
	return fmt.Sprintf("flows=%d evs=%d uplinks=%d method=%s", p.cfg.Flows, p.cfg.EVS, p.cfg.Uplinks, p.cfg.Method)
}

// point returns what a command runs.
func (p evsPoint) point() sweep.Point {
	keys := []any{p.cfg.Flows, p.cfg.EVS, p.cfg.Uplinks, string(p.cfg.Method)}
	if p.cfg.Method == evsimbalance.Exact {
		return sweep.Exact(p.String(), keys, func(context.Context) (sweep.Results, error) {
			result, err := evsimbalance.ExactResult(p.cfg)
			return p.results(result), err
		})
	}
	return sweep.Estimated(p.String(), keys, evsimbalance.NewExperiment(p.cfg), func(_ context.Context, tally *evsimbalance.Tally, _ uint64) (sweep.Results, error) {
		return p.results(tally.Result()), nil
	})
}

// results turns a result into a row.
func (p evsPoint) results(s evsimbalance.Result) sweep.Results {
	out := sweep.Results{
		Rows: [][]any{{s.Mean.Value, s.Mean.StdErr, s.P025.Value, s.P05.Value, s.P50.Value, s.P95.Value, s.P975.Value}},
		Work: float64(max(1, s.Replicas)) * float64(p.cfg.Balls()),
	}
	if s.Replicas == 1 {
		out.Warnings = append(out.Warnings, "one replica gives no standard error")
	}
	if p.cfg.EVS > evsimbalance.MaxHashedEVS {
		out.Warnings = append(out.Warnings, "--evs: an EV has 16 bits, so rows with more than 65536 entropy values are those of a longer field")
	}
	return out
}
