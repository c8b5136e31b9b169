package balance

import (
	"repslab/fattree"
	"repslab/reps"
)

// recyclingREPS is Recycling by the paper's rules. Its work per packet does not use the
// methods of a type parameter, which Go calls through tables: two such calls would be a
// twentieth of a packet's cost.
type recyclingREPS struct {
	*Recycling[reps.REPS, *reps.REPS]
}

// NextEV is [Recycling.NextEV].
func (b recyclingREPS) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	if now >= b.freezeAt {
		b.force(flow, now)
	}
	f := &b.flows[flow]
	return f.state.NextEV(&f.draw)
}

// Feedback is [Recycling.Feedback].
func (b recyclingREPS) Feedback(f fattree.Feedback) {
	if f.Kind > fattree.Marked || b.dropping || f.Now >= b.freezeAt {
		b.Recycling.Feedback(f)
		return
	}
	b.flows[f.Flow].state.OnAck(nanoseconds(f.Now), f.EV, f.Kind == fattree.Marked)
}
