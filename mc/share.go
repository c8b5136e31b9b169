package mc

import (
	"context"

	"repslab/internal/must"
)

// shares is the context key of the function that [ReportShare] calls.
type shares struct{}

// WithShares returns a context in which [ReportShare] calls report, from the goroutine of the replica. It panics if ctx
// or report is nil.
func WithShares(ctx context.Context, report func(shares ...float64)) context.Context {
	mustNotBeNil("WithShares", "ctx", ctx == nil)
	mustNotBeNil("WithShares", "report", report == nil)
	return context.WithValue(ctx, shares{}, report)
}

// TakesShares reports whether [ReportShare] calls a function. A replica that would take time to work out its shares
// asks first. It panics if ctx is nil.
func TakesShares(ctx context.Context) bool {
	mustNotBeNil("TakesShares", "ctx", ctx == nil)
	return ctx.Value(shares{}) != nil
}

// ReportShare tells which share of a replica's work is done, in [0, 1], or several shares: the replica ends when any of
// them is 1. A replica calls it where it stops because ctx is done, unless it does not know when it would end. After a
// long set-up it also calls it with 0: shares are of the work from there on. It calls it in between if its speed
// changes. Without [WithShares] it does nothing. It panics if ctx is nil, without shares, or if a share is not in [0,
// 1].
func ReportShare(ctx context.Context, done ...float64) {
	mustNotBeNil("ReportShare", "ctx", ctx == nil)
	if len(done) == 0 {
		panic("mc: ReportShare: done must have a share")
	}
	for _, share := range done {
		must.BeWithin("mc: ReportShare", "share", share, 0, 1)
	}
	if report, is := ctx.Value(shares{}).(func(...float64)); is {
		report(done...)
	}
}
