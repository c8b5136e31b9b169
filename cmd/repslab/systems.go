package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"repslab/internal/values"
)

// systemTable is a table of systems and the flag that chooses from it.
type systemTable struct {
	flag    string
	systems []system
}

// systemTables lists the tables.
func systemTables() []systemTable {
	tables := []systemTable{{flag: "lb", systems: balancers()}, {flag: "cc"}, {flag: "workload"}, {flag: "failure", systems: failureKinds()}}
	for _, c := range controls() {
		tables[1].systems = append(tables[1].systems, c.system)
	}
	for _, w := range workloads() {
		tables[2].systems = append(tables[2].systems, w.system)
	}
	return tables
}

// write prints a line for each system of a table.
func (t systemTable) write(w io.Writer) {
	for _, s := range t.systems {
		fmt.Fprintf(w, "%-8s  %-19s  %s [%s]\n", t.flag, s.name, s.summary, s.source)
	}
}

// addList adds --list to a command, which then prints tables and does nothing
// else.
func addList(cmd *cobra.Command) {
	tables := systemTables()
	flags := make([]string, len(tables))
	for i, t := range tables {
		flags[i] = t.flag
	}
	wanted := cmd.Flags().String("list", "", "print what these flags choose from, and nothing else: "+strings.Join(flags, ","))
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !cmd.Flags().Changed("list") {
			return run(cmd, args)
		}
		found, err := values.Names(*wanted, flags)
		if err != nil {
			return usagef("--list: %w", err)
		}
		for _, flag := range found {
			tables[slices.Index(flags, flag)].write(cmd.OutOrStdout())
		}
		return nil
	}
}
