package traffic

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"repslab/fattree"
)

// WriteTopology writes t, with defaults applied, in htsim's .topo format. t must be valid and
// have two or three tiers, and as the format requires, whole rates in Gb/s, whole latencies
// in nanoseconds and whole oversubscription ratios.
func WriteTopology(w io.Writer, t fattree.Topology) error {
	t = t.WithDefaults()
	if err := t.Validate(); err != nil {
		return err
	}
	if t.Tiers < 2 {
		return fmt.Errorf("traffic: Tiers (%d) must be 2 or 3 in a topology file", t.Tiers)
	}
	var errs []error
	whole := func(name string, v float64) int64 {
		if v != math.Trunc(v) {
			errs = append(errs, fmt.Errorf("traffic: %s (%v) must be a whole number in a topology file", name, v))
		}
		return int64(v)
	}
	links := []fattree.Link{t.Access, t.Fabric, t.Core}[:t.Tiers]
	down, up, podHosts := []int{t.HostsPerToR, t.ToRs() * t.CablesPerPair}, []int{t.UplinksPerToR}, t.Hosts
	if t.Tiers == 3 {
		down, up = []int{t.HostsPerToR, t.ToRsPerPod * t.CablesPerPair, t.Pods()}, []int{t.UplinksPerToR, t.UplinksPerAgg}
		podHosts = t.ToRsPerPod * t.HostsPerToR
	}
	var text strings.Builder
	fmt.Fprintf(&text, "Nodes %d\nTiers %d\nPodsize %d\n", t.Hosts, t.Tiers, podHosts)
	for i, link := range links {
		fmt.Fprintf(&text, "\nTier %d\nDownlink_speed_Gbps %d\nRadix_Down %d\n", i, whole("Gbps", link.Gbps), down[i])
		if i < len(up) {
			fmt.Fprintf(&text, "Radix_Up %d\n", up[i])
		}
		fmt.Fprintf(&text, "Downlink_Latency_ns %d\nSwitch_Latency_ns %d\n", whole("LatencyNs", link.LatencyNs), whole("SwitchLatencyNs", t.SwitchLatencyNs))
		if i < len(up) {
			ratio := float64(down[i]) * link.Gbps / (float64(up[i]) * links[i+1].Gbps)
			fmt.Fprintf(&text, "Oversubscribed %d\n", whole("oversubscription", ratio))
		}
		if i == 1 {
			fmt.Fprintf(&text, "Bundle %d\n", t.CablesPerPair)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	_, err := io.WriteString(w, text.String())
	return err
}
