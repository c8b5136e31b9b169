package ecmphash

import (
	"math/bits"
	"math/rand/v2"
	"testing"
)

// slowCRC computes the CRC bit by bit from the definition.
func slowCRC(message []byte, salt uint32) uint32 {
	const reflected = 0xedb88320 // 0x04c11db7 with its bits in reverse
	crc := ^salt
	for _, b := range message {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ reflected*(crc&1)
		}
	}
	return ^crc
}

// TestCRC32AgainstDefinition: the check value of the standard, and the layout of
// the key with every field in its place.
func TestCRC32AgainstDefinition(t *testing.T) {
	if got, want := slowCRC([]byte("123456789"), 0), uint32(0xcbf43926); got != want {
		t.Fatalf("the definition gives %#x, want the standard's check value %#x", got, want)
	}
	key := []byte{10, 11, 12, 13, 20, 21, 22, 23, 17, 0xab, 0xcd, 0x12, 0xb7}
	for _, salt := range []uint32{0, 1, 0xffffffff, 0x12345678} {
		if got, want := CRC32(0x0a0b0c0d14151617, 0xabcd, salt), slowCRC(key, salt); got != want {
			t.Errorf("salt %#x: %#x, want %#x", salt, got, want)
		}
	}
}

// TestCRC32IsLinear: equations (3) and (4) of the package.
func TestCRC32IsLinear(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 10_000 {
		sd, other, a, b, salt := rng.Uint64(), rng.Uint64(), uint16(rng.Uint64()), uint16(rng.Uint64()), rng.Uint32()
		if CRC32(sd, a, salt)^CRC32(sd, b, salt) != CRC32(other, a^b, 0)^CRC32(other, 0, 0) {
			t.Fatalf("the EVs %d and %d do not add up", a, b)
		}
		if CRC32(sd, a, salt)^CRC32(sd, a, 0) != CRC32(other, b, salt)^CRC32(other, b, 0) {
			t.Fatalf("the salt %#x is not a constant", salt)
		}
	}
}

// reached returns how many of n = 2^r ports the EVs 0 to 2^k - 1 of a flow reach,
// and fails unless they reach them equally often.
func reached(t *testing.T, k, ports int, choose func(uint32, int) int) int {
	t.Helper()
	counts := make([]int, ports)
	for ev := range 1 << k {
		counts[choose(CRC32(7<<32|9, uint16(ev), 3), ports)]++
	}
	some, most := 0, 0
	for _, c := range counts {
		if most = max(most, c); c > 0 {
			some++
		}
	}
	if most*some != 1<<k {
		t.Errorf("2^%d EVs on %d ports: %d ports reached, the most %d times", k, ports, some, most)
	}
	return some
}

// TestCRC32BalancesConsecutiveEVs pins what the package says of powers of two:
// the lowest bits spread consecutive EVs over all ports that they can reach, the
// uppermost bits do not.
func TestCRC32BalancesConsecutiveEVs(t *testing.T) {
	for k := 1; k <= 16; k++ {
		for ports := 2; ports <= 512; ports *= 2 {
			if got, want := reached(t, k, ports, Remainder), min(ports, 1<<k); got != want {
				t.Errorf("lowest bits: 2^%d EVs reach %d of %d ports, want %d", k, got, ports, want)
			}
		}
	}
	for k, want := range map[int]int{4: 2, 5: 4, 6: 8, 7: 16, 8: 32, 16: 32} {
		if got := reached(t, k, 32, Port); got != want {
			t.Errorf("uppermost bits: 2^%d EVs reach %d of 32 ports, want %d", k, got, want)
		}
	}
	if got := reached(t, 10, 1024, Remainder); bits.OnesCount(uint(got)) != 1 || got == 1024 {
		t.Errorf("1024 EVs reach %d of 1024 ports, want a smaller power of two", got)
	}
}

func TestCRC32DoesNotAllocate(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { CRC32(1, 2, 3) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
