package traffic

import (
	"fmt"
	"io"
	"math"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/lines"
)

// Limits of the numbers in a topology's text, in addition to the limits of topology.FatTree.
const (
	maxGbps      = 100_000
	maxLatencyNs = 1_000_000
)

// number is a number in a topology's text and its line, which is 0 if the number is not given.
type number struct {
	value int64
	line  int
}

// section holds the numbers of the header or of a tier by their keys in lower case.
type section map[string]number

// topologyReader is the part of a topology's text read so far.
type topologyReader struct {
	*lines.Reader
	header  section
	tier    [3]section // nil before its line; key "tier" has its line
	current int64      // the tier being read; -1 before the first
}

// limits are the least and the largest value of a key.
type limits struct{ least, most int64 }

// headerLimits returns the limits of the header's keys.
func headerLimits() map[string]limits {
	return map[string]limits{"nodes": {1, fattree.MaxHosts}, "tiers": {2, 3}, "podsize": {1, fattree.MaxHosts}}
}

// tierLimits returns the limits of a tier's keys.
func tierLimits() map[string]limits {
	return map[string]limits{
		"downlink_speed_gbps": {1, maxGbps},
		"radix_down":          {1, fattree.MaxHosts},
		"radix_up":            {1, topology.MaxUplinks},
		"downlink_latency_ns": {1, maxLatencyNs},
		"switch_latency_ns":   {0, maxLatencyNs},
		"oversubscribed":      {1, math.MaxInt32},
		"bundle":              {1, topology.MaxUplinks},
	}
}

// ReadTopology returns the topology of a file in htsim's .topo format, valid and with
// defaults applied. Errors in the text name the line, the words found and those expected.
// O(lines).
func ReadTopology(r io.Reader) (topology.FatTree, error) {
	p := &topologyReader{Reader: lines.New(r, textFormat()), header: section{}, current: -1}
	if err := p.Each(p.line); err != nil {
		return topology.FatTree{}, err
	}
	if err := p.complete(); err != nil {
		return topology.FatTree{}, err
	}
	t := p.topology()
	if err := t.Validate(); err != nil {
		return topology.FatTree{}, err
	}
	if err := p.consistent(t); err != nil {
		return topology.FatTree{}, err
	}
	return t, nil
}

// line reads a key and its number.
func (p *topologyReader) line(words []string) error {
	key := strings.ToLower(words[0])
	if _, begins := headerLimits()[key]; !begins && key != "tier" && len(p.header) == 0 {
		return p.Wrong("found %s, expected Nodes, Tiers, Podsize or Tier: the file does not begin as a .topo file of htsim", lines.Quote(words[0]))
	}
	word, err := p.ValueOf(words)
	if err != nil {
		return err
	}
	if key == "tier" {
		return p.beginTier(word)
	}
	into, allowed, keys := p.header, headerLimits(), "Nodes, Tiers, Podsize or Tier"
	if p.current >= 0 {
		into, allowed = p.tier[p.current], tierLimits()
		keys = "Tier, Downlink_speed_Gbps, Radix_Down, Radix_Up, Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed or Bundle"
	}
	limit, known := allowed[key]
	before := into[key]
	switch {
	case strings.EqualFold(key, "Queue_Up") || strings.EqualFold(key, "Queue_Down"):
		return p.Wrong("found %s, which this program does not read: --queue and --last-hop-queue set the queues, in packets", words[0])
	case !known:
		return p.Wrong("found %s, expected %s", lines.Quote(words[0]), keys)
	case key == "radix_up" && p.current == p.header["tiers"].value-1:
		return p.Wrong("found Radix_Up of the highest tier, which has no uplinks")
	case before.line != 0:
		return p.Wrong("%s was given in line %d", lines.Quote(words[0]), before.line)
	}
	v, err := p.Integer(words[0], word, limit.least, limit.most)
	into[key] = number{v, p.Number}
	return err
}

// headed reports whether the header is complete.
func (p *topologyReader) headed() bool { return len(p.header) == len(headerLimits()) }

// beginTier reads the line that begins a tier.
func (p *topologyReader) beginTier(word string) error {
	if !p.headed() {
		return p.Wrong("found Tier, expected Nodes, Tiers and Podsize before it")
	}
	tier, err := p.Integer("Tier", word, 0, p.header["tiers"].value-1)
	if err != nil {
		return err
	}
	if before := p.tier[tier]; before != nil {
		return p.Wrong("Tier %d began in line %d", tier, before["tier"].line)
	}
	p.current, p.tier[tier] = tier, section{"tier": {tier, p.Number}}
	return nil
}

