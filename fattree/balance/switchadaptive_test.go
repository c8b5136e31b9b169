package balance

import (
	"context"
	"math"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

// balancingRouter is a balancer whose switches choose ports.
type balancingRouter interface {
	transport.Balancer
	fattree.Router
}

// judge wraps a router and checks its choices: the function judge is called with the classes of the
// ports, which it computes independently, and the choice of the router.
type judge struct {
	balancingRouter
	looked map[int]int64 // by port: the time of the last look
	class  map[int]int
	period int64
	judge  func(p fattree.Passing, ports fattree.Ports, classes []int, port int, chosen bool)
}

func (j *judge) Traits() transport.Traits {
	t := j.balancingRouter.Traits()
	t.Router = j
	return t
}

func (j *judge) Reset(n *fattree.Network, random mc.Stream) {
	j.looked, j.class, j.period = map[int]int64{}, map[int]int{}, 100_000<<20/int64(n.SlotTime())
	j.balancingRouter.Reset(n, random)
}

func (j *judge) Route(p fattree.Passing, ports fattree.Ports) (int, bool) {
	classes := make([]int, ports.Len())
	for i := range classes {
		at := ports.First() + i
		if !p.Header && p.At-j.looked[at] > j.period { // the router does not update for headers
			waiting, capacity := ports.Queue(i, p)
			fill := float64(waiting) / capacity
			j.looked[at] = p.At
			switch {
			case fill < 0.05:
				j.class[at] = 0
			case fill < 0.10:
				j.class[at] = 1
			case fill < 0.20:
				j.class[at] = 2
			default:
				j.class[at] = 3
			}
		}
		classes[i] = j.class[at]
	}
	port, chosen := j.balancingRouter.Route(p, ports)
	j.judge(p, ports, classes, port, chosen)
	return port, chosen
}

// TestFlowletsOfSwitches: flows keep ports at switches with several uplinks, not at network cards with
// several links.
func TestFlowletsOfSwitches(t *testing.T) {
	spec := tornado32(t).Spec()
	tree := spec.Topology.(topology.FatTree)
	spec.Topology = topology.Planes{Tree: tree, Planes: 2}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	b := new(switchFlowlet)
	b.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	if want := 2 * tree.WithDefaults().ToRs() * n.Flows(); len(b.kept) != want {
		t.Errorf("%d kept ports, want those of %d flows at %d ToRs", len(b.kept), n.Flows(), want/n.Flows())
	}
}

// judged runs a router in a network of 32 hosts in which one uplink has a quarter of its rate.
func judged(t *testing.T, router balancingRouter, one func(fattree.Passing, fattree.Ports, []int, int, bool)) {
	t.Helper()
	judgedIn(t, tornado32(t).Spec(), congestion.DCTCP{}, router, one)
}

// judgedIn is judged for other networks of 32 hosts.
func judgedIn(t *testing.T, spec fattree.Spec, control transport.Control, router balancingRouter, one func(fattree.Passing, fattree.Ports, []int, int, bool)) {
	t.Helper()
	spec.Faults = []fattree.Fault{{Ports: uplink(spec, 0, 1), Rate: 0.25}}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{balancingRouter: router, judge: one}
	if _, err := transport.NewRun(n).Execute(context.Background(), j, control, fattree.NewStreams(1, 0)); err != nil {
		t.Fatal(err)
	}
}

// share fails if a Binomial(count, p) number is off by 6.11 standard deviations or more (one false alarm
// in 10^9 seeds). It needs count > 1000, to detect a share that is off by 0.1.
func share(t *testing.T, name string, hits, count int, p float64) {
	t.Helper()
	if sd := math.Sqrt(float64(count) * p * (1 - p)); count < 1000 || math.Abs(float64(hits)-float64(count)*p) > 6.11*sd {
		t.Errorf("%s: %d of %d, want a share of %v", name, hits, count, p)
	}
}

// TestSwitchAdaptive: every data packet goes to a port of the lowest class, by queues up to 100 ns
// old, and where there are two, to the first one half of the time. ACKs are hashed. The classes 0 to
// 2 occur.
func TestSwitchAdaptive(t *testing.T) {
	var first, pairs int
	var seen [4]int
	judged(t, new(switchAdaptive), func(p fattree.Passing, _ fattree.Ports, classes []int, port int, chosen bool) {
		if chosen == p.Header {
			t.Errorf("header %v, chosen %v", p.Header, chosen)
		}
		if p.Header {
			return
		}
		least, lowest := slices.Min(classes), []int(nil)
		for i, class := range classes {
			if class == least {
				lowest = append(lowest, i)
			}
		}
		seen[slices.Max(classes)]++
		if classes[port] != least {
			t.Errorf("port %d of classes %v", port, classes)
		}
		if len(lowest) == 2 {
			pairs++
			if port == lowest[0] {
				first++
			}
		}
	})
	if slices.Min(seen[:3]) < 100 {
		t.Errorf("highest classes %v", seen)
	}
	share(t, "the first of two", first, pairs, 0.5)
}

// TestSwitchFlowlet: a flow keeps its port while its packets are less than 10 us apart. After a longer
// gap it changes at most half of the time, and then to a lower class.
func TestSwitchFlowlet(t *testing.T) {
	type kept struct {
		at   int64
		port int
	}
	last, gap := map[[2]int32]kept{}, int64(10_000_000<<20/83_000)
	moved, gaps := 0, 0
	spec := tornado32(t).Spec()
	link := fattree.Link{Gbps: 400, LatencyNs: 3000}
	spec.Topology = topology.FatTree{Hosts: 32, HostsPerToR: 16, UplinksPerToR: 4, Access: link, Fabric: link}
	spec.Options = transport.Options{InitialWindow: 8} // a burst in each RTT of 24 us
	judgedIn(t, spec, congestion.None{}, new(switchFlowlet), func(p fattree.Passing, _ fattree.Ports, _ []int, port int, chosen bool) {
		if p.Header {
			return
		}
		key := [2]int32{p.Switch, p.Flow}
		if before, known := last[key]; known && before.port != port {
			moved++
			if p.At-before.at <= gap {
				t.Errorf("flow %d moves %d after its last packet", p.Flow, p.At-before.at)
			}
		} else if known && p.At-before.at > gap {
			gaps++
		}
		last[key] = kept{p.At, port}
	})
	if len(last) != 32 || moved == 0 || moved > gaps+5 {
		t.Errorf("%d flows move %d times, keep their port %d times after a gap", len(last), moved, gaps)
	}
}

// TestHostAssisted: half of the packets, ACKs included, with EVs that lead to the highest class go to the
// lowest class instead, by the classes that the switch knows. No other packets do.
func TestHostAssisted(t *testing.T) {
	ops, err := NewSpraying(MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	b := NewHostAssisted(ops).(*hostAssisted)
	moved, all := 0, 0
	judged(t, b, func(p fattree.Passing, ports fattree.Ports, _ []int, port int, chosen bool) {
		known := b.classes.known[ports.First():][:ports.Len()]
		least, most := 3, 0
		for _, k := range known {
			least, most = min(least, k.class), max(most, k.class)
		}
		hashed := known[ports.Hashed(p)].class
		if chosen && (known[port].class != least || hashed != most) {
			t.Errorf("port %d instead of %d, of %v", port, ports.Hashed(p), known)
		}
		if hashed == most && p.Header {
			all++
			if chosen {
				moved++
			}
		}
	})
	if all < 1000 || moved < all*4/10 || moved > all*6/10 {
		t.Errorf("%d of %d packets move", moved, all)
	}
}

// TestTimesOfSwitches: a switch looks at a queue again after 100 ns, and may move a flow after 10 us without a packet.
// In units of 2^-20 slots they are rounded down.
func TestTimesOfSwitches(t *testing.T) {
	n := pair(t)
	b := NewSwitchFlowlet().(*switchFlowlet)
	b.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	for name, c := range map[string]struct{ units, want int64 }{"look": {b.classes.period, 100_000}, "gap": {b.gap, 10_000_000}} {
		if ps := float64(c.units) * float64(n.SlotTime()) / (1 << 20); ps > float64(c.want) || ps < float64(c.want)-1 {
			t.Errorf("%s: %v ps, want %d", name, ps, c.want)
		}
	}
}
