// Package lines reads text files of words, line by line, with errors that name the line.
package lines

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Limits of the text.
const (
	MaxBytes = 4096 // default limit of a line
	MaxQuote = 40   // bytes of a quotation in an error
)

// Format describes the format of a file.
type Format struct {
	Package string // package name with which errors begin
	// MaxIdle is the largest number of lines without words, 0 for any number. It keeps a file from taking
	// more time than the counts in its header justify.
	MaxIdle int
	// Place names the part of the file in which an error is, for messages, after the line number; nil or
	// "" for none.
	Place    func() string
	MaxBytes int // limit of a line; default [MaxBytes]
	// Words splits a line; default [Words].
	Words func(line string) []string
}

// Reader reads a file.
type Reader struct {
	Number int // number of the last line, from 1

	format  Format
	scanner *bufio.Scanner
	idle    int
}

// Unmarked returns the beginning of a text without the byte-order mark that some editors put there. It returns an
// error for a text in UTF-16, with or without a mark; of one without, start must have 4 bytes or more.
func Unmarked(start []byte) ([]byte, error) {
	zeros := bytes.Map(func(r rune) rune { return min(r, 1) }, start[:min(4, len(start))])
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) || string(zeros) == "\x01\x00\x01\x00" || string(zeros) == "\x00\x01\x00\x01" {
		return nil, errors.New("the text is in UTF-16, but must be in UTF-8; iconv -f UTF-16 -t UTF-8 converts it")
	}
	return bytes.TrimPrefix(start, []byte("\ufeff")), nil
}

// failing returns a reader that returns an error.
func failing(err error) io.Reader {
	r, end := io.Pipe()
	_ = end.CloseWithError(err) // always nil
	return r
}

// SkipMark returns a reader of a text that skips a byte-order mark. It returns an error for a text in UTF-16, or if
// r is nil.
func SkipMark(r io.Reader) io.Reader {
	if r == nil {
		return failing(errors.New("the reader must be set"))
	}
	b := bufio.NewReader(r)
	start, _ := b.Peek(4) // the next read returns the error again
	text, err := Unmarked(start)
	if err != nil {
		return failing(err)
	}
	_, _ = b.Discard(len(start) - len(text))
	return b
}

// New returns a Reader of a text. It skips a byte-order mark and refuses UTF-16, as [SkipMark].
func New(r io.Reader, f Format) *Reader {
	scanner := bufio.NewScanner(SkipMark(r))
	f.MaxBytes = cmp.Or(f.MaxBytes, MaxBytes)
	scanner.Buffer(make([]byte, min(f.MaxBytes, MaxBytes)), f.MaxBytes)
	if f.Words == nil {
		f.Words = Words
	}
	return &Reader{scanner: scanner, format: f}
}

// Words splits a line at spaces. A line that begins with # is a comment, without words.
func Words(line string) []string {
	words := strings.Fields(line)
	if len(words) > 0 && strings.HasPrefix(words[0], "#") {
		return nil
	}
	return words
}

// Each calls read with the words of each line that has words, until read fails.
func (l *Reader) Each(read func(words []string) error) error {
	for l.scanner.Scan() {
		l.Number++
		words := l.format.Words(l.scanner.Text())
		if len(words) == 0 {
			if l.idle++; l.idle > l.format.MaxIdle && l.format.MaxIdle > 0 {
				return l.Wrong("more than %d empty lines and comments", l.format.MaxIdle)
			}
			continue
		}
		if err := read(words); err != nil {
			return err
		}
	}
	switch err := l.scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		l.Number++
		return l.Wrong("more than %d bytes in a line", l.format.MaxBytes)
	case err != nil:
		return fmt.Errorf("%s: after line %d: %w", l.format.Package, l.Number, err)
	}
	return nil
}

// Wrong returns an error about the last line.
func (l *Reader) Wrong(format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if l.format.Place != nil && l.format.Place() != "" {
		text = l.format.Place() + ": " + text
	}
	return fmt.Errorf("%s: line %d: %s", l.format.Package, l.Number, text)
}

// Integer reads the word after a key as an integer in [least, most].
func (l *Reader) Integer(key, word string, least, most int64) (int64, error) {
	v, err := strconv.ParseInt(word, 10, 64)
	if err != nil || v < least || v > most {
		return 0, l.Wrong("%s: found %s, expected an integer in [%d, %d]", key, Quote(word), least, most)
	}
	return v, nil
}

// ValueOf returns the only word after a key.
func (l *Reader) ValueOf(words []string) (string, error) {
	if len(words) != 2 {
		return "", l.Wrong("found %d words, expected %s and a number", len(words), Quote(words[0]))
	}
	return words[1], nil
}

// Quote returns text in quotes, shortened if long, with unprintable characters escaped.
func Quote(text string) string {
	if len(text) > MaxQuote {
		return strconv.QuoteToASCII(text[:MaxQuote]) + "..."
	}
	return strconv.QuoteToASCII(text)
}
