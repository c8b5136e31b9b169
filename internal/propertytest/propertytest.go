// Package propertytest answers one question: does a property hold in random cases?
//
// [Check] runs a property on cases that it draws with a [T]. The cases of a test come from
// its name, so that they are the same in every run; REPSLAB_RESEED=N in the environment
// gives others. Numbers of a small range are uniform. Of a larger range half are; the others
// are close to an end of it, where faults are more frequent.
//
// A case is the sequence of its draws. When one fails, Check makes the draws smaller, one
// after the other, as long as the case still fails, and prints what is left.
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
)

const (
	cases    = 300  // of a property
	attempts = 2000 // to make a failing case smaller
	few      = 256  // numbers, of which any is drawn often enough
)

// T draws a case and takes the verdict on it. It is for the goroutine that it was given to.
type T struct {
	random *rand.Rand // what is drawn after the given draws; nil: the least of each range
	given  []uint64   // draws to repeat, as distances from the least of their ranges
	drawn  []uint64   // all draws so far, as such distances
	labels []string   // all draws so far, as they are printed

	skipped bool
	failure string // of the case; empty while it holds
}

// Check fails the test unless the property holds in all cases. More than half of the cases
// must not be skipped.
func Check(t testing.TB, property func(t *T)) {
	t.Helper()
	seed := os.Getenv("REPSLAB_RESEED")
	name := fnv.New64a()
	fmt.Fprint(name, t.Name(), seed)
	skipped := 0
	for i := range uint64(cases) {
		c := run(property, rand.New(rand.NewPCG(name.Sum64(), i)), nil)
		if c.skipped {
			skipped++
		}
		if c.failure != "" {
			small := shrink(property, c)
			t.Fatalf("case %d of %d, REPSLAB_RESEED=%q: %s\nafter these draws, made smaller:\n\t%s",
				i+1, cases, seed, small.failure, strings.Join(small.labels, "\n\t"))
		}
	}
	if skipped > cases/2 {
		t.Fatalf("%d of %d cases were skipped, at most half may be", skipped, cases)
	}
}

// run runs a property on one case. Fatalf and Skip end the goroutine that it runs in, and a
// panic is a failure.
func run(property func(t *T), random *rand.Rand, given []uint64) *T {
	c := &T{random: random, given: given}
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

// shrink returns a failing case whose draws are as small as some attempts can make them:
// each draw is set to the least of its range, and else its distance is halved or reduced
// by one.
func shrink(property func(t *T), failing *T) *T {
	left := attempts
	for smaller := true; smaller && left > 0; {
		smaller = false
		for i := 0; i < len(failing.drawn) && left > 0; i++ {
			for _, d := range []uint64{0, failing.drawn[i] / 2, failing.drawn[i] - 1} {
				if failing.drawn[i] == 0 {
					break
				}
				given := slices.Clone(failing.drawn)
				given[i] = d
				left--
				if c := run(property, nil, given); c.failure != "" {
					failing, smaller = c, true
					break
				}
			}
		}
	}
	return failing
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

// Skip ends the case as one that the property says nothing of.
func (t *T) Skip() {
	t.skipped = true
	runtime.Goexit()
}

// draw returns a distance of at most most: one of the given draws, else a fresh one, else 0.
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

// uneven draws from [0, most]: half of the values are uniform, and all of them if they are
// few; the others have a uniform number of bits, counted from 0 or, one in four, from most.
func (t *T) uneven(most uint64) uint64 {
	if most < few || t.random.IntN(2) == 0 {
		return t.uniform(most)
	}
	near := min(most, t.random.Uint64()>>(64-t.random.IntN(bits.Len64(most)+1)))
	if t.random.IntN(4) == 0 {
		return most - near
	}
	return near
}

// Int draws an integer of [low, high]. The name is printed with it when a case fails.
func Int[I ~int | ~int64 | ~uint32 | ~uint64](t *T, name string, low, high I) I {
	if low > high {
		panic(fmt.Sprintf("propertytest: %s: [%d, %d] is empty", name, low, high))
	}
	v := low + I(t.draw(uint64(high)-uint64(low), t.uneven))
	t.labels = append(t.labels, fmt.Sprintf("%s: %d", name, v))
	return v
}

// OneOf draws one of some values, each with the same probability. A value is printed by %v.
func OneOf[V any](t *T, name string, values ...V) V {
	v := values[t.draw(uint64(len(values)-1), t.uniform)]
	t.labels = append(t.labels, fmt.Sprintf("%s: %v", name, v))
	return v
}

// Ints draws from least to most integers of [low, high].
func Ints[I ~int | ~int64 | ~uint32 | ~uint64](t *T, name string, least, most int, low, high I) []I {
	values := make([]I, Int(t, "length of "+name, least, most))
	for i := range values {
		values[i] = Int(t, name, low, high)
	}
	return values
}
