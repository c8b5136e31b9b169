package leafspine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repslab/mc"
)

// begin returns a process at the start of a run.
func begin(t require, c Config, seed uint64) *Process {
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	p.Reset(mc.NewStream(seed, mc.Algorithm, 0))
	return p
}

// require is what testing.T and rapid.T share.
type require interface{ Fatal(...any) }

// longest returns the longest queue after packets of each host.
func longest(t require, c Config, seed uint64, packets int) int {
	p := begin(t, c, seed)
	p.Advance(packets + c.Spread)
	return p.Longest()
}

// drawConfig draws a configuration that is valid.
func drawConfig(r *rapid.T) Config {
	c := Config{
		Ports:   2 * rapid.IntRange(2, 8).Draw(r, "spines"),
		Rule:    rapid.SampledFrom(ruleNames()).Draw(r, "rule"),
		Traffic: rapid.SampledFrom(Traffics()).Draw(r, "traffic"),
		Spread:  rapid.IntRange(0, 40).Draw(r, "spread"),
	}
	if c.Traffic == Alternating {
		c.Ports = 4 * ((c.Ports + 3) / 4)
	}
	if c.Rule == StaticBest {
		c.Traffic = Permutation
	}
	return c
}

// TestConservation: packets sent are delivered or wait, the longest queue is at least each queue and never falls, and
// the bound holds where there is one.
func TestConservation(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawConfig(r)
		p := begin(r, c, rapid.Uint64().Draw(r, "seed"))
		bound, bounded := Bound(c)
		sent, delivered := 0, 0
		for slot := range rapid.IntRange(1, 200).Draw(r, "slots") {
			before := p.longest
			for _, waiting := range p.last {
				delivered += int(min(1, waiting))
			}
			p.Advance(1)
			inside := 0
			for i := range p.hosts {
				for _, q := range []int{int(p.up[i].count), int(p.down[i].count), int(p.last[i])} {
					if inside += q; q > p.longest {
						r.Fatalf("%+v: a queue of %d, the longest is %d", c, q, p.longest)
					}
				}
				if slot >= p.begin[i] {
					sent++
				}
			}
			if sent != delivered+inside || p.longest < before {
				r.Fatalf("%+v: %d sent, %d delivered, %d inside", c, sent, delivered, inside)
			}
			if bounded && p.longest > bound {
				r.Fatalf("%+v: a queue of %d, bound %d", c, p.longest, bound)
			}
		}
	})
}

// TestQueue: a queue returns packets in the order in which they came.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var q queue
		var want []int32
		for i := range rapid.IntRange(1, 100).Draw(r, "steps") {
			if len(want) > 0 && rapid.Bool().Draw(r, "pop") {
				if got := q.pop(); got != want[0] {
					r.Fatalf("pop = %d, want %d", got, want[0])
				}
				want = want[1:]
			} else if want = append(want, int32(i)); q.push(int32(i)) != len(want) {
				r.Fatalf("%d packets, want %d", q.count, len(want))
			}
		}
	})
}

// TestBoundIsAttained: if all start together from one spine, the uplinks have D(n-1)+1 packets, with one destination
// and with two.
func TestBoundIsAttained(t *testing.T) {
	for _, ports := range []int{4, 8, 16, 32} {
		n := ports / 2
		for traffic, d := range map[Traffic]int{Permutation: 1, Alternating: 2} {
			c := Config{Ports: ports, Rule: DestinationAlike, Traffic: traffic}
			if got, want := longest(t, c, 1, 512), d*(n-1)+1; got != want {
				t.Errorf("%+v: longest queue %d, want %d", c, got, want)
			}
			if bound, ok := Bound(c); !ok || bound != d*(3*n-1)-1 {
				t.Errorf("Bound(%+v) = %d, %v", c, bound, ok)
			}
		}
	}
	for _, c := range []Config{{Rule: SourceRotation}, {Ports: 7, Rule: DestinationDrawn}, {Rule: DestinationDrawn, Traffic: "x"}} {
		if bound, ok := Bound(c); ok {
			t.Errorf("%+v has the bound %d", c, bound)
		}
	}
}

