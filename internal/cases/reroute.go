package cases

import (
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/frame"
	"repslab/internal/param"
	"repslab/internal/values"
)

// neverReroutes is the value of --reroute-us without routing that reacts.
const neverReroutes = "never"

// rerouteParameter returns the parameter that lets routing react. Its column has a key of its own: reroute_us is a
// result, the time until senders avoid a failed link.
func (p *Fattree) rerouteParameter() param.Parameter {
	s := &p.Spec
	fails := func() bool { return slices.ContainsFunc(p.Failure, topology.Failure.Fails) }
	q := param.Settable("reroute-us", "time after which routing avoids a failed cable, or never", rerouteTimes, func(v any) {
		after, reroutes := v.(float64)
		s.Reroutes, s.RerouteAfter = reroutes, fattree.Picoseconds(math.Round(after*us))
	}).Derived(neverReroutes, func() any { return float64(s.RerouteAfter) / us }).NullIf(func() bool { return !s.Reroutes || !fails() })
	q.Columns[0].Column, q.Preset = frame.Number("reroute_after_us"), neverReroutes
	return q.Of("times").Seldom().Field("Reroutes", "RerouteAfter").
		More("as BGP or OSPF: it leaves the groups of equal-cost ports at both ends after this time, as do ports from which no path leads on, and rejoins them when it has worked for as long; "+
			"0 is at once; slow and lossy links stay; the column is reroute_after_us").
		UsedOnly("by --failure of links or switches that fail, not slow or lossy ones", fails)
}

// checkReroutes returns an error for hosts that would have to know the ways of routing.
func (p *Fattree) checkReroutes() error {
	after := float64(p.Spec.RerouteAfter) / us
	switch {
	case p.Spec.Reroutes && p.planes > 1:
		return param.Usagef("--reroute-us: %v must be %s with --planes: how hosts learn which planes have a route is not modelled", after, neverReroutes)
	case p.Spec.Reroutes && p.Lb == lbOracle:
		return param.Usagef("--reroute-us: %v must be %s with --lb %s, which knows failed links but not the ways of routing", after, neverReroutes, lbOracle)
	}
	return nil
}

// rerouteTimes reads values of --reroute-us: times in us, and the word never.
func rerouteTimes(text string) ([]any, error) {
	lists, err := values.Each(text, ",", func(word string) (list []any, err error) {
		if strings.EqualFold(word, neverReroutes) {
			return []any{neverReroutes}, nil
		}
		times, err := values.Floats(word, values.FloatRange{Max: 10_000_000})
		for _, t := range times {
			list = append(list, t)
		}
		return list, err
	})
	return slices.Concat(lists...), err
}
