package console

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listItem matches the beginning of a list entry: the indent and, if there is one, a name with the gap
// behind it.
var listItem = regexp.MustCompile(`^ +(?:\S+(?: \S+)*? {2,})?`)

// Wrap breaks a text into lines of at most width columns if its words allow it. Lines that begin with a
// space are list entries. They stay separate, and their continuation lines are indented to the column in
// which the text of the entry begins. A line of text with that indent continues the entry.
func Wrap(text string, width int) string {
	var lines []string
	indent := 0
	for line := range strings.SplitSeq(text, "\n") {
		first := listItem.FindString(line)
		continues := len(lines) > 0 && lines[len(lines)-1] != "" && len(first) == indent && strings.TrimSpace(first) == ""
		if line == "" || !continues {
			lines, indent = append(lines, first), len(first)
		}
		for word := range strings.FieldsSeq(line[len(first):]) {
			last := &lines[len(lines)-1]
			switch {
			case len(*last) == indent:
				*last += word
			case utf8.RuneCountInString(*last+" "+word) > width:
				lines = append(lines, strings.Repeat(" ", indent)+word)
			default:
				*last += " " + word
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Limits of a message: messages quote files and flags, which may hold anything.
const (
	longestWord    = 512 // bytes; paths are words
	keptOfWord     = 60
	LongestMessage = 4096
)

// OneLine returns a message as one printable line: it joins lines, replaces characters that do not print,
// and cuts long words and messages.
func OneLine(message string) string {
	words := strings.Split(strings.ReplaceAll(message, "\n", "; "), " ")
	for i, word := range words {
		if len(word) > longestWord {
			word = cut(word, keptOfWord)
		}
		words[i] = strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return unicode.ReplacementChar
			}
			return r
		}, word)
	}
	line := strings.Join(words, " ")
	if len(line) > LongestMessage {
		return cut(line, LongestMessage)
	}
	return line
}

// cut returns the first bytes of a text, without a partial character, followed by dots.
func cut(text string, length int) string {
	for !utf8.RuneStart(text[length]) && length > 0 {
		length--
	}
	return text[:length] + "..."
}

// Count returns a number with its noun, in the plural unless the number is 1.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
