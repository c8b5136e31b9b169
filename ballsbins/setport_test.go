package ballsbins

import (
	"testing"

	"repslab/mc"
)

// TestSlowPorts takes the arrivals of every bin from a run whose bins all serve,
// which under these policies no load changes, and computes from them the loads with
// slow and broken bins. The run is as long as a broken bin needs to outgrow 8 bits.
func TestSlowPorts(t *testing.T) {
	for _, n := range []int{1, 7, 16, 64, 100} {
		for _, policy := range []Policy{Uniform, RoundRobin, Static} {
			cfg := Config{Bins: n, Lambda: 0.95, Policy: policy}
			run, whole := newBatched(t, cfg), newBatched(t, cfg)
			for replica := range uint64(2) {
				stream := mc.NewStream(4, mc.Algorithm, replica)
				run.Reset(stream)
				whole.Reset(stream)
				before, loads, every := make([]float64, n), make([]float64, n), make([]int, n)
				for bin := range every {
					every[bin] = 1
				}
				for round := 1; round <= 400; round++ {
					if period := round * 7 % 50; round > 10 && period < 5 || round == 300 {
						bin := round / 3 % n
						every[bin] = period % 5
						run.SetPort(bin, every[bin])
						whole.SetPort(bin, 1) // the same kernel, the same draws
					}
					run.Step()
					whole.Step()
					for bin := range n {
						arrived := whole.Load(bin) - max(0, before[bin]-1)
						before[bin] = whole.Load(bin)
						if every[bin] > 0 && round%every[bin] == 0 {
							loads[bin] = max(0, loads[bin]-1)
						}
						loads[bin] += arrived
						if got := run.Load(bin); got != loads[bin] {
							t.Fatalf("%+v: round %d, bin %d: load %v, want %v", cfg, round, bin, got, loads[bin])
						}
					}
				}
			}
		}
	}
}

// TestSlowPortKeepsThePath: at n = 64, where all kernels draw alike, a port that
// becomes slow and whole again at once leaves no trace.
func TestSlowPortKeepsThePath(t *testing.T) {
	cfg := Config{Bins: 64}
	touched, untouched := newBatched(t, cfg), newBatched(t, cfg)
	stream := mc.NewStream(5, mc.Algorithm, 0)
	touched.Reset(stream)
	untouched.Reset(stream)
	for round := range 200 {
		if round == 100 {
			touched.SetPort(3, 0)
			touched.SetPort(3, 1)
		}
		touched.Step()
		untouched.Step()
		for bin := range cfg.Bins {
			if touched.Load(bin) != untouched.Load(bin) {
				t.Fatalf("round %d, bin %d: load %v, want %v", round+1, bin, touched.Load(bin), untouched.Load(bin))
			}
		}
	}
}

func TestSetPortPanics(t *testing.T) {
	for _, c := range []struct {
		cfg        Config
		bin, every int
	}{{Config{Bins: 4, Variant: ArriveThenServe}, 0, 1}, {Config{Bins: 4}, 4, 1}, {Config{Bins: 4}, 0, -1}} {
		b := newBatched(t, c.cfg)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v: SetPort(%d, %d) does not panic", c.cfg, c.bin, c.every)
				}
			}()
			b.SetPort(c.bin, c.every)
		}()
	}
}

func newBatched(t *testing.T, cfg Config) *Process {
	t.Helper()
	b, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(mc.NewStream(1, mc.Algorithm, 0))
	return b
}
