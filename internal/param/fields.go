package param

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/faults"
	"repslab/internal/console"
	"repslab/internal/lists"
)

// Usagef returns an error about the flags of a command, as console.Usagef.
func Usagef(format string, args ...any) error { return console.Usagef(format, args...) }

// FieldFlags returns the flag of a library's field or argument.
type FieldFlags func(field string) (flag string, ok bool)

// AsFlags turns the error of a library into a usage error: each fault that it joins or wraps is reported under the
// name of its flag. A field of a list entry, such as Flows[3].Bytes, has the flag of the list. Usage errors are
// returned unchanged.
func AsFlags(err error, flag FieldFlags) error {
	if _, is := errors.AsType[*console.UsageError](err); err == nil || is {
		return err
	}
	return console.Usagef("%s", strings.Join(faultTexts(err, flag), "; "))
}

// faultTexts returns the messages of the faults that an error joins.
func faultTexts(err error, flag FieldFlags) []string {
	switch e := err.(type) {
	case *faults.FieldError:
		return []string{faultText(e, flag)}
	case interface{ Unwrap() []error }:
		return slices.Concat(lists.Map(e.Unwrap(), func(one error) []string { return faultTexts(one, flag) })...)
	}
	return []string{err.Error()}
}

// picoseconds finds the times of a fault in picoseconds.
var picoseconds = regexp.MustCompile(`\b[0-9]+ ps\b`)

// microseconds returns such a time in the unit of flags.
func microseconds(text string) string {
	ps, err := strconv.ParseInt(strings.TrimSuffix(text, " ps"), 10, 64)
	if err != nil {
		return text
	}
	return strconv.FormatFloat(float64(ps)/1e6, 'f', -1, 64) + " us"
}

// faultText returns the message of a fault, with the flag in place of the field if there is one.
func faultText(f *faults.FieldError, flagOf FieldFlags) string {
	if flag, ok := flagOf(f.Field); ok {
		return picoseconds.ReplaceAllStringFunc(f.About("--"+flag), microseconds)
	}
	list, entry, _ := strings.Cut(f.Field, "[")
	index, part, parted := strings.Cut(entry, "].")
	flag, known := flagOf(list)
	if !parted || !known {
		return f.Error()
	}
	entryName := strings.ToLower(strings.TrimSuffix(list, "s"))
	return f.About(fmt.Sprintf("--%s: %s %s: %s", flag, entryName, index, strings.ToLower(part)))
}