// TestLongest: the closed forms are the longest queues of runs, for every rule that has one, every number of packets
// and several seeds; with drawn rules or starts there is none.
func TestLongest(t *testing.T) {
	exact := 0
	for _, ports := range []int{4, 8, 12, 32} {
		for _, traffic := range Traffics() {
			for _, rule := range ruleNames() {
				c := Config{Ports: ports, Rule: rule, Traffic: traffic}
				if _, ok := Longest(c, 1); !ok || c.Validate() != nil {
					continue
				}
				p := begin(t, c, uint64(ports))
				for m := range 200 {
					p.Advance(1)
					if want, _ := Longest(c, m+1); p.Longest() != want {
						t.Fatalf("%+v: longest queue %d after %d packets, want %d", c, p.Longest(), m+1, want)
					}
				}
				exact++
			}
		}
	}
	if exact != 4*8 {
		t.Errorf("%d networks have a closed form, want 32", exact)
	}
	for _, c := range []Config{{Ports: 7, Rule: SourceRotation, Traffic: Alternating}, {Ports: 6, Rule: Static, Traffic: Alternating}, {Rule: Static}, {Rule: Static, Traffic: Alternating, Spread: 1}, {Rule: SourceDrawn, Traffic: Alternating}} {
		if got, ok := Longest(c, 5); ok {
			t.Errorf("%+v: closed form %d", c, got)
		}
	}
}

// TestDrawnStarts: a rotation of each source from drawn spines grows slower than at the worst alignment, but grows.
func TestDrawnStarts(t *testing.T) {
	for _, ports := range []int{8, 16, 32} {
		c := Config{Ports: ports, Rule: SourceDrawn, Traffic: Alternating}
		if half, whole := longest(t, c, 3, 512), longest(t, c, 3, 1024); whole-half < 10 || whole > 900 {
			t.Errorf("%d ports: longest queue %d, then %d", ports, half, whole)
		}
	}
}

// TestPlanned: the planned assignment has no queue, for any permutation.
func TestPlanned(t *testing.T) {
	for seed := range uint64(30) {
		c := Config{Ports: 4 + 2*int(seed%7), Rule: StaticBest}
		if got := longest(t, c, seed, 64); got != 1 {
			t.Fatalf("%+v, seed %d: longest queue %d, want 1", c, seed, got)
		}
	}
}

// TestRandomIsTheLaw: the mean uplink under random spraying is the exact mean load of package ballsbins. 6.1 standard
// errors: a false alarm in 10^9.
func TestRandomIsTheLaw(t *testing.T) {
	for _, ports := range []int{8, 16} {
		c := Config{Ports: ports, Traffic: Alternating, Packets: []int{1, 16, 128}}
		result, err := Simulate(context.Background(), c, mc.Plan{Seed: 5, Replicas: 60})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range MeanUplink(c) {
			if o := result.Observations[i]; math.Abs(o.Uplink.Value-want) > 6.1*o.Uplink.StdErr+1e-9 || o.Uplink.StdErr > 0.2 {
				t.Errorf("%d ports, %d packets: mean uplink %+v, want %v", ports, o.Packets, o.Uplink, want)
			}
		}
	}
	for _, c := range []Config{{}, {Traffic: Alternating, Spread: 1}, {Traffic: Alternating, Rule: Shortest}, {Traffic: Alternating, Packets: []int{2, 1}}} {
		if got := MeanUplink(c); got != nil {
			t.Errorf("%+v: mean uplink %v, want none", c, got)
		}
	}
}

// TestChoices: what each rule chooses for a host with two destinations in turn.
func TestChoices(t *testing.T) {
	const n = 4
	for rule, want := range map[Rule][]int{
		SourceRotation: {0, 1, 2, 3, 0, 1}, Coordinated: {1, 2, 3, 0, 1, 2}, DestinationAlike: {0, 0, 1, 1, 2, 2},
		SwitchRotation: {0, 1, 2, 3, 0, 1}, Shortest: {0, 1, 2, 3, 0, 1}, Static: {1, 1, 1, 1, 1, 1}, StaticWorst: {0, 0, 0, 0, 0, 0},
	} {
		p := begin(t, Config{Ports: 2 * n, Rule: rule, Traffic: Alternating}, 1)
		var got []int
		for number := range want {
			spine := p.choose(Packet{5, p.cfg.destination(5, number, nil), number, number % 2, number / 2})
			p.up[n+spine].push(0) // the uplinks of host 5
			got = append(got, spine)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", rule, got, want)
		}
	}
}

