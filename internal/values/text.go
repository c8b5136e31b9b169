package values

import (
	"fmt"
	"regexp"
	"strconv"
)

// The forms of numbers.
var (
	isInteger = regexp.MustCompile(`^-?[0-9]+$`)
	isNumber  = regexp.MustCompile(`^-?` + unsigned + `$`)
	isZero    = regexp.MustCompile(`^-?[0.]*([eE].*)?$`) // of numbers
)

// unsigned matches a number without a sign.
const unsigned = `[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?`

// maxNumberLength is the largest number of characters of a number that may be a fraction.
const maxNumberLength = 60

// checkLength returns an error for a number of too many characters in a text.
func checkLength(text string, characters int) error {
	if characters > maxNumberLength {
		return fmt.Errorf("%s: a number has at most %d characters", quote(text), maxNumberLength)
	}
	return nil
}

// quote returns text for an error: safe for a terminal, on one line, cut.
func quote(text string) string {
	head, more := cut(text)
	return strconv.Quote(head) + more
}

// show returns text for an error without quotes. It is for text that a
// grammar has already found to be plain ASCII.
func show(text string) string {
	head, more := cut(text)
	return head + more
}

// cut returns the first 60 characters of text, and "..." if there are more, else "".
func cut(text string) (head, more string) {
	if head = fmt.Sprintf("%.60s", text); head != text {
		more = "..."
	}
	return head, more
}
