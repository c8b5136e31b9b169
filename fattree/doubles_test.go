package fattree

import (
	"context"
	"testing"

	"repslab/mc"
)

// uniform draws every EV at random and remembers nothing.
type uniform struct {
	draw   []mc.Rand
	counts [4]int // feedback by kind
}

func (u *uniform) Reset(n *Network, random mc.Stream) {
	*u = uniform{draw: make([]mc.Rand, n.Flows())}
	for i := range u.draw {
		u.draw[i] = random.Child(uint64(i)).Rand()
	}
}

func (u *uniform) NextEV(flow int32, _ Picoseconds) (uint16, bool) {
	return uint16(u.draw[flow].Uint64()), false
}

func (u *uniform) Feedback(f Feedback) { u.counts[f.Kind]++ }

// pinned sends every packet of a flow with the EV of its number.
type pinned struct{ uniform }

func (*pinned) NextEV(flow int32, _ Picoseconds) (uint16, bool) { return uint16(flow), false }

// steady leaves the window alone.
type steady struct{}

func (steady) Reset(*Network) {}

func (steady) Acknowledge(*Window, Acknowledgement) {}

func (steady) Lose(*Window, Loss) {}

// shrinking is the DCTCP variant in short.
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

// message is a flow that starts at 0.
func message(source, destination int, bytes int64) Flow {
	return NewFlow(Host(source), Host(destination), bytes, 0)
}

// tornado sends a message from every host to the one half-way round.
func tornado(hosts int, bytes int64) Workload {
	var w Workload
	for i := range hosts {
		w.Flows = append(w.Flows, message(i, (i+hosts/2)%hosts, bytes))
	}
	return w
}

// execute runs a spec once.
func execute(t *testing.T, s Spec, b Balancer, c Control) *Result {
	t.Helper()
	n, err := Build(s)
	if err != nil {
		t.Fatal(err)
	}
	result, err := n.NewRun().Execute(context.Background(), b, c, NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// SetBlock bounds the slots of a block of the following runs.
func SetBlock(r *Run, slots int32) { r.longest = slots }

// IsPlain reports whether the last run was plain.
func IsPlain(r *Run) bool { return r.plain }
