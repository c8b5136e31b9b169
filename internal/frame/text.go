package frame

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"repslab/internal/lists"
)

// defaultWidth is the width of an aligned table, in characters, unless its writer says otherwise.
const defaultWidth = 100

// encodeTerminal appends a table for terminals of the given width. In a table that is wider it first
// lists the columns with a single value, and names the columns without values and (if there are several)
// the columns that are 0. A single row becomes a list. If the other columns are still too wide, each row
// becomes a column or, if there are too many rows, blocks of columns follow each other.
func encodeTerminal(buf *bytes.Buffer, columns []Column, rows [][]any, width int) {
	if len(rows) == 0 || textWidth(columns, rows) <= width {
		encodeText(buf, columns, rows)
		return
	}
	varying, common, empty := fold(columns, rows)
	common, zero := withoutZeros(common)
	side := width
	if len(rows) == 1 {
		side = 0 // each item on its own line
	}
	writeWrapped(buf, common, "   ", side)
	writeNames := func(label string, names []string) {
		if len(names) > 0 {
			writeWrapped(buf, strings.Fields(label+strings.Join(names, ", ")), " ", width)
		}
	}
	writeNames("zero: ", zero)
	writeNames("no value: ", empty)
	if len(varying) == 0 {
		return
	}
	columns, rows = pick(columns, rows, varying)
	if textWidth(columns, rows) > width {
		turned, lines := transpose(columns, rows)
		if textWidth(turned, lines) > width {
			encodeBlocks(buf, columns, rows, width)
			return
		}
		columns, rows = turned, lines
	}
	encodeText(buf, columns, rows)
}

// fold returns the positions of the columns with cells that vary over the rows, the columns with a single
// value as "key = value", and the keys of the columns without values.
func fold(columns []Column, rows [][]any) (varying []int, common, empty []string) {
	for i, c := range columns {
		switch v := rows[0][i]; {
		case slices.ContainsFunc(rows, func(row []any) bool { return row[i] != v }):
			varying = append(varying, i)
		case v == nil:
			empty = append(empty, plainCell(c.Key))
		default:
			common = append(common, plainCell(c.Key)+" = "+plainCell(humanText(v)))
		}
	}
	return varying, common, empty
}

// withoutZeros takes the items "key = 0" out of a list that has several of them.
func withoutZeros(common []string) (others, zero []string) {
	for _, item := range common {
		if key, is := strings.CutSuffix(item, " = 0"); is {
			zero = append(zero, key)
		} else {
			others = append(others, item)
		}
	}
	if len(zero) < 3 {
		return common, nil
	}
	return others, zero
}

// pick returns a table of the columns at the given places.
func pick(columns []Column, rows [][]any, places []int) (picked []Column, kept [][]any) {
	kept = make([][]any, len(rows))
	for _, i := range places {
		picked = append(picked, columns[i])
		for r, row := range rows {
			kept[r] = append(kept[r], row[i])
		}
	}
	return picked, kept
}

// transpose returns a table in which the columns are lines. The cells of the first column are its head.
func transpose(columns []Column, rows [][]any) (turned []Column, lines [][]any) {
	turned = []Column{{Key: columns[0].Key}}
	lines = make([][]any, len(columns)-1)
	for i := range lines {
		lines[i] = []any{columns[i+1].Key}
	}
	for _, row := range rows {
		turned = append(turned, Column{Key: humanText(row[0]), Numeric: true})
		for i := range lines {
			lines[i] = append(lines[i], row[i+1])
		}
	}
	return turned, lines
}

// encodeBlocks splits a table into several, each with some of the columns, and appends them. Each begins
// with the first columns that tell the rows apart, or with as many of them as half the width has room
// for.
func encodeBlocks(buf *bytes.Buffer, columns []Column, rows [][]any, width int) {
	widthAt := func(i int) int { return textWidth(pick(columns, rows, []int{i})) }
	keys, taken := []int{0}, widthAt(0)
	for next := 1; !distinct(rows, next) && next < len(columns)-1 && taken+widthAt(next) <= width/2; next++ {
		keys, taken = append(keys, next), taken+widthAt(next)
	}
	for begin := len(keys); begin < len(columns); {
		block, room, end := slices.Clone(keys), width-taken, begin
		for end == begin || end < len(columns) && widthAt(end) <= room {
			block, room, end = append(block, end), room-widthAt(end), end+1
		}
		if begin > len(keys) {
			fmt.Fprintf(buf, "\n more columns (%d to %d of %d):\n", begin+1, end, len(columns))
		}
		heads, cells := pick(columns, rows, block)
		encodeText(buf, heads, cells)
		begin = end
	}
}

