package figures

import (
	"fmt"
	"strings"

	"repslab/internal/claims"
	"repslab/internal/plot"
	"repslab/mc"
)

// over adds an estimate for each x to a series.
func over[X int | float64](s plot.Series, xs []X, y func(X) mc.Estimate) plot.Series {
	for _, x := range xs {
		appendPoint(&s, float64(x), y(x))
	}
	return s
}

// barsOf adds an estimate for each item to a series, at 0, 1, 2 and so on.
func barsOf[X any](s plot.Series, items []X, y func(X) mc.Estimate) plot.Series {
	for i, x := range items {
		appendPoint(&s, float64(i), y(x))
	}
	return s
}

// labelled returns an axis with labels at 0, 1, 2 and so on.
func labelled[X any](items []X, label func(X) string) plot.Axis {
	var axis plot.Axis
	for i, x := range items {
		axis.Ticks, axis.TickLabels = append(axis.Ticks, float64(i)), append(axis.TickLabels, label(x))
	}
	return axis
}

// barAxis returns a labelled axis with room for wide bars at its ends.
func barAxis[X any](items []X, label func(X) string) plot.Axis {
	axis := labelled(items, label)
	axis.Min, axis.Max = new(-0.6), new(float64(len(items))-0.4)
	return axis
}

// rule collects the parts of a rule: its conditions on the estimates, and its words.
type rule struct {
	conditions []claims.Condition
	words      []string
}

// add adds a part; without a format it has no words.
func (r *rule) add(c claims.Condition, format string, args ...any) {
	r.conditions = append(r.conditions, c)
	if format != "" {
		r.words = append(r.words, fmt.Sprintf(format, args...))
	}
}

// all returns the finding of a rule whose parts must all hold. Its words stand between
// intro and note.
func (r *rule) all(claim, intro, separator, note string) claims.Finding {
	return claims.Judged(claim, claims.All(r.conditions...), intro+strings.Join(r.words, separator), note)
}

// any returns the finding, about an estimate, of a rule one of whose parts must hold.
func (r *rule) any(claim string, e mc.Estimate, intro, separator, note string) claims.Finding {
	return claims.Estimated(claim, e, claims.Any(r.conditions...), intro+strings.Join(r.words, separator), note)
}
