package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// terminalOf opens a terminal of some columns, and returns a function that closes it and returns what was printed.
func terminalOf(t *testing.T, columns uint16) (terminal *os.File, end func() string) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err) // a machine without terminals
	}
	t.Cleanup(func() { screen.Close() })
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
		printed <- strings.ReplaceAll(string(text), "\r\n", "\n")
	}()
	return terminal, func() string {
		terminal.Close()
		return <-printed
	}
}

// onTerminal returns what a command prints on a terminal of some columns.
func onTerminal(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	terminal, end := terminalOf(t, columns)
	var stderr bytes.Buffer
	code := run(context.Background(), args, terminal, &stderr)
	text := end()
	if code != exitDone || stderr.Len() > 0 {
		t.Fatalf("%v: code %d, %s", args, code, stderr.String())
	}
	return text
}

// TestProgressOfFiles: a command whose rows go to a file shows on the terminal of its standard error how far it is, for
// each of its files, and nothing with --quiet.
func TestProgressOfFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 8 --message-bytes 20kB --replicas 2 --force"
	for line, want := range map[string][]string{
		"recycled --bins 8 --replicas 100 -o r.csv":                                {"point 1 of 1 ("},
		network + " -o f.csv":                                                      {"point 1 of 1 ("},
		network + " --flows-out flows.csv":                                         {"point 1 of 1 (", "writing --flows-out    0 %"},
		network + " --trace trace.csv":                                             {"point 1 of 1 (", "writing --trace    0 %"},
		network + " --flows-out flows.csv --trace trace.csv -o f.csv":              {"point 1 of 1 (", "writing --flows-out    0 %", "writing --trace    0 %"},
		"sweep " + strings.TrimSuffix(network, " --force") + " -o s --trace t.csv": {"points 0 of 1, blocks 1 of 2", "writing --trace    0 %"},
		network + " --flows-out flows.csv --trace trace.csv -o f.csv --quiet":      nil,
		"advise -o page " + quickAdvice:                                            {"while healthy ", "with failed cables "},
	} {
		terminal, end := terminalOf(t, 120)
		var stdout bytes.Buffer
		code := run(context.Background(), strings.Fields(line), &stdout, terminal)
		text := end()
		for _, part := range want {
			if !strings.Contains(text, "\r"+part) {
				t.Errorf("%s: no %q in %q", line, part, text)
			}
		}
		if code != exitDone || want == nil && text != "" || want != nil && !strings.HasSuffix(text, " \r") {
			t.Errorf("%s: code %d, %q", line, code, text)
		}
	}
}

// TestOutputFitsTerminal: lists and pages are as wide as the terminal at most, and a list keeps a
// line for each entry; on a pipe the entries are whole.
func TestOutputFitsTerminal(t *testing.T) {
	list := []string{"reproduce", "--list"}
	advise := append([]string{"advise"}, strings.Fields(quickAdvice)...)
	for _, c := range []struct {
		columns uint16
		args    []string
	}{{60, list}, {100, list}, {100, advise}} {
		text, widest := onTerminal(t, c.columns, c.args...), 0
		for line := range strings.Lines(text) {
			widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		if widest > int(c.columns) || widest < int(c.columns)-15 {
			t.Errorf("%v on %d columns: %d columns are used\n%s", c.args, c.columns, widest, text)
		}
		if c.args[0] != "reproduce" {
			continue
		}
		if whole := repslab(t, c.args...).stdout; strings.Count(whole, "\n") != strings.Count(text, "\n") {
			t.Errorf("%d columns: the list has not the lines of\n%s", c.columns, whole)
		}
	}
}