// TestShorterOfTwo: a choice among two queues is longer than random only by chance, so the longest queue where hosts
// have two destinations in turn is clearly shorter than under random spraying.
func TestShorterOfTwo(t *testing.T) {
	sum := func(rule Rule) (sum int) {
		for seed := range uint64(10) {
			sum += longest(t, Config{Ports: 16, Rule: rule, Traffic: Alternating}, seed, 1024)
		}
		return sum
	}
	if two, random := sum(ShorterOfTwo), sum(Random); two > random*4/5 {
		t.Errorf("longest queues: of two %d, random %d, in 10 runs", two, random)
	}
}

// TestSpread: starts reach the end of the spread, and at the first observation every host has sent a packet.
func TestSpread(t *testing.T) {
	for spread := range 5 {
		p := begin(t, Config{Ports: 16, Spread: spread}, 1)
		if first, last := slices.Min(p.begin), slices.Max(p.begin); first != 0 || last != spread {
			t.Errorf("starts from %d to %d, want 0 to %d", first, last, spread)
		}
	}
	c := Config{Ports: 4, Rule: StaticWorst, Traffic: Alternating, Spread: 100}
	for seed := range uint64(5) {
		if first, last := longest(t, c, seed, 1), longest(t, c, seed, 64); first < 10 || last < 64 || last > 164 {
			t.Errorf("seed %d: longest queue %d after 1 packet, %d after 64", seed, first, last)
		}
	}
}

// TestSeparateRotations: a rotation for each destination, of a host or a switch, spreads the packets to a destination
// evenly, and its starts differ.
func TestSeparateRotations(t *testing.T) {
	for _, rule := range []Rule{DestinationDrawn, SwitchDestination} {
		p := begin(t, Config{Ports: 16, Rule: rule, Traffic: Alternating}, 2)
		first := map[int]bool{}
		for host := range p.hosts {
			var counts [2][8]int
			for number := range 16 {
				q := Packet{host, p.cfg.destination(host, number, nil), number, number % 2, number / 2}
				spine := p.choose(q)
				if counts[q.Turn][spine]++; number == 0 {
					first[spine] = true
				}
			}
			if counts != [2][8]int{{1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}} {
				t.Fatalf("%s, host %d: %v", rule, host, counts)
			}
		}
		if len(first) < 6 {
			t.Errorf("%s: only %d first spines", rule, len(first))
		}
	}
}

// TestTrafficIsAdmissible: in 2 (N-1) slots each host gets as many packets as it sends.
func TestTrafficIsAdmissible(t *testing.T) {
	for _, traffic := range Traffics() {
		p := begin(t, Config{Ports: 8, Traffic: traffic}, 5)
		got := make([]int, p.hosts)
		for number := range 2 * (p.hosts - 1) {
			for host := range p.hosts {
				got[p.cfg.destination(host, number, p.pairs)]++
			}
		}
		for host, count := range got {
			if count != 2*(p.hosts-1) {
				t.Fatalf("%s: host %d gets %d packets, want %d", traffic, host, count, 2*(p.hosts-1))
			}
		}
	}
}

// TestRefuses: values out of range are errors that name the field.
func TestRefuses(t *testing.T) {
	own := func(*Process) Chooser { return func(Packet) int { return 0 } }
	for field, c := range map[string]Config{
		"Ports (5)": {Ports: 5}, "Ports (2)": {Ports: 2}, "Ports (130)": {Ports: 130}, "Ports (6)": {Ports: 6, Traffic: Alternating}, "Rule": {Rule: "best"},
		"Traffic": {Traffic: "none"}, "Spread (-1)": {Spread: -1}, "Spread (1048577)": {Spread: MaxSpread + 1}, "Packets (0)": {Packets: []int{0}},
		`Rule ("static-best")`: {Rule: StaticBest, Traffic: AllToAll}, "Packets (2) must be above 2, as they ascend, and at most 1048576": {Packets: []int{2, 2}}, "Packets (1048577)": {Packets: []int{MaxPackets + 1}},
		`Rule ("random")`: {Rule: Random, Own: own},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%+v: %v, want an error about %s", c, err, field)
		}
		if _, err := New(c); err == nil {
			t.Errorf("New accepts %+v", c)
		}
	}
}

