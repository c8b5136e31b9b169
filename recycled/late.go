package recycled

import "math"

// surveyor is a process whose empty bins and largest load can be read between rounds.
type surveyor interface {
	survey() (empty, largest int)
}

// late averages the empty bins and the largest load of a process over the late rounds of a run: the
// rounds in (after, whole]. It advances the process.
type late struct {
	process      Process
	surveyor     surveyor // nil if the process is not a surveyor
	bins         int
	after, whole int

	rounds         int // surveyed rounds
	empty, largest int64
	most           int
}

func newLate(p Process, cfg Config) *late {
	l := &late{process: p, bins: cfg.Bins, after: cfg.whole() / 2, whole: cfg.whole()}
	l.surveyor, _ = p.(surveyor)
	return l
}

// observes reports whether the next round is to be surveyed.
func (l *late) observes() bool {
	round := l.process.Round()
	return l.surveyor != nil && round >= l.after && round < l.whole
}

// advance runs the process up to a round, or to the first round after which the status is not Running.
// The rounds of one call must all be late, or all not.
func (l *late) advance(until int) {
	if !l.observes() {
		l.process.Advance(until - l.process.Round())
		return
	}
	for l.process.Round() < until && l.process.Status() == Running {
		l.process.Step()
		l.add(1)
	}
}

// step runs the process up to a round, whatever its status.
func (l *late) step(until int) {
	for l.process.Round() < until {
		observed := l.observes()
		l.process.Step()
		if observed {
			l.add(1)
		}
	}
}

// add counts the current loads as the loads of the given number of rounds.
func (l *late) add(rounds int) {
	empty, largest := l.surveyor.survey()
	l.rounds += rounds
	l.empty += int64(rounds) * int64(empty)
	l.largest += int64(rounds) * int64(largest)
	l.most = max(l.most, largest)
}

// report sets the late statistics of a run that has ended. If a run with a known largest load ended
// early, it is absorbed: its loads count for the missing rounds.
func (l *late) report(o *Outcome) {
	o.EmptyShare, o.RoundMaxLoad = math.NaN(), math.NaN()
	if l.surveyor == nil || !o.MaxLoadKnown {
		return
	}
	if missing := l.whole - l.after - l.rounds; missing > 0 {
		l.add(missing)
	}
	o.LateKnown, o.LateMaxLoad = true, l.most
	o.EmptyShare = float64(l.empty) / float64(l.rounds) / float64(l.bins)
	o.RoundMaxLoad = float64(l.largest) / float64(l.rounds)
}
