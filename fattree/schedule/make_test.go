package schedule

import (
	"fmt"
	"math/bits"
	"reflect"
	"strings"
	"testing"
)

// Times of messages of the tests' network, in picoseconds.
const (
	perByte      = 20
	latency      = 1_000_000
	untilNoticed = 700_000 // time from a delivery to its acknowledgement
)

// delivery returns the time of a message.
func delivery(bytes int64) int64 { return latency + perByte*bytes }

// playUncongested plays a schedule on a network in which messages do not slow each other down, and
// returns its end.
func playUncongested(t *testing.T, s *Schedule, err error) int64 {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(Job{Schedule: s, Steps: 1})
	playWith(p, func(op int32) (int64, int64) {
		d := delivery(s.Ops[op].Amount)
		return d, d + untilNoticed
	})
	if p.left > 0 {
		t.Fatalf("%d operations have not ended", p.left)
	}
	checkPath(t, p, 0)
	if again := writtenAgain(t, s); !reflect.DeepEqual(again, s) {
		t.Error("the schedule is not the same after it is written and read")
	}
	return int64(endOf(p))
}

// TestClosedForms compares the makers' schedules with the formulas of their comments, exactly.
func TestClosedForms(t *testing.T) {
	check := func(name string, s *Schedule, err error, want int64) {
		if got := playUncongested(t, s, err); got != want {
			t.Errorf("%s: %d ps, want %d ps", name, got, want)
		}
	}
	for _, ranks := range []int64{2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 23} {
		bytes := 1000 * ranks
		s, err := RingAllreduce(ranks, bytes)
		check(fmt.Sprint("ring of ", ranks), s, err, 2*(ranks-1)*delivery(1000)+untilNoticed)
		for _, parallel := range []int64{1, (ranks + 1) / 2, ranks - 1} {
			s, err = AllToAll(ranks, parallel, bytes)
			rounds := (ranks - 2 + parallel) / parallel
			check(fmt.Sprint("all to all of ", ranks, " by ", parallel), s, err, rounds*(delivery(bytes)+untilNoticed))
		}
		for _, chunks := range []int64{1, 2, 7} {
			s, err = TreeAllreduce(ranks, chunks, 2*1000*chunks)
			d := delivery(1000)
			want := (chunks-1)*(d+untilNoticed) + 2*deepest(ranks)*d + untilNoticed
			check(fmt.Sprint("tree of ", ranks, " in ", chunks), s, err, want)
		}
		c := Pipeline{Stages: ranks, Microbatches: 5, ForwardNs: 3000, BackwardNs: 5000, Bytes: 7000}
		s, err = c.Schedule()
		check(fmt.Sprint("pipeline of ", ranks), s, err, (5+ranks-1)*8_000_000+2*(ranks-1)*delivery(7000))
	}
}

// deepest returns the depth of NCCL's trees: below rank 0, which has one child, they are as deep as the binary tree of
// the others.
func deepest(ranks int64) int64 { return int64(bits.Len64(uint64(ranks - 1))) }

// dense is a small step with round times.
func dense() Training {
	return Training{
		DataParallel: 4, PipelineParallel: 3, TensorParallel: 8, ExpertParallel: 1, Microbatches: 6, Buckets: 1,
		Parameters: 12_000_000, Layers: 6, Hidden: 100, Tokens: 4 * 6 * 1000, TopK: 1,
		GradientBytes: 2, ActivationBytes: 2, TFLOPS: 100,
	}
}

// TestTraining compares steps with their formula, exactly.
func TestTraining(t *testing.T) {
	const layer = 3 * 2 * 2_000_000 * 1000 / (8 * 100 * 1000) * 1000 // picoseconds of a micro-batch, forward and backward
	passes, hops := int64(6+3-1)*2, int64(2*(3-1))
	ring := int64(2*(4-1)) * delivery(4_000_000*2/4)
	want := passes*layer + hops*delivery(1000*100*2) + ring + untilNoticed
	s, err := dense().Schedule()
	if got := playUncongested(t, s, err); got != want {
		t.Errorf("dense: %d ps, want %d ps", got, want)
	}
	overlapping := dense()
	overlapping.Buckets = 2
	s, err = overlapping.Schedule()
	want = passes*layer + hops*delivery(1000*100*2) + int64(2*(4-1))*delivery(4_000_000*2/4/2) + untilNoticed
	if got := playUncongested(t, s, err); got != want {
		t.Errorf("overlapping: %d ps, want %d ps", got, want)
	}
	for _, nics := range []int64{1, 4} {
		mixture := dense()
		mixture.ExpertParallel, mixture.TopK, mixture.NICs = 2, 2, nics
		s, err = mixture.Schedule()
		exchange := delivery(1000*100*2/nics) + untilNoticed
		ring := int64(2*(4-1)) * delivery(4_000_000*2/4/nics)
		want = passes*(layer+4*exchange) + hops*delivery(1000*100*2/nics) + ring + untilNoticed
		if got := playUncongested(t, s, err); got != want {
			t.Errorf("experts, %d NICs: %d ps, want %d ps", nics, got, want)
		}
	}
}

