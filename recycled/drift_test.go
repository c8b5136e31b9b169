package recycled

import (
	"math"
	"math/rand/v2"
	"testing"

	"repslab/internal/mctest"
)

// driftCase is a sender with a number of round trips.
type driftCase struct {
	FrozenSender
	roundTrips int
}

// TestMeanEVs: the exact chain against the mean over all sequences of marks, each followed packet by packet.
func TestMeanEVs(t *testing.T) {
	for _, c := range []driftCase{
		{FrozenSender{Window: 3, Ring: 2, Marked: 0.3}, 4}, {FrozenSender{Window: 2, Ring: 5, Marked: 0.6}, 6},
		{FrozenSender{Window: 4, Ring: 4, Marked: 0.5}, 3}, {FrozenSender{Window: 1, Ring: 3, Marked: 0.2}, 9},
		{FrozenSender{Window: 6, Ring: 1, Marked: 0.1}, 2}, {FrozenSender{Window: 3, Ring: 2, Marked: 0.3, AckRatio: 2}, 3},
		{FrozenSender{Window: 5, Ring: 4, Marked: 0.4, AckRatio: 2}, 2}, {FrozenSender{Window: 4, Ring: 6, Marked: 0.2, AckRatio: 3}, 2},
		{FrozenSender{Window: 4, Ring: 3, Marked: 0.6, AckRatio: 3, Inherited: true}, 3}, {FrozenSender{Window: 6, Ring: 3, Marked: 0.2, Inherited: true}, 2},
		{FrozenSender{Window: 5, Ring: 3, AckRatio: 4}, 3}, {FrozenSender{Window: 2, Ring: 3, Marked: 1, AckRatio: 2}, 4},
	} {
		packets, want, wantSame := c.roundTrips*c.Window, 0.0, 0.0
		all := packets + max(1, c.AckRatio) - 1 // marks that decide the EVs of these packets
		for marks := range 1 << all {
			p, evs := 1.0, c.begin()
			for i := range all {
				marked := marks>>i&1 == 1
				if marked {
					p *= c.Marked
				} else {
					p *= 1 - c.Marked
				}
				evs.next(marked, 0)
			}
			evs.sent = evs.sent[:max(c.Window, c.Ring)+packets]
			last := evs.sent[len(evs.sent)-c.Window:]
			want += p * float64(different(last))
			if c.Window > 1 {
				wantSame += p * same(last)
			}
		}
		got, err := c.MeanEVs(c.roundTrips)
		if err != nil || !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("%+v: %v, want %v (%v)", c, got, want, err)
		}
		if c.Marked == 1 {
			continue
		}
		law, err := c.Law(c.roundTrips)
		if err != nil || !(math.Abs(law.Same-wantSame) <= 1e-12) {
			t.Errorf("%+v: same %v, want %v (%v)", c, law.Same, wantSame, err)
		}
	}
}

// history is a frozen sender packet by packet.
type history struct {
	sent           []int // EVs of all packets
	flight         []int // places in sent of the packets in flight, the one with the next ACK first
	ring           []int
	head           int
	ratio, pending int // packets for an unmarked ACK, and since the last ACK
}

// begin returns a sender at the beginning of freezing mode, or of an inherited flow after its first window.
func (s FrozenSender) begin() *history {
	h := &history{ring: make([]int, s.Ring), ratio: max(1, s.AckRatio)}
	for i := range h.ring {
		h.ring[i] = i
	}
	for i := range max(s.Window, s.Ring) {
		if !s.Inherited {
			h.ring[h.head] = i
		}
		h.send()
	}
	for i := range s.Window {
		h.flight = append(h.flight, len(h.sent)-s.Window+i)
	}
	return h
}

// send sends the entry at the head of the ring.
func (h *history) send() {
	h.sent = append(h.sent, h.ring[h.head])
	h.head = (h.head + 1) % len(h.ring)
}

// next lets the packet that is i-th in flight arrive.
func (h *history) next(marked bool, i int) {
	ev := h.sent[h.flight[i]]
	copy(h.flight[i:], h.flight[i+1:])
	h.flight = h.flight[:len(h.flight)-1]
	if h.pending++; !marked && h.pending < h.ratio {
		return
	}
	if !marked {
		h.ring[h.head] = ev
	}
	for range h.pending {
		h.flight = append(h.flight, len(h.sent))
		h.send()
	}
	h.pending = 0
}

// inFlight returns the EVs in flight.
func (h *history) inFlight() (evs []int) {
	for _, at := range h.flight {
		evs = append(evs, h.sent[at])
	}
	return evs
}

// different returns the number of different EVs.
func different(evs []int) int {
	seen := map[int]bool{}
	for _, ev := range evs {
		seen[ev] = true
	}
	return len(seen)
}

// same returns the share of pairs with the same EV.
func same(evs []int) float64 {
	same, pairs := 0, 0
	for i, a := range evs {
		for _, b := range evs[:i] {
			pairs++
			if a == b {
				same++
			}
		}
	}
	return float64(same) / float64(pairs)
}

