package view

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

	"repslab/internal/console"
	"repslab/internal/frame"
	"repslab/internal/lists"
	"repslab/internal/rows"
	"repslab/internal/wholefile"
)

// Output is the destination of a command's rows. Opening it writes only the header of CSV on the standard
// output.
type Output struct {
	file   *wholefile.File // nil on the standard output
	Timing bool            // rows have the columns of --timing
	number int             // number of rows written

	Partial   int    // rows of the interrupted point
	Remainder string // describes these rows

	*rows.RowWriter // nil until the columns are known
	to              io.Writer
	flags           *Flags
	head            *rows.Table // the table with the columns of the rows
	columns         []rowColumn
	kept            []rows.Row // rows kept until all are known, if the output depends on all
}

// Open returns the destination of the rows of a table. Hidden columns are printed only if --columns names
// them. A pipe is opened at once; this waits for a reader until ctx is done.
func (f *Flags) Open(ctx context.Context, stdout io.Writer, t *rows.Table, hidden ...string) (*Output, error) {
	if err := f.Check(t); err != nil {
		return nil, err
	}
	if f.Format == rows.LaTeX && hidden == nil {
		hidden = besidePaper(t)
	}
	var err error
	r := &Output{to: stdout, flags: f, head: t, columns: f.shown(t, hidden)}
	if f.Output != "" {
		if r.file, err = console.OutputFile("-o", f.Output, f.Force); err != nil {
			return nil, err
		}
		r.to = r.file
		if info, err := os.Stat(f.Output); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
			if _, err := console.Promptly(ctx, func() (int, error) { return r.file.Write(nil) }); err != nil {
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

// discard discards the new data, leaves an existing file as it was, and returns err, which ends the
// output.
func (r *Output) discard(err error) error {
	if r.file != nil {
		err = cmp.Or(err, r.file.Abort())
	}
	return err
}

// Place names the place of the output.
func (f *Flags) Place() string { return cmp.Or(f.Output, "the standard output") }

// begin opens the table of the output.
func (r *Output) begin(remark string) (err error) {
	list := lists.Map(r.columns, func(c rowColumn) frame.Column { return c.Column })
	if r.RowWriter, err = rows.NewWriter(r.to, r.flags.Format, list); err != nil {
		return err
	}
	if remark != "" {
		file := filepath.Base(cmp.Or(r.flags.Output, r.head.Model.Name))
		r.Remark, r.Caption, r.Label = remark, "Estimates with 95 % intervals.", "tab:"+file[:len(file)-len(filepath.Ext(file))]
	}
	if width, ok := console.TerminalWidth(r.to); ok {
		r.Width = width
	}
	return nil
}

// Write adds a row.
func (r *Output) Write(cells []any) error {
	r.number++
	for i, v := range cells {
		checked, err := frame.Check(v) // NaN and infinities become null
		if err != nil {
			return err
		}
		cells[i] = checked
	}
	row := rows.Row{Table: r.head, Cells: cells}
	if r.flags.waits() {
		r.kept = append(r.kept, row)
		return nil
	}
	return r.print(row)
}

// print writes the printed cells of a row.
func (r *Output) print(row rows.Row) error {
	return r.RowWriter.Write(lists.Map(r.columns, func(c rowColumn) any { return c.cell(row) }))
}

// Close completes the data.
func (r *Output) Close() error {
	if !r.flags.waits() {
		return r.RowWriter.Close()
	}
	slices.SortStableFunc(r.kept, r.flags.order)
	remark, left := "", len(r.columns)
	if r.flags.isBrief() && r.head.Model.Brief != nil && len(r.kept) > 0 {
		r.columns = briefly(r.head, r.columns, r.kept)
	}
	left -= len(r.columns)
	if r.flags.Format == rows.LaTeX && len(r.kept) > 0 {
		r.columns, remark = r.flags.forPaper(r.columns, r.head, r.kept)
	}
	if err := r.begin(remark + r.Remainder); err != nil {
		return err
	}
	for _, row := range r.kept {
		if err := r.print(row); err != nil {
			return err
		}
	}
	err := r.RowWriter.Close()
	if err == nil && r.flags.isBrief() && left > 0 {
		_, err = fmt.Fprintf(r.to, "%s: --columns %s\n", console.Count(left, "more column"), allColumns)
	}
	if err == nil && r.flags.Format == rows.Aligned && r.Partial > 0 {
		_, err = fmt.Fprintf(r.to, "interrupted: %s\n", strings.TrimPrefix(r.Remainder, RemainderJoint))
	}
	return err
}

// RemainderJoint joins the description of the rows of an interrupted point to the description of the
// others.
const RemainderJoint = "; "

// Print writes all rows of a table.
func (f *Flags) Print(ctx context.Context, stdout io.Writer, t *rows.Table, hidden ...string) error {
	r, err := f.Open(ctx, stdout, t, hidden...)
	if err != nil {
		return err
	}
	for _, row := range t.Rows {
		err := ctx.Err()
		if err == nil {
			err = r.Write(row.Cells)
		}
		if err != nil {
			return r.Finish(ctx, err)
		}
	}
	return r.Finish(ctx, nil)
}

// Finish completes the data. Rows written before an interruption stay; any other
// failure, and an interruption before the first row, leaves a file as it was.
func (r *Output) Finish(ctx context.Context, failure error) error {
	stopped := failure != nil && errors.Is(failure, ctx.Err())
	if failure != nil && (!stopped || r.number == 0) {
		failure = r.discard(failure)
		if stopped {
			return console.Interrupted("no row was written", failure)
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
	if err == nil && stopped {
		return console.Interrupted(fmt.Sprintf("the finished rows (%d) are written to %s", r.number-r.Partial, r.flags.Place())+r.Remainder, failure)
	}
	return cmp.Or(err, failure)
}
