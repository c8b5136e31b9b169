package balance_test

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// turnsNetwork returns a permutation on 32 hosts, `each` for each ToR with as many uplinks, on which nothing but the
// balancer limits flows.
func turnsNetwork(t *testing.T, each, packets int) *fattree.Network {
	t.Helper()
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 32, HostsPerToR: each, UplinksPerToR: each}, HeaderBytes: 1, Queue: 1 << 13,
		Options: transport.Options{InitialWindow: 2 * packets, RTO: 100_000_000_000}, Horizon: 1_000_000_000_000}
	plan, err := spec.Resolve()
	if err != nil {
		t.Fatal(err)
	}
	w, err := traffic.Permutation(32, traffic.Message{Bytes: int64(packets * plan.Spec().PayloadBytes())}, mc.NewStream(4, mc.Workload, 0).Source())
	if err != nil {
		t.Fatal(err)
	}
	spec.Workload = w
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// counting counts the ports that a router chooses for the data packets at each switch to each destination.
type counting struct {
	transport.Balancer
	router fattree.Router
	net    *fattree.Network
	counts map[[2]int32][]int
}

func (c *counting) Traits() transport.Traits {
	traits := c.Balancer.Traits()
	traits.Router = c
	return traits
}

func (c *counting) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	port, chosen = c.router.Route(p, ports)
	if chosen && !p.Header {
		_, destination := c.net.Pair(p.Flow)
		key := [2]int32{p.Switch, int32(destination)}
		if c.counts[key] == nil {
			c.counts[key] = make([]int, ports.Len())
		}
		c.counts[key][port]++
	}
	return port, chosen
}

// TestRotationByDestination: at each switch the packets to a destination use all ports evenly, to within one, and
// first ports differ, also with the least number of uplinks that are a choice. So no queue grows with the message;
// the same rotation for all packets of a switch lets one grow in proportion, as it repeats the same ports for the
// same hosts.
func TestRotationByDestination(t *testing.T) {
	const packets = 1001
	longest := func(n *fattree.Network, b transport.Balancer) int32 {
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(1, 0))
		if err != nil || result.Finished() != 32 {
			t.Fatalf("%d flows finished: %v", result.Finished(), err)
		}
		return result.MaxQueue
	}
	for _, ports := range []int{2, 4} {
		n := turnsNetwork(t, ports, packets)
		b := balance.NewDestinationRoundRobin()
		c := &counting{Balancer: b, router: b.Traits().Router, net: n, counts: map[[2]int32][]int{}}
		if got := longest(n, c); got > int32(3*ports) {
			t.Errorf("%d ports: a queue of %d packets, want at most 3 for each port", ports, got)
		}
		once := map[int]bool{}
		for key, counts := range c.counts {
			most, least, sum := 0, packets, 0
			for port, x := range counts {
				if most, least, sum = max(most, x), min(least, x), sum+x; x == packets/ports+1 {
					once[port] = true
				}
			}
			if most-least > 1 || sum != packets {
				t.Errorf("switch %d to host %d: %v", key[0], key[1], counts)
			}
		}
		if len(c.counts) == 0 || len(once) != ports {
			t.Errorf("%d pairs, first ports %v, want %d", len(c.counts), once, ports)
		}
	}
	if got := longest(turnsNetwork(t, 4, packets), balance.NewRoundRobin()); got < packets/4 {
		t.Errorf("one rotation for all packets of a switch: a queue of %d packets", got)
	}
}

// TestShorterOfTwo: the shorter of two queues has shorter queues than a uniform port, and longer ones than the shortest
// of all, where the hosts of one ToR send.
func TestShorterOfTwo(t *testing.T) {
	tree := topology.FatTree{Hosts: 64, HostsPerToR: 16, UplinksPerToR: 16}
	w, err := traffic.OneToR(tree, traffic.Message{Bytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{Topology: tree, Workload: w, Queue: 1 << 12})
	if err != nil {
		t.Fatal(err)
	}
	longest := func(b transport.Balancer) int32 {
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(2, 0))
		if err != nil {
			t.Fatal(err)
		}
		return result.MaxQueue
	}
	uniform, two := longest(balance.NewSwitchSpraying()), longest(balance.NewShorterOfTwo())
	if two > uniform/3 || two < 3 {
		t.Errorf("longest queues: uniform %d, of two %d", uniform, two)
	}
}

// TestSourceRotation: all flows of a host share one rotation, which begins at EV 0, the host's number or a drawn EV,
// and wraps.
func TestSourceRotation(t *testing.T) {
	w, err := traffic.AllToAll(8, 7, traffic.Message{Bytes: 1 << 14}, mc.NewStream(1, mc.Workload, 0).Source())
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	const evs = 5
	drawn := map[uint16]bool{}
	for _, start := range balance.Starts() {
		b, err := balance.NewSourceRotation(evs, start)
		if err != nil {
			t.Fatal(err)
		}
		b.Reset(n, mc.NewStream(3, mc.Algorithm, 0))
		next := map[fattree.Host]int{}
		for round := range 2 {
			for flow := range int32(n.Flows()) {
				source, _ := n.Pair(flow)
				ev, recycled := b.NextEV(flow, 0)
				want, begun := next[source]
				switch {
				case begun:
				case start == balance.StartZero:
					want = 0
				case start == balance.StartSource:
					want = int(source) % evs
				default:
					want, drawn[ev] = int(ev), true
				}
				if int(ev) != want || recycled || ev >= evs {
					t.Fatalf("%s, round %d: flow %d of host %d gets EV %d, want %d", start, round, flow, source, ev, want)
				}
				next[source] = (want + 1) % evs
			}
		}
	}
	if len(drawn) < 3 {
		t.Errorf("drawn starts: %v", drawn)
	}
	for _, c := range []struct {
		evs   int
		start balance.Start
	}{{0, balance.StartZero}, {4, "late"}, {4, ""}} {
		if _, err := balance.NewSourceRotation(c.evs, c.start); err == nil {
			t.Errorf("NewSourceRotation(%d, %q) gives no error", c.evs, c.start)
		}
		if _, err := balance.NewRotation(c.evs, c.start); err == nil {
			t.Errorf("NewRotation(%d, %q) gives no error", c.evs, c.start)
		}
	}
}
