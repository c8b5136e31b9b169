package traffic

import (
	"bufio"
	"cmp"
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

// IsNS3 reports whether a text is a flow list or topology of ns-3's RDMA simulators: it begins with a number,
// after comments. It only peeks at the text.
func IsNS3(text *bufio.Reader) bool {
	start, _ := text.Peek(lines.MaxBytes)
	for line := range strings.Lines(string(start)) {
		if words := lines.Words(line); len(words) > 0 {
			return isDigits(words[0])
		}
	}
	return false
}

// ReadNS3Flows reads a flow list of ns-3's RDMA simulators. The first line has the number of flows. Each line
// after it has the source, destination, priority, in most files a port, bytes, and start in seconds of a flow.
// Sources and destinations are numbers of nodes, which [OnHosts] turns into hosts. Further lines are not read, and
// ports are not used; all priorities must be the same. Errors name the line. O(flows).
func ReadNS3Flows(r io.Reader) (w fattree.Workload, err error) {
	l, count, priority, columns := lines.New(r, textFormat()), int64(-1), "", 0
	err = l.Each(func(words []string) (err error) {
		n := len(words)
		switch {
		case count < 0:
			count, err = l.Integer("flows", words[0], 1, fattree.MaxFlows)
			return err
		case count == int64(len(w.Flows)):
			return nil
		case n != 5 && n != 6:
			return l.Wrong("found %d words, expected source, destination, priority, port, bytes and seconds", n)
		case columns != 0 && columns != n:
			return l.Wrong("found %d words, expected %d as before: a port in each line or in none", n, columns)
		case priority != "" && priority != words[2]:
			return l.Wrong("priority: found %s, expected %s as before: all flows have one in this model", lines.Quote(words[2]), lines.Quote(priority))
		}
		priority, columns = words[2], n
		ends, err := integers(l, words[:2], 0, fattree.MaxHosts, "source", "destination")
		if err != nil {
			return err
		}
		bytes, errBytes := l.Integer("bytes", words[n-2], 1, math.MaxInt64)
		seconds, errSeconds := number64(l, "seconds", words[n-1], 1e6)
		w.Flows = append(w.Flows, fattree.NewFlow(fattree.Host(ends[0]), fattree.Host(ends[1]), bytes, fattree.Picoseconds(math.Round(1e12*seconds))))
		if ends[0] == ends[1] {
			return l.Wrong("found a flow of node %d to itself, expected another destination", ends[0])
		}
		return cmp.Or(errBytes, errSeconds)
	})
	if err == nil && count != int64(len(w.Flows)) {
		err = fmt.Errorf("traffic: found %d flows in %d lines, expected %d", len(w.Flows), l.Number, max(0, count))
	}
	return w, err
}

// integers reads words as integers in [least, most], named in order; the last name is for all further words.
func integers(l *lines.Reader, words []string, least, most int64, names ...string) (list []int, err error) {
	for i, word := range words {
		v, err := l.Integer(names[min(i, len(names)-1)], word, least, most)
		if err != nil {
			return nil, err
		}
		list = append(list, int(v))
	}
	return list, nil
}

// OnHosts turns a workload with numbers of nodes as sources and destinations into a workload on hosts: host i is
// nodes[i]. It does not change w. O(flows + nodes).
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

// ns3Topology is the part of an ns-3 topology read so far.
type ns3Topology struct {
	*lines.Reader
	counts   []int        // nodes, switches, links; nil before the first line
	switches map[int]bool // by node; nil before the second line
	read     int          // links read so far
	ends     map[int][]ns3End
	level    []int // by node: hosts 0, ToRs 1, and so on
}

// ns3End is an end of a link, with the node at the other end.
type ns3End struct {
	peer int
	link fattree.Link
}

// ReadNS3Topology returns the fat tree that a topology of ns-3's RDMA simulators describes, and the node of each
// host. The file has the numbers of nodes, switches and links; the numbers of the switches; then a line for each
// link, with two nodes, rate, delay and error rate. Further lines are not read. The network must be a switch with
// hosts, or a folded Clos of two or three tiers of equal switches, like a [topology.FatTree]; the error names a
// node that does not fit. O(links).
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
func (p *ns3Topology) line(words []string) (err error) {
	switch {
	case p.counts == nil:
		if len(words) != 3 {
			return p.Wrong("found %d words, expected nodes, switches and links", len(words))
		}
		p.counts, err = integers(p.Reader, words, 1, fattree.MaxPorts, "nodes", "switches", "links")
	case p.switches == nil:
		if len(words) != p.counts[1] {
			return p.Wrong("found %d switches, expected %d", len(words), p.counts[1])
		}
		p.switches, p.ends = map[int]bool{}, map[int][]ns3End{}
		var switches []int
		switches, err = integers(p.Reader, words, 0, int64(p.counts[0]-1), "switch")
		for _, node := range switches {
			p.switches[node] = true
		}
	case p.read < p.counts[2]:
		p.read++
		err = p.link(words)
	}
	return err
}

// link reads the line of a link.
func (p *ns3Topology) link(words []string) error {
	if len(words) != 5 {
		return p.Wrong("found %d words, expected two nodes, rate, delay and error rate", len(words))
	}
	nodes, err := integers(p.Reader, words[:2], 0, int64(p.counts[0]-1), "node")
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
	for i, node := range nodes {
		p.ends[node] = append(p.ends[node], ns3End{nodes[1-i], fattree.Link{Gbps: gbps, LatencyNs: ns}})
	}
	return nil
}

// withUnit returns the value of a number with a unit; sizes has the size of each unit.
func withUnit(word string, sizes map[string]float64) (v float64, ok bool) {
	digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyzGKMT")
	size, known := sizes[word[len(digits):]]
	v, err := strconv.ParseFloat(digits, 64)
	return v * size, known && err == nil && v >= 0 && !math.IsInf(v*size, 0)
}

// setLevels sets the levels of nodes by their distance from hosts.
func (p *ns3Topology) setLevels() error {
	for node := 0; len(p.ends) < p.counts[0]; node++ {
		if p.ends[node] == nil {
			return p.misfit(node, "it has no link")
		}
	}
	p.level = slices.Repeat([]int{math.MaxInt}, len(p.ends))
	var reached []int
	for node := range p.level {
		if !p.switches[node] {
			p.level[node], reached = 0, append(reached, node)
		}
	}
	for i := 0; i < len(reached); i++ {
		for _, end := range p.ends[reached[i]] {
			if p.level[end.peer] == math.MaxInt {
				p.level[end.peer], reached = p.level[reached[i]]+1, append(reached, end.peer)
			}
		}
	}
	if far := slices.IndexFunc(p.level, func(level int) bool { return level > 3 }); far >= 0 {
		return p.misfit(far, "it must be at most 3 links away from the nearest host")
	}
	return nil
}

// misfit returns the error about a node that does not fit into a fat tree.
func (p *ns3Topology) misfit(node int, format string, args ...any) error {
	return fmt.Errorf("traffic: node %d does not fit into a folded Clos of equal tiers: "+format, append([]any{node}, args...)...)
}
