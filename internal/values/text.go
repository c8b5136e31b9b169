package values

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// The forms of numbers.
var (
	isInteger = regexp.MustCompile(`^-?[0-9]+$`)
	isNumber  = regexp.MustCompile(`^-?` + unsigned + `$`)
	isZero    = regexp.MustCompile(`^-?[0.]*([eE].*)?$`) // matches numbers that are 0
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

// quote returns text for an error: safe for a terminal, on one line, and cut.
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

// cut returns the first 60 characters of text, and "..." if there are more, otherwise "".
func cut(text string) (head, more string) {
	if head = fmt.Sprintf("%.60s", text); head != text {
		more = "..."
	}
	return head, more
}

// slips lists notations that people use but the grammar lacks, with the notation of the grammar.
var slips = []struct {
	form *regexp.Regexp
	hint string // format of the hint; its arguments are the submatches
}{
	{regexp.MustCompile(`^(` + unsigned + `) *(?:-|–|to) *(` + unsigned + `)$`), "; a range is written $1..$2"},
	{regexp.MustCompile(`^0[0-9]{2}$|^[0-9]+(?:_[0-9]+)+$`), "; digits have no separators"},
	{regexp.MustCompile(`^[0-9.]+ *(?:e|E|\^|\*\*?) *[0-9]+$`), "; write all its digits"},
	{regexp.MustCompile(`^` + unsigned + ` *[A-Za-z/]+$`), "; it takes no unit"},
	{regexp.MustCompile(`^[\[({]`), "; a list is written 16,32 and a range 16..64"},
}

// hint returns the end of an error about a text that is not a number: the notation that was probably
// meant, or "" if that is unknown.
func hint(text string) string {
	if share, ok := strings.CutSuffix(text, "%"); ok && isNumber.MatchString(share) {
		if percent, err := strconv.ParseFloat(share, 64); err == nil {
			return fmt.Sprintf("; %s %% is written %v", show(share), percent/100)
		}
	}
	for _, s := range slips {
		if found := s.form.FindStringSubmatchIndex(text); found != nil && len(text) <= maxNumberLength {
			return string(s.form.ExpandString(nil, s.hint, text, found))
		}
	}
	return ""
}
