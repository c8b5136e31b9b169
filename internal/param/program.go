package param

import (
	"runtime/debug"
	"strings"
	"sync"

	laboratory "repslab"
	"repslab/sweep"
)

// Version is the program's version; results carry it.
const Version = "0.1.0"

// program identifies the code that computes the model's numbers.
func (m Model) program() sweep.Program {
	p := sweep.Program{Version: Version, Streams: m.Streams, Source: source()}
	p.Revision, p.Modified = Revision()
	return p
}

// Differences lists how another program, which computed results of the model, differs from this one; empty if it
// does not.
func (m Model) Differences(origin sweep.Program) string {
	return strings.Join(origin.Differences(m.program()), ", ")
}

// source returns the digest of the source, which takes milliseconds to compute.
var source = sync.OnceValue(laboratory.Source)

// Revision returns the version control revision of the build, and whether the source differed from it. id is empty
// if the build does not record a revision.
func Revision() (id string, modified bool) {
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
