package draw

import (
	"math"
	"math/bits"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestCutIsUniform: over all values of a lane of 16 bits every bin is drawn
// equally often, the rest being rejected; lanes of 32 bits are rejected exactly
// where x n mod 2^32 is below 2^32 mod n.
func TestCutIsUniform(t *testing.T) {
	for _, n := range []int{3, 5, 1000, 4095} {
		d := New(n)
		counts := make([]int, n)
		for w := range uint64(1 << 16) {
			// Other lanes that are not rejected: x n mod 2^16 is 2^16 - n.
			var lanes [8]uint32
			if got := d.Cut(w|0xffffffffffff0000, &lanes); got == 4 {
				counts[lanes[0]]++
			} else if got != 0 {
				t.Fatalf("n=%d: %d bins from a word", n, got)
			}
		}
		for bin, count := range counts {
			if count != 1<<16/n {
				t.Fatalf("n=%d: bin %d is drawn by %d of 2^16 lanes, want %d", n, bin, count, 1<<16/n)
			}
		}
	}
	for _, n := range []int{4097, 5001, 40_001, 65_535} {
		d := New(n)
		inverse := uint32(n) // of n modulo 2^32, by Newton's iteration
		for range 5 {
			inverse *= 2 - uint32(n)*inverse
		}
		short := uint32(uint64(1<<32) % uint64(n))
		for _, c := range []struct {
			rest uint32 // x n mod 2^32
			want int
		}{{0, 0}, {short - 1, 0}, {short, 2}, {1<<32 - 1, 2}} {
			x := uint64(c.rest * inverse)
			for _, w := range []uint64{x | (1<<32-1)<<32, x<<32 | (1<<32 - 1)} {
				var lanes [8]uint32
				got := d.Cut(w, &lanes)
				bin, _ := bits.Mul64(x<<32, uint64(n))
				if got != c.want || got > 0 && w>>32 == x && uint64(lanes[1]) != bin || got > 0 && w<<32>>32 == x && uint64(lanes[0]) != bin {
					t.Errorf("n=%d, x n mod 2^32 = %d: %d bins %v, want %d, the lane's being %d", n, c.rest, got, lanes, c.want, bin)
				}
			}
		}
	}
}

// TestDrawerIsUniform is a chi-square test, as in package mc, of every way of
// cutting words: alpha about 1e-9 each; with 500 draws a bin it sees a bin whose
// probability is 30 % off, and with 20 lanes of one word a lane that is not drawn.
func TestDrawerIsUniform(t *testing.T) {
	for _, n := range []int{2, 3, 5, 32, 100, 256, 512, 4095, 4097, 65535, 100_000} {
		draw := New(n)
		rng := mc.NewStream(mctest.Seed(t, 4), mc.Algorithm, uint64(n)).Rand()
		const perBin = 500
		counts := make([]int, n)
		buffer := make([]uint32, 999)
		drawn := 0
		for drawn < perBin*n {
			bins := buffer[:min(len(buffer), perBin*n-drawn)]
			Fill(&draw, &rng, bins)
			for _, bin := range bins {
				counts[bin]++
			}
			drawn += len(bins)
		}
		var chi2 float64
		for _, c := range counts {
			chi2 += float64((c-perBin)*(c-perBin)) / perBin
		}
		k := float64(n - 1)
		if z := (math.Cbrt(chi2/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k)); math.Abs(z) > 6.11 {
			t.Errorf("n=%d: chi2 = %.1f (z = %.1f), want |z| <= 6.11", n, chi2, z)
		}
	}
}
