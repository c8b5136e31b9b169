package console

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// listItem matches the beginning of an entry of a list: a name and a gap behind it, if any.
var listItem = regexp.MustCompile(`^ +(?:\S+(?: \S+)*? {2,})?`)

// Wrap returns a text in lines of at most width columns where its words allow it. Lines that begin
// with a space are entries of lists: they stay apart, and their own further lines begin where
// their texts do, as lines that are indented by as much continue them.
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

// Limits of a message: files and flags may hold anything, and messages quote them.
const (
	longestWord    = 512 // bytes; paths are words
	keptOfWord     = 60
	LongestMessage = 4096
)

// OneLine returns a message as one line that can be printed: its lines joined, characters
// that do not print replaced, and long words and messages cut.
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

// cut returns the first bytes of a text, up to the end of a character, and dots.
func cut(text string, length int) string {
	for !utf8.RuneStart(text[length]) && length > 0 {
		length--
	}
	return text[:length] + "..."
}

// Count returns a number of things in words.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
