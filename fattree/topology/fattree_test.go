package topology

import (
	"testing"

	"repslab/fattree"
)

// TestDefaultRadix compares the default radix with its definition, trying all radices.
func TestDefaultRadix(t *testing.T) {
	for hosts := range 2000 {
		square, cube := 1, 0
		for r := 1; r*r <= hosts; r++ {
			if hosts%r == 0 {
				square = r
			}
		}
		for k := 2; k*k*k/4 <= hosts; k += 2 {
			if k*k*k/4 == hosts {
				cube = k / 2
			}
		}
		if got := DefaultRadix(hosts, 2); got != square {
			t.Errorf("%d hosts on 2 tiers: radix %d, want %d", hosts, got, square)
		}
		if got := DefaultRadix(hosts, 3); got != cube {
			t.Errorf("%d hosts on 3 tiers: radix %d, want %d", hosts, got, cube)
		}
	}
	if got := DefaultRadix(-7, 2); got != 1 {
		t.Errorf("-7 hosts: radix %d, want 1", got)
	}
}

// TestRadicesOfThePaper: the networks of the paper and the largest ones.
func TestRadicesOfThePaper(t *testing.T) {
	for hosts, want := range map[int]int{128: 8, 1024: 32, 8192: 64, 512: 16, 2048: 32} {
		if got := DefaultRadix(hosts, 2); got != want {
			t.Errorf("%d hosts: radix %d, want %d", hosts, got, want)
		}
	}
	for hosts, want := range map[int]int{128: 4, 128_000: 40, 1_024_000: 80, 100: 0} {
		if got := DefaultRadix(hosts, 3); got != want {
			t.Errorf("%d hosts on 3 tiers: radix %d, want %d", hosts, got, want)
		}
	}
}

// TestOversubscription compares oversubscription with values computed by hand.
func TestOversubscription(t *testing.T) {
	for _, c := range []struct {
		tree FatTree
		want float64
	}{
		{FatTree{Hosts: 8, Tiers: 1}, 1},
		{FatTree{Hosts: 128}, 1},
		{FatTree{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2}, 4},
		{FatTree{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2, Access: fattree.Link{Gbps: 100}}, 1},
		{FatTree{Hosts: 128, Tiers: 3}, 1},
		{FatTree{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 1}, 6},
		{FatTree{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 1, CablesPerPair: 2}, 12},
	} {
		if got := c.tree.Oversubscription(); got != c.want {
			t.Errorf("%+v: %v, want %v", c.tree, got, c.want)
		}
	}
}

// peers returns, for each port, the switch to which it belongs and the switch to which it leads, -1 for a
// host.
func peers(t FatTree) (owner, peer []int) {
	for tier := range t.Tiers {
		for i := range t.switches(tier) {
			ports := t.appendPorts(nil, tier, i)
			hosts := t.portsOf(tier) - len(ports)
			for port := range t.portsOf(tier) {
				to := -1
				if k := port - hosts/2; k >= 0 && k < len(ports) { // a ToR's ports: hosts, up, hosts
					to = int(ports[k].Peer)
				}
				owner, peer = append(owner, t.number(tier, i)), append(peer, to)
			}
		}
	}
	return owner, peer
}

// TestOpposites: the opposite of a port up leads back, and no two are the same.
func TestOpposites(t *testing.T) {
	for _, tree := range []FatTree{
		{Hosts: 12, HostsPerToR: 3, UplinksPerToR: 2},
		{Hosts: 16, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2},
		{Hosts: 54, Tiers: 3},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 2, ToRsPerPod: 3, UplinksPerAgg: 3},
		{Hosts: 32, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 2, UplinksPerAgg: 2, CablesPerPair: 2},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 3, UplinksPerAgg: 6, CoreCablesPerPair: 3},
	} {
		tree = tree.WithDefaults()
		owner, peer := peers(tree)
		if len(owner) != tree.firstPort(tree.Tiers) {
			t.Fatalf("%+v: %d ports, want %d", tree, len(owner), tree.firstPort(tree.Tiers))
		}
		seen := map[int]bool{}
		for tier := range tree.Tiers - 1 {
			for i := range tree.switches(tier) {
				for uplink := range tree.uplinks(tier) {
					ports := tree.Ports(Part{Tier: tier, Switch: i, Uplink: uplink, Direction: Both})
					up, down := ports[0], ports[1]
					if owner[up] != tree.number(tier, i) || peer[up] != owner[down] || peer[down] != owner[up] || seen[down] {
						t.Fatalf("%+v: uplink %d of switch %d of tier %d leads from %d to %d, and back from %d to %d",
							tree, uplink, i, tier, owner[up], peer[up], owner[down], peer[down])
					}
					seen[down] = true
				}
			}
		}
	}
}

// TestParts: a tree has the parts that follow from its tiers, switches and uplinks, and Ports panics for
// others.
func TestParts(t *testing.T) {
	three := FatTree{Hosts: 16, Tiers: 3} // 8 ToRs, 4 pods
	for part, ports := range map[Part]int{
		{Switch: 7}: 1, {Switch: 8}: 0, {Switch: -1}: 0,
		{Uplink: 1}: 1, {Uplink: 2}: 0, {Uplink: -1}: 0,
		{Tier: 1}: 1, {Tier: 2}: 0, {Tier: -1}: 0, {Tier: 3}: 0,
		{Tier: 2, WholeSwitch: true, Switch: 3}: 4, {Tier: 3, WholeSwitch: true}: 0,
		{Tier: 2, WholeSwitch: true, Switch: 4}: 0, {WholeSwitch: true}: 0,
		{Tier: 1, WholeSwitch: true, Uplink: 99}: 4,
		{Direction: Down}:                        1, {Direction: Both}: 2, {Direction: Both + 1}: 0,
	} {
		got := func() int {
			defer func() { _ = recover() }()
			return len(three.Ports(part))
		}()
		if got != ports {
			t.Errorf("%+v: %d ports, want %d", part, got, ports)
		}
	}
}

// TestDefaultsOfATree: links have 400 Gb/s and 1000 ns, and uplinks are as many as links below.
func TestDefaultsOfATree(t *testing.T) {
	link := fattree.Link{Gbps: 400, LatencyNs: 1000}
	want := FatTree{Hosts: 128, Tiers: 2, HostsPerToR: 8, UplinksPerToR: 8, ToRsPerPod: 8, UplinksPerAgg: 8, CablesPerPair: 1, CoreCablesPerPair: 1,
		Access: link, Fabric: link, Core: link}
	if got := (FatTree{Hosts: 128}).WithDefaults(); got != want {
		t.Errorf("2 tiers: %+v, want %+v", got, want)
	}
	want.Tiers, want.HostsPerToR, want.UplinksPerToR, want.ToRsPerPod, want.UplinksPerAgg = 3, 4, 4, 4, 4
	if got := (FatTree{Hosts: 128, Tiers: 3}).WithDefaults(); got != want {
		t.Errorf("3 tiers: %+v, want %+v", got, want)
	}
}
