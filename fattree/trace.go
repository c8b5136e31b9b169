package fattree

import "math/bits"

// TraceConfig says what a Run records over time.
type TraceConfig struct {
	Every Picoseconds // length of a bucket; at least a slot
	Ports []int       // ports to record throughput and queue of; numbered as for QueueLength
	Flows []int       // flows to record the window of
	// Groups are sets of ports, such as all ports of a tier. Congestion marks are counted for each set as a whole.
	Groups [][]int
	Most   int // record only the first Most samples; 0 is no limit
}

// Sample holds the values recorded at the end of a bucket.
type Sample struct {
	Time    Picoseconds // end of the bucket
	Packets []int64     // sent by each traced port during the bucket
	Queue   []int32     // packets waiting at each traced port at Time
	Window  []float64   // cwnd of each traced flow at Time, packets
	Frozen  int         // flows in freezing mode at Time; 0 if the balancer has no such mode
	// GroupMarks counts the packets that the ports of each group marked during the bucket.
	GroupMarks []int64

	// The growth of [Counters] during the bucket, in the whole network; the other counts are 0.
	Counts
}

// tracer collects samples.
type tracer struct {
	cfg     TraceConfig
	slots   int32   // of a bucket
	sent    []int64 // by port: packets since the last bucket's end
	marked  []int64 // by port: marked packets since the last bucket's end
	before  Counts  // at the end of the last bucket
	samples []Sample
}

// Trace makes the following runs record samples for [Run.Samples]. A zero Every turns recording off. It panics if Every
// or Most is negative, or a port or flow does not exist.
func (r *Run) Trace(cfg TraceConfig) {
	made(r != nil && r.net != nil, "Run", "NewRun")
	r.checkTrace(cfg)
	r.trace = nil
	if cfg.Every > 0 {
		slots := int32(max(1, min(cfg.Every/r.net.slotTime, 1<<30)))
		r.trace = &tracer{cfg: cfg, slots: slots, sent: make([]int64, len(r.ports)), marked: make([]int64, len(r.ports))}
	}
}

// Sample ends the bucket now and returns its sample, for callers that advance a traced run by [Run.Step]. The
// sample is not added to [Run.Samples]. It panics if the run is not traced. O(ports and flows traced).
func (r *Run) Sample() Sample {
	if r.trace == nil {
		panic("fattree: Run.Sample before Run.Trace")
	}
	return r.trace.take(r)
}

// Samples returns the samples of the last run, nil if it was not traced.
func (r *Run) Samples() []Sample {
	if r.trace == nil {
		return nil
	}
	return r.trace.samples
}

// reset forgets the last run.
func (t *tracer) reset() {
	clear(t.sent)
	clear(t.marked)
	t.before = Counts{}
	t.samples = nil
}

// count notes that ports have sent a packet: bit i of sent is port from + i.
func (t *tracer) count(from int, sent uint64) {
	for ; sent != 0; sent &= sent - 1 {
		t.sent[from+bits.TrailingZeros64(sent)]++
	}
}

// sample records the bucket that ends with the slot before the current one, if one does.
func (t *tracer) sample(r *Run) {
	if r.slot%t.slots == 0 && (t.cfg.Most == 0 || len(t.samples) < t.cfg.Most) {
		t.samples = append(t.samples, t.take(r))
	}
}

// take returns the sample of the bucket that ends with the slot before the current one.
func (t *tracer) take(r *Run) Sample {
	now := r.total()
	s := Sample{Time: Picoseconds(r.slot) * r.net.slotTime, Counts: now.since(&t.before)}
	for _, id := range t.cfg.Ports {
		s.Packets = append(s.Packets, t.sent[id])
		s.Queue = append(s.Queue, r.ports[id].count)
	}
	clear(t.sent)
	for _, group := range t.cfg.Groups {
		marks := int64(0)
		for _, id := range group {
			marks += t.marked[id]
		}
		s.GroupMarks = append(s.GroupMarks, marks)
	}
	clear(t.marked)
	if w, ok := r.hosts.(Windowed); ok {
		for _, flow := range t.cfg.Flows {
			s.Window = append(s.Window, w.Window(int32(flow)))
		}
		s.Frozen = w.Frozen()
	}
	t.before = now
	return s
}
