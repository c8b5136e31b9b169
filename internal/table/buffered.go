package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// buffered keeps the rows and encodes the whole table in Close.
type buffered struct {
	w       io.Writer
	columns []Column
	rows    [][]any
	encode  func(buf *bytes.Buffer, columns []Column, rows [][]any) error
	closed  bool
}

// Write implements [RowWriter].
func (b *buffered) Write(row []any) error {
	if b.closed {
		return errClosed
	}
	cells, err := checkRow(b.columns, row)
	if err != nil {
		return err
	}
	b.rows = append(b.rows, cells)
	return nil
}

// Close implements [RowWriter].
func (b *buffered) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	var buf bytes.Buffer
	if err := b.encode(&buf, b.columns, b.rows); err != nil {
		return err
	}
	_, err := b.w.Write(buf.Bytes())
	return err
}

// encodeText appends a table for terminals: a header, a rule, aligned columns.
func encodeText(buf *bytes.Buffer, columns []Column, rows [][]any) error {
	style := tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbolCustom("plain").WithRow("-").WithColumn(" ").WithCenter(" ").
			WithMidLeft("").WithMidRight("").WithHeaderLeft("").WithHeaderMid("").WithHeaderRight(""),
		Settings: tw.Settings{
			Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
		},
	}
	var padded bytes.Buffer
	if err := encodeAligned(&padded, columns, rows, renderer.NewBlueprint(style), plainCell); err != nil {
		return err
	}
	for line := range strings.Lines(padded.String()) {
		buf.WriteString(strings.TrimRight(line, " \n"))
		buf.WriteByte('\n')
	}
	return nil
}

// encodeMarkdown appends a GitHub-flavoured Markdown table.
func encodeMarkdown(buf *bytes.Buffer, columns []Column, rows [][]any) error {
	return encodeAligned(buf, columns, rows, renderer.NewMarkdown(), markdownCell)
}

// encodeAligned appends a table drawn by r, every text passed through escape.
func encodeAligned(buf *bytes.Buffer, columns []Column, rows [][]any, r tw.Renderer, escape func(string) string) error {
	align := make(tw.Alignment, len(columns))
	keys := make([]string, len(columns))
	for i, c := range columns {
		align[i] = tw.AlignLeft
		if c.Kind == NumberKind {
			align[i] = tw.AlignRight
		}
		keys[i] = escape(c.Key)
	}
	t := tablewriter.NewTable(buf,
		tablewriter.WithRenderer(r),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithTrimSpace(tw.Off),
	)
	t.Header(keys)
	for _, row := range rows {
		texts := make([]string, len(row))
		for i, v := range row {
			texts[i] = escape(humanText(v))
		}
		if err := t.Append(texts); err != nil {
			return fmt.Errorf("report: table row: %w", err)
		}
	}
	if err := t.Render(); err != nil {
		return fmt.Errorf("report: table: %w", err)
	}
	return nil
}

// plainCell keeps a cell of a text table on one line.
func plainCell(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// markdownCell escapes what Markdown would read as markup, keeping a cell on
// one line. An underscore inside a word is not markup and stays.
func markdownCell(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	runes := []rune(s)
	var b strings.Builder
	for i, r := range runes {
		switch {
		case r == '\n':
			b.WriteString("<br>")
		case r < ' ' || r == 0x7f:
			b.WriteByte(' ')
		case strings.ContainsRune("\\`*<[]&$~|", r),
			r == '_' && !(i > 0 && i+1 < len(runes) && isWord(runes[i-1]) && isWord(runes[i+1])):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isWord reports whether r is an ASCII letter, a digit or an underscore.
func isWord(r rune) bool {
	return r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
}
