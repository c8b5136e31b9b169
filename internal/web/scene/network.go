package scene

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// Window is the time over which the page shows the load of a link, in picoseconds: the bucket
// of repslab fattree --trace. It is rounded down to whole slots.
const Window = 2_000_000

// Network simulates a workload in a fat tree under two load balancers from slot 0 on. Both meet the same
// flows and the same failures. When all flows of a load balancer have finished, its next round starts:
// the same flows on the same connections. Make it with [NewNetwork]; it is not safe for concurrent use.
type Network struct {
	view    NetworkView
	changes []Change // changes of view after this slot
	slot    int
	tree    topology.FatTree // with defaults
	network *fattree.Network
	flows   int     // flows of a round
	cables  [][]int // by cable: its port up and its port down
	broken  []bool  // by cable
	sides   [2]*side
}

// side is the run under one load balancer.
type side struct {
	balancer transport.Balancer
	run      *transport.Run
	recent   [][]int64 // by slot modulo the window: the packets that each port sent
	Side
}

// Side is the state of the run under one load balancer at a slot. Ports are listed in this order: upward
// ports of the cables, downward ports of the cables, ports to hosts.
type Side struct {
	Finished int                  // finished flows of all rounds
	Flows    []fattree.FlowResult // flows of the current round
	Frozen   int                  // flows of the current round in freezing mode
	Took     fattree.Picoseconds  // duration of the previous round, 0 in the first
	Sent     []int64              // by port: packets sent in the last Window
	Queue    []int32              // by port: packets that are queued
}

// NewNetwork returns the network of a view at slot 0, or the view's faults. Steps advance it to the
// view's slot and apply the view's changes of links on the way.
func NewNetwork(view NetworkView) (*Network, error) {
	if err := view.Validate(); err != nil {
		return nil, err
	}
	n := &Network{view: view, changes: view.Changes, tree: topology.FatTree{Hosts: view.Hosts}.WithDefaults()}
	for tor := range n.tree.ToRs() {
		for uplink := range n.tree.UplinksPerToR {
			part := topology.Part{Switch: tor, Uplink: uplink, Direction: topology.Both}
			n.cables = append(n.cables, n.tree.Ports(part))
		}
	}
	n.broken = make([]bool, len(n.cables))
	if err := n.build(); err != nil {
		return nil, err
	}
	ports := n.ports()
	for i, name := range []string{view.Left, view.Right} {
		balancer, err := balance.New(name, balance.MaxEVS)
		if err != nil {
			return nil, err
		}
		s := &side{balancer: balancer, run: transport.NewRun(n.network), recent: make([][]int64, Window/n.network.SlotTime())}
		s.Sent, s.Queue = make([]int64, len(ports)), make([]int32, len(ports))
		s.run.Trace(fattree.TraceConfig{Every: n.network.Spec().Horizon, Ports: ports})
		s.run.Begin(balancer, congestion.DCTCP{}, fattree.NewStreams(view.Seed, 0))
		n.sides[i] = s
	}
	return n, n.applyDue()
}

// maxFlows bounds the flows of all rounds.
const maxFlows = 4096

// build builds the network, with as many rounds of flows as its slots may need or maxFlows allows. A
// cable fails after the last slot that can be shown, so that hosts expect failures from the beginning.
func (n *Network) build() error {
	plan, err := fattree.Spec{Topology: n.tree, Options: transport.Options{InheritConnections: true}}.Resolve()
	if err != nil {
		return err
	}
	spec := plan.Spec()
	spec.Horizon = (MaxSlots + 1) * plan.SlotTime()
	spec.Faults = []fattree.Fault{{Ports: n.cables[0], Start: MaxSlots * plan.SlotTime()}}
	if spec.Workload, err = n.view.workload(); err != nil {
		return err
	}
	flows := spec.Workload.Flows
	n.flows, spec.Workload.Flows = len(flows), nil
	for round := range min(maxFlows/n.flows, 1+MaxSlots*spec.MTU/n.view.Bytes) { // a slot carries an MTU
		for _, f := range flows {
			f.StartedBy, f.Fires = round, round+1
			spec.Workload.Flows = append(spec.Workload.Flows, f)
		}
		spec.Workload.Triggers = append(spec.Workload.Triggers, fattree.Trigger{Kind: fattree.Barrier, Count: n.flows})
	}
	n.network, err = fattree.Build(spec)
	return err
}

// workload returns the flows of a round: the flows of replica 0 of repslab fattree.
func (v NetworkView) workload() (fattree.Workload, error) {
	m := traffic.Message{Bytes: int64(v.Bytes)}
	switch v.Workload {
	case Tornado:
		return traffic.Tornado(v.Hosts, m)
	case Incast:
		return traffic.Incast(v.Hosts, v.flows(), m)
	}
	return traffic.Permutation(v.Hosts, m, mc.NewStream(v.Seed, mc.Workload, 0).Source())
}

// ports returns the ports that are shown.
func (n *Network) ports() []int {
	ports := make([]int, 2*len(n.cables), 2*len(n.cables)+n.tree.Hosts)
	for cable, both := range n.cables {
		ports[cable], ports[len(n.cables)+cable] = both[0], both[1]
	}
	for host := range n.tree.Hosts {
		tor := host / n.tree.HostsPerToR
		firstUplink := n.cables[tor*n.tree.UplinksPerToR][0]
		ports = append(ports, firstUplink-n.tree.HostsPerToR+host%n.tree.HostsPerToR)
	}
	return ports
}

