package recycled

import "math"

// surveyor is a process whose empty bins and largest load can be read between rounds.
type surveyor interface {
	survey() (empty, largest int)
}

// late averages the empty bins and the largest load of a process over the late rounds of a
// run, those in (after, whole]. It advances the process.
type late struct {
	process      Process
	surveyor     surveyor // nil if the process is none
	bins         int
	after, whole int

	rounds         int // surveyed
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

// advance runs the process until a round or to the first whose status is not Running.
// Rounds before it are all late or none.
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

// step runs the process until a round, whatever its status.
func (l *late) step(until int) {
	for l.process.Round() < until {
		observed := l.observes()
		l.process.Step()
		if observed {
			l.add(1)
		}
	}
}

// add counts the present loads for a number of rounds.
func (l *late) add(rounds int) {
	empty, largest := l.surveyor.survey()
	l.rounds += rounds
	l.empty += int64(rounds) * int64(empty)
	l.largest += int64(rounds) * int64(largest)
	l.most = max(l.most, largest)
}

// report sets the late statistics of a run that has ended. A run that ended before its
// whole rounds is absorbed if its largest load is known: its loads stay.
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
