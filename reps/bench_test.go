package reps

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// perPair reports the time of one OnAck with one NextEV.
func perPair(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/pair")
	b.ReportMetric(0, "ns/op") // the same number: leave it out
	b.ReportAllocs()
}

// BenchmarkAckNext times an unmarked ACK and the packet it lets go, called as a
// consumer calls them: on the concrete type, the random source behind its
// interface. The ring holds one or two valid EVs, so nothing is drawn.
func BenchmarkAckNext(b *testing.B) {
	for _, entries := range []int{1, 7, 8, 32} {
		b.Run(fmt.Sprintf("rules=paper/entries=%d", entries), func(b *testing.B) {
			var random Source = rand.NewPCG(1, 2)
			r := mustNew(b, Config{BufferSize: entries})
			r.OnAck(0, 1, false)
			now := uint32(0)
			for b.Loop() {
				now += 83
				r.OnAck(now, uint16(now), false)
				r.NextEV(random)
			}
			perPair(b)
		})
	}
	b.Run("rules=artifact/entries=8", func(b *testing.B) {
		var random Source = rand.NewPCG(1, 2)
		var a Artifact
		if err := a.Init(Config{}); err != nil {
			b.Fatal(err)
		}
		now := uint32(0)
		for b.Loop() {
			now += 83
			a.OnAck(now, uint16(now), false)
			a.NextEV(random)
		}
		perPair(b)
	})
	b.Run("rules=fifo", func(b *testing.B) {
		var random Source = rand.NewPCG(1, 2)
		var f FIFO
		if err := f.Init(FIFOConfig{DisableSweep: true}); err != nil {
			b.Fatal(err)
		}
		now := uint32(0)
		for b.Loop() {
			now += 83
			f.OnAck(now, uint16(now), false)
			f.NextEV(random)
		}
		perPair(b)
	})
}

// BenchmarkMarkedAckNext times the pair when every ACK is marked, so that
// every EV is drawn; the generator is part of it.
func BenchmarkMarkedAckNext(b *testing.B) {
	var random Source = rand.NewPCG(1, 2)
	r := mustNew(b, Config{})
	for b.Loop() {
		r.OnAck(0, 1, true)
		r.NextEV(random)
	}
	perPair(b)
}

// BenchmarkFrozenNext times NextEV alone, frozen with nothing valid.
func BenchmarkFrozenNext(b *testing.B) {
	for _, written := range []int{3, 8} {
		b.Run(fmt.Sprintf("rules=paper/entries=8/written=%d", written), func(b *testing.B) {
			r := mustNew(b, Config{})
			for ev := range written {
				r.OnAck(0, uint16(ev), false)
				r.NextEV(nil)
			}
			r.OnFailure(0)
			b.ReportAllocs()
			for b.Loop() {
				r.NextEV(nil)
			}
		})
	}
}

// BenchmarkManyConnections times the pair on connections visited at random, so
// that the memory they take counts.
func BenchmarkManyConnections(b *testing.B) {
	for _, connections := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("rules=paper/connections=%d", connections), func(b *testing.B) {
			all := make([]REPS, connections)
			for i := range all {
				if err := all[i].Init(Config{}); err != nil {
					b.Fatal(err)
				}
			}
			random := rand.NewPCG(1, 2)
			for b.Loop() {
				w := random.Uint64()
				r := &all[w>>32*uint64(connections)>>32]
				r.OnAck(uint32(w), uint16(w), false)
				r.NextEV(random)
			}
			perPair(b)
		})
	}
}

// BenchmarkEncode times an encoding and its decoding.
func BenchmarkEncode(b *testing.B) {
	r := mustNew(b, Config{})
	r.OnAck(0, 7, false)
	data := mustEncode(b, r)
	b.Run("op=append", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			data, _ = r.AppendBinary(data[:0])
		}
	})
	b.Run("op=unmarshal", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := r.UnmarshalBinary(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}
