package recycled

import (
	"context"
	"fmt"
	"testing"

	"repslab/mc"
)

// TestNewIsReset: a new process is at the start of a run on the zero stream.
func TestNewIsReset(t *testing.T) {
	for _, cfg := range []Config{
		{Bins: 8}, {Bins: 8, Clocking: RoundRobin}, {Bins: 8, Clocking: PerFlow}, {Bins: 8, Clocking: PerFlow, EVS: 16},
		{Bins: 8, Start: Random}, {Bins: 8, Closed: true, Start: AllInOne},
	} {
		var loads [2]string
		for i := range loads {
			p, err := New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if i == 1 {
				p.Reset(mc.Stream{})
			}
			p.Advance(3)
			for bin := range cfg.Bins {
				loads[i] += fmt.Sprint(p.Load(bin), " ")
			}
			loads[i] += fmt.Sprint(p.Round(), p.Status(), p.Balls())
		}
		if loads[0] != loads[1] {
			t.Errorf("%+v: %s without Reset, %s with it", cfg, loads[0], loads[1])
		}
	}
}

// TestForgotten: what was forgotten, and arguments out of range, panic or are errors.
func TestForgotten(t *testing.T) {
	p, err := New(Config{Bins: 4})
	if err != nil {
		t.Fatal(err)
	}
	for want, call := range map[string]func(){
		"recycled: PhaseOne: it is not ready for use: call NewPhaseOne first":             func() { new(PhaseOne).Mean() },
		"recycled: Chain: it is not ready for use: call NewChain first":                   func() { new(Chain).Run() },
		"recycled: Process.Load: bin (4) must be in [0, 4)":                               func() { p.Load(4) },
		"recycled: Process.SetPort: bin (-1) must be in [0, 4), and every (2) at least 0": func() { p.SetPort(-1, 2) },
		"recycled: Process.Advance: rounds (-1) must be in [0, 2147483647]":               func() { p.Advance(-1) },
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			call()
		}()
	}
	if _, err := Run(context.Background(), nil, Config{Bins: 4}, mc.Stream{}); err == nil || err.Error() != "recycled: p (<nil>) must not be nil: New makes one" {
		t.Errorf("no process: error %v", err)
	}
	if _, err := PhaseTwoRoundsSharp(4, 4, 8, 9); err == nil || err.Error() != "recycled: excess (9) must be in [0, 8]" {
		t.Errorf("too large an excess: error %v", err)
	}
	law, err := NewPhaseOne(16)
	if err != nil {
		t.Fatal(err)
	}
	const last = 1245 // above 16 (ln 16 + 75)
	if got := law.BallsTail(last + 1); got != 0 {
		t.Errorf("P[M > %d] = %v, want 0", last+1, got)
	}
}
