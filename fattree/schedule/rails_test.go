package schedule

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestHalvesOfAllreduce: a reduce-scatter and an all-gather each take half of the steps of an all-reduce. Their
// messages are the steps of the all-reduce, in order, and each rank sends all but one chunk of the bytes in each.
func TestHalvesOfAllreduce(t *testing.T) {
	for _, ranks := range []int64{2, 3, 7, 16} {
		for _, bytes := range []int64{0, 5, 1000 * ranks} {
			whole, err := RingAllreduce(ranks, bytes)
			if err != nil {
				t.Fatal(err)
			}
			reduced, err := ReduceScatter(ranks, bytes)
			took := playUncongested(t, reduced, err)
			gathered, err := AllGather(ranks, bytes)
			if again := playUncongested(t, gathered, err); bytes > 5 && (took != (ranks-1)*delivery(bytes/ranks)+untilNoticed || again != took) {
				t.Errorf("%d ranks: %d and %d ps", ranks, took, again)
			}
			for rank := range ranks {
				all := messagesOf(whole, rank)
				halves := append(messagesOf(reduced, rank), messagesOf(gathered, rank)...)
				if fmt.Sprint(all) != fmt.Sprint(halves) {
					t.Errorf("rank %d of %d: all-reduce %v, halves %v", rank, ranks, all, halves)
				}
				kept := part(bytes, ranks, rank+1) // reduced here: sent by the others, in the first half
				if sent := sentBy(reduced, rank); sent != bytes-kept {
					t.Errorf("rank %d of %d: reduce-scatter sends %d of %d bytes, want all but %d", rank, ranks, sent, bytes, kept)
				}
				if sent := sentBy(gathered, rank); sent != bytes-part(bytes, ranks, rank+2) {
					t.Errorf("rank %d of %d: all-gather sends %d of %d bytes, want all but the chunk of the next rank", rank, ranks, sent, bytes)
				}
			}
		}
	}
}

// messagesOf lists the messages of a rank.
func messagesOf(s *Schedule, rank int64) (list []string) {
	for _, op := range s.Ops {
		if int64(op.Rank) == rank && op.Kind != Calc {
			list = append(list, fmt.Sprint(op.Kind, op.Peer, op.Amount))
		}
	}
	return list
}

// sentBy returns the bytes that a rank sends.
func sentBy(s *Schedule, rank int64) (sum int64) {
	for _, op := range s.Ops {
		if int64(op.Rank) == rank && op.Kind == Send {
			sum += op.Amount
		}
	}
	return sum
}

// drawnStep draws a step in which everything divides evenly.
func drawnStep(t *rapid.T) Training {
	one := func(name string, list ...int64) int64 { return rapid.SampledFrom(list).Draw(t, name) }
	c := Training{
		DataParallel: one("D", 2, 3, 4), PipelineParallel: one("P", 1, 2, 3), TensorParallel: 8, NICs: one("N", 1, 2, 8), ExpertParallel: 1,
		Microbatches: one("M", 1, 2, 5), Buckets: one("U", 1, 2), Layers: 12, Hidden: 16, TopK: 1, GradientBytes: 2, ActivationBytes: 2, TFLOPS: 1,
		Shard: Sharding(one("shard", 0, 1, 2)),
	}
	c.Parameters = c.PipelineParallel * c.NICs * c.DataParallel * c.Buckets * 1000
	c.Tokens = c.DataParallel * c.Microbatches * 1000
	return c
}

// TestRailBytes: every NIC sends the bytes of the formulas, to NICs of its own rail alone, and computes all that its
// server computes. The step takes at least its computation, and at least a delivery for each step of its rings and each
// stage.
func TestRailBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawnStep(t)
		s, err := c.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		rail := c.DataParallel * c.PipelineParallel
		if int64(s.Ranks) != c.NICs*rail {
			t.Fatalf("%d ranks, want %d of %d NICs", s.Ranks, rail, c.NICs)
		}
		gradients := c.Parameters / c.PipelineParallel / c.NICs * c.GradientBytes
		ring := gradients * (c.DataParallel - 1) / c.DataParallel
		rings := map[Sharding]int64{Replicated: 2, ZeRO: 2, FSDP: 3 * c.Microbatches}[c.Shard]
		activations := 1000 * c.Hidden * c.ActivationBytes / c.NICs * c.Microbatches
		for rank := range int64(s.Ranks) {
			neighbours := int64(0)
			for _, stage := range []int64{rank%c.PipelineParallel - 1, rank%c.PipelineParallel + 1} {
				if stage >= 0 && stage < c.PipelineParallel {
					neighbours++
				}
			}
			if sent, want := sentBy(s, rank), rings*ring+neighbours*activations; sent != want {
				t.Fatalf("rank %d sends %d bytes, want %d: %+v", rank, sent, want, c)
			}
		}
		calcs := map[int32]int64{}
		for _, op := range s.Ops {
			if calcs[op.Rank] += op.Amount * int64(1-min(1, op.Kind)); op.Kind != Calc && int64(op.Rank)/rail != int64(op.Peer)/rail {
				t.Fatalf("rank %d has a message with rank %d of another rail: %+v", op.Rank, op.Peer, c)
			}
		}
		for rank, ns := range calcs {
			if ns != calcs[0] || ns == 0 {
				t.Fatalf("rank %d computes %d ns, rank 0 %d", rank, ns, calcs[0])
			}
		}
		chain := 2*(c.DataParallel-1)*delivery(gradients/c.DataParallel/c.Buckets) + 2*(c.PipelineParallel-1)*delivery(activations/c.Microbatches)
		if took := played(t, s); took < int64(Ideal(s)) || took < chain {
			t.Fatalf("%d ps, at least %d of computation and %d of messages: %+v", took, Ideal(s), chain, c)
		}
	})
}

