// Package draw draws uniform bins out of the 64-bit words of a random stream, several
// bins from each word.
package draw

import "repslab/mc"

// Drawer cuts bin indices out of 64-bit words. A word has as many lanes of equal width as it can hold,
// used from the low end. Lanes left over at the end of a call are discarded.
//
// For a power of two a lane of 8 or 16 bits is masked. Otherwise a lane x of width w
// becomes floor(x n / 2^w), and a word is redrawn if one of its lanes has
// x n mod 2^w < 2^w mod n: exactly uniform [Lemire19].
type Drawer struct {
	Bins  uint32
	Lanes Lanes
	Mask  uint64 // n - 1 in every lane, for powers of two
	Carry uint64 // Scaled16: 2^16 - 2^16 mod n in both halves; adding it to an accepted low half carries
	Short uint32 // Scaled32: 2^32 mod n
}

// Lanes is a way of cutting a word.
type Lanes uint8

const (
	Masked8  Lanes = iota // 8 lanes of 8 bits, n a power of two up to 2^8
	Masked16              // 4 lanes of 16 bits, n a power of two up to 2^16
	Scaled16              // 4 lanes of 16 bits, other n up to 2^12
	Scaled32              // 2 lanes of 32 bits, all other n
)

// New returns the drawer for n bins, 1 <= n < 2^32.
func New(n int) Drawer {
	d := Drawer{Bins: uint32(n)}
	switch powerOfTwo := n&(n-1) == 0; {
	case powerOfTwo && n <= 1<<8:
		d.Lanes, d.Mask = Masked8, uint64(n-1)*0x0101010101010101
	case powerOfTwo && n <= 1<<16:
		d.Lanes, d.Mask = Masked16, uint64(n-1)*0x0001000100010001
	case n <= 1<<12:
		d.Lanes, d.Carry = Scaled16, uint64(1<<16-1<<16%n)*(1<<32+1)
	default:
		d.Lanes, d.Short = Scaled32, uint32(1<<32%uint64(n))
	}
	return d
}

// Fill draws len(bins) bins, whole words first. The number of bins must fit the type. O(len(bins)), no
// allocation.
func Fill[Bin uint16 | uint32](d *Drawer, rng *mc.Rand, bins []Bin) {
	r := *rng
	whole := bins[:len(bins)/8*8]
	bins = bins[len(whole):]
	switch d.Lanes {
	case Masked8:
		fillMasked8(&r, d.Mask, whole)
	case Masked16:
		fillMasked16(&r, d.Mask, whole)
	case Scaled16:
		fillScaled16(&r, d.Bins, d.Carry, whole)
	default:
		fillScaled32(&r, d.Bins, d.Short, whole)
	}
	for len(bins) > 0 {
		var lanes [8]uint32
		n := d.Cut(r.Uint64(), &lanes)
		for _, bin := range lanes[:min(n, len(bins))] {
			bins[0] = Bin(bin)
			bins = bins[1:]
		}
	}
	*rng = r
}

// fillMasked8 draws 8 bins per word; len(bins) is a multiple of 8.
func fillMasked8[Bin uint16 | uint32](rng *mc.Rand, mask uint64, bins []Bin) {
	r := *rng
	for ; len(bins) >= 8; bins = bins[8:] {
		var w uint64
		w, r = r.Next()
		w &= mask
		b := (*[8]Bin)(bins)
		b[0], b[1], b[2], b[3] = Bin(uint8(w)), Bin(uint8(w>>8)), Bin(uint8(w>>16)), Bin(uint8(w>>24))
		b[4], b[5], b[6], b[7] = Bin(uint8(w>>32)), Bin(uint8(w>>40)), Bin(uint8(w>>48)), Bin(uint8(w>>56))
	}
	*rng = r
}

// fillMasked16 draws 4 bins per word; len(bins) is a multiple of 4.
func fillMasked16[Bin uint16 | uint32](rng *mc.Rand, mask uint64, bins []Bin) {
	r := *rng
	for ; len(bins) >= 4; bins = bins[4:] {
		var w uint64
		w, r = r.Next()
		w &= mask
		b := (*[4]Bin)(bins)
		b[0], b[1], b[2], b[3] = Bin(uint16(w)), Bin(uint16(w>>16)), Bin(uint16(w>>32)), Bin(uint16(w>>48))
	}
	*rng = r
}

// Products16 multiplies the lanes of a word by n, for [Scaled16]. It returns the 32-bit products of lanes
// 0 and 2, the products of lanes 1 and 3, and whether the word is accepted, by the Carry of n. The high
// 16 bits of a product are a bin. O(1), inlined.
func Products16(w uint64, n uint32, carry uint64) (even, odd uint64, ok bool) {
	const lanes, carried = 0x0000_ffff_0000_ffff, 0x0001_0000_0001_0000
	even, odd = w&lanes*uint64(n), w>>16&lanes*uint64(n)
	return even, odd, (even&lanes+carry)&(odd&lanes+carry)&carried == carried
}

// fillScaled16 draws 4 bins per word; len(bins) is a multiple of 4.
func fillScaled16[Bin uint16 | uint32](rng *mc.Rand, n uint32, carry uint64, bins []Bin) {
	r := *rng
	for len(bins) >= 4 {
		var w uint64
		w, r = r.Next()
		even, odd, ok := Products16(w, n, carry)
		if !ok {
			continue
		}
		b := (*[4]Bin)(bins)
		b[0], b[1] = Bin(uint16(even>>16)), Bin(uint16(odd>>16))
		b[2], b[3] = Bin(even>>48), Bin(odd>>48)
		bins = bins[4:]
	}
	*rng = r
}

// fillScaled32 draws 2 bins per word; len(bins) is a multiple of 2.
func fillScaled32[Bin uint16 | uint32](rng *mc.Rand, n, short uint32, bins []Bin) {
	r := *rng
	for len(bins) >= 2 {
		var w uint64
		w, r = r.Next()
		x0, x1 := uint64(uint32(w))*uint64(n), uint64(w>>32)*uint64(n)
		if min(uint32(x0), uint32(x1)) < short {
			continue
		}
		bins[0], bins[1] = Bin(x0>>32), Bin(x1>>32)
		bins = bins[2:]
	}
	*rng = r
}

// Cut returns the bins of a word and their number, 0 if it is rejected.
func (d *Drawer) Cut(w uint64, lanes *[8]uint32) int {
	switch d.Lanes {
	case Masked8:
		for i := range lanes {
			lanes[i] = uint32(uint8((w & d.Mask) >> (8 * i)))
		}
		return 8
	case Masked16:
		for i := range 4 {
			lanes[i] = uint32(uint16((w & d.Mask) >> (16 * i)))
		}
		return 4
	case Scaled16:
		even, odd, ok := Products16(w, d.Bins, d.Carry)
		if !ok {
			return 0
		}
		lanes[0], lanes[1], lanes[2], lanes[3] = uint32(even)>>16, uint32(odd)>>16, uint32(even>>48), uint32(odd>>48)
		return 4
	default:
		for i := range 2 {
			x := uint64(uint32(w>>(32*i))) * uint64(d.Bins)
			if uint32(x) < d.Short {
				return 0
			}
			lanes[i] = uint32(x >> 32)
		}
		return 2
	}
}
