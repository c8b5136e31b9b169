// Package propertytest checks properties in random cases. It is test code: only tests import it.
//
// [Check] runs a property on cases that it draws with a [T]. The cases of a test derive from its name, so
// that they are the same in every run; REPSLAB_RESEED=N in the environment gives others. Faults are more
// frequent for small numbers and at ends of ranges. So in every third case all numbers that [Int] draws
// are close to the lower end of their range. In the other cases half of them are uniform and half are
// close to one end.
//
// A case is the sequence of its draws. When a case fails, Check leaves out draws and makes them smaller
// as long as the case still fails, and prints the smallest case found.
package propertytest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	cases    = 300  // cases of a property
	attempts = 2000 // attempts to make a failing case smaller

	patience = 20 * time.Second // time for these attempts
)

// T draws a case and records its outcome. Only the goroutine that received it may use it.
type T struct {
	random *rand.Rand // source of draws after the given ones; nil: the least of each range
	small  bool       // all numbers are small
	given  []uint64   // draws to repeat, as distances from the least of their ranges
	drawn  []uint64   // all draws so far, as distances
	labels []string   // all draws so far, as they are printed

	skipped bool
	failure string // failure of the case; empty while the property holds
}

// Check fails the test unless the property holds in all cases. More than half of the cases
// must not be skipped.
func Check(t testing.TB, property func(t *T)) {
	t.Helper()
	CheckCases(t, cases, property)
}

// CheckCases is Check with the given number of cases.
func CheckCases(t testing.TB, cases uint64, property func(t *T)) {
	t.Helper()
	seed := os.Getenv("REPSLAB_RESEED")
	name := fnv.New64a()
	fmt.Fprint(name, t.Name(), seed)
	skipped := 0
	for i := range cases {
		c := run(property, &T{random: rand.New(rand.NewPCG(name.Sum64(), i)), small: i%3 == 0})
		if c.skipped {
			skipped++
		}
		if c.failure != "" {
			small := shrink(property, c)
			t.Fatalf("case %d of %d, REPSLAB_RESEED=%q: %s\nafter these draws, made smaller:\n\t%s",
				i+1, cases, seed, small.failure, strings.Join(small.labels, "\n\t"))
		}
	}
	if uint64(skipped) > cases/2 {
		t.Fatalf("%d of %d cases were skipped, at most half may be", skipped, cases)
	}
}

// run runs a property on one case and returns the case. Fatalf and Skip end the goroutine in which the
// case runs. A panic is a failure.
func run(property func(t *T), c *T) *T {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if fault := recover(); fault != nil {
				stack := make([]byte, 4096)
				c.failure = fmt.Sprintf("panic: %v\n%s", fault, stack[:runtime.Stack(stack, false)])
			}
		}()
		property(c)
	}()
	<-done
	return c
}

// shrink returns a failing case that is as small as its attempts can make it. A case is smaller if it has
// fewer draws, or if one of them is smaller.
func shrink(property func(t *T), failing *T) *T {
	left, began := attempts, time.Now()
	for again := true; again && left > 0; {
		again = false
		for i := 0; i < len(failing.drawn); i++ {
			for _, given := range smaller(failing.drawn, i) {
				if left--; left < 0 || time.Since(began) > patience {
					return failing
				}
				if c := run(property, &T{given: given}); c.failure != "" && len(c.drawn) <= len(failing.drawn) {
					failing, again = c, true
					break
				}
			}
		}
	}
	return failing
}

// smaller returns variants of the given draws at place i: some draws are left out there, or one is set to
// the least of its range, halved, or reduced by one.
func smaller(drawn []uint64, i int) (all [][]uint64) {
	for _, k := range []int{8, 4, 2, 1} {
		if i+k <= len(drawn) {
			all = append(all, slices.Concat(drawn[:i], drawn[i+k:]))
		}
	}
	if at := drawn[i]; at > 0 {
		for _, d := range []uint64{0, at / 2, at - 1} {
			all = append(all, slices.Concat(drawn[:i], []uint64{d}, drawn[i+1:]))
		}
	}
	return all
}

// Fatalf ends the case as one in which the property does not hold.
func (t *T) Fatalf(format string, arguments ...any) {
	t.failure = fmt.Sprintf(format, arguments...)
	runtime.Goexit()
}

// Fatal is Fatalf for an error or a text.
func (t *T) Fatal(fault any) {
	t.Fatalf("%v", fault)
}

// Skip ends a case to which the property does not apply.
func (t *T) Skip() {
	t.skipped = true
	runtime.Goexit()
}

// draw returns a distance of at most most: the next of the given draws, or a fresh draw if none is left,
// or 0 without a source.
func (t *T) draw(most uint64, fresh func(most uint64) uint64) uint64 {
	d := uint64(0)
	switch n := len(t.drawn); {
	case n < len(t.given):
		d = min(t.given[n], most)
	case t.random != nil:
		d = fresh(most)
	}
	t.drawn = append(t.drawn, d)
	return d
}

// uniform draws from [0, most].
func (t *T) uniform(most uint64) uint64 {
	if most == math.MaxUint64 {
		return t.random.Uint64()
	}
	return t.random.Uint64N(most + 1)
}

// uneven draws from [0, most]. Half of the values are uniform. The others have a uniform number of bits,
// as distances from 0 or, one in four, from most. In a small case all are below 8.
func (t *T) uneven(most uint64) uint64 {
	largest := bits.Len64(most)
	if t.small {
		largest = min(largest, 3)
	} else if t.random.IntN(2) == 0 {
		return t.uniform(most)
	}
	near := min(most, t.random.Uint64()>>(64-t.random.IntN(largest+1)))
	if !t.small && t.random.IntN(4) == 0 {
		return most - near
	}
	return near
}

// integer is the type of a number that is drawn.
type integer interface {
	~int | ~int64 | ~uint32 | ~uint64
}

// Int draws an integer of [low, high], by the rules of the package comment. The name is
// printed with it when a case fails.
func Int[I integer](t *T, name string, low, high I) I {
	return drawInt(t, name, low, high, t.uneven)
}

// Uniform draws an integer of [low, high], each with the same probability.
func Uniform[I integer](t *T, name string, low, high I) I {
	return drawInt(t, name, low, high, t.uniform)
}

func drawInt[I integer](t *T, name string, low, high I, fresh func(most uint64) uint64) I {
	if low > high {
		panic(fmt.Sprintf("propertytest: %s: [%d, %d] is empty", name, low, high))
	}
	v := low + I(t.draw(uint64(high)-uint64(low), fresh))
	t.labels = append(t.labels, fmt.Sprintf("%s: %d", name, v))
	return v
}

// OneOf draws one of the values, each with the same probability. A value is printed by %v.
func OneOf[V any](t *T, name string, values ...V) V {
	v := values[t.draw(uint64(len(values)-1), t.uniform)]
	t.labels = append(t.labels, fmt.Sprintf("%s: %v", name, v))
	return v
}

// Ints draws from least to most integers of [low, high].
func Ints[I integer](t *T, name string, least, most int, low, high I) []I {
	values := make([]I, Int(t, "length of "+name, least, most))
	for i := range values {
		values[i] = Int(t, name, low, high)
	}
	return values
}
