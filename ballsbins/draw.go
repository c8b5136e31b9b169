package ballsbins

import (
	"math"

	"repslab/mc"
)

// drawer cuts bin indices out of 64-bit words: from the low end, in lanes of equal width,
// as many as a word holds. Lanes left over at the end of a round are discarded.
//
// For a power of two a lane of 8 or 16 bits is masked. Otherwise a lane x of width w
// becomes floor(x n / 2^w), and a word is redrawn if one of its lanes has
// x n mod 2^w < 2^w mod n: exactly uniform [Lemire19].
type drawer struct {
	bins  uint32
	lanes laneKind
	mask  uint64 // n - 1 in every lane, for powers of two
	short uint32 // 2^w mod n, for other n
}

// laneKind is a way of cutting a word.
type laneKind uint8

const (
	masked8  laneKind = iota // 8 lanes of 8 bits, n a power of two up to 2^8
	masked16                 // 4 lanes of 16 bits, n a power of two up to 2^16
	scaled16                 // 4 lanes of 16 bits, other n up to 2^12
	scaled32                 // 2 lanes of 32 bits, other n up to 2^16
)

// newDrawer returns the drawer for n bins, 1 <= n <= maxPackedBins.
func newDrawer(n int) drawer {
	d := drawer{bins: uint32(n)}
	switch powerOfTwo := n&(n-1) == 0; {
	case powerOfTwo && n <= 1<<8:
		d.lanes, d.mask = masked8, uint64(n-1)*0x0101010101010101
	case powerOfTwo:
		d.lanes, d.mask = masked16, uint64(n-1)*0x0001000100010001
	case n <= 1<<12:
		d.lanes, d.short = scaled16, uint32(1<<16%n)
	default:
		d.lanes, d.short = scaled32, uint32(1<<32%uint64(n))
	}
	return d
}

// fill draws len(bins) bins, whole words first.
func (d *drawer) fill(rng *mc.Rand, bins []uint16) {
	r := *rng
	whole := bins[:len(bins)/8*8]
	switch d.lanes {
	case masked8:
		bins = bins[len(whole):]
		fillMasked8(&r, d.mask, whole)
	case masked16:
		bins = bins[len(whole):]
		fillMasked16(&r, d.mask, whole)
	case scaled16:
		bins = bins[len(whole):]
		fillScaled16(&r, d.bins, d.short, whole)
	}
	for len(bins) > 0 {
		var lanes [8]uint16
		n := d.cut(r.Uint64(), &lanes)
		bins = bins[copy(bins, lanes[:n]):]
	}
	*rng = r
}

// fillMasked8 draws 8 bins a word; len(bins) is a multiple of 8.
func fillMasked8(rng *mc.Rand, mask uint64, bins []uint16) {
	r := *rng
	for ; len(bins) >= 8; bins = bins[8:] {
		var w uint64
		w, r = r.Next()
		w &= mask
		b := (*[8]uint16)(bins)
		b[0], b[1], b[2], b[3] = uint16(uint8(w)), uint16(uint8(w>>8)), uint16(uint8(w>>16)), uint16(uint8(w>>24))
		b[4], b[5], b[6], b[7] = uint16(uint8(w>>32)), uint16(uint8(w>>40)), uint16(uint8(w>>48)), uint16(uint8(w>>56))
	}
	*rng = r
}

// fillMasked16 draws 4 bins a word; len(bins) is a multiple of 4.
func fillMasked16(rng *mc.Rand, mask uint64, bins []uint16) {
	r := *rng
	for ; len(bins) >= 4; bins = bins[4:] {
		var w uint64
		w, r = r.Next()
		w &= mask
		b := (*[4]uint16)(bins)
		b[0], b[1], b[2], b[3] = uint16(w), uint16(w>>16), uint16(w>>32), uint16(w>>48)
	}
	*rng = r
}

// fillScaled16 draws 4 bins a word; len(bins) is a multiple of 4.
func fillScaled16(rng *mc.Rand, n, short uint32, bins []uint16) {
	r := *rng
	for len(bins) >= 4 {
		var w uint64
		w, r = r.Next()
		x0, x1 := uint32(uint16(w))*n, uint32(uint16(w>>16))*n
		x2, x3 := uint32(uint16(w>>32))*n, uint32(uint16(w>>48))*n
		if min(x0&0xffff, x1&0xffff, x2&0xffff, x3&0xffff) < short {
			continue
		}
		b := (*[4]uint16)(bins)
		b[0], b[1], b[2], b[3] = uint16(x0>>16), uint16(x1>>16), uint16(x2>>16), uint16(x3>>16)
		bins = bins[4:]
	}
	*rng = r
}

// cut returns the bins of a word and their number, 0 if it is rejected.
func (d *drawer) cut(w uint64, lanes *[8]uint16) int {
	switch d.lanes {
	case masked8:
		for i := range lanes {
			lanes[i] = uint16(uint8((w & d.mask) >> (8 * i)))
		}
		return 8
	case masked16:
		for i := range 4 {
			lanes[i] = uint16((w & d.mask) >> (16 * i))
		}
		return 4
	case scaled16:
		for i := range 4 {
			x := uint32(uint16(w>>(16*i))) * d.bins
			if x&0xffff < d.short {
				return 0
			}
			lanes[i] = uint16(x >> 16)
		}
		return 4
	default:
		for i := range 2 {
			x := uint64(uint32(w>>(32*i))) * uint64(d.bins)
			if uint32(x) < d.short {
				return 0
			}
			lanes[i] = uint16(x >> 32)
		}
		return 2
	}
}

// arrivals draws the number of offered balls that arrive in a round.
type arrivals struct {
	offered int
	lambda  float64
	logLoss float64 // ln λ
	wait    float64 // offered balls before the next lost one
}

// newArrivals returns the arrivals of n offered balls with probability λ in
// (0, 1] each.
func newArrivals(n int, lambda float64) arrivals {
	return arrivals{offered: n, lambda: lambda, logLoss: math.Log(lambda)}
}

// reset begins a run.
func (a *arrivals) reset(rng *mc.Rand) {
	if a.lambda < 1 {
		a.wait = a.gap(rng)
	}
}

// next returns the number of arrivals of a round: Binomial(n, λ), independent
// from round to round. Lost balls are a geometric number of offered ones apart,
// so a round costs O(1 + n (1-λ)).
func (a *arrivals) next(rng *mc.Rand) int {
	if a.lambda == 1 {
		return a.offered
	}
	arrived, left := a.offered, float64(a.offered)
	for a.wait < left {
		left -= a.wait + 1
		arrived--
		a.wait = a.gap(rng)
	}
	a.wait -= left
	return arrived
}

// gap draws the number of balls that arrive before the next lost one: k or more
// with probability λ^k, up to the 2^-53 steps of a uniform number.
func (a *arrivals) gap(rng *mc.Rand) float64 {
	return math.Floor(math.Log(1-rng.Float64()) / a.logLoss)
}