// TestComputation: a step without communication takes 6 parameters tokens FLOPs.
func TestComputation(t *testing.T) {
	alone := dense()
	alone.DataParallel, alone.PipelineParallel = 1, 1
	s, err := alone.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	flops := 6 * float64(alone.Parameters) * float64(alone.Tokens)
	want := int64(flops / (8 * 100e12) * 1e12)
	if got := int64(Ideal(s)); got != want {
		t.Errorf("%d ps, want %d ps", got, want)
	}
}

// TestHalvesOfALayer: with experts a layer is computed in two halves, whose sum is the whole also for an odd number of
// nanoseconds: 2 * 2,000,000 parameters * 1,001 tokens on 8 * 100 TFLOP/s take 5,005 ns, and backwards twice that.
func TestHalvesOfALayer(t *testing.T) {
	c := dense()
	c.ExpertParallel, c.Tokens = 2, 4*6*1001
	s, err := c.Schedule()
	if err != nil {
		t.Fatal(err)
	}
	sums := make([]int64, s.Ranks)
	for _, op := range s.Ops {
		if op.Kind == Calc {
			sums[op.Rank] += op.Amount
		}
	}
	for rank, sum := range sums {
		if want := int64(2 * 6 * (5005 + 2*5005)); sum != want { // 2 layers of a stage, 6 micro-batches
			t.Errorf("rank %d computes for %d ns, want %d", rank, sum, want)
		}
	}
}

// TestTrees: each of the two trees has one root and connects all ranks, no rank has more than two children, and at most
// one rank has children in both.
func TestTrees(t *testing.T) {
	for ranks := int64(2); ranks < 300; ranks++ {
		children := [2][]int{make([]int, ranks), make([]int, ranks)}
		for tree := range int64(2) {
			for rank := range ranks {
				root, steps := rank, int64(0)
				for ; treeParent(tree, ranks, root) >= 0 && steps <= ranks; steps++ {
					root = treeParent(tree, ranks, root)
				}
				if want := []int64{0, []int64{ranks - 1, 1}[ranks%2]}[tree]; root != want || steps > deepest(ranks) {
					t.Errorf("%d ranks: tree %d: rank %d is %d steps below %d, want at most %d below %d", ranks, tree, rank, steps, root, deepest(ranks), want)
				}
				if parent := treeParent(tree, ranks, rank); parent >= 0 {
					children[tree][parent]++
				}
			}
		}
		both := 0
		for rank := range ranks {
			if children[0][rank] > 2 || children[1][rank] > 2 {
				t.Errorf("%d ranks: rank %d has %d and %d children", ranks, rank, children[0][rank], children[1][rank])
			}
			if children[0][rank] > 0 && children[1][rank] > 0 {
				both++
			}
		}
		if both > 1 {
			t.Errorf("%d ranks: %d have children in both trees", ranks, both)
		}
	}
}

// TestPublishedTree: the parents in NCCL's comment on its tree of 14 ranks.
func TestPublishedTree(t *testing.T) {
	want := []int64{-1, 2, 4, 2, 8, 6, 4, 6, 0, 10, 12, 10, 8, 12}
	for rank := range want {
		if got := treeParent(0, int64(len(want)), int64(rank)); got != want[rank] {
			t.Errorf("treeParent(0, 14, %d) = %d, want %d", rank, got, want[rank])
		}
	}
}

// TestMadeBytes: the ranks send as many bytes as an all-reduce must move, also if sizes do not divide
// evenly.
func TestMadeBytes(t *testing.T) {
	sent := func(s *Schedule, err error) (total int64) {
		if err != nil {
			t.Fatal(err)
		}
		for _, op := range s.Ops {
			if op.Kind == Send {
				total += op.Amount
			}
		}
		return total
	}
	for ranks := int64(2); ranks < 20; ranks++ {
		for _, bytes := range []int64{0, 1, 1001} {
			want := int64(2*(ranks-1)) * bytes
			if got := sent(RingAllreduce(ranks, bytes)); got != want {
				t.Errorf("ring of %d, %d bytes: %d sent, want %d", ranks, bytes, got, want)
			}
			if got := sent(TreeAllreduce(ranks, 3, bytes)); got != want {
				t.Errorf("tree of %d, %d bytes: %d sent, want %d", ranks, bytes, got, want)
			}
		}
	}
}

