package fattree

// pairs numbers the pairs of source and destination, by flow, in the order of
// their first flows.
func (w *Workload) pairs() []int32 {
	numbers := map[[2]Host]int32{}
	list := make([]int32, len(w.Flows))
	for i, f := range w.Flows {
		pair := [2]Host{f.Source, f.Destination}
		number, known := numbers[pair]
		if !known {
			number = int32(len(numbers))
			numbers[pair] = number
		}
		list[i] = number
	}
	return list
}

// forgetConnections prepares for a run in which no flow has ended.
func (r *Run) forgetConnections() {
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
