package fattree

// pairOf returns the hosts of a flow.
func pairOf(_ int, f Flow) [2]Host { return [2]Host{f.Source, f.Destination} }

// firsts returns for each flow the first one with the same key.
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

// forgetHeirs prepares for a run in which no flow has ended.
func (r *Run) forgetHeirs() {
	if r.net.pairs == nil {
		return
	}
	if r.heirs == nil {
		r.heirs = make([]int32, len(r.net.pairs))
	}
	for i := range r.heirs {
		r.heirs[i] = none
	}
}

// inherit lets a flow that begins go on where the last one of its pair ended,
// which it returns, or none.
func (t *tile) inherit(flow int32) (from int32) {
	from = t.heirs[t.net.pairs[flow]]
	if from == none {
		return from
	}
	t.senders[flow].window.Packets = t.senders[from].window.Packets
	if t.requests != nil {
		t.senders[flow].window.Packets -= t.requests.flows[from].leaked
	}
	if b, ok := t.balance.(Inheriter); ok {
		b.Inherit(flow, from)
	}
	return from
}
