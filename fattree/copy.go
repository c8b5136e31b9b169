//go:build !js

package fattree

import "slices"

// Clone returns s with lists of its own: changes of the lists of s do not change the clone. Topology, Options and the
// functions of s are the same. O(flows and faults).
func (s Spec) Clone() Spec {
	s.Workload.Flows, s.Workload.Triggers = slices.Clone(s.Workload.Flows), slices.Clone(s.Workload.Triggers)
	s.Workload.Parts, s.Errors, s.Faults = slices.Clone(s.Workload.Parts), slices.Clone(s.Errors), slices.Clone(s.Faults)
	for i := range s.Faults {
		s.Faults[i].Ports = slices.Clone(s.Faults[i].Ports)
	}
	return s
}

// clone returns o with lists of its own.
func (o Outline) clone() Outline {
	o.Links, o.Paths, o.Below = slices.Clone(o.Links), slices.Clone(o.Paths), slices.Clone(o.Below)
	for i := range o.Paths {
		o.Paths[i].Links = slices.Clone(o.Paths[i].Links)
	}
	return o
}

// clone returns w for a network. Add appends to nodes and ports, so only the lists that it or a caller changes in
// place are copied.
func (w wires) clone() wires {
	w.home, w.ranges = slices.Clone(w.home), slices.Clone(w.ranges)
	for i := range w.ranges {
		w.ranges[i] = slices.Clone(w.ranges[i])
	}
	return w
}
