package traffic

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// ignore ignores a warning.
func ignore(string) {}

// TestNS3Files: the files of the public simulator are a switch with 65 hosts, node 0, and two flows to node 1. Both
// have more flows and links than they count, above notes: a warning says so.
func TestNS3Files(t *testing.T) {
	var warnings []string
	warn := func(text string) { warnings = append(warnings, text) }
	tree, nodes, err := ReadNS3Topology(bytes.NewReader(shipped(t, "ns3_topology.txt")), warn)
	link := fattree.Link{Gbps: 100, LatencyNs: 1000}
	want := topology.FatTree{Hosts: 65, HostsPerToR: 65, UplinksPerToR: 1, Access: link, Fabric: link}.WithDefaults()
	want.ToRsPerPod, want.UplinksPerAgg = tree.ToRsPerPod, tree.UplinksPerAgg // of no effect
	if err != nil || tree != want || len(nodes) != 65 || nodes[0] != 1 || nodes[64] != 65 {
		t.Fatalf("%+v, nodes %v, error %v, want %+v", tree, nodes, err, want)
	}
	w, err := ReadNS3Flows(bytes.NewReader(shipped(t, "ns3_flow.txt")), warn)
	if err == nil {
		w, err = OnHosts(w, nodes)
	}
	flows := []fattree.Flow{fattree.NewFlow(1, 0, 200_000_000, 2e12), fattree.NewFlow(2, 0, 200_000_000, 2e12)}
	if err != nil || !reflect.DeepEqual(w.Flows, flows) {
		t.Errorf("%+v, error %v, want %+v", w.Flows, err, flows)
	}
	if want := []string{"line 68: found 191 more links than the first line says (65): they are left out",
		"line 4: found 254 more flows than the first line says (2): they are left out"}; !slices.Equal(warnings, want) {
		t.Errorf("warnings %q, want %q", warnings, want)
	}
}

// TestNS3OtherColumns: lists without a count, with more flows than they count, and with other columns are errors,
// never other flows. So are links beyond the count.
func TestNS3OtherColumns(t *testing.T) {
	const columns = "; the columns are source, destination, priority, port (or none), bytes and seconds"
	for text, want := range map[string]string{
		string(shipped(t, "ns3_no_count.txt")):                "traffic: line 1: found 6 words, expected one number, the number of flows",
		string(shipped(t, "ns3_mode_column.txt")):             `line 2: port: found "65536", expected an integer in [0, 65535]` + columns,
		string(shipped(t, "ns3_more_than_count.txt")):         "traffic: line 3: found 2 more flows than the first line says (1)",
		"1\n4 8 3 8192 1 1\n":                                 "traffic: found flows of at most 1 bytes, expected one of 64 or more" + columns, // start and mode
		"2\n0 8 3 8192 2.006 2\n1 9 3 65536 2.006 1\n":        `line 2: bytes: found "2.006", expected an integer` + columns,                   // start and mode
		"2\n2 1 3 10000000 2.0 9.5\n3 1 3 10000000 2.0 9.5\n": `line 2: port: found "10000000"` + columns,                                      // packets, start, stop
		"2\n2 1 3 1000 2 9\n3 1 3 2000 2 9\n":                 "found flows of at most 2 bytes" + columns,                                      // the same
		"1\n0 5 1000000 2000\n":                               "line 2: found 4 words, expected 6, or 5 in all lines" + columns,                // opera-sim: bytes and ns
		"1\n0 0 0 1 0 8 0 3 131072 2000000000 2\n":            "line 2: found 11 words, expected 6, or 5 in all lines" + columns,               // several network cards
		"1\n2 1 3 100 200000 2000000001\n":                    `line 2: seconds: found "2000000001", expected a number in [0, 60]` + columns,   // ns
		"1\n2 1 3 200000 100\n":                               `line 2: seconds: found "100", expected a number in [0, 60]` + columns,          // bytes and seconds missing
		"1\n2 1 3 100 200000.0 2\n":                           `line 2: bytes: found "200000.0", expected an integer` + columns,
		"1\n2 1 8 100 200000 2\n":                             `line 2: priority: found "8", expected an integer in [0, 7]` + columns,
		"1\n2 1 x 100 200000 2\n":                             `line 2: priority: found "x"` + columns,
		"1\n2 1 3 -1 200000 2\n":                              `line 2: port: found "-1"` + columns,
		"1\n2 1 3 100 200000 2\n-3 1 3 100 200000 2\n":        "line 3: found 1 more flows than the first line says (1)",
		"1\n2 1 3 100 200000 2\n.5\n":                         "line 3: found 1 more flows",
		"2 2\n2 1 3 100 200000 2\n":                           "line 1: found 2 words, expected one number",
		"2 flows\n2 1 3 100 200000 2\n":                       "line 1: found 2 words, expected one number",
	} {
		if w, err := ReadNS3Flows(strings.NewReader(text), ignore); err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(want, columns)) || strings.HasSuffix(want, columns) && !strings.HasSuffix(err.Error(), columns) {
			t.Errorf("%q: %+v, error %v, want %q", text, w.Flows, err, want)
		}
	}
	const links = "3 1 1\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n"
	if _, _, err := ReadNS3Topology(strings.NewReader(links), ignore); err == nil || !strings.Contains(err.Error(), "line 4: found 1 more links than the first line says (1)") {
		t.Errorf("error %v", err)
	}
}