// Step runs a slot under both load balancers. It returns false at the last slot, MaxSlots, or when a load
// balancer has finished 4,096 flows. O(packets in flight + ports).
func (n *Network) Step() (bool, error) {
	if n.slot == MaxSlots || n.sides[0].run.Unfinished() == 0 || n.sides[1].run.Unfinished() == 0 {
		return false, nil
	}
	for _, s := range n.sides {
		s.run.Step()
		sample, at := s.run.Sample(), n.slot%len(s.recent)
		for port, packets := range sample.Packets {
			s.Sent[port] += packets
			if s.recent[at] != nil {
				s.Sent[port] -= s.recent[at][port]
			}
		}
		s.recent[at], s.Queue = sample.Packets, sample.Queue
	}
	n.slot++
	return true, n.applyDue()
}

// applyDue applies the changes of links that come after this slot.
func (n *Network) applyDue() error {
	for len(n.changes) > 0 && n.changes[0].Round == n.slot {
		if err := n.apply(n.changes[0]); err != nil {
			return err
		}
		n.changes = n.changes[1:]
	}
	return nil
}

// apply breaks a cable, in both directions, or repairs it.
func (n *Network) apply(c Change) error {
	n.broken[c.Port] = c.Every == 0
	for _, s := range n.sides {
		for _, port := range n.cables[c.Port] {
			if err := s.run.SetFailed(port, c.Every == 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// SetCable breaks a cable, 0 <= cable < Cables, or repairs it, from the next slot on, and discards later
// changes of the view. It returns false, and changes nothing, for other cables, after MaxChanges changes
// and at the last slot.
func (n *Network) SetCable(cable int, broken bool) (bool, error) {
	done := n.view.Changes[:len(n.view.Changes)-len(n.changes)]
	if cable < 0 || cable >= len(n.cables) || len(done) == MaxChanges || n.slot == MaxSlots {
		return false, nil
	}
	c := Change{Port: cable, Every: 1, Round: n.slot}
	if broken {
		c.Every = 0
	}
	n.view.Changes, n.changes = append(done[:len(done):len(done)], c), nil
	return true, n.apply(c)
}

// SetFlow chooses the flow for [Network.Memory], and reports whether a round has such a flow.
func (n *Network) SetFlow(flow int) bool {
	has := flow >= 0 && flow < n.flows
	if has {
		n.view.Flow = flow
	}
	return has
}

// Memory returns the memory of the left (0) or the right (1) load balancer about the chosen flow of its
// current round. It is empty if the load balancer does not let others inspect it. O(slots).
func (n *Network) Memory(i int) (m transport.Memory) {
	if inspect := n.sides[i].balancer.Traits().Inspect; inspect != nil {
		m = inspect(int32(n.round(i)+n.view.Flow), nil)
	}
	return m
}

// round returns the first flow of the current round of a load balancer, or of its last round.
func (n *Network) round(i int) int {
	all := n.network.Flows()
	return min(all-n.sides[i].run.Unfinished(), all-1) / n.flows * n.flows
}

// View returns the view of the current slot.
func (n *Network) View() NetworkView {
	v := n.view
	v.Slot = n.slot
	v.Changes = v.Changes[:len(v.Changes)-len(n.changes)]
	return v
}

// Restarted returns the view of a new run: at slot 0, with the cables as they are.
func (n *Network) Restarted() NetworkView {
	v := n.View()
	v.Slot, v.Changes = 0, nil
	for cable, broken := range n.broken {
		if broken {
			v.Changes = append(v.Changes, Change{Port: cable})
		}
	}
	return v
}

// Cables returns the number of cables between switches: with u uplinks per ToR, cable c is
// uplink c mod u of ToR c / u and leads to spine c mod u.
func (n *Network) Cables() int { return len(n.cables) }

// Broken reports whether a cable, 0 <= cable < Cables, is broken.
func (n *Network) Broken(cable int) bool { return n.broken[cable] }

// Tree returns the tree, with defaults applied.
func (n *Network) Tree() topology.FatTree { return n.tree }

// SlotTime returns the length of a slot in picoseconds.
func (n *Network) SlotTime() fattree.Picoseconds { return n.network.SlotTime() }

// Sources returns the sending host of each flow of a round.
func (n *Network) Sources() (hosts []fattree.Host) {
	for flow := range n.flows {
		source, _ := n.network.Pair(int32(flow))
		hosts = append(hosts, source)
	}
	return hosts
}

// Side returns the state of the left (0) or the right (1) load balancer at this slot, and its result of
// all rounds so far.
func (n *Network) Side(i int) (Side, *fattree.Result, error) {
	result, err := n.sides[i].run.Result()
	if err != nil {
		return Side{}, nil, err
	}
	s := n.sides[i].Side
	s.Sent = slices.Clone(s.Sent)
	s.Finished = len(result.Flows) - n.sides[i].run.Unfinished()
	first := n.round(i)
	s.Flows = result.Flows[first : first+n.flows]
	s.Frozen = n.sides[i].balancer.Traits().CountFrozen(n.network, func(flow int32) bool { return int(flow) >= first && int(flow) < first+n.flows })
	if first > 0 {
		before := fattree.Result{Flows: result.Flows[first-n.flows : first]}
		last, _ := before.LastEnd()
		s.Took = last - before.Flows[0].Start
	}
	return s, result, nil
}
