package main

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a message: files and flags may hold anything, and messages quote them.
const (
	longestWord    = 512 // bytes; paths are words
	keptOfWord     = 60
	longestMessage = 4096
)

// oneLine returns a message as one line that can be printed: its lines joined,
// what does not print replaced, and what is too long cut.
func oneLine(message string) string {
	var b strings.Builder
	for i, word := range strings.Split(strings.ReplaceAll(message, "\n", "; "), " ") {
		if i > 0 {
			b.WriteByte(' ')
		}
		if len(word) > longestWord {
			word = cut(word, keptOfWord)
		}
		for _, r := range word {
			if !unicode.IsPrint(r) {
				r = unicode.ReplacementChar
			}
			b.WriteRune(r)
		}
		if b.Len() > longestMessage {
			return cut(b.String(), longestMessage)
		}
	}
	return b.String()
}

// cut returns the first bytes of a text, up to the end of a character, and that
// there were more.
func cut(text string, length int) string {
	for !utf8.RuneStart(text[length]) && length > 0 {
		length--
	}
	return text[:length] + "..."
}
