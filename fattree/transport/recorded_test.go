package transport_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
	"repslab/internal/recordtest"
)

// Balancers and controls of recorded runs. A new one does not change the draws.
const (
	recordedBalancers = "reps mixed ops mptcp-subflows plb mprdma flowlet bitmap mrc adaptive-roce host-adaptive switch-adaptive reps-legacy reps-exclude ecmp"
	recordedControls  = "dctcp eqds nscc nscc-uet rccc nscc+rccc dctcp none"
)

// TestRecordedRuns: runs of random networks with fixed seeds, by balancers that carry, probe, cut and
// inherit and by controls of senders and receivers, give the same counts and ends of flows as before.
func TestRecordedRuns(t *testing.T) {
	balancers, controls := strings.Fields(recordedBalancers), strings.Fields(recordedControls)
	var lines []string
	for seed := range uint64(90) {
		rng := rand.New(rand.NewPCG(seed, 4))
		n, err := fattree.Build(new(soak).spec(seed, rng))
		name := balancers[rng.IntN(len(balancers))]
		control, wrong := congestion.New(controls[rng.IntN(len(controls))])
		if wrong != nil {
			t.Fatal(wrong)
		}
		if err != nil || seed%50 == 49 || name == "mptcp-subflows" && !control.Traits().Memoryless {
			continue
		}
		b, err := balance.New(name, 256)
		if err != nil {
			t.Fatal(err)
		}
		r, err := transport.NewRun(n).Execute(context.Background(), b, control, fattree.NewStreams(seed, 0))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		lines = append(lines, fmt.Sprintf("%d %s", seed, nettest.Record(r)))
	}
	recordtest.Check(t, "runs.txt", lines)
}
