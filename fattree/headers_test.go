package fattree

import "testing"

// TestHeadersWait: a header that meets waiting data leaves when the packet on the wire ends, up to
// a slot later, and takes its time from the data; one that meets none leaves as it comes.
func TestHeadersWait(t *testing.T) {
	const quarter = aSlot / 4
	for _, c := range []struct {
		data          int32
		begins        moment // of packets on the link, in a slot
		comes, leaves moment
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

// TestHeadersYield: while flows wait, every tenth header lets a packet go first, and takes its time of the
// link with the next header.
func TestHeadersYield(t *testing.T) {
	const perHeader = 16
	line, nic, charged := turns{}, port{perHeader: perHeader}, uint32(0)
	for header := 1; header <= 101; header++ {
		nic.debt += perHeader // as passAhead does
		yields := line.yields(&nic)
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

// TestHeadersFindNoRoom: by the rules of Ultra Ethernet a port where data wait loses headers that find twice
// the bytes of its queue before them; without data, or by the artifact's rules, none is lost.
func TestHeadersFindNoRoom(t *testing.T) {
	const queue, headers = 10, 2000
	for _, c := range []struct {
		transport Transport
		data      int32
		arrive    int
	}{
		{UltraEthernet, 1, 2*queue*4150/64 + 1}, // the last one finds less than that
		{UltraEthernet, 0, headers},
		{Artifact, 1, headers},
	} {
		n, err := Build(Spec{
			Topology: Tree{Hosts: 4, HostsPerToR: 2, UplinksPerToR: 1}, Workload: tornado(4, 1),
			Queue: queue, KMin: 1, KMax: 2, Transport: c.transport,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := crossUplink(n, c.data, headers); got != c.arrive {
			t.Errorf("%+v: %d of %d headers arrive", c, got, headers)
		}
	}
}
