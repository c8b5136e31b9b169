package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// newMan returns the command that writes the manual.
func newMan(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual, a page for each command",
		Long: `Writes repslab.1 and a page for each command into a folder, which is made if there
is none. A folder man1 in one of those that manpath prints is where man finds them.`,
		Example: "  repslab man ~/.local/share/man/man1\n  repslab completion bash > ~/.local/share/bash-completion/completions/repslab",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("man takes one folder DIR, but %d were given", len(args))
			}
			return writeManual(root, args[0])
		},
	}
}

// writeManual writes the pages; the same program writes the same bytes.
func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return usagef("DIR: %q must be a folder: %w", dir, err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("DIR: %q must be a folder", dir)
	}
	released := time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC) // of CITATION.cff
	disableTags(root)
	header := doc.GenManHeader{Section: "1", Source: "repslab " + version, Manual: "repslab", Date: &released}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		return fmt.Errorf("%s: %w", filepath.Clean(dir), err)
	}
	return nil
}

// disableTags leaves the date of generation out of all pages.
func disableTags(cmd *cobra.Command) {
	cmd.DisableAutoGenTag = true
	for _, c := range cmd.Commands() {
		disableTags(c)
	}
}
