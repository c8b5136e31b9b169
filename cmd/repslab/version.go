package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	laboratory "repslab"
	"repslab/sweep"
)

// version is the program's version; results carry it.
const version = "0.1.0"

func newVersion() *cobra.Command {
	cmd := newCommand("version")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
		return err
	}
	return cmd
}

// versionLine names the version of the program and what it was built by and for.
func versionLine() string {
	build := version
	if id, modified := revision(); id != "" {
		build += " " + id[:min(12, len(id))]
		if modified {
			build += "+changes"
		}
	}
	return fmt.Sprintf("repslab %s %s %s/%s", build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// program identifies the code that computes the model's numbers.
func (m model) program() sweep.Program {
	p := sweep.Program{Version: version, Streams: m.streams, Source: source()}
	p.Revision, p.Modified = revision()
	return p
}

// differences lists how the program that computed results of the model differs from this one;
// empty if it does not.
func (m model) differences(origin sweep.Program) string {
	return strings.Join(origin.Differences(m.program()), ", ")
}

// source is the digest of the source, which takes milliseconds to compute.
var source = sync.OnceValue(laboratory.Source)

// revision returns the version control revision of the build and whether the source
// differed from it; empty where the build does not record it.
func revision() (id string, modified bool) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			id = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	return id, modified
}
