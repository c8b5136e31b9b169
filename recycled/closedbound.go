package recycled

import "repslab/mc"

// ClosedRoundsBound returns an upper bound on the expected rounds of a closed process with
// recycling (τ >= 1) until no bin is overfull, from any loads with m = balls and Y = excess:
//
//	E[T] <= sum over y = 1, ..., Y of n τ / (n τ - m + y).
//
// As in phase two of the package, the holes are n τ - m + y, but an empty bin has τ of them,
// so a throw is absorbed with at least the inverse of the term as probability, whatever
// happened before, and a round with an overfull bin has at least one throw. With Y <= m - τ it
// is at most n τ ln((n τ - τ)/(n τ - m)) for m < n τ: linear in n for fixed τ and m/n below τ,
// from any start. At τ = 1 and m = n it is n H(n-1) from one bin, exact for n = 2 and 3, where
// one throw a round is all there is. bins >= 1, threshold >= 1, balls in [0, bins·threshold],
// which must be an int, excess in [0, balls]; otherwise an error. O(excess).
func ClosedRoundsBound(bins, threshold, balls, excess int) (float64, error) {
	faults := mc.Faults{Package: "recycled"}
	faults.In("bins", bins, 1, MaxBins)
	faults.In("threshold", threshold, 1, MaxThreshold)
	if err := faults.Err(); err != nil {
		return 0, err
	}
	room := int64(bins) * int64(threshold)
	faults.Check(balls >= 0 && int64(balls) <= room, "balls", balls, "must be in [0, bins·threshold] = [0, %d]", room)
	faults.In("excess", excess, 0, max(0, balls))
	if err := faults.Err(); err != nil {
		return 0, err
	}
	var rounds float64
	for y := 1; y <= excess; y++ {
		rounds += float64(room) / float64(room-int64(balls)+int64(y))
	}
	return rounds, nil
}
