package traffic

import (
	"fmt"
	"io"
	"math"
	"strings"

	"repslab/fattree"
)

// Limits of the numbers of a topology's text; those of fattree.Topology hold too.
const (
	maxGbps      = 100_000
	maxLatencyNs = 1_000_000
)

// tierText is what a topology's text says of a tier; 0 where it says nothing.
// Switch_Latency_ns may be said to be 0.
type tierText struct {
	line                                              int // of "Tier"
	gbps, radixDown, radixUp, latency, switchLatency  int64
	oversubscribed, bundle                            int64
	gbpsLine, downLine, upLine, latencyLine           int // 0 where not given
	switchLatencyLine, oversubscribedLine, bundleLine int
}

// topologyReader is a topology's text read so far.
type topologyReader struct {
	*lines
	nodes, tiers, podsize             int64
	nodesLine, tiersLine, podsizeLine int
	tier                              [3]tierText
	current                           *tierText // nil before the first tier
}

// ReadTopology returns the topology of a file in htsim's .topo format, with every
// field given a value and valid. Errors of the text name the line, what was found
// and what was expected. A file has a few dozen lines: time and memory are O(1)
// but for comments.
func ReadTopology(r io.Reader) (fattree.Topology, error) {
	p := &topologyReader{lines: newLines(r)}
	if err := p.each(p.line); err != nil {
		return fattree.Topology{}, err
	}
	if err := p.complete(); err != nil {
		return fattree.Topology{}, err
	}
	t := p.topology()
	if err := t.Validate(); err != nil {
		return fattree.Topology{}, err
	}
	if err := p.consistent(t); err != nil {
		return fattree.Topology{}, err
	}
	return t, nil
}

// line reads a key and its number.
func (p *topologyReader) line(words []string) error {
	word, err := p.valueOf(words)
	if err != nil {
		return err
	}
	key := strings.ToLower(words[0])
	if key == "tier" {
		return p.beginTier(word)
	}
	set := func(number *int64, line *int, least, most int64) error {
		if *line != 0 {
			return p.wrong("%s was given in line %d", quote(words[0]), *line)
		}
		*line = p.number
		*number, err = p.integer(words[0], word, least, most)
		return err
	}
	t := p.current
	if t == nil {
		switch key {
		case "nodes":
			return set(&p.nodes, &p.nodesLine, 1, fattree.MaxHosts)
		case "tiers":
			return set(&p.tiers, &p.tiersLine, 2, 3)
		case "podsize":
			return set(&p.podsize, &p.podsizeLine, 1, fattree.MaxHosts)
		}
		return p.wrong("found %s, expected Nodes, Tiers, Podsize or Tier", quote(words[0]))
	}
	switch key {
	case "downlink_speed_gbps":
		return set(&t.gbps, &t.gbpsLine, 1, maxGbps)
	case "radix_down":
		return set(&t.radixDown, &t.downLine, 1, fattree.MaxHosts)
	case "radix_up":
		if t == &p.tier[p.tiers-1] {
			return p.wrong("found Radix_Up of the highest tier, which has no uplinks")
		}
		return set(&t.radixUp, &t.upLine, 1, fattree.MaxUplinks)
	case "downlink_latency_ns":
		return set(&t.latency, &t.latencyLine, 1, maxLatencyNs)
	case "switch_latency_ns":
		return set(&t.switchLatency, &t.switchLatencyLine, 0, maxLatencyNs)
	case "oversubscribed":
		return set(&t.oversubscribed, &t.oversubscribedLine, 1, math.MaxInt32)
	case "bundle":
		return set(&t.bundle, &t.bundleLine, 1, fattree.MaxUplinks)
	}
	return p.wrong("found %s, expected Tier, Downlink_speed_Gbps, Radix_Down, Radix_Up, Downlink_Latency_ns, Switch_Latency_ns, Oversubscribed or Bundle", quote(words[0]))
}

// beginTier reads the line that begins a tier.
func (p *topologyReader) beginTier(word string) error {
	if p.nodes == 0 || p.tiers == 0 || p.podsize == 0 {
		return p.wrong("found Tier, expected Nodes, Tiers and Podsize before it")
	}
	tier, err := p.integer("Tier", word, 0, p.tiers-1)
	if err != nil {
		return err
	}
	p.current = &p.tier[tier]
	if p.current.line != 0 {
		return p.wrong("Tier %d began in line %d", tier, p.current.line)
	}
	p.current.line = p.number
	return nil
}

