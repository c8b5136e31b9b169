package mc

import (
	"context"
	"math"
	"slices"
	"testing"
)

// TestReportShare: the function of the context gets the shares. Without one nothing happens, and wrong arguments panic.
func TestReportShare(t *testing.T) {
	var got []float64
	var none context.Context
	ctx := WithShares(context.Background(), func(shares ...float64) { got = append(got, shares...) })
	for _, shares := range [][]float64{{0}, {0.25, 0.5}, {1}} {
		ReportShare(WithGoroutines(ctx, 2), shares...)
		ReportShare(context.Background(), shares...)
	}
	if !slices.Equal(got, []float64{0, 0.25, 0.5, 1}) {
		t.Errorf("shares %v", got)
	}
	if !TakesShares(WithGoroutines(ctx, 2)) || TakesShares(context.Background()) {
		t.Error("TakesShares is wrong")
	}
	mustPanic(t, "mc: ReportShare: share (1.5) must be in [0, 1]", func() { ReportShare(ctx, 0.5, 1.5) })
	mustPanic(t, "mc: ReportShare: share (NaN) must be in [0, 1]", func() { ReportShare(context.Background(), math.NaN()) })
	mustPanic(t, "mc: ReportShare: done must have a share", func() { ReportShare(ctx) })
	mustPanic(t, "mc: TakesShares: ctx must not be nil", func() { TakesShares(none) })
	mustPanic(t, "mc: ReportShare: ctx must not be nil", func() { ReportShare(none, 1) })
	mustPanic(t, "mc: WithShares: ctx must not be nil", func() { WithShares(none, func(...float64) {}) })
	mustPanic(t, "mc: WithShares: report must not be nil", func() { WithShares(ctx, nil) })
}
