package mc

import (
	"errors"
	"fmt"
	"reflect"
)

// FieldError reports a field of a configuration, or an argument, whose value is not
// allowed. The Validate methods of the module return them joined, so a program that
// reads its parameters from flags or files can report the faults of its own
// parameters, by [FieldError.About].
type FieldError struct {
	Package string // that refuses the value: "ballsbins"
	Field   string // as in the configuration: "Bins"
	Value   any    // that was given
	Problem string // the constraint, as a predicate: "must be in [1, 16777216]"
}

// Error returns "ballsbins: Bins (0) must be in [1, 16777216]"; strings are quoted.
func (e *FieldError) Error() string { return e.Package + ": " + e.About(e.Field) }

// About returns the message without the package and with another name for the field:
// About("--bins") is "--bins (0) must be in [1, 16777216]".
func (e *FieldError) About(name string) string {
	return fmt.Sprintf("%s (%s) %s", name, valueText(e.Value), e.Problem)
}

// valueText returns a value as messages show it.
func valueText(value any) string {
	if reflect.ValueOf(value).Kind() == reflect.String {
		return fmt.Sprintf("%q", value)
	}
	return fmt.Sprint(value)
}

// Faults collects the field errors of one Validate method. Its zero value with the
// name of the package is ready for use.
type Faults struct {
	Package string
	errs    []error
}

// Check records a fault of a field unless ok. The constraint is a format for its
// arguments, such as "must be in [1, %d]".
func (f *Faults) Check(ok bool, field string, value any, constraint string, args ...any) {
	if !ok {
		f.errs = append(f.errs, &FieldError{f.Package, field, value, fmt.Sprintf(constraint, args...)})
	}
}

// Add records an error of another Validate method; nil is ignored.
func (f *Faults) Add(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// Err returns the recorded faults, joined, or nil if there are none.
func (f *Faults) Err() error { return errors.Join(f.errs...) }
