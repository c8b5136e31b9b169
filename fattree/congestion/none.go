package congestion

import "repslab/fattree"

// None leaves the window at its initial size.
type None struct{}

// Reset does nothing.
func (None) Reset(*fattree.Network) {}

// Memoryless implements [fattree.Memoryless].
func (None) Memoryless() {}

// Measures reports that it uses no RTTs.
func (None) Measures() bool { return false }

// Acknowledge changes nothing.
func (None) Acknowledge(*fattree.Window, fattree.Acknowledgement) {}

// Lose changes nothing.
func (None) Lose(*fattree.Window, fattree.Loss) {}
