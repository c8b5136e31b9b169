package traffic

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/internal/lines"
)

// IsNS3 reports whether a text is a flow list or topology of ns-3's RDMA simulators: it begins with a number, comments
// apart. It reads nothing.
func IsNS3(text *bufio.Reader) bool {
	start, _ := text.Peek(lines.MaxBytes)
	for line := range strings.Lines(string(start)) {
		if words := lines.Words(line); len(words) > 0 {
			return isDigits(words[0])
		}
	}
	return false
}

// ReadNS3Flows returns the flow list of ns-3's RDMA simulators: the number of flows, then a line for each, with
// source, destination, priority, in most files a port, bytes and start in seconds. Sources and destinations are the
// numbers of nodes, which [OnHosts] turns into hosts. Further lines are not read, and ports are not used; all
// priorities must be the same. Errors name the line. O(flows).
func ReadNS3Flows(r io.Reader) (w fattree.Workload, err error) {
	l, count, priority := lines.New(r, textFormat()), int64(-1), ""
	err = l.Each(func(words []string) (err error) {
		switch n := len(words); {
		case count < 0 && n == 1:
			count, err = l.Integer("flows", words[0], 1, fattree.MaxFlows)
			return err
		case count == int64(len(w.Flows)):
			return nil
		case n != 5 && n != 6:
			return l.Wrong("found %d words, expected source, destination, priority, port, bytes and seconds", n)
		}
		if priority == "" {
			priority = words[2]
		}
		if priority != words[2] {
			return l.Wrong("priority: found %s, expected %s as before: all flows have one in this model", lines.Quote(words[2]), priority)
		}
		f, err := ns3Flow(l, words)
		w.Flows = append(w.Flows, f)
		return err
	})
	if err == nil && count != int64(len(w.Flows)) {
		err = fmt.Errorf("traffic: found %d flows in %d lines, expected %d", len(w.Flows), l.Number, max(0, count))
	}
	return w, err
}

// ns3Flow reads the line of a flow.
func ns3Flow(l *lines.Reader, words []string) (f fattree.Flow, err error) {
	var numbers [3]int64
	last := len(words) - 1
	for i, of := range []struct {
		name, word  string
		least, most int64
	}{
		{"source", words[0], 0, fattree.MaxHosts}, {"destination", words[1], 0, fattree.MaxHosts}, {"bytes", words[last-1], 1, math.MaxInt64},
	} {
		if numbers[i], err = l.Integer(of.name, of.word, of.least, of.most); err != nil {
			return f, err
		}
	}
	if numbers[0] == numbers[1] {
		return f, l.Wrong("found a flow of node %d to itself, expected another destination", numbers[0])
	}
	seconds, err := number64(l, "seconds", words[last], 1e6)
	return fattree.NewFlow(fattree.Host(numbers[0]), fattree.Host(numbers[1]), numbers[2], fattree.Picoseconds(math.Round(1e12*seconds))), err
}

// OnHosts returns a workload whose sources and destinations are the numbers of nodes on the hosts of a topology: host i
// is nodes[i]. w stays as it is. O(flows + nodes).
func OnHosts(w fattree.Workload, nodes []int) (fattree.Workload, error) {
	hosts := make(map[fattree.Host]fattree.Host, len(nodes))
	for host, node := range nodes {
		hosts[fattree.Host(node)] = fattree.Host(host)
	}
	w.Flows = slices.Clone(w.Flows)
	for i := range w.Flows {
		for _, end := range []*fattree.Host{&w.Flows[i].Source, &w.Flows[i].Destination} {
			host, known := hosts[*end]
			if !known {
				return w, fmt.Errorf("traffic: flow %d: node %d is no host of the topology", i, *end)
			}
			*end = host
		}
	}
	return w, nil
}

// ns3Topology is a topology of ns-3 as far as it is read.
type ns3Topology struct {
	*lines.Reader
	counts   []int64      // nodes, switches, links; nil before the first line
	switches map[int]bool // by node; nil before the second line
	read     int64        // links
	ends     map[int][]ns3End
	level    []int // by node: hosts 0, ToRs 1, and so on
}

// ns3End is an end of a link: the node at the other one.
type ns3End struct {
	peer int
	link fattree.Link
}

// ReadNS3Topology returns the fat tree that a topology of ns-3's RDMA simulators describes, and the node of each host:
// the numbers of nodes, switches and links, the numbers of the switches, then a line for each link, with two nodes,
// rate, delay and error rate. Further lines are not read. The network must be a switch with hosts, or a folded Clos
// of two or three tiers, each of equal switches, as [topology.FatTree] is; the error names a node that does not fit.
// O(links).
func ReadNS3Topology(r io.Reader) (t topology.FatTree, nodes []int, err error) {
	format := textFormat()
	format.MaxBytes = 1 << 24 // all switches stand in one line
	p := &ns3Topology{Reader: lines.New(r, format)}
	if err := p.Each(p.line); err != nil {
		return t, nil, err
	}
	if p.switches == nil || p.read < p.counts[2] {
		return t, nil, fmt.Errorf("traffic: found %d links in %d lines, expected nodes, switches, links and as many lines of links", p.read, p.Number)
	}
	if err := p.setLevels(); err != nil {
		return t, nil, err
	}
	return p.fatTree()
}

