package ecmphash

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
)

// The tests of randomness use fixed keys and accept what lies within z standard
// deviations of what random words give.
const z = 6.11 // two-sided false-alarm rate 1e-9 for random keys

// chiSquare fails unless the counts agree with equal probabilities. The
// statistic, of c - 1 degrees of freedom, is taken to a normal one by the cube
// root of Wilson and Hilferty; the false-alarm rate is 1e-9, two-sided, so that
// counts that are too even fail too.
func chiSquare(t *testing.T, what string, counts []int) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	expected, statistic := float64(total)/float64(len(counts)), 0.0
	for _, c := range counts {
		d := float64(c) - expected
		statistic += d * d / expected
	}
	degrees := float64(len(counts) - 1)
	v := 2 / (9 * degrees)
	if normal := (math.Cbrt(statistic/degrees) - (1 - v)) / math.Sqrt(v); math.Abs(normal) > z {
		t.Errorf("%s: chi-square %.1f with %.0f degrees of freedom, %.1f standard deviations off", what, statistic, degrees, normal)
	}
}

// hostPair is a key of small host numbers, the hardest case: few bits differ.
func hostPair(i int) uint64 { return uint64(i/64)<<32 | uint64(i%64) }

// TestHashIsFrozen: simulations are compared across versions by their bytes.
func TestHashIsFrozen(t *testing.T) {
	for _, c := range []struct {
		sd   uint64
		ev   uint16
		salt uint64
		want uint32
	}{{0, 0, 0, 0}, {1 << 32, 0, 0, 0x52375cd7}, {0, 1, 0, 0xb70fb2cc}, {3<<32 | 7, 65535, 0x0123456789abcdef, 0xfad5c3c4}} {
		if got := Hash(c.sd, c.ev, c.salt); got != c.want {
			t.Errorf("Hash(%#x, %d, %#x) = %#08x, want %#08x", c.sd, c.ev, c.salt, got, c.want)
		}
	}
}

// TestPortsAreUniform counts ports over consecutive EVs of one flow and over
// neighbouring flows with one EV, for neighbouring salts. With 2^20 keys on 32
// ports a port's share that is off by 3 % of itself is seen.
func TestPortsAreUniform(t *testing.T) {
	for _, ports := range []int{2, 3, 8, 32, 100, 128} {
		for salt := range uint64(4) {
			byEV, byFlow := make([]int, ports), make([]int, ports)
			for i := range 1 << 20 {
				byEV[Port(Hash(hostPair(i>>16), uint16(i), salt), ports)]++
				byFlow[Port(Hash(hostPair(i), 7, salt), ports)]++
			}
			chiSquare(t, fmt.Sprintf("EVs onto %d ports, salt %d", ports, salt), byEV)
			chiSquare(t, fmt.Sprintf("flows onto %d ports, salt %d", ports, salt), byFlow)
		}
	}
}

// TestAvalanche flips every bit of the key and expects every bit of the word to
// change in half of the cases: 144 * 32 comparisons of 2^16 random keys, so a
// bit that changes with probability 0.488 is seen.
func TestAvalanche(t *testing.T) {
	const keys = 1 << 16
	rng := rand.New(rand.NewPCG(1, 2))
	var changed [144][32]int
	for range keys {
		sd, ev, salt := rng.Uint64(), uint16(rng.Uint64()), rng.Uint64()
		word := Hash(sd, ev, salt)
		for bit := range changed {
			var other uint32
			switch {
			case bit < 64:
				other = Hash(sd^1<<bit, ev, salt)
			case bit < 128:
				other = Hash(sd, ev, salt^1<<(bit-64))
			default:
				other = Hash(sd, ev^1<<(bit-128), salt)
			}
			for d := word ^ other; d != 0; d &= d - 1 {
				changed[bit][bits.TrailingZeros32(d)]++
			}
		}
	}
	for in, row := range changed {
		for out, n := range row {
			if off := (float64(n) - keys/2) / math.Sqrt(keys/4); math.Abs(off) > z {
				t.Errorf("bit %d of the key changes bit %d of the word %d of %d times (%.1f standard deviations)", in, out, n, keys, off)
			}
		}
	}
}

// TestSaltsAreIndependent: what one switch does says nothing about another. The
// pair of ports under two salts is uniform, for neighbouring and for unrelated
// salts, and so is the pair of ports of two EVs.
func TestSaltsAreIndependent(t *testing.T) {
	const ports = 16
	for _, salts := range [][2]uint64{{0, 1}, {1, 2}, {5, 1 << 63}, {0x243f6a8885a308d3, 0x13198a2e03707344}} {
		switches, evs := make([]int, ports*ports), make([]int, ports*ports)
		for i := range 1 << 18 {
			sd, ev := hostPair(i>>10), uint16(i)
			first := Port(Hash(sd, ev, salts[0]), ports)
			switches[first*ports+Port(Hash(sd, ev, salts[1]), ports)]++
			evs[first*ports+Port(Hash(sd, ev^1<<12, salts[0]), ports)]++
		}
		chiSquare(t, fmt.Sprintf("ports under salts %#x and %#x", salts[0], salts[1]), switches)
		chiSquare(t, fmt.Sprintf("ports of two EVs under salt %#x", salts[0]), evs)
	}
}

// TestKeysDoNotMeet: the keys of 256 hosts with 256 EVs have different sums
// before the mixing, so that no two packets meet at every switch.
func TestKeysDoNotMeet(t *testing.T) {
	const flows, evs = 1 << 16, 256
	// Two keys meet if a multiple of spread is the difference of two pairs.
	for d := uint64(1); d < evs; d++ {
		for _, difference := range []uint64{spread * d, -(spread * d)} {
			source, destination := int32(difference>>32), int32(difference)
			if source > -flows && source < flows && destination > -flows && destination < flows {
				t.Errorf("EVs that differ by %d meet for hosts that differ by %d and %d", d, source, destination)
			}
		}
	}
}

func TestPort(t *testing.T) {
	for _, c := range []struct {
		hash            uint32
		ports           int
		port, remainder int
	}{
		{0, 1, 0, 0}, {1<<32 - 1, 1, 0, 0}, {1<<32 - 1, 32, 31, 31}, {1 << 31, 32, 16, 0}, {1<<31 - 1, 32, 15, 31},
		{1<<32 - 1, 3, 2, 0}, {1<<32 - 1, 1 << 30, 1<<30 - 1, 1<<30 - 1}, {100, 7, 0, 2},
	} {
		if got := Port(c.hash, c.ports); got != c.port {
			t.Errorf("Port(%d, %d) = %d, want %d", c.hash, c.ports, got, c.port)
		}
		if got := Remainder(c.hash, c.ports); got != c.remainder {
			t.Errorf("Remainder(%d, %d) = %d, want %d", c.hash, c.ports, got, c.remainder)
		}
	}
}

func BenchmarkHash(b *testing.B) {
	b.Run("hash", func(b *testing.B) {
		var sum int
		for i := range b.N {
			sum += Port(Hash(3<<32|7, uint16(i), 0x243f6a8885a308d3), 32)
		}
		keep(b, sum)
	})
	b.Run("crc32", func(b *testing.B) {
		var sum int
		for i := range b.N {
			sum += Remainder(CRC32(3<<32|7, uint16(i), 5), 32)
		}
		keep(b, sum)
	})
}

// keep uses a result, so that its computation is not removed.
func keep(b *testing.B, sum int) {
	if sum < 0 {
		b.Error("a port is negative")
	}
}
