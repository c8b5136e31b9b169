package plot

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// ticker chooses the ticks of an axis, in scale coordinates, and their labels:
// the densest that keep their distance. The library's tickers know neither the
// length of the axis nor the width of labels, and print 1e+02.
type ticker struct {
	axis   Axis
	set    *typesetter
	size   vg.Length // of labels
	across bool      // the axis is horizontal
	length vg.Length // of the axis on the page
}

// ticks returns the ticks of the range [lo, hi].
func (t *ticker) ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for _, set := range t.sets(lo, hi) {
		ticks = nil
		for i, v := range set.values {
			label := ""
			if i < len(set.labels) {
				label = set.labels[i]
			}
			if u := t.axis.Scale.forward(v); u >= lo-1e-9*(hi-lo) && u <= hi+1e-9*(hi-lo) {
				ticks = append(ticks, plot.Tick{Value: max(lo, min(hi, u)), Label: label})
			}
		}
		if t.roomy(ticks, float64(t.length)/(hi-lo)) {
			break
		}
	}
	return ticks // failing all, the sparsest set, or the fixed one
}

// sets returns ways to mark the range [lo, hi], the densest first.
func (t *ticker) sets(lo, hi float64) []tickSet {
	if t.axis.Ticks != nil {
		return []tickSet{fixedTickSet(t.axis)}
	}
	if !t.across {
		return tickSets(t.axis.Scale, lo, hi, max(2, min(6, int(t.length/(2.4*t.size)))))
	}
	most := max(2, min(6, int(t.length/(3.4*t.size))))
	if t.axis.Scale == Log2 {
		most += 2
	}
	return tickSets(t.axis.Scale, lo, hi, most)
}

// roomy reports whether the labels keep their distance on an axis with so many
// points of length per unit.
func (t *ticker) roomy(ticks []plot.Tick, unit float64) bool {
	for i := 1; i < len(ticks) && !ticks[i].IsMinor(); i++ {
		need := 1.35 * t.size
		if t.across {
			need = (t.set.width(ticks[i-1].Label, t.size)+t.set.width(ticks[i].Label, t.size))/2 + 0.6*t.size
		}
		if math.Abs(ticks[i].Value-ticks[i-1].Value)*unit < float64(need) {
			return false
		}
	}
	return true
}

// tickSet is one way to mark an axis, in data units. Values beyond the labels
// are short ticks.
type tickSet struct {
	values []float64
	labels []string
}

// tickSets returns ways to mark the range [lo, hi], given in scale
// coordinates, the densest first: at least one, with at least one tick if the
// axis is linear.
func tickSets(s Scale, lo, hi float64, most int) []tickSet {
	var sets []tickSet
	add := func(t tickSet, most int) {
		if n := len(t.labels); n > 0 && n <= most {
			sets = append(sets, t)
		}
	}
	powers := int(math.Floor(hi+1e-9)) - int(math.Ceil(lo-1e-9)) + 1
	if s == Log10 && powers < 3 {
		for _, m := range [][]float64{digits(), {1, 2, 5}, {1, 3}} {
			if t := mantissaTicks(lo, hi, m); len(t.labels) >= 3 {
				add(t, most+1)
			}
		}
	}
	for n := most; n >= 1 && (s == Linear || powers < 2); n-- {
		add(linearTicks(s.back(lo), s.back(hi), n), n)
	}
	for stride := 1 + powers/(most+3); s != Linear && stride <= powers; stride++ {
		add(powerTicks(s, lo, hi, stride), most+2)
	}
	return sets
}

// linearTicks returns at most n ticks of [lo, hi] at multiples of 1, 2 or 5
// times a power of ten, or of 2.5 times one where that gives at least four.
func linearTicks(lo, hi float64, n int) tickSet {
	count := func(step float64) int {
		return int(math.Floor(hi/step+1e-9)-math.Ceil(lo/step-1e-9)) + 1
	}
	base, step := math.Pow(10, math.Floor(math.Log10((hi-lo)/float64(n)))-1), 0.0
	for _, m := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if step = m * base; count(step) <= n {
			break
		}
	}
	for _, m := range []float64{2.5, 25, 250} {
		if s := m * base; s < step && count(step) < 4 && count(s) >= 4 && count(s) <= n {
			step = s
		}
	}
	first := math.Ceil(lo/step - 1e-9)
	var t tickSet
	for i := range count(step) {
		t.values = append(t.values, rounded((first+float64(i))*step))
	}
	t.labels = numberLabels(t.values)
	return t
}

