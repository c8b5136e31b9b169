package traffic

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// TestNS3Files: the files of the public simulator are a switch with 65 hosts, node 0, and two flows to node 1.
func TestNS3Files(t *testing.T) {
	tree, nodes, err := ReadNS3Topology(bytes.NewReader(shipped(t, "ns3_topology.txt")))
	link := fattree.Link{Gbps: 100, LatencyNs: 1000}
	want := topology.FatTree{Hosts: 65, HostsPerToR: 65, UplinksPerToR: 1, Access: link, Fabric: link}.WithDefaults()
	want.ToRsPerPod, want.UplinksPerAgg = tree.ToRsPerPod, tree.UplinksPerAgg // of no effect
	if err != nil || tree != want || len(nodes) != 65 || nodes[0] != 1 || nodes[64] != 65 {
		t.Fatalf("%+v, nodes %v, error %v, want %+v", tree, nodes, err, want)
	}
	w, err := ReadNS3Flows(bytes.NewReader(shipped(t, "ns3_flow.txt")))
	if err == nil {
		w, err = OnHosts(w, nodes)
	}
	flows := []fattree.Flow{fattree.NewFlow(1, 0, 200_000_000, 2e12), fattree.NewFlow(2, 0, 200_000_000, 2e12)}
	if err != nil || !reflect.DeepEqual(w.Flows, flows) {
		t.Errorf("%+v, error %v, want %+v", w.Flows, err, flows)
	}
}

// link3 is a link of an ns-3 topology between nodes named by tier and number.
type link3 [2][2]int

// linksOf returns the links of a tree, from the ports of its switches.
func linksOf(tree topology.FatTree) (list []link3) {
	for host := range tree.Hosts {
		list = append(list, link3{{0, host}, {1, host / tree.HostsPerToR}})
	}
	aggs := tree.AggsPerPod()
	for tor := range tree.ToRs() {
		for up := range tree.UplinksPerToR {
			pod := 0
			if tree.Tiers == 3 {
				pod = tor / tree.ToRsPerPod
			}
			list = append(list, link3{{1, tor}, {2, pod*aggs + up/tree.CablesPerPair}})
		}
	}
	for agg := range tree.Pods() * aggs {
		for up := range tree.UplinksPerAgg {
			if tree.Tiers == 3 {
				list = append(list, link3{{2, agg}, {3, agg%aggs*tree.CoresPerAgg() + up/tree.CoreCablesPerPair}})
			}
		}
	}
	return list
}

// ns3Text returns an ns-3 topology with these links and nodes numbered in a random order, and the number
// of each host's node. class is the rate and delay of links by their lower tier.
func ns3Text(r *rand.Rand, links []link3, class [3]string) (text string, nodes map[int]int) {
	var names [][2]int
	seen := map[[2]int]bool{}
	for _, l := range links {
		for _, end := range l {
			if !seen[end] {
				seen[end], names = true, append(names, end)
			}
		}
	}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	number, nodes := map[[2]int]int{}, map[int]int{}
	var switches []string
	for i, name := range names {
		if number[name] = i; name[0] > 0 {
			switches = append(switches, fmt.Sprint(i))
		} else {
			nodes[name[1]] = i
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%d %d %d\n%s\n", len(names), len(switches), len(links), strings.Join(switches, " "))
	for _, i := range r.Perm(len(links)) {
		a, b := number[links[i][0]], number[links[i][1]]
		if r.IntN(2) == 0 {
			a, b = b, a
		}
		fmt.Fprintf(&out, "%d %d %s 0.000000\n", a, b, class[links[i][0][0]])
	}
	return out.String() + "First line: total node #, switch node #, link #\n", nodes
}

// ns3Trees are trees of all kinds.
func ns3Trees() []topology.FatTree {
	return []topology.FatTree{
		{Hosts: 16},
		{Hosts: 24, HostsPerToR: 4, UplinksPerToR: 6, CablesPerPair: 2},
		{Hosts: 16, Tiers: 3},
		{Hosts: 54, Tiers: 3},
		{Hosts: 48, Tiers: 3, HostsPerToR: 4, UplinksPerToR: 4, CablesPerPair: 2, ToRsPerPod: 3, UplinksPerAgg: 6, CoreCablesPerPair: 3},
		{Hosts: 320, Tiers: 3, HostsPerToR: 16, UplinksPerToR: 4, ToRsPerPod: 4, UplinksPerAgg: 4}, // HPCC's
	}
}

// TestNS3Trees: a tree is read as the same tree whatever the numbers of its nodes, and hosts of a ToR
// stay together. If a link leads elsewhere or is missing, the error names a node.
func TestNS3Trees(t *testing.T) {
	class := [3]string{"100Gbps 1us", "0.4Tbps 1500ns", "400000Mbps 0.002ms"}
	refused := 0
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		want := ns3Trees()[seed%6].WithDefaults()
		want.Access, want.Fabric = fattree.Link{Gbps: 100, LatencyNs: 1000}, fattree.Link{Gbps: 400, LatencyNs: 1500}
		if want.Tiers == 3 {
			want.Core = fattree.Link{Gbps: 400, LatencyNs: 2000}
		}
		links := linksOf(want)
		text, nodes := ns3Text(r, links, class)
		got, hosts, err := ReadNS3Topology(strings.NewReader(text))
		if want.Tiers == 2 { // of no effect
			want.ToRsPerPod, want.UplinksPerAgg = got.ToRsPerPod, got.UplinksPerAgg
		}
		if err != nil || got != want || len(hosts) != want.Hosts {
			t.Fatalf("seed %d: %+v, error %v, want %+v", seed, got, err, want)
		}
		place := map[int]int{}
		for i, node := range hosts {
			place[node] = i
		}
		for host := range want.Hosts {
			first := host / want.HostsPerToR * want.HostsPerToR
			if a, b := place[nodes[host]], place[nodes[first]]; a/want.HostsPerToR != b/want.HostsPerToR || want.Climb(0, fattree.Host(host)) != got.Climb(fattree.Host(place[nodes[0]]), fattree.Host(a)) {
				t.Fatalf("seed %d: host %d is %d, and its neighbour %d", seed, host, a, b)
			}
		}
		at := r.IntN(len(links))
		if l := &links[at]; seed%2 == 0 {
			links = append(links[:at], links[at+1:]...)
		} else if l[1][1] = l[1][1] ^ 1; l[0][0] > 0 && want.CablesPerPair*want.CoreCablesPerPair == 1 {
			links = append(links, link3{{0, want.Hosts}, {1, 0}})
		}
		text, _ = ns3Text(r, links, class)
		if _, _, err := ReadNS3Topology(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), "does not fit into a folded Clos of equal tiers: ") {
			t.Errorf("seed %d: error %v of\n%s", seed, err, text)
		} else {
			refused++
		}
	}
	if refused < 60 {
		t.Errorf("%d of 60 changed trees are refused", refused)
	}
}