// TestNS3Doubts: bytes and seconds that are likely in another unit are read with a warning. The bounds are the size
// of a packet and a second.
func TestNS3Doubts(t *testing.T) {
	const text = "2\n2 1 3 100 %d 2\n3 1 3 100 8000 %v\n"
	for _, c := range []struct {
		bytes int
		start float64
		want  string
	}{
		{192, 3, ""}, {191, 3, "flows have 4096 bytes on average; the columns are source"},
		{64, 2, "flows have 4032 bytes on average"}, {192, 3.001, "flows start within 1.001 s; the columns are"},
		{7999, 2, "flows have 8000 bytes on average; the columns are source"}, {8000, 2, ""}, // bytes that rise as ports
		{1_999_992_000, 2, ""}, {1_999_992_002, 2, "flows have 1e+09 bytes on average; the columns are source"},
	} {
		var warnings []string
		_, err := ReadNS3Flows(strings.NewReader(fmt.Sprintf(text, c.bytes, c.start)), func(text string) { warnings = append(warnings, text) })
		if got := strings.Join(warnings, " "); err != nil || !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: warnings %q, error %v", c, got, err)
		}
	}
	if w, err := ReadNS3Flows(strings.NewReader("1\n1 2 3 63 0\n"), ignore); err == nil {
		t.Errorf("flows %+v of 63 bytes", w.Flows)
	}
	if w, err := ReadNS3Flows(strings.NewReader("1\n1 2 7 65535 64 60\n"), ignore); err != nil || w.Flows[0].Start != 60e12 {
		t.Errorf("flows %+v, error %v", w.Flows, err)
	}
}

