package scene

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/propertytest"

	"pgregory.net/rapid"
)

// TestSharedNetwork runs a network with links that break and are repaired now and then. A second network
// is made from the text of its view: it must show the same, and the rest of the run must be the same. 25
// networks, 300 with REPSLAB_LONG=1.
func TestSharedNetwork(t *testing.T) {
	cases := 25
	if os.Getenv("REPSLAB_LONG") != "" {
		cases = 300
	}
	propertytest.SetCases(cases)
	defer propertytest.SetCases(propertytest.Cases)
	propertytest.Check(t, func(t *rapid.T) {
		v := DefaultNetwork()
		v.Hosts = rapid.SampledFrom([]int{8, 16}).Draw(t, "hosts")
		v.Workload = rapid.SampledFrom([]string{Permutation, Tornado, Incast}).Draw(t, "workload")
		v.Bytes = rapid.IntRange(1, 1<<18).Draw(t, "bytes")
		v.Left = rapid.SampledFrom(Balancers()).Draw(t, "left")
		v.Flow = rapid.IntRange(0, v.flows()-1).Draw(t, "flow")
		v.Seed = rapid.Uint64Range(0, 1<<63).Draw(t, "seed")
		n, err := NewNetwork(v)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			for range rapid.IntRange(0, 100).Draw(t, "slots") {
				stepNetwork(t, n)
			}
			cable, broken := rapid.IntRange(0, n.Cables()-1).Draw(t, "cable"), rapid.SampledFrom([]bool{true, false}).Draw(t, "broken")
			if ok, err := n.SetCable(cable, broken); !ok || err != nil {
				t.Fatalf("a cable is refused: %v", err)
			}
		}
		text := n.View().String()
		shared, err := ParseNetwork(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		other, err := NewNetwork(shared)
		if err != nil || shared.String() != text {
			t.Fatalf("%q is read as %q: %v", text, shared, err)
		}
		for range shared.Slot {
			stepNetwork(t, other)
		}
		for range 10 {
			if got, want := sidesOf(t, other), sidesOf(t, n); got != want {
				t.Fatalf("%q shows %s, want %s", text, got, want)
			}
			stepNetwork(t, n)
			stepNetwork(t, other)
		}
	})
}

// fatal ends a test.
type fatal interface {
	Fatalf(format string, args ...any)
}

// stepNetwork runs a slot, if there is one.
func stepNetwork(t fatal, n *Network) (more bool) {
	more, err := n.Step()
	if err != nil {
		t.Fatalf("%v", err)
	}
	return more
}

// sidesOf writes down what is shown of both load balancers.
func sidesOf(t fatal, n *Network) string {
	var text strings.Builder
	for i := range 2 {
		s, result, err := n.Side(i)
		if err != nil {
			t.Fatalf("%v", err)
		}
		result.Flows = nil // the flows of other rounds
		fmt.Fprintln(&text, s, *result, n.Memory(i))
	}
	return text.String()
}

