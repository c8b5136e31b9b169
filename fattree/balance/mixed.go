package balance

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// mixed is the balancer of [NewPerFlow].
type mixed struct {
	balancers []transport.Balancer                   // all different
	index     []uint8                                // by number of a balancer given, its place in balancers
	of        func(w fattree.Workload, flow int) int // nil if there is one balancer
	sides     []uint8                                // by flow: its balancer in the run
	traits    []transport.Traits                     // by balancer, in the run
}

// NewPerFlow returns a balancer that gives each flow one of 1 to 255 balancers: of returns its number for a flow of
// the workload. Each of them is reset with all flows, but then sees only its own flows. The result has the traits of
// all. Where a flow's balancer lacks a trait, the answer for this flow is no. If one of them is a [fattree.Router],
// the result is one as well: a network with a router delivers the packets of a slot in another order, even if the
// router routes none.
//
// Balancers that are equal by [reflect.DeepEqual], such as two new balancers with the same parameters, act as one:
// switches and connections have a single state and random stream. NewPerFlow panics if of or a balancer is nil, and
// Reset panics if of returns a number out of range. Its balancers must not choose links of hosts
// ([transport.Traits]).
func NewPerFlow(of func(w fattree.Workload, flow int) int, balancers ...transport.Balancer) transport.Balancer {
	if of == nil || len(balancers) < 1 || len(balancers) > math.MaxUint8 || slices.Contains(balancers, nil) {
		panic(fmt.Sprintf("balance: NewPerFlow needs a function and 1 to %d balancers that are not nil", math.MaxUint8))
	}
	m := &mixed{of: of}
	for _, b := range balancers {
		i := slices.IndexFunc(m.balancers, func(known transport.Balancer) bool { return reflect.DeepEqual(known, b) })
		if i < 0 {
			i, m.balancers = len(m.balancers), append(m.balancers, b)
		}
		m.index = append(m.index, uint8(i))
	}
	routed := &mixedRouter{mixed: m}
	some := false
	for _, b := range m.balancers {
		t := b.Traits()
		routed.routers, routed.watchers = append(routed.routers, t.Router), append(routed.watchers, t.Watcher)
		some = some || t.Router != nil
	}
	if some {
		return routed
	}
	return m
}

// NewMixed returns a balancer that uses background for the background traffic of a workload
// ([fattree.Workload.BackgroundEvery]) and main for all other flows, as [NewPerFlow] does. It panics if main or
// background is nil.
func NewMixed(main, background transport.Balancer) transport.Balancer {
	return NewPerFlow(func(w fattree.Workload, flow int) int {
		if w.Background(flow) {
			return 1
		}
		return 0
	}, main, background)
}

// Reset resets all balancers.
func (m *mixed) Reset(n *fattree.Network, random mc.Stream) {
	if m == nil || m.balancers == nil {
		panic("balance: a balancer that was not made by NewPerFlow, NewMixed or NewHostAssisted")
	}
	m.sides, m.traits = m.sides[:0], m.traits[:0]
	for _, b := range m.balancers {
		b.Reset(n, random)
		m.traits = append(m.traits, b.Traits())
	}
	m.sides = append(m.sides, make([]uint8, n.Flows())...)
	for flow := 0; m.of != nil && flow < len(m.sides); flow++ {
		number := m.of(n.Spec().Workload, flow)
		if number < 0 || number >= len(m.index) {
			panic(fmt.Sprintf("balance: NewPerFlow: of returns %d for flow %d, must be in [0, %d)", number, flow, len(m.index)))
		}
		m.sides[flow] = m.index[number]
	}
}

