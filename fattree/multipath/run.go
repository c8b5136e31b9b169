package multipath

import (
	"context"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/bitset"
	"repslab/mc"
)

// Run is the scratch memory of runs of one network whose hosts are those of this package: that of a
// [fattree.Run] and the state of all flows. It may be used for one run after the other, by one goroutine at a
// time; after the first run it allocates next to nothing.
type Run struct {
	*fattree.Run
	flows *flows
}

// NewRun returns scratch memory for runs of n. The error is a joined [*mc.FieldError] about options that MRC does not
// have. O(packets of all flows).
func NewRun(n *fattree.Network) (*Run, error) {
	if err := validate(n); err != nil {
		return nil, err
	}
	f := newFlows(n)
	return &Run{n.NewRun(f), f}, nil
}

// validate reports what a network asks for and MRC does not have.
func validate(n *fattree.Network) error {
	s := n.Spec()
	faults := mc.Faults{Package: "multipath"}
	faults.Check(s.Transport == fattree.MRC, "Transport", s.Transport, "must be MRC")
	faults.Check(!n.HasSink(), "Topology", s.Topology, "must have links to hosts")
	faults.Check(!n.Connects(), "Flows", len(s.Workload.Flows), "must be connections of their own, without further messages")
	faults.Check(!s.CarryEVs, "CarryEVs", s.CarryEVs, "must be false")
	faults.Check(!s.RequestsForRetransmission, "RequestsForRetransmission", s.RequestsForRetransmission, "must be false")
	faults.Check(!s.SilentDuplicates, "SilentDuplicates", s.SilentDuplicates, "must be false")
	faults.Check(!s.DoubleTurns, "DoubleTurns", s.DoubleTurns, "must be false")
	return faults.Err()
}

// Execute runs the network with a balancer and a congestion control until every flow has finished or the
// horizon is reached. The Result is the caller's; it shares no memory with r. Execute returns an error only if
// ctx, b or c is nil, if ctx is done, if b cuts flows into subflows or c grants credit, or if packets are not
// conserved, which is a fault of the program.
func (r *Run) Execute(ctx context.Context, b transport.Balancer, c transport.Control, s fattree.Streams) (*fattree.Result, error) {
	faults := mc.Faults{Package: "multipath"}
	faults.Check(ctx != nil, "ctx", nil, "must be set")
	faults.Check(b != nil, "b", nil, "must be set: it balances the load")
	faults.Check(c != nil, "c", nil, "must be set: it controls congestion")
	_, grants := c.(transport.Granter)
	faults.Check(!grants, "c", c, "must be a congestion control of senders")
	if err := faults.Err(); err != nil {
		return nil, err
	}
	if splitter, ok := b.(transport.Splitter); ok {
		b.Reset(r.flows.net, s.Balancer())
		if r.flows.cutsAny(splitter) {
			return nil, mc.NewFieldError("multipath", "b", b, "must not cut flows into subflows")
		}
	}
	r.flows.use(b, c)
	return r.Run.Execute(ctx, s)
}

// Begin prepares a run that Step then advances slot by slot, for those who want to look at it in between or
// fail links; [Run.Execute] does both. b and c must not be nil, and are not checked.
func (r *Run) Begin(b transport.Balancer, c transport.Control, s fattree.Streams) {
	r.flows.use(b, c)
	r.Run.Begin(s)
}

// cutsAny reports whether a balancer cuts any flow.
func (f *flows) cutsAny(b transport.Splitter) bool {
	for flow := range f.senders {
		if b.Subflows(int32(flow)) > 0 {
			return true
		}
	}
	return false
}

// use lets a balancer choose the paths of the run, and a congestion control the windows.
func (f *flows) use(b transport.Balancer, c transport.Control) {
	f.balance, f.control = b, c
	var knows bool
	if f.paths, knows = b.(transport.PlaneBalancer); !knows {
		f.paths = newInTurn(b, f.net)
	}
	f.prober, _ = f.paths.(transport.Prober)
}

// flows is the state of all flows of a run, a [fattree.Transport].
type flows struct {
	net      *fattree.Network
	spec     fattree.Spec
	slotTime fattree.Picoseconds
	planes   int
	allPorts uint16
	half     int32 // slots of half a time-out

	balance transport.Balancer
	paths   transport.PlaneBalancer // balance, or around it
	prober  transport.Prober        // paths if it probes
	control transport.Control

	senders   []sender
	receivers []receiver
	sent      []transmission // by packet, 64 places for each group of the network
	received  bitset.Set     // by packet, in the same places
	lines     []line         // by host
	reports   []report       // of the last SACKs of each host; nil unless SACKs say more than which packet they are for
	life      int32          // slots for which a report is kept
	tiles     []*hosts
}

