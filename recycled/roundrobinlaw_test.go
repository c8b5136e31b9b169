package recycled

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestRoundRobinLawAgainstReference compares every row of an independent
// computation to its ten digits, and the number of states: up to 10,000, and with
// REPSLAB_LONG=1 up to 300,000.
func TestRoundRobinLawAgainstReference(t *testing.T) {
	t.Parallel()
	type key struct{ colors, threshold int }
	cases := map[key][]mctest.Row{}
	for _, row := range mctest.Reference(t, "testdata/exact_round_robin_n2.csv") {
		k := key{int(row.Number(t, "C")), int(row.Number(t, "tau"))}
		cases[k] = append(cases[k], row)
	}
	if len(cases) != 8 {
		t.Fatalf("%d cases in the reference, want 8", len(cases))
	}
	for k, rows := range cases {
		t.Run(fmt.Sprintf("colors=%d/threshold=%d", k.colors, k.threshold), func(t *testing.T) {
			t.Parallel()
			law, err := NewRoundRobinLaw(Config{Bins: 2, Colors: k.colors / 2, Threshold: k.threshold, Clocking: RoundRobin})
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows {
				if row.Number(t, "states") > 10_000 && !mctest.Long() {
					break
				}
				if err := law.Step(); err != nil {
					t.Fatal(err)
				}
				got := law.Means()
				want := RoundRobinMeans{row.Number(t, "E_max_load"), row.Number(t, "E_total_balls"), row.Number(t, "P_all_remember_and_max_le_tau")}
				if math.Abs(got.MaxLoad-want.MaxLoad) > 6e-10 || math.Abs(got.Balls-want.Balls) > 6e-10*want.Balls || math.Abs(got.Settled-want.Settled) > 6e-11 {
					t.Errorf("round %s: %+v, want %+v", row["round"], got, want)
				}
				if want := int(row.Number(t, "states")); law.States() != want {
					t.Errorf("round %s: %d states, want %d", row["round"], law.States(), want)
				}
			}
		})
	}
}

// TestRoundRobinLawOfThreeBins holds three bins against the process.
func TestRoundRobinLawOfThreeBins(t *testing.T) {
	t.Parallel()
	cfg := Config{Bins: 3, Colors: 1, Threshold: 2, Clocking: RoundRobin}
	law, err := NewRoundRobinLaw(cfg)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := New(cfg)
	const rounds = 6
	var maxLoad, balls mc.Moments
	for replica := range uint64(20_000) {
		p.Reset(mc.NewStream(mctest.Seed(t, 1), mc.Algorithm, replica))
		for range rounds {
			p.Step()
		}
		maxLoad.Add(int64(max(p.Load(0), p.Load(1), p.Load(2))))
		balls.Add(p.Balls())
	}
	for range rounds {
		if err := law.Step(); err != nil {
			t.Fatal(err)
		}
	}
	got := law.Means()
	mctest.Agree(t, "mean maximum", maxLoad.Mean(0.95), got.MaxLoad, 0, 0)
	mctest.Agree(t, "mean balls", balls.Mean(0.95), got.Balls, 0, 0)
	if total := sum(law.law); math.Abs(total-1) > float64(law.States())*0x1p-53 {
		t.Errorf("mass %v", total)
	}
}

func TestNoRoundRobinLaw(t *testing.T) {
	for _, cfg := range []Config{{Bins: 2}, {Bins: 2, Clocking: RoundRobin, Lambda: 0.5}} {
		if _, err := NewRoundRobinLaw(cfg); !errors.Is(err, ErrNoRoundRobinLaw) {
			t.Errorf("%+v: error %v", cfg, err)
		}
	}
	if _, err := NewRoundRobinLaw(Config{Bins: 16, Colors: 5, Clocking: RoundRobin}); err == nil || !strings.Contains(err.Error(), "Bins·Colors (80) must be at most 64") {
		t.Errorf("error %v", err)
	}
	if _, err := NewRoundRobinLaw(Config{Clocking: RoundRobin}); err == nil {
		t.Error("a configuration without bins has a law")
	}
	if !mctest.Long() {
		return // the last law grows to the most states
	}
	law, err := NewRoundRobinLaw(Config{Bins: 6, Colors: 3, Clocking: RoundRobin})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		err = law.Step()
	}
	if !errors.Is(err, ErrTooManyStates) || law.States() > MaxLawStates {
		t.Errorf("error %v with %d states", err, law.States())
	}
}
