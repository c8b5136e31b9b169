package bins

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSwitchAgainstSlices lets a switch and plain slices serve and throw the same balls, with
// a broken bin and a slow one, and compares loads and counts after every round.
func TestSwitchAgainstSlices(t *testing.T) {
	const bins, threshold, rounds = 5, 2, 200
	s := NewSwitch("bins", bins, threshold)
	for seed := range uint64(3) {
		s.Reset()
		s.SetPort(1, 0)
		s.SetPort(3, 3)
		if s.Even() || s.Rests(0) || !s.Rests(1) || !slices.Equal(s.Idle(), []int{1, 3}) {
			t.Fatalf("before round 1: even %t, idle %v, want bins 1 and 3", s.Even(), s.Idle())
		}
		rng := rand.New(rand.NewPCG(1, seed))
		var queues [bins][]uint32
		peak, over, thrown, before := 0, 0, 0, 0
		for round := 1; round <= rounds; round++ {
			for bin := range bins {
				ball, overfull, ok := s.Serve(bin)
				queue := queues[bin]
				serves := len(queue) > 0 && bin != 1 && (bin != 3 || round%3 == 0)
				if ok != serves || ok && (ball != queue[0] || overfull != (len(queue) > threshold)) {
					t.Fatalf("round %d: bin %d of balls %v: served %d, overfull %t, %t", round, bin, queue, ball, overfull, ok)
				}
				if serves {
					queues[bin] = queue[1:]
				}
			}
			for ball := range uint32(rng.IntN(bins)) {
				bin := uint32(rng.IntN(bins))
				s.Throw(bin, ball)
				queues[bin] = append(queues[bin], ball)
				thrown++
			}
			s.EndRound(thrown-before, 1)
			before = thrown
			balls := 0
			for bin, queue := range queues {
				balls += len(queue)
				peak = max(peak, len(queue))
				if len(queue) > threshold {
					over++
				}
				if s.Load(bin) != len(queue) {
					t.Fatalf("round %d: bin %d has %d balls, want %d", round, bin, s.Load(bin), len(queue))
				}
			}
			all, random := s.Throws()
			got := [...]int{s.Round(), int(s.Balls()), s.MaxLoad(), int(s.OverThreshold()), int(all), int(random)}
			if want := [...]int{round, balls, peak, over, thrown, round}; got != want {
				t.Fatalf("round, balls, maximum, bins above the threshold, throws: %v, want %v", got, want)
			}
		}
	}
	balls := s.Balls()
	if s.Moved(7, 9); s.Balls() != balls+2 {
		t.Errorf("%d balls after %d less 7 and 9 more", s.Balls(), balls)
	}
}
