package traffic

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"sort"
	"strconv"
	"strings"

	"repslab/faults"
	"repslab/internal/lines"
)

// maxSizePoints is the largest number of points of a Sizes.
const maxSizePoints = 1 << 16

// maxSizeBytes is the largest message that a Sizes may hold.
const maxSizeBytes = 1 << 40

// SizePoint is a point of a cumulative distribution: a fraction Part of the messages has at
// most Bytes bytes.
type SizePoint struct {
	Bytes float64
	Part  float64 // in [0, 1]
}

// Sizes is a distribution of message sizes with a piecewise linear cumulative distribution through (0, 0) and its
// points. Use [NewSizes], [ReadSizes], [WebSearch] or [Facebook]; methods of the zero value panic.
type Sizes struct{ points []SizePoint }

// NewSizes returns the distribution through the points, which it copies. Bytes, in [0, 2^40],
// and Part, in [0, 1], must not decrease from one point to the next, and one of them must
// increase; the last Part must be 1 and the last Bytes at least 1. There must be 1 to
// 2^16 points. Errors are [*faults.FieldError] values about "points" or "points[i]".
// O(points).
func NewSizes(points []SizePoint) (Sizes, error) {
	if len(points) == 0 || len(points) > maxSizePoints {
		return Sizes{}, faults.New("traffic", "points", len(points), "must be in [1, %d]", maxSizePoints)
	}
	if i, problem := faultOf(points); problem != "" {
		return Sizes{}, faults.New("traffic", fmt.Sprintf("points[%d]", i), points[i], "%s", problem)
	}
	return Sizes{append([]SizePoint{{}}, points...)}, nil
}

// faultOf returns the first point that violates a constraint, and the constraint, or "".
func faultOf(points []SizePoint) (i int, problem string) {
	var before SizePoint
	for i, p := range points {
		if problem := p.after(before, i == 0); problem != "" {
			return i, problem
		}
		before = p
	}
	if before.Part != 1 || before.Bytes < 1 {
		problem = "must have 1 byte or more and part 1, as the last one"
	}
	return len(points) - 1, problem
}

// after returns the constraint that a point following q violates, or "".
func (p SizePoint) after(q SizePoint, first bool) string {
	switch {
	case !(p.Bytes >= 0 && p.Bytes <= maxSizeBytes):
		return "must have a size in [0, 2^40]"
	case !(p.Part >= 0 && p.Part <= 1):
		return "must have a part in [0, 1]"
	case p.Bytes < q.Bytes || p.Part < q.Part:
		return fmt.Sprintf("must not fall below the one before, (%g, %g)", q.Bytes, q.Part)
	case p == q && !first:
		return "must differ from the one before"
	}
	return ""
}

// WebSearch returns the flow sizes of a web search cluster from the authors' generator:
// 2,786,250 bytes on average.
func WebSearch() Sizes {
	return mustSizes([]SizePoint{
		{0, 0}, {10e3, .15}, {20e3, .20}, {30e3, .30}, {50e3, .40}, {80e3, .53},
		{200e3, .60}, {1e6, .70}, {2e6, .80}, {10e6, .90}, {20e6, .97}, {40e6, 1},
	})
}

// Facebook returns the flow sizes of a Hadoop cluster from the authors' generator: 120,421
// bytes on average.
func Facebook() Sizes {
	return mustSizes([]SizePoint{
		{100, .01}, {200, .02}, {300, .05}, {350, .15}, {400, .20}, {500, .30}, {600, .40}, {700, .50}, {1e3, .60}, {2e3, .67},
		{7e3, .70}, {30e3, .72}, {50e3, .82}, {80e3, .87}, {120e3, .90}, {300e3, .95}, {1e6, .975}, {2e6, .99}, {10e6, 1},
	})
}

// mustSizes returns a distribution through points that are known to be valid.
func mustSizes(points []SizePoint) Sizes {
	s, err := NewSizes(points)
	if err != nil {
		panic(err)
	}
	return s
}

// check panics on the zero value.
func (s Sizes) check() {
	if len(s.points) == 0 {
		panic("traffic: a Sizes without points: use NewSizes, ReadSizes, WebSearch or Facebook")
	}
}

// Mean returns the mean in bytes, exact for the linear pieces; drawn sizes are rounded to
// bytes and are at least 1. O(points).
func (s Sizes) Mean() float64 {
	s.check()
	mean := 0.0
	for i, p := range s.points[1:] {
		mean += float64((p.Part - s.points[i].Part) * (p.Bytes + s.points[i].Bytes) / 2)
	}
	return mean
}

// Bounds outside of which the unit of sizes is likely another one than bytes.
const (
	leastBytes = 64   // the shortest frame of Ethernet
	smallBytes = 4096 // a packet
	largeBytes = 1e9  // 20 ms at 400 Gb/s
)

// unlikely reports whether a mean size is likely in another unit than bytes.
func unlikely(mean float64) bool { return mean < smallBytes || mean > largeBytes }

