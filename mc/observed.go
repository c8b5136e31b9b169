package mc

// MeanOf returns the mean over runs of a whole number, which of gives for each run, with Student's t
// interval as in [Moments.Mean]. Its Basis lists the number of each run. [Estimate.OfFew] replaces the
// interval for few runs. O(runs).
func MeanOf[R any](runs []R, of func(R) int64) Estimate {
	mustNotBeNil("MeanOf", "of", of == nil)
	var m Moments
	var values []float64
	for _, r := range runs {
		m.Add(of(r))
		values = append(values, float64(of(r)))
	}
	e := m.Mean(DefaultConfidence)
	e.Basis.Values = values
	return e
}

// RatioOf returns the ratio of two means with the interval for few pairs ([PairedMoments.RatioOfFew]).
// The numerator is the mean of the function of over runs, the denominator the mean of the function per
// over others; neither may be negative. Runs with the same index are paired, and runs without a partner
// are left out. Its Basis lists both numbers of each pair, divided by units. O(runs).
func RatioOf[R any](runs []R, of func(R) int64, others []R, per func(R) int64, units float64) Estimate {
	mustNotBeNil("RatioOf", "of", of == nil)
	mustNotBeNil("RatioOf", "per", per == nil)
	mustBeUnits("RatioOf", units)
	var p PairedMoments
	var b Basis
	for i, r := range runs[:min(len(runs), len(others))] {
		p.Add(of(r), per(others[i]))
		b.Values, b.Over = append(b.Values, float64(of(r))/units), append(b.Over, float64(per(others[i]))/units)
	}
	e := p.RatioOfFew(DefaultConfidence)
	e.Basis = b
	return e
}