// complete reports what the text does not say.
func (p *topologyReader) complete() error {
	if p.nodes == 0 || p.tiers == 0 || p.podsize == 0 {
		return fmt.Errorf("traffic: found no Nodes, Tiers or Podsize in %d lines, expected all three", p.number)
	}
	for i := range int(p.tiers) {
		t := &p.tier[i]
		if t.line == 0 {
			return fmt.Errorf("traffic: found no Tier %d in %d lines, expected Tier 0 to %d", i, p.number, p.tiers-1)
		}
		missing := func(key string) error {
			return fmt.Errorf("traffic: line %d: found no %s of Tier %d, expected one", t.line, key, i)
		}
		switch {
		case t.gbps == 0:
			return missing("Downlink_speed_Gbps")
		case t.radixDown == 0:
			return missing("Radix_Down")
		case t.radixUp == 0 && i < int(p.tiers)-1:
			return missing("Radix_Up")
		case t.latency == 0:
			return missing("Downlink_Latency_ns")
		}
		t.bundle = max(1, t.bundle)
	}
	return nil
}

// topology returns what a complete text describes, valid or not.
func (p *topologyReader) topology() fattree.Topology {
	link := func(t tierText) fattree.Link {
		return fattree.Link{Gbps: float64(t.gbps), LatencyNs: float64(t.latency)}
	}
	t := fattree.Topology{
		Hosts: int(p.nodes), Tiers: int(p.tiers),
		HostsPerToR: int(p.tier[0].radixDown), UplinksPerToR: int(p.tier[0].radixUp),
		CablesPerPair: int(p.tier[1].bundle),
		Access:        link(p.tier[0]), Fabric: link(p.tier[1]),
		SwitchLatencyNs: float64(p.tier[0].switchLatency),
	}
	if p.tiers == 3 {
		t.ToRsPerPod = int(max(1, p.podsize/p.tier[0].radixDown))
		t.UplinksPerAgg = int(p.tier[1].radixUp)
		t.Core = link(p.tier[2])
	}
	return t.WithDefaults()
}

// consistent reports a line that contradicts the valid topology of the others.
func (p *topologyReader) consistent(t fattree.Topology) error {
	podHosts, below := int64(t.Hosts), int64(t.ToRs()) // below: cables of a switch of tier 1 downwards
	if t.Tiers == 3 {
		podHosts, below = int64(t.ToRsPerPod*t.HostsPerToR), int64(t.ToRsPerPod)
	}
	below *= int64(t.CablesPerPair)
	for _, must := range []struct {
		key            string
		line           int
		found, correct int64
	}{
		{"Podsize", p.podsizeLine, p.podsize, podHosts},
		{"Bundle of Tier 0", p.tier[0].bundleLine, p.tier[0].bundle, 1},
		{"Radix_Down of Tier 1", p.tier[1].downLine, p.tier[1].radixDown, below},
		{"Radix_Down of Tier 2", p.tier[2].downLine, p.tier[2].radixDown, int64(t.Pods())},
		{"Bundle of Tier 2", p.tier[2].bundleLine, p.tier[2].bundle, 1},
		{"Switch_Latency_ns of Tier 1", p.tier[1].switchLatencyLine, p.tier[1].switchLatency, p.tier[0].switchLatency},
		{"Switch_Latency_ns of Tier 2", p.tier[2].switchLatencyLine, p.tier[2].switchLatency, p.tier[0].switchLatency},
	} {
		if must.line != 0 && must.found != must.correct {
			return fmt.Errorf("traffic: line %d: %s: found %d, expected %d by the other lines", must.line, must.key, must.found, must.correct)
		}
	}
	for i := range t.Tiers - 1 {
		tier := p.tier[i]
		down, up := tier.radixDown*tier.gbps, tier.radixUp*p.tier[i+1].gbps
		if tier.oversubscribedLine != 0 && tier.oversubscribed*up != down {
			return fmt.Errorf("traffic: line %d: Oversubscribed: found %d, expected %v: %d Gb/s down over %d Gb/s up", tier.oversubscribedLine, tier.oversubscribed, float64(down)/float64(up), down, up)
		}
	}
	return nil
}
