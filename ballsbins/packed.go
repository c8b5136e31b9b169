package ballsbins

import (
	"math/bits"
	"unsafe"

	"repslab/internal/draw"
	"repslab/mc"
)

// maxPackedBins is the largest number of bins of a packed kernel: indices have 16 bits.
const maxPackedBins = 1 << 16

// lane is the type of a load in a packed kernel.
type lane interface{ uint8 | uint16 }

// packed is the kernel that holds loads as lanes of 64-bit words, so that 8 or 4 bins are served by a few
// operations on a word. It stops as soon as the three highest bits of a lane are set after a service, at
// 7/8 of the range. So a lane wraps only if one bin gets the last eighth, 32 balls or more, in two
// rounds. The method sound detects that: the loads then sum to less than balls.
type packed[T lane] struct {
	draw  draw.Drawer
	words []uint64
	lanes *[maxPackedBins]T // the words, lane by lane
	added *[maxPackedBins]T // arrivals of a batch under TwoChoice, otherwise nil
	sums  []uint64          // added, as words
	high  uint64            // the highest bit of every lane
	shift uint              // from a lane's highest bit to its lowest
	balls int64             // balls thrown minus balls served
}

// newPacked returns the kernel for n <= maxPackedBins bins and the policy Uniform
// or TwoChoice.
func newPacked[T lane](n int, policy Policy) *packed[T] {
	size := int(unsafe.Sizeof(T(0)))
	words, lanes := newLanes[T]()
	p := &packed[T]{draw: draw.New(n), lanes: lanes, words: words[:(n*size+7)/8]}
	p.shift = uint(8*size - 1)
	p.high = ^uint64(0) / (1<<(8*size) - 1) << p.shift
	if policy == TwoChoice {
		words, p.added = newLanes[T]()
		p.sums = words[:len(p.words)]
	}
	return p
}

// newLanes returns zeroed memory for the largest number of bins, as words and as
// lanes, so that a 16-bit index needs no check. Unused memory is never touched.
func newLanes[T lane]() ([]uint64, *[maxPackedBins]T) {
	words := make([]uint64, maxPackedBins*int(unsafe.Sizeof(T(0)))/8)
	return words, (*[maxPackedBins]T)(unsafe.Pointer(&words[0]))
}

func (p *packed[T]) reset() {
	clear(p.words)
	p.balls = 0
}

func (p *packed[T]) advance(rng *mc.Rand, offered *arrivals, rounds int) (done int, full bool) {
	for round := range rounds {
		high := p.serveAll()
		balls := offered.next(rng)
		p.balls += int64(balls)
		if p.added != nil {
			p.throwTwoChoice(rng, balls)
		} else {
			p.throwUniform(rng, balls)
		}
		if high != 0 {
			return round + 1, true
		}
	}
	return rounds, false
}

// serveAll takes a ball out of every non-empty bin. It returns a number that is not 0 if a lane is nearly
// full.
func (p *packed[T]) serveAll() uint64 {
	var high uint64
	served, highest, shift, words := 0, p.high, p.shift&63, p.words
	for i, w := range words {
		nonEmpty := (w&^highest + ^highest | w) & highest
		w -= nonEmpty >> shift
		words[i] = w
		served += bits.OnesCount64(nonEmpty)
		high |= w & (w << 1) & (w << 2) // the highest bit of each lane with its three highest bits set
	}
	p.balls -= int64(served)
	return high & highest
}

// throwUniform throws balls into uniformly random bins.
func (p *packed[T]) throwUniform(rng *mc.Rand, balls int) {
	switch p.draw.Lanes {
	case draw.Masked8:
		balls = throwMasked8(rng, p.lanes, p.draw.Mask, balls)
	case draw.Masked16:
		balls = throwMasked16(rng, p.lanes, p.draw.Mask, balls)
	case draw.Scaled16:
		balls = throwScaled16(rng, p.lanes, p.draw.Bins, p.draw.Carry, balls)
	}
	for balls > 0 {
		var bins [8]uint32
		n := min(balls, p.draw.Cut(rng.Uint64(), &bins))
		for _, bin := range bins[:n] {
			p.lanes[uint16(bin)]++
		}
		balls -= n
	}
}

// throwMasked8 throws 8 balls per random word and returns the number of balls left.
func throwMasked8[T lane](rng *mc.Rand, lanes *[maxPackedBins]T, mask uint64, balls int) int {
	r := *rng
	for ; balls >= 8; balls -= 8 {
		var w uint64
		w, r = r.Next()
		w &= mask
		lanes[uint8(w)]++
		lanes[uint8(w>>8)]++
		lanes[uint8(w>>16)]++
		lanes[uint8(w>>24)]++
		lanes[uint8(w>>32)]++
		lanes[uint8(w>>40)]++
		lanes[uint8(w>>48)]++
		lanes[uint8(w>>56)]++
	}
	*rng = r
	return balls
}

// throwMasked16 throws 4 balls per random word and returns the number of balls left.
func throwMasked16[T lane](rng *mc.Rand, lanes *[maxPackedBins]T, mask uint64, balls int) int {
	r := *rng
	for ; balls >= 4; balls -= 4 {
		var w uint64
		w, r = r.Next()
		w &= mask
		lanes[uint16(w)]++
		lanes[uint16(w>>16)]++
		lanes[uint16(w>>32)]++
		lanes[uint16(w>>48)]++
	}
	*rng = r
	return balls
}

// throwScaled16 throws 4 balls per random word and returns the number of balls left.
func throwScaled16[T lane](rng *mc.Rand, lanes *[maxPackedBins]T, bins uint32, carry uint64, balls int) int {
	r := *rng
	for balls >= 4 {
		var w uint64
		w, r = r.Next()
		even, odd, ok := draw.Products16(w, bins, carry)
		if !ok {
			continue
		}
		lanes[uint16(even>>16)]++
		lanes[uint16(odd>>16)]++
		lanes[uint16(even>>48)]++
		lanes[uint16(odd>>48)]++
		balls -= 4
	}
	*rng = r
	return balls
}

// throwTwoChoice throws balls into the less loaded of two random bins, by the loads before the batch. If
// they are equal, it takes the bin drawn first.
func (p *packed[T]) throwTwoChoice(rng *mc.Rand, balls int) {
	var pairs [512]uint16
	for balls > 0 {
		batch := pairs[:2*min(balls, len(pairs)/2)]
		draw.Fill(&p.draw, rng, batch)
		for i := 0; i < len(batch)-1; i += 2 {
			bin, other := batch[i], batch[i+1]
			// All ones if the other bin is less loaded. A branch would be mispredicted half of the time.
			less := uint16((int32(p.lanes[other]) - int32(p.lanes[bin])) >> 31)
			p.added[bin^(bin^other)&less]++
		}
		balls -= len(batch) / 2
	}
	for i, sum := range p.sums {
		p.words[i] += sum // a lane that wraps carries into the next; sound detects that as well
	}
	clear(p.sums)
}

func (p *packed[T]) load(bin int) int64 { return int64(p.lanes[bin]) }

func (p *packed[T]) setLoad(bin int, load int64) {
	p.balls += load - int64(p.lanes[bin])
	p.lanes[bin] = T(load)
}

func (p *packed[T]) sound() bool {
	var total int64
	for _, load := range p.lanes[:p.draw.Bins] {
		total += int64(load)
	}
	return total == p.balls
}
