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

// onTerminal returns what a command prints on a terminal of some columns.
func onTerminal(t *testing.T, columns uint16, args ...string) string {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err) // a machine without terminals
	}
	defer screen.Close()
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
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	printed := make(chan string)
	go func() {
		text, _ := io.ReadAll(screen) // ends with an error when the terminal is closed
		printed <- strings.ReplaceAll(string(text), "\r\n", "\n")
	}()
	var stderr bytes.Buffer
	code := run(context.Background(), args, terminal, &stderr)
	terminal.Close()
	if code != exitDone || stderr.Len() > 0 {
		t.Fatalf("%v: code %d, %s", args, code, stderr.String())
	}
	return <-printed
}

// TestOutputFitsTerminal: lists and pages are as wide as the terminal at most, and a list keeps a
// line for each entry; on a pipe the entries are whole.
func TestOutputFitsTerminal(t *testing.T) {
	list := []string{"reproduce", "--list"}
	advise := append([]string{"advise"}, strings.Fields(quickAdvice)...)
	for _, c := range []struct {
		columns uint16
		args    []string
	}{{60, list}, {100, list}, {80, advise}, {100, advise}} {
		text, widest := onTerminal(t, c.columns, c.args...), 0
		for line := range strings.Lines(text) {
			widest = max(widest, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
		if widest > int(c.columns) || widest < int(c.columns)-15 {
			t.Errorf("%v on %d columns: %d columns are used\n%s", c.args, c.columns, widest, text)
		}
		if whole := repslab(t, c.args...).stdout; c.args[0] == "reproduce" && strings.Count(whole, "\n") != strings.Count(text, "\n") {
			t.Errorf("%d columns: the list has not the lines of\n%s", c.columns, whole)
		}
	}
}
