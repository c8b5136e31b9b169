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

// TestShuffle: all orders of 3 are equally likely. Of 6000 draws each count is within 6.2 standard
// deviations of 1000 (one false alarm in 10^8 fresh seeds).
func TestShuffle(t *testing.T) {
	counts := map[[3]uint32]int{}
	stream := mc.NewStream(1, mc.Algorithm, 0)
	for i := range uint64(6000) {
		var list [3]uint32
		draw := stream.Child(i).Rand()
		shuffle(list[:], &draw)
		counts[list]++
	}
	if len(counts) != 6 {
		t.Fatalf("%d orders, want 6", len(counts))
	}
	for order, count := range counts {
		if count < 1000-180 || count > 1000+180 {
			t.Errorf("order %v came %d times of 6000, want about 1000", order, count)
		}
	}
}

// TestWork: the assumed length of a queue, computed by hand. A header waits only for the packet in
// service, and a packet in service counts in full until it ends.
func TestWork(t *testing.T) {
	const header = 100
	var w work
	check := func(now, want int64) {
		t.Helper()
		if got := w.backlog(now); got != want {
			t.Errorf("backlog at %d is %d, want %d", now, got, want)
		}
	}
	w.takeData(1000, oneSlot, 10*oneSlot)
	check(1001, oneSlot)
	check(1000+oneSlot, oneSlot) // ends at this moment: not gone yet
	check(1001+oneSlot, 0)
	w.takeData(2000, oneSlot, 10*oneSlot)
	check(2000, 2*oneSlot)
	w.takeHeader(3000, header)
	check(3000, 2*oneSlot+header)
	check(1001, 2*oneSlot+header) // two whole packets and the header
	if want := int64(1000 + oneSlot + header); w.passed != want {
		t.Errorf("the header is through at %d, want %d", w.passed, want)
	}
	check(1000+oneSlot+header, oneSlot+header) // through at this moment: not gone yet
	check(1000+oneSlot+header+1, oneSlot)
	if want := int64(1000 + 2*oneSlot + header); w.done != want {
		t.Errorf("all is done at %d, want %d", w.done, want)
	}
	for range 20 {
		w.takeData(3000, oneSlot, 10*oneSlot)
	}
	if left := w.done - 3000; left > 11*oneSlot {
		t.Errorf("a full queue took more: %d slots", left/oneSlot)
	}
}

// tornado32 returns a tornado of 32 hosts.
func tornado32(t *testing.T) *fattree.Network {
	t.Helper()
	var w fattree.Workload
	for i := range 32 {
		w.Flows = append(w.Flows, fattree.Flow{
			Source: fattree.Host(i), Destination: fattree.Host((i + 16) % 32), Bytes: 1 << 20,
		})
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 32}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// accounting compares an Adaptive with its definition: it keeps an account for each port and compares
// every choice.
type accounting struct {
	*adaptive
	accounts             []work // by port
	routed, seen, others int    // packets: routed, only seen, and routed differently from the definition
}

func (a *accounting) Reset(n *fattree.Network, random mc.Stream) {
	a.adaptive.Reset(n, random)
	a.accounts = make([]work, n.Ports())
}

func (a *accounting) Traits() transport.Traits { return transport.Traits{Router: a, Watcher: a} }

func (a *accounting) Watch(p fattree.Passing, ports fattree.Ports, port int) {
	a.adaptive.Watch(p, ports, port)
	a.note(p, ports, port)
	a.seen++
}

func (a *accounting) note(p fattree.Passing, ports fattree.Ports, port int) {
	if w := &a.accounts[ports.First()+port]; p.Header {
		w.takeHeader(p.At, a.header)
	} else {
		w.takeData(p.At, ports.Service(port), a.most)
	}
}

func (a *accounting) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	order := a.orders[p.Switch].ports
	want, least := 0, int64(math.MaxInt64)
	for i := range ports.Len() {
		if len(order) == ports.Len() {
			i = int(order[i])
		}
		w, length := a.accounts[ports.First()+i], int64(0)
		if w.done >= p.At {
			if p.At <= w.passed {
				length = w.headers
			}
			for left := w.done - p.At + 1 - length; left > 0; left -= oneSlot {
				length += oneSlot
			}
		}
		if length < least {
			want, least = i, length
		}
	}
	// Packets that arrive at one time, one after the other and at the same ports, go together.
	before := a.last[p.Switch]
	if before.at == p.At+1 && int(before.first) == ports.First() {
		want = int(before.place)
		if len(order) == ports.Len() {
			want = int(order[want])
		}
	}
	if port, chosen = a.adaptive.Route(p, ports); port != want || !chosen {
		a.others++
	}
	a.routed++
	a.note(p, ports, port)
	return port, chosen
}

