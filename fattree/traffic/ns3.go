package traffic

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
	"repslab/internal/lines"
)

// IsNS3 reports whether a text is a flow list or topology of ns-3's RDMA simulators: it begins with a number,
// after comments. It only peeks at the text.
func IsNS3(text *bufio.Reader) bool {
	if text == nil {
		panic("traffic: IsNS3 needs a text")
	}
	start, _ := text.Peek(lines.MaxBytes)
	for line := range strings.Lines(string(start)) {
		if words := lines.Words(line); len(words) > 0 {
			return isDigits(words[0])
		}
	}
	return false
}

// surplus counts the lines of flows or links beyond the number in the first line of a file.
type surplus struct {
	first, lines int  // first of these lines, and their number
	notes        bool // words follow, as in the simulators' own files
}

// add takes a line beyond the number.
func (s *surplus) add(number int, words []string) {
	if _, err := strconv.ParseFloat(words[0], 64); err != nil {
		s.notes = true
		return
	}
	if s.lines++; s.lines == 1 {
		s.first = number
	}
}

// check returns an error if there are such lines. If notes follow it warns instead: HPCC's own files have more flows
// and links than they count, and notes about the format at their end.
func (s surplus) check(what string, count int, warn func(string)) error {
	text := fmt.Sprintf("line %d: found %d more %s than the first line says (%d)", s.first, s.lines, what, count)
	switch {
	case s.lines > 0 && s.notes:
		warn(text + ": they are left out")
	case s.lines > 0:
		return errors.New("traffic: " + text)
	}
	return nil
}

// The columns of a flow list of ns-3, and the largest values in them.
const (
	ns3Columns  = "source, destination, priority, port (or none), bytes and seconds"
	maxPriority = 7 // of the simulators' priority groups
	maxPort     = 1<<16 - 1
	maxSeconds  = 60
)

// ns3Flows is the part of a flow list read so far.
type ns3Flows struct {
	*lines.Reader
	count    int64 // -1 before the first line
	flows    []fattree.Flow
	priority string // of the first flow
	columns  int
	surplus  surplus
}

// ReadNS3Flows reads a flow list of ns-3's RDMA simulators. The first line has the number of flows. Each line
// after it has the source, destination, priority, in most files a port, bytes, and start in seconds of a flow.
// Sources and destinations are numbers of nodes, which [OnHosts] turns into hosts. Ports are not used; all priorities
// must be the same. Errors name the line and the columns. warn gets warnings about flows that are left out, and
// about bytes and seconds that may have another unit. O(flows).
func ReadNS3Flows(r io.Reader, warn func(string)) (w fattree.Workload, err error) {
	p := &ns3Flows{Reader: lines.New(r, textFormat()), count: -1}
	if err := p.Each(p.line); err != nil {
		return w, err
	}
	if p.count != int64(len(p.flows)) {
		return w, fmt.Errorf("traffic: found %d flows in %d lines, expected %d", len(p.flows), p.Number, max(0, p.count))
	}
	if err := cmp.Or(p.surplus.check("flows", len(p.flows), warn), p.plausible(warn)); err != nil {
		return w, err
	}
	return fattree.Workload{Flows: p.flows}, nil
}

// line reads a line.
func (p *ns3Flows) line(words []string) (err error) {
	switch {
	case p.count < 0 && len(words) != 1:
		return p.Wrong("found %d words, expected one number, the number of flows", len(words))
	case p.count < 0:
		p.count, err = p.Integer("flows", words[0], 1, fattree.MaxFlows)
		return err
	case p.count == int64(len(p.flows)):
		p.surplus.add(p.Number, words)
		return nil
	}
	if err := p.flow(words); err != nil {
		return fmt.Errorf("%w; the columns are %s", err, ns3Columns)
	}
	return nil
}

// flow reads the line of a flow.
func (p *ns3Flows) flow(words []string) error {
	n := len(words)
	switch {
	case n != 5 && n != 6 || p.columns != 0 && p.columns != n:
		return p.Wrong("found %d words, expected 6, or 5 in all lines", n)
	case p.priority != "" && p.priority != words[2]:
		return p.Wrong("priority: found %s, expected %s as before: all flows have one in this model", lines.Quote(words[2]), lines.Quote(p.priority))
	}
	p.priority, p.columns = words[2], n
	ends, err := integers(p.Reader, words[:2], 0, fattree.MaxHosts, "source", "destination")
	if err != nil {
		return err
	}
	_, errPriority := p.Integer("priority", words[2], 0, maxPriority)
	_, errPort := integers(p.Reader, words[3:n-2], 0, maxPort, "port")
	bytes, errBytes := p.Integer("bytes", words[n-2], 1, math.MaxInt64)
	seconds, errSeconds := number64(p.Reader, "seconds", words[n-1], maxSeconds)
	p.flows = append(p.flows, fattree.NewFlow(fattree.Host(ends[0]), fattree.Host(ends[1]), bytes, fattree.Picoseconds(math.Round(1e12*seconds))))
	if ends[0] == ends[1] {
		return p.Wrong("found a flow of node %d to itself, expected another destination", ends[0])
	}
	return cmp.Or(errPriority, errPort, errBytes, errSeconds)
}

// longSpan is a span of starts, in picoseconds, above which they are likely not in seconds.
const longSpan = 1e12

