package recycled

import (
	"errors"
	"fmt"

	"repslab/faults"
)

// MaxLawColors bounds the colours, n b, of a [RoundRobinLaw].
const MaxLawColors = 64

// MaxLawStates bounds the states that a [RoundRobinLaw] keeps.
const MaxLawStates = 1 << 20

// Errors of a [RoundRobinLaw].
var (
	ErrNoRoundRobinLaw = errors.New("recycled: the law of round-robin is defined for that clocking without lost balls")
	ErrTooManyStates   = fmt.Errorf("recycled: the law of round-robin has more than %d states", MaxLawStates)
)

// RoundRobinLaw is the exact law of the round-robin process at λ = 1 for tiny
// systems, round by round: the joint law of the queues with the colours of their balls and
// of the memories of all colours. Make it with [NewRoundRobinLaw].
//
// The number of states grows by a factor of 1.4 to 2 a round: for n = 2 some 20
// rounds are within reach, 0.2 s in all. Exact up to floating point: no term is
// negative, so after T rounds of at most s states a probability or a mean has a
// relative error below (T+1) (n + s) 2^-53; for n = 2 all probabilities are
// multiples of 4^-T, and exact up to T = 26.
type RoundRobinLaw struct {
	cfg    Config
	states []string // distinct, in the order of their discovery
	law    []float64
	round  int
	live   roundRobinState // scratch
}

// roundRobinState is a state of the process, and its text: for every colour the
// bin it remembers plus one, or 0; then for every bin its load and its balls'
// colours from the head on.
type roundRobinState struct {
	memory []byte
	bins   [][]byte
	text   []byte
}

// NewRoundRobinLaw returns the law before round 1: all bins empty, nothing
// remembered. It returns an error for the faults of cfg and for more than MaxLawColors
// colours, and ErrNoRoundRobinLaw. cfg.MaxRounds has no effect.
func NewRoundRobinLaw(cfg Config) (*RoundRobinLaw, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	if cfg.Clocking != RoundRobin || cfg.Lambda < 1 {
		return nil, ErrNoRoundRobinLaw
	}
	if cfg.Bins*cfg.Colors > MaxLawColors {
		return nil, faults.New("recycled", "Bins·Colors", cfg.Bins*cfg.Colors, "must be at most %d for the law of round-robin", MaxLawColors)
	}
	l := &RoundRobinLaw{cfg: cfg, law: []float64{1}}
	l.live = roundRobinState{memory: make([]byte, cfg.Bins*cfg.Colors), bins: make([][]byte, cfg.Bins)}
	l.states = []string{l.live.encode()}
	return l, nil
}

// encode returns the text of the state.
func (s *roundRobinState) encode() string {
	s.text = append(s.text[:0], s.memory...)
	for _, balls := range s.bins {
		s.text = append(s.text, byte(len(balls)))
		s.text = append(s.text, balls...)
	}
	return string(s.text)
}

// decode takes the state from its text, whose numbers of colours and bins it
// has.
func (s *roundRobinState) decode(text string) {
	at := copy(s.memory, text)
	for i := range s.bins {
		load := int(text[at])
		s.bins[i] = append(s.bins[i][:0], text[at+1:at+1+load]...)
		at += 1 + load
	}
}

// remove takes the head out of every non-empty bin; its colour learns from it.
func (s *roundRobinState) remove(threshold int) {
	for i, balls := range s.bins {
		if len(balls) == 0 {
			continue
		}
		color := balls[0]
		switch {
		case len(balls) > threshold:
			s.memory[color] = 0
		case s.memory[color] == 0:
			s.memory[color] = byte(i + 1)
		}
		s.bins[i] = append(balls[:0], balls[1:]...)
	}
}

// Step advances the law by one round, or returns ErrTooManyStates and leaves it.
// Loads must stay below 256, which they do for 256/n rounds. O(n^n) a state at
// most.
func (l *RoundRobinLaw) Step() error {
	next := &distribution[string]{index: make(map[string]int, 2*len(l.states))}
	for i, state := range l.states {
		l.live.decode(state)
		l.live.remove(l.cfg.Threshold)
		l.throw(0, l.law[i], next)
		if len(next.states) > MaxLawStates {
			return ErrTooManyStates
		}
	}
	l.states, l.law = next.states, next.law
	l.round++
	return nil
}

// throw throws the balls of the batch from the i-th on, in all ways, and collects
// where it ends.
func (l *RoundRobinLaw) throw(i int, p float64, next *distribution[string]) {
	n := l.cfg.Bins
	if i == n {
		next.add(l.live.encode(), p)
		return
	}
	color := byte((l.round*n + i) % len(l.live.memory))
	into := func(bin int, p float64) {
		balls := l.live.bins[bin]
		l.live.bins[bin] = append(balls, color)
		l.throw(i+1, p, next)
		l.live.bins[bin] = l.live.bins[bin][:len(balls)]
	}
	if bin := l.live.memory[color]; bin > 0 {
		into(int(bin)-1, p)
		return
	}
	for bin := range n {
		into(bin, p/float64(n))
	}
}

// RoundRobinMeans are exact expectations after a round.
type RoundRobinMeans struct {
	MaxLoad float64 // balls
	Balls   float64 // in all bins
	Settled float64 // P[every colour remembers a bin, and no bin is above the threshold]
}

// Means returns the exact expectations after the last round. A settled state
// need not be absorbed: colours may still be spread unevenly. O(states).
func (l *RoundRobinLaw) Means() RoundRobinMeans {
	var means RoundRobinMeans
	for i, state := range l.states {
		l.live.decode(state)
		most, balls, settled := 0, 0, true
		for _, queue := range l.live.bins {
			most = max(most, len(queue))
			balls += len(queue)
		}
		for _, bin := range l.live.memory {
			settled = settled && bin > 0
		}
		p := l.law[i]
		means.MaxLoad += float64(p * float64(most))
		means.Balls += float64(p * float64(balls))
		if settled && most <= l.cfg.Threshold {
			means.Settled += p
		}
	}
	return means
}

// States returns the number of states with a positive probability. O(1).
func (l *RoundRobinLaw) States() int { return len(l.states) }
