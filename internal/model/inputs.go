package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	textfile "repslab/internal/lines"
	"repslab/internal/values"
	"repslab/sweep"
)

// input is a file that a parameter names, and its contents.
type input[T any] struct {
	path string
	data T
}

// String returns the path.
func (i *input[T]) String() string { return i.path }

// inputFiles reads the files that parameters name, and records their contents.
type inputFiles struct {
	carried []sweep.Input // from a result file or a configuration; used instead of the files on disk
	read    []sweep.Input // each path once, in the order of reading
}

// eachFile reads the files that a text names with commas between them, or the one file whose name has these commas.
func eachFile[T any](files *inputFiles, text string, read func(path string) (T, error)) ([]T, error) {
	if !strings.Contains(text, ",") {
		return values.Each(text, ",", read)
	}
	_, one := inputOf(files.carried, text)
	if info, err := os.Stat(text); len(files.carried) == 0 && err == nil {
		one = info.Mode().IsRegular()
	}
	if one {
		value, err := read(text)
		return []T{value}, err
	}
	list, err := values.Each(text, ",", read)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; commas separate files", err)
	}
	return list, err
}

// readInput reads a file, without its byte-order mark, and records its contents. It does not open a file with carried
// contents. A file with only a carried digest must have this digest.
func readInput[T any](files *inputFiles, path string, read func(io.Reader) (T, error)) (data T, err error) {
	if !utf8.ValidString(path) {
		return data, fmt.Errorf("the name %q must be UTF-8, as the text of a result file is", path)
	}
	if strings.IndexAny(path, "=+-@") == 0 {
		return data, fmt.Errorf("the name %.60q must not begin with =, +, - or @, which spreadsheets take for a formula: give ./%.60s", path, path)
	}
	carried, known := inputOf(files.carried, path)
	var from io.Reader
	switch text, ok := carried.Carried(); {
	case known && ok:
		from = strings.NewReader(text)
	case known && text != "":
		return data, fmt.Errorf("%s: its text must have the digest beside it", path)
	default:
		file, err := os.Open(path)
		if err != nil {
			return data, err
		}
		defer file.Close()
		from = file
	}
	found, err := sweep.ReadInput(path, from, func(r io.Reader) (err error) {
		data, err = read(textfile.SkipMark(r))
		return err
	})
	if err != nil {
		return data, fmt.Errorf("%s: %w", path, err)
	}
	if known && found.SHA256 != carried.SHA256 {
		return data, fmt.Errorf("%s has changed since the sweep was created", path)
	}
	before, twice := inputOf(files.read, path)
	if twice && before.SHA256 != found.SHA256 {
		return data, fmt.Errorf("%s changed while it was read", path)
	}
	if !twice {
		files.read = append(files.read, found)
	}
	return data, nil
}

// inputOf returns the input with a path.
func inputOf(list []sweep.Input, path string) (sweep.Input, bool) {
	i := slices.IndexFunc(list, func(in sweep.Input) bool { return in.Path == path })
	if i < 0 {
		return sweep.Input{}, false
	}
	return list[i], true
}

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
