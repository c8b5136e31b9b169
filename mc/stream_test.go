package mc

import (
	"math"
	"math/bits"
	"testing"
)

// The false-alarm rate of every statistical test here is at most 1e-9 a test
// (two-sided normal z = 6.11), Bonferroni-corrected where many are taken.

// TestStreamsAreFrozen pins the first words of some streams: results for a seed
// must not change from one version to the next without notice.
func TestStreamsAreFrozen(t *testing.T) {
	r := NewStream(1, Algorithm, 0).Rand()
	s := NewStream(1, Algorithm, 0).Source()
	c := NewStream(1, Algorithm, 0).Child(3).Rand()
	got := []uint64{r.Uint64(), r.Uint64(), s.Uint64(), s.Uint64(), c.Uint64()}
	want := []uint64{0x3423add156377421, 0x213709430411c33f, 0x3c39d2a7bf529596, 0xda2a4bc75d4902bd, 0xaf4952a4b7f90335}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("word %d = %#x, want %#x", i, got[i], want[i])
		}
	}
}

// neighbours returns pairs of streams with seeds, purposes, replicas or children that differ by one step.
func neighbours(i uint64) [][2]Stream {
	s := NewStream(42, Algorithm, i)
	return [][2]Stream{
		{s, NewStream(42, Algorithm, i+1)},
		{s, NewStream(43, Algorithm, i)},
		{s, NewStream(42, Workload, i)},
		{s, s.Child(0)},
		{s.Child(i), s.Child(i + 1)},
	}
}

// TestNeighbouringStreamsAreUnrelated counts equal bits of the first words of
// neighbouring streams. Per bit position and kind of neighbour the count is
// Binomial(4096, 1/2) if the streams are unrelated; 640 counts are taken, so
// z = 7 has a false-alarm rate of 640 * 2.6e-12 < 2e-9. A correlation of 0.11
// in one bit position would be seen.
func TestNeighbouringStreamsAreUnrelated(t *testing.T) {
	const pairs, z = 4096, 7.0
	kinds := len(neighbours(0))
	var equalRand, equalPCG [5][64]int
	for i := range uint64(pairs) {
		for k, pair := range neighbours(i) {
			a, b := pair[0].Rand(), pair[1].Rand()
			countEqualBits(&equalRand[k], a.Uint64(), b.Uint64())
			countEqualBits(&equalPCG[k], pair[0].Source().Uint64(), pair[1].Source().Uint64())
		}
	}
	for k := range kinds {
		for bit := range 64 {
			for name, count := range map[string]int{"Rand": equalRand[k][bit], "Source": equalPCG[k][bit]} {
				if got := (float64(count) - pairs/2) / math.Sqrt(pairs/4); math.Abs(got) > z {
					t.Errorf("%s: kind %d, bit %d: z = %.1f, want |z| <= %v", name, k, bit, got, z)
				}
			}
		}
	}
}

func countEqualBits(count *[64]int, a, b uint64) {
	same := ^(a ^ b)
	for bit := range 64 {
		count[bit] += int(same >> bit & 1)
	}
}

// TestRandWords checks one long stream: balance of every bit and its serial
// agreement at lags 1 to 3, 256 counts of Binomial(2^20, 1/2), z = 7 as above.
func TestRandWords(t *testing.T) {
	const words, z = 1 << 20, 7.0
	r := NewStream(7, Algorithm, 0).Rand()
	var ones [64]int
	var lag [4][64]int
	var last [4]uint64
	for i := range words {
		x := r.Uint64()
		countEqualBits(&ones, x, ^uint64(0))
		for l := 1; l <= 3; l++ {
			countEqualBits(&lag[l], x, last[(i-l)&3])
		}
		last[i&3] = x
	}
	lag[0] = ones
	for l := range lag {
		for bit, count := range lag[l] {
			if got := (float64(count) - words/2) / math.Sqrt(words/4); math.Abs(got) > z {
				t.Errorf("lag %d, bit %d: z = %.1f, want |z| <= %v", l, bit, got, z)
			}
		}
	}
}

