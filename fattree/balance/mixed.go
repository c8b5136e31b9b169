package balance

import (
	"repslab/fattree"
	"repslab/internal/mc"
)

// Mixed steers the background traffic of a workload
// ([fattree.Workload.BackgroundEvery]) by one balancer and all else by another.
// Each is told of all flows and asked for its own only.
type Mixed struct {
	main, background fattree.Balancer
	workload         fattree.Workload  // says which flows are background traffic
	watchers         []fattree.Watcher // those of the two that are
}

// NewMixed returns a Mixed of two balancers, which must not be the same one.
func NewMixed(main, background fattree.Balancer) *Mixed {
	m := &Mixed{main: main, background: background}
	for _, b := range []fattree.Balancer{main, background} {
		if w, ok := b.(fattree.Watcher); ok {
			m.watchers = append(m.watchers, w)
		}
	}
	return m
}

// Reset resets both balancers.
func (m *Mixed) Reset(n *fattree.Network, random mc.Stream) {
	m.main.Reset(n, random)
	m.background.Reset(n, random)
	m.workload = n.Spec().Workload
}

// Measures reports whether either balancer looks at RTTs.
func (m *Mixed) Measures() bool { return fattree.Measures(m.main) || fattree.Measures(m.background) }

// of returns the balancer of a flow.
func (m *Mixed) of(flow int32) fattree.Balancer {
	if m.workload.Background(int(flow)) {
		return m.background
	}
	return m.main
}

// NextEV returns the EV that the flow's balancer chooses.
func (m *Mixed) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	return m.of(flow).NextEV(flow, now)
}

// Feedback passes the news on to the flow's balancer.
func (m *Mixed) Feedback(f fattree.Feedback) { m.of(f.Flow).Feedback(f) }

// Inherit passes the request on to the flow's balancer. If the flow before had
// the other balancer, nothing is inherited.
func (m *Mixed) Inherit(flow, from int32) {
	if b, ok := m.of(flow).(fattree.Inheriter); ok && m.of(flow) == m.of(from) {
		b.Inherit(flow, from)
	}
}

// Frozen reports whether a flow is in freezing mode.
func (m *Mixed) Frozen(flow int32) bool {
	b, ok := m.of(flow).(fattree.Freezer)
	return ok && b.Frozen(flow)
}

// Route passes the question on to the flow's balancer if it is a router; the
// packets of others are hashed.
func (m *Mixed) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if b, ok := m.of(p.Flow).(fattree.Router); ok {
		return b.Route(p, ports)
	}
	return 0, false
}

// Watch tells the balancers that watch of a packet that neither routes.
func (m *Mixed) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	for _, w := range m.watchers {
		w.Watch(p, ports, port)
	}
}

// Subflows passes the question on to the flow's balancer if it cuts flows; those
// of others have no subflows.
func (m *Mixed) Subflows(flow int32) int32 {
	if b, ok := m.of(flow).(fattree.Splitter); ok {
		return b.Subflows(flow)
	}
	return 0
}

// SubflowEV returns the EV of a subflow.
func (m *Mixed) SubflowEV(flow, subflow int32) uint16 {
	return m.of(flow).(fattree.Splitter).SubflowEV(flow, subflow)
}

// Subflow returns the subflow of an EV.
func (m *Mixed) Subflow(flow int32, ev uint16) int32 {
	return m.of(flow).(fattree.Splitter).Subflow(flow, ev)
}

// Probes reports whether the balancer of either sort of flows probes.
func (m *Mixed) Probes() bool { return probes(m.main) || probes(m.background) }

// probes reports whether a balancer probes.
func probes(b fattree.Balancer) bool {
	p, ok := b.(fattree.Prober)
	return ok && p.Probes()
}

// Probe passes the question on to the flow's balancer.
func (m *Mixed) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	if b, ok := m.of(flow).(fattree.Prober); ok && b.Probes() {
		return b.Probe(flow, now)
	}
	return 0, false
}
