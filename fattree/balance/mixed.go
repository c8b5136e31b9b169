package balance

import (
	"reflect"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// mixed is the balancer of [NewMixed].
type mixed struct {
	main, background transport.Balancer
	one              bool                // main balances the background traffic as well
	workload         fattree.Workload    // tells which flows are background traffic
	traits           [2]transport.Traits // of main and background in the run
}

// NewMixed returns a balancer that uses background for the background traffic of a workload
// ([fattree.Workload.BackgroundEvery]) and main for all other flows. Both are reset with all flows, but then
// see only their own flows. It has the traits of both; for a flow whose balancer lacks a part, the answer is no.
// If main or background is a [fattree.Router], the result is one as well: a network with a router delivers the packets
// of a slot in another order, even if the router routes none.
//
// If main and background are equal by [reflect.DeepEqual], such as two new balancers with the same
// parameters, they act as one: main balances all flows, so switches and connections have a single state and
// random stream. NewMixed panics if main or background is nil.
func NewMixed(main, background transport.Balancer) transport.Balancer {
	if main == nil || background == nil {
		panic("balance: NewMixed needs a main and a background balancer")
	}
	m := &mixed{main: main, background: background, one: reflect.DeepEqual(main, background)}
	routed := &mixedRouter{mixed: m}
	parts := []transport.Balancer{main, background}
	if m.one {
		parts = parts[:1]
	}
	for i, b := range parts {
		t := b.Traits()
		routed.routers[i], routed.watchers[i] = t.Router, t.Watcher
	}
	if routed.routers != [2]fattree.Router{} {
		return routed
	}
	return m
}

// Reset resets both balancers.
func (m *mixed) Reset(n *fattree.Network, random mc.Stream) {
	if m == nil || m.main == nil {
		panic("balance: a Mixed or HostAssisted that was not made by NewMixed or NewHostAssisted")
	}
	m.main.Reset(n, random)
	m.background.Reset(n, random)
	m.traits = [2]transport.Traits{m.main.Traits(), m.background.Traits()}
	m.workload = n.Spec().Workload
	if m.one {
		m.workload.BackgroundEvery = 0
	}
}

// Traits returns the traits of both balancers together.
func (m *mixed) Traits() (t transport.Traits) {
	if m == nil || m.main == nil {
		return t
	}
	a, b := m.main.Traits(), m.background.Traits()
	t = transport.Traits{
		IgnoresRTTs: a.IgnoresRTTs && b.IgnoresRTTs, UsesCarried: a.UsesCarried || b.UsesCarried, UsesRoom: a.UsesRoom || b.UsesRoom,
		Frozen: m.frozen, Inherit: m.inherit, Inspect: m.inspect,
	}
	if a.Probe != nil || b.Probe != nil {
		t.Probe = m.probe
	}
	if a.Splitter != nil || b.Splitter != nil {
		t.Splitter = mixedSplitter{m}
	}
	return t
}

// side returns 0 for a flow of the main balancer, and 1 for one of the background's.
func (m *mixed) side(flow int32) int {
	if m.workload.Background(int(flow)) {
		return 1
	}
	return 0
}

// of returns the balancer of a flow.
func (m *mixed) of(flow int32) transport.Balancer {
	if m.side(flow) == 1 {
		return m.background
	}
	return m.main
}

// NextEV returns the EV that the flow's balancer chooses.
func (m *mixed) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	return m.of(flow).NextEV(flow, now)
}

// Feedback forwards to the flow's balancer.
func (m *mixed) Feedback(f transport.Feedback) { m.of(f.Flow).Feedback(f) }

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

// mixedSplitter is a Mixed of which at least one balancer splits flows.
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

// mixedRouter is a Mixed with at least one router. Index 0 belongs to the main balancer, 1 to the background's.
type mixedRouter struct {
	*mixed
	routers  [2]fattree.Router // nil if the balancer is no Router
	watchers [2]fattree.Watcher
}

// Traits returns the traits of both balancers together; it routes and watches.
func (m *mixedRouter) Traits() transport.Traits {
	t := m.mixed.Traits()
	t.Router, t.Watcher = m, m
	return t
}

// Route lets the flow's balancer route a packet if it is a router, and tells the other balancer the port if that
// one is a Watcher. If the flow's balancer is no router, the packet is hashed.
func (m *mixedRouter) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	own := m.side(p.Flow)
	if m.routers[own] == nil {
		return 0, false
	}
	port, chosen = m.routers[own].Route(p, ports)
	if other := m.watchers[1-own]; chosen && other != nil {
		other.Watch(p, ports, port)
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
