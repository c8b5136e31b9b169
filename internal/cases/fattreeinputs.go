package cases

import (
	"bufio"
	"io"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
)

// flowsInput holds the contents of a flow list. A flow list of ns-3 has no number of hosts, and its flows name
// nodes.
type flowsInput struct {
	hosts    int
	workload fattree.Workload
	ns3      bool
	warnings []string
}

// readFlowList reads a flow list of htsim or ns-3. The nodes of ns-3 are hosts unless a topology of ns-3 is given.
func readFlowList(r io.Reader) (f flowsInput, err error) {
	text := bufio.NewReader(r)
	if f.ns3 = traffic.IsNS3(text); !f.ns3 {
		f.hosts, f.workload, err = traffic.ReadFlows(text)
		return f, err
	}
	f.workload, err = traffic.ReadNS3Flows(text, addTo(&f.warnings))
	for _, flow := range f.workload.Flows {
		f.hosts = max(f.hosts, int(flow.Source)+1, int(flow.Destination)+1)
	}
	return f, err
}

// treeInput holds the contents of a topology and, for ns-3, the node of each host.
type treeInput struct {
	tree     topology.FatTree
	nodes    []int
	warnings []string
}

// addTo returns a function that adds a warning to a list.
func addTo(list *[]string) func(string) {
	return func(text string) { *list = append(*list, text) }
}

// readTree reads a topology of htsim or ns-3.
func readTree(r io.Reader) (t treeInput, err error) {
	text := bufio.NewReader(r)
	if traffic.IsNS3(text) {
		t.tree, t.nodes, err = traffic.ReadNS3Topology(text, addTo(&t.warnings))
		return t, err
	}
	t.tree, err = traffic.ReadTopology(text)
	return t, err
}
