package fattree

// Counter is one of the [Counts] of packets that hosts and switches add up.
type Counter struct {
	Key    string // its name in traces and, if it is a metric, the column in rows
	Traced bool   // whether traces record it
	Of     func(*Counts) *int64
}

// Counters lists the counters. It is the only list: the workers' counts are merged by it, [Sample] has the growth
// of each, and package experiment estimates their means. Traces keep its order.
func Counters() []Counter {
	return []Counter{
		{"sent", true, func(c *Counts) *int64 { return &c.Sent }},
		{"retransmitted", true, func(c *Counts) *int64 { return &c.Retransmitted }},
		{"recycled", true, func(c *Counts) *int64 { return &c.Recycled }},
		{"marked", true, func(c *Counts) *int64 { return &c.Marked }},
		{"dropped", true, func(c *Counts) *int64 { return &c.Dropped }},
		{"trimmed", true, func(c *Counts) *int64 { return &c.Trimmed }},
		{"lost", true, func(c *Counts) *int64 { return &c.Lost }},
		{"corrupted", false, func(c *Counts) *int64 { return &c.Corrupted }},
		{"delivered", false, func(c *Counts) *int64 { return &c.Delivered }},
		{"duplicates", false, func(c *Counts) *int64 { return &c.Duplicates }},
		{"probes", false, func(c *Counts) *int64 { return &c.Probes }},
		{"answered", false, func(c *Counts) *int64 { return &c.Answered }},
		{"requests", false, func(c *Counts) *int64 { return &c.Requests }},
		{"packet_hops", false, func(c *Counts) *int64 { return &c.PacketHops }},
	}
}

// total returns the counts of all workers.
func (r *Run) total() Counts {
	r.sum = Counts{} // a field, since a local variable would be allocated
	for _, c := range Counters() {
		for i := range r.workers {
			*c.Of(&r.sum) += *c.Of(&r.workers[i].Counts)
		}
	}
	for i := range r.workers {
		r.sum.MaxQueue = max(r.sum.MaxQueue, r.workers[i].MaxQueue)
		r.sum.Reroute = max(r.sum.Reroute, r.workers[i].Reroute)
	}
	return r.sum
}

// since returns the growth of the counters since an earlier time; the other counts are 0.
func (c *Counts) since(before *Counts) (grown Counts) {
	for _, counter := range Counters() {
		*counter.Of(&grown) = *counter.Of(c) - *counter.Of(before)
	}
	return grown
}
