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

// TestFewAcksAreREPS: package reps in freezing mode with one ACK for several packets sends what recycled.FrozenSender
// says: after an unmarked ACK once the EV of its packet, and otherwise the EVs of as many packets before as the ring
// has entries.
func TestFewAcksAreREPS(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 6))
	for range 300 {
		ring, ratio := 1+rng.IntN(32), 1+rng.IntN(8)
		window, marked := max(ring, ratio)+rng.IntN(40), rng.Float64()
		sender := frozenWithRing(t, ring)
		var sent []uint16
		for ev := range uint16(ring) {
			sent = append(sent, ev)
		}
		next := func(want uint16) {
			ev, _ := sender.NextEV(nil)
			if sent = append(sent, ev); ev != want {
				t.Fatalf("window %d, ring %d, ratio %d: EV %d, want %d", window, ring, ratio, ev, want)
			}
		}
		for i := range window {
			next(uint16(i % ring))
		}
		for range 20 * window {
			packets, mark := 1, rng.Float64() < marked
			for ; packets < ratio && !mark; packets++ {
				mark = rng.Float64() < marked
			}
			answered := len(sent) - window + packets - 1
			sender.OnAck(0, sent[answered], mark)
			for i := range packets {
				if i == 0 && !mark {
					next(sent[answered]) // sent window - ratio + 1 packets before
				} else {
					next(sent[len(sent)-ring])
				}
			}
		}
	}
}

// frozenWithRing returns a sender in freezing mode with EVs 0, 1, ... in its ring.
func frozenWithRing(t *testing.T, ring int) *reps.REPS {
	t.Helper()
	sender, err := reps.New(reps.Config{BufferSize: ring})
	if err != nil {
		t.Fatal(err)
	}
	for ev := range uint16(ring) {
		sender.OnAck(0, ev, false)
	}
	sender.OnFailure(0)
	return sender
}

// TestMessagesRewriteRings: the ring of package reps, frozen, after messages as FrozenSender.Rewritten describes them
// has its number of EVs.
func TestMessagesRewriteRings(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 7))
	for range 200 {
		s := recycled.FrozenSender{Window: 4096, Ring: 1 + rng.IntN(32), AckRatio: 1 + rng.IntN(16)}
		sender := frozenWithRing(t, s.Ring)
		for messages := range 4 {
			evs := map[uint16]bool{}
			for _, slot := range sender.AppendSlots(nil) {
				evs[slot.EV] = true
			}
			if want, err := s.Rewritten(messages); err != nil || len(evs) != want {
				t.Fatalf("%+v: %d EVs after %d messages, want %d (%v)", s, len(evs), messages, want, err)
			}
			var sent []uint16
			for range s.AckRatio * (s.Ring + rng.IntN(20)) {
				ev, _ := sender.NextEV(nil)
				sent = append(sent, ev)
			}
			for i := s.AckRatio - 1; i < len(sent); i += s.AckRatio {
				sender.OnAck(0, sent[i], false)
			}
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