// played plays a schedule on a network in which messages do not slow each other down, and returns its end.
func played(t *rapid.T, s *Schedule) int64 {
	p := NewPlayer(Job{Schedule: s, Steps: 1})
	playWith(p, func(op int32) (int64, int64) {
		d := delivery(s.Ops[op].Amount)
		return d, d + untilNoticed
	})
	if p.left > 0 {
		t.Fatalf("%d operations have not ended", p.left)
	}
	return int64(endOf(p))
}

// TestShardedSteps compares steps of ZeRO and FSDP with their formulas, exactly, on one NIC and on several: rings as
// long as the forward time of a bucket, and as good as no computation.
func TestShardedSteps(t *testing.T) {
	for _, nics := range []int64{1, 4} {
		zero := dense()
		zero.Shard, zero.NICs = ZeRO, nics
		s, err := zero.Schedule()
		const layer = 3 * 2 * 2_000_000 * 1000 / (8 * 100 * 1000) * 1000
		want := int64(6+3-1)*2*layer + int64(2*(3-1))*delivery(1000*100*2/nics) + int64(2*(4-1))*delivery(4_000_000*2/4/nics) + untilNoticed
		if got := playUncongested(t, s, err); got != want {
			t.Errorf("ZeRO, %d NICs: %d ps, want %d ps", nics, got, want)
		}
		for _, buckets := range []int64{1, 2, 6} {
			fsdp := dense()
			fsdp.Shard, fsdp.NICs, fsdp.PipelineParallel, fsdp.Buckets = FSDP, nics, 1, buckets
			ring := (4 - 1) * delivery(12_000_000*2/4/nics/buckets)
			fsdp.TFLOPS = 1 // a bucket computes for longer than a ring takes
			s, err := fsdp.Schedule()
			if want, got := 6*3*int64(6)*2*2_000_000*1000/(8*1000)*1000+2*ring+untilNoticed, playUncongested(t, s, err); got != want {
				t.Errorf("FSDP, %d NICs, %d buckets: %d ps, want %d ps", nics, buckets, got, want)
			}
			fsdp.TFLOPS = 1_000_000
			s, err = fsdp.Schedule()
			calcs := int64(Ideal(s))
			if want, got := (2*6*buckets+1)*ring+untilNoticed, playUncongested(t, s, err); got < want || got > want+calcs {
				t.Errorf("FSDP without computation, %d NICs, %d buckets: %d ps, want %d to %d", nics, buckets, got, want, want+calcs)
			}
		}
	}
}

// TestShardOrder: FSDP gathers a bucket only when the computation two buckets before has ended, so that two buckets are
// in memory, and reduces one bucket after the other. ZeRO gathers nothing before all gradients are reduced. Two
// replicas have one send and one receive in each ring.
func TestShardOrder(t *testing.T) {
	const buckets = 4
	step := dense()
	step.DataParallel, step.PipelineParallel, step.Microbatches, step.Layers, step.Buckets = 2, 1, 1, buckets, buckets
	of := func(shard Sharding) (s *Schedule, sends, recvs, calcs []int32) {
		step.Shard = shard
		s, err := step.Schedule()
		if err != nil {
			t.Fatal(err)
		}
		for i, op := range s.Ops {
			switch {
			case op.Rank > 0:
			case op.Kind == Send:
				sends = append(sends, int32(i))
			case op.Kind == Recv:
				recvs = append(recvs, int32(i))
			case op.Amount > 0:
				calcs = append(calcs, int32(i))
			}
		}
		return s, sends, recvs, calcs
	}
	s, sends, recvs, calcs := of(FSDP)
	for bucket := 2; bucket < buckets; bucket++ {
		if !s.requires(sends[bucket], calcs[bucket-2]) || s.requires(sends[bucket], calcs[bucket-1]) {
			t.Errorf("FSDP gathers bucket %d too early or too late", bucket)
		}
		if last := buckets + 2*bucket + 1; !s.requires(sends[last], recvs[last-2]) { // gathers and reductions take turns
			t.Errorf("FSDP reduces bucket %d beside the one before", bucket)
		}
	}
	s, sends, recvs, _ = of(ZeRO)
	for reduced := range buckets {
		if !s.requires(sends[buckets], recvs[reduced]) {
			t.Errorf("ZeRO gathers before bucket %d is reduced", reduced)
		}
	}
}

// requires reports whether an operation waits for the end of another one of its rank, perhaps by way of others.
func (s *Schedule) requires(op, before int32) bool {
	for _, e := range s.Needs[op] {
		if e.Before == before || s.requires(e.Before, before) {
			return true
		}
	}
	return false
}