// TestFaultsOfPackets: each wrong number of packets is told; numbers that a caller changes later change nothing.
func TestFaultsOfPackets(t *testing.T) {
	err := Config{Packets: []int{-1, 4, 2, MaxPackets + 1}}.Validate()
	for _, want := range []string{"Packets (-1)", "Packets (2)", "Packets (1048577)"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	many := make([]int, mc.MaxObservations+1)
	for i := range many {
		many[i] = i + 1
	}
	if most := (Config{Packets: many[1:]}).Validate(); most != nil || (Config{Packets: many}).Validate() == nil {
		t.Errorf("a list of the most numbers: %v; or one more is accepted", most)
	}
	list := []int{3, 5}
	experiment := NewExperiment(Config{Packets: list})
	list[1] = 1
	if got := experiment.NewTally().Result().Observations; got[1].Packets != 5 {
		t.Errorf("observed %+v", got)
	}
	if got, ok := Longest(Config{Rule: StaticBest}, 0); ok {
		t.Errorf("after 0 packets the longest queue is %d", got)
	}
}

// TestOwn: a rule of one's own that does what a built-in rule does has the same runs; a choice that is no spine panics.
func TestOwn(t *testing.T) {
	shortest := func(p *Process) Chooser {
		return func(q Packet) int {
			first, best := p.Drawn(), 0
			for i := range p.Spines() {
				if p.Queue(q.Source, (first+i)%p.Spines()) < p.Queue(q.Source, (first+best)%p.Spines()) {
					best = i
				}
			}
			return (first + best) % p.Spines()
		}
	}
	own, built := begin(t, Config{Ports: 8, Own: shortest}, 3), begin(t, Config{Ports: 8, Rule: ShortestDrawn}, 3)
	for slot := range 500 {
		own.Advance(1)
		built.Advance(1)
		if own.Longest() != built.Longest() || own.UplinkTotal() != built.UplinkTotal() {
			t.Fatalf("slot %d: %d and %d packets wait", slot, own.UplinkTotal(), built.UplinkTotal())
		}
	}
	for _, spine := range []int{-1, 4} {
		outside := func(*Process) Chooser { return func(Packet) int { return spine } }
		want := fmt.Sprintf("leafspine: Own (%d) must return a spine in [0, 3]", spine)
		mustPanic(t, want, func() { longest(t, Config{Ports: 8, Own: outside}, 1, 1) })
		if _, err := Simulate(context.Background(), Config{Ports: 8, Own: outside}, mc.Plan{Seed: 1, Replicas: 3}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("a rule that chooses %d: %v", spine, err)
		}
	}
	none := false
	sometimes := func(*Process) Chooser {
		if none {
			return nil
		}
		return func(Packet) int { return 0 }
	}
	p := begin(t, Config{Own: sometimes}, 1)
	none = true
	mustPanic(t, "Own (<nil>) must return a function", func() { p.Reset(mc.Stream{}) })
	if _, err := New(Config{Own: sometimes}); err == nil || !strings.Contains(err.Error(), "must return a function") {
		t.Errorf("a rule without a function: %v", err)
	}
	for name, use := range map[string]func(*Process){"Reset": func(p *Process) { p.Reset(mc.Stream{}) }, "Advance": func(p *Process) { p.Advance(1) }} {
		want := fmt.Sprintf("leafspine: %s: must not be called by a rule", name)
		mustPanic(t, want, func() { _, _ = New(Config{Own: func(p *Process) Chooser { use(p); return nil }}) })
		p := begin(t, Config{Own: func(p *Process) Chooser { return func(Packet) int { use(p); return 0 } }}, 1)
		mustPanic(t, want, func() { p.Advance(1) })
	}
	mustPanic(t, "New", func() { new(Process).Advance(1) })
	for _, slots := range []int{-1, MaxSpread + MaxPackets + 1} {
		mustPanic(t, "must be in [0, 2097152]", func() { built.Advance(slots) })
	}
	for _, host := range []int{-1, 32} {
		mustPanic(t, "must be in [0, 31]", func() { built.Queue(host, 0) })
	}
	for _, spine := range []int{-1, 4} {
		mustPanic(t, "must be in [0, 3]", func() { built.Queue(0, spine) })
	}
}

// mustPanic checks that f panics with a text.
func mustPanic(t *testing.T, text string, f func()) {
	t.Helper()
	defer func() {
		if got := fmt.Sprint(recover()); !strings.Contains(got, text) {
			t.Errorf("panic %q, want %q", got, text)
		}
	}()
	f()
}

// TestReset: a process that was used before runs as a new one.
func TestReset(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := drawConfig(r)
		used, fresh := begin(r, c, 1), begin(r, c, 2)
		used.Advance(rapid.IntRange(0, 100).Draw(r, "before"))
		used.Reset(mc.NewStream(2, mc.Algorithm, 0))
		if used.Longest() != 0 || used.UplinkTotal() != 0 || slices.Max(used.last) != 0 {
			r.Fatalf("%+v: packets wait after a reset", c)
		}
		used.Advance(50)
		fresh.Advance(50)
		if used.Longest() != fresh.Longest() || used.UplinkTotal() != fresh.UplinkTotal() {
			r.Fatalf("%+v: %d, then %d", c, used.Longest(), fresh.Longest())
		}
	})
}