// TestRounds: when all flows of a load balancer have finished they start again, and cables stay broken.
// REPS keeps its connections, so it knows the broken cables from the first round. The run ends at the
// last slot. The test looks every 8 slots; a round takes hundreds.
func TestRounds(t *testing.T) {
	v := DefaultNetwork()
	v.Hosts, v.Bytes = 16, 1<<20
	n, err := NewNetwork(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Change{{Port: 3}, {Port: 1}, {Port: 3, Every: 1}} {
		if ok, err := n.SetCable(c.Port, c.Every == 0); !ok || err != nil {
			t.Fatalf("%+v is refused: %v", c, err)
		}
	}
	for _, cable := range []int{-1, n.Cables()} {
		if ok, _ := n.SetCable(cable, true); ok {
			t.Errorf("cable %d is not refused", cable)
		}
	}
	var before [2]Side
	frozen := 0
	var lost [2][]int64 // at the end of each round
	for step := 0; stepNetwork(t, n); step++ {
		if step%8 != 0 {
			continue
		}
		for i := range 2 {
			s, result, err := n.Side(i)
			if err != nil || s.Finished < before[i].Finished || s.Finished > before[i].Finished/16*16+16 {
				t.Fatalf("side %d, slot %d: %d flows have finished after %d (%v)", i, n.slot, s.Finished, before[i].Finished, err)
			}
			if s.Finished/16 > before[i].Finished/16 {
				lost[i] = append(lost[i], result.Lost)
				if end, _ := result.LastEnd(); slices.ContainsFunc(s.Flows, func(f fattree.FlowResult) bool { return f.End >= 0 }) || s.Took <= 0 {
					t.Errorf("side %d, slot %d: the new round has %v, the last one took %d ps until %d", i, n.slot, s.Flows, s.Took, end)
				}
			}
			before[i], frozen = s, max(frozen, s.Frozen)
		}
	}
	if frozen == 0 || frozen > 16 {
		t.Errorf("up to %d flows of REPS are in freezing mode, want some of the 16 of a round", frozen)
	}
	ops, reps := lost[0], lost[1]
	if len(ops) < 2 || len(reps) < 9*len(ops) || ops[1] < ops[0]*3/2 || reps[0] == 0 || slices.Max(reps) > reps[0]*3/2 {
		t.Errorf("packets lost up to the end of each round: %v under OPS, %v under REPS", ops, reps)
	}
	if got, want := n.View().String(), "hosts=16&message_bytes=1048576&links=3x0@0,1x0@0,3x1@0&slot=60000"; got != want {
		t.Errorf("the last view is %q, want %q", got, want)
	}
	if got, want := n.Restarted().String(), "hosts=16&message_bytes=1048576&links=1x0@0"; got != want {
		t.Errorf("restarted view %q, want %q", got, want)
	}
	if ok, _ := n.SetCable(0, true); ok {
		t.Error("a cable is not refused at the last slot")
	}
}

func TestParseNetworkErrors(t *testing.T) {
	for text, want := range map[string]string{
		"hosts=9":                           "hosts (9) must be one of [8 16 32 64 128]",
		"workload=all":                      `workload ("all") must be one of [permutation tornado incast]`,
		"left=x&right=y":                    `right ("y") must be one of [ecmp ops`,
		"message_bytes=33554433":            "message_bytes (33554433) must be in [1, 33554432]",
		"links=32x0@0":                      "links: cable (32) must be in [0, 31]",
		"links=1x2@0":                       "links: state of a cable (2) must be in [0, 1]",
		"links=1x0@5":                       "links: slot of a change (5) must be in [0, 0]",
		"slot=60000&links=1x0@60000":        "links: slot of a change (60000) must be in [0, 59999]",
		"flow=8&workload=incast":            "flow (8) must be in [0, 7]",
		"slot=60001":                        "slot (60001) must be in [0, 60000]",
		"bins=8":                            `"bins" is no key of a view`,
		"speed=10001":                       "speed (10001) must be in [1, 10000]",
		"seed=1&seed=2":                     `"seed" is given twice`,
		"paused=maybe":                      `paused: "maybe" must be 0 or 1`,
		"links=" + strings.Repeat("x", 100): `..." must be PORTxROUNDS@ROUND`,
	} {
		if _, err := ParseNetwork(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseNetwork(%q) gives %v, want ...%s...", text, err, want)
		}
	}
}

// TestMemory: OPS remembers nothing. REPS remembers EVs of the chosen flow, other flows have others, and the view names
// the flow.
func TestMemory(t *testing.T) {
	n, err := NewNetwork(DefaultNetwork())
	if err != nil {
		t.Fatal(err)
	}
	for range 400 {
		stepNetwork(t, n)
	}
	first := n.Memory(1).Slots
	if ops := n.Memory(0).Slots; len(first) != 8 || len(ops) > 0 {
		t.Errorf("REPS remembers %v, OPS %v, want 8 EVs and none", first, ops)
	}
	if n.SetFlow(32) || n.SetFlow(-1) || !n.SetFlow(31) || n.View().Flow != 31 || slices.Equal(n.Memory(1).Slots, first) {
		t.Errorf("flow %d of 32 is shown, with %v", n.View().Flow, n.Memory(1).Slots)
	}
}
