package fattree

import (
	"math"
	"testing"

	"repslab/mc"
)

// TestHeadersWait: a header that meets waiting data leaves when the packet on the wire ends, up to a slot
// later, and its time on the link is taken from the data. Without waiting data a header leaves at once.
func TestHeadersWait(t *testing.T) {
	const quarter = aSlot / 4
	for _, c := range []struct {
		data          int32
		begins        Moment // of packets on the link, in a slot
		comes, leaves Moment
	}{
		{0, 2 * quarter, quarter, quarter},
		{0, 2 * quarter, 3 * quarter, 3 * quarter},
		{1, 2 * quarter, quarter, 2 * quarter},
		{1, 2 * quarter, 2 * quarter, 2 * quarter},
		{1, 2 * quarter, 3 * quarter, aSlot + 2*quarter},
		{9, 0, quarter, aSlot},
	} {
		before := uint32(c.begins) << 10
		p := port{count: c.data, debt: before, perHeader: 16 << 10}
		if got := p.passAhead(c.comes, ifPositive(p.count)); got != c.leaves {
			t.Errorf("%+v: leaves at %d", c, got)
		}
		if taken := p.debt - before; taken != p.perHeader*uint32(min(c.data, 1)) {
			t.Errorf("%+v: takes %d from the data", c, taken)
		}
	}
}

// TestHeadersYield: while flows wait, every tenth header lets a packet go first, and its time on the link
// is charged with the next header.
func TestHeadersYield(t *testing.T) {
	const perHeader = 16
	tile, nic, charged := &tile{run: &Run{turns: make([]int32, 1)}}, port{perHeader: perHeader}, uint32(0)
	for header := 1; header <= 101; header++ {
		nic.debt += perHeader // as passAhead does
		yields := tile.yields(0, &nic)
		if want := header > 1 && header%10 == 1; yields != want {
			t.Errorf("header %d: yields %v", header, yields)
		}
		charged += perHeader
		due := charged
		if yields {
			due -= perHeader
		}
		if nic.debt != due {
			t.Errorf("header %d: debt %d, want %d", header, nic.debt, due)
		}
	}
}

// TestHeadersFindNoRoom: by the rules of Ultra Ethernet, a port with waiting data drops headers that find
// twice the bytes of its queue before them. Without data, or by the artifact's rules, no header is
// dropped.
func TestHeadersFindNoRoom(t *testing.T) {
	const queue, headers = 10, 2000
	for _, c := range []struct {
		transport Profile
		data      int32
		arrive    int
	}{
		{UltraEthernet, 1, 2*queue*4150/64 + 1}, // the last header finds less than that
		{UltraEthernet, 0, headers},
		{Artifact, 1, headers},
	} {
		n, err := Build(Spec{
			Topology: Tree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}, Workload: tornado(4, 1),
			Queue: queue, KMin: 1, KMax: 2, Profile: c.transport,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := crossUplink(n, c.data, headers); got != c.arrive {
			t.Errorf("%+v: %d of %d headers arrive", c, got, headers)
		}
	}
}

// TestMixInIsUniform: each of the 24 orders of four elements is equally likely, if two are mixed into two
// others and if a list is mixed into its own memory. A count is Binomial(24000, 1/24), so at z = 6.8 a false
// alarm in one of the 48 has a rate of 48 * 1.05e-11 < 1e-9. An order that is 30 % too rare or too frequent
// is seen in 99.9 % of seeds.
func TestMixInIsUniform(t *testing.T) {
	const draws, orders, z = 24_000, 24, 6.8
	for name, mixed := range map[string]func(random *mc.Rand) []int32{
		"in pairs": func(random *mc.Rand) []int32 {
			return mixIn(mixIn(nil, []int32{0, 1}, random), []int32{2, 3}, random)
		},
		"in place": func(random *mc.Rand) []int32 {
			list := []int32{0, 1, 2, 3}
			return mixIn(list[:0], list, random)
		},
	} {
		random, counts := mc.NewStream(1, mc.Algorithm, 0).Rand(), map[[4]int32]int{}
		for range draws {
			counts[[4]int32(mixed(&random))]++
		}
		if len(counts) != orders {
			t.Errorf("%s: %d orders, want %d", name, len(counts), orders)
		}
		const mean = float64(draws) / orders
		slack := z * math.Sqrt(mean*(1-1.0/orders))
		for order, count := range counts {
			if math.Abs(float64(count)-mean) > slack {
				t.Errorf("%s: order %v: %d times, want %.0f within %.0f", name, order, count, mean, slack)
			}
		}
	}
}
