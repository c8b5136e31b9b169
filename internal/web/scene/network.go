package scene

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// Window is the time over which the page shows the load of a link, in picoseconds: the bucket
// of repslab fattree --trace. It is rounded down to whole slots.
const Window = 2_000_000

// Network simulates a workload in a fat tree under two load balancers from slot 0 on. Both
// meet the same flows and the same failures. Make it with [NewNetwork]; it is not safe for
// concurrent use.
type Network struct {
	view    NetworkView
	changes []Change // of view, after this slot
	slot    int
	tree    topology.FatTree // with defaults
	network *fattree.Network
	cables  [][]int // by cable: its port up and its port down
	broken  []bool  // by cable
	sides   [2]*side
}

// side is the run of a load balancer.
type side struct {
	run    *fattree.Run
	recent [][]int64 // by slot modulo the window: the packets that each port sent
	Side
}

// Side shows the run of a load balancer at a slot. Ports are those of the cables up, those
// down, and those to hosts, in this order.
type Side struct {
	Sent   []int64 // by port: packets sent in the last Window
	Queue  []int32 // by port: packets that wait
	Frozen int     // flows in freezing mode
}

// NewNetwork returns the network of a view at slot 0, or the view's faults. Steps lead to the
// view's slot and make its changes of links on the way.
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
		s := &side{run: n.network.NewRun(), recent: make([][]int64, Window/n.network.SlotTime())}
		s.Sent, s.Queue = make([]int64, len(ports)), make([]int32, len(ports))
		s.run.Trace(fattree.TraceConfig{Every: n.network.Spec().Horizon, Ports: ports})
		s.run.Begin(balancer, congestion.DCTCP{}, fattree.NewStreams(view.Seed, 0))
		n.sides[i] = s
	}
	return n, n.applyDue()
}

// build builds the network. A cable fails in the slot after the last one that is shown: hosts
// expect failures from the beginning.
func (n *Network) build() error {
	spec := fattree.Spec{Topology: n.tree}.WithDefaults()
	spec.Horizon = (MaxSlots + 1) * spec.SlotTime()
	spec.Faults = []fattree.Fault{{Ports: n.cables[0], Start: MaxSlots * spec.SlotTime()}}
	var err error
	if spec.Workload, err = n.view.workload(); err == nil {
		n.network, err = fattree.Build(spec)
	}
	return err
}

// workload returns the flows of a view, those of replica 0 of repslab fattree.
func (v NetworkView) workload() (fattree.Workload, error) {
	m := traffic.Message{Bytes: int64(v.Bytes)}
	switch v.Workload {
	case Tornado:
		return traffic.Tornado(v.Hosts, m)
	case Incast:
		return traffic.Incast(v.Hosts, min(8, v.Hosts/2), m)
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

// Step runs a slot under both load balancers, or returns false where all flows have finished,
// or at the last slot, MaxSlots. O(packets under way + ports).
func (n *Network) Step() (bool, error) {
	if n.slot == MaxSlots || n.finished() {
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
		s.recent[at], s.Queue, s.Frozen = sample.Packets, sample.Queue, sample.Frozen
	}
	n.slot++
	return true, n.applyDue()
}

// finished reports whether both runs have ended.
func (n *Network) finished() bool {
	return n.sides[0].run.Unfinished() == 0 && n.sides[1].run.Unfinished() == 0
}

// applyDue makes the changes of links that come after this slot.
func (n *Network) applyDue() error {
	for len(n.changes) > 0 && n.changes[0].Round == n.slot {
		if err := n.apply(n.changes[0]); err != nil {
			return err
		}
		n.changes = n.changes[1:]
	}
	return nil
}

// apply breaks a cable, in both directions, or mends it.
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

// SetCable breaks a cable, 0 <= cable < Cables, or mends it, from the next slot on, and
// discards later changes of the view. It returns false, and changes nothing, for other cables,
// after MaxChanges changes and at the last slot.
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

// View returns the view of the present slot.
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

// Cables returns the number of cables between switches: cable c is that of uplink c mod u of
// ToR c / u, for u uplinks of a ToR, and leads to spine c mod u.
func (n *Network) Cables() int { return len(n.cables) }

// Broken reports whether a cable, 0 <= cable < Cables, is broken.
func (n *Network) Broken(cable int) bool { return n.broken[cable] }

// Tree returns the tree, with defaults applied.
func (n *Network) Tree() topology.FatTree { return n.tree }

// SlotTime returns the length of a slot in picoseconds.
func (n *Network) SlotTime() fattree.Picoseconds { return n.network.SlotTime() }

// Sources returns the sending host of each flow.
func (n *Network) Sources() (hosts []fattree.Host) {
	for flow := range n.network.Flows() {
		source, _ := n.network.Pair(int32(flow))
		hosts = append(hosts, source)
	}
	return hosts
}

// Side returns the state of a load balancer, the left (0) or the right one (1), at this slot, and
// its result up to now.
func (n *Network) Side(i int) (Side, *fattree.Result, error) {
	result, err := n.sides[i].run.Result()
	s := n.sides[i].Side
	s.Sent = slices.Clone(s.Sent)
	return s, result, err
}
