package table

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// terminalWidth is the width, in characters, beyond which a text table lists the
// columns that hold one value above the others.
const terminalWidth = 100

// encodeTerminal appends a table for terminals: columns side by side, or, where
// that is wider than a terminal, first the columns that hold the same value in
// all rows, as "key = value", then the others side by side. A table of one row
// so becomes a list.
func encodeTerminal(buf *bytes.Buffer, columns []Column, rows [][]any) error {
	if len(rows) == 0 || textWidth(columns, rows) <= terminalWidth {
		return encodeText(buf, columns, rows)
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

// textWidth returns the width of a text table: a space before and after each
// cell and one between columns.
func textWidth(columns []Column, rows [][]any) int {
	width := 0
	for i, c := range columns {
		widest := utf8.RuneCountInString(c.Key)
		for _, row := range rows {
			widest = max(widest, utf8.RuneCountInString(humanText(row[i])))
		}
		width += widest + 2
	}
	return width
}

// constant says whether a column holds the same value in all rows.
func constant(rows [][]any, column int) bool {
	for _, row := range rows {
		if row[column] != rows[0][column] {
			return false
		}
	}
	return true
}

// writeWrapped writes texts side by side, with line breaks between them so that
// no line but one of a single text is wider than a terminal.
func writeWrapped(buf *bytes.Buffer, texts []string) {
	width := 0
	for _, text := range texts {
		w := utf8.RuneCountInString(text) + 3
		if width > 0 && width+w > terminalWidth {
			buf.WriteByte('\n')
			width = 0
		}
		if width == 0 {
			buf.WriteByte(' ')
		} else {
			buf.WriteString("   ")
		}
		buf.WriteString(text)
		width += w
	}
	if width > 0 {
		buf.WriteByte('\n')
	}
}
