package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"repslab/internal/cell"
	"repslab/internal/lists"
	"repslab/internal/table"
	"repslab/internal/wholefile"
	"repslab/sweep"
)

// rows is the destination of a command's rows. Opening it writes nothing but, for CSV on
// the standard output, the header.
type rows struct {
	file   *wholefile.File // nil on the standard output
	timing bool            // rows have the columns of --timing
	number int             // of rows written

	partial   int    // rows of the interrupted point
	remainder string // says what they are

	*table.RowWriter // nil until the columns are known
	to               io.Writer
	flags            *tableFlags
	head             *storedTable // whose columns are the cells of the rows
	columns          []rowColumn
	kept             []record // until all are known, if the output depends on all
}

// open returns the destination of the rows of a table. Hidden columns are printed only if --columns
// names them. A pipe is opened at once, which waits for its reader until ctx is done.
func (f *tableFlags) open(ctx context.Context, stdout io.Writer, t *storedTable, hidden ...string) (*rows, error) {
	if err := f.checkView(t); err != nil {
		return nil, err
	}
	if f.format == table.LaTeX && hidden == nil {
		hidden = t.withoutInterval()
	}
	var err error
	r := &rows{to: stdout, flags: f, head: t, columns: f.view(t, hidden)}
	if f.output != "" {
		if r.file, err = outputFile("-o", f.output, f.force); err != nil {
			return nil, err
		}
		r.to = r.file
		if info, err := os.Stat(f.output); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			if _, err := promptly(ctx, func() (int, error) { return r.file.Write(nil) }); err != nil {
				return nil, err
			}
		}
	}
	if f.waits() {
		return r, nil
	}
	if err := r.begin(""); err != nil {
		return nil, r.discard(err)
	}
	return r, nil
}

// discard leaves a file as it was, and returns the error that ends the output.
func (r *rows) discard(err error) error {
	if r.file != nil {
		err = cmp.Or(err, r.file.Abort())
	}
	return err
}

// place names the place of the output.
func (f *tableFlags) place() string { return cmp.Or(f.output, "the standard output") }

// begin opens the table of the output.
func (r *rows) begin(remark string) (err error) {
	list := lists.Map(r.columns, func(c rowColumn) table.Column { return c.Column })
	if r.RowWriter, err = table.NewWriter(r.to, r.flags.format, list); err != nil {
		return err
	}
	if remark != "" {
		file := filepath.Base(cmp.Or(r.flags.output, r.head.model.name))
		r.Remark, r.Caption, r.Label = remark, "Estimates with 95 % intervals.", "tab:"+file[:len(file)-len(filepath.Ext(file))]
	}
	if width, ok := terminalWidth(r.to); ok {
		r.Width = width
	}
	return nil
}

// Write adds a row.
func (r *rows) Write(cells []any) error {
	r.number++
	for i, v := range cells {
		checked, err := cell.Check(v) // a number that is none becomes null
		if err != nil {
			return err
		}
		cells[i] = checked
	}
	row := record{r.head, cells}
	if r.flags.waits() {
		r.kept = append(r.kept, row)
		return nil
	}
	return r.print(row)
}

// print writes the printed cells of a row.
func (r *rows) print(row record) error {
	return r.RowWriter.Write(lists.Map(r.columns, func(c rowColumn) any { return c.cell(row) }))
}

// Close completes the data.
func (r *rows) Close() error {
	if !r.flags.waits() {
		return r.RowWriter.Close()
	}
	slices.SortStableFunc(r.kept, r.flags.order)
	remark, left := "", len(r.columns)
	if r.flags.isBrief() && r.head.model.brief != nil && len(r.kept) > 0 {
		r.columns = r.head.briefly(r.columns, r.kept)
	}
	left -= len(r.columns)
	if r.flags.format == table.LaTeX && len(r.kept) > 0 {
		r.columns, remark = r.flags.forPaper(r.columns, r.head, r.kept)
	}
	if err := r.begin(remark + r.remainder); err != nil {
		return err
	}
	for _, row := range r.kept {
		if err := r.print(row); err != nil {
			return err
		}
	}
	err := r.RowWriter.Close()
	if err == nil && r.flags.isBrief() && left > 0 {
		_, err = fmt.Fprintf(r.to, "%s: --columns %s\n", count(left, "more column"), allColumns)
	}
	if err == nil && r.flags.format == table.Aligned && r.partial > 0 {
		_, err = fmt.Fprintf(r.to, "interrupted: %s\n", strings.TrimPrefix(r.remainder, remainderJoint))
	}
	return err
}

// remainderJoint joins the description of the rows of an interrupted point to the one of the others.
const remainderJoint = "; "

// print writes all rows of a table.
func (f *tableFlags) print(ctx context.Context, stdout io.Writer, t *storedTable, hidden ...string) error {
	r, err := f.open(ctx, stdout, t, hidden...)
	if err != nil {
		return err
	}
	for _, row := range t.rows {
		err := ctx.Err()
		if err == nil {
			err = r.Write(row.cells)
		}
		if err != nil {
			return r.finish(ctx, err)
		}
	}
	return r.finish(ctx, nil)
}

// finish completes the data. Rows written before an interruption stay; any other
// failure, and an interruption before the first row, leaves a file as it was.
func (r *rows) finish(ctx context.Context, failure error) error {
	interrupted := failure != nil && errors.Is(failure, ctx.Err())
	if failure != nil && (!interrupted || r.number == 0) {
		failure = r.discard(failure)
		if interrupted {
			return &interruption{"no row was written", failure}
		}
		return failure
	}
	err := r.Close()
	if err != nil {
		return r.discard(err)
	}
	if r.file != nil {
		err = r.file.Commit()
	}
	if err == nil && interrupted {
		return &interruption{fmt.Sprintf("the finished rows (%d) are written to %s", r.number-r.partial, r.flags.place()) + r.remainder, failure}
	}
	return cmp.Or(err, failure)
}

