package recycled

import (
	"math"
	"testing"

	"repslab/mc"
)

// TestLateAcks: when every link is busy the laws are Eulerian numbers; the mean number of whole slots is half a slot
// below the mean sum of waits; and the whole domain gives probabilities.
func TestLateAcks(t *testing.T) {
	for links, want := range map[int][]float64{1: {1}, 2: {0.5, 0.5}, 3: {1. / 6, 4. / 6, 1. / 6}, 4: {1. / 24, 11. / 24, 11. / 24, 1. / 24}} {
		got := lateAcks(t, links, 1)
		for j := range want {
			if math.Abs(got[j]-want[j]) > 1e-15 {
				t.Errorf("%d links: %v, want %v", links, got, want)
			}
		}
	}
	for links := 1; links <= mostLate+1; links++ {
		for _, load := range []float64{0, 1e-9, 0.3, 0.999, 1} {
			law, sum, mean := lateAcks(t, links, load), 0.0, 0.0
			for j, p := range law {
				sum += p
				mean += float64(j) * p
			}
			// A sum of k >= 1 uniform waits exceeds its whole slots by 1/2 on average: both are 0 if k is 0.
			want := (float64(links)*load - 1 + math.Pow(1-load, float64(links))) / 2
			if math.Abs(sum-1) > 1e-12 || math.Abs(mean-want) > 1e-12 {
				t.Errorf("%d links, load %v: sum %v, mean %v, want %v", links, load, sum, mean, want)
			}
		}
	}
	for _, wrong := range []struct {
		links int
		load  float64
	}{{0, 0.5}, {mostLate + 2, 0.5}, {4, -0.1}, {4, 1.1}, {4, math.NaN()}} {
		if _, err := LateAcks(wrong.links, wrong.load); err == nil {
			t.Errorf("LateAcks(%d, %v) is no error", wrong.links, wrong.load)
		}
	}
}

// lateAcks is LateAcks without an error.
func lateAcks(t *testing.T, links int, load float64) []float64 {
	t.Helper()
	law, err := LateAcks(links, load)
	if err != nil {
		t.Fatal(err)
	}
	return law
}

// TestRingLawBounds: over the domain EVs are conserved (what unmarked ACKs bring is used or lost), a larger ring loses
// less, a ring of as many entries as links loses nothing, and no more entries are ever valid than an ACK can be slots
// late.
func TestRingLawBounds(t *testing.T) {
	for _, links := range []int{1, 2, 4, 5} {
		for _, load := range []float64{0, 0.2, 0.9, 1} {
			for _, marked := range []float64{0, 0.1, 0.9, 1} {
				before := 1.0
				for _, ring := range []int{1, 2, 3, links + 1} {
					s := RingSender{Ring: ring, Delivered: load, Marked: marked, Late: lateAcks(t, links, load)}
					law, err := s.Law()
					if err != nil {
						t.Fatal(err)
					}
					sum, kept := 0.0, load*(1-marked)*(1-law.Lost)
					for k, p := range law.Valid {
						if sum += p; k >= links && p > 0 {
							t.Errorf("%+v: %d entries are valid with probability %v", s, k, p)
						}
					}
					if math.Abs(sum-1) > 1e-9 || math.Abs(kept-law.Recycled) > 1e-9 || law.Lost > before+1e-9 || ring >= links && law.Lost != 0 {
						t.Errorf("%+v: %+v, sum %v, kept %v, a smaller ring loses %v", s, law, sum, kept, before)
					}
					before = law.Lost
				}
			}
		}
	}
}

// TestRingLawSimulated: a simulation of the same sender that follows each ACK agrees with the law. False alarms: 9
// comparisons at 5 standard errors, below 1 in 100,000; neighbouring slots depend on each other, for which errors are
// taken as if there were 1/4 as many.
func TestRingLawSimulated(t *testing.T) {
	const slots = 200_000
	random := mc.NewStream(1, mc.Algorithm, 0).Rand()
	for _, s := range []RingSender{
		{Ring: 1, Delivered: 0.97, Late: lateAcks(t, 4, 0.97)},
		{Ring: 2, Delivered: 0.8, Marked: 0.1, Late: lateAcks(t, 6, 0.8)},
		{Ring: 8, Delivered: 1, Marked: 0.3, Late: []float64{0.5, 0, 0, 0, 0, 0, 0.5}},
	} {
		var due [slots + mostLate + 1]uint8
		valid, recycled, lost, brought, some := 0, 0, 0, 0, 0
		for slot := range slots {
			if random.Float64() < s.Delivered {
				late, u := 0, random.Float64()
				for u -= s.Late[0]; u >= 0 && late+1 < len(s.Late); u -= s.Late[late] {
					late++
				}
				due[slot+late]++
			}
			for range due[slot] {
				if random.Float64() < s.Marked {
					continue
				}
				if brought++; valid == s.Ring {
					lost++
				} else {
					valid++
				}
			}
			if valid > 0 {
				valid--
				recycled++
			}
			if valid > 0 {
				some++
			}
		}
		law, err := s.Law()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"recycled", float64(recycled) / slots, law.Recycled},
			{"lost", float64(lost) / float64(brought), law.Lost},
			{"some valid", float64(some) / slots, 1 - law.Valid[0]},
		} {
			if stdErr := math.Sqrt(max(c.want*(1-c.want), 1e-6) * 4 / slots); math.Abs(c.got-c.want) > 5*stdErr {
				t.Errorf("%+v: %s %v, want %v ± %v", s, c.name, c.got, c.want, stdErr)
			}
		}
	}
}

// TestRingSenderFaults: every parameter out of its range is an error.
func TestRingSenderFaults(t *testing.T) {
	good := RingSender{Ring: 8, Delivered: 1, Late: []float64{1}}
	for _, change := range []func(*RingSender){
		func(s *RingSender) { s.Ring = 0 }, func(s *RingSender) { s.Ring = 65 },
		func(s *RingSender) { s.Delivered = -0.1 }, func(s *RingSender) { s.Delivered = math.NaN() },
		func(s *RingSender) { s.Marked = 1.1 }, func(s *RingSender) { s.Late = nil },
		func(s *RingSender) { s.Late = []float64{0.5, 0.4} }, func(s *RingSender) { s.Late = []float64{1.5, -0.5} },
		func(s *RingSender) { s.Late = []float64{math.NaN()} }, func(s *RingSender) { s.Late = make([]float64, mostLate+2); s.Late[0] = 1 },
	} {
		s := good
		change(&s)
		if law, err := s.Law(); err == nil {
			t.Errorf("%+v: %+v, want an error", s, law)
		}
	}
	if _, err := good.Law(); err != nil {
		t.Error(err)
	}
}
