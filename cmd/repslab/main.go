// Repslab is a laboratory for the theory and simulation of packet spraying in
// data-centre networks. Run
//
//	repslab help
//
// for its commands. Data goes to the standard output; progress, warnings and
// errors go to the standard error. Exit codes:
//
//	0    done
//	1    failed
//	2    usage: the message names the flag or the file, the value and what is allowed
//	130  interrupted; the message says what was written
//	134  crashed, by an error of the program itself (SIGABRT)
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/largepages"
	"repslab/internal/param"
	"repslab/sweep"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usualMemory is more memory than most commands use, in bytes.
const usualMemory = 1 << 30

func main() {
	largepages.Take(usualMemory)
	os.Exit(runInterruptible(cases.All(), os.Args[1:]))
}

// togetherWithin is the time in which several signals count as one. GNU timeout sends two, and a closing terminal
// sends one to each process and one to its group.
const togetherWithin = time.Second

// runInterruptible executes the command line until a signal interrupts it. A later signal ends the program at
// once, even if a shell that started it in the background made it ignore interruptions. Under nohup, hang-ups stay
// ignored. A crash has another exit code than bad input.
func runInterruptible(available []param.Model, args []string) int {
	debug.SetTraceback("crash")
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-signals
		cancel()
		for first := time.Now(); time.Since(first) < togetherWithin; {
			<-signals
		}
		os.Exit(exitInterrupted)
	}()
	return runModels(ctx, available, args, os.Stdout, os.Stderr)
}

// runModels executes the command line with the given models and returns the exit code.
func runModels(ctx context.Context, available []param.Model, args []string, stdout, stderr io.Writer) int {
	out := &console.CheckedWriter{W: stdout}
	root := newRoot(available, out, stderr)
	checkCompletion(root)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		addCompletions(root, available)
	}
	root.SetArgs(args)
	err := cmp.Or(root.ExecuteContext(ctx), out.Err)
	if err == nil {
		return exitDone
	}
	code, text := exitFailed, "error: "+err.Error()
	_, usage := errors.AsType[*console.UsageError](err)
	_, line := errors.AsType[*sweep.LineError](err)
	switch {
	case usage, line, errors.Is(err, sweep.ErrIrregular), errors.Is(err, sweep.ErrForeign),
		errors.Is(err, sweep.ErrOther):
		code = exitUsage
	case console.WasInterrupted(ctx, err):
		code, text = exitInterrupted, "interrupted"
		if i, is := errors.AsType[*console.Interruption](err); is {
			text += "; " + i.Written
		}
	}
	fmt.Fprintf(stderr, "repslab: %s\n", console.OneLine(text))
	return code
}
