package ballsbins

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// at returns a configuration with observed rounds.
func at(cfg Config, rounds ...int) Config {
	cfg.Rounds = rounds
	return cfg
}

// TestSimulateIsTheSameForAnyWorkers includes a stopping rule.
func TestSimulateIsTheSameForAnyWorkers(t *testing.T) {
	for _, stop := range []mc.Precision{{}, {Relative: 0.02}} {
		mctest.SameForAnyWorkers(t, fmt.Sprintf("%+v", stop), func(workers int) (any, error) {
			result, err := Simulate(context.Background(), Config{Bins: 8, Lambda: 0.95, Rounds: mc.RoundsEvery(20, 60)},
				mc.Plan{Seed: 2, Replicas: 3000, Workers: workers, Stop: stop})
			if early := result.Replicas < 3000; early != (stop.Relative > 0) {
				t.Errorf("stop %+v: %d replicas", stop, result.Replicas)
			}
			return result, err
		})
	}
}

func TestSimulateStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	plan := mc.Plan{Seed: 1, Replicas: 100_000, Progress: func(p mc.Progress) {
		if p.Done > 5000 {
			cancel()
		}
	}}
	got, err := Simulate(ctx, Config{Bins: 16, Rounds: []int{50}}, plan)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if got.Replicas <= 5000 || got.Replicas == plan.Replicas || got.Observations[0].MaxLoad.N != got.Replicas {
		t.Errorf("%d replicas, estimate over %d", got.Replicas, got.Observations[0].MaxLoad.N)
	}
}

// TestMeanFieldAgainstReference runs the law of one bin to stationarity (the
// relaxation time is of order 1/(1-λ)^2 rounds) and compares mean load and
// expected maximum with an independent computation, to the digits it is given
// to: at λ = 0.9, and with REPSLAB_LONG=1 at 0.95.
func TestMeanFieldAgainstReference(t *testing.T) {
	t.Parallel()
	compared, least, largest := 0, 6, 0.9
	if mctest.Long() {
		least, largest = 12, 0.95
	}
	for _, row := range mctest.Reference(t, "testdata/mean_field.csv") {
		lambda, bins := row.Number(t, "lambda"), int(row.Number(t, "n"))
		if !strings.HasPrefix(row["arrivals"], "binomial") || lambda > largest {
			continue
		}
		l, err := NewOneBinLaw(Config{Bins: bins, Lambda: lambda})
		if err != nil {
			t.Fatal(err)
		}
		for range int(40 / (1 - lambda) / (1 - lambda)) {
			l.Step()
		}
		wantMean, wantMax := row.Number(t, "mean_load"), row.Number(t, "E_max_independent_bins")
		if got := l.Mean(); math.Abs(got-wantMean) > 1e-6*wantMean {
			t.Errorf("lambda=%v n=%d: mean load %v, want %v", lambda, bins, got, wantMean)
		}
		if got := l.MeanMax(); math.Abs(got-wantMax) > 1e-4 {
			t.Errorf("lambda=%v n=%d: expected maximum %v, want %v", lambda, bins, got, wantMax)
		}
		compared++
	}
	if compared < least {
		t.Errorf("only %d rows compared", compared)
	}
}

