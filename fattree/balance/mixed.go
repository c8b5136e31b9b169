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
	one              bool             // main balances the background traffic as well
	workload         fattree.Workload // tells which flows are background traffic
}

// NewMixed returns a balancer that uses background for the background traffic of a workload
// ([fattree.Workload.BackgroundEvery]) and main for all other flows. Both are reset with all flows, but then
// see only their own flows. It implements the optional interfaces by forwarding to the flow's balancer. If
// this balancer does not implement the interface, the answer is no. If main or background is a
// [fattree.Router], the result is one as well: a network with a router delivers the packets of a slot in
// another order, even if the router routes none.
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
	routes := false
	for i, b := range parts {
		var isRouter bool
		routed.routers[i], isRouter = transport.As[fattree.Router](b)
		routed.watchers[i], _ = transport.As[fattree.Watcher](b)
		routes = routes || isRouter
	}
	if routes {
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
	m.workload = n.Spec().Workload
	if m.one {
		m.workload.BackgroundEvery = 0
	}
}

// Measures reports whether either balancer uses RTTs.
func (m *mixed) Measures() bool {
	return transport.Measures(m.main) || transport.Measures(m.background)
}

// UsesCarried reports whether either balancer learns from carried EVs.
func (m *mixed) UsesCarried() bool {
	return transport.UsesCarried(m.main) || transport.UsesCarried(m.background)
}

// UsesRoom reports whether either balancer uses the window's room.
func (m *mixed) UsesRoom() bool {
	return transport.UsesRoom(m.main) || transport.UsesRoom(m.background)
}

// of returns the balancer of a flow.
func (m *mixed) of(flow int32) transport.Balancer {
	if m.workload.Background(int(flow)) {
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

// Inherit forwards to the flow's balancer. A flow inherits nothing from a flow with another balancer.
func (m *mixed) Inherit(flow, from int32) {
	if b, ok := transport.As[transport.Inheriter](m.of(flow)); ok && m.of(flow) == m.of(from) {
		b.Inherit(flow, from)
	}
}

// Frozen reports whether a flow is in freezing mode.
func (m *mixed) Frozen(flow int32) bool {
	b, ok := transport.As[transport.Freezer](m.of(flow))
	return ok && b.Frozen(flow)
}

// Inspect forwards to the flow's balancer if it is an Inspector.
func (m *mixed) Inspect(flow int32, dst []transport.Slot) transport.Memory {
	if b, ok := transport.As[transport.Inspector](m.of(flow)); ok {
		return b.Inspect(flow, dst)
	}
	return transport.Memory{}
}

// Subflows forwards to the flow's balancer if it is a Splitter, and returns 0 otherwise.
func (m *mixed) Subflows(flow int32) int32 {
	if b, ok := transport.As[transport.Splitter](m.of(flow)); ok {
		return b.Subflows(flow)
	}
	return 0
}

// SubflowEV returns the EV of a subflow.
func (m *mixed) SubflowEV(flow, subflow int32) uint16 {
	b, _ := transport.As[transport.Splitter](m.of(flow))
	return b.SubflowEV(flow, subflow)
}

// Subflow returns the subflow of an EV.
func (m *mixed) Subflow(flow int32, ev uint16) int32 {
	b, _ := transport.As[transport.Splitter](m.of(flow))
	return b.Subflow(flow, ev)
}

// Probes reports whether either balancer sends probes.
func (m *mixed) Probes() bool {
	return transport.ProberOf(m.main) != nil || transport.ProberOf(m.background) != nil
}

// Probe forwards to the flow's balancer.
func (m *mixed) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	if b := transport.ProberOf(m.of(flow)); b != nil {
		return b.Probe(flow, now)
	}
	return 0, false
}

// mixedRouter is a Mixed with at least one router. Index 0 belongs to the main balancer, 1 to the background's.
type mixedRouter struct {
	*mixed
	routers  [2]fattree.Router // nil if the balancer is no Router
	watchers [2]fattree.Watcher
}

// Route lets the flow's balancer route a packet if it is a router, and tells the other balancer the port if that
// one is a Watcher. If the flow's balancer is no router, the packet is hashed.
func (m *mixedRouter) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	own := 0
	if m.workload.Background(int(p.Flow)) {
		own = 1
	}
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
