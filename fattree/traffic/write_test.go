package traffic

import (
	"fmt"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
)

// writtenFlows returns a workload in htsim's .cm format, with flows and triggers numbered from
// 1 in their order. Flows started by a trigger must have Start 0: the format has no delay.
func writtenFlows(hosts int, workload fattree.Workload) string {
	connected := slices.ContainsFunc(workload.Flows, func(f fattree.Flow) bool { return f.Connection > 0 })
	var out strings.Builder
	fmt.Fprintf(&out, "Nodes %d\nConnections %d\n", hosts, len(workload.Flows))
	if len(workload.Triggers) > 0 {
		fmt.Fprintf(&out, "Triggers %d\n", len(workload.Triggers))
	}
	for i, f := range workload.Flows {
		id := fmt.Sprintf("id %d", i+1)
		if f.Connection > 0 {
			id = fmt.Sprintf("msg id %d", f.Connection)
		} else if connected {
			id = "" // it could be the id of a connection
		}
		fmt.Fprintf(&out, "%d->%d %s ", f.Source, f.Destination, id)
		if f.StartedBy == fattree.NoTrigger {
			fmt.Fprintf(&out, "start %d", f.Start)
		} else {
			fmt.Fprintf(&out, "trigger %d", f.StartedBy)
		}
		fmt.Fprintf(&out, " size %d", f.Bytes)
		if f.Fires != fattree.NoTrigger {
			fmt.Fprintf(&out, " %s_done_trigger %d", map[bool]string{false: "send", true: "recv"}[f.FiresOnDelivery], f.Fires)
		}
		fmt.Fprintln(&out)
	}
	for i, t := range workload.Triggers {
		fmt.Fprintf(&out, "trigger id %d %s", i+1, kindNames()[t.Kind])
		if t.Kind == fattree.Barrier {
			fmt.Fprintf(&out, " count %d", t.Count)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

// writtenTopology returns a topology of two or three tiers in htsim's .topo format, without the line
// Oversubscribed if the ratio is not a whole number, as the format requires.
func writtenTopology(t topology.FatTree) string {
	t = t.WithDefaults()
	links := []fattree.Link{t.Access, t.Fabric, t.Core}[:t.Tiers]
	down, up, podHosts := []int{t.HostsPerToR, t.ToRs() * t.CablesPerPair}, []int{t.UplinksPerToR}, t.Hosts
	if t.Tiers == 3 {
		down, up = []int{t.HostsPerToR, t.ToRsPerPod * t.CablesPerPair, t.Pods() * t.CoreCablesPerPair}, []int{t.UplinksPerToR, t.UplinksPerAgg}
		podHosts = t.ToRsPerPod * t.HostsPerToR
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Nodes %d\nTiers %d\nPodsize %d\n", t.Hosts, t.Tiers, podHosts)
	for i, link := range links {
		fmt.Fprintf(&out, "\nTier %d\nDownlink_speed_Gbps %v\nRadix_Down %d\n", i, link.Gbps, down[i])
		if i < len(up) {
			fmt.Fprintf(&out, "Radix_Up %d\n", up[i])
		}
		fmt.Fprintf(&out, "Downlink_Latency_ns %v\nSwitch_Latency_ns %v\n", link.LatencyNs, t.SwitchLatencyNs)
		if i < len(up) {
			ratio := float64(down[i]) * link.Gbps / (float64(up[i]) * links[i+1].Gbps)
			if ratio == float64(int(ratio)) {
				fmt.Fprintf(&out, "Oversubscribed %.0f\n", ratio)
			}
		}
		if i > 0 {
			fmt.Fprintf(&out, "Bundle %d\n", []int{t.CablesPerPair, t.CoreCablesPerPair}[i-1])
		}
	}
	return out.String()
}