// TestBelowIsUniform is a chi-square test for bins that are no power of two:
// n-1 degrees of freedom, the normal approximation of Wilson and Hilferty at
// z = 6.11, alpha about 1e-9. With 1000 balls a bin it sees a bin whose
// probability is 20 % off.
func TestBelowIsUniform(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 5, 16, 100, 1000} {
		r := NewStream(n, Algorithm, 1).Rand()
		counts := make([]int, n)
		const perBin = 1000
		for range perBin * n {
			counts[r.Below(n)]++
		}
		if n == 1 {
			continue
		}
		var chi2 float64
		for _, c := range counts {
			chi2 += float64((c-perBin)*(c-perBin)) / perBin
		}
		k := float64(n - 1)
		if z := (math.Cbrt(chi2/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k)); z > 6.11 {
			t.Errorf("Below(%d): chi2 = %.1f (z = %.1f), want z <= 6.11", n, chi2, z)
		}
	}
}

// TestBelowRejects checks the rare branch: with n = 2^63 + 1 nearly half of the
// words are rejected, and a plain multiplication would give even values (the
// images of two words) twice as often as odd ones.
func TestBelowRejects(t *testing.T) {
	const n, draws = 1<<63 + 1, 100_000
	r := NewStream(3, Algorithm, 0).Rand()
	var upper int
	words := r
	for range draws {
		x := r.Below(n)
		if x >= n {
			t.Fatalf("Below(%d) = %d", uint64(n), x)
		}
		upper += int(x >> 62 & 1)
	}
	if z := (float64(upper) - draws/2) / math.Sqrt(draws/4); math.Abs(z) > 6.11 {
		t.Errorf("upper half drawn %d times of %d (z = %.1f)", upper, draws, z)
	}
	// About two words a draw must have been used.
	used := 0
	for words.state != r.state {
		words.Uint64()
		if used++; used > 4*draws {
			break
		}
	}
	if used < 3*draws/2 || used > 5*draws/2 {
		t.Errorf("%d words for %d draws, want about 2 a draw", used, draws)
	}
}

func TestBalancedKey(t *testing.T) {
	for _, h := range []uint64{0, 1, ^uint64(0), 1 << 63, 0xffff} {
		key := balancedKey(h)
		if ones := bits.OnesCount64(key); key&1 == 0 || ones < 24 || ones > 40 {
			t.Errorf("balancedKey(%#x) = %#x with %d ones", h, key, ones)
		}
	}
}

func TestFloat64InRange(t *testing.T) {
	r := NewStream(9, Algorithm, 0).Rand()
	var m float64
	for range 10000 {
		x := r.Float64()
		if x < 0 || x >= 1 {
			t.Fatalf("Float64() = %v", x)
		}
		m += x
	}
	// Standard error of the mean 1/sqrt(12 * 10000) = 0.0029; 6.11 of them.
	if m /= 10000; math.Abs(m-0.5) > 6.11*0.0029 {
		t.Errorf("mean %v, want 0.5", m)
	}
}

func BenchmarkRand(b *testing.B) {
	r := NewStream(1, Algorithm, 0).Rand()
	b.Run("word", func(b *testing.B) {
		var x uint64
		for b.Loop() {
			for range 1024 {
				x ^= r.Uint64()
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/1024, "ns/word")
		_ = x
	})
	source := NewStream(1, Salts, 0).Source()
	b.Run("source", func(b *testing.B) {
		var x uint64
		for b.Loop() {
			for range 1024 {
				x ^= source.Uint64()
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/1024, "ns/word")
		_ = x
	})
	b.Run("below", func(b *testing.B) {
		var x uint64
		for b.Loop() {
			for range 1024 {
				x += r.Below(1000)
			}
		}
		b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/1024, "ns/word")
		_ = x
	})
}
