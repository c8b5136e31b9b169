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
		{FrozenSender{Window: 6, Ring: 1, Marked: 0.1}, 2},
	} {
		packets, want, wantSame := c.roundTrips*c.Window, 0.0, 0.0
		for marks := range 1 << packets {
			p, evs := 1.0, c.begin()
			for i := range packets {
				marked := marks>>i&1 == 1
				if p *= 1 - c.Marked; marked {
					p *= c.Marked / (1 - c.Marked)
				}
				evs.next(marked, 0)
			}
			want += p * float64(evs.different())
			wantSame += p * evs.same()
		}
		got, err := c.MeanEVs(c.roundTrips)
		law, lawErr := c.Law(c.roundTrips)
		if err != nil || lawErr != nil || !(math.Abs(got-want) <= 1e-12*want) {
			t.Errorf("%+v: %v, want %v (%v, %v)", c, got, want, err, lawErr)
		}
		if c.Window > 1 && !(math.Abs(law.Same-wantSame) <= 1e-12) || c.Window == 1 && law.Same != 0 {
			t.Errorf("%+v: same %v, want %v", c, law.Same, wantSame)
		}
	}
}

// history is a frozen sender packet by packet.
type history struct {
	sent   []int // EVs of all packets
	flight []int // places in sent of the packets in flight, the one with the next ACK first
	ring   int
}

// begin returns a sender that has just sent packets of different EVs.
func (s FrozenSender) begin() *history {
	h := &history{ring: s.Ring}
	for i := range max(s.Window, s.Ring) {
		h.sent = append(h.sent, i)
	}
	for i := range s.Window {
		h.flight = append(h.flight, len(h.sent)-s.Window+i)
	}
	return h
}

// next processes the ACK of the packet that is i-th in flight.
func (h *history) next(marked bool, i int) {
	ev := h.sent[h.flight[i]]
	if marked {
		ev = h.sent[len(h.sent)-h.ring]
	}
	copy(h.flight[i:], h.flight[i+1:])
	h.flight[len(h.flight)-1] = len(h.sent)
	h.sent = append(h.sent, ev)
}

// different returns the number of EVs in flight.
func (h *history) different() int {
	seen := map[int]bool{}
	for _, at := range h.flight {
		seen[h.sent[at]] = true
	}
	return len(seen)
}

// same returns the share of pairs in flight with the same EV.
func (h *history) same() float64 {
	same, pairs := 0, 0
	for i, a := range h.flight {
		for _, b := range h.flight[:i] {
			pairs++
			if h.sent[a] == h.sent[b] {
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
	for _, s := range []FrozenSender{{101, 8, 0.05}, {101, 8, 0.1}, {100, 8, 0.2}, {50, 49, 0.1}, {101, 90, 0.2}, {64, 8, 0.5},
		{33, 8, 0.3}, {33, 32, 0.8}, {20, 8, 0.1}, {16, 32, 0.1}, {16, 31, 0.1}, {60, 200, 0.2}, {51, 8, 0}} {
		for _, roundTrips := range []int{1, 20, 60, 240} {
			var inOrder, shuffled []float64
			for range runs {
				a, b := s.begin(), s.begin()
				for range roundTrips * s.Window {
					a.next(rng.Float64() < s.Marked, 0)
					b.next(rng.Float64() < s.Marked, rng.IntN(s.Window))
				}
				inOrder, shuffled = append(inOrder, float64(a.different())), append(shuffled, float64(b.different()))
			}
			law, err := s.Law(roundTrips)
			if err != nil {
				t.Fatal(err)
			}
			checkDrift(t, s, roundTrips, "in order", law.InOrder, inOrder)
			checkDrift(t, s, roundTrips, "shuffled", law.Shuffled, shuffled)
		}
	}
}

// checkDrift compares an estimate with the EVs of some runs.
func checkDrift(t *testing.T, s FrozenSender, roundTrips int, order string, law float64, runs []float64) {
	t.Helper()
	var sum, squares float64
	for _, x := range runs {
		sum, squares = sum+x, squares+x*x
	}
	n := float64(len(runs))
	mean := sum / n
	few := 4 * math.Sqrt(max(0, squares/n-mean*mean)/(n-1))
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
		if unmarked := at(FrozenSender{s.Window, s.Ring, 0}, 50); !all(before) || !all(unmarked) {
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
	for _, s := range []FrozenSender{{}, {Window: 8}, {8, 8, -0.1}, {8, 8, 0.81}, {8, 8, math.NaN()}, {maxFrozenWindow + 1, 8, 0}, {8, maxFrozenWindow + 1, 0}} {
		if law, err := s.Law(1); err == nil {
			t.Errorf("%+v: %+v", s, law)
		}
	}
	if _, err := (FrozenSender{8, 8, 0.5}).Law(-1); err == nil {
		t.Error("-1 round trips are no error")
	}
	if _, err := (FrozenSender{maxFrozenChain, maxFrozenChain + 1, 0.5}).MeanEVs(1); err == nil {
		t.Error("MeanEVs of 10 packets is no error")
	}
}
