package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the program's version; results carry it.
const version = "0.1.0"

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Example: "  repslab version",
		Short: "Print the version, and the revision it was built from where known",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "repslab %s%s %s %s/%s\n", version, revision(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}

// revision returns the version control revision of the build, with a leading
// space, or nothing.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var id, dirty string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			id = " " + s.Value[:min(12, len(s.Value))]
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	return id + dirty
}
