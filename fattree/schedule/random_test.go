package schedule_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// random returns a schedule in which operations need earlier operations of their ranks. A third of the
// messages, or all, are empty.
func random(r *rand.Rand, ranks, size int, empty bool) *schedule.Schedule {
	b, of := new(builder), make([][]int32, ranks)
	earlier := func(rank int) (list []int32) {
		for _, op := range of[rank] {
			if r.IntN(4) == 0 {
				list = append(list, op)
			}
		}
		return list
	}
	for range size {
		rank, peer := r.IntN(ranks), r.IntN(ranks)
		if rank == peer {
			of[rank] = append(of[rank], b.calc(rank, r.Int64N(20_000), earlier(rank)...))
			continue
		}
		bytes := r.Int64N(100_000)
		if empty || r.IntN(3) == 0 {
			bytes = 0
		}
		send, recv := b.message(rank, peer, bytes, earlier(rank)...)
		of[rank], of[peer] = append(of[rank], send), append(of[peer], recv)
	}
	return b.schedule(ranks)
}

// TestRandomSchedules: all steps end on any transport, with failures, drops and placements, not before the critical
// path of their calcs; a run is the same with 1, 2 and 3 workers and in blocks of a slot or two; and the packets of
// all messages arrive: 14 schedules, 60 with REPSLAB_LONG=1.
func TestRandomSchedules(t *testing.T) {
	fat := topology.FatTree{Hosts: 32}
	seeds, lost, messages := uint64(14), int64(0), 0
	if os.Getenv("REPSLAB_LONG") != "" {
		seeds = 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 9))
		spec := fattree.Spec{Topology: fat, Profile: profiles[seed%3], Queue: 4 + r.IntN(30), DisableTrimming: seed%3 == 0 && r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			spec.Faults = []fattree.Fault{{Ports: fat.Ports(topology.Part{Uplink: r.IntN(4), Direction: topology.Both}), Start: fattree.Picoseconds(r.Int64N(50_000_000))}}
		}
		ranks := 2 + r.IntN(20)
		j := schedule.Job{Schedule: random(r, ranks, 60, false), Hosts: hosts(32)[:0], Steps: 1 + r.IntN(3)}
		for _, h := range r.Perm(32)[:ranks] {
			j.Hosts = append(j.Hosts, fattree.Host(h))
		}
		name := fmt.Sprintf("seed %d", seed)
		want, wantSteps, ended := play(t, name, spec, j, 1)
		if !ended || want.Finished() != len(want.Flows) {
			t.Fatalf("%s: %d of %d messages and %d steps have ended", name, want.Finished(), len(want.Flows), len(wantSteps))
		}
		lost, messages = lost+want.Lost+want.Dropped+want.Trimmed, messages+len(want.Flows)
		for i, step := range wantSteps {
			if ideal := schedule.Ideal(j.Schedule); step.Time < ideal || step.Waiting < 0 || step.Waiting > 1 {
				t.Errorf("%s: step %d: %+v, ideally %d ps", name, i, step, ideal)
			}
		}
		for workers := 2; workers <= 3; workers++ {
			if got, steps, _ := play(t, name, spec, j, workers); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(steps, wantSteps) {
				t.Errorf("%s: %d workers give %+v, %v, one %+v, %v", name, workers, got, steps, want, wantSteps)
			}
		}
	}
	if lost == 0 || messages < 50*int(seeds) {
		t.Errorf("%d messages, %d packets lost: too few", messages, lost)
	}
}

// TestEmptyMessages: steps without a byte take the critical path of their calcs, exactly.
func TestEmptyMessages(t *testing.T) {
	for seed := range uint64(50) {
		s := random(rand.New(rand.NewPCG(seed, 10)), 6, 50, true)
		result, steps, ended := play(t, "empty", fattree.Spec{Topology: topology.FatTree{Hosts: 8}}, schedule.Job{Schedule: s, Hosts: hosts(6), Steps: 3}, 1)
		for i, step := range steps {
			if want := schedule.Ideal(s); !ended || step.Time != want || step.Waiting != 0 || step.LateLink[0] != -1 {
				t.Errorf("seed %d: step %d: %+v, want %d ps", seed, i, step, want)
			}
		}
		if len(steps) != 3 || result.Sent != 0 {
			t.Errorf("seed %d: %d steps, %d packets", seed, len(steps), result.Sent)
		}
	}
}

// TestCutSteps: steps that the end of the run cuts have lower bounds, whether messages or calcs are left.
func TestCutSteps(t *testing.T) {
	const horizon = 200_000_000
	for _, c := range []struct {
		name      string
		bytes, ns int64
		left      int // flows
	}{{"messages", 10 << 20, 1000, 1}, {"calcs", 1000, 199_000, 0}} {
		b := new(builder)
		_, recv := b.message(0, 1, c.bytes)
		b.calc(1, c.ns, recv)
		spec := fattree.Spec{Topology: topology.FatTree{Hosts: 8}, Horizon: horizon}
		result, steps, ended := play(t, c.name, spec, schedule.Job{Schedule: b.schedule(2), Hosts: hosts(2), Steps: 1}, 1)
		if ended || len(steps) != 1 || steps[0].Time != horizon || steps[0].LateRank != -1 || len(result.Flows)-result.Finished() != c.left {
			t.Errorf("%s: %+v, ended %v, %d messages ended", c.name, steps, ended, result.Finished())
		}
		spec.Horizon *= 10
		if _, whole, ended := play(t, c.name, spec, schedule.Job{Schedule: b.schedule(2), Hosts: hosts(2), Steps: 1}, 1); !ended || whole[0].Time < horizon || whole[0].LateRank != 1 && c.ns > 1000 {
			t.Errorf("%s: without the cut %+v, ended %v", c.name, whole, ended)
		}
	}
}

// TestRunsAllocateLittle: after the first run, one more allocates for its result and each step's critical path, not
// for its thousands of packets, messages and operations.
func TestRunsAllocateLittle(t *testing.T) {
	j := schedule.Job{Schedule: ring(16, 40_000), Hosts: hosts(16), Steps: 2}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 16}, Workload: j.Workload()})
	if err != nil {
		t.Fatal(err)
	}
	ops, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	r := transport.NewRun(n)
	var result *fattree.Result
	allocations := testing.AllocsPerRun(2, func() {
		if result, err = r.Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(3, 0)); err != nil {
			t.Fatal(err)
		}
	})
	if len(result.Flows) < 900 || result.Sent < 9000 || allocations > 100 {
		t.Errorf("%v allocations in a run of %d messages and %d packets", allocations, len(result.Flows), result.Sent)
	}
}
