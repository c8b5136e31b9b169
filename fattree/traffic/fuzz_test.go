package traffic

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

// checkRefusal checks that an error is short and prints on one line, apart from errors that other
// packages join.
func checkRefusal(t *testing.T, err error) {
	t.Helper()
	message := err.Error()
	if message == "" || len(message) > 1000 {
		t.Errorf("error of %d bytes", len(message))
	}
	for _, r := range message {
		if !unicode.IsPrint(r) && r != '\n' {
			t.Fatalf("error %q", message)
		}
	}
}

// FuzzReadFlows: flows that were read are valid, and the same after writing and reading them again.
func FuzzReadFlows(f *testing.F) {
	for _, name := range []string{"perm_n128_s8388608.cm", "alltoall4.cm"} {
		f.Add(shipped(f, name))
	}
	for _, c := range flowErrors() {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		hosts, w, err := ReadFlows(bytes.NewReader(text))
		if err != nil {
			checkRefusal(t, err)
			return
		}
		if err := w.Validate(hosts); err != nil {
			t.Fatalf("read an invalid workload: %v", err)
		}
		written := writtenFlows(hosts, w)
		hosts2, w2, err := ReadFlows(strings.NewReader(written))
		if err != nil || hosts2 != hosts || !reflect.DeepEqual(w, w2) {
			t.Errorf("%+v is written as\n%sand read as %+v (error %v)", w, written, w2, err)
		}
	})
}

// FuzzNS3: no text panics, and a topology that is read is valid and has a node for each host.
func FuzzNS3(f *testing.F) {
	for i, tree := range ns3Trees()[:5] {
		text, _ := ns3Text(rand.New(rand.NewPCG(uint64(i), 1)), linksOf(tree.WithDefaults()), [3]string{"1Gbps 1us", "1Gbps 1us", "1Gbps 1us"})
		f.Add([]byte(text))
	}
	f.Add(shipped(f, "ns3_flow.txt"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tree, nodes, err := ReadNS3Topology(bytes.NewReader(text), ignore)
		if err == nil && (tree.Validate() != nil || len(nodes) != tree.Hosts) {
			t.Errorf("%+v with %d nodes", tree, len(nodes))
		}
		if w, err := ReadNS3Flows(bytes.NewReader(text), ignore); err == nil && len(w.Flows) == 0 {
			t.Error("no flow")
		}
	})
}

// FuzzReadTopology: a topology that was read is valid, and the same after writing and reading it again.
func FuzzReadTopology(f *testing.F) {
	for _, name := range []string{"fat_tree_128_1os_2t_400g.topo", "fat_tree_128_1os_3t_400g.topo", "fat_tree_8192_1os_2t_400g.topo"} {
		f.Add(shipped(f, name))
	}
	for _, c := range topologyErrors(f) {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		topology, err := ReadTopology(bytes.NewReader(text))
		if err != nil {
			checkRefusal(t, err)
			return
		}
		if err := topology.Validate(); err != nil {
			t.Fatalf("read an invalid topology: %v", err)
		}
		written := writtenTopology(topology)
		if again, err := ReadTopology(strings.NewReader(written)); err != nil || again != topology {
			t.Errorf("%+v is written as\n%sand read as %+v (error %v)", topology, written, again, err)
		}
	})
}
