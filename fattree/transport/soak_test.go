package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
	"repslab/reps"
)

// memory is what a program holds, in bytes.
type memory struct{ heap, resident uint64 }

// takeMemory collects garbage, returns free memory to the system and measures the rest. resident is 0 if
// the system does not report it.
func takeMemory(t *testing.T) memory {
	t.Helper()
	debug.FreeOSMemory()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	m := memory{heap: stats.HeapAlloc}
	if text, err := os.ReadFile("/proc/self/statm"); err == nil {
		var size, resident uint64
		if _, err := fmt.Fscan(bytes.NewReader(text), &size, &resident); err != nil {
			t.Fatal(err)
		}
		m.resident = resident * uint64(os.Getpagesize())
	}
	return m
}

// soakControls returns every congestion control.
func soakControls() (list []transport.Control) {
	for _, named := range congestion.All() {
		list = append(list, named.New())
	}
	return list
}

// soakBalancers returns a balancer of every kind.
func soakBalancers(t *testing.T) []transport.Balancer {
	t.Helper()
	var list []transport.Balancer
	add := func(b transport.Balancer, err error) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	for _, b := range balance.All() {
		add(b.New(balance.MaxEVS))
	}
	add(balance.NewSpraying(32))
	add(balance.NewSubflows(balance.MaxEVS, 4))
	for _, rules := range balance.AllRules() {
		add(balance.NewRecycling(rules, reps.Config{}))
	}
	add(balance.NewRecycling(balance.Paper, reps.Config{EVSSize: 16, BufferSize: 3, ReuseCount: 4, FreezingTimeout: 20_000}))
	add(balance.RecyclingConfig{REPS: reps.Config{Exit: reps.ExitOnProbe}, FreezeAt: 10_000_000}.New())
	ecmp, err := balance.NewECMP(balance.MaxEVS)
	add(balance.NewMixed(list[len(list)-1], ecmp), err)
	return list
}

// soak runs random networks, one after the other, with balancers and congestion
// controls that serve all of them.
type soak struct {
	balancers, fresh []transport.Balancer // the same kinds
	controls         []transport.Control

	runs, impossible, repeated, finished, flows int
	sent, hops                                  int64
}

// spec returns the experiment of a seed: mostly small, one in 10 with several planes, one in 50 with
// 256 hosts that all send.
func (s *soak) spec(seed uint64, rng *rand.Rand) fattree.Spec {
	spec := transport.RandomSpec(rng)
	doubles := true
	if seed%50 == 49 {
		const hosts = 256
		spec.Topology = topology.FatTree{Hosts: hosts, Tiers: 2}
		for h := range hosts {
			spec.Workload.Flows = append(spec.Workload.Flows, fattree.Flow{
				Source: fattree.Host(h), Destination: fattree.Host((h + hosts/2) % hosts), Bytes: 1 + rng.Int64N(100_000),
			})
		}
	}
	if seed%10 == 7 {
		planes := topology.Planes{Tree: topology.FatTree{Hosts: spec.Topology.Outline().Hosts}, Planes: 1 + rng.IntN(4), Cards: true}
		spec.Topology = planes
		spec.Faults, spec.AckDelay, spec.Choose, doubles = nil, 0, nil, false
		for range rng.IntN(3) {
			part := topology.Part{ToHost: rng.IntN(2) == 0, Direction: topology.Direction(rng.IntN(3))}
			spec.Faults = append(spec.Faults, fattree.Fault{
				Ports: planes.Ports(part, rng.IntN(planes.Planes)), Start: fattree.Picoseconds(rng.Int64N(20_000_000)),
				Rate: 0.25 * float64(rng.IntN(4)), Period: 40_000_000, Down: 1 + fattree.Picoseconds(rng.Int64N(39_000_000)),
			})
		}
	}
	transport.Change(&spec, func(o *transport.Options) {
		o.DoubleTurns = o.DoubleTurns && doubles
		o.CarryEVs = rng.IntN(4) == 0
		o.InheritConnections = rng.IntN(4) == 0
	})
	if len(spec.Workload.Flows) > 1 && rng.IntN(4) == 0 {
		spec.Workload.BackgroundEvery = 2 + rng.IntN(3)
	}
	return spec
}

