package ctest

import (
	"math/rand/v2"
	"testing"

	"repslab/reps"
)

// pipeline is the table of docs/vectors.md for hardware: three stages, each with a register.
type pipeline struct {
	mode struct {
		frozen  bool
		explore uint8
		exit    uint32
	}
	place struct{ head, count, written uint8 }
	ring  [8]uint16
}

// packet returns the EV of a packet.
func (p *pipeline) packet(random uint64) uint16 {
	m, at := &p.mode, &p.place
	explore := false
	if m.explore > 0 {
		m.explore--
		explore = m.explore&7 == 0
	}
	draw, slot := explore, uint8(0)
	switch {
	case explore:
	case at.count > 0:
		slot = (at.head - at.count) & 7
		at.count--
	case m.frozen && at.written > 0:
		if at.head < at.written {
			slot = at.head
		}
		at.head = (slot + 1) & 7
	default:
		draw = true
	}
	if draw {
		return uint16(random >> 48)
	}
	return p.ring[slot]
}

// ack processes an unmarked ACK.
func (p *pipeline) ack(now uint32, ev uint16) {
	m, at := &p.mode, &p.place
	if late := now - m.exit; m.frozen && late >= 1 && late < 1<<31 {
		m.frozen, m.explore = false, 100
	}
	slot := at.head
	at.head = (at.head + 1) & 7
	at.count = min(at.count+1, 8)
	at.written = max(at.written, slot+1)
	p.ring[slot] = ev
}

// failure processes a failure.
func (p *pipeline) failure(now uint32) {
	if m := &p.mode; !m.frozen && m.explore == 0 {
		m.frozen, m.exit = true, now+reps.DefaultFreezingTimeout
	}
}

// TestPipeline: the table of docs/vectors.md for hardware sends the EVs that package reps sends.
func TestPipeline(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	var r reps.REPS
	must(r.Init(reps.Config{}))
	var p pipeline
	now, frozen, explored := uint32(0), 0, 0
	for i := range 200_000 {
		now += random.Uint32() >> (12 + random.IntN(20))
		switch kind := random.IntN(100); {
		case kind == 0:
			r.OnFailure(now)
			p.failure(now)
		case kind < 45:
			ev := uint16(random.Uint32())
			r.OnAck(now, ev, false)
			p.ack(now, ev)
		default:
			if r.Frozen() {
				frozen++
			}
			if r.Exploring() > 0 {
				explored++
			}
			w := random.Uint64()
			if got, want := p.packet(w), first(r.NextEV(word(w))); got != want {
				t.Fatalf("call %d: EV %d, want %d", i, got, want)
			}
		}
	}
	if frozen < 1000 || explored < 1000 {
		t.Errorf("%d packets in freezing mode, %d in exploration, want 1,000 each", frozen, explored)
	}
}

// first returns the EV of a packet.
func first(ev uint16, _ bool) uint16 { return ev }
