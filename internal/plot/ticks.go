package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/internal/lists"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// setTicks chooses the ticks of an axis of the given length on the page, in scale coordinates, and their
// labels: the densest set whose labels keep their distance. It returns the length of a unit, in points,
// and whether the labels keep their distance. (The tickers of the library know neither the length of the
// axis nor the width of labels, and print 1e+02.)
func (a *axis) setTicks(length vg.Length) (unit float64, roomy bool) {
	lo, hi := a.ends.Min, a.ends.Max
	unit = float64(length) / (hi - lo)
	if a.hasZero {
		lo = a.positive
	}
	sets := a.tickSets(lo, hi, a.mostTicks(length))
	if few := lists.Where(a.Few, func(v float64) bool { return finite(a.Scale.forward(v)) }); few != nil && a.Ticks == nil {
		sets = slices.Insert(sets, 0, tickSet{values: few, labels: tickLabels(a.Scale, few)})
	}
	for stride := 2; !a.across && stride < 2*len(a.TickLabels); stride *= 2 { // a horizontal axis turns its labels
		var set tickSet
		for i := 0; i < len(a.TickLabels); i += stride {
			set.values, set.labels = append(set.values, a.Ticks[i]), append(set.labels, a.TickLabels[i])
		}
		sets = append(sets, set)
	}
	for _, set := range sets {
		a.ticks = nil
		if a.hasZero {
			a.ticks = []plot.Tick{{Value: a.zero, Label: "0"}}
		}
		add := func(v float64, label string) {
			if u := a.Scale.forward(v); u >= lo-1e-9*(hi-lo) && u <= hi+1e-9*(hi-lo) {
				a.ticks = append(a.ticks, plot.Tick{Value: max(lo, min(hi, u)), Label: label})
			}
		}
		for i, v := range set.values {
			add(v, set.labels[i])
		}
		for _, v := range set.short {
			add(v, "")
		}
		if roomy = a.roomy(unit); roomy {
			break
		}
	}
	return unit, roomy // otherwise the ticks are the sparsest set, or the fixed set
}

// mostTicks returns the largest number of labels that an automatic axis should have.
func (a *axis) mostTicks(length vg.Length) int {
	room := 2.4 * smallSize
	if a.across {
		room = 3.4 * smallSize
	}
	most := max(2, min(6, int(length/room)))
	if a.across && a.Scale == Log2 {
		most += 2
	}
	return most
}

// roomy reports whether the labels keep their distance, for the length of a unit.
func (a *axis) roomy(unit float64) bool {
	for i := 1; i < len(a.ticks) && !a.ticks[i].IsMinor(); i++ {
		need := 1.35 * smallSize
		if a.across {
			widths := a.style.Width(a.ticks[i-1].Label) + a.style.Width(a.ticks[i].Label)
			need = widths/2 + 0.6*smallSize
		}
		if math.Abs(a.ticks[i].Value-a.ticks[i-1].Value)*unit < float64(need) {
			return false
		}
	}
	return true
}

// tickSet is one way to mark an axis, in data units: values with labels, and short ticks.
type tickSet struct {
	values []float64
	labels []string
	short  []float64
}

// tickSets returns ways to mark the range [lo, hi] of an axis, given in scale coordinates: the fixed
// ticks of the axis, or the automatic sets, the densest first. A linear axis has at least one set with at
// least one tick.
func (a Axis) tickSets(lo, hi float64, most int) []tickSet {
	switch {
	case a.TickLabels != nil:
		return []tickSet{{values: a.Ticks, labels: a.TickLabels}}
	case a.Ticks != nil:
		return []tickSet{{values: a.Ticks, labels: tickLabels(a.Scale, a.Ticks)}}
	case a.Scale == Linear:
		return linearTicks(lo, hi, most)
	}
	var sets []tickSet
	add := func(least, most int, values, short []float64) {
		if len(values) >= least && len(values) <= most {
			short = lists.Where(short, func(v float64) bool { return !slices.Contains(values, v) })
			sets = append(sets, tickSet{values, tickLabels(a.Scale, values), short})
		}
	}
	all := a.Scale.multiples(lo, hi, digits, 1)
	powers := len(a.Scale.multiples(lo, hi, digits[:1], 1))
	if a.Scale == Log10 && powers <= 3 {
		for _, m := range [][]float64{digits, {1, 2, 5}, {1, 3}} {
			add(3, most+1, a.Scale.multiples(lo, hi, m, 1), all)
		}
	}
	if powers < 2 {
		sets = append(sets, linearTicks(a.Scale.back(lo), a.Scale.back(hi), most)...)
	}
	for stride := 1 + powers/(most+3); stride <= powers; stride++ {
		short := a.Scale.multiples(lo, hi, digits[:1], 1)
		if a.Scale == Log10 && stride == 1 {
			short = a.Scale.multiples(lo, hi, digits[1:], 1)
		}
		add(1, most+2, a.Scale.multiples(lo, hi, digits[:1], stride), short)
	}
	return sets
}

