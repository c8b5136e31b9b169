package scene

import (
	"slices"

	"repslab/ballsbins"
	"repslab/coalescing"
	"repslab/mc"
	"repslab/recycled"
)

// Scene simulates a switch under OPS and under REPS from round 0 on. Make it with
// [New]; it is not safe for concurrent use.
type Scene struct {
	view    View
	changes []Change // changes of view after this round
	tau     int
	round   int
	ops     *ballsbins.Process
	reps    process
	every   []int // by port: it serves in rounds divisible by this number, in none if 0
	status  func() recycled.Status
	since   int // the round of the last change of status
	last    recycled.Status
}

// process is the common part of the processes of packages recycled and coalescing.
type process interface {
	Reset(stream mc.Stream)
	Step()
	SetPort(bin, every int)
	Load(bin int) int
	Balls() int64
	Throws() (all, random int64)
}

// Round holds the statistics of a round that the page keeps.
type Round struct {
	OPSMax, REPSMax     int   // the largest load, balls
	OPSBalls, REPSBalls int64 // in all bins
	Thrown, Random      int64 // balls that REPS threw since round 0, and the number thrown at random
}

// New returns the scene of a view at round 0, or the view's faults. Steps advance it to the view's round
// and apply the view's changes of ports on the way.
func New(view View) (*Scene, error) {
	if err := view.Validate(); err != nil {
		return nil, err
	}
	s := &Scene{view: view, changes: view.Changes, tau: view.Tau(), status: running}
	s.every = slices.Repeat([]int{1}, view.Bins)
	var err error
	if s.ops, err = ballsbins.New(ballsbins.Config{Bins: view.Bins, Lambda: view.Lambda}); err != nil {
		return nil, err
	}
	if view.Ratio > 1 {
		if s.reps, err = coalescing.New(view.coalescing()); err != nil {
			return nil, err
		}
	} else {
		p, err := recycled.New(view.recycled())
		if err != nil {
			return nil, err
		}
		s.reps, s.status = p, p.Status
	}
	stream := mc.NewStream(view.Seed, mc.Algorithm, 0)
	s.ops.Reset(stream)
	s.reps.Reset(stream)
	s.applyDue()
	return s, nil
}

// running is the status of processes without absorbing states.
func running() recycled.Status { return recycled.Running }

// Step runs a round and returns its statistics, or false at the last round,
// MaxRounds. O(n).
func (s *Scene) Step() (Round, bool) {
	if s.round == MaxRounds {
		return Round{}, false
	}
	s.round++
	s.ops.Step()
	s.reps.Step()
	if now := s.status(); now != s.last {
		s.last, s.since = now, s.round
	}
	r := Round{REPSBalls: s.reps.Balls()}
	r.Thrown, r.Random = s.reps.Throws()
	for bin := range s.view.Bins {
		load := int(s.ops.Load(bin))
		r.OPSMax = max(r.OPSMax, load)
		r.OPSBalls += int64(load)
		r.REPSMax = max(r.REPSMax, s.reps.Load(bin))
	}
	s.applyDue()
	return r, true
}

// applyDue applies the changes of ports that come after this round.
func (s *Scene) applyDue() {
	for len(s.changes) > 0 && s.changes[0].Round == s.round {
		s.apply(s.changes[0])
		s.changes = s.changes[1:]
	}
}

// apply changes a port of both processes.
func (s *Scene) apply(c Change) {
	s.ops.SetPort(c.Port, c.Every)
	s.reps.SetPort(c.Port, c.Every)
	s.every[c.Port] = c.Every
}

// SetPort changes a port from the next round on and discards later changes of the
// view. It returns false, and changes nothing, for a port or a number that a view
// cannot have and after MaxChanges changes.
func (s *Scene) SetPort(port, every int) bool {
	if port < 0 || port >= s.view.Bins || every < 0 || every > MaxRounds {
		return false
	}
	done := s.view.Changes[:len(s.view.Changes)-len(s.changes)]
	if len(done) == MaxChanges {
		return false
	}
	c := Change{Port: port, Every: every, Round: s.round}
	s.view.Changes, s.changes = append(done[:len(done):len(done)], c), nil
	s.apply(c)
	return true
}

// View returns the view of the current round.
func (s *Scene) View() View {
	v := s.view
	v.Round = s.round
	v.Changes = v.Changes[:len(v.Changes)-len(s.changes)]
	return v
}

// Restarted returns the view of a new run: at round 0, with the ports as they are.
func (s *Scene) Restarted() View {
	v := s.View()
	v.Round, v.Changes = 0, nil
	for port, every := range s.every {
		if every != 1 {
			v.Changes = append(v.Changes, Change{Port: port, Every: every})
		}
	}
	return v
}

// Load returns the loads of a bin, 0 <= bin < n.
func (s *Scene) Load(bin int) (ops, reps int) { return int(s.ops.Load(bin)), s.reps.Load(bin) }

// Every returns a number for a port, 0 <= port < n: the port serves in rounds divisible by it, in none if
// it is 0.
func (s *Scene) Every(port int) int { return s.every[port] }

// Tau returns the threshold τ.
func (s *Scene) Tau() int { return s.tau }

// Status returns the status of REPS, and its first round. It is Running if ACKs are coalesced.
func (s *Scene) Status() (status recycled.Status, since int) { return s.last, s.since }
