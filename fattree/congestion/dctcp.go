package congestion

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// DCTCP is the DCTCP variant of the authors' simulator, where it is called MPRDMA. It takes a small step per ACK
// instead of estimating the marked fraction and cutting once per round trip. With x packets newly acknowledged and
// W the window:
//
//	unmarked  W <- min(W + x/W, Most)
//	marked    W <- max(W - x/4, 1)
//	lost      W <- max(W - 1, 1)
//
// In equilibrium a fraction of about 4/(W+4) of packets is marked.
type DCTCP struct{}

// Reset does nothing: the window is all the state.
func (DCTCP) Reset(*fattree.Network, mc.Stream) {}

// Traits says that it has no memory and uses no RTTs.
func (DCTCP) Traits() transport.ControlTraits {
	return transport.ControlTraits{IgnoresRTTs: true, Memoryless: true}
}

// Acknowledge updates the window by an ACK. O(1).
//
//go:noinline
func (DCTCP) Acknowledge(w *transport.Window, ack transport.Acknowledgement) {
	// noinline: inlined into the wrapper for interface calls, it would read ack in smaller
	// pieces than were just written, which stalls the processor.
	x := float64(ack.Packets)
	if ack.Marked {
		w.Packets = max(w.Packets-float64(x/4), 1)
		return
	}
	w.Packets = min(w.Packets+x/w.Packets, w.Most)
}

// Lose shrinks the window by the lost packet. O(1).
func (DCTCP) Lose(w *transport.Window, _ transport.Loss) {
	w.Packets = max(w.Packets-1, 1)
}
