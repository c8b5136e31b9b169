package console

import (
	"cmp"
	"errors"
	"io"
	"os"
)

// Widths of the help in characters.
const (
	widestHelp = 100 // where the terminal is wider
	UsualWidth = 80  // of a terminal, for a file or pipe
)

// HelpWidth returns the width of help on a writer, in characters.
func HelpWidth(w io.Writer) int {
	width, ok := TerminalWidth(w)
	if !ok {
		width = UsualWidth
	}
	return min(width, widestHelp)
}

// TerminalWidth returns the width of the terminal behind a writer in characters; false if it is none.
func TerminalWidth(w io.Writer) (width int, ok bool) {
	file, ok := fileOf(w)
	if !ok {
		return 0, false
	}
	if width, ok = windowWidth(file); ok && width < 2 {
		width = UsualWidth
	}
	return width, ok
}

// fileOf returns the file that a writer writes to, false if there is none.
func fileOf(w io.Writer) (file *os.File, ok bool) {
	if checked, wrapped := w.(*CheckedWriter); wrapped {
		w = checked.W
	}
	file, ok = w.(*os.File)
	return file, ok
}

// MustBeOpen returns an error if the standard output, which all data goes to, was closed when the program began.
func MustBeOpen(stdout io.Writer, output string) error {
	if file, ok := fileOf(stdout); ok && output == "" && wasClosed(file) {
		return errors.New("the standard output is closed: give -o FILE")
	}
	return nil
}

// TitleWidth returns the length of texts beside other columns on a writer, in characters: the most, less
// on a narrow terminal.
func TitleWidth(w io.Writer, most, beside int) int {
	if width, ok := TerminalWidth(w); ok {
		return min(most, max(20, width-beside))
	}
	return most
}

// CheckedWriter remembers the first error of a writer, for callers that ignore it, as
// the help does.
type CheckedWriter struct {
	W   io.Writer
	Err error
}

// Write writes to the writer inside and notes its error.
func (c *CheckedWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.Err = cmp.Or(c.Err, err)
	return n, err
}
