package ctest

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"repslab/reps"
)

// BenchmarkPair times an unmarked ACK with the packet that it lets go, in C and in Go.
func BenchmarkPair(b *testing.B) {
	b.Run("in=C", func(b *testing.B) {
		program := build(b, "calls.c")
		b.ResetTimer()
		out, err := exec.Command(program, "speed", fmt.Sprint(b.N)).Output()
		if err != nil {
			b.Fatal(err)
		}
		number, _, _ := strings.Cut(string(out), " ns")
		ns, err := strconv.ParseFloat(number, 64)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(ns/float64(b.N), "ns/op")
	})
	b.Run("in=Go", func(b *testing.B) {
		var r reps.REPS
		must(r.Init(reps.Config{}))
		now, ev := uint32(0), uint16(0)
		for b.Loop() {
			r.OnAck(now, ev, false)
			ev, _ = r.NextEV(word(0))
			now += 83
		}
	})
}
