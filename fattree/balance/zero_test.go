package balance

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/reps"
)

// panicOf returns what f panics with, as text, or "" if it returns.
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// TestZeroBalancers: a balancer that its constructor has not made panics with the name of the constructor in its first
// run, where it divided by zero or drew among no EVs. The zero value of the others is what their constructor returns.
func TestZeroBalancers(t *testing.T) {
	n := pair(t)
	execute := func(b transport.Balancer) func() {
		return func() {
			if _, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
				panic(err)
			}
		}
	}
	zero := map[transport.Balancer]string{
		new(ecmp): "NewECMP", new(spraying): "NewSpraying", new(plb): "NewPLB", new(flowlet): "NewFlowlet", new(mprdma): "NewMPRDMA", new(multipath): "NewMultipath",
		new(subflows): "NewSubflows", new(rotation): "NewRotation", new(sourceRotation): "NewSourceRotation", new(oracle): "NewOracle", new(bitmap): "NewBitmap", new(stratified): "NewStratified",
		new(recyclingBitmap): "NewRecyclingBitmap", new(recycling[reps.REPS, *reps.REPS]): "NewRecycling", new(recycling[reps.FIFO, *reps.FIFO]): "NewRecycling", recyclingREPS{}: "NewRecycling", new(perPlane): "NewPerPlane",
		new(excluding): "RecyclingConfig", new(mixed): "NewMixed", new(klb): "NewKLB", new(shared): "NewShared", new(exploring): "NewExploring", new(hostAssisted): "NewHostAssisted",
		new(perMRC): "", new(adaptive): "", new(leakingAdaptive): "", new(switchSpraying): "", new(roundRobin): "", new(destinationRoundRobin): "", new(shorterOfTwo): "", new(shuffledRoundRobin): "", new(switchAdaptive): "", new(switchFlowlet): "",
	}
	for b, want := range zero {
		if got := panicOf(execute(b)); want == "" && got != "" || want != "" && (!strings.HasPrefix(got, "balance: ") || !strings.Contains(got, want)) {
			t.Errorf("%T panics with %q, want %q", b, got, want)
		}
	}
	tried := map[reflect.Type]bool{}
	for b := range zero {
		tried[reflect.TypeOf(b)] = true
	}
	for _, named := range All() {
		if b, err := New(named.Name, 8); err != nil || !tried[reflect.TypeOf(b)] {
			t.Errorf("%s (%T, %v) is not tried: add its zero value to the map above, with the name of its constructor", named.Name, b, err)
		}
	}
}

// TestConstructorsRefuse: arguments out of range are errors, or panics where there is no error, that name them.
func TestConstructorsRefuse(t *testing.T) {
	const far fattree.Picoseconds = math.MaxInt64
	nan := math.NaN()
	spraying, err := NewSpraying(1)
	if err != nil {
		t.Fatal(err)
	}
	refuse := func(_ any, err error) error { return err }
	var failed []error
	for _, evs := range []int{0, -1, MaxEVS + 1, math.MaxInt, math.MinInt} {
		for _, b := range All() {
			_, err := New(b.Name, evs)
			failed = append(failed, err)
		}
		failed = append(failed, refuse(NewStatic(evs)), refuse(NewOracle(evs)), refuse(NewBitmapByMask(evs)), refuse(NewRotation(evs, StartSource)), refuse(NewBitmap(evs)), refuse(NewStratified(evs)),
			refuse(NewMultipath(evs, 1)), refuse(NewMultipath(8, evs)), refuse(NewSubflows(8, evs)), refuse(NewMRC(evs)),
			refuse(NewKLB(evs, 1, true)), refuse(NewKLB(8, evs, false)), refuse(NewHKLB(evs, 1)), refuse(NewHKLB(8, evs)),
			refuse(NewExploring(spraying, evs, 1)), refuse(NewShared(NewRoundRobin())), refuse(NewExploring(NewAdaptive(), 8, 1)), refuse(NewShared(nil)))
	}
	for _, k := range []float64{nan, math.Inf(1), -0.1, 1} {
		failed = append(failed, refuse(NewPLB(8, k)), refuse(NewLeakingAdaptive(2*k)))
	}
	for _, every := range []int64{0, -1, math.MaxInt32 + 1} { // the last one is negative where int has 32 bits
		failed = append(failed, refuse(NewExploring(spraying, 8, int(every))))
	}
	failed = append(failed, refuse(RecyclingConfig{}.NewExcluding(0)), refuse(RecyclingConfig{}.NewExcluding(far)), refuse(RecyclingConfig{FreezeAt: -1}.New()),
		refuse(MRCConfig{ProbePeriod: far}.New()), refuse(MRCConfig{SkipTime: far}.New()), refuse(NewRecycling("other", reps.Config{})))
	for i, err := range failed {
		if err == nil {
			t.Errorf("case %d: no error", i)
		}
	}
	for want, f := range map[string]func(){
		"balance: NewPerFlow needs": func() { NewMixed(spraying, nil) }, "balance: NewPerFlow needs a": func() { NewMixed(nil, spraying) },
		"balance: NewPerFlow needs a f": func() { NewPerFlow(nil, spraying) }, "balance: NewPerFlow needs a function": func() { NewPerFlow(func(fattree.Workload, int) int { return 0 }) },
		"balance: NewHostAssisted needs a balancer":                                              func() { NewHostAssisted(nil) },
		"balance: NewHostAssisted needs a balancer that is no Router, not a *balance.roundRobin": func() { NewHostAssisted(NewRoundRobin()) },
	} {
		if got := panicOf(f); !strings.HasPrefix(got, want) {
			t.Errorf("panics with %q, want %q", got, want)
		}
	}
}