// TestEstimates: estimates equal means over runs by hand, and the local exponents of exact laws are exact.
func TestEstimates(t *testing.T) {
	c := Config{Ports: 8, Spread: 3, Packets: []int{5, 6, 40}}
	result, err := Simulate(context.Background(), c, mc.Plan{Seed: 7, Replicas: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range c.Packets {
		var queue, uplinks float64
		for replica := range uint64(4) {
			p := begin(t, c, 1)
			p.Reset(mc.NewStream(7, mc.Algorithm, replica))
			p.Advance(m + c.Spread)
			queue, uplinks = queue+float64(p.Longest())/4, uplinks+float64(p.UplinkTotal())/(4*32)
		}
		if o := result.Observations[i]; o.Packets != m || math.Abs(o.Longest.Value-queue) > 1e-12 || math.Abs(o.Uplink.Value-uplinks) > 1e-12 {
			t.Errorf("%+v, want a longest queue of %v and uplinks of %v", o, queue, uplinks)
		}
	}
	for rule, want := range map[Rule]float64{SourceRotation: 1, DestinationAlike: 0} {
		result, err := Simulate(context.Background(), Config{Rule: rule, Traffic: Alternating, Packets: []int{100, 400}}, mc.Plan{Seed: 1, Replicas: 3})
		if err != nil || !math.IsNaN(result.Observations[0].Growth.Value) || math.Abs(result.Observations[1].Growth.Value-want) > 1e-12 {
			t.Errorf("%s: %+v, want a local exponent of %v, %v", rule, result.Observations[1].Growth, want, err)
		}
	}
	if e := exponent(mc.Estimate{Value: 2, StdErr: 0.2, Lo: 0.5, Hi: 4}, 4); e.Value != 0.5 || e.Lo != 0 || e.Hi != 1 || math.Abs(e.StdErr-0.1/math.Log(4)) > 1e-12 {
		t.Errorf("exponent = %+v", e)
	}
	tally := newTally(Config{Packets: []int{1, 2}})
	tally.seen[0].longest.Add(3)
	tally.seen[1].longest.Add(8)
	if e := tally.StoppingStatistic(); e.Value != 8 {
		t.Errorf("the stopping statistic is %v", e.Value)
	}
	ranked := newTally(Config{Ports: 4, Packets: []int{1}})
	for queue := range int64(200) {
		ranked.seen[0].longest.Add(queue + 1)
	}
	if e := ranked.Result().Observations[0].LongestP95; e.Value != 190 {
		t.Errorf("the 95 %% quantile of 1 to 200 is %v", e.Value)
	}
	two, err := Simulate(context.Background(), Config{Packets: []int{16, 64}}, mc.Plan{Seed: 1, Replicas: 2})
	if e := two.Observations[1].Growth; err != nil || !(e.Value > 0) || !math.IsInf(e.Lo, -1) || !math.IsInf(e.Hi, 1) {
		t.Errorf("two replicas: %+v, %v", e, err)
	}
	if bad, err := Simulate(context.Background(), Config{Ports: 3}, mc.Plan{Seed: 1, Replicas: 3}); err == nil {
		t.Errorf("3 ports give %+v", bad)
	}
}
