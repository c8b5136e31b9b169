package congestion

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// None leaves the window at its initial size.
type None struct{}

// Reset does nothing.
func (None) Reset(*fattree.Network, mc.Stream) {}

// Traits says that it has no memory and uses no RTTs.
func (None) Traits() transport.ControlTraits {
	return transport.ControlTraits{IgnoresRTTs: true, Memoryless: true}
}

// Acknowledge changes nothing.
func (None) Acknowledge(*transport.Window, transport.Acknowledgement) {}

// Lose changes nothing.
func (None) Lose(*transport.Window, transport.Loss) {}
