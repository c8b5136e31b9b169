package transport_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
)

// TestShortPackets: by the rules of Ultra Ethernet, 21 messages of two full packets and one packet of
// 1000 bytes take the time of their bytes on the link that they share, whichever it is, plus a round
// trip, up to 4 slots. If each packet took a slot, as by the artifact's rules, they would need 15.9 slots
// more, or half of that over two links. Packets are conserved in each slot.
func TestShortPackets(t *testing.T) {
	const messages, packet, last, slot = 21, 4150, 1000, 83_000
	tree := topology.FatTree{Hosts: 48, HostsPerToR: 24, UplinksPerToR: 1}
	for _, c := range []struct {
		name     string
		topology fattree.Topology
		links    fattree.Picoseconds
		message  func(i fattree.Host) (source, destination fattree.Host, connection int)
	}{
		{"receiver", tree, 1, func(i fattree.Host) (fattree.Host, fattree.Host, int) { return i + 1, 0, 0 }},
		{"sender", tree, 1, func(i fattree.Host) (fattree.Host, fattree.Host, int) { return 0, i + 1, 0 }},
		{"uplink", tree, 1, func(i fattree.Host) (fattree.Host, fattree.Host, int) { return i, i + 24, 0 }},
		{"connection", tree, 1, func(fattree.Host) (fattree.Host, fattree.Host, int) { return 0, 24, 1 }},
		{"planes, receiver", topology.Planes{Tree: tree, Planes: 2}, 2, func(i fattree.Host) (fattree.Host, fattree.Host, int) { return i + 1, 0, 0 }},
		{"planes, sender", topology.Planes{Tree: tree, Planes: 2}, 2, func(i fattree.Host) (fattree.Host, fattree.Host, int) { return 0, i + 1, 0 }},
	} {
		spec := fattree.Spec{Topology: c.topology}
		for i := range fattree.Host(messages) {
			source, destination, connection := c.message(i)
			f := fattree.NewFlow(source, destination, 2*(packet-64)+last-64, 0)
			f.Connection = connection
			spec.Workload.Flows = append(spec.Workload.Flows, f)
		}
		took := map[fattree.Profile]fattree.Picoseconds{}
		for _, spec.Profile = range []fattree.Profile{fattree.Artifact, fattree.UltraEthernet} {
			n, err := fattree.Build(spec)
			if err != nil {
				t.Fatal(err)
			}
			b, err := balance.NewStratified(64)
			if err != nil {
				t.Fatal(err)
			}
			run := transport.NewRun(n)
			run.Begin(b, congestion.None{}, fattree.NewStreams(1, 0))
			for run.Unfinished() > 0 {
				run.Step()
				if _, err := run.Result(); err != nil {
					t.Fatalf("%s: %v", c.name, err)
				}
			}
			result, err := run.Result()
			if err != nil {
				t.Fatal(err)
			}
			took[spec.Profile], _ = result.LastEnd()
			took[spec.Profile] -= n.BaseRTT(0)
		}
		bytes := fattree.Picoseconds(messages * (2*packet + last) * 20 / c.links) // at 400 Gb/s
		if got := took[fattree.UltraEthernet]; got < bytes-4*slot || got > bytes+4*slot {
			t.Errorf("%s: %d ps and a round trip, want %d ps, the time of the bytes", c.name, got, bytes)
		}
		if got := took[fattree.Artifact]; got < bytes+5*slot {
			t.Errorf("%s: by the artifact's rules %d ps and a round trip, want 5 slots more than %d ps", c.name, got, bytes)
		}
	}
}

// sprayed runs OPS on a network without congestion control.
func sprayed(t *testing.T, n *fattree.Network) *fattree.Result {
	t.Helper()
	b, err := balance.NewSpraying(64)
	if err != nil {
		t.Fatal(err)
	}
	result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestManyShortPackets: a port sends as many tiny packets in a slot as fit, here 30, more than it has
// hosts. All arrive.
func TestManyShortPackets(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 4}, Profile: fattree.UltraEthernet}
	for i := range 400 {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(1+i%7), 0, 10, 0))
	}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	result := sprayed(t, n)
	if distinct := result.Delivered - result.Duplicates; result.Finished() != 400 || distinct != 400 {
		t.Errorf("%d flows finished, %d packets delivered", result.Finished(), distinct)
	}
}

