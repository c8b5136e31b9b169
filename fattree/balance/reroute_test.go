package balance

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
)

// reroutedTree returns a network of a tree with failed cables, in which routing reacts after a time.
func reroutedTree(t *testing.T, tree topology.FatTree, failures string, seed uint64, after fattree.Picoseconds) *fattree.Network {
	t.Helper()
	list, err := topology.ParseFailures(failures)
	if err != nil {
		t.Fatal(err)
	}
	w, err := traffic.Tornado(tree.Hosts, traffic.Message{Bytes: 400_000})
	if err != nil {
		t.Fatal(err)
	}
	s := fattree.Spec{Topology: tree, Workload: w, Horizon: 5000 * us, Reroutes: true, RerouteAfter: after}
	if s.Faults, s.Errors, err = topology.Place(tree.WithDefaults(), list, mc.NewStream(seed, mc.Workload, 0).Source()); err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEveryBalancerFinishesRerouted: with random cables and a switch that fail for good, every balancer ends all flows
// within 5 ms once routing reacts. If it reacts at once, to failures from the start, no packet is lost. The oracle
// knows only the ports that failures leave, and not the ways of routing.
func TestEveryBalancerFinishesRerouted(t *testing.T) {
	networks := map[string]*fattree.Network{
		"at once":  reroutedTree(t, topology.FatTree{Hosts: 32}, "cables=3,dir=both;cables=1,place=first", 1, 0),
		"3 tiers":  reroutedTree(t, topology.FatTree{Hosts: 16, Tiers: 3}, "cables=2,dir=both;cables=1,layer=core,dir=both", 2, 0),
		"in a run": reroutedTree(t, topology.FatTree{Hosts: 32}, "cables=2,dir=both,at=3;switches=1,at=5", 3, 20*us),
		"repaired": reroutedTree(t, topology.FatTree{Hosts: 32}, "cables=3,dir=both,at=3,for=20", 4, 5*us),
	}
	for name, b := range every(t) {
		for where, n := range networks {
			r, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			if r.Finished() != n.Flows() {
				t.Errorf("%s, %s: %d of %d flows finished", name, where, r.Finished(), n.Flows())
			}
			if immediate := n.Spec().RerouteAfter == 0; (r.Lost > 0) == immediate && name != "oracle" {
				t.Errorf("%s, %s: %d packets lost", name, where, r.Lost)
			}
		}
	}
}

// balances checks the choices of a router: none is out, and counts them at the ToR of host 0.
type balances struct {
	balancingRouter
	t      *testing.T
	counts map[int]int
}

func (b *balances) Traits() transport.Traits {
	t := b.balancingRouter.Traits()
	t.Router, t.Watcher = b, b
	return t
}

func (b *balances) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	if w, is := b.balancingRouter.(fattree.Watcher); is {
		w.Watch(p, ports, port)
	}
	b.count(p, ports, port)
}

func (b *balances) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if port, chosen = b.balancingRouter.Route(p, ports); chosen {
		b.count(p, ports, port)
	}
	return port, chosen
}

func (b *balances) count(p fattree.Passing, ports fattree.Ports, port int) {
	if ports.Out(port) {
		b.t.Errorf("port %d is out at switch %d", port, p.Switch)
	}
	if p.Switch == 0 && !p.Header {
		b.counts[port]++
	}
}

// TestRoutersShareWhatIsLeft: a router never chooses a port that is out, and spreads packets over the others as evenly
// as it does without failures: no port of 6 gets more than a fifth of the packets. Flowlets keep their ports.
func TestRoutersShareWhatIsLeft(t *testing.T) {
	const failed = "links=tor0:spine2+tor0:spine5,dir=both"
	n, later := reroutedTree(t, topology.FatTree{Hosts: 64}, failed, 1, 0), reroutedTree(t, topology.FatTree{Hosts: 64}, failed+",at=5", 1, 0)
	for name, b := range every(t) {
		router, is := b.(balancingRouter)
		if !is {
			continue
		}
		counter := new(balances)
		for _, n := range []*fattree.Network{later, n} { // in the first, flows have chosen ports that then go out
			*counter = balances{router, t, map[int]int{}}
			if _, err := transport.NewRun(n).Execute(context.Background(), counter, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
				t.Fatal(err)
			}
		}
		total, most := 0, 0
		for _, count := range counter.counts {
			total += count
			most = max(most, count)
		}
		if name != "switch-flowlet" && (len(counter.counts) != 6 || most > total/5) {
			t.Errorf("%s: packets by port %v", name, counter.counts)
		}
	}
}
