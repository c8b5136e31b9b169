package balance_test

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/reps"
)

// exactTornado builds a tornado of a message on exact paths of 4 ToRs of 8 hosts, with failures in ParseFailures'
// grammar.
func exactTornado(t *testing.T, bytes int64, failures string) *fattree.Network {
	t.Helper()
	tree := topology.FatTree{Hosts: 32, HostsPerToR: 8}
	list, err := topology.ParseFailures(failures)
	if err != nil {
		t.Fatal(err)
	}
	faults, _, err := topology.Place(tree, list, rand.NewPCG(1, 2))
	if err != nil {
		t.Fatal(err)
	}
	w, err := traffic.Tornado(32, traffic.Message{Bytes: bytes})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{Topology: tree, Workload: w, Faults: faults, Choose: topology.ExactPath, ChooseByTier: true})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// drawnEVs counts the EVs of the next packets of a flow at a time.
func drawnEVs(b transport.Balancer, flow int32, packets int, now fattree.Picoseconds) []int {
	counts := make([]int, 8)
	for range packets {
		ev, _ := b.NextEV(flow, now)
		counts[ev]++
	}
	return counts
}

// TestOracleShares: an uplink at half rate gets exactly half as many packets, and a failed uplink none
// while it is down. The last packets also avoid a path on which ACKs are lost. Flows of a ToR begin on
// different paths.
func TestOracleShares(t *testing.T) {
	n := exactTornado(t, 8<<20, "degrade=1:0.5,place=first;cables=2,place=first,at=100,for=50,flap=20:5")
	oracle, err := balance.NewOracle(8)
	if err != nil {
		t.Fatal(err)
	}
	oracle.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	us := fattree.Microsecond
	for _, c := range []struct {
		at   fattree.Picoseconds
		want []int
	}{
		{0, []int{10, 20, 20, 20, 20, 20, 20, 20}},
		{99 * us, []int{10, 20, 20, 20, 20, 20, 20, 20}},
		{101 * us, []int{0, 0, 25, 25, 25, 25, 25, 25}},
		{110 * us, []int{10, 20, 20, 20, 20, 20, 20, 20}},
		{121 * us, []int{0, 0, 25, 25, 25, 25, 25, 25}},
		{160 * us, []int{10, 20, 20, 20, 20, 20, 20, 20}},
	} {
		if got := drawnEVs(oracle, 3, 150, c.at); !slices.Equal(got, c.want) {
			t.Errorf("at %d us: %v packets on the paths, want %v", c.at/us, got, c.want)
		}
	}
	toward := int32(16) // its ACKs leave by the failed uplinks
	drawnEVs(oracle, toward, n.Packets(toward)-4, 121*us)
	if got := drawnEVs(oracle, toward, 6, 122*us); got[0]+got[1] > 0 {
		t.Errorf("the last packets take paths without ACKs: %v", got)
	}
	first := map[uint16]bool{}
	for flow := range int32(8) {
		ev, _ := oracle.NextEV(8+flow, 0)
		first[ev] = true
	}
	if len(first) != 8 {
		t.Errorf("8 flows of a ToR begin on %d paths", len(first))
	}
}

// TestOracleIsTheBound: in the named cases the last flow under the oracle ends no later than under REPS
// and OPS. Each is a single run, so 1 % is allowed for chance.
func TestOracleIsTheBound(t *testing.T) {
	for _, failures := range []string{
		"cables=1,place=first", "cables=1,place=aligned,dir=both", "degrade=2:0.5,place=first", "switches=1",
		"cables=4,place=first,at=20,for=40", "cables=2,flap=20:5", "cables=7,place=first",
	} {
		n := exactTornado(t, 2<<20, failures)
		ends := map[string]fattree.Picoseconds{}
		for _, name := range []string{"oracle", "reps", "ops"} {
			b, err := balance.New(name, 8)
			if err != nil {
				t.Fatal(err)
			}
			result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
			if err != nil {
				t.Fatal(err)
			}
			end, done := result.LastEnd()
			if !done {
				end = n.Spec().Horizon
			}
			ends[name] = end
		}
		t.Log(failures, ends)
		if least := min(ends["reps"], ends["ops"]); ends["oracle"] > least+least/100 {
			t.Errorf("%s: the oracle ends at %v, reps at %v, ops at %v", failures, ends["oracle"], ends["reps"], ends["ops"])
		}
	}
}

