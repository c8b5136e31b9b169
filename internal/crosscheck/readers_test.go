package crosscheck

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"repslab/internal/mctest"
)

// mutation is a changed copy of a file, and the kind of the change.
type mutation struct{ kind, text string }

// number matches a number with its unit.
var number = regexp.MustCompile(`^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$`)

// scaled returns a word, a number with or without a unit, in a unit that is 10^power times as small.
func scaled(word string, power int, whole bool) (string, bool) {
	parts := number.FindStringSubmatch(word)
	if parts == nil {
		return word, false
	}
	v, err := strconv.ParseFloat(parts[1], 64)
	if v *= math.Pow10(power); whole {
		v = math.Round(v)
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + parts[2], err == nil
}

// table is a text in rows of words. Rows with the most frequent number of words are its columns.
type table struct {
	separator string
	rows      [][]string
	width     int
}

// tableOf returns the table of a text.
func tableOf(text, separator string) table {
	t, widths := table{separator: separator}, map[int]int{}
	for line := range strings.Lines(text) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), separator)
		t.rows = append(t.rows, row)
		widths[len(row)]++
		if widths[len(row)] > widths[t.width] {
			t.width = len(row)
		}
	}
	return t
}

// with returns the text of the table with another row in place of each row of its columns.
func (t table) with(change func(row []string) []string) string {
	var text strings.Builder
	for _, row := range t.rows {
		if len(row) == t.width {
			row = change(slices.Clone(row))
		}
		text.WriteString(strings.Join(row, t.separator) + "\n")
	}
	return text.String()
}

// columns returns the changes of whole columns: swapped, dropped, doubled, and in other units.
func (t table) columns() (list []mutation) {
	add := func(kind string, change func(row []string) []string) {
		list = append(list, mutation{kind, t.with(change)})
	}
	for i := range t.width {
		add(fmt.Sprintf("drop %d", i), func(row []string) []string { return slices.Delete(row, i, i+1) })
		add(fmt.Sprintf("double %d", i), func(row []string) []string { return slices.Insert(row, i, row[i]) })
		for j := range i {
			add(fmt.Sprintf("swap %d %d", j, i), func(row []string) []string {
				row[i], row[j] = row[j], row[i]
				return row
			})
		}
		for _, power := range []int{-6, -3, 3, 6} {
			for _, whole := range []bool{false, true} {
				add(fmt.Sprintf("scale %d by 1e%d", i, power), func(row []string) []string {
					row[i], _ = scaled(row[i], power, whole)
					return row
				})
			}
		}
	}
	return list
}

// words returns changes of one word, and of each number of the first line.
func (t table) words(r *rand.Rand) (list []mutation) {
	text := func() string { return t.with(func(row []string) []string { return row }) }
	change := func(kind string, at, word int, replacement string) {
		old := t.rows[at][word]
		t.rows[at][word] = replacement
		list = append(list, mutation{kind, text()})
		t.rows[at][word] = old
	}
	at := r.IntN(len(t.rows))
	word := r.IntN(len(t.rows[at]))
	old := t.rows[at][word]
	for _, replacement := range []string{"", "x", "NaN", "-1", "Inf", "0x10", "-WORD", "WORD.5", "WORD,5", "WORDe3", "WORDk", "+WORD", "٣"} {
		change(fmt.Sprintf("a word becomes %q", replacement), at, word, strings.ReplaceAll(replacement, "WORD", old))
	}
	for word, old := range t.rows[0] {
		for _, by := range []float64{-1, 1, 1000} {
			if v, err := strconv.ParseFloat(old, 64); err == nil {
				change(fmt.Sprintf("first line %d", word), 0, word, fmt.Sprint(v+by))
			}
		}
	}
	return list
}

