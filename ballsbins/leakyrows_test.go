package ballsbins

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestLeakyRows compares leaky bins, the batched process with λ < 1 and one or more choices,
// with formulas, exactly, and with independent simulations, within 4.5 standard errors:
// with correct code and a fresh seed a comparison fails by luck with probability 7e-6. Where
// d = 2 the rows tell loads seen before the service from loads seen after it.
func TestLeakyRows(t *testing.T) {
	t.Parallel()
	known := map[string]map[string]mc.Estimate{}
	compared := 0
	for _, row := range mctest.Reference(t, "testdata/leaky.csv") {
		values := map[string]string{}
		for field := range strings.FieldsSeq(row["parameters"]) {
			key, value, _ := strings.Cut(field, "=")
			values[key] = value
		}
		number := func(name string) float64 {
			v, err := strconv.ParseFloat(values[name], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		cfg := Config{
			Bins: int(number("n")), Lambda: number("lambda"), Policy: TwoChoice,
			Choices: int(number("d")), SeeBefore: values["see"] == "before",
		}
		what := fmt.Sprintf("row %s: %s, %s", row["id"], row["parameters"], row["measure"])
		want := row.Number(t, "value")
		compared++
		if row["kind"] == "formula" {
			law, err := StationaryBinomial(cfg.Bins, cfg.Lambda)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]float64{"mean": law.Mean(), "empty": law.Probability(0)}[row["measure"]]
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
			continue
		}
		name := fmt.Sprint(cfg)
		if known[name] == nil {
			known[name] = leakyAverages(t, cfg)
		}
		got := known[name][row["measure"]]
		z := (got.Value - want) / math.Hypot(got.StdErr, row.Number(t, "se"))
		t.Logf("%s: %.5f, want %.5f: z %.2f", what, got.Value, want, z)
		if !(math.Abs(z) <= 4.5) {
			t.Errorf("%s: %v standard errors away", what, z)
		}
	}
	if compared < 22 {
		t.Errorf("only %d rows compared", compared)
	}
}

// leakyAverages returns the share of empty bins, the largest and the mean load, averaged
// over rounds of stationary runs, in the units of the rows.
func leakyAverages(t *testing.T, cfg Config) map[string]mc.Estimate {
	const replicas, parts = 32, 1e9
	process, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	warm := int(40 / (1 - cfg.Lambda)) // the reference warms up for 2,000 rounds, half as many at λ = 0.99
	if cfg.Choices == 1 {
		warm = int(30 / (1 - cfg.Lambda) / (1 - cfg.Lambda)) // one bin's queue relaxes that slowly
	}
	rounds := max(2000, 60_000/cfg.Bins) // at n = 3 as many as give a tenth of the reference's variance
	var empty, most, mean mc.Moments
	for replica := range uint64(replicas) {
		process.Reset(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, replica))
		process.Advance(warm)
		var empties, largest, total int64
		for range rounds {
			process.Step()
			var top int64
			for bin := range cfg.Bins {
				load := process.load(bin)
				if load == 0 {
					empties++
				}
				top = max(top, load)
				total += load
			}
			largest += top
		}
		n := float64(cfg.Bins)
		add := func(m *mc.Moments, sum float64) { m.Add(int64(math.Round(sum / float64(rounds) * parts))) }
		add(&empty, float64(empties)/n)
		add(&most, float64(largest))
		add(&mean, float64(total)/n)
	}
	estimates := map[string]mc.Estimate{}
	for name, m := range map[string]mc.Moments{"empty": empty, "max": most, "mean": mean} {
		estimates[name] = m.Mean(mc.DefaultConfidence).Per(parts)
	}
	return estimates
}