// distinct reports whether the first columns tell all rows apart.
func distinct(rows [][]any, columns int) bool {
	seen := map[string]bool{}
	for _, row := range rows {
		seen[fmt.Sprintf("%q", row[:columns])] = true
	}
	return len(seen) == len(rows)
}

// textWidth returns the width of the table that [encodeText] appends.
func textWidth(columns []Column, rows [][]any) (width int) {
	_, _, widths := aligned(columns, rows, plainCell)
	return ruleWidth(widths)
}

// ruleWidth returns the width of a table for terminals with columns of the given widths.
func ruleWidth(widths []int) (width int) {
	for _, w := range widths {
		width += w + 2
	}
	return width
}

// writeWrapped writes items with gaps between them, in lines of at most the given width. A longer item
// gets a line of its own.
func writeWrapped(buf *bytes.Buffer, items []string, gap string, width int) {
	room := 0
	for i, item := range items {
		length := widthOf(gap + item)
		switch {
		case i == 0:
			buf.WriteString(" " + item)
			room = width - length
		case length <= room:
			buf.WriteString(gap + item)
			room -= length
		default:
			buf.WriteString("\n " + item)
			room = width - length
		}
	}
	if len(items) > 0 {
		buf.WriteString("\n")
	}
}

// encodeText appends a table for terminals: a header, a rule, aligned columns.
func encodeText(buf *bytes.Buffer, columns []Column, rows [][]any) {
	head, lines, widths := aligned(columns, rows, plainCell)
	write := func(cells []string) { buf.WriteString(strings.TrimRight(" "+strings.Join(cells, "  "), " ") + "\n") }
	write(head)
	if len(rows) > 0 {
		buf.WriteString(strings.Repeat("-", ruleWidth(widths)) + "\n")
	}
	for _, cells := range lines {
		write(cells)
	}
}

// encodeMarkdown appends a GitHub-flavoured Markdown table.
func encodeMarkdown(buf *bytes.Buffer, columns []Column, rows [][]any) {
	head, lines, widths := aligned(columns, rows, markdownCell)
	write := func(cells []string) { buf.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	write(head)
	for i, c := range columns {
		rule := strings.Repeat("-", widths[i]+1)
		if c.Numeric {
			buf.WriteString("|" + rule + ":")
		} else {
			buf.WriteString("|:" + rule)
		}
	}
	buf.WriteString("|\n")
	for _, cells := range lines {
		write(cells)
	}
}

// aligned returns the head and the lines of a table, each cell passed through escape and padded to the width of its
// column: on the left in columns of numbers, otherwise on the right.
func aligned(columns []Column, rows [][]any, escape func(string) string) (head []string, lines [][]string, widths []int) {
	lines = [][]string{lists.Map(columns, func(c Column) string { return escape(c.Key) })}
	for _, row := range rows {
		lines = append(lines, lists.Map(row, func(v any) string { return escape(humanText(v)) }))
	}
	for i, c := range columns {
		most := 0
		for _, line := range lines {
			most = max(most, widthOf(line[i]))
		}
		for _, line := range lines {
			padding := strings.Repeat(" ", most-widthOf(line[i]))
			if c.Numeric {
				line[i] = padding + line[i]
			} else {
				line[i] += padding
			}
		}
		widths = append(widths, most)
	}
	return lines[0], lines[1:], widths
}

// widthOf returns the number of places that a text takes on a terminal: two for a wide letter of Chinese, Japanese or
// Korean, none for a combining mark.
func widthOf(text string) (width int) {
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana), r >= 0xff01 && r <= 0xff60:
			width += 2
		default:
			width++
		}
	}
	return width
}

// control matches control characters.
var control = regexp.MustCompile(`[\x00-\x1f\x7f]`)

// plainCell keeps a cell of a text table on one line.
func plainCell(s string) string { return control.ReplaceAllString(s, " ") }

// markup matches characters that Markdown would read as markup; an underscore inside a word is not
// markup.
var markup = regexp.MustCompile("[\\\\`*<\\[\\]&$~|]|\\b_|_\\b")

// markdownCell escapes characters that Markdown would read as markup, and keeps a cell on one line.
func markdownCell(s string) string {
	s = markup.ReplaceAllString(s, `\$0`)
	return plainCell(strings.NewReplacer("\r\n", "<br>", "\n", "<br>").Replace(s))
}