// rounded returns v with twelve significant digits, and no negative zero:
// multiples of a power of ten below one are not exact.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return v + 0
}

// powerTicks returns ticks at the powers of the scale's base whose exponent is
// a multiple of stride, and short ones between.
func powerTicks(s Scale, lo, hi float64, stride int) tickSet {
	var t tickSet
	var short []float64
	for k := int(math.Ceil(lo - 1e-9)); k <= int(math.Floor(hi+1e-9)); k++ {
		if k%stride == 0 {
			t.values = append(t.values, s.back(float64(k)))
		} else {
			short = append(short, s.back(float64(k)))
		}
	}
	if s == Log10 && stride == 1 {
		short = mantissas(lo, hi, digits()[1:])
	}
	t.labels = powerLabels(s, t.values)
	t.values = append(t.values, short...)
	return t
}

// mantissaTicks returns labelled ticks at ms times the powers of ten, and short
// ones at the other multiples.
func mantissaTicks(lo, hi float64, ms []float64) tickSet {
	values := mantissas(lo, hi, ms)
	return tickSet{append(values, mantissas(lo, hi, digits())...), plainLabels(values)}
}

// digits returns the mantissas of all ticks of a logarithmic axis.
func digits() []float64 { return []float64{1, 2, 3, 4, 5, 6, 7, 8, 9} }

// mantissas returns the numbers m * 10^k, m of ms and k an integer, whose
// logarithm is in [lo, hi].
func mantissas(lo, hi float64, ms []float64) []float64 {
	var out []float64
	for k := math.Floor(lo) - 1; k <= hi; k++ {
		for _, m := range ms {
			if u := k + math.Log10(m); u >= lo-1e-9 && u <= hi+1e-9 {
				out = append(out, rounded(m*math.Pow(10, k)))
			}
		}
	}
	return out
}

// powerLabels returns the labels of powers of the scale's base: 2^k as plain
// numbers as long as all of them are between 1 and 65536, else raised exponents.
func powerLabels(s Scale, values []float64) []string {
	out := make([]string, len(values))
	plain, base := s == Log2, map[Scale]string{Log2: "2", Log10: "10"}[s]
	for _, v := range values {
		plain = plain && v >= 1 && v <= 1<<16
	}
	for i, v := range values {
		if out[i] = strconv.FormatFloat(v, 'f', -1, 64); !plain {
			out[i] = base + "^{" + strconv.Itoa(int(math.Round(s.forward(v)))) + "}"
		}
	}
	return out
}

// numberLabels returns labels with equal decimals, or with a common power of
// ten where plain numbers would be long.
func numberLabels(values []float64) []string {
	largest, power, end := 0.0, 1.0, ""
	for _, v := range values {
		largest = max(largest, math.Abs(v))
	}
	if largest > 0 && (largest >= 1e6 || largest < 1e-3 || decimalsOf(values, 1) > 6) {
		k := math.Floor(math.Log10(largest) + 1e-9)
		power, end = math.Pow(10, k), "×10^{"+strconv.Itoa(int(k))+"}"
	}
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = strconv.FormatFloat(v/power, 'f', decimalsOf(values, power), 64) + end; v == 0 && end != "" {
			out[i] = "0"
		}
	}
	return out
}

// decimalsOf returns how many decimals the values need, in multiples of power.
func decimalsOf(values []float64, power float64) int {
	most := 0
	for _, v := range values {
		_, decimals, _ := strings.Cut(strconv.FormatFloat(rounded(v/power), 'f', -1, 64), ".")
		most = max(most, len(decimals))
	}
	return most
}

// plainLabels returns every value in its own shortest form.
func plainLabels(values []float64) []string {
	var out []string
	for i := range values {
		out = append(out, numberLabels(values[i:i+1])...)
	}
	return out
}

// fixedTickSet returns the ticks that a asks for, with labels as an automatic
// axis would write them.
func fixedTickSet(a Axis) tickSet {
	powers := a.Scale != Linear
	for _, v := range a.Ticks {
		u := a.Scale.forward(v)
		powers = powers && math.Abs(u-math.Round(u)) <= 1e-9
	}
	switch {
	case a.TickLabels != nil:
		return tickSet{a.Ticks, a.TickLabels}
	case powers:
		return tickSet{a.Ticks, powerLabels(a.Scale, a.Ticks)}
	case a.Scale == Linear:
		return tickSet{a.Ticks, numberLabels(a.Ticks)}
	default:
		return tickSet{a.Ticks, plainLabels(a.Ticks)}
	}
}
