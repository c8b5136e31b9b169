package claims

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"repslab/mc"
)

// estimate returns the mean of observations.
func estimate(observations ...int64) mc.Estimate {
	var m mc.Moments
	for _, x := range observations {
		m.Add(x)
	}
	return m.Mean(mc.DefaultConfidence)
}

// TestConditions: bounds at the ends of the interval leave a p-value of 2.5 %, on either
// side of the verdict; the two p-values of a one-sided condition add up to 1.
func TestConditions(t *testing.T) {
	e := estimate(90, 100, 104, 111, 95) // 100 [90, 110]
	for name, c := range map[string]struct {
		got         Condition
		met, broken float64
	}{
		"at most, met":      {AtMost(e, e.Hi), 0.025, 0.975},
		"at most, broken":   {AtMost(e, e.Lo), 0.975, 0.025},
		"at least, met":     {AtLeast(e, e.Lo), 0.025, 0.975},
		"at least, broken":  {AtLeast(e, e.Hi), 0.975, 0.025},
		"between, met":      {Between(e, e.Lo, math.Inf(1)), 0.025, 0},
		"between, above":    {Between(e, 0, e.Lo), 0.975, 0.025},
		"certain":           {Certain(true), 0, 1},
		"all, one at edge":  {All(Certain(true), AtMost(e, e.Hi)), 0.025, 1},
		"all, one broken":   {All(Certain(true), AtMost(e, e.Lo)), 0.975, 0.05},
		"any, one met":      {AtLeastOf(1, Certain(false), AtMost(e, e.Hi)), 0.05, 0.975},
		"any, none":         {AtLeastOf(1, Certain(false), AtMost(e, e.Lo)), 1, 0.025},
		"two of three, met": {AtLeastOf(2, Certain(true), AtMost(e, e.Hi), Certain(false)), 0.05, 1},
		"no observations":   {AtMost(estimate(), 1), 1, 1},
		"two runs, met":     {AtMost(estimate(90, 91), 1000), 1, 1},
		"two pairs, met":    {Below(estimate(90, 91), estimate(900, 901)), 1, 1},
	} {
		if name == "between, met" {
			c.broken = c.got.broken // far from either edge, not by hand
		}
		if holds := strings.HasSuffix(name, "met") || name == "certain" ||
			name == "all, one at edge"; c.got.Holds != holds {
			t.Errorf("%s: holds is %t", name, c.got.Holds)
		}
		if math.Abs(c.got.met-c.met) > 1e-9 || math.Abs(c.got.broken-c.broken) > 1e-9 {
			t.Errorf("%s: %v, want {%v %v}", name, c.got, c.met, c.broken)
		}
	}
	for name, holds := range map[string]bool{
		"more": reflect.DeepEqual(MoreThan(e, 99), AtLeast(e, 99)) && !MoreThan(e, 100).Holds && AtLeast(e, 100).Holds,
		"less": reflect.DeepEqual(LessThan(e, 101), AtMost(e, 101)) && !LessThan(e, 100).Holds && AtMost(e, 100).Holds,
		"clearly below": ClearlyBelow(e, estimate(190, 200, 210)).Holds &&
			!ClearlyBelow(e, estimate(100, 110, 105)).Holds,
		"at most times": AtMostTimes(e, 1.1, e).Holds && !AtMostTimes(e, 0.9, e).Holds,
	} {
		if !holds {
			t.Error(name)
		}
	}
	far := estimate(190, 200, 204, 211, 195)
	if c := Below(e, far); c.met > 1e-6 || c.broken < 1-1e-6 {
		t.Errorf("100 below 200: %v", c)
	}
	if c := Below(far, e); c.broken > 1e-6 || c.met < 1-1e-6 {
		t.Errorf("200 below 100: %v", c)
	}
	if c := Below(estimate(1), far); !c.Holds || c.met != 1 || c.broken != 1 {
		t.Errorf("a single observation decides: %v", c)
	}
}
