package transport

import (
	"context"
	"math"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
)

// TestBitErrorRates: with errors of 1 % on every cable, 1 - 0.99^4 of the packets between ToRs are
// corrupted; with errors of 1 % in every switch, 1 - 0.99^3. During half of the run it is half as many.
// Each count is within 4.5 standard deviations, which a correct program misses once in 150,000 cases.
func TestBitErrorRates(t *testing.T) {
	const payload = 4150 - 64
	for _, c := range []struct {
		errors []fattree.Corruption
		want   float64
	}{
		{[]fattree.Corruption{{PerCable: 0.01}}, 1 - math.Pow(0.99, 4)},
		{[]fattree.Corruption{{PerSwitch: 0.01}}, 1 - math.Pow(0.99, 3)},
		{[]fattree.Corruption{{PerSwitch: 0.01}, {PerCable: 0.01}}, 1 - math.Pow(0.99, 7)},
		{[]fattree.Corruption{{PerCable: 0.01, Start: 100_000_000_000}}, 0},
	} {
		s := fattree.Spec{Topology: Tree{Hosts: 16}, Workload: nettest.Tornado(16, 2000*payload), Errors: c.errors}
		n, err := fattree.Build(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRun(n).Execute(context.Background(), new(uniform), steady{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		if r.Finished() != 16 || r.Retransmitted < r.Corrupted {
			t.Errorf("%+v: %d flows finished, %d retransmissions for %d corrupted packets", c.errors, r.Finished(), r.Retransmitted, r.Corrupted)
		}
		arrived := float64(r.Delivered + r.Corrupted)
		if got := float64(r.Corrupted) / arrived; math.Abs(got-c.want) > 4.5*math.Sqrt(c.want*(1-c.want)/arrived) {
			t.Errorf("%+v: %v of the packets are corrupted, want %v", c.errors, got, c.want)
		}
	}
}