// TestFixedPaths: path-static sends the flows of a tornado, of two tiers and three, on paths that share no link,
// so no queue ever has more than the packet in service and the next; rotations begin at EV 0 or with the number of the
// source host, and wrap.
func TestFixedPaths(t *testing.T) {
	for paths, tree := range map[int]topology.FatTree{8: {Hosts: 64}, 9: {Hosts: 54, Tiers: 3}} {
		hosts := tree.Hosts
		w, err := traffic.Tornado(hosts, traffic.Message{Bytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		n, err := fattree.Build(fattree.Spec{Topology: tree, Workload: w, Choose: topology.ExactPath, ChooseByTier: true})
		if err != nil {
			t.Fatal(err)
		}
		static, err := balance.NewStatic(paths)
		spread, other := balance.NewRotation(paths, balance.StartSource)
		if err = cmp.Or(err, other); err != nil {
			t.Fatal(err)
		}
		result, err := transport.NewRun(n).Execute(context.Background(), static, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil || result.MaxQueue > 2 {
			t.Errorf("%d tiers: a queue of %d packets: %v", tree.Tiers, result.MaxQueue, err)
		}
		spread.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
		zero, _ := balance.NewRotation(paths, balance.StartZero)
		zero.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
		for flow := range int32(hosts) {
			for k := range 2*paths + 1 {
				from, _ := spread.NextEV(flow, 0)
				at, _ := zero.NextEV(flow, 0)
				if int(from) != (int(flow)+k)%paths || int(at) != k%paths {
					t.Fatalf("packet %d of flow %d has EVs %d and %d", k, flow, from, at)
				}
			}
		}
	}
}

// TestExcluding: an EV that timed out is neither drawn nor recycled for some time. A later time-out
// restarts that time. If all EVs are excluded all are used. A flow inherits exclusions.
func TestExcluding(t *testing.T) {
	n := exactTornado(t, 1<<20, "")
	b, err := balance.RecyclingConfig{REPS: reps.Config{EVSSize: 8}}.NewExcluding(1000)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(n, mc.NewStream(1, mc.Algorithm, 0))
	fed := func(kind transport.Kind, ev uint16, now fattree.Picoseconds) {
		b.Feedback(transport.Feedback{Flow: 0, EV: ev, Kind: kind, Now: now})
	}
	fed(transport.Good, 3, 0)
	fed(transport.TimedOut, 3, 10)
	fed(transport.Good, 3, 20)
	fed(transport.TimedOut, 5, 30)
	b.Traits().Inherit(1, 0)
	for _, flow := range []int32{0, 1} {
		got := drawnEVs(b, flow, 2000, 500)
		if got[3]+got[5] > 0 || slices.Min(append(got[:3:3], got[4], got[6], got[7])) < 200 {
			t.Errorf("flow %d: EVs 3 and 5 are excluded, packets by EV: %v", flow, got)
		}
	}
	if got := drawnEVs(b, 2, 2000, 500); slices.Min(got) < 150 {
		t.Errorf("another flow: %v", got)
	}
	fed(transport.TimedOut, 5, 600)
	if got := drawnEVs(b, 0, 2000, 1010); got[3] == 0 || got[5] > 0 {
		t.Errorf("EV 3 is back, 5 is not: %v", got)
	}
	fed(transport.Good, 3, 1011)
	if ev, recycled := b.NextEV(0, 1012); ev != 3 || !recycled {
		t.Errorf("EV %d, recycled %v, want 3 again", ev, recycled)
	}
	for ev := range uint16(8) {
		fed(transport.TimedOut, ev, 2000)
	}
	if got := drawnEVs(b, 0, 2000, 2001); slices.Min(got) < 150 {
		t.Errorf("all are excluded, so all are used: %v", got)
	}
	if b.Traits().Frozen(0) {
		t.Error("it is frozen")
	}
	if _, err := (balance.RecyclingConfig{REPS: reps.Config{FrozenCache: reps.CacheNew}}).NewExcluding(1); err != nil {
		t.Error(err) // without freezing mode it does not matter
	}
	if _, err := (balance.RecyclingConfig{}).NewExcluding(0); err == nil {
		t.Error("no time to exclude")
	}
}

// TestLargeRing: by the paper's rules and the artifact's a ring of 40 holds 40 EVs, shows them, and sends them in their
// order; a flow inherits them with a ring of its own. A ring above 32 is refused in each plane, one above 1,024
// everywhere.
func TestLargeRing(t *testing.T) {
	for _, rules := range []balance.Rules{balance.Paper, balance.Artifact, balance.UltraEthernet} {
		b, err := balance.NewRecycling(rules, reps.Config{BufferSize: 40})
		if err != nil {
			t.Fatal(err)
		}
		b.Reset(exactTornado(t, 1<<20, ""), mc.NewStream(1, mc.Algorithm, 0))
		for ev := range uint16(41) {
			b.Feedback(transport.Feedback{EV: ev})
		}
		b.Traits().Inherit(1, 0)
		b.Feedback(transport.Feedback{EV: 99})
		if m := b.Traits().Inspect(1, nil); m.Valid != 40 || len(m.Slots) != 40 || m.Slots[0].EV != 1 {
			t.Errorf("%s: %d valid of %d slots, the first one %+v", rules, m.Valid, len(m.Slots), m.Slots[0])
		}
		for want := uint16(1); want <= 40; want++ {
			if ev, recycled := b.NextEV(1, 0); ev != want || !recycled {
				t.Fatalf("%s: EV %d, recycled %v, want %d", rules, ev, recycled, want)
			}
		}
		_, err = balance.NewRecycling(rules, reps.Config{BufferSize: 1025})
		if _, planes := (balance.RecyclingConfig{REPS: reps.Config{BufferSize: 33}}).NewPerPlane(); err == nil || planes == nil {
			t.Errorf("%s: rings of 1,025 and of 33 in a plane: %v, %v", rules, err, planes)
		}
	}
}