// TestAdaptiveKeepsItsAccounts: every packet goes where the definition says, with hashed background
// flows, in two tiers, and in switches with as many cables down to a ToR as up.
func TestAdaptiveKeepsItsAccounts(t *testing.T) {
	for name, tree := range map[string]topology.FatTree{"2 tiers": {Hosts: 32}, "cables": {
		Hosts: 16, Tiers: 3, HostsPerToR: 2, UplinksPerToR: 4, ToRsPerPod: 2, UplinksPerAgg: 2, CablesPerPair: 2,
	}} {
		w := fattree.Workload{BackgroundEvery: 3}
		for i := range tree.Hosts {
			w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(i), fattree.Host((i+tree.Hosts/2)%tree.Hosts), 1<<20, 0))
		}
		n, err := fattree.Build(fattree.Spec{Topology: tree, Workload: w})
		if err != nil {
			t.Fatal(err)
		}
		b := &accounting{adaptive: new(adaptive)}
		ops, err := NewSpraying(MaxEVS)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.NewRun(n).Execute(t.Context(), NewMixed(b, ops), congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
			t.Fatal(err)
		}
		if b.routed < 5_000 || b.seen < 2_000 || b.others > 0 {
			t.Errorf("%s: %d of %d packets took another port, beside %d", name, b.others, b.routed, b.seen)
		}
	}
}

// counting counts the data packets of each port that a router chose, by switch.
type counting struct {
	balancingRouter
	count map[int32][]int64
}

func (c *counting) Traits() transport.Traits {
	t := c.balancingRouter.Traits()
	t.Router = c
	return t
}

func (c *counting) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	port, chosen = c.balancingRouter.Route(p, ports)
	if !p.Header {
		if c.count[p.Switch] == nil {
			c.count[p.Switch] = make([]int64, ports.Len())
		}
		if chosen {
			c.count[p.Switch][port]++
		}
	}
	return port, chosen
}

// TestEvenness: under round robin the counts of a ToR's ports differ by at most one packet. Under random
// choice they differ by more, but by at most 6.2 standard deviations of the difference of two counts.
func TestEvenness(t *testing.T) {
	for _, c := range []struct {
		router      balancingRouter
		least, most int64 // spread over the ports of the least and the most even ToR
	}{{new(roundRobin), 0, 1}, {new(shuffledRoundRobin), 0, 1}, {new(switchAdaptive), 2, 250}, {new(switchSpraying), 2, 250}, {new(adaptive), 0, 250}} {
		b := &counting{c.router, map[int32][]int64{}}
		result, err := transport.NewRun(tornado32(t)).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil || result.Finished() != 32 {
			t.Fatalf("%T: %v, %d flows finished", c.router, err, result.Finished())
		}
		if len(b.count) != 8 {
			t.Errorf("%T: %d switches chose, want the 8 ToRs", c.router, len(b.count))
		}
		for sw, counts := range b.count {
			if spread := slices.Max(counts) - slices.Min(counts); spread < c.least || spread > c.most {
				t.Errorf("%T: ports of ToR %d sent %v packets, a spread outside [%d, %d]", c.router, sw, counts, c.least, c.most)
			}
		}
	}
}

// TestLeakingAdaptive: without a leak packets take the ports of Adaptive; with one, a part 1 - (1 - leak)^k
// of the data packets is hashed after k flights, within 6.2 standard deviations (a false alarm in 10^8 for
// a fresh seed), and no header.
func TestLeakingAdaptive(t *testing.T) {
	n := tornado32(t)
	leaking := func(leak float64) *leakingAdaptive {
		b, err := NewLeakingAdaptive(leak)
		if err != nil {
			t.Fatal(err)
		}
		return b.(*leakingAdaptive)
	}
	var fcts [2][]fattree.Picoseconds
	for i, b := range []transport.Balancer{new(adaptive), leaking(0)} {
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		fcts[i] = result.FCTs()
	}
	if !slices.Equal(fcts[0], fcts[1]) {
		t.Errorf("without a leak completion times are %v, want %v", fcts[1], fcts[0])
	}
	const packets = 10_000
	b := leaking(0.2)
	b.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	for k, clean := range []float64{1, 0.8, 0.64, 0.512} {
		marked := 0
		for range packets {
			ev, recycled := b.NextEV(3, fattree.Picoseconds(k)*n.BaseRTT(3)/2)
			_, chosen := b.Route(fattree.Passing{Flow: 3, EV: ev, Header: true}, fattree.Ports{})
			if recycled || !chosen {
				t.Fatal("a recycled EV or a hashed header")
			}
			if ev&hashedEV != 0 {
				marked++
			}
		}
		if want := packets * (1 - clean); math.Abs(float64(marked)-want) > 6.2*math.Sqrt(want*clean) {
			t.Errorf("after %d flights %d of %d packets are hashed, want %.0f", k, marked, packets, want)
		}
	}
	for _, leak := range []float64{-0.1, 1.1, math.NaN()} {
		if b, err := NewLeakingAdaptive(leak); b != nil || err == nil {
			t.Errorf("leak %v: %v, error %v", leak, b, err)
		}
	}
}

