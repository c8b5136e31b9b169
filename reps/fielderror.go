package reps

import "fmt"

// FieldError reports a value that is not allowed: of a field of a configuration, an argument, or a variable of an
// encoded state. Config.Validate and the functions named Init and New return FieldErrors joined. A program finds
// them with errors.As and reports each under the name of its own flag or parameter with [FieldError.About].
type FieldError struct {
	Field   string // as in the configuration: "BufferSize"
	Value   any    // the refused value
	Problem string // the constraint, as a predicate: "must be in [1, 32]"
}

// Error returns "reps: BufferSize (40) must be in [1, 32]".
func (e *FieldError) Error() string { return "reps: " + e.About(e.Field) }

// About returns the message without the package and with another name for the field:
// About("--ring") is "--ring (40) must be in [1, 32]".
func (e *FieldError) About(name string) string {
	return fmt.Sprintf("%s (%v) %s", name, e.Value, e.Problem)
}

// refuse returns the FieldError of a field. constraint is a format string for args.
func refuse(field string, value any, constraint string, args ...any) error {
	return &FieldError{field, value, fmt.Sprintf(constraint, args...)}
}
