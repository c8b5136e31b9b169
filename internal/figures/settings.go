package figures

import (
	"context"
	"fmt"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/claims"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/rows"
	"repslab/mc"
)

// settingsTree is an idle network.
type settingsTree struct {
	*fattree.Network
	rtt float64 // us, unloaded RTT across the tree
	bdp float64 // packets
	rto float64 // us
}

// newSettingsTree builds a network.
func newSettingsTree(spec fattree.Spec) (settingsTree, error) {
	n, err := fixed(spec)(traffic.Tornado(treeOf(spec).Hosts, traffic.Message{Bytes: 1}))(0, 0)
	if err != nil {
		return settingsTree{}, err
	}
	rtt := float64(n.LongestRTT())
	return settingsTree{n, rtt / microseconds, rtt / float64(n.SlotTime()), float64(transport.OptionsOn(n).RTO) / microseconds}, nil
}

// settings compares the paper's description of its simulations with the defaults of the network model, and lists
// the claims that no model can show.
func settings(ctx context.Context, s engine.Settings) (engine.Output, error) {
	if ctx.Err() != nil {
		return engine.Output{}, ctx.Err()
	}
	const hosts = 128
	link := fattree.Link{LatencyNs: 500} // the paper's, like the packets and switches of the third tree
	var trees [3]settingsTree
	for i, spec := range []fattree.Spec{
		evsSpec(topology.FatTree{Hosts: hosts, Tiers: 2}),
		evsSpec(topology.FatTree{Hosts: hosts, Tiers: 3}),
		{MTU: 4096, Topology: topology.FatTree{Hosts: hosts, Tiers: 3, Access: link, Fabric: link, Core: link,
			SwitchLatencyNs: 500}},
	} {
		var err error
		if trees[i], err = newSettingsTree(spec); err != nil {
			return engine.Output{}, err
		}
	}
	built, err := settingsBuilt()
	if err != nil {
		return engine.Output{}, err
	}
	gap, paths, err := settingsBalancers(trees[0].Network)
	if err != nil {
		return engine.Output{}, err
	}
	return engine.Output{
		Tables:   []frame.Table{settingsTable(trees[0], trees[1])},
		Formats:  []rows.Format{rows.Markdown, rows.LaTeX},
		Notes:    notes(nil, "settings"),
		Findings: settingsFindings(trees, built, gap, paths),
	}, nil
}

// settingsTable lists the settings: the paper's, and the defaults for 2 and 3 tiers.
func settingsTable(two, three settingsTree) frame.Table {
	spec := two.Spec()
	link, queue := treeOf(spec).Fabric, float64(spec.Queue)
	var rows frame.Table
	for _, r := range [][4]string{
		{"packet, bytes", "4096", "4150, of which 4086 payload",
			fmt.Sprintf("%d, of which %d payload", spec.MTU, spec.PayloadBytes())},
		{"link rate, Gb/s", "400", "400", fmt.Sprint(link.Gbps)},
		{"link latency, ns", "500", "1000", fmt.Sprint(link.LatencyNs)},
		{"switch latency, ns", "500", "0", fmt.Sprint(treeOf(spec).SwitchLatencyNs)},
		{"unloaded RTT across 2 / 3 tiers, µs", "", "8.34 / 12.51", fmt.Sprintf("%.2f / %.2f", two.rtt, three.rtt)},
		{"queue, packets", "one bandwidth-delay product", "100 or 101", fmt.Sprint(spec.Queue)},
		{"KMin / KMax, part of the queue", "0.2 / 0.8", "0.25 / 0.76, in 4 figures 0.2 / 0.8",
			fmt.Sprintf("%.2g / %.2g", float64(spec.KMin)/queue, float64(spec.KMax)/queue)},
		{"RTO of 2 / 3 tiers, µs", "70", "41.5 / 45.7", fmt.Sprintf("%.1f / %.1f", two.rto, three.rto)},
		{"trimming", "off", "on in all but 3 figures", map[bool]string{false: "on", true: "off"}[spec.DisableTrimming]},
		{"initial window, packets", "", "151", fmt.Sprint(transport.LongestWindow(two.Plan()))},
	} {
		rows.Add(cells{{"setting", r[0]}, {"paper", r[1]}, {"authors_simulator", r[2]}, {"model_default", r[3]}})
	}
	return rows
}

// settingsBuilt builds trees of the shapes that the paper names, and describes them.
func settingsBuilt() (string, error) {
	var built []string
	for _, tiers := range []int{2, 3} {
		for _, hosts := range []int{128, 1024} {
			radix := topology.DefaultRadix(hosts, tiers)
			for _, factor := range []int{1, 2, 4} {
				tree := topology.FatTree{Hosts: hosts, Tiers: tiers, HostsPerToR: radix,
					UplinksPerToR: radix / factor, ToRsPerPod: radix}
				if _, err := newSettingsTree(fattree.Spec{Topology: tree}); err != nil {
					return "", err
				}
				built = append(built, fmt.Sprintf("%d hosts, %d tiers, %d:1", hosts, tiers, factor))
			}
		}
	}
	return fmt.Sprintf("%d trees, from %s to %s", len(built), built[0], built[len(built)-1]), nil
}

