package transport

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"repslab/fattree"
	"repslab/faults"
	"repslab/internal/bitset"
	"repslab/internal/endpoint"
)

// Run is the scratch memory of runs of one network with a balancer and a congestion control: a [fattree.Run] and
// the state of all flows. It serves one run after the other, for one goroutine at a time; after the first run it
// allocates next to nothing.
type Run struct {
	*fattree.Run
	net   *fattree.Network
	hosts Balanced
}

// Balanced is a [fattree.Transport] that uses a balancer and a congestion control. This package has one, and
// package multipath has another.
type Balanced interface {
	fattree.Transport
	// Use sets the balancer and the congestion control of the following runs; they are not nil. cuts says that the
	// balancer splits flows into subflows. The error says why the Transport cannot use them.
	Use(b Balancer, c Control, cuts bool) error
}

// NewRun returns scratch memory for runs of n by the rules of this package. O(packets of all flows).
func NewRun(n *fattree.Network) *Run { return NewRunBy(n, newFlows(n)) }

// NewRunBy returns scratch memory for runs of n with the given hosts.
func NewRunBy(n *fattree.Network, hosts Balanced) *Run {
	return &Run{Run: n.NewRun(hosts), net: n, hosts: hosts}
}

// Execute runs the network with a balancer and a congestion control until every flow has finished or the horizon
// is reached. The caller owns the Result: it shares no memory with r. Execute returns an error only if ctx, b or c
// is nil, or has methods of an optional interface and does not name itself in its traits, if ctx is done, if the hosts
// cannot use b and c, or if packets are not conserved, which is a fault of the program. Hosts of this package refuse a
// b that splits flows into subflows together with a c that has a memory ([ControlTraits]).
func (r *Run) Execute(ctx context.Context, b Balancer, c Control, s fattree.Streams) (*fattree.Result, error) {
	bad := faults.List{Package: "transport"}
	bad.Check(ctx != nil, "ctx", nil, "must be set")
	traits, err := r.checkUsers(b, c)
	bad.Add(err)
	if err := bad.Err(); err != nil {
		return nil, err
	}
	cuts := false
	if splitter := traits.Splitter; splitter != nil {
		b.Reset(r.net, s.Balancer())
		for flow := range int32(r.net.Flows()) {
			cuts = cuts || splitter.Subflows(flow) > 0
		}
	}
	if err := r.hosts.Use(b, c, cuts); err != nil {
		return nil, err
	}
	return r.Run.Execute(ctx, s)
}

// Begin prepares a run that the caller advances slot by slot with Step, to look at it in between or to fail links;
// [Run.Execute] does both. Begin panics with the error that Execute returns if b or c is nil, or does not name itself
// in its traits. It does not check whether the hosts can use them.
func (r *Run) Begin(b Balancer, c Control, s fattree.Streams) {
	if _, err := r.checkUsers(b, c); err != nil {
		panic(err)
	}
	_ = r.hosts.Use(b, c, false)
	r.Run.Begin(s)
}

// Reset resets the balancer and the congestion control for a run of n, and returns what they do besides. A [Balanced]
// calls it in its method Begin.
func Reset(b Balancer, c Control, n *fattree.Network, s fattree.Streams) (Traits, ControlTraits) {
	b.Reset(n, s.Balancer())
	c.Reset(n, s.Algorithm.Child(2))
	return b.Traits(), c.Traits()
}

var _ fattree.Windowed = (*flows)(nil)

// flows is the state of all flows of a run. It implements [fattree.Transport].
type flows struct {
	endpoint.Flows
	spec     fattree.Spec
	options  Options
	slotTime fattree.Picoseconds
	balance  Balancer
	traits   Traits // of the balancer
	control  Control
	grants   *granting   // nil unless control is a Granter
	doubles  doubleTurns // used instead of lines; nil unless flows can stand in line twice
	requests *requests   // wraps control; nil unless senders ask before they retransmit
	sleek    *sleek      // nil unless senders use SLEEK
	split    *splitting  // nil unless the balancer splits flows
	carrying *carriedEVs // nil unless ACKs report all packets that they cover
	watch    *watch      // nil unless events are recorded
	insights *insights   // wraps control, within requests; nil unless it is an Insider

	tiles      []*hosts
	senders    []sender
	groups     []group     // of senders
	sent       []sending   // by packet, 64 places for each group: last transmissions
	reports    []report    // reports of the last ACKs of each host; nil unless ACKs have reports
	deliveries *deliveries // nil unless the network is told when messages of connections are delivered
	messages   [][]segment // messages in progress, by connection in the order in which they began; nil if each flow has its own connection

	timeout   int32 // slots of the RTO, a multiple of 2^coarse
	coarse    uint8 // chosen so that an RTO has fewer than 2^16 units of 2^coarse slots
	refused   error // why the hosts cannot run
	sacking   bool  // ACKs can be lost or are not sent for every packet
	early     bool  // hosts send between the ACKs of a slot, see [Traits.UsesRoom]
	measuring bool  // RTTs are measured for the balancer or congestion control
	oneSwitch bool  // before a sink: no NICs, no time-outs
	byBytes   bool  // links count bytes
	plain     bool  // the loops of plain.go run it
	rules
}

