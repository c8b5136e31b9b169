package endpoint

import "repslab/fattree"

// Heirs remembers the last flow that ended for each pair of hosts, for flows that inherit connections. The zero
// value remembers none before Reset.
type Heirs struct {
	last map[[2]fattree.Host]int32
}

// Reset forgets all flows. Later ends are remembered only if inherit is set.
func (h *Heirs) Reset(inherit bool) {
	clear(h.last)
	if inherit && h.last == nil {
		h.last = map[[2]fattree.Host]int32{}
	}
}

// End notes that a flow ends.
func (h *Heirs) End(n *fattree.Network, flow int32) {
	if h.last != nil {
		source, destination := n.Pair(flow)
		h.last[[2]fattree.Host{source, destination}] = flow
	}
}

// Begin gives a flow that begins the balancer state of an ended flow by the balancer's function inherit, unless that is
// nil. from is the last flow that ended between the same hosts; known is false if there is none.
func (h *Heirs) Begin(n *fattree.Network, flow int32, inherit func(flow, from int32)) (from int32, known bool) {
	source, destination := n.Pair(flow)
	if from, known = h.last[[2]fattree.Host{source, destination}]; known && inherit != nil {
		inherit(flow, from)
	}
	return from, known
}
