package crosscheck

import (
	"math/rand/v2"
	"testing"

	"repslab/recycled"
	"repslab/reps"
)

// TestFrozenSenderIsREPS: package reps in freezing mode, with an ACK for each packet, sends what equation (5) of
// recycled.FrozenSender says: the EV of an unmarked ACK, and for a marked one the EV of B packets before. ACKs come
// back in any order.
func TestFrozenSenderIsREPS(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 3))
	for range 300 {
		window, ring := 1+rng.IntN(40), 1+rng.IntN(32)
		marked, ahead := rng.Float64(), 1+rng.IntN(window)
		sender, err := reps.New(reps.Config{BufferSize: ring, EVSSize: 1 << 16})
		if err != nil {
			t.Fatal(err)
		}
		var sent []uint16
		send := func() uint16 {
			ev, _ := sender.NextEV(rng)
			sent = append(sent, ev)
			return ev
		}
		flight := make([]uint16, window)
		for i := range flight {
			flight[i] = send()
		}
		for range max(0, 2*ring-window) + window { // all slots written, each packet by an unmarked ACK
			sender.OnAck(0, flight[0], false)
			flight = append(flight[1:], send())
		}
		sender.OnFailure(0)
		for range 10 * window {
			i := rng.IntN(ahead)
			want, mark := flight[i], rng.Float64() < marked
			if mark {
				want = sent[len(sent)-ring]
			}
			flight = append(flight[:i], flight[i+1:]...)
			sender.OnAck(0, want, mark)
			if ev := send(); ev != want {
				t.Fatalf("window %d, ring %d: EV %d, want %d (marked: %v)", window, ring, ev, want, mark)
			}
			flight = append(flight, want)
		}
	}
}

// TestFrozenSendersForget: the mean number of EVs in flight of real senders with ACKs in order and shuffled is within
// the error that the law states, and 1 EV for the scatter of 40 senders.
func TestFrozenSendersForget(t *testing.T) {
	law, err := recycled.FrozenSender{Window: 50, Ring: 8, Marked: 0.2}.Law(60)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(67, 4))
	for i, want := range []float64{law.InOrder, law.Shuffled} {
		ahead := []int{1, 50}[i]
		sum := 0.0
		for range 40 {
			sender, err := reps.New(reps.Config{BufferSize: 8, EVSSize: 1 << 16})
			if err != nil {
				t.Fatal(err)
			}
			var flight []uint16
			send := func() {
				ev, _ := sender.NextEV(rng)
				flight = append(flight, ev)
			}
			for range 50 {
				send()
			}
			for i := range 50 * 61 {
				at := 0
				if i >= 50 {
					sender.OnFailure(0)
					at = rng.IntN(ahead)
				}
				ev := flight[at]
				flight = append(flight[:at], flight[at+1:]...)
				sender.OnAck(0, ev, i >= 50 && rng.Float64() < 0.2)
				send()
			}
			different := map[uint16]bool{}
			for _, ev := range flight {
				different[ev] = true
			}
			sum += float64(len(different))
		}
		if mean := sum / 40; mean < want-max(0.12*want, 0.5)-1 || mean > want+max(0.12*want, 0.5)+1 {
			t.Errorf("ACKs out of %d in flight: %.2f EVs, the law says %.2f", ahead, mean, want)
		}
	}
}