// lines returns changes of whole lines.
func (t table) lines(r *rand.Rand) (list []mutation) {
	text := t.with(func(row []string) []string { return row })
	lines := strings.SplitAfter(text, "\n")
	lines = lines[:len(lines)-1]
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	add := func(kind string, changed ...string) { list = append(list, mutation{kind, strings.Join(changed, "")}) }
	add("line twice", slices.Insert(slices.Clone(lines), i, lines[i])...)
	add("line added at the end", slices.Insert(slices.Clone(lines), len(lines), lines[i])...)
	add("line missing", slices.Delete(slices.Clone(lines), i, i+1)...)
	add("first line missing", lines[1:]...)
	add("cut at a line", lines[:i]...)
	add("cut in a line", text[:len(text)-2-r.IntN(6)])
	add("twice", text, text)
	swapped := slices.Clone(lines)
	swapped[i], swapped[j] = swapped[j], swapped[i]
	add("lines swapped", swapped...)
	return list
}

// encodings returns the text in other encodings.
func encodings(r *rand.Rand, text string) []mutation {
	wide := func(big bool, mark string) string {
		out := []byte(mark)
		for _, unit := range utf16.Encode([]rune(text)) {
			if low, high := byte(unit), byte(unit>>8); big {
				out = append(out, high, low)
			} else {
				out = append(out, low, high)
			}
		}
		return string(out)
	}
	at := r.IntN(len(text))
	return []mutation{
		{"mark", "\ufeff" + text}, {"CRLF", strings.ReplaceAll(text, "\n", "\r\n")}, {"mark and CRLF", "\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")},
		{"CR", strings.ReplaceAll(text, "\n", "\r")}, {"UTF-16LE", wide(false, "\xff\xfe")}, {"UTF-16BE", wide(true, "\xfe\xff")},
		{"UTF-16LE without mark", wide(false, "")}, {"UTF-16BE without mark", wide(true, "")},
		{"NUL", text[:at] + "\x00" + text[at:]}, {"no-break space", strings.ReplaceAll(text, " ", "\u00a0")},
		{"blanks at ends", strings.ReplaceAll(text, "\n", " \t\n")}, {"no last line end", strings.TrimSuffix(text, "\n")},
	}
}

// fileFormat is a format that the program reads. Its reader returns the data and the warnings of a text.
type fileFormat struct {
	name, separator string
	draw            func(r *rand.Rand) string
	read            func(dir, text string) (data string, warnings []string, err error)
	// valid holds the beginnings of the kinds of changes after which a file is another valid one, so that no reader can
	// tell.
	valid []string
}

// TestReadersOfTables: a file of any format, of which columns, lines, words or the encoding were changed, is an error,
// gives a warning, or has the data of the original. The exceptions are changes that make another valid file; with
// REPSLAB_LONG=1, of which each must happen, so that the list stays short.
func TestReadersOfTables(t *testing.T) {
	draws := 2
	if mctest.Long() {
		draws = 60
	}
	for _, f := range fileFormats() {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(61, uint64(len(f.name))))
			dir := t.TempDir()
			silent, example := map[string]int{}, map[string]string{}
			for range draws {
				text := f.draw(r)
				want, warnings, err := f.read(dir, text)
				if err != nil || len(warnings) > 0 {
					t.Fatalf("%s\nwarnings %q, error %v", text, warnings, err)
				}
				table := tableOf(text, f.separator)
				for _, m := range slices.Concat(table.columns(), table.words(r), table.lines(r), encodings(r, text)) {
					data, warnings, err := f.read(dir, m.text)
					if err == nil && len(warnings) == 0 && data != want {
						silent[m.kind]++
						example[m.kind] = m.text
					}
				}
			}
			kinds := slices.Sorted(maps.Keys(silent))
			for _, kind := range kinds {
				if !slices.ContainsFunc(f.valid, func(valid string) bool { return strings.HasPrefix(kind, valid) }) {
					t.Errorf("%s: %d files of %d are read as other data without a word, such as\n%.600s", kind, silent[kind], draws, example[kind])
				}
			}
			for _, valid := range f.valid {
				if mctest.Long() && !slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(kind, valid) }) {
					t.Errorf("%s: never makes another valid file", valid)
				}
			}
		})
	}
}
