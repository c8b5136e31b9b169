package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"repslab/internal/param"
)

func newVersion() *cobra.Command {
	cmd := newCommand("version")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), versionLine())
		return err
	}
	return cmd
}

// versionLine names the program's version, and the compiler and platform of the build.
func versionLine() string {
	build := param.Version
	if id, modified := param.Revision(); id != "" {
		build += " " + id[:min(12, len(id))]
		if modified {
			build += "+changes"
		}
	}
	return fmt.Sprintf("repslab %s %s %s/%s", build, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