// TestNS3Descendants: the first lines of PowerTCP's and Reverie's topologies and their rates in bit/s are read, and
// checked. SimAI's has a message of its own.
func TestNS3Descendants(t *testing.T) {
	tree, nodes, err := ReadNS3Topology(bytes.NewReader(shipped(t, "powertcp_topology.txt")), ignore)
	if err != nil || tree.Hosts != 4 || tree.Access != (fattree.Link{Gbps: 25, LatencyNs: 1000}) || !slices.Equal(nodes, []int{0, 1, 2, 3}) {
		t.Errorf("%+v, nodes %v, error %v", tree, nodes, err)
	}
	const leaves = "0 4 25000000000 2us 0\n1 4 25000000000 2us 0\n2 5 25000000000 2us 0\n3 5 25000000000 2us 0\n" +
		"4 6 40000000000 1us 0\n4 7 40000000000 1us 0\n5 6 40000000000 1us 0\n5 7 40000000000 1us 0\n"
	for head, want := range map[string]string{
		"8 4 2 8 25000000000 40000000000": "", "8 4 2 8": "", "8 4 8": "",
		"8 4 3 8":          "traffic: first line: found 3 ToRs, expected 2, the switches with hosts",
		"8 4 2 8 25":       "line 1: found 5 words, expected nodes, switches and links; or nodes, switches, ToRs and links, as PowerTCP has them; or these four",
		"32 8 4 8 64 A100": "line 1: found 6 words, as SimAI has them (nodes, GPUs of a server, NVSwitches, switches, links, GPU), expected nodes, switches and links",
		"8 0 2 8":          `line 1: switches: found "0"`, "8 4 0 8": `line 1: ToRs: found "0"`, "8 4 2 0": `line 1: links: found "0"`,
	} {
		tree, _, err := ReadNS3Topology(strings.NewReader(head+"\n4 5 6 7\n"+leaves), ignore)
		if want == "" && (err != nil || tree.Hosts != 4 || tree.Access.Gbps != 25 || tree.Fabric != (fattree.Link{Gbps: 40, LatencyNs: 1000})) {
			t.Errorf("%q: %+v, error %v", head, tree, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: error %v, want %q", head, err, want)
		}
	}
	slow := "3 1 2\n0\n0 1 999999999 1us 0\n0 2 999999999 1us 0\n"
	if _, _, err := ReadNS3Topology(strings.NewReader(slow), ignore); err == nil || !strings.Contains(err.Error(), "line 3: found \"999999999\" and \"1us\", expected a rate such as 100Gbps or 25000000000 (in bit/s), of at least 1 Gb/s") {
		t.Errorf("error %v", err)
	}
}

// TestNS3Misfits: the error about a network that is no tree names what differs first: the hosts' links, links within a
// tier, then the numbers of links of two switches.
func TestNS3Misfits(t *testing.T) {
	text := func(head, switches string, pairs ...string) string {
		return head + "\n" + switches + "\n" + strings.Join(pairs, " 100Gbps 1us 0\n") + " 100Gbps 1us 0\n"
	}
	for file, want := range map[string]string{
		string(shipped(t, "unequal_topology.txt")):                                                      "switch 4 has 3 hosts, switch 5 has 1",
		string(shipped(t, "twonics_topology.txt")):                                                      "host 0 has links to 2 switches; --planes describes several",
		text("3 1 3", "2", "0 2", "0 2", "1 2"):                                                         "host 0 has 2 links up, host 1 has 1",
		text("3 1 2", "2", "0 2", "0 1"):                                                                "host 0 and host 1 of one tier are linked",
		text("6 2 5", "4 5", "0 4", "1 4", "2 5", "3 5", "4 5"):                                         "switch 4 and switch 5 of one tier are linked", // a dumbbell
		text("6 4 6", "2 3 4 5", "0 2", "1 3", "2 4", "3 4", "2 5", "2 5"):                              "switch 2 has 3 links up, switch 3 has 1",
		text("7 5 7", "2 3 4 5 6", "0 2", "1 3", "2 4", "3 4", "2 5", "3 6", "3 6"):                     "switch 2 has 2 links up, switch 3 has 3",
		text("8 4 10", "4 5 6 7", "0 4", "1 4", "2 5", "3 5", "4 6", "4 6", "4 7", "5 6", "5 7", "5 7"): "switch 4 has 2 links to switch 6, expected 1 by the other links",
		text("8 4 8", "4 5 6 7", "0 4", "1 4", "2 5", "3 5", "4 6", "4 6", "5 6", "5 7"):                "switch 6 has 3 links down, switch 7 has 1",
		text("13 9 16", "4 5 6 7 8 9 10 11 12", "0 4", "1 5", "2 6", "3 7", "4 8", "4 9", "5 8", "5 9", "6 10", "6 11", "7 10", "7 11", // PowerTCP's topology.txt
			"8 12", "9 12", "10 12", "11 12"): "switch 9 and another switch of its pod have links to switch 12, but each has its own switches above it here",
		text("2 0 1", "", "0 1"): "switches: found",
	} {
		if tree, _, err := ReadNS3Topology(strings.NewReader(file), ignore); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s%+v, error %v, want %q", file, tree, err, want)
		}
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
		got, hosts, err := ReadNS3Topology(strings.NewReader(text), ignore)
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
		if _, _, err := ReadNS3Topology(strings.NewReader(text), ignore); err == nil || !strings.Contains(err.Error(), "traffic: no folded Clos of equal tiers: ") {
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
	if _, _, err := ReadNS3Topology(strings.NewReader(good), ignore); err != nil {
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
		change("1us 0", "1 0"):               `line 3: found "100Gbps" and "1", expected a rate such as 100Gbps or 25000000000 (in bit/s), of at least 1 Gb/s, and a delay such as 1us, above 0`,
		change("100Gbps", "100G"):            `found "100G"`,
		change("100Gbps", "NaNGbps"):         `found "NaNGbps"`,
		change("1us", "0us"):                 `and "0us", expected`,
		change("4 1 3", "4 1 4"):             "found 3 links in 5 lines",
		change("4 1 3", "5 1 3"):             "tiers: node 4 has no link",
		change("0 2 100Gbps", "0 2 40Gbps"):  "traffic: no folded Clos of equal tiers: the link of host 2 to switch 0 has 40 Gb/s and 1000 ns, others of its tier 100 Gb/s and 1000 ns",
		"33000000 1 1\n0\n0 1 1Gbps 1us 0\n": "tiers: node 2 has no link",
		change("0 3", "1 3"):                 "tiers: host 1 and host 3 of one tier are linked",
		"2 2 1\n0 1\n0 1 1Gbps 1us 0\n":      "tiers: switch 0 must be at most 3 links away from the nearest host",
		"4 2 3\n0 1\n0 2 1Gbps 1us 0\n1 3 1Gbps 1us 0\n0 1 1Gbps 1us 0\n": "tiers: switch 0 and switch 1 of one tier are linked",
	} {
		if _, _, err := ReadNS3Topology(strings.NewReader(text), ignore); err == nil || !strings.Contains(err.Error(), want) {
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
		if _, err := ReadNS3Flows(strings.NewReader(text), ignore); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	w, err := ReadNS3Flows(strings.NewReader("\ufeff1\r\n1 2 3 100 64 0.000000001\r\n...\n"), ignore)
	if err != nil || w.Flows[0] != fattree.NewFlow(1, 2, 64, 1000) {
		t.Errorf("%+v, error %v", w.Flows, err)
	}
	if _, err := OnHosts(w, []int{1, 3}); err == nil || !strings.Contains(err.Error(), "flow 0: node 2 is no host of the topology") {
		t.Errorf("error %v", err)
	}
}

// TestNS3PortInSomeLines: a line without bytes is not read as a line without a port.
func TestNS3PortInSomeLines(t *testing.T) {
	if _, err := ReadNS3Flows(strings.NewReader("2\n2 1 3 100 200000 2\n3 1 3 10000 2\n"), ignore); err == nil || !strings.Contains(err.Error(), "line 3: found 5 words, expected 6, or 5 in all lines") {
		t.Errorf("error %v", err)
	}
}
