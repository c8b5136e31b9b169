package rows

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"repslab/internal/frame"
	"repslab/internal/lists"
)

// defaultWidth is the width of an aligned table, in characters, unless its writer says otherwise.
const defaultWidth = 100

// encodeTerminal appends a table for terminals of the given width. In a table that is wider it first
// lists the columns with a single value, and names the columns without values and (if there are several)
// the columns that are 0. A single row becomes a list. If the other columns are still too wide, each row
// becomes a column or, if there are too many rows, blocks of columns follow each other.
func encodeTerminal(buf *bytes.Buffer, columns []frame.Column, rows [][]any, width int) error {
	if len(rows) == 0 || textWidth(columns, rows) <= width {
		return encodeText(buf, columns, rows)
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
		return nil
	}
	columns, rows = pick(columns, rows, varying)
	if textWidth(columns, rows) > width {
		turned, lines := transpose(columns, rows)
		if textWidth(turned, lines) > width {
			return encodeBlocks(buf, columns, rows, width)
		}
		columns, rows = turned, lines
	}
	return encodeText(buf, columns, rows)
}

// fold returns the positions of the columns with cells that vary over the rows, the columns with a single
// value as "key = value", and the keys of the columns without values.
func fold(columns []frame.Column, rows [][]any) (varying []int, common, empty []string) {
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
func pick(columns []frame.Column, rows [][]any, places []int) (picked []frame.Column, kept [][]any) {
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
func transpose(columns []frame.Column, rows [][]any) (turned []frame.Column, lines [][]any) {
	turned = []frame.Column{{Key: columns[0].Key}}
	lines = make([][]any, len(columns)-1)
	for i := range lines {
		lines[i] = []any{columns[i+1].Key}
	}
	for _, row := range rows {
		turned = append(turned, frame.Column{Key: humanText(row[0]), Numeric: true})
		for i := range lines {
			lines[i] = append(lines[i], row[i+1])
		}
	}
	return turned, lines
}

// encodeBlocks splits a table into several, each with some of the columns, and appends them. Each begins with the first
// columns that tell the rows apart, without those that would leave no room for another column.
func encodeBlocks(buf *bytes.Buffer, columns []frame.Column, rows [][]any, width int) error {
	widthOf := func(i int) int { return textWidth(pick(columns, rows, []int{i})) }
	prefix, widest := 1, 0
	for prefix < len(columns)-1 && !distinct(rows, prefix) {
		prefix++
	}
	for i := prefix; i < len(columns); i++ {
		widest = max(widest, widthOf(i))
	}
	keys, others, taken := []int{0}, []int{}, widthOf(0)
	for i := 1; i < len(columns); i++ {
		if w := widthOf(i); i < prefix && taken+w+widest <= width {
			keys, taken = append(keys, i), taken+w
		} else {
			others = append(others, i)
		}
	}
	for begin := 0; begin < len(others); {
		block, room, end := slices.Clone(keys), width-taken, begin
		for end == begin || end < len(others) && widthOf(others[end]) <= room {
			block, room, end = append(block, others[end]), room-widthOf(others[end]), end+1
		}
		if begin > 0 {
			fmt.Fprintf(buf, "\n more columns (%d to %d of %d):\n", len(keys)+begin+1, len(keys)+end, len(columns))
		}
		heads, cells := pick(columns, rows, block)
		if err := encodeText(buf, heads, cells); err != nil {
			return err
		}
		begin = end
	}
	return nil
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
func textWidth(columns []frame.Column, rows [][]any) (width int) {
	for i, c := range columns {
		most := utf8.RuneCountInString(plainCell(c.Key))
		for _, row := range rows {
			most = max(most, utf8.RuneCountInString(plainCell(humanText(row[i]))))
		}
		width += most + 2
	}
	return width
}

// writeWrapped writes items with gaps between them, in lines of at most the given width. A longer item
// gets a line of its own.
func writeWrapped(buf *bytes.Buffer, items []string, gap string, width int) {
	room := 0
	for i, item := range items {
		length := utf8.RuneCountInString(gap + item)
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
func encodeText(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error {
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
func encodeMarkdown(buf *bytes.Buffer, columns []frame.Column, rows [][]any) error {
	return encodeAligned(buf, columns, rows, renderer.NewMarkdown(), markdownCell)
}

// encodeAligned appends a table drawn by r. Every text is passed through escape.
func encodeAligned(buf *bytes.Buffer, columns []frame.Column, rows [][]any, r tw.Renderer, escape func(string) string) error {
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
		texts := lists.Map(row, func(v any) string { return escape(humanText(v)) })
		if err := t.Append(texts); err != nil {
			return fmt.Errorf("rows: row: %w", err)
		}
	}
	return t.Render()
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

// humanText returns the text of a checked cell for people; nil is "-".
func humanText(v any) string {
	switch x := v.(type) {
	case nil:
		return "-"
	case float64:
		return frame.Human(x)
	default:
		return fmt.Sprint(x)
	}
}
