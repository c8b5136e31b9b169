package allocation

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/draw"
	"repslab/mc"
)

// SamplingLaw selects the probabilities of the bins in a sample.
type SamplingLaw string

// The laws of samples. Probabilities are proportional to the shares named.
const (
	Uniform   SamplingLaw = "uniform"   // equal; the default
	Half      SamplingLaw = "half"      // 1 + a for the first floor(n/2) bins, 1 - a for the others
	Linear    SamplingLaw = "linear"    // i for bin i = 1 ... n
	One       SamplingLaw = "one"       // w for the first bin, 1 for the others
	Given     SamplingLaw = "given"     // Sampling.Shares, repeated over the bins
	Cycle     SamplingLaw = "cycle"     // the two samples are the ends of a uniform edge of the cycle
	Hypercube SamplingLaw = "hypercube" // the same for the hypercube of 2^k = n bins
)

// SamplingLaws lists the laws of samples, the default first.
func SamplingLaws() []SamplingLaw {
	return []SamplingLaw{Uniform, Half, Linear, One, Given, Cycle, Hypercube}
}

// Sampling describes the law of the samples.
type Sampling struct {
	Law       SamplingLaw // empty means Uniform
	Parameter float64     // a in [0, 1] of Half, w in [0, 1e6] of One
	Shares    []float64   // of Given, at most Bins, each in [0, 1e6], not all 0
}

// maxShare bounds shares, so that their sums and ratios are precise.
const maxShare = 1e6

// String returns the law with its parameter or its shares: "half:0.5", "given:3:1".
func (s Sampling) String() string {
	if s.Law == Half || s.Law == One {
		return withList(string(s.Law), []float64{s.Parameter})
	}
	return withList(string(s.Law), s.Shares)
}

