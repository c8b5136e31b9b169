package allocation

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"repslab/faults"
	"repslab/internal/draw"
	"repslab/mc"
)

// SamplingLaw selects the probabilities of the bins in a sample.
type SamplingLaw string

// The laws of samples. Probabilities are proportional to the shares given here.
const (
	Uniform SamplingLaw = "uniform" // equal; the default
	Half    SamplingLaw = "half"    // 1 + a for the first floor(n/2) bins, 1 - a for the others
	Given   SamplingLaw = "given"   // Sampling.Shares, repeated over the bins
)

// samplingLaws lists the laws of samples, the default first.
func samplingLaws() []SamplingLaw { return []SamplingLaw{Uniform, Half, Given} }

// Sampling describes the law of the samples.
type Sampling struct {
	Law       SamplingLaw // empty means Uniform
	Parameter float64     // a in [0, 1] of Half
	Shares    []float64   // of Given, at most Bins, each in [0, 1e6], not all 0
}

// maxShare bounds shares, so that their sums and ratios are precise.
const maxShare = 1e6

// String returns the law with its parameter or its shares: "half:0.5", "given:3:1".
func (s Sampling) String() string {
	if s.Law == Half {
		return withList(string(s.Law), []float64{s.Parameter})
	}
	return withList(string(s.Law), s.Shares)
}

// ParseSampling parses the text that String writes; for other texts the error lists the allowed forms.
// Config.Validate, not ParseSampling, refuses numbers out of range. O(length).
func ParseSampling(text string) (Sampling, error) {
	law, list, _ := strings.Cut(text, ":")
	s := Sampling{Law: SamplingLaw(law)}
	numbers, err := parseList(list, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	known := slices.Contains(samplingLaws(), s.Law)
	if err != nil || !known || s.Law == Half && len(numbers) != 1 || s.Law != Half && (s.Law == Given) != (len(numbers) > 0) {
		return s, fmt.Errorf("%.60q must be uniform, half:A or given:SHARE:SHARE", text)
	}
	if s.Law == Half {
		s.Parameter = numbers[0]
	} else {
		s.Shares = numbers
	}
	return s, nil
}

// check refuses laws that n bins cannot have.
func (s Sampling) check(f *faults.List, n int) {
	most, shares := maxShare, s.Shares
	switch s.Law {
	case Half:
		most, shares = 1, []float64{s.Parameter}
	case Given:
		f.Check(len(shares) >= 1 && len(shares) <= n, "Sampling", s, "must list 1 to Bins=%d shares", n)
		positive := slices.ContainsFunc(shares, func(v float64) bool { return v > 0 })
		f.Check(positive, "Sampling", s, "must have a share above 0")
	default:
		faults.OneOf(f, "Sampling", s.Law, samplingLaws())
	}
	bad := slices.ContainsFunc(shares, func(v float64) bool { return !(v >= 0 && v <= most) })
	f.Check(!bad && !math.IsNaN(s.Parameter), "Sampling", s, "must have numbers in [0, %v]", most)
	f.Check(s.Law != Half || n > 1 || s.Parameter < 1, "Sampling", s, "must have a share above 0")
}

// shares returns the shares to which the probabilities of n bins are proportional, nil if all are equal.
func (s Sampling) shares(n int) []float64 {
	if s.Law == Uniform {
		return nil
	}
	shares := make([]float64, n)
	for i := range shares {
		switch {
		case s.Law == Given:
			shares[i] = s.Shares[i%len(s.Shares)]
		case i < n/2:
			shares[i] = 1 + s.Parameter
		default:
			shares[i] = 1 - s.Parameter
		}
	}
	return shares
}

// filler draws samples.
type filler func(rng *mc.Rand, into []uint32)

// samples hands out samples. It draws them for many balls at a time, in portions that do not depend on
// how the balls of a run are split into calls.
type samples struct {
	each   int // samples per ball; 0 if it varies
	fill   filler
	buffer []uint32
	size   int      // samples drawn the next time; it doubles up to the size of the buffer
	drawn  []uint32 // neither ready nor handed out
	left   []uint32 // ready, not yet handed out
	rng    mc.Rand

	touch   func(samples []uint32) int64 // prefetches the loads of samples; nil if all loads fit in the nearest cache
	touched int64                        // the sum of its results, never used
}

// cachedBins is the number of bins from which on loads are prefetched, many at a time. A rule reads one
// load after the other and would wait for each.
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

// refill makes samples ready if none are left: all that are drawn or, with prefetching, as many as the
// nearest cache has room for.
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

// ready returns the number of balls, at least 1, with samples ready.
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

// next returns one sample.
func (s *samples) next() uint32 {
	s.refill()
	return s.take(1)[0]
}

// newFiller returns the function that draws the samples of a configuration.
func newFiller(c Config) filler {
	drawer := draw.New(c.Bins)
	fill := func(rng *mc.Rand, into []uint32) { draw.Fill(&drawer, rng, into) }
	if c.Sampling.Law != Uniform {
		fill = sharesFiller(c.Sampling.shares(c.Bins))
	}
	switch {
	case c.Rule == AlwaysGoLeft:
		return groupsFiller(c.Bins, c.Choices)
	case c.Rule == OnePlusBeta:
		return mixedFiller(fill, c.Beta)
	case c.Rule == Quantile && c.Eta < 1:
		return mixedFiller(fill, c.Eta)
	}
	return fill
}

// sharesFiller draws bins with given probabilities. If the bins form few runs of equal probability, it
// draws a run and then a bin of the run: a table of all bins would miss the caches.
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

// groupsFiller draws each ball's samples from groups of bins in turn. Group k has the bins from floor(k n/d) to
// floor((k+1) n/d) - 1.
func groupsFiller(n, groups int) filler {
	first := make([]uint32, groups+1)
	for k := range first {
		first[k] = uint32(k * n / groups)
	}
	return func(rng *mc.Rand, into []uint32) {
		r, k := *rng, 0
		for i := range into {
			var place uint64
			place, r = r.NextBelow(uint64(first[k+1] - first[k]))
			into[i] = first[k] + uint32(place)
			if k++; k == groups {
				k = 0
			}
		}
		*rng = r
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

// column is a bin and the other bin that shares its column. A sample takes the bin itself if the fraction
// left of its word is below own, and the other bin otherwise.
type column struct {
	own   uint64
	other uint32
}

// newAlias returns the alias table with probabilities proportional to shares, with an error of 2^-52
// relative to the largest. O(n).
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
	for _, i := range append(small, large...) { // their columns are full, up to rounding
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
