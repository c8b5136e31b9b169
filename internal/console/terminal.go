package console

import (
	"cmp"
	"errors"
	"io"
	"os"
)

// Widths of the help in characters.
const (
	widestHelp = 100 // on wider terminals
	UsualWidth = 80  // width of a usual terminal, for files and pipes
)

// HelpWidth returns the width of help on a writer, in characters.
func HelpWidth(w io.Writer) int {
	width, ok := TerminalWidth(w)
	if !ok {
		width = UsualWidth
	}
	return min(width, widestHelp)
}

// TerminalWidth returns the width, in characters, of the terminal behind a writer, or false if there is
// none.
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

// MustBeOpen returns an error if data goes to the standard output and that was closed when the program
// began.
func MustBeOpen(stdout io.Writer, output string) error {
	if file, ok := fileOf(stdout); ok && output == "" && wasClosed(file) {
		return errors.New("the standard output is closed: give -o FILE")
	}
	return nil
}

// TitleWidth returns the width, in characters, of a column of texts next to columns of the given width on
// a writer: most, or less on a narrow terminal.
func TitleWidth(w io.Writer, most, beside int) int {
	if width, ok := TerminalWidth(w); ok {
		return min(most, max(20, width-beside))
	}
	return most
}

// CheckedWriter remembers the first error of a writer, for code that ignores write errors, such as the
// help.
type CheckedWriter struct {
	W   io.Writer
	Err error
}

// Write writes to the wrapped writer and notes its error.
func (c *CheckedWriter) Write(p []byte) (int, error) {
	n, err := c.W.Write(p)
	c.Err = cmp.Or(c.Err, err)
	return n, err
}
