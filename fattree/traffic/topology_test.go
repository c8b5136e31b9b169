package traffic

import (
	"bytes"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// TestShippedTopologies: the authors' files are the model's default trees.
func TestShippedTopologies(t *testing.T) {
	for _, c := range []struct {
		name string
		want topology.FatTree
	}{
		{"fat_tree_128_1os_2t_400g.topo", topology.FatTree{Hosts: 128}},
		{"fat_tree_8192_1os_2t_400g.topo", topology.FatTree{Hosts: 8192}},
		{"fat_tree_128_1os_3t_400g.topo", topology.FatTree{Hosts: 128, Tiers: 3}},
	} {
		got, err := ReadTopology(bytes.NewReader(shipped(t, c.name)))
		if err != nil || got != c.want.WithDefaults() {
			t.Errorf("%s = %+v, want %+v (error %v)", c.name, got, c.want.WithDefaults(), err)
		}
	}
}

// TestCoreBundle: a published file with two cables from each aggregation switch to a core.
func TestCoreBundle(t *testing.T) {
	got, err := ReadTopology(bytes.NewReader(shipped(t, "bundle_tier2.topo")))
	want := topology.FatTree{Hosts: 128, Tiers: 3, CoreCablesPerPair: 2}.WithDefaults()
	for _, link := range []*fattree.Link{&want.Access, &want.Fabric, &want.Core} {
		link.Gbps = 10
	}
	if err != nil || got != want || got.CoresPerAgg() != 2 {
		t.Errorf("%+v, error %v, want %+v", got, err, want)
	}
}

// writable are topologies that the format can express.
func writable() []topology.FatTree {
	return []topology.FatTree{
		{Hosts: 128},
		{Hosts: 128, Tiers: 3},
		{Hosts: 128, HostsPerToR: 8, UplinksPerToR: 2},
		{Hosts: 128, HostsPerToR: 64, UplinksPerToR: 16, CablesPerPair: 2, Access: fattree.Link{Gbps: 100}},
		{Hosts: 96, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 3, UplinksPerAgg: 6, Core: fattree.Link{Gbps: 200}, SwitchLatencyNs: 500},
		{Hosts: 96, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, ToRsPerPod: 3, UplinksPerAgg: 6, CoreCablesPerPair: 3},
		{Hosts: 1 << 21, HostsPerToR: 1 << 10},
	}
}

func TestTopologyRoundTrip(t *testing.T) {
	for _, want := range writable() {
		written := writtenTopology(want)
		got, err := ReadTopology(strings.NewReader(written))
		if err != nil || got != want.WithDefaults() {
			t.Errorf("%+v is written as\n%sand read as %+v (error %v)", want.WithDefaults(), written, got, err)
		}
	}
}

// TestSwitchLatencyOfTheToRs: all switches have a latency that only Tier 0 gives.
func TestSwitchLatencyOfTheToRs(t *testing.T) {
	want := topology.FatTree{Hosts: 128, Tiers: 3, SwitchLatencyNs: 70}.WithDefaults()
	const line = "Switch_Latency_ns 70\n"
	text := writtenTopology(want)
	at := strings.Index(text, line) + len(line)
	text = text[:at] + strings.ReplaceAll(text[at:], line, "")
	got, err := ReadTopology(strings.NewReader(text))
	if err != nil || got != want || strings.Count(text, line) != 1 {
		t.Errorf("%+v, want %+v: %v", got, want, err)
	}
}

// topologyErrors are malformed topologies and their expected errors.
func topologyErrors(t testing.TB) []struct{ text, want string } {
	good := string(shipped(t, "fat_tree_128_1os_3t_400g.topo"))
	change := func(old, replacement string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("the shipped topology has no %q", old)
		}
		return strings.Replace(good, old, replacement, 1)
	}
	cut := func(at string) string { return good[:strings.Index(good, at)] }
	return []struct{ text, want string }{
		{"", "found no Nodes, Tiers or Podsize in 0 lines"},
		{"Nodes 128\n", "found no Nodes, Tiers or Podsize in 1 lines"},
		{cut("Tier 0"), "found no Tier 0 in 5 lines, expected Tier 0 to 2"},
		{cut("Tier 2"), "found no Tier 2"},
		{cut("Nodes") + "Nodes 8\nTiers 2\nPodsize 8\nTier 2\n", `Tier: found "2", expected an integer in [0, 1]`},
		{change("Nodes 128", "Nodes 1e3"), `line 2: Nodes: found "1e3", expected an integer in [1, 2097152]`},
		{change("Nodes 128", "Nodes 128 129"), `line 2: found 3 words, expected "Nodes" and a number`},
		{change("Nodes 128", "Nodes 9223372036854775808"), `line 2: Nodes: found "9223372036854775808", expected an integer in [1, 2097152]`},
		{change("Nodes 128", "Nodes -128"), `line 2: Nodes: found "-128"`},
		{change("Tiers 3", "Tiers 4"), `line 3: Tiers: found "4", expected an integer in [2, 3]`},
		{change("Tiers 3", "Tiers 2"), "line 18: found Radix_Up of the highest tier"},
		{change("Podsize 16", "Podsize 17"), "line 4: Podsize: found 17, expected 16 by the other lines"},
		{change("Podsize 16", "Podsize 2"), "line 4: Podsize: found 2, expected 4"},
		{change("Podsize 16", "Podsize 12"), "ToRsPerPod (3) must divide the number of ToRs (32)"},
		{change("Podsize 16", "Pods 8"), `line 4: found "Pods", expected Nodes, Tiers, Podsize or Tier`},
		{change("Tier 1", "Tier 0"), "Tier 0 began in line"},
		{"Tier 0\n", "line 1: found Tier, expected Nodes, Tiers and Podsize before it"},
		{change("Radix_Up 4", "Radix_Up 4\nradix_up 4"), `"radix_up" was given in line`},
		{change("Radix_Up 4\n", ""), "found no Radix_Up of Tier 0"},
		{change("Downlink_speed_Gbps 400\n", ""), "found no Downlink_speed_Gbps of Tier 0"},
		{change("Radix_Down 4\n", ""), "found no Radix_Down of Tier 0"},
		{change("Downlink_Latency_ns 1000\n", ""), "found no Downlink_Latency_ns of Tier 0"},
		{change("Downlink_speed_Gbps 400", "Downlink_speed_Gbps NaN"), `Downlink_speed_Gbps: found "NaN", expected an integer in [1, 100000]`},
		{change("Radix_Down 8", "Radix_Down 16"), "Radix_Down of Tier 2: found 16, expected 8"},
		{change("Radix_Down 8", "Radix_Down 8\nRadix_Up 8"), "found Radix_Up of the highest tier"},
		{change("Radix_Down 8", "Radix_Down 8\nSwitch_Latency_ns 5"), "Switch_Latency_ns"},
		{change("Oversubscribed 1", "Oversubscribed 2"), "Oversubscribed: found 2, expected 1: 1600 Gb/s down over 1600 Gb/s up"},
		{good[:strings.LastIndex(good, "Bundle 1")] + "Bundle 2", "Radix_Down of Tier 2: found 8, expected 16"},
		{good[:strings.LastIndex(good, "Bundle 1")] + "Bundle 3", "CoreCablesPerPair (3) must divide UplinksPerAgg (4)"},
		{change("Oversubscribed 1", "Queue_up 5"), "line 7: found Queue_up, which this program does not read: --queue and --last-hop-queue"},
		{change("Oversubscribed 1", "QUEUE_DOWN 5"), "line 7: found QUEUE_DOWN, which this program does not read: --queue"},
		{change("Oversubscribed 1", "Queue 5"), `found "Queue", expected Tier, Downlink_speed_Gbps`},
		{strings.Repeat("#\n", maxIdleLines+1), "more than 65536 empty lines and comments"},
	}
}

func TestReadTopologyErrors(t *testing.T) {
	for _, c := range topologyErrors(t) {
		_, err := ReadTopology(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200q: error %v, want %q", c.text, err, c.want)
		}
	}
}
