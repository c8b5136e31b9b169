package cases

import (
	"fmt"
	"strings"
	"testing"

	"repslab/internal/param"
	"repslab/sweep"
)

// completedPoint returns the first point of flags with input files; the values of flags in pool are pooled.
func completedPoint(t *testing.T, flags string, inputs []sweep.Input, pool ...string) *Fattree {
	t.Helper()
	given, p := param.Texts{}, new(Fattree)
	for assignment := range strings.FieldsSeq(flags) {
		flag, value, _ := strings.Cut(assignment, "=")
		given[param.KeyOf(flag)] = value
	}
	if _, err := FattreeSpace(p).Grid(FattreeName, param.Selection{Parameters: given, Inputs: inputs, Pool: pool}); err != nil {
		t.Fatalf("%s: %v", flags, err)
	}
	return p
}

// TestPooledListsAreAllChecked: a point with several lists of flows has their mean number of hops, the longest of their
// horizons, and pairs that repeat if they do in any list; the hosts of each list must be in the tree.
func TestPooledListsAreAllChecked(t *testing.T) {
	const head = "Nodes 8\nConnections 2\n"
	inputs := append(inputOf(t, "near", head+"0->1 start 0 size 4096\n0->1 start 0 size 4096\n"),
		inputOf(t, "far", head+"0->5 start 0 size 16344000000\n1->4 start 0 size 16344000000\n")...)
	const flags = " hosts-per-tor=4 inherit=on"
	near := completedPoint(t, "flows=near"+flags, inputs)
	far := completedPoint(t, "flows=far hosts-per-tor=4", inputs)
	if near.hops != 2*2*1 || far.hops != 2*4_000_000*3 {
		t.Errorf("hops %v and %v, want 4 packets over 1 switch and 8,000,000 over 3", near.hops, far.hops)
	}
	if !near.pairsRepeat || far.pairsRepeat {
		t.Errorf("pairs repeat: %v and %v", near.pairsRepeat, far.pairsRepeat)
	}
	for _, order := range []string{"near,far", "far,near"} {
		both := completedPoint(t, "flows="+order+flags, inputs, "flows")
		if want := (near.hops + far.hops) / 2; both.hops != want {
			t.Errorf("%s: hops %v, want %v", order, both.hops, want)
		}
		if want := max(near.Spec.Horizon, far.Spec.Horizon); near.Spec.Horizon == far.Spec.Horizon || both.Spec.Horizon != want {
			t.Errorf("%s: horizon %d, want %d", order, both.Spec.Horizon, want)
		}
		if !both.pairsRepeat {
			t.Errorf("%s: no pair repeats", order)
		}
	}
	if apart := completedPoint(t, "flows=near hosts-per-tor=4", inputs); apart.pairsRepeat {
		t.Error("pairs repeat although no connection is inherited")
	}
}

// TestCompletedFields: defaults that depend on other flags, and the flags on which they depend.
func TestCompletedFields(t *testing.T) {
	inputs := inputOf(t, "cdf", "0 0\n1000 50\n9000 100\n")
	if p := completedPoint(t, "hosts=8 sizes=cdf", inputs); p.workload != sizesFile {
		t.Errorf("workload %q with a file of sizes, want %q", p.workload, sizesFile)
	}
	const half = "sizes: hosts=50%"
	if p := completedPoint(t, "hosts=8 sizes=cdf workload="+strings.ReplaceAll(half, " ", ""), inputs); p.workload != half {
		t.Errorf("workload %q became %q", half, p.workload)
	}
	for flags, want := range map[string]int64{
		"hosts=16": 1, "hosts=16 workload=permutation:hosts=50%;incast:degree=2": 0, "hosts=16 workload=websearch": 0,
	} {
		if p := pointOf(t, flags); min(p.Message, 1) != want {
			t.Errorf("%s: message of %d bytes", flags, p.Message)
		}
	}
	for flags, want := range map[string]bool{"hosts=16": true, "hosts=16 lb=oracle": false} {
		if p := pointOf(t, flags); p.Spec.HashAnswers != want {
			t.Errorf("%s: ACKs take hashed paths: %v", flags, p.Spec.HashAnswers)
		}
	}
	for flags, want := range map[string]int{
		"failure=cables=1 failure-seed=7": 7, "failure=cables=1": 0, "failure=links=tor0:spine1;cables=1 failure-seed=7": 0, "failure=cables=1,seed=3;cables=1 failure-seed=7": 3,
	} {
		if p := pointOf(t, "hosts=16 "+flags); p.Failure[0].Seed != want {
			t.Errorf("%s: seed %d, want %d", flags, p.Failure[0].Seed, want)
		}
	}
	exact := pointOf(t, "hosts=16").Plan.LongestRTT()
	if p := pointOf(t, "hosts=16 rto-us="+fmt.Sprintf("%.6f", float64(exact)/us)); p.Options.RTO != exact {
		t.Errorf("a time-out of a round trip, %d ps, became %d", exact, p.Options.RTO)
	}
}