// one runs the network of a seed. That packets are conserved is checked by Execute.
func (s *soak) one(t *testing.T, seed uint64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	n, err := fattree.Build(s.spec(seed, rng))
	which, control := rng.IntN(len(s.balancers)), s.controls[rng.IntN(len(s.controls))]
	if err != nil || s.balancers[which].Traits().Splitter != nil && !control.Traits().Memoryless {
		s.impossible++
		return
	}
	run, streams := transport.NewRun(n), fattree.NewStreams(seed, 0)
	if seed%8 == 0 { // a run that was abandoned leaves nothing behind
		run.Begin(s.balancers[which], control, fattree.NewStreams(seed, 1))
		for range 100 {
			run.Step()
		}
	}
	result, err := run.Execute(context.Background(), s.balancers[which], control, streams)
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	nettest.CheckResult(t, seed, n, result)
	if seed%8 == 0 {
		again, err := transport.NewRun(n).Execute(context.Background(), s.fresh[which], control, streams)
		if err != nil || !reflect.DeepEqual(result, again) {
			t.Fatalf("seed %d: fresh memory gives another result (error %v)", seed, err)
		}
		s.repeated++
	}
	s.runs++
	s.flows += n.Flows()
	s.finished += result.Finished()
	s.sent += result.Sent
	s.hops += result.PacketHops
}

// TestSoak runs random networks with every balancer and congestion control, one after the other. Packets
// are conserved. One run in 8 is abandoned, begun again, and then run in fresh memory with the same
// result. Memory does not grow: after garbage collection, the maximum over the last third of the samples
// may exceed the maximum over the first third by at most 1 MiB of heap and 16 MiB of resident memory.
//
// It makes 100 networks; with REPSLAB_LONG=1, as many as can be begun in an
// hour or in the duration that REPSLAB_SOAK names, such as 10m.
func TestSoak(t *testing.T) {
	const networks, perSample = 100, 5
	more := func(seed uint64) bool { return seed < networks }
	if os.Getenv("REPSLAB_LONG") != "" {
		duration, begin := time.Hour, time.Now()
		if text := os.Getenv("REPSLAB_SOAK"); text != "" {
			var err error
			if duration, err = time.ParseDuration(text); err != nil {
				t.Fatalf("REPSLAB_SOAK: %v", err)
			}
		}
		more = func(seed uint64) bool { return seed < networks || time.Since(begin) < duration }
	}
	s := &soak{
		balancers: soakBalancers(t), fresh: soakBalancers(t),
		controls: soakControls(),
	}
	var samples []memory
	seed := uint64(0)
	for ; more(seed); seed++ {
		s.one(t, seed)
		if seed%perSample == perSample-1 {
			samples = append(samples, takeMemory(t))
		}
		if seed%20_000 == 19_999 {
			last := samples[len(samples)-1]
			t.Logf("%d networks, heap %d KiB, resident %d KiB", seed+1, last.heap>>10, last.resident>>10)
		}
	}
	t.Logf("%d runs (%d more impossible), %d of them twice, %d of %d flows finished, %d packets sent, %d packet-hops, goroutines %d",
		s.runs, s.impossible, s.repeated, s.finished, s.flows, s.sent, s.hops, runtime.NumGoroutine())
	s.check(t, samples)
}

// check compares the samples of memory.
func (s *soak) check(t *testing.T, samples []memory) {
	t.Helper()
	for _, kind := range []struct {
		name   string
		of     func(memory) uint64
		margin uint64
	}{
		{"heap", func(m memory) uint64 { return m.heap }, 1 << 20},
		{"resident memory", func(m memory) uint64 { return m.resident }, 16 << 20},
	} {
		most := func(part []memory) uint64 {
			return kind.of(slices.MaxFunc(part, func(a, b memory) int { return int(kind.of(a)) - int(kind.of(b)) }))
		}
		third := len(samples) / 3
		first, last := most(samples[:third]), most(samples[len(samples)-third:])
		t.Logf("%s of the first third at most %d KiB, of the last %d KiB", kind.name, first>>10, last>>10)
		if last > first+kind.margin {
			t.Errorf("%s grows from %d to %d bytes, more than by %d", kind.name, first, last, kind.margin)
		}
	}
}