// TestDriftLaw: the estimates are within the error that they state of simulated means. The error includes four standard
// errors of the 30 runs, so that a false alarm in one of the 104 comparisons has a probability below 1 %.
func TestDriftLaw(t *testing.T) {
	t.Parallel()
	runs := 30
	if mctest.Long() {
		runs = 1000
	}
	rng := rand.New(rand.NewPCG(67, 1))
	for _, c := range []struct {
		window, ring int
		marked       float64
	}{{101, 8, 0.05}, {101, 8, 0.1}, {100, 8, 0.2}, {50, 49, 0.1}, {101, 90, 0.2}, {64, 8, 0.5},
		{33, 8, 0.3}, {33, 32, 0.8}, {20, 8, 0.1}, {16, 32, 0.1}, {16, 31, 0.1}, {60, 200, 0.2}, {51, 8, 0}} {
		s := FrozenSender{Window: c.window, Ring: c.ring, Marked: c.marked}
		for _, roundTrips := range []int{1, 20, 60, 240} {
			inOrder, shuffled := s.simulate(rng, runs, roundTrips)
			law, err := s.Law(roundTrips)
			if err != nil {
				t.Fatal(err)
			}
			checkDrift(t, s, roundTrips, "in order", law.InOrder, inOrder)
			checkDrift(t, s, roundTrips, "shuffled", law.Shuffled, shuffled)
		}
	}
}

// TestDriftOfFewAcks: with fewer ACKs than packets, or an inherited ring, the mean number of EVs is at least the bound
// and within the errors that InOrder and Shuffled state. The errors include four standard errors of the runs.
func TestDriftOfFewAcks(t *testing.T) {
	t.Parallel()
	runs := 30
	if mctest.Long() {
		runs = 1000
	}
	rng := rand.New(rand.NewPCG(67, 5))
	for _, s := range []FrozenSender{
		{Window: 40, Ring: 8, Marked: 0.02, AckRatio: 2}, {Window: 40, Ring: 8, Marked: 0.1, AckRatio: 4}, {Window: 40, Ring: 7, Marked: 0.1, AckRatio: 3},
		{Window: 60, Ring: 32, Marked: 0.3, AckRatio: 8}, {Window: 40, Ring: 8, Marked: 0.3, AckRatio: 4, Inherited: true}, {Window: 33, Ring: 8, Marked: 0.2, Inherited: true},
		{Window: 32, Ring: 20, Marked: 0.1, AckRatio: 4, Inherited: true}, {Window: 40, Ring: 8, AckRatio: 4},
	} {
		for _, roundTrips := range []int{20, 60} {
			inOrder, shuffled := s.simulate(rng, runs, roundTrips)
			law, err := s.Law(roundTrips)
			if err != nil {
				t.Fatal(err)
			}
			mean, few := meanOf(inOrder)
			if off := max(0.25*mean, 0.5) + few; !(math.Abs(law.InOrder-mean) <= off) {
				t.Errorf("%+v, %d round trips: %.3f, simulated %.3f, four standard errors %.3f", s, roundTrips, law.InOrder, mean, few)
			}
			w := float64(s.Window)
			if bound := 1 / (1/w + (1-1/w)*law.Same); bound > mean+few || law.InOrder < bound-1e-9 {
				t.Errorf("%+v, %d round trips: the bound %.3f, simulated %.3f", s, roundTrips, bound, mean)
			}
			mean, few = meanOf(shuffled)
			if off := max(0.3*mean, 0.5) + few; s.Marked >= 0.1 && !(math.Abs(law.Shuffled-mean) <= off) {
				t.Errorf("%+v, %d round trips, shuffled: %.3f, simulated %.3f, four standard errors %.3f", s, roundTrips, law.Shuffled, mean, few)
			}
		}
	}
}

// simulate returns the EVs in flight at the end of some runs, with ACKs in order and shuffled.
func (s FrozenSender) simulate(rng *rand.Rand, runs, roundTrips int) (inOrder, shuffled []float64) {
	for range runs {
		a, b := s.begin(), s.begin()
		for range roundTrips * s.Window {
			a.next(rng.Float64() < s.Marked, 0)
			b.next(rng.Float64() < s.Marked, rng.IntN(len(b.flight)))
		}
		inOrder = append(inOrder, float64(different(a.sent[len(a.sent)-s.Window:])))
		shuffled = append(shuffled, float64(different(b.inFlight())))
	}
	return inOrder, shuffled
}

