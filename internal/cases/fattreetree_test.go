package cases

import (
	"math"
	"testing"

	"repslab/fattree/topology"
)

// TestHostsOfOneSize: a tree of twice as many hosts as a square has ToRs of a divisor; up to four times
// as many ToRs as hosts of a ToR are taken, more are refused.
func TestHostsOfOneSize(t *testing.T) {
	for hosts, want := range map[int]bool{16: true, 20: true, 28: true, 36: true, 34: false, 44: true, 52: true, 68: false, 2: true, 3: true, 4: true, 5: false} {
		radix := 1
		for r := 1; r*r <= hosts; r++ {
			if hosts%r == 0 {
				radix = r
			}
		}
		if got := balanced(hosts, 2); got != want || want != (hosts/radix <= 4*radix) {
			t.Errorf("%d hosts make %d ToRs of %d: taken %v, want %v", hosts, hosts/radix, radix, got, want)
		}
	}
}

// TestWholeNumber: numbers that are whole but for rounding errors are whole, others and those below 1 are not.
func TestWholeNumber(t *testing.T) {
	for x, want := range map[float64]bool{1: true, 3: true, 3 + 1e-10: true, 3 - 1e-10: true, 3 + 1e-8: false, 2.99: false, 0: false, 0.5: false, -2: false, 1e6 + 1e-4: true, 1e6 + 1e-2: false} {
		nearest, whole := wholeNumber(x)
		if whole != want || whole && nearest != math.Round(x) || !whole && nearest != x {
			t.Errorf("%v: %v, whole %v", x, nearest, whole)
		}
	}
}

// TestShapes: hosts, ToRs and uplinks of trees, by the flags that give their sizes.
func TestShapes(t *testing.T) {
	for flags, want := range map[string]topology.FatTree{
		"hosts=128":                    {Hosts: 128, HostsPerToR: 8, UplinksPerToR: 8},
		"hosts=128 oversubscription=2": {Hosts: 128, HostsPerToR: 8, UplinksPerToR: 4},
		"hosts=128 oversubscription=2 fabric-gbps=800": {Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2},
		"hosts=128 oversubscription=2 fabric-gbps=200": {Hosts: 128, HostsPerToR: 8, UplinksPerToR: 8},
		"radix=16":                    {Hosts: 128, HostsPerToR: 8, UplinksPerToR: 8},
		"radix=16 hosts=64":           {Hosts: 64, HostsPerToR: 8, UplinksPerToR: 8},
		"radix=16 oversubscription=3": {Hosts: 192, HostsPerToR: 12, UplinksPerToR: 4},
		"radix=15 oversubscription=2 fabric-gbps=800": {Hosts: 180, HostsPerToR: 12, UplinksPerToR: 3},
		"radix=16 hosts-per-tor=12":                   {Hosts: 192, HostsPerToR: 12, UplinksPerToR: 4},
		"radix=16 uplinks-per-tor=6":                  {Hosts: 160, HostsPerToR: 10, UplinksPerToR: 6},
		"radix=8 tiers=3":                             {Hosts: 128, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 4, UplinksPerAgg: 4},
		"radix=8 tiers=3 hosts-per-tor=6":             {Hosts: 192, HostsPerToR: 6, UplinksPerToR: 2, ToRsPerPod: 4, UplinksPerAgg: 4},
		"hosts=54 tiers=3":                            {Hosts: 54, HostsPerToR: 3, UplinksPerToR: 3, ToRsPerPod: 3, UplinksPerAgg: 3},
	} {
		tree := pointOf(t, flags).Tree
		got := topology.FatTree{Hosts: tree.Hosts, HostsPerToR: tree.HostsPerToR, UplinksPerToR: tree.UplinksPerToR}
		if tree.Tiers == 3 {
			got.ToRsPerPod, got.UplinksPerAgg = tree.ToRsPerPod, tree.UplinksPerAgg
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", flags, got, want)
		}
	}
	p := pointOf(t, "hosts=16 planes=4 link-gbps=100 fabric-gbps=200")
	if tree := p.fluidTree(); tree.Access.Gbps != 400 || tree.Fabric.Gbps != 800 || tree.Core.Gbps != 800 || p.Tree.Access.Gbps != 100 {
		t.Errorf("the fluid tree of 4 planes has %v, %v and %v Gb/s", tree.Access.Gbps, tree.Fabric.Gbps, tree.Core.Gbps)
	}
}
