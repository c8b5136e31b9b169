package table

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// terminalWidth is the width, in characters, beyond which a text table lists the
// columns that hold one value above the others.
const terminalWidth = 100

// encodeTerminal appends a table for terminals: columns side by side, or, where
// that is wider than a terminal, first the columns that hold the same value in
// all rows, as "key = value", then the others side by side. A wide table of one row
// is a list.
func encodeTerminal(buf *bytes.Buffer, columns []Column, rows [][]any) error {
	var whole bytes.Buffer
	if err := encodeText(&whole, columns, rows); err != nil {
		return err
	}
	if _, rule, _ := strings.Cut(whole.String(), "\n"); len(rows) == 0 || strings.IndexByte(rule, '\n') <= terminalWidth {
		_, err := whole.WriteTo(buf)
		return err
	}
	var common []string
	var varying []Column
	kept := make([][]any, len(rows))
	for i, c := range columns {
		if constant(rows, i) {
			common = append(common, plainCell(c.Key)+" = "+plainCell(humanText(rows[0][i])))
			continue
		}
		varying = append(varying, c)
		for r, row := range rows {
			kept[r] = append(kept[r], row[i])
		}
	}
	if len(varying) == 0 {
		buf.WriteString(" " + strings.Join(common, "\n ") + "\n")
		return nil
	}
	writeWrapped(buf, common)
	return encodeText(buf, varying, kept)
}

// constant reports whether a column holds the same value in all rows.
func constant(rows [][]any, column int) bool {
	for _, row := range rows {
		if row[column] != rows[0][column] {
			return false
		}
	}
	return true
}

// writeWrapped writes texts side by side in lines no wider than a terminal; a
// longer text has a line of its own.
func writeWrapped(buf *bytes.Buffer, texts []string) {
	line := ""
	for _, text := range texts {
		if line != "" && utf8.RuneCountInString(line+text)+5 > terminalWidth {
			buf.WriteString(line + "\n")
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += " " + text
	}
	if line != "" {
		buf.WriteString(line + "\n")
	}
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
		buf.WriteString(strings.TrimRight(line, " \n") + "\n")
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
		align[i], keys[i] = tw.AlignLeft, escape(c.Key)
		if c.Numeric {
			align[i] = tw.AlignRight
		}
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
			return fmt.Errorf("table: row: %w", err)
		}
	}
	return t.Render()
}

// control finds control characters.
var control = regexp.MustCompile(`[\x00-\x1f\x7f]`)

// plainCell keeps a cell of a text table on one line.
func plainCell(s string) string { return control.ReplaceAllString(s, " ") }

// markup finds what Markdown would read as markup; an underscore inside a word is none.
var markup = regexp.MustCompile("[\\\\`*<\\[\\]&$~|]|\\b_|_\\b")

// markdownCell escapes what Markdown would read as markup, keeping a cell on one line.
func markdownCell(s string) string {
	s = markup.ReplaceAllString(s, `\$0`)
	return plainCell(strings.NewReplacer("\r\n", "<br>", "\n", "<br>").Replace(s))
}
