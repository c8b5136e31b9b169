package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"repslab/fattree"
	"repslab/fattree/traffic"
)

// input is a file that a parameter names, and what it holds.
type input[T any] struct {
	path string
	data T
}

// String returns the path.
func (i *input[T]) String() string { return i.path }

// filesBy reads a list of files.
func filesBy[T any](read func(io.Reader) (T, error)) func(string) ([]*input[T], error) {
	return func(text string) ([]*input[T], error) {
		var list []*input[T]
		for path := range strings.SplitSeq(text, ",") {
			file, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			data, err := read(file)
			file.Close()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			list = append(list, &input[T]{path, data})
		}
		return list, nil
	}
}

// flowsInput is what a flow list holds.
type flowsInput struct {
	hosts    int
	workload fattree.Workload
}

func readFlowList(r io.Reader) (f flowsInput, err error) {
	f.hosts, f.workload, err = traffic.ReadFlows(r)
	return f, err
}