// TestRefused: values out of range are reported by name.
func TestRefused(t *testing.T) {
	change := func(f func(c *Training)) error {
		c := dense()
		f(&c)
		_, err := c.Schedule()
		return err
	}
	ring := func(ranks, bytes int64) error { _, err := RingAllreduce(ranks, bytes); return err }
	for _, c := range []struct {
		err  error
		want string
	}{
		{ring(1, 8), "schedule: ranks (1) must be in [2, 2097152]"},
		{ring(2, -1), "schedule: bytes (-1) must be in [0, 1125899906842624]"},
		{ring(1<<20, 1), "schedule: 1048576 ranks of up to 4194304 operations each must have 16777216 in all, at most"},
		{second(AllToAll(4, 4, 1)), "schedule: parallel (4) must be in [1, 3]"},
		{second(TreeAllreduce(4, 0, 1)), "schedule: chunks (0) must be in [1, 65536]"},
		{second(Pipeline{Stages: 2}.Schedule()), "schedule: Microbatches (0) must be in [1, 65536]"},
		{second(Pipeline{Stages: 2, Microbatches: 9, ForwardNs: MaxCalc / 10}.Schedule()), "must be at most 4000000000000000"},
		{change(func(c *Training) { c.PipelineParallel = 4 }), "schedule: PipelineParallel (4) must be a divisor of 6"},
		{change(func(c *Training) { c.ExpertParallel = 0 }), "schedule: ExpertParallel (0) must be a divisor of 4"},
		{change(func(c *Training) { c.Buckets = 3 }), "schedule: Buckets (3) must be a divisor of 2"},
		{change(func(c *Training) { c.NICs = 3 }), "schedule: NICs (3) must be a divisor of 8"},
		{change(func(c *Training) { c.Shard = 3 }), "schedule: Shard (3) must be none, zero or fsdp"},
		{change(func(c *Training) { c.Shard, c.DataParallel = FSDP, 1 }), "schedule: Shard (fsdp) must be none with one replica"},
		{change(func(c *Training) { c.Tokens = 23 }), "schedule: Tokens (23) must be in [24, 1073741824]"},
		{change(func(c *Training) { c.Parameters, c.GradientBytes = MaxBytes, 8 }), "schedule: bytes of a stage's gradients (3002399751580328) must"},
		{change(func(c *Training) { c.Parameters, c.Tokens = 1<<40, 1<<30 }), "must be at most 4000000000000000"},
		{change(func(c *Training) { c.DataParallel, c.Tokens = 1<<20, 1<<30 }), "schedule: DataParallel (1048576) must be in [1, 65536]"},
		{second(Pipeline{Stages: 2, Microbatches: 1, Bytes: MaxBytes + 1}.Schedule()), "schedule: bytes between stages (1125899906842625) must"},
		{change(func(c *Training) { c.Hidden = 0 }), "schedule: Hidden (0) must be in [1, 1048576]"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("error %v, want %s", c.err, c.want)
		}
	}
}

// TestLimits: the least and the largest value of each field are taken, and their neighbours outside are refused by
// name.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		field       string
		least, most int64
		of          func(c *Training) *int64
	}{
		{"DataParallel", 1, 1 << 16, func(c *Training) *int64 { return &c.DataParallel }},
		{"TensorParallel", 1, 1024, func(c *Training) *int64 { return &c.TensorParallel }},
		{"Microbatches", 1, 1 << 16, func(c *Training) *int64 { return &c.Microbatches }},
		{"Parameters", 1, 1 << 50, func(c *Training) *int64 { return &c.Parameters }},
		{"Layers", 1, 4096, func(c *Training) *int64 { return &c.Layers }},
		{"Hidden", 1, 1 << 20, func(c *Training) *int64 { return &c.Hidden }},
		{"TopK", 1, 64, func(c *Training) *int64 { return &c.TopK }},
		{"GradientBytes", 1, 8, func(c *Training) *int64 { return &c.GradientBytes }},
		{"ActivationBytes", 1, 8, func(c *Training) *int64 { return &c.ActivationBytes }},
		{"TFLOPS", 1, 1_000_000, func(c *Training) *int64 { return &c.TFLOPS }},
		{"Tokens", 1, 1 << 30, func(c *Training) *int64 { return &c.Tokens }},
	} {
		for value, ok := range map[int64]bool{c.least - 1: false, c.least: true, c.most: true, c.most + 1: false} {
			step := Training{DataParallel: 1, PipelineParallel: 1, TensorParallel: 1, ExpertParallel: 1, Microbatches: 1, Buckets: 1,
				Parameters: 1, Layers: 1, Hidden: 1, Tokens: 1 << 20, TopK: 1, GradientBytes: 1, ActivationBytes: 1, TFLOPS: 1}
			*c.of(&step) = value
			if err := step.validate(); (err == nil) != ok || !ok && !strings.Contains(err.Error(), "schedule: "+c.field+" (") {
				t.Errorf("%s = %d: error %v", c.field, value, err)
			}
		}
	}
	for backward, ok := range map[int64]bool{1: true, 2: false} {
		if _, err := (Pipeline{Stages: 1, Microbatches: 1, ForwardNs: MaxCalc - 1, BackwardNs: backward}).Schedule(); (err == nil) != ok {
			t.Errorf("calcs of %d ns more than the most: error %v", backward-1, err)
		}
	}
}

// second returns the error of a call.
func second(_ *Schedule, err error) error { return err }
