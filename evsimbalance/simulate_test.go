package evsimbalance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"repslab/internal/ecmphash"
	"repslab/internal/mctest"
	"repslab/mc"
)

// simulate runs a configuration.
func simulate(t *testing.T, cfg Config, replicas uint64) Result {
	t.Helper()
	s, err := Simulate(context.Background(), cfg, mc.Plan{Seed: mctest.Seed(t, 1), Replicas: replicas})
	if err != nil {
		t.Fatal(err)
	}
	if s.Replicas != replicas || s.Mean.N != replicas {
		t.Errorf("%+v: %d replicas, estimate over %d, want %d", cfg, s.Replicas, s.Mean.N, replicas)
	}
	return s
}

// sampler returns the sampler of a configuration.
func sampler(t testing.TB, cfg Config) *Sampler {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSpreadFollowsTheLaw compares drawn maxima with the exact law: coins and
// rejection, powers of two and other numbers of bins, few balls and many.
// 30,000 draws, so a mean maximum that is off by 4 % of its standard deviation
// is seen; 100,000 with REPSLAB_LONG=1.
func TestSpreadFollowsTheLaw(t *testing.T) {
	for _, c := range []struct{ balls, bins int }{
		{5, 2}, {16, 32}, {1000, 32}, {1 << 16, 32}, {1 << 21, 32}, {1 << 21, 33}, {700, 7}, {100, 3}, {30, 1000}, {1 << 14, 128}, {4096, 4096},
	} {
		t.Run(fmt.Sprintf("balls=%d/bins=%d", c.balls, c.bins), func(t *testing.T) {
			law, err := NewMaxLaw(c.balls, c.bins)
			if err != nil {
				t.Fatal(err)
			}
			draws := 30_000
			if mctest.Long() {
				draws = 100_000
			}
			if c.bins > 1000 {
				draws = 3000
			}
			r := mc.NewStream(mctest.Seed(t, 3), mc.Algorithm, 0).Rand()
			counts, sum := map[int]int{}, mc.Moments{}
			for range draws {
				most := spread(&r, c.balls, c.bins, 0)
				counts[most]++
				sum.Add(int64(most))
			}
			masses := make([]float64, len(law.cdf))
			for i := range masses {
				masses[i] = law.CDF(law.first+i) - law.CDF(law.first+i-1)
			}
			chiSquare(t, "maxima", counts, law.first, masses)
			mctest.Agree(t, "mean maximum", sum.Mean(mc.DefaultConfidence), law.Mean(), 0, 0)
		})
	}
	r := mc.NewStream(1, mc.Algorithm, 0).Rand()
	if got := spread(&r, 1, 32, 0); got != 1 {
		t.Errorf("the maximum of one ball is %d", got)
	}
	if got := spread(&r, 77, 1, 0); got != 77 {
		t.Errorf("the maximum of one bin is %d, want all 77 balls", got)
	}
}

// TestMethodsAgree: the model's hash and the multinomial sampler have the exact
// law's mean; the exact quantiles are inside the estimates' intervals, widened
// to the false-alarm rate by one load's step.
func TestMethodsAgree(t *testing.T) {
	for _, cfg := range []Config{
		{Flows: 1, EVS: 16}, {Flows: 32, EVS: 16}, {Flows: 32, EVS: 256}, {Flows: 1, EVS: 1 << 12}, {Flows: 3, EVS: 777, Uplinks: 12},
	} {
		exact, err := Simulate(context.Background(), cfg, mc.Plan{Replicas: 1})
		if err != nil {
			t.Fatal(err)
		}
		cfg = cfg.WithDefaults()
		for _, method := range []Method{Multinomial, Hash} {
			cfg.Method = method
			got := simulate(t, cfg, 4000)
			step := float64(cfg.Uplinks) / float64(cfg.Balls())
			mctest.Agree(t, fmt.Sprintf("%+v: imbalance", cfg), got.Mean, exact.Mean.Value, 0, 0)
			for i, pair := range [][2]mc.Estimate{{got.P025, exact.P025}, {got.P05, exact.P05}, {got.P50, exact.P50}, {got.P95, exact.P95}, {got.P975, exact.P975}} {
				estimate, want := pair[0], pair[1].Value
				slack := (estimate.Hi-estimate.Lo)/2 + step
				if want < estimate.Lo-slack || want > estimate.Hi+slack {
					t.Errorf("%+v: quantile %d is %v [%v, %v], want %v", cfg, i, estimate.Value, estimate.Lo, estimate.Hi, want)
				}
			}
		}
	}
}

// TestExactResult pins the paper's point: 32 flows with 2^16 EVs.
func TestExactResult(t *testing.T) {
	s, err := Simulate(context.Background(), Config{Flows: 32}, mc.Plan{Replicas: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name      string
		e         mc.Estimate
		value, by float64
	}{
		{"mean", s.Mean, 0.0080935972, 5e-11}, {"5 %", s.P05, 0.0055236816, 5e-11}, {"median", s.P50, 0.0078887939, 5e-11}, {"95 %", s.P95, 0.011352539, 5e-10},
	} {
		if math.Abs(c.e.Value-c.value) > c.by || !math.IsNaN(c.e.StdErr) || c.e.Lo != c.e.Value || c.e.Hi != c.e.Value {
			t.Errorf("%s: %+v, want %v exactly", c.name, c.e, c.value)
		}
	}
	if !(s.P025.Value < s.P05.Value && s.P95.Value < s.P975.Value) || s.Replicas != 0 {
		t.Errorf("result %+v", s)
	}
}

// TestCRC32IsDegenerate pins what the package says of powers of two: λ is the
// same in every replica, 0 from as many EVs as uplinks on.
func TestCRC32IsDegenerate(t *testing.T) {
	for _, uplinks := range []int{2, 8, 32, 128, 512} {
		for evs := 1; evs <= 1024; evs *= 2 {
			want := max(0, float64(uplinks)/float64(evs)-1)
			got := simulate(t, Config{EVS: evs, Uplinks: uplinks, Method: CRC32}, 20)
			if got.Mean.Value != want || got.Mean.StdErr != 0 {
				t.Errorf("one flow, %d EVs, %d uplinks: imbalance %v (standard error %v), want %v always", evs, uplinks, got.Mean.Value, got.Mean.StdErr, want)
			}
			if evs >= uplinks {
				if got := simulate(t, Config{Flows: 7, EVS: evs, Uplinks: uplinks, Method: CRC32}, 20); got.Mean.Value != 0 || got.Mean.StdErr != 0 {
					t.Errorf("7 flows, %d EVs, %d uplinks: imbalance %v, want 0 always", evs, uplinks, got.Mean.Value)
				}
			}
		}
	}
}

// TestCRC32Cosets: 16 EVs of a flow reach one half of 32 uplinks, and which of the
// two halves is a fair coin. With 32 flows it is the maximum of 32 balls in 2
// bins, so less uneven than with a random hash.
func TestCRC32Cosets(t *testing.T) {
	halves, err := NewMaxLaw(32, 2)
	if err != nil {
		t.Fatal(err)
	}
	got := simulate(t, Config{Flows: 32, EVS: 16, Method: CRC32}, 20_000)
	mctest.Agree(t, "imbalance of 32 flows with 16 EVs", got.Mean, halves.Imbalance(halves.Mean()), 0, 0)
}

// TestCRC32OfOddUplinks: a remainder that is no bit field leaves a small imbalance.
func TestCRC32OfOddUplinks(t *testing.T) {
	got := simulate(t, Config{EVS: 1 << 16, Uplinks: 33, Method: CRC32}, 20)
	if got.Mean.Value <= 0 || got.Mean.Value > 0.05 {
		t.Errorf("imbalance %v, want a small positive one", got.Mean.Value)
	}
}

// TestHashedCountsAreTheHashes compares a replica with plain loops over the
// hashes, the CRC's linear table included.
func TestHashedCountsAreTheHashes(t *testing.T) {
	for _, method := range []Method{Hash, CRC32} {
		for _, uplinks := range []int{32, 24} {
			cfg := Config{Flows: 3, EVS: 1000, Uplinks: uplinks, Method: method}
			s := sampler(t, cfg)
			for replica := range uint64(5) {
				got, err := s.Draw(context.Background(), 7, replica)
				if err != nil {
					t.Fatal(err)
				}
				hosts := mc.NewStream(7, mc.Workload, replica).Source()
				salt := mc.NewStream(7, mc.Salts, replica).Source().Uint64()
				counts, want := make([]int, uplinks), 0
				for range cfg.Flows {
					flow := hosts.Uint64()
					for ev := range cfg.EVS {
						port := ecmphash.Port(ecmphash.Hash(flow, uint16(ev), salt), uplinks)
						if method == CRC32 {
							port = ecmphash.Remainder(ecmphash.CRC32(flow, uint16(ev), uint32(salt)), uplinks)
						}
						counts[port]++
						want = max(want, counts[port])
					}
				}
				if got != want {
					t.Errorf("%s, %d uplinks, replica %d: maximum %d, want %d", method, uplinks, replica, got, want)
				}
			}
		}
	}
}

// TestSimulateIsTheSameForAnyWorkers includes a stopping rule.
func TestSimulateIsTheSameForAnyWorkers(t *testing.T) {
	for _, cfg := range []Config{
		{Flows: 2, EVS: 300, Method: Multinomial}, {Flows: 2, EVS: 100, Method: Hash}, {Flows: 2, EVS: 10, Uplinks: 31, Method: CRC32},
		{Flows: 20, EVS: 10, Uplinks: 31, Method: Distinct},
	} {
		for _, stop := range []mc.Precision{{}, {Relative: 0.02}} {
			mctest.SameForAnyWorkers(t, fmt.Sprintf("%+v, stop %+v", cfg, stop), func(workers int) (any, error) {
				s, err := Simulate(context.Background(), cfg, mc.Plan{Seed: 4, Replicas: 3000, Workers: workers, Stop: stop})
				if early := s.Replicas < 3000; early != (stop.Relative > 0) {
					t.Errorf("%+v, stop %+v: %d replicas", cfg, stop, s.Replicas)
				}
				return s, err
			})
		}
	}
}

func TestSimulateStopsWhenCancelled(t *testing.T) {
	for _, method := range Methods() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Simulate(ctx, Config{EVS: 16, Method: method}, mc.Plan{Replicas: 10}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", method, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Simulate(ctx, Config{Method: Multinomial}, mc.Plan{Replicas: 1 << 24, Progress: func(p mc.Progress) {
		if p.Done > 5000 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || s.Replicas <= 5000 || s.Replicas == 1<<24 || s.Mean.N != s.Replicas {
		t.Errorf("error %v after %d replicas, estimate over %d", err, s.Replicas, s.Mean.N)
	}
}

// TestDrawAllocations: a replica under a hash allocates its two sources, and under
// Multinomial nothing.
func TestDrawAllocations(t *testing.T) {
	for method, want := range map[Method]float64{Multinomial: 0, Hash: 2, CRC32: 2, Distinct: 0} {
		s, ctx, replica := sampler(t, Config{Flows: 4, EVS: 31, Uplinks: 31, Method: method}), context.Background(), uint64(0)
		if n := testing.AllocsPerRun(20, func() {
			if _, err := s.Draw(ctx, 1, replica); err != nil {
				t.Fatal(err)
			}
			replica++
		}); n != want {
			t.Errorf("%s: %v allocations a replica, want %v", method, n, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, ""},
		{Config{Flows: -1, Uplinks: 4097, Method: "best"}, "Flows (-1) must be in [1, 65536]"},
		{Config{Flows: -1, Uplinks: 4097, Method: "best"}, "Uplinks (4097) must be in [1, 4096]"},
		{Config{Flows: -1, EVS: -2}, "EVS (-2) must be in [1, 16777216]"},
		{Config{Flows: -1, EVS: -2}, "Flows (-1) must be in [1, 65536]"},
		{Config{Method: "best"}, `Method ("best") must be one of [exact multinomial hash crc32 distinct]`},
		{Config{EVS: -1}, "EVS (-1) must be in [1, 16777216] for flows=1 uplinks=32 method=exact"},
		{Config{EVS: MaxEVS}, ""},
		{Config{EVS: MaxEVS + 1}, "EVS (16777217) must be in [1, 16777216]"},
		{Config{EVS: MaxEVS, Flows: 65}, "EVS (16777216) must be in [1, 16519104] for flows=65 uplinks=32 method=exact"},
		{Config{EVS: 1 << 22, Uplinks: 8}, "EVS (4194304) must be in [1, 2097152] for flows=1 uplinks=8 method=exact"},
		{Config{EVS: MaxEVS, Flows: 64, Method: Multinomial}, ""},
		{Config{EVS: MaxEVS, Flows: MaxFlows, Method: Multinomial}, "EVS (16777216) must be in [1, 16384] for flows=65536"},
		{Config{EVS: MaxEVS, Uplinks: 1}, ""},
		{Config{EVS: MaxHashedEVS, Method: Hash}, ""},
		{Config{EVS: MaxHashedEVS, Flows: MaxFlows, Method: Hash}, "EVS (65536) must be in [1, 16384] for flows=65536"},
		{Config{EVS: MaxHashedEVS + 1, Method: Hash}, "EVS (65537) must be in [1, 65536]"},
		{Config{EVS: MaxHashedEVS + 1, Method: CRC32}, "EVS (65537) must be in [1, 65536]"},
	} {
		err := c.cfg.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.cfg, err, c.want)
		}
	}
	if _, err := Simulate(context.Background(), Config{Flows: -1}, mc.Plan{}); err == nil || !strings.Contains(err.Error(), "Flows (-1)") || !strings.Contains(err.Error(), "Replicas (0)") {
		t.Errorf("error %v, want the faults of configuration and plan", err)
	}
}

// TestDefaults: the zero configuration equals the command's, and all entry points accept
// it; New and NewExperiment sample the exact law, as under Multinomial.
func TestDefaults(t *testing.T) {
	want := Config{Flows: 1, EVS: 65_536, Uplinks: 32, Method: Exact}
	if got := (Config{}).WithDefaults(); got != want {
		t.Errorf("defaults %+v, want %+v", got, want)
	}
	plan := mc.Plan{Seed: mctest.Seed(t, 1), Replicas: 5}
	if _, err := Simulate(context.Background(), Config{}, plan); err != nil {
		t.Error(err)
	}
	all, _, err := NewExperiment(Config{}).Run(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(all.Result()), fmt.Sprint(simulate(t, Config{Method: Multinomial}, 5)); got != want {
		t.Errorf("the exact law's samples %s, want %s", got, want)
	}
	if _, err := New(Config{Flows: -1}); err == nil {
		t.Error("New with -1 flows: no error")
	}
}

// TestImbalanceOfAConfig is equation (1): 3 EVs on the busiest of 2 uplinks, 2 on average.
func TestImbalanceOfAConfig(t *testing.T) {
	if got := (Config{EVS: 4, Uplinks: 2}).Imbalance(3); got != 0.5 {
		t.Errorf("imbalance %v, want 0.5", got)
	}
}
