package transport

import (
	"context"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/internal/nettest"
	"repslab/mc"
)

// uniform draws every EV at random and remembers nothing.
type uniform struct {
	draw   []mc.Rand
	counts [4]int // feedback by kind
}

func (u *uniform) Reset(n *fattree.Network, random mc.Stream) {
	*u = uniform{draw: make([]mc.Rand, n.Flows())}
	for i := range u.draw {
		u.draw[i] = random.Child(uint64(i)).Rand()
	}
}

func (u *uniform) NextEV(flow int32, _ fattree.Picoseconds) (uint16, bool) {
	return uint16(u.draw[flow].Uint64()), false
}

func (u *uniform) Feedback(f Feedback) { u.counts[f.Kind]++ }

func (*uniform) Traits() Traits { return Traits{} }

// pinned sends every packet of a flow with the EV of its number.
type pinned struct{ uniform }

func (*pinned) NextEV(flow int32, _ fattree.Picoseconds) (uint16, bool) { return uint16(flow), false }

// steady leaves the window alone.
type steady struct{}

func (steady) Reset(*fattree.Network, mc.Stream) {}

func (steady) Traits() ControlTraits { return ControlTraits{} }

func (steady) Acknowledge(*Window, Acknowledgement) {}

func (steady) Lose(*Window, Loss) {}

// shrinking is a simple version of the DCTCP variant.
type shrinking struct{ steady }

func (shrinking) Acknowledge(w *Window, a Acknowledgement) {
	if a.Marked {
		w.Packets = max(1, w.Packets-float64(a.Packets)/4)
		return
	}
	w.Packets = min(w.Most, w.Packets+float64(a.Packets)/w.Packets)
}

func (shrinking) Lose(w *Window, _ Loss) {
	w.Packets = max(1, w.Packets-1)
}

// execute runs a spec once.
func execute(t *testing.T, s fattree.Spec, b Balancer, c Control) *fattree.Result {
	t.Helper()
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := NewRun(n).Execute(context.Background(), b, c, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// RandomSpec returns a small random experiment with options, which may be invalid.
func RandomSpec(rng *rand.Rand) fattree.Spec {
	s, o := nettest.RandomSpec(rng)
	s.Options = Options{InitialWindow: o.InitialWindow, AckRatio: o.AckRatio,
		Slips: Slips{RequestsForRetransmission: o.Requests, DoubleTurns: o.DoubleTurns}, Sleek: o.Sleek}
	return s
}

// IsPlain reports whether the last run used the loops of plain runs for the hosts.
func IsPlain(r *Run) bool { return r.hosts.(*flows).plain }
