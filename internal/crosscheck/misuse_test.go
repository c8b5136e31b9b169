package crosscheck

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"repslab/internal/mctest"
	"repslab/mc"
)

// documented lists calls that may return NaN or take it, with the reason in their comments.
var documented = map[string]string{
	"ballsbins.NewExperiment":                   "workers report the faults of the configuration",
	"ballsbins/allocation.NewExperiment":        "workers report the faults of the configuration",
	"ballsbins/allocation.BatchedGap":           "NaN between the two batch sizes for which a bound is known",
	"recycled.NewExperiment":                    "workers report the faults of the configuration",
	"recycled.Run":                              "the share of random throws without throws",
	"recycled.Simulate":                         "the largest of no observations",
	"recycled.Tally.Result":                     "the largest of no observations",
	"recycled.Chain.Run":                        "the mean rounds of runs that cannot converge",
	"mc.NewWelch":                               "a standard error of NaN, which an estimate without interval has",
	"mc.Estimate.Welch":                         "as NewWelch",
	"mc.Estimate.Bound":                         "a bound has no value",
	"mc.FitPowerLaw":                            "the lack of fit of estimates without standard errors",
	"fattree.Trip.BDP":                          "of a Trip without times, a record of Spec.Trips",
	"fattree/topology.FatTree.Oversubscription": "of a tree with rates of NaN, which Validate refuses",
	"fattree.Spec.Alone":                        "of an outline and a path that are not checked: NewWiring does it",
	"sweep.Config.ChangedInputs":                "compares two configurations",
}

// indexed lists methods that take the number of a flow, port, switch or setup, or of an entry of exported lists: Go's
// own panic says which numbers there are.
var indexed = []string{
	"fattree.Network", "fattree.Starter.Fire", "fattree.NewStarter", "fattree.Outline.Latency", "fattree.Spec.Alone", "fattree.Run.QueueLength",
	"fattree.Run.AppendPath", "fattree/transport.Run.QueueLength", "fattree/transport.Run.AppendPath",
	"fattree/multipath.Run.QueueLength", "fattree/multipath.Run.AppendPath",
	"fattree/experiment.Comparison", "fattree/experiment.Replica", "fattree/fluid.Result",
	"mc.Tally.StoppingStatistic", // of an experiment.Comparison without setups
}

// duringRun lists types whose methods only a run calls, or the code that it calls; so are the methods of interfaces of
// fattree and transport, apart from Reset and Begin. What they get is the run's, and checks would cost time for every
// packet. They must not hang or return NaN, but may panic in Go's words.
var duringRun = []string{
	"fattree.Edge", "fattree.Ports", "fattree.Network.Shortage", "fattree/transport.Reset", "fattree/transport.Traits.CountFrozen",
	"fattree/congestion.EQDS.Observe", "fattree/congestion.RCCC.Observe", "fattree/congestion.WindowedRCCC.Observe", // named by their traits
	"fattree.Run.Step", "fattree/transport.Run.AppendPath", "fattree/transport.Run.QueueLength", "fattree/transport.Run.Result",
	"fattree/transport.Run.Sample", "fattree/transport.Run.Samples", "fattree/transport.Run.Script", "fattree/transport.Run.Slot",
	"fattree/transport.Run.Step", "fattree/transport.Run.Unfinished",
}

// large lists calls that may allocate more than mostBytes, with the bound.
var large = map[string]uint64{"recycled.NewChain": 2 << 30} // of MaxChainStates states

const (
	mostTime  = 20 * time.Second // of a call, on a busy machine: some laws take seconds
	mostBytes = 300 << 20        // allocated by a call
	calls     = 6                // of methods of one object in a row: also after an error or a panic
)

// call is one call and its outcome.
type call struct {
	name  string
	in    []reflect.Value
	out   []reflect.Value
	panic any
	stack string
	late  bool
	bytes uint64

	within bool // a run calls it
}

// text shows the call with its arguments.
func (c *call) text() string {
	var in []string
	for _, v := range c.in {
		in = append(in, fmt.Sprintf("%.300s", fmt.Sprintf("%T(%+v)", v.Interface(), v)))
	}
	return c.name + "(" + strings.Join(in, ", ") + ")"
}

