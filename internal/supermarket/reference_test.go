package supermarket

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestReference compares simulations with independent and published ones within 4.5 standard
// errors, which a comparison of correct programs exceeds with probability 6e-5 (Student's t, 39
// degrees of freedom), and limits with closed forms.
func TestReference(t *testing.T) {
	known := map[string]map[string]mc.Estimate{}
	for _, row := range mctest.Reference(t, "testdata/reference.csv") {
		cfg, want := described(t, row), row.Number(t, "value")
		what := fmt.Sprintf("row %s: %s %s, %s", row["id"], row["process"], row["parameters"], row["measure"])
		if row["kind"] == "formula" {
			if got := limit(t, cfg, row["measure"]); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
			continue
		}
		name := fmt.Sprint(cfg)
		if known[name] == nil {
			known[name] = simulated(t, cfg, 8_000)
		}
		got := known[name][row["measure"]]
		z := (got.Value - want) / math.Hypot(got.StdErr, row.Number(t, "se"))
		t.Logf("%s: %.6g, want %.6g: z %.2f", what, got.Value, want, z)
		if got.Value != want && !(math.Abs(z) <= 4.5) {
			t.Errorf("%s: %v, want %v: z %.2f", what, got.Value, want, z)
		}
	}
}

// described returns the configuration of a row.
func described(t *testing.T, row mctest.Row) Config {
	t.Helper()
	policies := map[string]Policy{"jsq": JSQ, "sqdn": Observations, "pull": Pull}
	process, _, _ := strings.Cut(row["process"], "-")
	cfg := Config{Servers: 1000, Policy: policies[process]} // of a limit, any number
	for field := range strings.FieldsSeq(row["parameters"]) {
		key, text, _ := strings.Cut(field, "=")
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		switch key {
		case "n":
			cfg.Servers = int(value)
		case "d":
			cfg.Choices = int(value)
		case "c":
			cfg.Names = int(value)
		case "lambda":
			cfg.Lambda = value
		case "alpha":
			cfg.Alpha = value
		case "distinct":
			cfg.Distinct = value == 1
		}
	}
	return cfg
}

// limit returns a measure in the limit of many servers.
func limit(t *testing.T, cfg Config, measure string) float64 {
	t.Helper()
	tails, err := Tails(cfg)
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for _, s := range tails[1:] {
		mean += s
	}
	return map[string]float64{"mean": mean, "s2": tails[2], "wait": mean/cfg.Lambda - 1}[measure]
}

// simulated returns averages of a run: the mean and the error over 40 batches of a time of
// work/n each, after a warm-up of 500.
func simulated(t *testing.T, cfg Config, work int) map[string]mc.Estimate {
	t.Helper()
	const batches, parts = 40, 1e9
	p, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, 0))
	p.Advance(500)
	sums := map[string]*mc.Moments{}
	for range batches {
		p.Forget()
		p.Advance(float64(work) / float64(cfg.Servers))
		a := p.Averages()
		values := map[string]float64{"mean": a.Queue, "wait": a.Found, "idlehit": a.IdleHit, "served": a.Served}
		for k := range 5 {
			values[fmt.Sprintf("s%d", k)] = append(a.Tails, 0, 0, 0, 0)[k]
		}
		for name, value := range values {
			if sums[name] == nil {
				sums[name] = new(mc.Moments)
			}
			sums[name].Add(int64(math.Round(value * parts)))
		}
	}
	estimates := map[string]mc.Estimate{}
	for name, m := range sums {
		estimates[name] = m.Mean(mc.DefaultConfidence).Per(parts)
	}
	return estimates
}
