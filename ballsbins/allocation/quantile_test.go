package allocation

import (
	"fmt"
	"testing"
)

// TestHeavyBins: the heavy bins are Delta n bins, rounded up. A share k/n has exactly k of them, although k/n * n may
// lie above k in floating point.
func TestHeavyBins(t *testing.T) {
	heavy := func(n int, delta float64) int64 {
		return newQuantile(Config{Rule: Quantile, Bins: n, Delta: delta}.WithDefaults()).ranks.heavy
	}
	var wrong []string
	for n := 1; n <= 200; n++ {
		for k := 1; k <= n; k++ {
			if got := heavy(n, float64(k)/float64(n)); got != int64(k) {
				wrong = append(wrong, fmt.Sprintf("%d of %d/%d", got, k, n))
			}
			if got := heavy(n, (float64(k)-0.001)/float64(n)); got != int64(k) {
				wrong = append(wrong, fmt.Sprintf("%d of slightly less than %d/%d", got, k, n))
			}
		}
	}
	if len(wrong) > 0 {
		t.Errorf("%d numbers of heavy bins are wrong, such as %s", len(wrong), wrong[0])
	}
}
