package congestion

import (
	"repslab/fattree"
	"repslab/fattree/transport"
)

// None leaves the window at its initial size.
type None struct{}

// Reset does nothing.
func (None) Reset(*fattree.Network) {}

// Memoryless implements [transport.Memoryless].
func (None) Memoryless() {}

// Measures reports that None uses no RTTs.
func (None) Measures() bool { return false }

// Acknowledge changes nothing.
func (None) Acknowledge(*transport.Window, transport.Acknowledgement) {}

// Lose changes nothing.
func (None) Lose(*transport.Window, transport.Loss) {}