// complete reports a missing part of the text.
func (p *topologyReader) complete() error {
	if !p.headed() {
		return fmt.Errorf("traffic: found no Nodes, Tiers or Podsize in %d lines, expected all three", p.Number)
	}
	tiers := int(p.header["tiers"].value)
	for i, tier := range p.tier[:tiers] {
		if tier == nil {
			return fmt.Errorf("traffic: found no Tier %d in %d lines, expected Tier 0 to %d", i, p.Number, tiers-1)
		}
		for _, key := range []string{"Downlink_speed_Gbps", "Radix_Down", "Radix_Up", "Downlink_Latency_ns"} {
			highest := key == "Radix_Up" && i == tiers-1
			if tier[strings.ToLower(key)].line == 0 && !highest {
				return fmt.Errorf("traffic: line %d: found no %s of Tier %d, expected one", tier["tier"].line, key, i)
			}
		}
	}
	return nil
}

// topology returns the topology of a complete text, valid or not.
func (p *topologyReader) topology() topology.FatTree {
	value := func(tier int, key string) int { return int(p.tier[tier][key].value) }
	link := func(tier int) fattree.Link {
		return fattree.Link{Gbps: float64(value(tier, "downlink_speed_gbps")), LatencyNs: float64(value(tier, "downlink_latency_ns"))}
	}
	t := topology.FatTree{
		Hosts: int(p.header["nodes"].value), Tiers: int(p.header["tiers"].value),
		HostsPerToR: value(0, "radix_down"), UplinksPerToR: value(0, "radix_up"),
		CablesPerPair: max(1, value(1, "bundle")),
		Access:        link(0), Fabric: link(1),
		SwitchLatencyNs: float64(value(0, "switch_latency_ns")),
	}
	if t.Tiers == 3 {
		t.ToRsPerPod = max(1, int(p.header["podsize"].value)/t.HostsPerToR)
		t.UplinksPerAgg = value(1, "radix_up")
		t.Core, t.CoreCablesPerPair = link(2), max(1, value(2, "bundle"))
	}
	return t.WithDefaults()
}

// consistent reports a line that contradicts the topology of the other lines, which must be valid.
func (p *topologyReader) consistent(t topology.FatTree) error {
	podHosts, below := int64(t.Hosts), int64(t.ToRs()) // below: ports down of a switch of tier 1
	if t.Tiers == 3 {
		podHosts, below = int64(t.ToRsPerPod*t.HostsPerToR), int64(t.ToRsPerPod)
	}
	below *= int64(t.CablesPerPair)
	latency := p.tier[0]["switch_latency_ns"].value
	for _, must := range []struct {
		key     string
		found   number
		correct int64
	}{
		{"Podsize", p.header["podsize"], podHosts},
		{"Bundle of Tier 0", p.tier[0]["bundle"], 1},
		{"Radix_Down of Tier 1", p.tier[1]["radix_down"], below},
		{"Radix_Down of Tier 2", p.tier[2]["radix_down"], int64(t.Pods() * t.CoreCablesPerPair)},
		{"Switch_Latency_ns of Tier 1", p.tier[1]["switch_latency_ns"], latency},
		{"Switch_Latency_ns of Tier 2", p.tier[2]["switch_latency_ns"], latency},
	} {
		if must.found.line != 0 && must.found.value != must.correct {
			return fmt.Errorf("traffic: line %d: %s: found %d, expected %d by the other lines", must.found.line, must.key, must.found.value, must.correct)
		}
	}
	for i, tier := range p.tier[:t.Tiers-1] {
		down := tier["radix_down"].value * tier["downlink_speed_gbps"].value
		up := tier["radix_up"].value * p.tier[i+1]["downlink_speed_gbps"].value
		if ratio := tier["oversubscribed"]; ratio.line != 0 && ratio.value*up != down {
			return fmt.Errorf("traffic: line %d: Oversubscribed: found %d, expected %v: %d Gb/s down over %d Gb/s up", ratio.line, ratio.value, float64(down)/float64(up), down, up)
		}
	}
	return nil
}