// TestRewritten: the closed form against messages sent one by one, with all ACKs after the last packet.
func TestRewritten(t *testing.T) {
	for ring := 1; ring <= 12; ring++ {
		for ratio := 1; ratio <= 10; ratio++ {
			s := FrozenSender{Window: ring * ratio, Ring: ring, AckRatio: ratio}
			evs := make([]int, ring)
			for i := range evs {
				evs[i] = i
			}
			for times := range 5 {
				if got, err := s.Rewritten(times); err != nil || got != different(evs) {
					t.Errorf("ring %d, %d packets per ACK, %d messages: %d, want %d (%v)", ring, ratio, times, got, different(evs), err)
				}
				var next []int
				for ack := range ring {
					next = append(next, evs[((ack+1)*ratio-1)%ring])
				}
				evs = next
			}
		}
	}
	if got, err := (FrozenSender{Window: 8, Ring: 3, AckRatio: 2}).Rewritten(64); err != nil || got != 3 {
		t.Errorf("a ratio prime to the ring leaves %d EVs after 64 messages, error %v", got, err)
	}
	for _, times := range []int{-1, 65} {
		if _, err := (FrozenSender{Window: 8, Ring: 8}).Rewritten(times); err == nil {
			t.Errorf("%d times are no error", times)
		}
	}
}

// meanOf returns the mean of the results of runs, and four standard errors.
func meanOf(runs []float64) (mean, few float64) {
	var sum, squares float64
	for _, x := range runs {
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(runs))
	mean = sum / n
	return mean, 4 * math.Sqrt(max(0, squares/n-mean*mean)/(n-1))
}

// checkDrift compares an estimate with the EVs of some runs.
func checkDrift(t *testing.T, s FrozenSender, roundTrips int, order string, law float64, runs []float64) {
	t.Helper()
	mean, few := meanOf(runs)
	above, below := max(0.12*mean, 0.5)+few, max(0.12*mean, 0.5)+few
	if roundTrips < 20 {
		above, below = 0.25*mean+few, 0.25*mean+few
	}
	if !(law <= mean+above && law >= mean-below) {
		t.Errorf("%+v, %d round trips, %s: %.3f, simulated %.3f, four standard errors %.3f", s, roundTrips, order, law, mean, few)
	}
}

// TestDriftDomain: the law is between its limits everywhere, starts at the window, stays there without marks and
// falls with time; what is outside its domain is refused or NaN.
func TestDriftDomain(t *testing.T) {
	rng := rand.New(rand.NewPCG(67, 2))
	at := func(s FrozenSender, roundTrips int) FrozenLaw {
		law, err := s.Law(roundTrips)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	for range 200 {
		s := FrozenSender{Window: 2 + rng.IntN(60), Ring: 1 + rng.IntN(60), Marked: mostDriftMarks * rng.Float64()}
		window, least := float64(s.Window), float64(gcd(s.Window, s.Ring))
		all := func(law FrozenLaw) bool {
			return math.Abs(law.InOrder-window) < 1e-9*window && math.Abs(law.Shuffled-window) < 1e-9*window && law.Same == 0
		}
		before := at(s, 0)
		if unmarked := at(FrozenSender{Window: s.Window, Ring: s.Ring}, 50); !all(before) || !all(unmarked) {
			t.Errorf("%+v begins with %+v, and without marks has %+v", s, before, unmarked)
		}
		for _, roundTrips := range []int{1, 2, 5, 50} {
			law := at(s, roundTrips)
			if falls := law.InOrder <= before.InOrder && law.Shuffled <= before.Shuffled; !falls {
				t.Errorf("%+v after %d round trips: %+v after %+v", s, roundTrips, law, before)
			}
			if !(law.InOrder >= least-1e-9 && law.Shuffled >= 1-1e-12 && law.Same >= 0 && law.Same <= 1+1e-12) {
				t.Errorf("%+v after %d round trips: %+v", s, roundTrips, law)
			}
			before = law
		}
	}
	if all, err := (FrozenSender{Window: 5, Ring: 3, Marked: 1}).MeanEVs(9); err != nil || all != 3 {
		t.Errorf("all ACKs marked: %v EVs, %v, want the 3 of the ring", all, err)
	}
	for _, s := range []FrozenSender{{}, {Window: 8}, {Window: 8, Ring: 8, Marked: -0.1}, {Window: 8, Ring: 8, Marked: 0.81}, {Window: 8, Ring: 8, Marked: math.NaN()},
		{Window: maxFrozenWindow + 1, Ring: 8}, {Window: 8, Ring: maxFrozenWindow + 1}, {Window: 8, Ring: 8, AckRatio: 9}, {Window: 7, Ring: 8, Inherited: true}, {Window: 4096, Ring: 8, AckRatio: 2}} {
		if law, err := s.Law(1); err == nil {
			t.Errorf("%+v: %+v", s, law)
		}
	}
	if _, err := (FrozenSender{Window: 8, Ring: 8, Marked: 0.5}).Law(-1); err == nil {
		t.Error("-1 round trips are no error")
	}
	if _, err := (FrozenSender{Window: maxFrozenChain, Ring: maxFrozenChain + 1, Marked: 0.5}).MeanEVs(1); err == nil {
		t.Error("MeanEVs of 10 packets is no error")
	}
}