// Traits returns the traits of all balancers together.
func (m *mixed) Traits() (t transport.Traits) {
	if m == nil || m.balancers == nil {
		return t
	}
	t = transport.Traits{IgnoresRTTs: true, Frozen: m.frozen, Inspect: m.inspect}
	for _, b := range m.balancers {
		one := b.Traits()
		t.IgnoresRTTs, t.UsesCarried = t.IgnoresRTTs && one.IgnoresRTTs, t.UsesCarried || one.UsesCarried
		t.UsesTrims, t.UsesRoom = t.UsesTrims || one.UsesTrims, t.UsesRoom || one.UsesRoom
		if one.Inherit != nil {
			t.Inherit = m.inherit
		}
		if one.Probe != nil {
			t.Probe = m.probe
		}
		if one.Splitter != nil {
			t.Splitter = mixedSplitter{m}
		}
	}
	return t
}

// side returns the number of a flow's balancer.
func (m *mixed) side(flow int32) uint8 { return m.sides[flow] }

// balancer returns the balancer of a flow.
func (m *mixed) balancer(flow int32) transport.Balancer { return m.balancers[m.sides[flow]] }

// NextEV returns the EV that the flow's balancer chooses.
func (m *mixed) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	return m.balancer(flow).NextEV(flow, now)
}

// Feedback forwards to the flow's balancer.
func (m *mixed) Feedback(f transport.Feedback) { m.balancer(f.Flow).Feedback(f) }

// inherit forwards to the flow's balancer. A flow inherits nothing from a flow with another balancer.
func (m *mixed) inherit(flow, from int32) {
	if side := m.side(flow); side == m.side(from) && m.traits[side].Inherit != nil {
		m.traits[side].Inherit(flow, from)
	}
}

// frozen reports whether a flow is in freezing mode.
func (m *mixed) frozen(flow int32) bool {
	t := &m.traits[m.side(flow)]
	return t.Frozen != nil && t.Frozen(flow)
}

// inspect forwards to the flow's balancer.
func (m *mixed) inspect(flow int32, dst []transport.Slot) (memory transport.Memory) {
	if t := &m.traits[m.side(flow)]; t.Inspect != nil {
		memory = t.Inspect(flow, dst)
	}
	return memory
}

// probe forwards to the flow's balancer.
func (m *mixed) probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	if t := &m.traits[m.side(flow)]; t.Probe != nil {
		return t.Probe(flow, now)
	}
	return 0, false
}

// mixedSplitter is a mixed of which at least one balancer splits flows.
type mixedSplitter struct{ *mixed }

// Subflows forwards to the flow's balancer if it splits flows, and returns 0 otherwise.
func (m mixedSplitter) Subflows(flow int32) int32 {
	if s := m.traits[m.side(flow)].Splitter; s != nil {
		return s.Subflows(flow)
	}
	return 0
}

// SubflowEV returns the EV of a subflow.
func (m mixedSplitter) SubflowEV(flow, subflow int32) uint16 {
	return m.traits[m.side(flow)].Splitter.SubflowEV(flow, subflow)
}

// Subflow returns the subflow of an EV.
func (m mixedSplitter) Subflow(flow int32, ev uint16) int32 {
	return m.traits[m.side(flow)].Splitter.Subflow(flow, ev)
}

// mixedRouter is a mixed with at least one router. Lists are by number of the balancer.
type mixedRouter struct {
	*mixed
	routers  []fattree.Router // nil if the balancer is no Router
	watchers []fattree.Watcher
}

// Traits returns the traits of all balancers together; it routes and watches.
func (m *mixedRouter) Traits() transport.Traits {
	t := m.mixed.Traits()
	t.Router, t.Watcher = m, m
	return t
}

// Route lets the flow's balancer route a packet if it is a router, and tells the port to the other balancers that are
// Watchers. If the flow's balancer is no router, the packet is hashed.
func (m *mixedRouter) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	own := m.side(p.Flow)
	if m.routers[own] == nil {
		return 0, false
	}
	port, chosen = m.routers[own].Route(p, ports)
	for i, other := range m.watchers {
		if chosen && other != nil && i != int(own) {
			other.Watch(p, ports, port)
		}
	}
	return port, chosen
}

// Watch forwards to the Watchers.
func (m *mixedRouter) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	for _, w := range m.watchers {
		if w != nil {
			w.Watch(p, ports, port)
		}
	}
}
