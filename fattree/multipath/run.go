package multipath

import (
	"errors"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/internal/bitset"
	"repslab/internal/endpoint"
)

// mostLinks is the largest number of links of a host: flows have a bit for each.
const mostLinks = 16

// NewRun returns scratch memory for runs of n by the rules of this package. The error is a joined [*faults.FieldError]
// about options that MRC does not have. Execute refuses a balancer that splits flows into subflows, and a
// congestion control that grants credit. O(packets of all flows).
func NewRun(n *fattree.Network) (*transport.Run, error) {
	s := n.Spec()
	bad := faults.List{Package: "multipath"}
	bad.Check(s.Profile == fattree.MRC, "Profile", s.Profile, "must be MRC")
	bad.Check(n.HostLinks() <= mostLinks, "HostLinks", n.HostLinks(), "must be at most %d", mostLinks)
	bad.Check(!n.HasSink(), "Topology", s.Topology, "must have links to hosts")
	bad.Check(!n.Connects(), "Flows", len(s.Workload.Flows), "must be connections of their own, without further messages")
	o := transport.OptionsOn(n)
	bad.Check(!o.CarryEVs, "CarryEVs", o.CarryEVs, "must be false")
	bad.Check(!o.RequestsForRetransmission, "RequestsForRetransmission", o.RequestsForRetransmission, "must be false")
	bad.Check(!o.DoubleTurns, "DoubleTurns", o.DoubleTurns, "must be false")
	bad.Check(!o.SilentDuplicates, "SilentDuplicates", o.SilentDuplicates, "must be false")
	_, err := transport.ReportPlaces(n)
	if err := errors.Join(bad.Err(), transport.CheckOptions(n), err); err != nil {
		return nil, err
	}
	return transport.NewRunBy(n, newFlows(n)), nil
}

// Use implements [transport.Balanced].
func (f *flows) Use(b transport.Balancer, c transport.Control, cuts bool) error {
	bad := faults.List{Package: "multipath"}
	bad.Check(c.Traits().Granter == nil, "c", c, "must be a congestion control of senders")
	bad.Check(!cuts, "b", b, "must not cut flows into subflows")
	f.balance, f.control = b, c
	var knows bool
	if f.paths, knows = b.(transport.PlaneBalancer); !knows {
		bad.Check(b.Traits().Planes == nil, "b", fmt.Sprintf("%T", b), "must be a PlaneBalancer itself: it wraps one, whose choice of planes would be lost")
		f.paths = newInTurn(b, f.Net)
	}
	return bad.Err()
}

var _ fattree.Windowed = (*flows)(nil)

// flows is the state of all flows of a run. It implements [fattree.Transport].
type flows struct {
	endpoint.Flows
	spec     fattree.Spec
	options  transport.Options
	slotTime fattree.Picoseconds
	planes   int
	allPorts uint16
	half     int32 // slots of half a time-out

	balance transport.Balancer
	paths   transport.PlaneBalancer // the balancer, or an inTurn around it
	traits  transport.Traits        // of paths
	control transport.Control

	senders []sender
	sent    []transmission // by packet, 64 places for each group of the network
	reports []report       // reports of the last SACKs of each host; nil unless SACKs have reports
	tiles   []*hosts
}

// newFlows returns the state of runs of n.
func newFlows(n *fattree.Network) *flows {
	s := n.Spec()
	options := transport.OptionsOn(n)
	f := &flows{
		Flows: endpoint.NewFlows(n), spec: s, options: options, slotTime: n.SlotTime(), planes: n.HostLinks(), allPorts: 1<<n.HostLinks() - 1,
		half:    int32((options.RTO + 2*n.SlotTime() - 1) / (2 * n.SlotTime())),
		senders: make([]sender, n.Flows()), sent: make([]transmission, 64*n.Groups()),
	}
	if places, _ := transport.ReportPlaces(n); places > 0 {
		f.reports = make([]report, places)
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
	f.traits, _ = transport.Reset(f.paths, f.control, f.Net, s)
	f.Flows.Reset()
	clear(f.senders)
	clear(f.sent)
	for _, h := range f.tiles {
		h.reset()
	}
	return fattree.Needs{Router: f.traits.Router, Watcher: f.traits.Watcher, Notes: true, Demands: f.spec.RetransmissionsFirst, Unmarked: true}
}

// Window implements [fattree.Windowed].
func (f *flows) Window(flow int32) float64 { return f.senders[flow].window.Packets }

// Frozen implements [fattree.Windowed].
func (f *flows) Frozen() int {
	return f.traits.CountFrozen(f.Net, func(flow int32) bool { return f.senders[flow].total > 0 })
}

// hosts are the hosts of a tile. It implements [fattree.Hosts].
type hosts struct {
	*flows
	*fattree.Edge
	ready   bitset.Set // hosts with flows that want to send, or with links that are still busy
	timers  timers
	starts  []start // flows that have not begun, the last one first
	ports   uint16  // links that worked in the last slot, of a host with a NIC of its own
	inbound []int32 // partly received flows of such a host
	heirs   endpoint.Heirs
}

// reset prepares for a run.
func (h *hosts) reset() {
	clear(h.ready)
	h.timers.reset()
	h.starts, h.inbound, h.ports = h.starts[:0], h.inbound[:0], h.allPorts
	h.heirs.Reset(h.options.InheritConnections)
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
	for _, c := range packets {
		h.receive(c)
	}
}

// Step implements [fattree.Hosts].
func (h *hosts) Step(headers []fattree.Crossing) {
	for _, c := range headers {
		h.receiveHeader(c)
	}
	h.beginFlows()
	h.expire()
	h.watchPorts()
	h.serve()
}
