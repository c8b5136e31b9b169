package ballsbins

import "repslab/mc"

// maxOneHotBins is the largest number of bins of the one-hot kernel: 32 loads of 8 bits fill four words,
// which stay in registers from round to round.
const maxOneHotBins = 32

// oneHot is the kernel for 2 to 32 bins, a power of two, under the policy Uniform. Loads are lanes of 8
// bits in four words, and several balls are added at once: a table maps 10 random bits, which draw a
// group of balls, to the sum of the balls' unit vectors. It stops as soon as the highest bit of a lane is
// set after a service. Since a round has at most 32 balls, no lane reaches 256.
type oneHot struct {
	loads lanes32
	bins  int

	table     *[1 << groupBits]lanes32
	group     int  // balls in a group; it divides the balls of a full round
	indexBits uint // log2 n
}

// groupBits is the number of random bits that draw a group; one word draws six groups.
const groupBits = 10

// lanes32 is 32 lanes of 8 bits, bin i in byte i mod 8 of word i / 8.
type lanes32 [4]uint64

// highest8 is the highest bit of every lane of 8 bits.
const highest8 = 0x8080808080808080

// newOneHot returns the kernel for n bins, a power of two in [2, 32].
func newOneHot(n int) *oneHot {
	o := &oneHot{bins: n, table: new([1 << groupBits]lanes32), group: 2}
	for 1<<o.indexBits < n {
		o.indexBits++
	}
	if n == 4 {
		o.group = 4
	}
	for drawn := range o.table {
		for ball := range o.group {
			o.table[drawn].add(drawn>>(o.indexBits*uint(ball))&(n-1), 1)
		}
	}
	return o
}

// add puts balls into a bin.
func (l *lanes32) add(bin int, balls int64) { l[bin>>3] += uint64(balls) << (8 * (bin & 7)) }

// at returns the load of a bin.
func (l *lanes32) at(bin int) int64 { return int64(l[bin>>3] >> (8 * (bin & 7)) & 0xff) }

// served8 takes a ball out of every lane of 8 bits that is not empty.
func served8(w uint64) uint64 {
	nonEmpty := (w&^uint64(highest8) + ^uint64(highest8) | w) & highest8
	return w - nonEmpty>>7
}

func (o *oneHot) reset() { o.loads = lanes32{} }

func (o *oneHot) advance(rng *mc.Rand, offered *arrivals, rounds int) (done int, full bool) {
	a, b, c, d := o.loads[0], o.loads[1], o.loads[2], o.loads[3]
	r, table := *rng, o.table
	high := uint64(0)
	for ; done < rounds && high == 0; done++ {
		a, b, c, d = served8(a), served8(b), served8(c), served8(d)
		high = (a | b | c | d) & highest8
		balls := offered.offered
		if offered.lambda < 1 {
			*rng = r
			balls = offered.next(rng)
			r = *rng
		}
		groups := balls / 2
		if o.group == 4 {
			groups = balls / 4
		}
		rest := balls - groups*o.group
		var w uint64
		for ; groups >= 6; groups -= 6 {
			w, r = r.Next()
			g0, g1, g2 := &table[w&0x3ff], &table[w>>10&0x3ff], &table[w>>20&0x3ff]
			a, b, c, d = a+g0[0], b+g0[1], c+g0[2], d+g0[3]
			a, b, c, d = a+g1[0], b+g1[1], c+g1[2], d+g1[3]
			a, b, c, d = a+g2[0], b+g2[1], c+g2[2], d+g2[3]
			g3, g4, g5 := &table[w>>30&0x3ff], &table[w>>40&0x3ff], &table[w>>50&0x3ff]
			a, b, c, d = a+g3[0], b+g3[1], c+g3[2], d+g3[3]
			a, b, c, d = a+g4[0], b+g4[1], c+g4[2], d+g4[3]
			a, b, c, d = a+g5[0], b+g5[1], c+g5[2], d+g5[3]
		}
		if groups+rest == 0 {
			continue
		}
		w, r = r.Next()
		for range groups {
			g := &table[w&0x3ff]
			a, b, c, d = a+g[0], b+g[1], c+g[2], d+g[3]
			w >>= groupBits
		}
		if rest > 0 {
			single := lanes32{a, b, c, d}
			for range rest {
				single.add(int(w)&(o.bins-1), 1)
				w >>= o.indexBits
			}
			a, b, c, d = single[0], single[1], single[2], single[3]
		}
	}
	o.loads, *rng = lanes32{a, b, c, d}, r
	return done, high != 0
}

func (o *oneHot) load(bin int) int64 { return o.loads.at(bin) }

func (o *oneHot) setLoad(bin int, load int64) { o.loads.add(bin, load-o.loads.at(bin)) }

// sound is always true: see the type.
func (o *oneHot) sound() bool { return true }
