package recycled

import (
	"strings"
	"testing"
)

// TestLimits: each bound is the last value that is taken, and the next one beyond
// it is refused by name.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name        string
		set         func(cfg *Config, value int)
		least, most int
		zero        bool // stands for a default
	}{
		{"Bins", func(cfg *Config, v int) { cfg.Bins, cfg.Clocking, cfg.Colors = v, RoundRobin, 1 }, 1, 1 << 20, true},
		{"Threshold", func(cfg *Config, v int) { cfg.Threshold = v }, 1, 1 << 30, true},
		{"MaxRounds", func(cfg *Config, v int) { cfg.MaxRounds = v }, 1, 1<<31 - 1, true},
		{"Horizon", func(cfg *Config, v int) { cfg.Horizon = v }, 0, 1<<31 - 1, false},
		{"Colors", func(cfg *Config, v int) { cfg.Clocking, cfg.Colors = RoundRobin, v }, 1, 1 << 24, true},
		{"Ring", func(cfg *Config, v int) { cfg.Clocking, cfg.Ring = PerFlow, v }, 1, 1<<16 - 1, true},
		{"Delay", func(cfg *Config, v int) { cfg.Bins, cfg.Clocking, cfg.Delay = 1, PerFlow, v }, 0, 1 << 20, false},
		{"Delay", func(cfg *Config, v int) { cfg.Bins, cfg.Clocking, cfg.Delay = 1<<10, PerFlow, v }, 0, 1<<16 - 1, false},
		{"Window", func(cfg *Config, v int) { cfg.Clocking, cfg.Window = PerFlow, v }, 0, 1 << 30, false},
	} {
		with := func(value int) error {
			cfg := Config{Bins: 4}
			c.set(&cfg, value)
			return cfg.Validate()
		}
		for _, good := range []int{c.least, c.most} {
			if err := with(good); err != nil {
				t.Errorf("%s %d: %v", c.name, good, err)
			}
		}
		bad := []int{c.least - 1, c.most + 1}
		if c.zero {
			bad[0] = -1
		}
		for _, value := range bad {
			if err := with(value); err == nil || !strings.Contains(err.Error(), c.name) {
				t.Errorf("%s %d: error %v, want one that names it", c.name, value, err)
			}
		}
	}
	for lambda, good := range map[float64]bool{1: true, 1e-300: true, 1.0000001: false, -1e-300: false} {
		if err := (Config{Bins: 4, Lambda: lambda}).Validate(); (err == nil) != good {
			t.Errorf("Lambda %v: error %v", lambda, err)
		}
	}
}

// TestDecidedChains: a chain that begins converged is so with probability 1, and
// one with too many balls with none.
func TestDecidedChains(t *testing.T) {
	for _, c := range []struct {
		converged float64
		loads     []int
	}{{1, []int{1, 2}}, {0, []int{5, 0}}, {0, []int{1 << 15, 0}}} { // the last has the largest load
		chain, err := NewChain(Config{Bins: 2, Threshold: 2}, c.loads)
		if err != nil {
			t.Fatal(err)
		}
		if chain.converged != c.converged {
			t.Errorf("from %v: converged with probability %v, want %v", c.loads, chain.converged, c.converged)
		}
	}
}
