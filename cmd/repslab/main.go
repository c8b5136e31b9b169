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
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"repslab/sweep"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// usualMemory is more than most commands use, in bytes.
const usualMemory = 1 << 30

func main() {
	takeLargePages(usualMemory)
	os.Exit(runInterruptible(models(), os.Args[1:]))
}

// togetherWithin is the time in which several signals count as one: GNU timeout sends two, and a terminal that
// closes sends one to each process and to its group.
const togetherWithin = time.Second

// runInterruptible executes the command line until a signal interrupts it. A later
// signal ends the program at once, also where a shell that put it into the
// background made it ignore interruptions. nohup makes it ignore hang-ups, which stays so. A crash ends with
// another code than bad input.
func runInterruptible(available []model, args []string) int {
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

// runModels executes the command line with the models that are available and returns the exit
// code.
func runModels(ctx context.Context, available []model, args []string, stdout, stderr io.Writer) int {
	out := &checkedWriter{w: stdout}
	root := newRoot(available, out, stderr)
	checkCompletion(root)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		addCompletions(root, available)
	}
	root.SetArgs(args)
	err := cmp.Or(root.ExecuteContext(ctx), out.err)
	if err == nil {
		return exitDone
	}
	code, text := exitFailed, "error: "+err.Error()
	var usage *usageError
	var line *sweep.LineError
	var i *interruption
	switch {
	case errors.As(err, &usage), errors.As(err, &line), errors.Is(err, sweep.ErrIrregular), errors.Is(err, sweep.ErrForeign),
		errors.Is(err, sweep.ErrOther):
		code = exitUsage
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		code, text = exitInterrupted, "interrupted"
		if errors.As(err, &i) {
			text += "; " + i.written
		}
	}
	fmt.Fprintf(stderr, "repslab: %s\n", oneLine(text))
	return code
}

// usageError is an error in the command line or a configuration.
type usageError struct{ error }

// Unwrap returns the error inside.
func (u *usageError) Unwrap() error { return u.error }

// usagef returns a usage error.
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// ofInput returns an error of reading what the user gave as a usage error, unless it is an interruption.
func ofInput(err error) error {
	var i *interruption
	if err == nil || errors.As(err, &i) {
		return err
	}
	return &usageError{err}
}

// interruption is the end of a command that was interrupted.
type interruption struct {
	written string // names the written data and its place
	error          // of the context
}

// Unwrap returns the context's error.
func (i *interruption) Unwrap() error { return i.error }

// checkedWriter remembers the first error of a writer, for callers that ignore it, as
// the help does.
type checkedWriter struct {
	w   io.Writer
	err error
}

// Write writes to the writer inside and notes its error.
func (c *checkedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.err = cmp.Or(c.err, err)
	return n, err
}

// promptly returns the result of f, or ctx.Err() as soon as ctx is done. In that case
// f continues until the program ends, so it must not leave anything half done.
func promptly[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := make(chan result, 1)
	go func() {
		value, err := f()
		ended <- result{value, err}
	}()
	select {
	case <-ctx.Done():
	case r := <-ended:
		if ctx.Err() == nil { // else both cases were ready
			return r.value, r.err
		}
	}
	var none T
	return none, &interruption{"nothing was written", ctx.Err()}
}

// Limits of a message: files and flags may hold anything, and messages quote them.
const (
	longestWord    = 512 // bytes; paths are words
	keptOfWord     = 60
	longestMessage = 4096
)

// oneLine returns a message as one line that can be printed: its lines joined, characters
// that do not print replaced, and long words and messages cut.
func oneLine(message string) string {
	words := strings.Split(strings.ReplaceAll(message, "\n", "; "), " ")
	for i, word := range words {
		if len(word) > longestWord {
			word = cut(word, keptOfWord)
		}
		words[i] = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return unicode.ReplacementChar
			}
			return r
		}, word)
	}
	line := strings.Join(words, " ")
	if len(line) > longestMessage {
		return cut(line, longestMessage)
	}
	return line
}

// cut returns the first bytes of a text, up to the end of a character, and dots.
func cut(text string, length int) string {
	for !utf8.RuneStart(text[length]) && length > 0 {
		length--
	}
	return text[:length] + "..."
}
