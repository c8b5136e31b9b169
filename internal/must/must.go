// Package must checks the arguments of exported functions that return no error. A check that fails panics with
// the name of the function, the argument, its value and what is allowed. A check that holds allocates nothing.
package must

import (
	"fmt"
	"math"
)

// Be panics unless ok. The problem names the argument: "n must be at least 1".
func Be(ok bool, function, problem string) {
	if !ok {
		panic(function + ": " + problem)
	}
}

// BeMade panics unless a value was prepared; how names the function that prepares it.
func BeMade(ok bool, name, how string) {
	if !ok {
		panic(name + ": it is not ready for use: call " + how + " first")
	}
}

// BeIn panics unless an integer is in [least, most].
func BeIn(function, argument string, value, least, most int) {
	if value < least || value > most {
		refuse(function, argument, value, least, most)
	}
}

// BeAtLeast panics if an integer is below least.
func BeAtLeast(function, argument string, value, least int) {
	if value < least {
		panic(fmt.Sprintf("%s: %s (%d) must be at least %d", function, argument, value, least))
	}
}

// BeWithin panics unless a number is in [least, most], whose ends may be infinite; NaN is in no range.
func BeWithin(function, argument string, value, least, most float64) {
	if !(value >= least && value <= most) {
		refuse(function, argument, value, least, most)
	}
}

// BeFinite panics unless a number is finite.
func BeFinite(function, argument string, value float64) {
	BeWithin(function, argument, value, -math.MaxFloat64, math.MaxFloat64)
}

// refuse panics. It is apart so that the checks are inlined.
//
//go:noinline
func refuse[T int | float64](function, argument string, value, least, most T) {
	panic(fmt.Sprintf("%s: %s (%v) must be in [%v, %v]", function, argument, value, least, most))
}
