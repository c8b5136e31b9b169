package topology

import (
	"slices"
	"testing"
)

// TestSwitchPorts: the ports up and down of a switch are the ports of the corresponding parts of the
// tree, in every plane. Together, all sides of all switches have each port between switches and to hosts
// once.
func TestSwitchPorts(t *testing.T) {
	for _, tree := range []FatTree{
		{Hosts: 64, HostsPerToR: 8, UplinksPerToR: 6, CablesPerPair: 2}, {Hosts: 54, Tiers: 3},
		{Hosts: 64, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 8, UplinksPerAgg: 6, CoreCablesPerPair: 2},
	} {
		p := Planes{Tree: tree, Planes: 3}.withDefaults()
		tree = p.Tree
		seen := map[int]bool{}
		for tier := range tree.TierNames() {
			for i := range tree.Switches(tier) {
				up, down := tree.SwitchPorts(tier, i, Up), tree.SwitchPorts(tier, i, Down)
				below := Part{Switch: i, ToHost: true, cables: tree.HostsPerToR, Direction: Down}
				if tier > 0 {
					below = Part{Tier: tier, Switch: i, WholeSwitch: true}
				}
				if got := tree.Ports(below)[:len(down)]; !slices.Equal(got, down) || tier > 0 && len(tree.Ports(below)) != len(down)+len(up) {
					t.Errorf("%v: switch %d of tier %d has the ports %v down, want %v", tree, i, tier, down, got)
				}
				if top := tier == tree.Tiers-1; top != (up == nil) {
					t.Errorf("%v: switch %d of tier %d has the ports %v up", tree, i, tier, up)
				} else if want := (Part{Tier: tier, Switch: i, cables: len(up)}); !top && !slices.Equal(up, tree.Ports(want)) {
					t.Errorf("%v: switch %d of tier %d has the ports %v up, want %v", tree, i, tier, up, tree.Ports(want))
				}
				var want []int
				for plane := range p.Planes {
					want = append(want, p.Ports(below, plane)[:len(down)]...)
				}
				if got := p.SwitchPorts(tier, i, Down); !slices.Equal(got, want) {
					t.Errorf("%v in planes: switch %d of tier %d has the ports %v down, want %v", tree, i, tier, got, want)
				}
				for _, port := range slices.Concat(up, down) {
					if seen[port] {
						t.Errorf("%v: port %d is at two switches", tree, port)
					}
					seen[port] = true
				}
			}
		}
		if want := int(tree.ports()); len(seen) != want {
			t.Errorf("%v: %d ports at all sides, want %d", tree, len(seen), want)
		}
	}
}
