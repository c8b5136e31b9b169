package mc

import (
	"context"
	"strings"
	"testing"
)

// counting is a tally of one part with scratch memory and settings that are no parts.
type counting struct {
	heads  Moments
	more   []Sample
	limit  int
	unused float64
	extra  map[string]int
	next   *counting
}

func (c *counting) Parts() []NamedPart {
	parts := []NamedPart{{Name: "heads", Part: &c.heads}}
	for i := range c.more {
		parts = append(parts, NamedPart{Name: "more_" + string(rune('a'+i)), Part: &c.more[i]})
	}
	return parts
}
func (c *counting) StoppingStatistic() Estimate { return c.heads.Mean(DefaultConfidence) }

func newCounting() *counting { return &counting{more: make([]Sample, 2), limit: 7} }

// byValue is a tally with value receivers: its parts are parts of a copy.
type byValue struct{ heads Moments }

func (b byValue) Parts() []NamedPart          { return []NamedPart{{Name: "heads", Part: &b.heads}} }
func (b byValue) StoppingStatistic() Estimate { return b.heads.Mean(DefaultConfidence) }

// twice is a tally that lists one accumulator under two names.
type twice struct{ heads Moments }

func (c *twice) Parts() []NamedPart {
	return []NamedPart{{Name: "a", Part: &c.heads}, {Name: "b", Part: &c.heads}}
}
func (c *twice) StoppingStatistic() Estimate { return c.heads.Mean(DefaultConfidence) }

// TestTalliesKeepResults: tallies whose parts are not their own panic before any replica runs, and a block that
// changes a field that is no part is an error that names the field.
func TestTalliesKeepResults(t *testing.T) {
	ctx, plan := context.Background(), Plan{Replicas: 100, Workers: 2}
	const receiver = "mc: Experiment: Parts must list the same pointers into the tally at each call: give the tally's methods a pointer receiver"
	mustPanic(t, receiver, func() {
		Repeat(func() *byValue { return new(byValue) }, func(c *byValue, _, _ uint64) { c.heads.Add(1) }).Run(ctx, plan)
	})
	mustPanic(t, receiver, func() {
		Repeat(func() byValue { return byValue{} }, func(c byValue, _, _ uint64) { c.heads.Add(1) }).Run(ctx, plan)
	})
	shared := newCounting()
	mustPanic(t, "mc: Experiment: NewTally must return a new tally with the same parts at each call", func() {
		Repeat(func() *counting { return shared }, func(c *counting, _, _ uint64) { c.heads.Add(1) }).Run(ctx, plan)
	})
	mustPanic(t, "mc: Experiment: two parts of the tally are the same accumulator", func() {
		Repeat(func() *twice { return new(twice) }, func(c *twice, _, _ uint64) { c.heads.Add(1) }).Run(ctx, plan)
	})
	for field, add := range map[string]func(c *counting){
		"":        func(c *counting) { c.more[1].Add(3) },
		".limit":  func(c *counting) { c.limit++ },
		".unused": func(c *counting) { c.unused += 0.5 },
		".extra":  func(c *counting) { c.extra = map[string]int{"x": 1} },
		".next":   func(c *counting) { c.next = new(counting) },
	} {
		e := Repeat(newCounting, func(c *counting, _, _ uint64) { c.heads.Add(1); add(c) })
		all, replicas, err := e.Run(ctx, plan)
		if field == "" && (err != nil || replicas != 100 || all.heads.N() != 100) {
			t.Errorf("replicas %d, error %v", replicas, err)
		}
		if field != "" && (err == nil || !strings.Contains(err.Error(), "*mc.counting"+field+" has observations, but is no part of the tally")) {
			t.Errorf("%s changed: error %v", field, err)
		}
	}
	again := newCounting()
	e := Experiment[*counting]{NewTally: newCounting, NewWorker: func(uint64) Worker[*counting] {
		return func(context.Context, Block) (*counting, error) { again.heads.Add(1); return again, nil }
	}}
	// Not by Run: this worker would write into the tally that is being merged.
	work := e.Checked().NewWorker(1)
	_, first := work(ctx, Block{})
	if _, err := work(ctx, Block{}); first != nil || err == nil || err.Error() != "mc: Experiment: a worker must return a new tally for each block" {
		t.Errorf("one tally for all blocks: errors %v, %v", first, err)
	}
}

// TestZeroRand: the zero Rand is the generator of the zero Stream.
func TestZeroRand(t *testing.T) {
	var zero Rand
	want := Stream{}.Rand()
	if zero != want || zeroKey != balancedKey(0) {
		t.Errorf("zero %+v, generator of the zero stream %+v, key %#x", zero, want, balancedKey(0))
	}
	mustPanic(t, noRange, func() { zero.Below(0) })
	mustPanic(t, noRange, func() { zero.NextBelow(0) })
}

// TestContexts: a nil context is an error that names it, or a panic where there is no error; so are negative
// numbers of goroutines.
func TestContexts(t *testing.T) {
	var none context.Context
	e := Repeat(newCounting, func(c *counting, _, _ uint64) { c.heads.Add(1) })
	_, _, err := e.Run(none, Plan{Replicas: 1})
	_, err2 := Simulate(none, Plan{Replicas: 1}, e, Plan{Replicas: 1}, func(*counting) int { return 0 })
	for _, err := range []error{err, err2} {
		if err == nil || err.Error() != "mc: ctx (<nil>) must not be nil: pass context.Background()" {
			t.Errorf("error %v", err)
		}
	}
	mustPanic(t, "mc: Goroutines: ctx must not be nil", func() { Goroutines(none) })
	mustPanic(t, "mc: WithWorkers: count (-5) must be in [0, 4096]", func() { WithWorkers(context.Background(), -5) })
	mustPanic(t, "mc: WithGoroutines: count (-5) must be in [0, 4096]", func() { WithGoroutines(context.Background(), -5) })
}
