// Package faults reports values that are not allowed, in the form that all packages of the module share. It imports
// only the standard library.
package faults

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// FieldError reports a field of a configuration, or an argument, whose value is not
// allowed. The Validate methods of the module return them joined, so a program that reads
// its parameters from flags or files finds them by errors.As and reports each under the
// name of its own parameter, by [FieldError.About].
type FieldError struct {
	Package string // package that refuses the value: "ballsbins"
	Field   string // as in the configuration: "Bins", or "Flows[3].Bytes" within a list
	Value   any    // the refused value
	Problem string // the constraint, as a predicate: "must be in [1, 16777216]"
}

// New returns the fault of a field or an argument. The constraint is a format
// for its arguments, such as "must be in [1, %d]".
func New(pkg, field string, value any, constraint string, args ...any) *FieldError {
	return &FieldError{pkg, field, value, fmt.Sprintf(constraint, args...)}
}

// Error returns "ballsbins: Bins (0) must be in [1, 16777216]". Strings are quoted, and long values are
// cut.
func (e *FieldError) Error() string { return e.Package + ": " + e.About(e.Field) }

// About returns the message without the package and with another name for the field:
// About("--bins") is "--bins (0) must be in [1, 16777216]".
func (e *FieldError) About(name string) string {
	return fmt.Sprintf("%s (%s) %s", name, valueText(e.Value), e.Problem)
}

// Text is a value that messages show as it is: strings are quoted.
type Text string

// valueText returns a value as messages show it: strings are quoted, except a [Text]. Values of more than 60
// characters are cut after 60, with "..." behind.
func valueText(value any) string {
	const most = 60
	text := fmt.Sprint(value)
	if utf8.RuneCountInString(text) > most {
		text = fmt.Sprintf("%.*s...", most, text)
	}
	if _, plain := value.(Text); plain || reflect.ValueOf(value).Kind() != reflect.String {
		return text
	}
	return strconv.Quote(text)
}

// List collects the field errors of one Validate method. Its zero value with the
// name of the package is ready for use.
type List struct {
	Package string
	errs    []error
}

// Refuse records the error that [New] returns.
func (f *List) Refuse(field string, value any, constraint string, args ...any) {
	f.errs = append(f.errs, New(f.Package, field, value, constraint, args...))
}

// Check calls Refuse unless ok. It allocates for its arguments even if ok; a Validate
// method that is called a million times tests the condition itself and calls Refuse.
func (f *List) Check(ok bool, field string, value any, constraint string, args ...any) {
	if !ok {
		f.Refuse(field, value, constraint, args...)
	}
}

// In refuses an integer that is not in [least, most]. It allocates only for a fault.
func (f *List) In(field string, value, least, most int) {
	if value < least || value > most {
		f.Refuse(field, value, "must be in [%d, %d]", least, most)
	}
}

// OneOf refuses a value that is not among those allowed. It allocates only for a fault.
func OneOf[T comparable](f *List, field string, value T, allowed []T) {
	if f == nil {
		panic("faults: OneOf: f must not be nil")
	}
	if !slices.Contains(allowed, value) {
		f.Refuse(field, value, "must be one of %v", allowed)
	}
}

// Add records an error of another Validate method; nil is ignored.
func (f *List) Add(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// Err returns the recorded faults, joined, or nil if there are none.
func (f *List) Err() error { return errors.Join(f.errs...) }
