package evsimbalance

import (
	"math"

	"repslab/faults"
	"repslab/internal/elementary"
)

// maxProbes bounds the probes of a test.
const maxProbes = 1 << 30

// Probes is a test for lossy uplinks: of Sent probes, each over an independent uniform uplink, count those that arrive
// over each uplink, and suspect an uplink if they are at most Suspect.
type Probes struct{ Sent, Suspect int }

// LeastProbes returns the test with the fewest probes that suspects an uplink which loses this share of its packets
// except with probability miss, and suspects any healthy uplink, which loses none, with probability falseAlarm at most.
// A loss of 1 is a silent uplink. The count of an uplink is binomial; over the uplinks false alarms are added up, which
// is at most falseAlarm² too much. Tails have a relative error below 1e-9.
//
//	(1)  P[Binomial(Sent, 1/n) <= Suspect] <= falseAlarm/n
//	(2)  P[Binomial(Sent, (1 - loss)/n) > Suspect] <= miss
//
// The error names an argument out of range, uplinks in [1, MaxUplinks], loss in (0, 1], falseAlarm and miss in [1e-12,
// 0.5], or a loss for which 2^30 probes are too few. It takes below a second.
func LeastProbes(uplinks int, loss, falseAlarm, miss float64) (Probes, error) {
	bad := faults.List{Package: "evsimbalance"}
	bad.In("uplinks", uplinks, 1, MaxUplinks)
	bad.Check(loss > 0 && loss <= 1, "loss", loss, "must be in (0, 1]")
	bad.Check(falseAlarm >= 1e-12 && falseAlarm <= 0.5, "falseAlarm", falseAlarm, "must be in [1e-12, 0.5]")
	bad.Check(miss >= 1e-12 && miss <= 0.5, "miss", miss, "must be in [1e-12, 0.5]")
	if err := bad.Err(); err != nil {
		return Probes{}, err
	}
	n := float64(uplinks)
	test := func(suspect int) Probes {
		sent := leastFrom(suspect+1, maxProbes+1, func(sent int) bool {
			below, _ := binomialTails(sent, suspect, 1/n)
			return below <= falseAlarm/n
		})
		return Probes{sent, suspect}
	}
	// The least Sent of (1) grows with Suspect, and (2) then holds from some Suspect on.
	suspect := leastFrom(0, maxProbes, func(suspect int) bool {
		t := test(suspect)
		_, above := binomialTails(t.Sent, suspect, (1-loss)/n)
		return above <= miss || t.Sent > maxProbes
	})
	t := test(suspect)
	if t.Sent > maxProbes {
		return Probes{}, faults.New("evsimbalance", "loss", loss, "is not found by %d probes over %d uplinks", maxProbes, uplinks)
	}
	return t, nil
}

// binomialTails returns P[Binomial(n, p) <= k] and P[Binomial(n, p) > k], for 0 <= k and 1 <= n. It sums the smaller
// tail from its largest term on, until terms are negligible.
func binomialTails(n, k int, p float64) (below, above float64) {
	switch {
	case k >= n || p <= 0:
		return 1, 0
	case p >= 1:
		return 0, 1
	}
	tail := func(from, sign int, odds float64) float64 {
		x := float64(from)
		mass := elementary.Exp(logMass(float64(n), p, x) + stirlingRest(float64(n)) - float64(math.Log(2*math.Pi)/2))
		sum := 0.0
		for term := mass; term > negligible*sum; x += float64(sign) {
			sum += term
			if sign < 0 {
				term *= x / (float64(n) - x + 1) / odds
			} else {
				term *= (float64(n) - x) / (x + 1) * odds
			}
		}
		return sum
	}
	if odds := p / (1 - p); float64(k) < float64(n)*p {
		below = tail(k, -1, odds)
		return below, 1 - below
	} else {
		above = tail(k+1, 1, odds)
		return 1 - above, above
	}
}
