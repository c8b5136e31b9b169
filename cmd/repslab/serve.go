package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"repslab/internal/console"
	"repslab/internal/web/live"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	addr, export  string
	remote, quiet bool
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := newCommand("serve")
	flags := cmd.Flags()
	flags.StringVar(&f.addr, "addr", "127.0.0.1:8080", "`HOST:PORT` to listen on; port 0 takes a free one")
	flags.BoolVar(&f.remote, "allow-remote", false, "let --addr be an address that other machines reach")
	flags.StringVar(&f.export, "export", "", "write the page's files to this `DIR` and stop")
	addQuiet(flags, &f.quiet)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		progress := cmd.ErrOrStderr()
		if f.quiet {
			progress = io.Discard
		}
		if cmd.Flags().Changed("export") {
			for _, name := range []string{"addr", "allow-remote"} {
				if cmd.Flags().Changed(name) {
					return console.Usagef("--export and --%s exclude each other", name)
				}
			}
			return f.write(cmd.Context(), progress)
		}
		return f.serve(cmd.Context(), cmd.OutOrStdout(), progress)
	}
	return cmd
}

// build compiles the page, or returns the embedded one.
func (f *serveFlags) build(ctx context.Context, progress io.Writer) (live.Site, error) {
	if !live.Embedded {
		fmt.Fprintln(progress, "repslab: compiling the page")
	}
	return live.Build(ctx)
}

// write writes the page's files.
func (f *serveFlags) write(ctx context.Context, progress io.Writer) error {
	site, err := f.build(ctx, progress)
	if err != nil {
		return err
	}
	if err := site.Export(f.export); err != nil {
		return err
	}
	fmt.Fprintf(progress, "repslab: %d files are in %s\n", len(site), f.export)
	return nil
}

// serve serves the page until ctx ends. It prints the address to the standard output, because with port 0 only the
// system knows it.
func (f *serveFlags) serve(ctx context.Context, stdout, progress io.Writer) error {
	listener, err := live.Listen(f.addr, f.remote)
	if errors.Is(err, live.ErrAddress) {
		if !f.remote {
			return console.Usagef("--addr: %w; --allow-remote allows others", err)
		}
		return console.Usagef("--addr: %w", err)
	}
	if err != nil {
		return fmt.Errorf("--addr: %w", err)
	}
	defer listener.Close()
	site, err := f.build(ctx, progress)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(stdout, "http://%s/\n", listener.Addr()); err != nil {
		return err
	}
	return live.Serve(ctx, listener, site)
}
