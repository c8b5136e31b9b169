package traffic

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
	"repslab/mc"
)

// source returns the source of a replica's workload.
func source(seed, replica uint64) rand.Source {
	return mc.NewStream(seed, mc.Workload, replica).Source()
}

// randomWorkloads returns each random workload by its name, as a function of a source.
func randomWorkloads() map[string]func(rand.Source) (fattree.Workload, error) {
	return map[string]func(rand.Source) (fattree.Workload, error){
		"Permutation":   func(s rand.Source) (fattree.Workload, error) { return Permutation(1000, message(), s) },
		"Paced":         func(s rand.Source) (fattree.Workload, error) { return Paced(webSearch(), s) },
		"Poisson":       func(s rand.Source) (fattree.Workload, error) { return Poisson(webSearch(), s) },
		"RingAllreduce": func(s rand.Source) (fattree.Workload, error) { return RingAllreduce(100, 50, message(), s) },
		"AllToAll":      func(s rand.Source) (fattree.Workload, error) { return AllToAll(20, 3, message(), s) },
	}
}

// digest returns a hash of the flows.
func digest(t *testing.T, w fattree.Workload, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	for _, f := range w.Flows {
		fmt.Fprintln(h, f.Source, f.Destination, f.Bytes, f.Start)
	}
	return fmt.Sprintf("%x", h.Sum64())
}

// TestWorkloadsAreFrozen pins the workloads of a source of the module and of one of
// the standard library: a seed has the same workloads in every version of the module
// and of Go, and with int of 32 and of 64 bits.
func TestWorkloadsAreFrozen(t *testing.T) {
	want := map[string][2]string{
		"Permutation":   {"212af0019d0ea1eb", "2978e6282bd04813"},
		"Paced":         {"9513e60d32f5d714", "30a915ecda95e2eb"},
		"Poisson":       {"4ba804cbf36ea013", "b0256e330e892160"},
		"RingAllreduce": {"9e01ef146c82c1e3", "e5c0a0f7021cfb19"},
		"AllToAll":      {"48ab3121d87fcfbb", "5b3b2533cd7870c7"},
	}
	for name, draw := range randomWorkloads() {
		for i, s := range []rand.Source{source(1, 0), rand.NewPCG(1, 2)} {
			w, err := draw(s)
			if got := digest(t, w, err); got != want[name][i] {
				t.Errorf("%s: source %d: digest %q, want %q", name, i, got, want[name][i])
			}
		}
	}
}

// TestSourceIsDrawnOn: a source in the same state gives the same workload. Drawing advances the source,
// so the next workload differs.
func TestSourceIsDrawnOn(t *testing.T) {
	for name, draw := range randomWorkloads() {
		s, again := rand.NewPCG(3, 4), rand.NewPCG(3, 4)
		first, err := draw(s)
		one := digest(t, first, err)
		same, err := draw(again)
		two := digest(t, same, err)
		next, err := draw(s)
		if three := digest(t, next, err); one != two || one == three {
			t.Errorf("%s: digests %s and %s of one state, %s of the next", name, one, two, three)
		}
	}
}

// TestErrorsNameFields: every refusal of an argument is a field error of this package.
func TestErrorsNameFields(t *testing.T) {
	of := func(change func(*Arrivals)) error {
		a := webSearch()
		change(&a)
		return second(Poisson(a, source(1, 0)))
	}
	_, noPoints := NewSizes(nil)
	_, falling := NewSizes([]SizePoint{{10, 0.7}, {5, 0.8}})
	_, short := NewSizes([]SizePoint{{10, 0.7}})
	for _, c := range []struct {
		field, want string
		err         error
	}{
		{"hosts", "traffic: hosts (1) must be in [2, 2097152]", second(Permutation(1, message(), source(1, 0)))},
		{"Bytes", "traffic: Bytes (0) must be at least 1", second(Tornado(4, Message{}))},
		{"degree", "traffic: degree (5) must be in [1, 4], all hosts but the receiver", second(Incast(5, 5, message()))},
		{"Tiers", "traffic: Tiers (1) must be 2 or 3: flows leave the ToR of their senders", second(OneToR(topology.FatTree{Hosts: 4, Tiers: 1}, message()))},
		{"Hosts", "traffic: Hosts (4) must be more than the 4 of one ToR, which flows leave", second(OneToR(topology.FatTree{Hosts: 4, HostsPerToR: 4}, message()))},
		{"members", "traffic: members (9) must be in [2, 8]", second(RingAllreduce(8, 9, message(), source(1, 0)))},
		{"parallel", "traffic: parallel (8) must be in [1, 7]", second(AllToAll(8, 8, message(), source(1, 0)))},
		{"Load", "traffic: Load (2) must be in (0, 1]", of(func(a *Arrivals) { a.Load = 2 })},
		{"Duration", "traffic: Duration (0 ps) must be positive", of(func(a *Arrivals) { a.Duration = 0 })},
		{"points", "traffic: points (0) must be in [1, 65536]", noPoints},
		{"points[1]", "traffic: points[1] ({5 0.8}) must not fall below the one before, (10, 0.7)", falling},
		{"points[0]", "traffic: points[0] ({10 0.7}) must have 1 byte or more and part 1, as the last one", short},
	} {
		var fault *faults.FieldError
		if !errors.As(c.err, &fault) || fault.Package != "traffic" || fault.Field != c.field || c.err.Error() != c.want {
			t.Errorf("%s: error %v, want %q", c.field, c.err, c.want)
		}
	}
}

// BenchmarkDraw reports the cost of a flow for two generators: "source" is the generator of workloads in
// the module, "rand" the generator of hot kernels.
func BenchmarkDraw(b *testing.B) {
	trace := Arrivals{Hosts: 1 << 17, HostsPerToR: 256, Sizes: WebSearch(), Load: 0.6, Gbps: 400, Duration: 100_000_000}
	for name, draw := range map[string]func(rand.Source) (fattree.Workload, error){
		"permutation": func(s rand.Source) (fattree.Workload, error) { return Permutation(1<<17, message(), s) },
		"poisson":     func(s rand.Source) (fattree.Workload, error) { return Poisson(trace, s) },
	} {
		for generator, open := range map[string]func(mc.Stream) rand.Source{
			"source": mc.Stream.Source,
			"rand":   func(s mc.Stream) rand.Source { r := s.Rand(); return &r },
		} {
			b.Run(fmt.Sprintf("workload=%s/generator=%s", name, generator), func(b *testing.B) {
				flows, replica := 0, uint64(0)
				for b.Loop() {
					w, err := draw(open(mc.NewStream(1, mc.Workload, replica)))
					if err != nil {
						b.Fatal(err)
					}
					flows += len(w.Flows)
					replica++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(flows), "ns/flow")
			})
		}
	}
}

// TestNoSourceIsRefused: a random workload needs a source of random words.
func TestNoSourceIsRefused(t *testing.T) {
	for name, draw := range randomWorkloads() {
		if _, err := draw(nil); err == nil || err.Error() != "traffic: source (<nil>) must be set: the workload is drawn" {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