// allocated returns the bytes allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// perform calls f. Contexts among the arguments end after some milliseconds.
func perform(name string, f reflect.Value, in []reflect.Value) *call {
	for i, v := range in {
		if v.Type() == reflect.TypeFor[context.Context]() && !v.IsNil() {
			ctx, cancel := context.WithTimeout(v.Interface().(context.Context), 5*time.Millisecond)
			defer cancel()
			in[i] = reflect.ValueOf(&ctx).Elem()
		}
	}
	c := &call{name: name, in: in}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if c.panic = recover(); c.panic != nil {
				c.stack = string(debug.Stack())
			}
		}()
		before := allocated()
		c.out = f.Call(in)
		c.bytes = allocated() - before
	}()
	select {
	case <-done:
		return c
	case <-time.After(mostTime):
		return &call{name: name, in: in, late: true}
	}
}

// fault returns why the outcome of a call is a fault, empty if it is none. nan reports whether NaN is among the
// arguments.
func (c *call) fault(nan bool) string {
	switch {
	case c.late:
		return fmt.Sprintf("takes more than %v", mostTime)
	case c.bytes > max(mostBytes, large[c.name]):
		return fmt.Sprintf("allocates %d MB", c.bytes>>20)
	case c.panic != nil:
		text := fmt.Sprint(c.panic)
		if _, ok := c.panic.(runtime.Error); ok && c.excused(text) {
			return ""
		} else if ok || !prefixed(text) {
			return "panic: " + text + "\n" + c.stack + "\n"
		}
		return ""
	case failed(c.out) != nil || documented[c.name] != "":
		return ""
	case slices.ContainsFunc(c.out, hasNaN):
		return "returns NaN"
	}
	for i, v := range c.in {
		if nan && (v.Kind() == reflect.Float64 || strings.HasSuffix(v.Type().Name(), "Config")) && hasNaN(v) {
			return fmt.Sprintf("accepts NaN in argument %d", i)
		}
	}
	return ""
}

// excused reports whether a call may panic with an error of the Go runtime, by [indexed] and [duringRun].
func (c *call) excused(text string) bool {
	among := func(list []string) bool {
		return slices.ContainsFunc(list, func(name string) bool { return c.name == name || strings.HasPrefix(c.name, name+".") })
	}
	return c.within || among(duringRun) || among(indexed) && strings.Contains(text, "out of range")
}

// ofRun reports whether a method belongs to an interface of fattree or transport that its type implements.
func ofRun(t reflect.Type, method string) bool {
	return method != "Reset" && method != "Begin" && slices.ContainsFunc(exports, func(e export) bool {
		i, ok := e.value.(reflect.Type)
		if !ok || i.Kind() != reflect.Interface || i.PkgPath() != module+"/fattree" && i.PkgPath() != module+"/fattree/transport" {
			return false
		}
		_, has := i.MethodByName(method)
		return has && t.Implements(i)
	})
}

// packageOf returns the name of an export's package: allocation of ballsbins/allocation.New.
func packageOf(name string) string {
	before, _, _ := strings.Cut(path.Base(name), ".")
	return before
}

// prefixed reports whether a text begins with the name of a public package.
func prefixed(text string) bool {
	for _, e := range exports {
		if strings.HasPrefix(text, packageOf(e.name)+": ") {
			return true
		}
	}
	return false
}

// hasNaN reports whether a value has a NaN in an exported field, apart from estimates with a warning.
func hasNaN(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		return math.IsNaN(v.Float())
	case reflect.Struct:
		if e, ok := v.Interface().(mc.Estimate); ok {
			return math.IsNaN(e.Value) && len(e.Warnings) == 0 || math.IsNaN(e.Lo) || math.IsNaN(e.Hi)
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && hasNaN(v.Field(i)) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range min(v.Len(), 1000) {
			if hasNaN(v.Index(i)) {
				return true
			}
		}
	}
	return false
}

// checked calls use with the exports whose calls are drawn, each with a drawer for each of some draws.
func checked(t *testing.T, draws int, use func(name string, value any, d *drawer, draw int)) {
	t.Helper()
	d := newDrawer()
	seed := mctest.Seed(t, 1)
	if mctest.Long() {
		draws *= 20
	}
	for _, e := range exports {
		list := instances[e.name]
		if e.value != nil {
			list = append(list, e.value)
		} else if list == nil {
			t.Errorf("%s is generic: give it an instance", e.name)
		}
		for _, value := range list {
			for draw := range draws {
				d.random = rand.New(rand.NewPCG(seed, uint64(draw)))
				use(e.name, value, d, draw)
			}
		}
	}
}

// oddness sets the probability of odd arguments of the next call.
func (d *drawer) oddness() {
	d.odd, d.nan = []float64{0, 0.1, 0.3, 0.7}[d.random.IntN(4)], false
}

