// Package console connects commands with their surroundings: errors in the user's input, interruptions,
// terminals, progress, and the files that flags name.
package console

import (
	"context"
	"errors"
	"fmt"
)

// UsageError is an error in the command line or a configuration.
type UsageError struct{ error }

// Unwrap returns the wrapped error.
func (u *UsageError) Unwrap() error { return u.error }

// Usagef returns a usage error.
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Errorf(format, args...)}
}

// OfInput turns an error of reading the user's input into a usage error, unless it is an interruption.
func OfInput(err error) error {
	if _, is := errors.AsType[*Interruption](err); err == nil || is {
		return err
	}
	return &UsageError{err}
}

// Interruption is the end of a command that was interrupted.
type Interruption struct {
	Written string // names the written data and its place
	error          // the error of the context
}

// Unwrap returns the context's error.
func (i *Interruption) Unwrap() error { return i.error }

// Interrupted returns the interruption of a command that has written data; err is the error of its
// context.
func Interrupted(written string, err error) error { return &Interruption{written, err} }

// WasInterrupted reports whether an error comes from the end of ctx.
func WasInterrupted(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}

// Promptly returns the result of f, or ctx.Err() as soon as ctx is done. In that case
// f continues until the program ends, so it must not leave anything incomplete behind.
func Promptly[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := make(chan result, 1)
	go func() {
		value, err := f()
		ended <- result{value, err}
	}()
	select {
	case <-ctx.Done():
	case r := <-ended:
		if ctx.Err() == nil { // otherwise both cases were ready
			return r.value, r.err
		}
	}
	var none T
	return none, Interrupted("nothing was written", ctx.Err())
}
