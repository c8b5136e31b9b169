package fattree

import (
	"cmp"
	"slices"

	"repslab/faults"
)

// validateConnections reports the first flow that has other hosts than the first flow of its connection.
func (w Workload) validateConnections() error {
	list := w.connections()
	if list != nil && w.BackgroundEvery > 0 {
		return faults.New("fattree", "BackgroundEvery", w.BackgroundEvery, "must be 0 with connections of several messages")
	}
	for i, first := range list {
		if f := w.Flows[i]; pairOf(i, f) != pairOf(i, w.Flows[first]) {
			return refuse("Flows", i, "Connection", f.Connection, "must not be that of flow %d, which has other hosts", first)
		}
	}
	return nil
}

// connections returns for each flow the first flow of its connection, or nil if every flow has its own connection.
func (w Workload) connections() []int32 {
	if !slices.ContainsFunc(w.Flows, func(f Flow) bool { return f.Connection > 0 }) {
		return nil
	}
	return firsts(w.Flows, func(i int, f Flow) int { return cmp.Or(f.Connection, -i-1) })
}

// pairOf returns the hosts of a flow.
func pairOf(_ int, f Flow) [2]Host { return [2]Host{f.Source, f.Destination} }

// firsts returns for each flow the first flow with the same key.
func firsts[K comparable](flows []Flow, key func(int, Flow) K) []int32 {
	known := map[K]int32{}
	list := make([]int32, len(flows))
	for i, f := range flows {
		k := key(i, f)
		first, ok := known[k]
		if !ok {
			first = int32(i)
			known[k] = first
		}
		list[i] = first
	}
	return list
}
