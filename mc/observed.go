package mc

// MeanOf returns the mean of a whole number over kept runs with Student's t interval, as [Moments.Mean] does, and the
// number of each run as its Basis. [Estimate.OfFew] replaces the interval for few runs. O(runs).
func MeanOf[R any](runs []R, of func(R) int64) Estimate {
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

// RatioOf returns the ratio of the means of two numbers that are not negative, with the interval of few pairs
// ([PairedMoments.RatioOfFew]): of in each of runs, and per in the run of others with the same index. Runs without a
// partner are left out. Its Basis lists both numbers in the given units. O(runs).
func RatioOf[R any](runs []R, of func(R) int64, others []R, per func(R) int64, units float64) Estimate {
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