// newFlows returns the state of runs of n.
func newFlows(n *fattree.Network) *flows {
	s := n.Spec()
	f := &flows{
		net: n, spec: s, slotTime: n.SlotTime(), planes: n.HostLinks(), allPorts: 1<<n.HostLinks() - 1,
		half:    int32((s.RTO + 2*n.SlotTime() - 1) / (2 * n.SlotTime())),
		senders: make([]sender, n.Flows()), receivers: make([]receiver, n.Flows()),
		sent: make([]transmission, 64*n.Groups()), received: bitset.New(64 * n.Groups()), lines: make([]line, n.Hosts()),
	}
	if n.Reports() {
		f.life = n.ReportLife()
		f.reports = make([]report, n.Hosts()*int(n.Arrivals())*int(f.life))
	}
	return f
}

// Attach implements [fattree.Transport].
func (f *flows) Attach(e *fattree.Edge) fattree.Hosts {
	h := &hosts{flows: f, Edge: e, ready: bitset.New(int(e.Hosts))}
	f.tiles = append(f.tiles, h)
	return h
}

// Begin implements [fattree.Transport].
func (f *flows) Begin(s fattree.Streams) fattree.Needs {
	f.paths.Reset(f.net, s.Balancer())
	f.control.Reset(f.net)
	if d, ok := f.control.(transport.Drawer); ok {
		d.Draw(s.Algorithm.Child(2))
	}
	if f.prober != nil && !f.prober.Probes() {
		f.prober = nil
	}
	clear(f.senders)
	clear(f.sent)
	clear(f.receivers)
	clear(f.received)
	for i := range f.lines {
		f.lines[i] = line{none, none}
	}
	for _, h := range f.tiles {
		h.reset()
	}
	router, _ := f.balance.(fattree.Router)
	return fattree.Needs{Router: router, Notes: true, Demands: f.spec.RetransmissionsFirst, Unmarked: true}
}

// Window implements [fattree.Windowed].
func (f *flows) Window(flow int32) float64 { return f.senders[flow].window.Packets }

// Frozen implements [fattree.Windowed].
func (f *flows) Frozen() (count int) {
	freezer, ok := f.balance.(transport.Freezer)
	for flow := range f.senders {
		if ok && f.senders[flow].total > 0 && freezer.Frozen(int32(flow)) {
			count++
		}
	}
	return count
}

// hosts is what the hosts of a tile do, a [fattree.Hosts].
type hosts struct {
	*flows
	*fattree.Edge
	ready    bitset.Set // hosts with flows that want to send, or whose links are not done with what they sent
	timers   timers
	starts   []start                   // of flows, the last one first
	reported int32                     // reports of SACKs in the slot
	ports    uint16                    // links that worked in the last slot; of a host with a NIC of its own
	inbound  []int32                   // flows to such a host of which some, but not all, packets have come
	heirs    map[[2]fattree.Host]int32 // by source and destination: the last flow that ended; nil unless flows inherit
}

// reset prepares for a run.
func (h *hosts) reset() {
	clear(h.ready)
	clear(h.heirs)
	h.timers.reset()
	h.starts, h.inbound, h.ports = h.starts[:0], h.inbound[:0], h.allPorts
	if h.spec.InheritConnections && h.heirs == nil {
		h.heirs = map[[2]fattree.Host]int32{}
	}
}

// Due implements [fattree.Hosts].
func (h *hosts) Due() int32 {
	if !h.ready.Empty() {
		return 0
	}
	due := h.timers.next()
	if last := len(h.starts) - 1; last >= 0 {
		due = min(due, h.starts[last].slot)
	}
	return due
}

// Receive implements [fattree.Hosts].
func (h *hosts) Receive(packets []fattree.Crossing) {
	h.reported = 0
	for _, c := range packets {
		h.receive(c)
	}
}

// Step implements [fattree.Hosts].
func (h *hosts) Step(headers []fattree.Crossing) {
	for _, c := range headers {
		h.takeHeader(c)
	}
	h.beginFlows()
	h.expire()
	h.watchPorts()
	h.serve()
}