// Warnings says what a reader of a file of sizes may not expect: that many messages are uniform from 1 byte to the
// first size, and a mean or median that is unlikely in bytes. O(points).
func (s Sizes) Warnings() (list []string) {
	s.check()
	if p := s.points[1]; p.Part > 0 && p.Bytes > 1 {
		list = append(list, fmt.Sprintf("%.4g %% of the messages have 1 to %g bytes, uniformly, as the first point is (%g, %g); a point (%g, 0) before it gives them %g bytes",
			100*p.Part, p.Bytes, p.Bytes, p.Part, p.Bytes, p.Bytes))
	}
	if mean, median := s.Mean(), s.Quantile(0.5); unlikely(mean) || median < leastBytes {
		list = append(list, fmt.Sprintf("the mean is %.4g bytes and the median %.4g: sizes are read in bytes, not in packets or other units", mean, median))
	}
	return list
}

// Quantile returns the u-quantile of the sizes in bytes. It panics unless u is in [0, 1).
// O(log points).
func (s Sizes) Quantile(u float64) float64 {
	s.check()
	if !(u >= 0 && u < 1) {
		panic(fmt.Sprintf("traffic: Quantile: u (%v) must be in [0, 1)", u))
	}
	i := sort.Search(len(s.points), func(i int) bool { return s.points[i].Part > u })
	low, high := s.points[i-1], s.points[i]
	return low.Bytes + (high.Bytes-low.Bytes)*(u-low.Part)/(high.Part-low.Part)
}

// draw returns a size in bytes.
func (s Sizes) draw(random *rand.Rand) int64 {
	return max(1, int64(math.Round(s.Quantile(random.Float64()))))
}

// ReadSizes returns the distribution in a file. Each line has a size in bytes and, last, the cumulative fraction
// of messages up to this size: from 0 to 1, or to 100 in per cent, as the last line tells. A number between the
// two, as in files of ns-2, is not used. Numbers are separated by spaces or commas; all lines have equally many.
// The rules of [NewSizes] apply; sizes between 0 and 1 are errors, since they have another unit. Empty lines and lines
// that begin with # are ignored. Errors name the line. O(lines).
func ReadSizes(r io.Reader) (Sizes, error) {
	format := textFormat()
	format.Words = func(line string) []string { return lines.Words(strings.ReplaceAll(line, ",", " ")) }
	l := lines.New(r, format)
	var points []SizePoint
	var numbers []int
	columns := 0
	err := l.Each(func(words []string) error {
		if columns != 0 && len(words) != columns {
			return l.Wrong("found %d words, expected %d as before; a comma separates them", len(words), columns)
		}
		columns = len(words)
		p, err := sizePoint(l, words)
		if err == nil && len(points) == maxSizePoints {
			err = l.Wrong("more than %d points", maxSizePoints)
		}
		points, numbers = append(points, p), append(numbers, l.Number)
		return err
	})
	if err != nil {
		return Sizes{}, err
	}
	return scaledSizes(points, numbers)
}

// sizePoint reads a line.
func sizePoint(l *lines.Reader, words []string) (SizePoint, error) {
	if len(words) != 2 && len(words) != 3 {
		return SizePoint{}, l.Wrong("found %d words, expected a size in bytes and a part of the messages; a comma separates them", len(words))
	}
	bytes, err := number64(l, "size", words[0], maxSizeBytes)
	if err != nil {
		return SizePoint{}, err
	}
	if len(words) == 3 {
		if _, err := number64(l, "number between size and part", words[1], math.MaxInt64); err != nil {
			return SizePoint{}, err
		}
	}
	part, err := number64(l, "part", words[len(words)-1], 100)
	switch {
	case err != nil:
		err = fmt.Errorf("%w; the size comes first, the part last", err)
	case bytes > 0 && bytes < 1:
		err = l.Wrong("size: found %s, expected 0 or at least 1 byte: is the unit bytes, and does the size come first, the part last?", lines.Quote(words[0]))
	}
	return SizePoint{bytes, part}, err
}

// number64 reads a number in [0, most].
func number64(l *lines.Reader, key, word string, most float64) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v >= 0 && v <= most) {
		return 0, l.Wrong("%s: found %s, expected a number in [0, %.0f]", key, lines.Quote(word), most)
	}
	return math.Abs(v), nil // of -0
}

// scaledSizes returns the distribution of points from the given lines.
func scaledSizes(points []SizePoint, numbers []int) (Sizes, error) {
	if len(points) == 0 {
		return Sizes{}, errors.New("traffic: found no line, expected a size in bytes and a part of the messages on each")
	}
	last := len(points) - 1
	scale := points[last].Part
	if scale != 1 && scale != 100 {
		return Sizes{}, fmt.Errorf("traffic: line %d: part: found %g, expected the last one to be 1 or 100", numbers[last], scale)
	}
	for i := range points {
		points[i].Part /= scale
	}
	if last > 0 && points[0].Part == 1 {
		return Sizes{}, fmt.Errorf("traffic: line %d: part: found %g, expected less than in the last line; the size comes first, the part last", numbers[0], scale)
	}
	if i, problem := faultOf(points); problem != "" {
		return Sizes{}, fmt.Errorf("traffic: line %d: (%g, %g) %s", numbers[i], points[i].Bytes, points[i].Part, problem)
	}
	return NewSizes(points)
}