// object returns a value of a type, or a pointer to one, whose methods are called: the zero value, or one made
// by a function or drawn.
func (d *drawer) object(t reflect.Type, zero bool) reflect.Value {
	d.odd = 0.1
	object := reflect.New(t)
	if !zero {
		if object = d.of(reflect.PointerTo(t), 4); object.IsNil() {
			object = reflect.New(t)
			object.Elem().Set(d.of(t, 4))
		}
	}
	if t.Kind() == reflect.Interface {
		object = object.Elem().Elem()
	}
	return object
}

// TestMisuse: every exported function, and the methods of every exported type, get zero, nil, negative, NaN,
// infinite and huge arguments. In bounded time and memory they return, return an error, or panic with the name
// of their package; panics of the Go runtime and NaN are faults. It needs REPSLAB_LONG=1 for 20 times the draws.
func TestMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := map[string]bool{}
	check := func(name string, f, receiver reflect.Value, d *drawer) {
		d.oddness()
		c := perform(name, f, d.arguments(f.Type(), 4))
		if receiver.IsValid() {
			c.within = ofRun(receiver.Type(), path.Ext(name)[1:])
		}
		why := c.fault(d.nan)
		if receiver.IsValid() && strings.Contains(why, "NaN") && hasNaN(reflect.Indirect(receiver)) {
			return // data with a NaN
		}
		if key := name + fmt.Sprintf("%.24s", why); why != "" && !seen[key] {
			seen[key] = true
			t.Errorf("%s: %s", why, c.text())
		}
		if c.late {
			t.FailNow()
		}
	}
	checked(t, 12, func(name string, value any, d *drawer, draw int) {
		if f := reflect.ValueOf(value); f.Kind() == reflect.Func {
			check(name, f, reflect.Value{}, d)
		}
		typ, ok := value.(reflect.Type)
		if !ok {
			return
		}
		object := d.object(typ, draw%3 == 0)
		if !object.IsValid() || isNilValue(object) || object.NumMethod() == 0 {
			return
		}
		methods := object.Type()
		if typ.Kind() == reflect.Interface {
			methods = typ
		}
		for range calls {
			m := methods.Method(d.random.IntN(methods.NumMethod()))
			if m.IsExported() && m.Name != "Format" { // whose fmt.State only fmt makes
				check(name+"."+m.Name, object.MethodByName(m.Name), object, d)
			}
		}
	})
}

// inPlace lists the functions that write a slice among their arguments, as their comments say.
var inPlace = map[string]bool{"fattree.SortByPhase": true}

// TestMisuseTogether: two goroutines call every exported function with the same arguments, of which they share
// structs and slices; both get the same error or panic, and only functions of inPlace write a slice. The race
// detector runs it in .ci/run.
func TestMisuseTogether(t *testing.T) {
	t.Chdir(t.TempDir())
	checked(t, 3, func(name string, value any, d *drawer, draw int) {
		f := reflect.ValueOf(value)
		if f.Kind() != reflect.Func || packageOf(name) == "sweep" { // which locks the files of an argument
			return
		}
		drawn := func() []reflect.Value {
			d.random = rand.New(rand.NewPCG(2, uint64(draw)))
			d.oddness()
			return d.arguments(f.Type(), 4)
		}
		both, before := [2][]reflect.Value{drawn(), drawn()}, drawn()
		var kept []int // the shared slices that can be compared with those before the call
		for i, v := range both[0] {
			if v.Kind() == reflect.Struct || v.Kind() == reflect.Slice && !inPlace[name] {
				both[1][i] = v
			}
			if v.Kind() == reflect.Slice && reflect.DeepEqual(v.Interface(), before[i].Interface()) {
				kept = append(kept, i)
			}
		}
		var outcomes [2]string
		var running sync.WaitGroup
		for i, in := range both {
			running.Go(func() {
				c := perform(name, f, in)
				outcomes[i] = fmt.Sprint(c.panic, failed(c.out))
			})
		}
		running.Wait()
		for _, i := range kept {
			if now := both[0][i].Interface(); !inPlace[name] && !reflect.DeepEqual(now, before[i].Interface()) {
				t.Errorf("%s writes its argument: %v, before %v", name, now, before[i])
			}
		}
		said := outcomes[0] + outcomes[1] // a worker that returns one tally is found out at its second block, if it gets two
		if timed := strings.Contains(said, "context") || strings.Contains(said, "a new tally for each block"); outcomes[0] != outcomes[1] && !timed {
			t.Errorf("%s: %q and %q for the same arguments", name, outcomes[0], outcomes[1])
		}
	})
}
