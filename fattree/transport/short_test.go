package transport_test

import (
	"context"
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
		for _, spec.Transport = range []fattree.Profile{fattree.Artifact, fattree.UltraEthernet} {
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
			took[spec.Transport], _ = result.LastEnd()
			took[spec.Transport] -= n.BaseRTT(0)
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

// TestManyShortPackets: a port sends as many tiny packets in a slot as fit, here 30, more than it has
// hosts. All arrive.
func TestManyShortPackets(t *testing.T) {
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: 8, HostsPerToR: 4, UplinksPerToR: 4}, Transport: fattree.UltraEthernet}
	for i := range 400 {
		spec.Workload.Flows = append(spec.Workload.Flows, fattree.NewFlow(fattree.Host(1+i%7), 0, 10, 0))
	}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	b, err := balance.NewSpraying(64)
	if err != nil {
		t.Fatal(err)
	}
	result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	if distinct := result.Delivered - result.Duplicates; result.Finished() != 400 || distinct != 400 {
		t.Errorf("%d flows finished, %d packets delivered", result.Finished(), distinct)
	}
}

// TestShortSecondPacket: behind one full packet a packet of 1000 bytes is on the last link right after it, so the flow
// ends later by the time of 1000 bytes, 20 ns at 400 Gb/s. Without the full packet before it, it would be faster on
// every link.
func TestShortSecondPacket(t *testing.T) {
	const packet, last = 4150, 1000
	end := func(bytes int64) fattree.Picoseconds {
		n, err := fattree.Build(fattree.Spec{
			Topology: topology.FatTree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}, Transport: fattree.UltraEthernet,
			Workload: fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 2, bytes, 0)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		b, err := balance.NewSpraying(64)
		if err != nil {
			t.Fatal(err)
		}
		result, err := transport.NewRun(n).Execute(context.Background(), b, congestion.None{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		at, _ := result.LastEnd()
		return at
	}
	if later := end(packet-64+last-64) - end(packet-64); later != last*20 {
		t.Errorf("a second packet of %d bytes ends %d ps after the first, want %d", last, later, last*20)
	}
}