// settingsBalancers measures after what fraction of an RTT without feedback a flowlet ends, and on how many EVs
// the MPTCP-like balancer sends.
func settingsBalancers(n *fattree.Network) (gap float64, paths int, err error) {
	streams := fattree.NewStreams(1, 0)
	lets, err := lb("flowlet").open(fullEVS)
	if err != nil {
		return 0, 0, err
	}
	lets.Reset(n, streams.Balancer())
	now := fattree.Picoseconds(0)
	for kept := true; kept; now += 1000 {
		_, kept = lets.NextEV(0, now)
	}
	subflows, err := lb("mptcp").open(fullEVS)
	if err != nil {
		return 0, 0, err
	}
	subflows.Reset(n, streams.Balancer())
	evs := map[uint16]bool{}
	for range 1000 {
		ev, _ := subflows.NextEV(0, 0)
		evs[ev] = true
	}
	return float64(now) / float64(n.BaseRTT(0)), len(evs), nil
}

// settingsFindings grades the claims.
func settingsFindings(trees [3]settingsTree, built string, gap float64, paths int) []claims.Finding {
	two, three, words := trees[0], trees[1], trees[2]
	spec := two.Spec()
	t := treeOf(spec)
	kmin, kmax, size := float64(spec.KMin)/two.bdp, float64(spec.KMax)/two.bdp, float64(spec.Queue)/two.bdp
	const onPath = 5 // queues on the longest path in 3 tiers
	bySentence := words.rtt * (1 + onPath)
	const connections, ring, bytes = 256, 8, 2
	window := transport.Window{Packets: 20, Most: 40}
	dctcp().Lose(&window, transport.Loss{})
	cut := 20 - window.Packets
	const differ = "the model's defaults are the authors'"
	return []claims.Finding{
		claims.LeftOut("N003", "not modelled", "the cost of failures is cited from others"),
		claims.InWords("N019", built != "", built, "the model builds all of these"),
		claims.LeftOut("N020",
			fmt.Sprintf("payload %d bytes, %v Gb/s, switches %v ns, links %v ns", spec.PayloadBytes(), t.Fabric.Gbps,
				t.SwitchLatencyNs, t.Fabric.LatencyNs),
			fmt.Sprintf("%s; the RTT of 2 tiers is %.2f µs, by the paper's text 7.3 µs", differ, two.rtt)),
		claims.LeftOut("N021",
			fmt.Sprintf("%.1f µs with 2 tiers, %.1f µs with 3", two.rto, three.rto),
			fmt.Sprintf("%s, the RTT and four full queues; with the text's latencies and every queue full it is %.1f µs "+
				"for 3 tiers", differ, bySentence)),
		claims.LeftOut("N022",
			fmt.Sprintf("KMin %.1f %%, KMax %.1f %%, queue %.1f %% of a bandwidth-delay product of 2 tiers", 100*kmin,
				100*kmax, 100*size), differ+" of most figures"),
		claims.InWords("N023", claims.Within("N023", "gap", gap) && claims.Within("N023", "paths", float64(paths)),
			fmt.Sprintf("gap %.2f RTT, %d paths", gap, paths),
			"as in the authors' simulator the gap is between arriving ACKs and MPTCP has one window for its 8 EVs"),
		claims.Exactly("N024", "bytes", connections*ring*bytes,
			fmt.Sprintf("%d bytes", connections*ring*bytes),
			fmt.Sprintf("%d connections with %d entries of %d bytes; the logic of a NIC is not modelled", connections, ring,
				bytes)),
		claims.InWords("N112", claims.Within("N112", "packets", cut), fmt.Sprintf("%.0f packet", cut), "the DCTCP variant of the authors' simulator"),
		settingsRerun(claims.Claims()),
		claims.LeftOut("N092", "not modelled", "the README's times are "+claims.Find("N092").AuthorsValue()),
	}
}

// settingsRerun grades how many of the paper's numbers the authors' scripts give when they are run again.
func settingsRerun(list []claims.Claim) claims.Finding {
	rerun := lists.Where(list, func(c claims.Claim) bool {
		return c.Number != nil && c.Main >= 0 && c.Says != claims.TooFew && c.Witness[c.Main].Basis == "artifact-script"
	})
	agree := lists.Where(rerun, func(c claims.Claim) bool { return c.Says == claims.Agrees })
	share := mc.Proportion(uint64(len(agree)), uint64(len(rerun)), mc.DefaultConfidence).Per(0.01)
	return claims.Judged("N113", claims.Met("N113", "share", share).Condition, fmt.Sprintf("%d of %d numbers agree", len(agree), len(rerun)),
		fmt.Sprintf("as of a sample %.0f to %.0f %%; numbers in the text, not figures; others have too few seeds to tell, or no script", share.Lo, share.Hi))
}