// checkPlace returns a usage error if the file of a flag cannot be at path, or cannot be created there.
func checkPlace(flag, path string) error {
	if err := checkPath(flag, path); err != nil {
		return err
	}
	if err := wholefile.Creatable(path); err != nil {
		return usagef("%s: %q cannot be written: %w", flag, path, err)
	}
	return nil
}

// checkPath returns a usage error if the file of a flag cannot be at path.
func checkPath(flag, path string) error {
	if isFolder(path) {
		return usagef("%s: %q is a directory, but must be a file", flag, path)
	}
	if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o222 == 0 { // renaming would replace it
		return usagef("%s: %q must not be write-protected", flag, path)
	}
	if dir := filepath.Dir(path); !isFolder(dir) {
		return usagef("%s: %q must be in an existing directory, but %q is not one", flag, path, dir)
	}
	return nil
}

// sameFile reports whether two paths lead to the same regular file, or would if there were one.
func sameFile(a, b string) bool {
	one, errOne := os.Stat(a)
	other, errOther := os.Stat(b)
	if errOne == nil && errOther == nil {
		return one.Mode().IsRegular() && os.SameFile(one, other)
	}
	fullOne, errOne := filepath.Abs(a)
	fullOther, errOther := filepath.Abs(b)
	return errOne == nil && errOther == nil && fullOne == fullOther
}

// isFolder reports whether path is a directory.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// checkOutput returns a usage error if the data of a flag cannot be written to path, or
// if it would replace the result file of a sweep without force.
func checkOutput(flag, path string, force bool) error {
	if path == "" {
		return nil
	}
	return cmp.Or(checkPlace(flag, path), checkKept(flag, path, force))
}

// checkKept returns a usage error if there is the result file of a sweep at path, without force.
func checkKept(flag, path string, force bool) error {
	if !force && sweep.IsResult(path) {
		return usagef("%s: %s is the result file of a sweep; --force replaces it", flag, path)
	}
	return nil
}

// outputFile returns the file of a flag. It must pass [checkOutput] now, and but for its creation when it is
// complete: meanwhile a sweep may create its result file there.
func outputFile(flag, path string, force bool) (*wholefile.File, error) {
	file := wholefile.Lazy(path)
	file.Last = func() error { return cmp.Or(checkPath(flag, path), checkKept(flag, path, force)) }
	return file, checkOutput(flag, path, force)
}

// writeOutput writes data to the file of -o, or to stdout if path is empty.
func writeOutput(stdout io.Writer, path string, force bool, data []byte) error {
	if path == "" {
		_, err := stdout.Write(data)
		return err
	}
	return writeFile("-o", path, force, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeFile writes the file of a flag, which appears whole or not at all.
func writeFile(flag, path string, force bool, write func(io.Writer) error) error {
	file, err := outputFile(flag, path, force)
	if err != nil {
		return err
	}
	return file.Fill(write)
}

// progressLine redraws one line on a terminal and prints warnings between; where there is
// no terminal it draws nothing.
type progressLine struct {
	w      io.Writer
	silent bool // no line is drawn
	start  time.Time
	drawn  time.Time
	width  int
	warned map[string]bool
}

// redrawEvery is the time between two drawings of a progress line.
const redrawEvery = 100 * time.Millisecond

// newProgressLine returns a line on w, silent if quiet or if w is no terminal.
func newProgressLine(w io.Writer, quiet bool) *progressLine {
	_, isTerminal := terminalWidth(w)
	return &progressLine{w: w, silent: quiet || !isTerminal, start: time.Now(), warned: map[string]bool{}}
}

// draw shows a text and how far the work is, 0 <= done <= total.
func (p *progressLine) draw(text string, done, total float64) {
	if total <= 0 {
		return
	}
	elapsed := time.Since(p.start)
	line := fmt.Sprintf("%s  %3.0f %%  %s", text, 100*done/total, elapsed.Round(time.Second))
	if left := time.Duration(float64(elapsed) * (total/max(done, 1e-9) - 1)); done > 0 && elapsed > time.Second {
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	p.drawText(line)
}

// drawText shows a text, its middle left out where the terminal is narrower, unless one was drawn just
// before.
func (p *progressLine) drawText(line string) {
	if p.silent || time.Since(p.drawn) < redrawEvery {
		return
	}
	p.drawn = time.Now()
	width, _ := terminalWidth(p.w)
	line = shortenMiddle(line, width-1) // a character in the last column would begin a new line on some
	fmt.Fprintf(p.w, "\r%-*s", min(p.width, width-1), line)
	p.width = utf8.RuneCountInString(line)
}

// shortenMiddle returns a text of at most the given number of characters, at least 1: a longer one has
// dots for its middle.
func shortenMiddle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	end := len(runes) - most/2
	return string(runes[:max(0, most-1-most/2)]) + "…" + string(runes[end:])
}

// clear removes the line.
func (p *progressLine) clear() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// warn prints a warning, each once.
func (p *progressLine) warn(text string) {
	if !p.warned[text] {
		p.warned[text] = true
		p.clear()
		fmt.Fprintf(p.w, "repslab: warning: %s\n", oneLine(text))
	}
}

// warnTo returns a function that prints each warning once.
func warnTo(stderr io.Writer) func(string) { return newProgressLine(stderr, true).warn }
