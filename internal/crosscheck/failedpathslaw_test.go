package crosscheck

import "repslab/internal/elementary"

// failedPaths describes a sender of a packet a slot over equal paths, of which some fail for good and in silence: a
// packet along one of them is lost. The failed ones are uniform among all. Its methods are the exact laws of the
// packets lost until none goes along a failed path, for a memory of good paths and for one of bad paths.
type failedPaths struct {
	Paths     int // N, 1 to 2^20
	Failed    int // F, 0 to N - 1
	RoundTrip int // d slots until a packet is acknowledged, 1 to 2^20
	Timeout   int // T slots until it is known to be lost, d to 2^20
}

// share is the probability that a uniform path has failed.
func (p failedPaths) share() float64 { return float64(p.Failed) / float64(p.Paths) }

// Reusing returns the exact mean number of packets that a memory of good paths loses in some round trips from the
// failure on. The sender uses the path that is acknowledged in a slot again, with probability reused in [0, 1]
// (others are marked, or not acknowledged one by one); else, also where no acknowledgement comes, a uniform one.
// Slots d apart are then a chain of their own: with f = F/N its packet in round trip j is lost with probability p_j,
//
//	p_0 = f,  p_j = f (1 - s) + f s p_(j-1),
//
// and the sum over J round trips is, with s = reused and q = f (1 - s)/(1 - f s),
//
//	d (J q + (f - q) (1 - (f s)^J)/(1 - f s)).
//
// For s = 1 it tends to d F/(N-F), whatever the time-out: a path that is lost is missed after a round trip. O(1).
func (p failedPaths) Reusing(reused float64, roundTrips int) float64 {
	f, d := p.share(), float64(p.RoundTrip)
	again, rounds := float64(f*reused), float64(roundTrips)
	lasting := (f - again) / (1 - again)
	return d * (float64(rounds*lasting) + float64((f-lasting)*(1-elementary.Pow(again, rounds))/(1-again)))
}

// ReusingLaw returns the exact probabilities of 0 to most losses in all under [failedPaths.Reusing] with every good
// path used again: the negative binomial law of d chains, each of which loses a geometric number,
//
//	P[L = l] = C(l+d-1, l) (F/N)^l (1 - F/N)^d.
//
// O(most).
func (p failedPaths) ReusingLaw(most int) []float64 {
	f, d := p.share(), float64(p.RoundTrip)
	law := []float64{elementary.Pow(1-f, d)}
	for l := range most {
		law = append(law, law[l]*f*(d+float64(l))/float64(l+1))
	}
	return law
}

// perPath is the number of packets that a rotation loses along a failed path: one in every turn until the first one's
// time-out.
func (p failedPaths) perPath(active int) int { return (p.Timeout + active - 1) / active }

// RulingOut returns the exact mean number of packets that a memory of bad paths loses. The sender takes a set of
// different uniform paths in turn, 1 to N-F; a lost packet, T slots after it was sent and before the packet of that
// slot, puts a path that has not been in the set in the place of its own. In the order in which paths come into the
// set, those that have failed before the last good one are met, and each loses ceil(T/a) packets:
//
//	ceil(T/a) a F/(N-F+1), at least T F/(N-F+1).
//
// So it loses fewer than a memory of good ones only if that has packets to send along other paths, or
// T (N-F) < d (N-F+1): if losses are known as fast as arrivals. O(1).
func (p failedPaths) RulingOut(active int) float64 {
	return float64(p.perPath(active)) * float64(active) * p.perGood()
}

// perGood is the mean number of failed paths met before each good one.
func (p failedPaths) perGood() float64 { return float64(p.Failed) / float64(p.Paths-p.Failed+1) }

// RulingOutLaw returns the exact probabilities of meeting 0 to F failed paths under [failedPaths.RulingOut], of which
// each loses ceil(T/a) packets: the negative hypergeometric law
//
//	P[J = j] = C(j+a-1, j) C(N-a-j, F-j)/C(N, F).
//
// O(F).
func (p failedPaths) RulingOutLaw(active int) []float64 {
	none := 1.0
	for i := range p.Failed {
		none *= float64(p.Paths-active-i) / float64(p.Paths-i)
	}
	law := []float64{none}
	for j := range p.Failed {
		law = append(law, law[j]*float64(j+active)/float64(j+1)*float64(p.Failed-j)/float64(p.Paths-active-j))
	}
	return law
}
