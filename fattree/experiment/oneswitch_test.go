package experiment

import (
	"context"
	"testing"

	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
)

// TestOneSwitchMarks: two hosts send to one port in each of the slots 0 to Rounds, and the port sends one packet in a
// slot. The packet that leaves after slot k was one of k + 2, so all are marked but the first Threshold - 1.
func TestOneSwitchMarks(t *testing.T) {
	const rounds = 12
	for threshold := 1; threshold <= 5; threshold++ {
		setup := Setup{
			Network:  Fixed(OneSwitch{Bins: 2, Threshold: threshold, Rounds: rounds}.Spec()),
			Balancer: func() (transport.Balancer, error) { return balance.NewECMP(1) },
			Control:  func() transport.Control { return congestion.None{} },
		}
		runner, err := setup.NewRunner()
		if err != nil {
			t.Fatal(err)
		}
		run, err := runner.Run(context.Background(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if r := run.Result; r.Sent != 2*(rounds+1) || r.PacketHops != rounds || r.Marked != rounds-int64(threshold-1) {
			t.Errorf("threshold %d: %d packets sent, %d marked of %d that left", threshold, r.Sent, r.Marked, r.PacketHops)
		}
	}
}