// TestTurnsOfUplinks: aggregation switches with as many cables down to a ToR as uplinks take only the
// uplinks in turn.
func TestTurnsOfUplinks(t *testing.T) {
	w := fattree.Workload{}
	for i := range fattree.Host(16) {
		w.Flows = append(w.Flows, fattree.Flow{Source: i, Destination: (i + 8) % 16, Bytes: 1 << 16})
	}
	n, err := fattree.Build(fattree.Spec{Workload: w, Topology: topology.FatTree{
		Hosts: 16, Tiers: 3, HostsPerToR: 2, UplinksPerToR: 4, ToRsPerPod: 2, UplinksPerAgg: 2, CablesPerPair: 2,
	}})
	if err != nil {
		t.Fatal(err)
	}
	b := &climbing{shuffledRoundRobin: new(shuffledRoundRobin), network: n}
	if _, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
		t.Fatal(err)
	}
	if b.up == 0 || b.down == 0 || b.wrong > 0 {
		t.Errorf("%d packets up and %d down over several cables, %d of which took turns", b.up, b.down, b.wrong)
	}
}

// climbing counts the data packets with a choice of ports upwards and downwards, and the downward packets
// that take ports in turn.
type climbing struct {
	*shuffledRoundRobin
	network         *fattree.Network
	up, down, wrong int
}

func (c *climbing) Traits() transport.Traits {
	t := c.shuffledRoundRobin.Traits()
	t.Router = c
	return t
}

func (c *climbing) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	port, chosen = c.shuffledRoundRobin.Route(p, ports)
	switch uplinks := c.network.Uplinks(int(p.Switch)); {
	case p.Header:
	case len(uplinks) > 0 && uplinks[0] == ports.First():
		c.up++
	case chosen:
		c.wrong++
		fallthrough
	default:
		c.down++
	}
	return port, chosen
}

// TestAdaptiveSeesBackground: the EV of one flow pins it to one of four uplinks. The three flows that
// switches route avoid that uplink, so that all four flows have the rate of a link.
func TestAdaptiveSeesBackground(t *testing.T) {
	w := fattree.Workload{BackgroundEvery: 4}
	for i := range fattree.Host(4) {
		w.Flows = append(w.Flows, fattree.Flow{Source: i, Destination: 4 + i, Bytes: 1 << 20})
	}
	n, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 4}, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	pinned, _ := NewECMP(MaxEVS)
	result, err := transport.NewRun(n).Execute(context.Background(), NewMixed(new(adaptive), pinned), congestion.DCTCP{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if fcts := result.FCTs(); result.MaxQueue > 8 || fcts[3] > n.Unloaded(0)*105/100 {
		t.Errorf("the longest queue had %d packets and the slowest flow took %d ps, want 8 and hardly more than %d", result.MaxQueue, fcts[3], n.Unloaded(0))
	}
}

// TestRowsOfSwitches: the two ToRs have rows. The spines, which have no uplinks, have none, and ToRs with one uplink
// neither, also in a list with old rows.
func TestRowsOfSwitches(t *testing.T) {
	single, err := fattree.Build(fattree.Spec{
		Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 1}, Workload: fattree.Workload{Flows: []fattree.Flow{{Destination: 7, Bytes: 1}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, old := range [][]int32{nil, {5, 5, 5, 5, 5, 5, 5, 5}} {
		if rows, count := rowsOfSwitches(old, pair(t)); count != 2 || !slices.Equal(rows, []int32{0, 1, -1, -1, -1, -1}) {
			t.Errorf("rows %v of %d switches", rows, count)
		}
		if rows, count := rowsOfSwitches(old, single); count != 0 || !slices.Equal(rows, []int32{-1, -1, -1}) {
			t.Errorf("one uplink: rows %v of %d switches", rows, count)
		}
	}
}
