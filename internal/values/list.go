package values

import (
	"fmt"
	"strings"
)

// maxValues is the most values that one text may stand for.
const maxValues = 1_000_000

// items returns the trimmed items of a list, none of them empty.
func items(text string) ([]string, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("%s: a value is missing", quote(text))
	}
	if strings.Count(text, ",") >= maxValues {
		return nil, errTooMany(text)
	}
	list := strings.Split(text, ",")
	for i, item := range list {
		list[i] = strings.TrimSpace(item)
		if list[i] == "" {
			return nil, fmt.Errorf("%s: item %d of the list is empty", quote(text), i+1)
		}
	}
	return list, nil
}

// errTooMany says that text stands for more than maxValues values.
func errTooMany(text string) error {
	return fmt.Errorf("%s: a list or range has at most %d values", quote(text), maxValues)
}

// stepKind says how a range goes from one value to the next.
type stepKind uint8

const (
	stepDefault stepKind = iota // add 1, as no step is written
	stepAdd
	stepMultiply
)

// span is the text of a range in its parts, none of them empty.
type span struct {
	text        string // the whole item
	first, last string
	kind        stepKind
	step        string // "1" for stepDefault
}

// isSpan reports whether an item is written as a range.
func isSpan(item string) bool { return strings.Contains(item, "..") }

// cutSpan takes the text of a range apart. The example is a correct range to
// show in errors.
func cutSpan(item, example string) (span, error) {
	first, rest, _ := strings.Cut(item, "..")
	last, step, hasStep := strings.Cut(rest, ":")
	s := span{
		text:  item,
		first: strings.TrimSpace(first),
		last:  strings.TrimSpace(last),
		step:  "1",
	}
	if s.first == "" || s.last == "" || strings.Contains(last, "..") {
		return span{}, s.errorf("a range needs two ends, such as %s", example)
	}
	if hasStep {
		s.kind, s.step = cutStep(strings.TrimSpace(step))
		if s.step == "" {
			return span{}, s.errorf("a step is written :+2 to add 2 or :x2 to multiply by 2")
		}
	}
	return s, nil
}

// cutStep returns the parts of a step such as "+2" or "x2". An empty second
// result says that it is not well formed.
func cutStep(text string) (stepKind, string) {
	if step, ok := strings.CutPrefix(text, "+"); ok {
		return stepAdd, strings.TrimSpace(step)
	}
	if factor, ok := strings.CutPrefix(text, "x"); ok {
		return stepMultiply, strings.TrimSpace(factor)
	}
	return stepDefault, ""
}

// errorf returns an error that shows the range.
func (s span) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %s", quote(s.text), fmt.Sprintf(format, args...))
}

// errDescending says that the first end is above the last.
func (s span) errDescending() error {
	return s.errorf("a range must ascend, from its smaller end to its larger")
}

// errFirstNotPositive says that multiplying leads nowhere from the first end.
func (s span) errFirstNotPositive() error {
	return s.errorf("a range that multiplies must start above 0")
}

// checkLoneStep refuses a step after a single value, such as 16:+2.
func checkLoneStep(item, example string) error {
	if strings.Contains(item, ":") {
		return fmt.Errorf("%s: a step needs a range, such as %s", quote(item), example)
	}
	return nil
}
