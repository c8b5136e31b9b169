package traffic

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits of the text, so that no file takes more time and memory than the counts in its
// header justify.
const (
	maxLineBytes  = 4096
	maxIdleLines  = 1 << 16 // empty lines and comments
	maxQuoteBytes = 40      // of a quotation in an error
	maxID         = 1<<31 - 1
)

// lines reads a file of words, line by line.
type lines struct {
	scanner *bufio.Scanner
	number  int // of the last line, from 1
	idle    int
}

func newLines(r io.Reader) *lines {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, maxLineBytes), maxLineBytes)
	return &lines{scanner: scanner}
}

// each passes the words of each line that is neither empty nor a comment to read, until
// that fails.
func (l *lines) each(read func(words []string) error) error {
	for l.scanner.Scan() {
		l.number++
		words := strings.Fields(l.scanner.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			if l.idle++; l.idle > maxIdleLines {
				return l.wrong("more than %d empty lines and comments", maxIdleLines)
			}
			continue
		}
		if err := read(words); err != nil {
			return err
		}
	}
	switch err := l.scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.number++
		return l.wrong("more than %d bytes in a line", maxLineBytes)
	case err != nil:
		return fmt.Errorf("traffic: after line %d: %w", l.number, err)
	}
	return nil
}

// wrong returns an error about the last line.
func (l *lines) wrong(format string, args ...any) error {
	return fmt.Errorf("traffic: line %d: %s", l.number, fmt.Sprintf(format, args...))
}

// integer reads the word after a key as an integer in [least, most].
func (l *lines) integer(key, word string, least, most int64) (int64, error) {
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || v < least || v > most {
		return 0, l.wrong("%s: found %s, expected an integer in [%d, %d]", key, quote(word), least, most)
	}
	return v, nil
}

// valueOf returns the only word after a key.
func (l *lines) valueOf(words []string) (string, error) {
	if len(words) != 2 {
		return "", l.wrong("found %d words, expected %s and a number", len(words), quote(words[0]))
	}
	return words[1], nil
}

// quote returns text in quotes, shortened if long, with unprintable characters escaped.
func quote(text string) string {
	if len(text) > maxQuoteBytes {
		return strconv.QuoteToASCII(text[:maxQuoteBytes]) + "..."
	}
	return strconv.QuoteToASCII(text)
}
