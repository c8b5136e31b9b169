package balance

import (
	"math"
	"testing"

	"repslab/fattree/transport"
	"repslab/internal/mctest"
	"repslab/mc"
	"repslab/reps"
)

// TestStratifiedWalk writes two blocks out from the words of the flow's stream: the flow's upper
// bits, then a number for each block that is combined with 0, 1, ..., n-1.
func TestStratifiedWalk(t *testing.T) {
	const evs, mask = 8, 7
	b, err := NewStratified(evs)
	prepared(t, b, err)
	for _, flow := range []int32{1, 0} {
		words := mc.NewStream(1, mc.Algorithm, 0).Child(uint64(flow)).Rand()
		upper := uint16(words.Uint64()) &^ mask
		for block := range 2 {
			order := uint16(words.Uint64()) & mask
			for i := range uint16(evs) {
				want := upper | i ^ order
				b.Feedback(transport.Feedback{Flow: flow, EV: want, Kind: nacked}) // changes nothing
				if ev, recycled := b.NextEV(flow, 0); ev != want || recycled {
					t.Errorf("flow %d, block %d, packet %d: EV %d, recycled %v, want %d", flow, block, i, ev, recycled, want)
				}
			}
		}
	}
}

// TestStratifiedIsUniform: the first EV of a block is uniform and independent of the first EV of the
// previous block: the counts of pairs pass a chi-squared test with 255 degrees of freedom. Its bound is
// the quantile of a normal deviate of 4, false-alarm rate 3e-5 (1e-9 with REPSLAB_RESEED), by the
// approximation of Wilson and Hilferty. An EV 20 % too frequent would be found.
func TestStratifiedIsUniform(t *testing.T) {
	const evs, blocks = 16, 100_000
	b, err := NewStratified(evs)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(pair(t), mc.NewStream(mctest.Seed(t, 3), mc.Algorithm, 0))
	var counts [evs][evs]float64
	before := uint16(0)
	for i := range blocks + 1 {
		first, _ := b.NextEV(0, 0)
		for range evs - 1 {
			b.NextEV(0, 0)
		}
		if first %= evs; i > 0 {
			counts[before][first]++
		}
		before = first
	}
	statistic := 0.0
	for _, row := range counts {
		for _, count := range row {
			d := count - float64(blocks)/(evs*evs)
			statistic += float64(d*d) / (float64(blocks) / (evs * evs))
		}
	}
	const degrees = evs*evs - 1
	spread := 2.0 / (9 * degrees)
	if bound := degrees * math.Pow(1-spread+float64(mctest.Z(t)*math.Sqrt(spread)), 3); statistic > bound {
		t.Errorf("chi-squared %.1f of %d degrees of freedom, want at most %.1f", statistic, degrees, bound)
	}
}

// TestEVsOfWalks: the balancers that walk use the largest power of two, and refuse others when
// asked for a number.
func TestEVsOfWalks(t *testing.T) {
	for name, want := range map[string]int{"stratified": 65_536, "bitmap": 256, "mixed": 256} {
		for evs, want := range map[int]int{1: 1, 3: 2, 64: 64, 100: 64, MaxEVS: want} {
			b, err := New(name, evs)
			if err != nil {
				t.Fatal(err)
			}
			if got := b.(interface{ EVs() int }).EVs(); got != want {
				t.Errorf("%s of %d EVs uses %d, want %d", name, evs, got, want)
			}
		}
	}
	const problem = "balance: evs (12) must be a power of two"
	stratified, errStratified := NewStratified(12)
	mixed, errMixed := NewRecyclingBitmap(12)
	if stratified != nil || mixed != nil || errStratified == nil || errMixed == nil ||
		errStratified.Error() != problem || errMixed.Error() != problem {
		t.Errorf("errors %v, %v, want %s", errStratified, errMixed, problem)
	}
}

// BenchmarkUltraEthernet reports the cost of a packet, with a good ACK for every fourth and a mark
// for every sixteenth, under the balancers of the Ultra Ethernet simulator.
func BenchmarkUltraEthernet(b *testing.B) {
	network := pair(b)
	ring, err := NewRecycling(UltraEthernet, reps.Config{})
	if err != nil {
		b.Fatal(err)
	}
	balancers := map[string]transport.Balancer{"reps": ring}
	names := []string{"stratified", "bitmap", "mixed", "reps-legacy"}
	for _, name := range names {
		if balancers[name], err = New(name, 64); err != nil {
			b.Fatal(err)
		}
	}
	for _, name := range append(names, "reps") {
		b.Run("lb="+name, func(b *testing.B) {
			balancer := balancers[name]
			balancer.Reset(network, mc.NewStream(1, mc.Algorithm, 0))
			b.ReportAllocs()
			packets := 0
			for b.Loop() {
				for range 1024 {
					ev, _ := balancer.NextEV(0, 0)
					switch packets++; {
					case packets%16 == 0:
						balancer.Feedback(transport.Feedback{EV: ev, Kind: transport.Marked})
					case packets%4 == 0:
						balancer.Feedback(transport.Feedback{EV: ev})
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(packets), "ns/packet")
		})
	}
}
