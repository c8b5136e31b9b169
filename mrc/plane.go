package mrc

import "math/bits"

// State is the state of an EV.
type State uint8

// The states; see the package documentation. An EV that is not in the set is Denied.
const (
	Good State = iota
	Skip
	AssumedBad
	Denied
)

// String returns the name of the state as the specification writes it.
func (s State) String() string { return [...]string{"GOOD", "SKIP", "ASSUMED_BAD", "DENIED"}[s&3] }

// words is the number of words that have a bit for each EV of a set.
const words = MaxSet / 64

// plane holds the set of EVs of a plane, their states and the position of the rotation.
type plane struct {
	start, stride, inverse uint16 // EV k of the set is start + k stride, modulo the values; inverse is 1/stride
	position               uint16 // in the set: where the rotation goes on
	end                    uint16 // place after the last active EV
	active                 uint16 // number of active EVs
	// The state of EV k is bit k of second plus twice bit k of unusable. Places after the set are Denied.
	second, unusable [words]uint64
	taken            [words]uint64 // bit k: EV k has had its turn in this pass, with OrderDrawn
}

// maxStrides limits the strides drawn for a set. At least 0.19 of them are prime to the values, so only a broken
// generator comes to the limit.
const maxStrides = 256

// init draws a set of EVs, all of them Good. If no stride drawn is prime to the values, the stride is 1.
func (p *plane) init(c *constants, random Source) {
	values := uint64(c.values)
	*p = plane{start: uint16(below(random, values)), stride: 1, inverse: 1}
	for tries := 0; tries < maxStrides && values > 1; tries++ {
		stride := 1 + below(random, values-1)
		if inverse, ok := invert(stride, values); ok {
			p.stride, p.inverse = uint16(stride), uint16(inverse)
			break
		}
	}
	for i := range p.second {
		p.second[i] = ^uint64(0) << max(0, min(64, int(c.set)-64*i))
	}
	p.unusable = p.second
	p.findEnd(c)
}

// below returns a uniform number below n, up to a relative bias of n/2^64.
func below(random Source, n uint64) uint64 {
	number, _ := bits.Mul64(random.Uint64(), n)
	return number
}

// invert returns the inverse of a modulo modulus by Euclid's algorithm, and false if there is none.
func invert(a, modulus uint64) (inverse uint64, ok bool) {
	r, next := int64(modulus), int64(a)
	t, nextT := int64(0), int64(1)
	for next != 0 {
		q := r / next
		r, next = next, r-q*next
		t, nextT = nextT, t-q*nextT
	}
	if t < 0 {
		t += int64(modulus)
	}
	return uint64(t), r == 1
}

// value returns EV k of the set.
func (p *plane) value(c *constants, k int) uint16 {
	return uint16((uint64(p.start) + uint64(k)*uint64(p.stride)) % uint64(c.values))
}

// place returns the place of an EV in the set, and false if the set does not have it.
func (p *plane) place(c *constants, value uint16) (k int, ok bool) {
	values := uint64(c.values)
	place := (uint64(value) + values - uint64(p.start)) % values * uint64(p.inverse) % values
	return int(place), uint64(value) < values && place < uint64(c.set)
}

// state returns the state of EV k.
func (p *plane) state(k int) State {
	word, bit := k/64, uint(k%64)
	return State(p.second[word]>>bit&1 | p.unusable[word]>>bit&1<<1)
}

// set gives EV k a state.
func (p *plane) set(c *constants, k int, s State) {
	word, bit := k/64, uint64(1)<<(k%64)
	before := p.unusable[word]
	p.second[word] &^= bit
	p.unusable[word] &^= bit
	p.second[word] |= uint64(s&1) << (k % 64)
	p.unusable[word] |= uint64(s>>1) << (k % 64)
	if p.unusable[word] != before {
		p.findEnd(c)
	}
}

// findEnd counts the active EVs and finds the place after the last of them.
func (p *plane) findEnd(c *constants) {
	left := int(c.active)
	for i, unusable := range p.unusable {
		usable := ^unusable
		if count := bits.OnesCount64(usable); count < left {
			left -= count
			continue
		}
		for ; left > 1; left-- {
			usable &= usable - 1
		}
		p.end, p.active = uint16(64*i+bits.TrailingZeros64(usable)+1), c.active
		return
	}
	p.end, p.active = c.set, c.active-uint16(left)
}

// next takes the next EV of the rotation; some EV must be active. An EV that is Skip is passed over: it becomes
// Good for the next time if this packet may still reset one. If no EV is Good, the first one may be reset and
// used.
func (p *plane) next(c *constants, orders *splitMix) (k int) {
	mayReset := c.skips != SkipHeld || !p.anyOutside(&p.second)
	for {
		if c.order == OrderDrawn {
			k = p.draw(orders)
		} else {
			k = p.following()
		}
		word, bit := k/64, uint64(1)<<(k%64)
		if p.second[word]&bit == 0 {
			return k
		}
		if mayReset {
			p.second[word] &^= bit
			mayReset = c.skips == SkipRotation
		}
	}
}

// following takes the next active EV in the order of the set.
func (p *plane) following() (k int) {
	if k = p.from(int(p.position)); k < 0 {
		k = p.from(0)
	}
	p.position = uint16(k + 1)
	return k
}

// from returns the first active EV at or after place k of the set, or -1.
func (p *plane) from(k int) int {
	for ; k < int(p.end); k = (k/64 + 1) * 64 {
		if usable := ^p.unusable[k/64] >> (k % 64); usable != 0 {
			if k += bits.TrailingZeros64(usable); k < int(p.end) {
				return k
			}
			break
		}
	}
	return -1
}