// ParseSampling reads what String writes; the error of another text lists the forms. Numbers out of
// range are left to Config.Validate. O(length).
func ParseSampling(text string) (Sampling, error) {
	law, list, _ := strings.Cut(text, ":")
	s := Sampling{Law: SamplingLaw(law)}
	numbers, err := parseList(list, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	parametric := s.Law == Half || s.Law == One
	known := slices.Contains(SamplingLaws(), s.Law)
	if err != nil || !known || parametric && len(numbers) != 1 || !parametric && (s.Law == Given) != (len(numbers) > 0) {
		return s, fmt.Errorf("%.60q must be uniform, half:A, linear, one:W, given:SHARE:SHARE..., cycle or hypercube", text)
	}
	if parametric {
		s.Parameter = numbers[0]
	} else {
		s.Shares = numbers
	}
	return s, nil
}

// graph reports whether samples are the ends of an edge.
func (s Sampling) graph() bool { return s.Law == Cycle || s.Law == Hypercube }

// check refuses laws that n bins cannot have.
func (s Sampling) check(f *mc.Faults, n int) {
	most, shares := maxShare, s.Shares
	switch s.Law {
	case Half:
		most, shares = 1, []float64{s.Parameter}
	case One:
		shares = []float64{s.Parameter}
	case Given:
		f.Check(len(shares) >= 1 && len(shares) <= n, "Sampling", s, "must list 1 to Bins=%d shares", n)
		positive := slices.ContainsFunc(shares, func(v float64) bool { return v > 0 })
		f.Check(positive, "Sampling", s, "must have a share above 0")
	case Cycle:
		f.Check(n >= 3, "Sampling", s, "needs Bins (%d) of at least 3", n)
	case Hypercube:
		f.Check(n >= 2 && n&(n-1) == 0, "Sampling", s, "needs Bins (%d) to be a power of two from 2 on", n)
	default:
		mc.OneOf(f, "Sampling", s.Law, SamplingLaws())
	}
	bad := slices.ContainsFunc(shares, func(v float64) bool { return !(v >= 0 && v <= most) })
	f.Check(!bad, "Sampling", s, "must have numbers in [0, %v]", most)
	empty := n == 1 && (s.Law == One && s.Parameter == 0 || s.Law == Half && s.Parameter == 1)
	f.Check(!empty, "Sampling", s, "must have a share above 0")
}

// shares returns what the probabilities of n bins are proportional to; nil if they are equal.
func (s Sampling) shares(n int) []float64 {
	if s.Law == Uniform || s.graph() {
		return nil
	}
	shares := make([]float64, n)
	for i := range shares {
		switch s.Law {
		case Half:
			shares[i] = 1 + s.Parameter
			if i >= n/2 {
				shares[i] = 1 - s.Parameter
			}
		case Linear:
			shares[i] = float64(i + 1)
		case One:
			shares[i] = 1
		case Given:
			shares[i] = s.Shares[i%len(s.Shares)]
		}
	}
	if s.Law == One {
		shares[0] = s.Parameter
	}
	return shares
}

// leastShare is the least share, relative to the largest one, of a bin that distinct samples may need:
// samples are redrawn until they differ.
const leastShare = 0x1p-20

// possible returns the number of bins that distinct samples can count on.
func (s Sampling) possible(n int) int {
	shares := s.shares(n)
	if shares == nil {
		return n
	}
	least, count := leastShare*slices.Max(shares), 0
	for _, v := range shares {
		if v > 0 && v >= least {
			count++
		}
	}
	return count
}

// filler draws samples.
type filler func(rng *mc.Rand, into []uint32)

// samples hands out samples. It draws them for many balls at a time, for how many does not depend on
// how the balls of a run are split into calls.
type samples struct {
	each   int // of a ball; 0 if that varies
	fill   filler
	buffer []uint32
	size   int      // samples drawn the next time, which doubles up to the buffer
	drawn  []uint32 // neither ready nor handed out
	left   []uint32 // ready, not yet handed out
	rng    mc.Rand

	touch   func(samples []uint32) int64 // reads ahead what balls read of them; nil if it is in the nearest cache
	touched int64                        // the sum of its results
}

// cachedBins is the number of bins from which the loads of samples are read ahead, many at a time:
// rules wait for one load after the other.
const cachedBins = 1 << 14

// newSamples returns the samples of a configuration with defaults applied.
func newSamples(c Config, each int) samples {
	buffer := max(1, each)
	for buffer < 2*block {
		buffer *= 2
	}
	return samples{each: each, fill: newFiller(c), buffer: make([]uint32, buffer)}
}

func (s *samples) reset(rng mc.Rand) {
	s.rng, s.left, s.drawn = rng, nil, nil
	for s.size = len(s.buffer); s.size > 16 && s.size/2%max(1, s.each) == 0 && s.size%2 == 0; {
		s.size /= 2
	}
}

// refill makes samples ready if none are left: all that are drawn, or as many as the nearest cache has
// room for.
func (s *samples) refill() {
	if len(s.left) > 0 {
		return
	}
	if len(s.drawn) == 0 {
		s.drawn = s.buffer[:s.size]
		s.fill(&s.rng, s.drawn)
		s.size = min(2*s.size, len(s.buffer))
	}
	s.left, s.drawn = s.drawn, nil
	if s.touch != nil {
		ready := min(len(s.left), max(s.each, len(s.buffer)/4))
		s.left, s.drawn = s.left[:ready], s.left[ready:]
		s.touched += s.touch(s.left)
	}
}

// ready returns the number of balls, at least 1, whose samples are ready.
func (s *samples) ready() int {
	if s.each == 0 {
		return block
	}
	s.refill()
	return len(s.left) / s.each
}

// take returns samples that are ready.
func (s *samples) take(count int) []uint32 {
	taken := s.left[:count]
	s.left = s.left[count:]
	return taken
}

// peek returns the next samples, which stay.
func (s *samples) peek(count int) []uint32 {
	s.refill()
	return s.left[:count]
}

// next returns one sample.
func (s *samples) next() uint32 {
	s.refill()
	return s.take(1)[0]
}

// newFiller returns the law of the samples of a rule.
func newFiller(c Config) filler {
	if c.Rule == Left {
		return leftFiller(c.Bins, c.Choices)
	}
	var fill filler
	switch n := c.Bins; c.Sampling.Law {
	case Cycle:
		fill = edgeFiller(2*n, func(edge uint32) (bin, other uint32) {
			ends := [2]uint32{edge >> 1, (edge>>1 + 1) % uint32(n)}
			return ends[edge&1], ends[edge&1^1]
		})
	case Hypercube:
		dimensions := bits.Len(uint(n)) - 1
		fill = edgeFiller(n*dimensions, func(edge uint32) (bin, other uint32) {
			bin = edge & uint32(n-1)
			return bin, bin ^ 1<<(edge>>dimensions)
		})
	case Uniform:
		drawer := draw.New(n)
		fill = func(rng *mc.Rand, into []uint32) { draw.Fill(&drawer, rng, into) }
	default:
		fill = sharesFiller(c.Sampling.shares(n))
	}
	switch {
	case c.Rule == Distinct:
		fill = distinctFiller(fill, c.Choices, c.Sampling.Law != Uniform)
	case c.Rule == OnePlusBeta:
		fill = mixedFiller(fill, c.Beta)
	case c.Rule == Quantile && c.Eta < 1:
		fill = mixedFiller(fill, c.Eta)
	}
	return fill
}

// leftFiller draws groups of d samples, one of each of d ranges of bins.
func leftFiller(n, d int) filler {
	size := n / d
	drawer := draw.New(size)
	return func(rng *mc.Rand, into []uint32) {
		draw.Fill(&drawer, rng, into)
		for i := 1; i < d; i++ {
			for at := i; at < len(into); at += d {
				into[at] += uint32(i * size)
			}
		}
	}
}

// edgeFiller draws the ends of uniform edges, each of which has a number for either order of its ends.
func edgeFiller(edges int, ends func(edge uint32) (bin, other uint32)) filler {
	drawer := draw.New(edges)
	return func(rng *mc.Rand, into []uint32) {
		half := into[len(into)/2:]
		draw.Fill(&drawer, rng, half)
		for i, edge := range half {
			into[2*i], into[2*i+1] = ends(edge)
		}
	}
}

// sharesFiller draws bins with given probabilities. A table of all bins that misses the caches is
// avoided if few neighbours differ in their probabilities: then it draws a run of equal ones, and a
// bin of the run.
func sharesFiller(shares []float64) filler {
	type run struct{ first, size uint32 }
	var runs []run
	for i, share := range shares {
		if i == 0 || share != shares[i-1] {
			runs = append(runs, run{first: uint32(i)})
		}
		runs[len(runs)-1].size++
	}
	if len(shares) < cachedBins || len(runs) >= cachedBins {
		return newAlias(shares).fill
	}
	sums := make([]float64, len(runs))
	for i, of := range runs {
		sums[i] = shares[of.first] * float64(of.size)
	}
	chosen := newAlias(sums)
	return func(rng *mc.Rand, into []uint32) {
		chosen.fill(rng, into)
		r := *rng
		for i, at := range into {
			of := runs[at]
			var place uint64
			place, r = r.NextBelow(uint64(of.size))
			into[i] = of.first + uint32(place)
		}
		*rng = r
	}
}

// distinctFiller redraws samples of a ball that are the same bin. With unequal probabilities it
// shuffles them then: the first tend to be likelier bins.
func distinctFiller(fill filler, d int, shuffle bool) filler {
	return func(rng *mc.Rand, into []uint32) {
		fill(rng, into)
		for ; len(into) > 0; into = into[d:] {
			if d == 2 && !shuffle && into[0] != into[1] {
				continue
			}
			for i := 1; i < d; i++ {
				for slices.Contains(into[:i], into[i]) {
					fill(rng, into[i:i+1])
				}
			}
			for i := 1; shuffle && i < d; i++ {
				j := rng.Below(uint64(i + 1))
				into[i], into[j] = into[j], into[i]
			}
		}
	}
}

// mixedFiller replaces the second sample of a ball by the first, except with a probability.
func mixedFiller(fill filler, probability float64) filler {
	threshold := uint64(math.Ceil(probability * (1 << 53)))
	return func(rng *mc.Rand, into []uint32) {
		fill(rng, into)
		r := *rng
		for i := 0; i < len(into)-1; i += 2 {
			var word uint64
			word, r = r.Next()
			// All ones if the ball has one sample.
			one := uint32(int64(threshold-1-word>>11) >> 63)
			into[i+1] ^= (into[i] ^ into[i+1]) & one
		}
		*rng = r
	}
}

// alias draws bins with given probabilities from one word each [Walker77].
type alias struct {
	columns []column
}

// column is a bin and the other bin that shares its column. A sample takes the bin itself if its fraction
// of a word is below own, else the other.
type column struct {
	own   uint64
	other uint32
}

// newAlias returns the law with probabilities proportional to shares, up to 2^-52 relative to
// the largest. O(n).
func newAlias(shares []float64) *alias {
	n := len(shares)
	a := &alias{make([]column, n)}
	var sum float64
	for _, v := range shares {
		sum += v
	}
	scaled := make([]float64, n)
	var small, large []uint32
	for i, v := range shares {
		if scaled[i] = v / sum * float64(n); scaled[i] < 1 {
			small = append(small, uint32(i))
		} else {
			large = append(large, uint32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.columns[s] = column{uint64(float64(scaled[s] * 0x1p64)), l}
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) { // their columns are full, but for rounding
		a.columns[i] = column{math.MaxUint64, i}
	}
	return a
}

func (a *alias) fill(rng *mc.Rand, into []uint32) {
	r, columns := *rng, a.columns
	n := uint64(len(columns))
	for i := range into {
		var w uint64
		w, r = r.Next()
		bin, fraction := bits.Mul64(w, n)
		c := &columns[bin]
		_, own := bits.Sub64(fraction, c.own, 0) // 1 if the fraction is below
		into[i] = uint32(bin) ^ (uint32(bin)^c.other)&(uint32(own)-1)
	}
	*rng = r
}