// linearTicks returns the sets of 1 to most ticks of [lo, hi] at multiples of 1, 2, 2.5 or
// 5 times a power of ten, the densest first.
func linearTicks(lo, hi float64, most int) (sets []tickSet) {
	for power := math.Floor(math.Log10((hi-lo)/float64(most))) - 1; ; power++ {
		for _, m := range []float64{1, 2, 2.5, 5} {
			step := m * math.Pow(10, power)
			first, last := math.Ceil(lo/step-1e-9), math.Floor(hi/step+1e-9)
			if count := last - first + 1; count > float64(most) {
				continue
			} else if count < 1 || len(sets) == most {
				return sets
			}
			var values []float64
			for k := first; k <= last; k++ {
				values = append(values, rounded(k*step))
			}
			sets = append(sets, tickSet{values: values, labels: tickLabels(Linear, values)})
		}
	}
}

// rounded returns v with twelve significant digits and without a negative zero, since multiples of a
// power of ten below one are not exact.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return v + 0
}

// digits holds the mantissas of all ticks of a logarithmic axis.
var digits = []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}

// multiples returns the numbers m * base^k with a logarithm in [lo, hi], for m in ms and k a multiple of
// stride.
func (s Scale) multiples(lo, hi float64, ms []float64, stride int) (values []float64) {
	for k := int(math.Floor(lo)) - 1; float64(k) <= hi+1e-9; k++ {
		for _, m := range ms {
			u := float64(k) + s.forward(m)
			if k%stride == 0 && u >= lo-1e-9 && u <= hi+1e-9 {
				values = append(values, rounded(m*s.back(float64(k))))
			}
		}
	}
	return values
}

// tickLabels returns the labels of ticks. On a linear axis all labels have the same number of decimals,
// or a common power of ten if plain numbers would be long. On a logarithmic axis powers of the base have
// raised exponents, except powers of 2 if all are between 1 and 65536. Other values have their shortest
// form.
func tickLabels(s Scale, values []float64) []string {
	out := make([]string, len(values))
	plain, powers := s == Log2, s != Linear
	for _, v := range values {
		u := s.forward(v)
		powers = powers && math.Abs(u-math.Round(u)) <= 1e-9
		plain = plain && v >= 1 && v <= 1<<16
	}
	for i, v := range values {
		switch {
		case powers && !plain:
			exponent := int(math.Round(s.forward(v)))
			out[i] = strconv.Itoa(int(s.back(1))) + "^{" + strconv.Itoa(exponent) + "}"
		case s == Linear:
			out[i] = numberLabel(v, values)
		default:
			out[i] = numberLabel(v, values[i:i+1])
		}
	}
	return out
}

// numberLabel writes v, one of the given values, with the decimals and the power of ten that all of them
// need.
func numberLabel(v float64, values []float64) string {
	largest, power, end := 0.0, 1.0, ""
	for _, other := range values {
		largest = max(largest, math.Abs(other))
	}
	if largest > 0 && (largest >= 1e6 || largest < 1e-3 || decimals(values, 1) > 6) {
		k := math.Floor(math.Log10(largest) + 1e-9)
		power, end = math.Pow(10, k), "×10^{"+strconv.Itoa(int(k))+"}"
		if v == 0 {
			return "0"
		}
	}
	return strconv.FormatFloat(v/power, 'f', decimals(values, power), 64) + end
}

// decimals returns the number of decimals that the values need, as multiples of power.
func decimals(values []float64, power float64) int {
	most := 0
	for _, v := range values {
		_, fraction, _ := strings.Cut(strconv.FormatFloat(rounded(v/power), 'f', -1, 64), ".")
		most = max(most, len(fraction))
	}
	return most
}
