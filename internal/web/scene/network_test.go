package scene

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"repslab/internal/propertytest"
)

// TestSharedNetwork runs a network whose links break and are mended now and then, and then what
// its text says: everything that is shown must be the same, and so must the rest of the run.
func TestSharedNetwork(t *testing.T) {
	propertytest.Check(t, func(t *propertytest.T) {
		v := DefaultNetwork()
		v.Hosts = propertytest.OneOf(t, "hosts", 8, 16)
		v.Workload = propertytest.OneOf(t, "workload", Permutation, Tornado, Incast)
		v.Bytes = propertytest.Int(t, "bytes", 1, 1<<18)
		v.Left = propertytest.OneOf(t, "left", Balancers()...)
		v.Seed = propertytest.Int[uint64](t, "seed", 0, 1<<63)
		n, err := NewNetwork(v)
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		for range propertytest.Int(t, "changes", 0, 4) {
			for range propertytest.Int(t, "slots", 0, 100) {
				stepNetwork(t, n)
			}
			cable, broken := propertytest.Uniform(t, "cable", 0, n.Cables()-1), propertytest.OneOf(t, "broken", true, false)
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
		fmt.Fprintln(&text, s, *result)
	}
	return text.String()
}

// TestNetworkEnds: a run ends when both load balancers have finished; a new run has the cables
// as they are; cables that there are not are refused.
func TestNetworkEnds(t *testing.T) {
	v := DefaultNetwork()
	v.Hosts, v.Bytes = 8, 1<<16
	n, err := NewNetwork(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Change{{Port: 3}, {Port: 1}, {Port: 3, Every: 1}} {
		if ok, err := n.SetCable(c.Port, c.Every == 0); !ok || err != nil {
			t.Fatalf("%+v is refused: %v", c, err)
		}
	}
	for stepNetwork(t, n) {
	}
	for i := range 2 {
		if s, result, _ := n.Side(i); result.Finished() != 8 || slices.Max(s.Queue) > 0 {
			t.Errorf("side %d: %d flows have finished, queues %v", i, result.Finished(), s.Queue)
		}
	}
	if got, want := n.Restarted().String(), "hosts=8&message_bytes=65536&links=1x0@0"; got != want {
		t.Errorf("restarted view %q, want %q", got, want)
	}
	for _, cable := range []int{-1, n.Cables()} {
		if ok, _ := n.SetCable(cable, true); ok {
			t.Errorf("cable %d is not refused", cable)
		}
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