// TestShortPacketsKeepOrder: alone on links of one rate, a message of full packets and a short last one ends when its
// bytes have left the NIC, a full packet has crossed all further links, and the ACK has come back: the short packet
// waits for the full one before it. A short packet alone takes its own time on every link. With two planes, packets
// take them in turn, and the later plane decides. This holds for both profiles, all rates, latencies and packet sizes,
// up to 1/1024 of a slot on each link and 1 ps.
func TestShortPacketsKeepOrder(t *testing.T) {
	const seed = 1
	random := rand.New(rand.NewPCG(seed, 0))
	draw := func(list ...int) int { return list[random.IntN(len(list))] }
	for range 80 {
		tiers, planes, mtu, gbps, latency := draw(2, 3), draw(1, 1, 2), draw(512, 1024, 4150, 9000), draw(25, 100, 200, 400, 800), draw(150, 300, 1000)
		full, last := draw(0, 1, 2, 3, 4, 40-37*(planes-1)), 1+random.IntN(mtu-64)
		link := fattree.Link{Gbps: float64(gbps), LatencyNs: float64(latency)}
		tree := topology.FatTree{Hosts: 16, Tiers: tiers, Access: link, Fabric: link, Core: link}
		spec := fattree.Spec{Topology: tree, MTU: mtu, Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 15, int64(full*(mtu-64)+last), 0)}}}
		if planes > 1 {
			spec.Topology, spec.Options = topology.Planes{Tree: tree, Planes: planes}, transport.Options{InitialWindow: 100}
		}
		hops := 2 * tiers
		wire := max(bytesInOrder(hops, mtu, full/planes, last+64), bytesInOrder(hops, mtu, (full+planes-1)/planes, 0))
		want := float64(2*hops*latency)*1000 + float64((wire+hops*64)*8000)/float64(gbps)
		for _, spec.Profile = range []fattree.Profile{fattree.Artifact, fattree.UltraEthernet} {
			n, err := fattree.Build(spec)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := sprayed(t, n).LastEnd()
			if late := float64(got) - want; math.Abs(late) > float64(planes-1)*float64(n.SlotTime())+float64(hops)*float64(n.SlotTime())/1024+1 {
				t.Errorf("seed %d, profile %v, %d tiers, %d planes, %d Gb/s, %d ns, MTU %d: %d full packets and %d bytes take %d ps, want %.0f",
					seed, spec.Profile, tiers, planes, gbps, latency, mtu, full, last, got, want)
			}
			if unloaded := float64(n.Unloaded(0)); unloaded > want+1 || planes == 1 && unloaded < want-1 {
				t.Errorf("unloaded %.0f ps, want %.0f", unloaded, want)
			}
		}
	}
}

// bytesInOrder returns the time of full packets and a last one over some hops, in bytes of a link. last is 0 if there
// is no last packet.
func bytesInOrder(hops, mtu, full, last int) int {
	switch {
	case full == 0:
		return hops * last
	case last == 0:
		return (full + hops - 1) * mtu
	}
	return (full+hops-1)*mtu + last
}

// TestShortSecondPacket: behind one full packet a packet of 1000 bytes is on the last link right after it, so the flow
// ends later by the time of 1000 bytes, 20 ns at 400 Gb/s. Without the full packet before it, it would be faster on
// every link.
func TestShortSecondPacket(t *testing.T) {
	const packet, last = 4150, 1000
	end := func(bytes int64) fattree.Picoseconds {
		n, err := fattree.Build(fattree.Spec{
			Topology: topology.FatTree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}, Profile: fattree.UltraEthernet,
			Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 2, bytes, 0)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		at, _ := sprayed(t, n).LastEnd()
		return at
	}
	if later := end(packet-64+last-64) - end(packet-64); later != last*20 {
		t.Errorf("a second packet of %d bytes ends %d ps after the first, want %d", last, later, last*20)
	}
}