// line reads a line.
func (p *ns3Topology) line(words []string) error {
	switch {
	case p.counts == nil && len(words) == 3:
		for i, name := range []string{"nodes", "switches", "links"} {
			count, err := p.Integer(name, words[i], 1, fattree.MaxPorts)
			if err != nil {
				return err
			}
			p.counts = append(p.counts, count)
		}
		return nil
	case p.counts == nil:
		return p.Wrong("found %d words, expected nodes, switches and links", len(words))
	case p.switches == nil:
		if int64(len(words)) != p.counts[1] {
			return p.Wrong("found %d switches, expected %d", len(words), p.counts[1])
		}
		p.switches, p.ends = map[int]bool{}, map[int][]ns3End{}
		for _, word := range words {
			node, err := p.Integer("switch", word, 0, p.counts[0]-1)
			if err != nil {
				return err
			}
			p.switches[int(node)] = true
		}
		return nil
	case p.read < p.counts[2]:
		p.read++
		return p.link(words)
	}
	return nil
}

// link reads the line of a link.
func (p *ns3Topology) link(words []string) error {
	if len(words) != 5 {
		return p.Wrong("found %d words, expected two nodes, rate, delay and error rate", len(words))
	}
	a, err := p.Integer("node", words[0], 0, p.counts[0]-1)
	if err != nil {
		return err
	}
	b, err := p.Integer("node", words[1], 0, p.counts[0]-1)
	if err != nil {
		return err
	}
	gbps, isRate := withUnit(words[2], map[string]float64{"bps": 1e-9, "kbps": 1e-6, "Kbps": 1e-6, "Mbps": 1e-3, "Gbps": 1, "Tbps": 1e3})
	ns, isDelay := withUnit(words[3], map[string]float64{"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9})
	errors, isNumber := withUnit(words[4], map[string]float64{"": 1})
	switch {
	case !isRate || !isDelay || gbps == 0 || ns == 0:
		return p.Wrong("found %s and %s, expected a rate such as 100Gbps and a delay such as 1us, above 0", lines.Quote(words[2]), lines.Quote(words[3]))
	case !isNumber || errors != 0:
		return p.Wrong("found error rate %s, expected 0: --failure describes what is lost", lines.Quote(words[4]))
	}
	link := fattree.Link{Gbps: gbps, LatencyNs: ns}
	p.ends[int(a)] = append(p.ends[int(a)], ns3End{int(b), link})
	p.ends[int(b)] = append(p.ends[int(b)], ns3End{int(a), link})
	return nil
}

// withUnit returns a number with a unit, by the sizes of units.
func withUnit(word string, sizes map[string]float64) (v float64, ok bool) {
	digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyzGKMT")
	size, known := sizes[word[len(digits):]]
	v, err := strconv.ParseFloat(digits, 64)
	return v * size, known && err == nil && v >= 0 && !math.IsInf(v*size, 0)
}

// setLevels sets the levels of nodes by their distance from hosts.
func (p *ns3Topology) setLevels() error {
	for node := 0; int64(node) < p.counts[0] && len(p.ends) < int(p.counts[0]); node++ {
		if p.ends[node] == nil {
			return p.misfit(node, "it has no link")
		}
	}
	p.level = slices.Repeat([]int{math.MaxInt}, len(p.ends))
	var reached []int
	for node := range p.level {
		if p.switches[node] {
			continue
		}
		if len(p.ends[node]) != 1 || !p.switches[p.ends[node][0].peer] {
			return p.misfit(node, "a host must have one link, to a switch, and has %d", len(p.ends[node]))
		}
		p.level[node], reached = 0, append(reached, node)
	}
	for i := 0; i < len(reached); i++ {
		for _, end := range p.ends[reached[i]] {
			if next := p.level[reached[i]] + 1; p.level[end.peer] == math.MaxInt {
				p.level[end.peer], reached = next, append(reached, end.peer)
			}
		}
	}
	for node, level := range p.level {
		if level > 3 {
			return p.misfit(node, "it must be at most 3 links away from the nearest host")
		}
		for _, end := range p.ends[node] {
			if p.level[end.peer] == level {
				return p.misfit(node, "its link to node %d must lead to another tier", end.peer)
			}
		}
	}
	return nil
}

// misfit returns the error about a node that no fat tree has.
func (p *ns3Topology) misfit(node int, format string, args ...any) error {
	return fmt.Errorf("traffic: node %d does not fit into a folded Clos of equal tiers: "+format, append([]any{node}, args...)...)
}
