package main

import (
	"slices"
	"strings"
	"testing"

	"repslab/proofs"
)

// TestProveRows: one object a step with the documented keys; verdicts follow.
func TestProveRows(t *testing.T) {
	o := repslab(t, "prove", "--step", "E1,e2,C16,D5,M3,L4", "--format", "json", "--bins", "16..64")
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("code %d, stderr %q", o.code, o.stderr)
	}
	rows, keys := rowsOf(t, o.stdout)
	want := []string{"step", "place", "process", "claim", "domain", "verdict", "theorems", "margin", "counterexample", "repair"}
	if !slices.Equal(keys, want) {
		t.Errorf("keys %v, want %v", keys, want)
	}
	verdicts := map[string]any{}
	for _, r := range rows {
		verdicts[r["step"].(string)] = r["verdict"]
	}
	for step, verdict := range map[string]string{"E1": "misprinted", "E2": "misprinted", "C16": "holds on a smaller domain", "D5": "not justified", "M3": "holds on a smaller domain", "L4": "holds"} {
		if verdicts[step] != verdict {
			t.Errorf("%s: %v, want %s", step, verdicts[step], verdict)
		}
	}
}

// TestProveExplains: every step has an explanation with its claim, verdict and
// reason.
func TestProveExplains(t *testing.T) {
	o := repslab(t, "prove", "--explain", "C16", "--bins", "16..64")
	for _, want := range []string{"C16", "HOLDS ON A SMALLER DOMAIN", "line 827", "n = 20, τ = 12, k = 1", "Repair"} {
		if o.code != exitDone || !strings.Contains(o.stdout, want) {
			t.Errorf("code %d, %q is not in %q", o.code, want, o.stdout)
		}
	}
	for _, s := range proofs.Steps() {
		text := proofs.Explain(proofs.Result{Step: s, Finding: proofs.Finding{Verdict: proofs.Holds}, Recorded: proofs.Holds})
		if !strings.Contains(text, s.Claim) || !strings.Contains(text, s.Reason) || len(s.Reason) < 10 {
			t.Errorf("%s is not explained: %q", s.ID, text)
		}
	}
}

// TestBrokenVerdictFails: a verdict that no longer follows is named, and a repair
// that a check refutes.
func TestBrokenVerdictFails(t *testing.T) {
	kept := proofs.Result{Step: proofs.Step{ID: "A"}, Finding: proofs.Finding{Verdict: proofs.False}, Recorded: proofs.False}
	broken := proofs.Result{Step: proofs.Step{ID: "B"}, Finding: proofs.Finding{Verdict: proofs.False}, Recorded: proofs.Holds}
	refuted := kept
	refuted.Refuted = []string{"2/n"}
	if err := confirmed([]proofs.Result{refuted}); err == nil || !strings.Contains(err.Error(), "the repair of A is refuted: 2/n") {
		t.Errorf("a refuted repair gives %v", err)
	}
	if err := confirmed([]proofs.Result{kept}); err != nil {
		t.Errorf("a false step of the paper fails: %v", err)
	}
	if err := confirmed([]proofs.Result{kept, broken}); err == nil || !strings.Contains(err.Error(), `B is recorded as "holds"`) {
		t.Errorf("a broken verdict gives %v", err)
	}
}