// TestNS3Errors: errors name the fault.
func TestNS3Errors(t *testing.T) {
	const good = "4 1 3\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n"
	if _, _, err := ReadNS3Topology(strings.NewReader(good)); err != nil {
		t.Fatal(err)
	}
	change := func(old, replacement string) string { return strings.Replace(good, old, replacement, 1) }
	for text, want := range map[string]string{
		"":                                   "found 0 links in 0 lines",
		"4 1\n":                              "line 1: found 2 words, expected nodes, switches and links",
		"4 0 3\n":                            `line 1: switches: found "0"`,
		change("\n0\n", "\n0 1\n"):           "line 2: found 2 switches, expected 1",
		change("\n0\n", "\n4\n"):             `line 2: switch: found "4", expected an integer in [0, 3]`,
		change("0 1 100Gbps", "0 4 100Gbps"): `line 3: node: found "4"`,
		change("1us 0", "1us 0.01"):          `line 3: found error rate "0.01", expected 0: --failure`,
		change("1us 0", "1us"):               "line 3: found 4 words",
		change("1us 0", "1 0"):               `line 3: found "100Gbps" and "1", expected a rate such as 100Gbps and a delay such as 1us`,
		change("100Gbps", "100G"):            `found "100G"`,
		change("100Gbps", "NaNGbps"):         `found "NaNGbps"`,
		change("1us", "0us"):                 `and "0us", expected`,
		change("4 1 3", "4 1 4"):             "found 3 links in 5 lines",
		change("4 1 3", "5 1 3"):             "node 4 does not fit into a folded Clos of equal tiers: it has no link",
		change("0 2 100Gbps", "0 2 40Gbps"):  "node 2 does not fit into a folded Clos of equal tiers: its link to node 0 has 40 Gb/s and 1000 ns, others of its tier 100 Gb/s and 1000 ns",
		"33000000 1 1\n0\n0 1 1Gbps 1us 0\n": "node 2 does not fit into a folded Clos of equal tiers: it has no link",
		change("0 3", "1 3"):                 "node 3 does not fit into a folded Clos of equal tiers: it has 0 links to node 0 in place of 1",
		"2 2 1\n0 1\n0 1 1Gbps 1us 0\n":      "node 0 does not fit",
		"4 2 3\n0 1\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n0 1 1Gbps 1us 0\n": "node 0 does not fit into a folded Clos of equal tiers: it has 1 links to node 1 in place of 0",
	} {
		if _, _, err := ReadNS3Topology(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                        "found 0 flows in 0 lines, expected 0",
		"2\n1 2 3 100 5 0\n":      "found 1 flows in 2 lines, expected 2",
		"0\n":                     `line 1: flows: found "0"`,
		"1\n1 2 3 4\n":            "line 2: found 4 words",
		"1\n1 1 3 100 5 0\n":      "line 2: found a flow of node 1 to itself",
		"1\n1 2 3 100 0 0\n":      `line 2: bytes: found "0"`,
		"1\n1 2 3 100 5 -1\n":     `line 2: seconds: found "-1"`,
		"1\n-1 2 3 100 5 0\n":     `line 2: source: found "-1"`,
		"2\n1 2 3 5 0\n1 2 4 5 0": `line 3: priority: found "4", expected "3" as before`,
	} {
		if _, err := ReadNS3Flows(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	w, err := ReadNS3Flows(strings.NewReader("\ufeff1\r\n1 2 3 100 5 0.000000001\r\n...\n"))
	if err != nil || w.Flows[0] != fattree.NewFlow(1, 2, 5, 1000) {
		t.Errorf("%+v, error %v", w.Flows, err)
	}
	if _, err := OnHosts(w, []int{1, 3}); err == nil || !strings.Contains(err.Error(), "flow 0: node 2 is no host of the topology") {
		t.Errorf("error %v", err)
	}
}

// TestNS3PortInSomeLines: a line without bytes is not read as a line without a port.
func TestNS3PortInSomeLines(t *testing.T) {
	if _, err := ReadNS3Flows(strings.NewReader("2\n2 1 3 100 200000 2\n3 1 3 10000 2\n")); err == nil || !strings.Contains(err.Error(), "line 3: found 5 words, expected 6 as before") {
		t.Errorf("error %v", err)
	}
}