// TestOneBinLawIsTheMarginal compares the law's mean with the simulated mean
// load of a bin, and its mean-field maximum with one bin's exact maximum.
func TestOneBinLawIsTheMarginal(t *testing.T) {
	t.Parallel()
	for _, cfg := range []Config{
		{Bins: 1, Lambda: 0.7}, {Bins: 6}, {Bins: 6, Lambda: 0.9}, {Bins: 40, Lambda: 0.99, Variant: ArriveThenServe},
	} {
		const rounds = 40
		result, err := Simulate(context.Background(), at(cfg, rounds), mc.Plan{Seed: mctest.Seed(t, 6), Replicas: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		l, _ := NewOneBinLaw(cfg)
		var sum float64
		for range rounds {
			l.Step()
		}
		for _, p := range l.law {
			sum += p
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%+v: probabilities sum to %v", cfg, sum)
		}
		mctest.Agree(t, "mean load", result.Observations[0].TotalLoad.Per(float64(cfg.Bins)), l.Mean(), 0, 0)
		if cfg.Bins == 1 {
			mctest.Agree(t, "maximum of one bin", result.Observations[0].MaxLoad, l.MeanMax(), 0, 0)
		}
		if got, err := MeanFieldMaxLoad(context.Background(), at(cfg, 1, rounds)); err != nil || got[1] != l.MeanMax() {
			t.Errorf("%+v: mean field %v, error %v; want %v", cfg, got, err, l.MeanMax())
		}
	}
}

// TestMeanFieldIsALowerBound: loads are negatively associated, so independent
// bins have the smaller expected maximum. At n = 8 the gap is many standard
// errors wide, so the test also sees a bound that is taken from above.
func TestMeanFieldIsALowerBound(t *testing.T) {
	for _, lambda := range []float64{0.9, 1} {
		result, err := Simulate(context.Background(), Config{Bins: 8, Lambda: lambda, Rounds: []int{60}}, mc.Plan{Seed: mctest.Seed(t, 8), Replicas: 20_000})
		if err != nil {
			t.Fatal(err)
		}
		o := result.Observations[0]
		meanField, err := MeanFieldMaxLoad(context.Background(), Config{Bins: 8, Lambda: lambda, Rounds: []int{60}})
		if err != nil {
			t.Fatal(err)
		}
		if bound := o.MaxLoad.Value - mctest.Z(t)*o.MaxLoad.StdErr; meanField[0] > bound || meanField[0] < 0.9*bound {
			t.Errorf("lambda=%v: mean field %v, want just below the mean maximum %v", lambda, meanField[0], o.MaxLoad.Value)
		}
	}
}

// TestMeanMaxAgainstPower compares the sum over tails with the definition by
// powers of the distribution function.
func TestMeanMaxAgainstPower(t *testing.T) {
	l := &OneBinLaw{bins: 50, law: []float64{0.3, 0.4, 0.2, 0.1}}
	var want, cdf float64
	for k := 0; k < 3; k++ {
		cdf += l.law[k]
		want += 1 - math.Pow(cdf, 50)
	}
	if got := l.MeanMax(); math.Abs(got-want) > 1e-12 {
		t.Errorf("MeanMax() = %v, want %v", got, want)
	}
}

func TestNoMeanField(t *testing.T) {
	for _, cfg := range []Config{{Bins: 4, Policy: TwoChoice}, {Bins: 4, Variant: Weighted, Lambda: 0.5}} {
		if _, err := MeanFieldMaxLoad(context.Background(), cfg); !errors.Is(err, ErrNoMeanField) {
			t.Errorf("%+v: error %v, want ErrNoMeanField", cfg, err)
		}
	}
	if _, err := MeanFieldMaxLoad(context.Background(), Config{Bins: -1}); err == nil || errors.Is(err, ErrNoMeanField) {
		t.Errorf("error %v, want that of the configuration", err)
	}
}

// TestMeanFieldEnds: a stationary law is not followed further, a growing one is
// given up after the operations allowed, and a cancelled context is heeded.
func TestMeanFieldEnds(t *testing.T) {
	values, err := MeanFieldMaxLoad(context.Background(), Config{Bins: 16, Lambda: 0.5, Rounds: []int{10_000, mc.MaxRounds}})
	if err != nil || values[0] != values[1] {
		t.Errorf("stationary: %v, error %v", values, err)
	}
	// The operations of a growing law, counted by the law itself.
	growing := Config{Bins: 16, Rounds: []int{1000}}
	law, err := NewOneBinLaw(growing)
	if err != nil {
		t.Fatal(err)
	}
	operations := 0.0
	for range growing.Rounds[0] {
		law.Step()
		operations += float64(len(law.law) * len(law.arrivals))
	}
	if values, err := meanFieldMaxLoad(context.Background(), growing, operations); err != nil || values[0] != law.MeanMax() {
		t.Errorf("with just enough operations: %v, error %v, want %v", values, err, law.MeanMax())
	}
	if _, err := meanFieldMaxLoad(context.Background(), growing, operations-1); !errors.Is(err, ErrMeanFieldTooLong) {
		t.Errorf("error %v, want ErrMeanFieldTooLong", err)
	}
	if limit := strings.ReplaceAll(fmt.Sprintf("%.0e", float64(maxOperations)), "+0", ""); !strings.Contains(ErrMeanFieldTooLong.Error(), "more than "+limit+" operations") {
		t.Errorf("%q does not name the limit %s", ErrMeanFieldTooLong, limit)
	}
	// A round takes more as the law grows, so MaxRounds of them are given up.
	if least := mc.MaxRounds / 1000 * operations; least < maxOperations {
		t.Errorf("MaxRounds rounds take %g operations or more, %g are allowed", least, maxOperations)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := MeanFieldMaxLoad(ctx, Config{Bins: 16}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}

// TestStoppingRuleLooksAtTheLastRound: with λ = 1 early rounds are relatively
// more precise, so a rule that looked at the first observed round would stop
// sooner. The 95 % quantile must equal the exact law's of one bin.
func TestStoppingRuleLooksAtTheLastRound(t *testing.T) {
	result, err := Simulate(context.Background(), Config{Bins: 8, Rounds: mc.RoundsEvery(2, 100)}, mc.Plan{Seed: 1, Replicas: 100_000, Stop: mc.Precision{Relative: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	rule := mc.Precision{Relative: 0.01}
	last := result.Observations[len(result.Observations)-1].MaxLoad
	if !rule.Met(last) || result.Replicas == 100_000 {
		t.Errorf("stopped after %d replicas at %+v", result.Replicas, last)
	}
	alone, err := Simulate(context.Background(), Config{Bins: 8, Rounds: []int{100}}, mc.Plan{Seed: 1, Replicas: 100_000, Stop: rule})
	if err != nil || alone.Replicas != result.Replicas {
		t.Errorf("%d replicas with more observed rounds, %d with the last alone, error %v", result.Replicas, alone.Replicas, err)
	}
}

// TestQuantileIsTheNearestRank re-runs the replicas and counts: at least 95 % of
// the maxima are at most the quantile, and fewer are at most one ball less.
func TestQuantileIsTheNearestRank(t *testing.T) {
	const replicas, rounds = 2000, 30
	result, err := Simulate(context.Background(), Config{Bins: 64, Rounds: []int{rounds}}, mc.Plan{Seed: 1, Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	quantile := int64(result.Observations[0].MaxLoadP95.Value)
	b, err := New(Config{Bins: 64})
	if err != nil {
		t.Fatal(err)
	}
	atMost, less := 0, 0
	for replica := range uint64(replicas) {
		b.Reset(mc.NewStream(1, mc.Algorithm, replica))
		for range rounds {
			b.Step()
		}
		most, _ := b.observe()
		if most <= quantile {
			atMost++
		}
		if most < quantile {
			less++
		}
	}
	if atMost < 0.95*replicas || less >= 0.95*replicas {
		t.Errorf("%d maxima are at most the quantile %d, %d below it, of %d", atMost, quantile, less, replicas)
	}
}

// TestObservedRounds: an observation does not depend on the other observed rounds, and
// rounds that do not ascend are refused.
func TestObservedRounds(t *testing.T) {
	if _, err := Simulate(context.Background(), Config{Rounds: []int{3, 3}}, mc.Plan{Replicas: 1}); err == nil || !strings.Contains(err.Error(), "ballsbins: Rounds (3) must be in [4, ") {
		t.Errorf("error %v for rounds that do not ascend", err)
	}
	result, err := Simulate(context.Background(), Config{Bins: 4, Rounds: []int{1, 7, 30}}, mc.Plan{Seed: 1, Replicas: 50})
	if err != nil {
		t.Fatal(err)
	}
	every, err := Simulate(context.Background(), Config{Bins: 4, Rounds: mc.RoundsEvery(1, 30)}, mc.Plan{Seed: 1, Replicas: 50})
	if err != nil {
		t.Fatal(err)
	}
	for i, round := range []int{1, 7, 30} {
		if got, want := fmt.Sprint(result.Observations[i]), fmt.Sprint(every.Observations[round-1]); got != want {
			t.Errorf("round %d: %s, want %s", round, got, want)
		}
	}
}

// TestDefaults: the zero configuration equals the command's, and it is valid.
func TestDefaults(t *testing.T) {
	want := Config{Bins: 32, Lambda: 1, Variant: ServeThenArrive, Policy: Uniform, Choices: 2, Rounds: []int{1000}}
	if got := (Config{}).WithDefaults(); !reflect.DeepEqual(got, want) {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	for name, f := range map[string]func() error{
		"Validate": Config{}.Validate,
		"New":      func() error { _, err := New(Config{}); return err },
		"Simulate": func() error {
			result, err := Simulate(context.Background(), Config{}, mc.Plan{Replicas: 2})
			if len(result.Observations) != 1 || result.Observations[0].Round != 1000 || result.Replicas != 2 {
				t.Errorf("result %+v", result)
			}
			return err
		},
	} {
		if err := f(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