// plausible returns an error if all flows are shorter than a frame: in lists of other simulators these columns have
// start and end, or start and mode. It warns of bytes that rise by one from flow to flow, as ports do, or have an
// unlikely mean, and of flows that start within more than a second.
func (p *ns3Flows) plausible(warn func(string)) error {
	most, mean, first, last, rise := int64(0), 0.0, p.flows[0].Start, p.flows[0].Start, len(p.flows) > 1
	for i, f := range p.flows {
		most, mean = max(most, f.Bytes), mean+float64(f.Bytes)/float64(len(p.flows))
		first, last = min(first, f.Start), max(last, f.Start)
		rise = rise && f.Bytes == p.flows[0].Bytes+int64(i)
	}
	if most < leastBytes {
		return fmt.Errorf("traffic: found flows of at most %d bytes, expected one of %d or more; the columns are %s", most, leastBytes, ns3Columns)
	}
	if rise || unlikely(mean) {
		warn(fmt.Sprintf("flows have %.4g bytes on average; the columns are %s", mean, ns3Columns))
	}
	if span := last - first; span > longSpan {
		warn(fmt.Sprintf("flows start within %.4g s; the columns are %s", float64(span)/1e12, ns3Columns))
	}
	return nil
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
// nodes[i]. It does not change w. A node out of range or given twice is an error. O(flows + nodes).
func OnHosts(w fattree.Workload, nodes []int) (fattree.Workload, error) {
	hosts := make(map[fattree.Host]fattree.Host, len(nodes))
	for host, node := range nodes {
		if _, twice := hosts[fattree.Host(node)]; twice || node < 0 || node > math.MaxInt32 {
			return w, faults.New("traffic", fmt.Sprintf("nodes[%d]", host), node, "must be in [0, %d], and no earlier node", math.MaxInt32)
		}
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
	counts   []int        // nodes, switches, ToRs (0 if not given), links; nil before the first line
	switches map[int]bool // by node; nil before the second line
	read     int          // links read so far
	ends     map[int][]ns3End
	level    []int // by node: hosts 0, ToRs 1, and so on
	surplus  surplus
}

// ns3End is an end of a link, with the node at the other end.
type ns3End struct {
	peer int
	link fattree.Link
}

// ReadNS3Topology returns the fat tree that a topology of ns-3's RDMA simulators describes, and the node of each
// host. The file has the numbers of nodes, switches and links; the numbers of the switches; then a line for each
// link, with two nodes, rate, delay and error rate. The first line of PowerTCP's files also has the number of ToRs,
// before the links. The first line of Reverie's files has the rates of links of hosts and of others, in bit/s. The
// network must be a switch with hosts, or a folded Clos of two or three tiers of equal switches, like a
// [topology.FatTree]; the error names nodes that do not fit. warn gets a warning about links that are left out.
// O(links).
func ReadNS3Topology(r io.Reader, warn func(string)) (t topology.FatTree, nodes []int, err error) {
	format := textFormat()
	format.MaxBytes = 1 << 24 // all switches stand in one line
	p := &ns3Topology{Reader: lines.New(r, format)}
	if err := p.Each(p.line); err != nil {
		return t, nil, err
	}
	if p.switches == nil || p.read < p.counts[3] {
		return t, nil, fmt.Errorf("traffic: found %d links in %d lines, expected nodes, switches, links and as many lines of links", p.read, p.Number)
	}
	if err := cmp.Or(p.surplus.check("links", p.read, warn), p.setLevels()); err != nil {
		return t, nil, err
	}
	if err := p.compareDegrees(); err != nil {
		return t, nil, err
	}
	return p.fatTree()
}

// line reads a line.
func (p *ns3Topology) line(words []string) (err error) {
	switch {
	case p.counts == nil:
		err = p.header(words)
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
	case p.read < p.counts[3]:
		p.read++
		err = p.link(words)
	default:
		p.surplus.add(p.Number, words)
	}
	return err
}

// header reads the first line.
func (p *ns3Topology) header(words []string) (err error) {
	names := []string{"nodes", "switches", "ToRs", "links"}
	switch {
	case len(words) == 3:
		names = slices.Delete(names, 2, 3)
	case len(words) == 6 && !isDigits(words[5]):
		return p.Wrong("found 6 words, as SimAI has them (nodes, GPUs of a server, NVSwitches, switches, links, GPU), " +
			"expected nodes, switches and links: here a host has one link, and none to an NVSwitch")
	case len(words) == 6:
		words = words[:4] // rates follow, which links have too
	case len(words) != 4:
		return p.Wrong("found %d words, expected nodes, switches and links; or nodes, switches, ToRs and links, as PowerTCP has them; "+
			"or these four and two rates in bit/s, as Reverie has them", len(words))
	}
	p.counts, err = integers(p.Reader, words, 1, fattree.MaxPorts, names...)
	if len(p.counts) == 3 {
		p.counts = slices.Insert(p.counts, 2, 0)
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
	gbps, isRate := withUnit(words[2], map[string]float64{"": 1e-9, "bps": 1e-9, "kbps": 1e-6, "Kbps": 1e-6, "Mbps": 1e-3, "Gbps": 1, "Tbps": 1e3})
	ns, isDelay := withUnit(words[3], map[string]float64{"ps": 1e-3, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9})
	errors, isNumber := withUnit(words[4], map[string]float64{"": 1})
	switch {
	case !isRate || !isDelay || gbps < 1 || ns == 0:
		return p.Wrong("found %s and %s, expected a rate such as 100Gbps or 25000000000 (in bit/s), of at least 1 Gb/s, and a delay such as 1us, above 0",
			lines.Quote(words[2]), lines.Quote(words[3]))
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
			return misfit("node %d has no link", node)
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
		return misfit("switch %d must be at most 3 links away from the nearest host", far)
	}
	return nil
}

// misfit returns the error about links that make no fat tree.
func misfit(format string, args ...any) error {
	return fmt.Errorf("traffic: no folded Clos of equal tiers: "+format, args...)
}
