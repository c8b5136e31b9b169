package must

import (
	"math"
	"testing"
)

// TestChecks: checks hold at the ends of their ranges, and beyond them panic with the argument.
func TestChecks(t *testing.T) {
	for want, check := range map[string]func(){
		"":                              func() { BeIn("f", "n", 1, 1, 3); BeIn("f", "n", 3, 1, 3) },
		"f: n (0) must be in [1, 3]":    func() { BeIn("f", "n", 0, 1, 3) },
		"f: n (4) must be in [1, 3]":    func() { BeIn("f", "n", 4, 1, 3) },
		"f: n (0) must be at least 1":   func() { BeAtLeast("f", "n", 1, 1); BeAtLeast("f", "n", 0, 1) },
		"f: x (NaN) must be in [0, 1]":  func() { BeWithin("f", "x", math.NaN(), 0, 1) },
		"f: x (1.5) must be in [0, 1]":  func() { BeWithin("f", "x", 1.5, 0, 1) },
		"f: x (-0.5) must be in [0, 1]": func() { BeWithin("f", "x", -0.5, 0, 1) },
		"f: x (+Inf) must be in [-1.7976931348623157e+308, 1.7976931348623157e+308]": func() { BeFinite("f", "x", math.Inf(1)) },
		"f: g must not be nil":                          func() { Be(false, "f", "g must not be nil") },
		"p: T: it is not ready for use: call New first": func() { BeMade(false, "p: T", "New") },
	} {
		func() {
			defer func() {
				if got := recover(); got != nil && got != want || got == nil && want != "" {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			check()
		}()
	}
	if n := testing.AllocsPerRun(10, func() { BeIn("f", "n", 2, 1, 3); BeFinite("f", "x", 2); BeMade(true, "T", "New") }); n > 0 {
		t.Errorf("checks that hold allocate %v times", n)
	}
}
