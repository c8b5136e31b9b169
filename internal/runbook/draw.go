package runbook

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Sample is a figure with recorded runs, some of which are to be run again.
type Sample struct {
	Figure      string
	Book        *Book
	CoreSeconds float64 // time of all runs on one core
	// Effort returns a number that the time of a recorded run grows with, 0 if it is not known. It is nil for a
	// figure that is drawn as a whole, not by its experiments.
	Effort func(value []byte) float64
}

// stratum is a set of runs of which one should be drawn: an experiment, or a figure as a whole.
type stratum struct {
	figure, key string
	runs        []Run   // in the order of the draw
	seconds     float64 // time of a run
	effort      float64
	coin        float64 // uniform in [0, 1)
	rank        float64 // coin over the share of a run that is paid for
}

// Draw selects runs of figures at random, to run them again in about a budget of seconds of a core. Another number
// selects other runs. Experiments get equal parts of the budget for one run each, and parts that they do not need go
// to the others: an experiment whose run takes longer than its part has a run with the probability of part over time.
// What is left, if all have a run, goes to more runs of them in the same way. Each figure has at least one run.
// O(n log n) for n runs.
func Draw(number uint64, budget float64, samples []Sample) map[string]map[Run]bool {
	var strata []stratum
	for _, s := range samples {
		strata = append(strata, s.strata(number)...)
	}
	one, more := make([]float64, len(strata)), make([]float64, len(strata))
	for i, s := range strata {
		one[i], more[i] = s.seconds, s.seconds*float64(len(s.runs)-1)
	}
	first := Shares(one, budget)
	for i, share := range first {
		budget -= float64(share * one[i])
	}
	rest := Shares(more, max(0, budget))
	least := map[string]float64{} // rank by figure
	for i, s := range strata {
		strata[i].rank = s.coin / first[i]
		if had, any := least[s.figure]; !any || strata[i].rank < had {
			least[s.figure] = strata[i].rank
		}
	}
	drawn := map[string]map[Run]bool{}
	for i, s := range strata {
		if s.rank >= 1 && s.rank != least[s.figure] {
			continue
		}
		if drawn[s.figure] == nil {
			drawn[s.figure] = map[Run]bool{}
		}
		for _, of := range s.runs[:1+int(rest[i]*float64(len(s.runs)-1)+s.coin)] {
			drawn[s.figure][of] = true
		}
	}
	return drawn
}

// strata divides a sample's runs. The time of a run is the mean of the figure, in proportion to the effort.
func (s Sample) strata(number uint64) (list []stratum) {
	runs := s.Book.Runs()
	mean, known, sum := s.CoreSeconds/float64(len(runs)), 0.0, 0.0
	for _, of := range runs {
		last := len(list) - 1
		if last < 0 || s.Effort != nil && list[last].key != of.Key {
			added := stratum{figure: s.Figure, key: of.Key, seconds: mean, coin: uniform(number, s.Figure, of.Key)}
			if s.Effort != nil {
				value, _ := s.Book.Value(of)
				added.effort = s.Effort(value)
			}
			list, last = append(list, added), last+1
		}
		list[last].runs = append(list[last].runs, of)
		if list[last].effort > 0 {
			known, sum = known+1, sum+list[last].effort
		}
	}
	for i := range list {
		if list[i].effort > 0 {
			list[i].seconds *= list[i].effort * known / sum
		}
		places := map[Run]float64{}
		for _, of := range list[i].runs {
			places[of] = uniform(number, s.Figure, of.Key, of.Seed, of.Run)
		}
		slices.SortFunc(list[i].runs, func(a, b Run) int { return cmp.Compare(places[a], places[b]) })
	}
	return list
}

// uniform returns a number in [0, 1) that is a hash of words and numbers.
func uniform(of ...any) float64 {
	sum := sha256.Sum256(fmt.Appendln(nil, of...))
	return math.Ldexp(float64(binary.BigEndian.Uint64(sum[:])>>11), -53)
}

// Shares divides a budget: it returns the share of each cost that is paid for. All get equal parts of the budget, and
// parts that one does not need go to the others. Costs and budget have the same unit. O(n log n).
func Shares(costs []float64, budget float64) []float64 {
	shares, cheapest := make([]float64, len(costs)), make([]int, len(costs))
	for i := range cheapest {
		cheapest[i] = i
	}
	slices.SortStableFunc(cheapest, func(a, b int) int { return cmp.Compare(costs[a], costs[b]) })
	for done, i := range cheapest {
		part := min(costs[i], budget/float64(len(costs)-done))
		shares[i] = 1
		if costs[i] > 0 {
			shares[i] = part / costs[i]
		}
		budget -= part
	}
	return shares
}
