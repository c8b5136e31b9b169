package leafspine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repslab/ballsbins"
	"repslab/mc"
)

// observe runs a network and returns its observations.
func observe(t *testing.T, c Config, seed uint64, slots int) []Observation {
	t.Helper()
	list, err := Run(context.Background(), c, mc.NewStream(seed, mc.Algorithm, 0), slots)
	if err != nil {
		t.Fatal(err)
	}
	return list
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
		if err := c.Validate(); err != nil {
			r.Fatal(err)
		}
		p := newProcess(c.WithDefaults(), mc.NewStream(rapid.Uint64().Draw(r, "seed"), mc.Algorithm, 0))
		bound, bounded := Bound(c)
		sent, delivered := 0, 0
		for slot := range rapid.IntRange(1, 200).Draw(r, "slots") {
			before := p.longest
			for _, waiting := range p.last {
				delivered += int(min(1, waiting))
			}
			p.step(slot)
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
			list := observe(t, c, 1, 512)
			if got, want := list[len(list)-1].Longest, d*(n-1)+1; got != want {
				t.Errorf("%+v: longest queue %d, want %d", c, got, want)
			}
			if bound, ok := Bound(c); !ok || bound != d*(3*n-1)-1 {
				t.Errorf("Bound(%+v) = %d, %v", c, bound, ok)
			}
		}
	}
	if _, ok := Bound(Config{Rule: SourceRotation}); ok {
		t.Error("a rotation of sources has a bound")
	}
}

// TestWorstAlignment: a rotation of each source alone, with two destinations in turn, lets a queue grow by a packet in
// every slot: the lower bound of round robin. Drawn starts make it slower, not bounded.
func TestWorstAlignment(t *testing.T) {
	for _, ports := range []int{4, 8, 16, 32} {
		last := func(rule Rule, slots int) int {
			list := observe(t, Config{Ports: ports, Rule: rule, Traffic: Alternating}, 3, slots)
			return list[len(list)-1].Longest
		}
		if got := last(SourceRotation, 1024); got != 1024 {
			t.Errorf("%d ports: longest queue %d after 1,024 slots, want 1,024", ports, got)
		}
		if half, whole := last(SourceDrawn, 512), last(SourceDrawn, 1024); ports > 4 && (whole-half < 10 || whole > 900) {
			t.Errorf("%d ports, drawn starts: longest queue %d, then %d", ports, half, whole)
		}
	}
}

// TestStatic: the planned assignment has no queue, for any permutation, and the worst one gains n-1 packets in a slot.
func TestStatic(t *testing.T) {
	for seed := range uint64(30) {
		c := Config{Ports: 4 + 2*int(seed%7), Rule: StaticBest}
		list := observe(t, c, seed, 64)
		if got := list[len(list)-1].Longest; got != 1 {
			t.Fatalf("%+v, seed %d: longest queue %d, want 1", c, seed, got)
		}
	}
	for _, o := range observe(t, Config{Ports: 16, Rule: StaticWorst, Traffic: Alternating}, 1, 256) {
		if want := 7*o.Packets + 1; o.Longest != want {
			t.Errorf("after %d slots the worst queue is %d, want %d", o.Packets, o.Longest, want)
		}
	}
}

// TestRandomIsTheLaw: the mean uplink under random spraying is the exact mean load of package ballsbins. 6.1 standard
// errors: a false alarm in 10^9.
func TestRandomIsTheLaw(t *testing.T) {
	for _, ports := range []int{8, 16} {
		const runs, slots = 60, 128
		var sum, squares float64
		for seed := range uint64(runs) {
			list := observe(t, Config{Ports: ports, Traffic: Alternating}, seed, slots)
			x := list[len(list)-1].Uplink
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / runs
		se := math.Sqrt((squares/runs - mean*mean) / (runs - 1))
		if want, err := ballsbins.MeanLoads(ports/2, []int{slots}); err != nil || math.Abs(mean-want[0]) > 6.1*se || se > 0.2 {
			t.Errorf("%d ports: mean uplink %.3f ± %.3f, want %v", ports, mean, se, want)
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
		p := newProcess(Config{Ports: 2 * n, Rule: rule, Traffic: Alternating}.WithDefaults(), mc.NewStream(1, mc.Algorithm, 0))
		var got []int
		for number := range want {
			spine := p.choose(packet{source: 5, destination: p.destination(5, number, nil), number: number, turn: number % 2, round: number / 2})
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
	longest := func(rule Rule) (sum int) {
		for seed := range uint64(10) {
			list := observe(t, Config{Ports: 16, Rule: rule, Traffic: Alternating}, seed, 1024)
			sum += list[len(list)-1].Longest
		}
		return sum
	}
	if two, random := longest(ShorterOfTwo), longest(Random); two > random*4/5 {
		t.Errorf("longest queues: of two %d, random %d, in 10 runs", two, random)
	}
}

// TestSpread: starts reach the end of the spread, and at the first observation every host has sent a packet.
func TestSpread(t *testing.T) {
	p := newProcess(Config{Ports: 16, Spread: 4}.WithDefaults(), mc.NewStream(1, mc.Algorithm, 0))
	if first, last := slices.Min(p.begin), slices.Max(p.begin); first != 0 || last != 4 {
		t.Errorf("starts from %d to %d, want 0 to 4", first, last)
	}
	for seed := range uint64(5) {
		list := observe(t, Config{Ports: 4, Rule: StaticWorst, Traffic: Alternating, Spread: 100}, seed, 64)
		last, first := list[len(list)-1], list[0]
		if len(list) != 7 || first.Packets != 1 || last.Packets != 64 || last.Longest < 64 || last.Longest > 164 || first.Longest < 10 {
			t.Errorf("seed %d: %+v", seed, list)
		}
	}
}

// TestSeparateRotations: a rotation for each destination, of a host or a switch, spreads the packets to a destination
// evenly, and its starts differ.
func TestSeparateRotations(t *testing.T) {
	for _, rule := range []Rule{DestinationDrawn, SwitchDestination} {
		p := newProcess(Config{Ports: 16, Rule: rule, Traffic: Alternating}.WithDefaults(), mc.NewStream(2, mc.Algorithm, 0))
		first := map[int]bool{}
		for host := range p.hosts {
			var counts [2][8]int
			for number := range 16 {
				q := packet{host, p.destination(host, number, nil), number, number % 2, number / 2}
				spine := p.choose(q)
				if counts[q.turn][spine]++; number == 0 {
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
		p := newProcess(Config{Ports: 8, Traffic: traffic}.WithDefaults(), mc.NewStream(5, mc.Algorithm, 0))
		got := make([]int, p.hosts)
		for number := range 2 * (p.hosts - 1) {
			for host := range p.hosts {
				got[p.destination(host, number, p.pairs)]++
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
	for field, c := range map[string]Config{
		"Ports (5)": {Ports: 5}, "Ports (2)": {Ports: 2}, "Ports (130)": {Ports: 130}, "Ports (6)": {Ports: 6, Traffic: Alternating}, "Rule": {Rule: "best"},
		"Traffic": {Traffic: "none"}, "Spread (-1)": {Spread: -1}, `Rule ("static-best")`: {Rule: StaticBest, Traffic: AllToAll},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%+v: %v, want an error about %s", c, err, field)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, Config{}, mc.Stream{}, 8); err == nil {
		t.Error("a cancelled run gives no error")
	}
	if _, err := Run(context.Background(), Config{Ports: 3}, mc.Stream{}, 8); err == nil {
		t.Error("Run accepts 3 ports")
	}
}