// newFlows returns the state of runs of n.
func newFlows(n *fattree.Network) *flows {
	spec := n.Spec()
	options := OptionsOn(n)
	places, refused := ReportPlaces(n)
	f := &flows{
		Flows: endpoint.NewFlows(n), spec: spec, options: options, slotTime: n.SlotTime(), refused: cmp.Or(CheckOptions(n), refused),
		senders:   make([]sender, n.Flows()),
		groups:    make([]group, n.Groups()),
		sent:      make([]sending, 64*n.Groups()),
		timeout:   int32((options.RTO + n.SlotTime() - 1) / n.SlotTime()),
		oneSwitch: n.HasSink(),
		sacking:   places > 0,
		byBytes:   n.CountsBytes(),
		rules:     newRules(n),
		messages:  newMessages(n), deliveries: newDeliveries(n),
	}
	f.coarse = uint8(bits.Len32(uint32(f.timeout) >> 16))
	f.timeout = (f.timeout + 1<<f.coarse - 1) >> f.coarse << f.coarse
	if f.sacking {
		f.reports = make([]report, places)
	}
	return f
}

// Use implements [Balanced].
func (f *flows) Use(b Balancer, c Control, cuts bool) error {
	if f.refused != nil {
		return f.refused
	}
	if cuts && !c.Traits().Memoryless {
		return faults.New("transport", "c", fmt.Sprintf("%T", c), "must be without memory (ControlTraits.Memoryless): a subflow has a window and nothing else")
	}
	f.balance, f.control = b, c
	return nil
}

// Attach implements [fattree.Transport].
func (f *flows) Attach(e *fattree.Edge) fattree.Hosts {
	count := int(e.Hosts)
	h := &hosts{
		flows: f, Edge: e,
		served: bitset.New(count), sentLast: bitset.New(count), sentNow: bitset.New(count),
		ready: bitset.New(count), granting: bitset.New(count),
	}
	f.tiles = append(f.tiles, h)
	return h
}

// Begin implements [fattree.Transport].
func (f *flows) Begin(s fattree.Streams) fattree.Needs {
	traits, control := Reset(f.balance, f.control, f.Net, s)
	f.traits = traits
	needs := f.setOptions(control)
	f.watch.reset(traits)
	for _, h := range f.tiles {
		h.reset()
	}
	f.Flows.Reset()
	clear(f.senders)
	clear(f.groups)
	clear(f.again)
	for i := range f.messages {
		f.messages[i] = f.messages[i][:0]
	}
	f.deliveries.reset()
	return needs
}

// setOptions selects the loops to run by the options of the network and the traits of the balancer and the control.
func (f *flows) setOptions(control ControlTraits) fattree.Needs {
	f.early = (f.ultra() || f.traits.UsesRoom) && !f.oneSwitch && f.Net.HostLinks() == 1
	f.measuring = !f.traits.IgnoresRTTs || !control.IgnoresRTTs || f.options.Sleek
	f.grants = f.newGranting(control)
	f.split = f.newSplitting(f.traits.Splitter)
	f.sleek = f.newSleek()
	f.doubles = f.newDoubleTurns()
	if f.insights = f.newInsights(control.Insider); f.insights != nil {
		f.control = f.insights
	}
	if f.requests = f.newRequests(f.control); f.requests != nil {
		f.control = f.requests
	}
	f.carrying = f.newCarrying()
	f.plain = !f.special()
	notes := f.sacking || f.requests != nil || f.traits.Probe != nil || f.ultra() || f.insights != nil || f.options.LastHopGood
	return fattree.Needs{Router: f.traits.Router, Watcher: f.traits.Watcher, Notes: notes, Demands: f.grants != nil, Unmarked: f.grants != nil}
}

// special reports whether a run uses a part that the loops of plain.go do not have. Each such part must be in the list.
func (f *flows) special() bool {
	return slices.Contains([]bool{
		f.requests != nil, f.traits.Probe != nil, f.ultra(), f.insights != nil, // with notes in headers
		f.grants != nil, f.split != nil, f.doubles != nil, f.messages != nil, f.watch != nil,
		f.traits.Router != nil, f.early, f.oneSwitch, f.Net.TellsDelivery(), f.Net.HasNICs(),
		f.options.SilentDuplicates, f.options.BurstOff != 0,
	}, true)
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
	phase    fattree.Moment // phase of the header that a host takes in
	served   bitset.Set     // hosts that have spent the slot early
	sentLast bitset.Set     // hosts that sent in the slot before; only if hosts send early, like the next
	sentNow  bitset.Set     // hosts that have sent in the slot
	ready    bitset.Set     // hosts with flows that want to send
	granting bitset.Set     // hosts with pulls to send
	agenda   agenda
	heirs    endpoint.Heirs
}

// reset prepares for a run.
func (h *hosts) reset() {
	clear(h.served)
	clear(h.sentLast)
	clear(h.sentNow)
	clear(h.ready)
	clear(h.granting)
	h.heirs.Reset(h.options.InheritConnections)
	h.agenda.Heap = h.agenda.Heap[:0]
}

// Start implements [fattree.Hosts].
func (h *hosts) Start(flow, slot int32) { h.agenda.add(slot, fattree.NewPacket(flow, 0, beginFlow)) }

// Due implements [fattree.Hosts].
func (h *hosts) Due() int32 {
	if !h.ready.Empty() || !h.granting.Empty() || h.early && !h.sentLast.Empty() {
		return 0
	}
	return h.agenda.next()
}

// Receive implements [fattree.Hosts].
func (h *hosts) Receive(packets []fattree.Crossing) {
	if h.plain && !h.sacking {
		h.receivePlainly(packets)
		return
	}
	for _, c := range packets {
		h.receive(c)
	}
}

// Step implements [fattree.Hosts].
func (h *hosts) Step(headers []fattree.Crossing) {
	if h.plain {
		h.receiveHeadersPlainly(headers)
		h.keepAgenda()
		h.sendPlainly()
		return
	}
	if h.grants != nil {
		h.grant()
	}
	if h.early {
		h.receiveInTurn(headers)
	} else {
		for _, c := range headers {
			h.receiveHeader(c)
		}
	}
	h.keepAgenda()
	h.serveHosts()
	if h.early {
		h.swapSent()
	}
}
