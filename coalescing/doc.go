// Package coalescing models recycling when one acknowledgement covers several balls.
//
// It is ACK coalescing on the processes of package recycled [Bonato26, section 4.5 and
// appendix C.1]: n senders on one switch, and one acknowledgement for every r packets
// of a flow.
//
//	symbol  name              unit    meaning
//	n       Config.Bins       bins    output ports, also flows and the balls thrown in a round
//	r       Config.Ratio      balls   removals of a flow per acknowledgement
//	τ       Config.Threshold  balls   a removed ball is good if its bin held at most τ
//	                                  before the removal, itself included
//	b       Config.Colors     colours per bin; C = n b colours in all
//	M                         balls   all balls in the bins
//
// Flow f owns the balls whose number (colour or, without colours, flow) is f modulo n. Loads are observed
// after the throws of a round. Rounds count from 1. Before round 1 all bins are empty, flows remember
// nothing, and no removed ball waits for an acknowledgement. An acknowledgement arrives in the round of
// the removal that triggers it, before the throws.
//
// # What an acknowledgement reports
//
// A flow acknowledges every r-th of its removed balls, counted over all bins in
// the order of their service ([Variant]):
//
//   - [Standard]: the ball that triggers the acknowledgement is judged; if it is good its
//     bin is remembered for one throw. The other r-1 are not judged.
//   - [Carry]: all r balls are judged, each by the load at its own removal, and the bins
//     of the good ones are remembered in the order of the removals.
//   - [Reuse]: as Standard, but a remembered bin serves r throws.
//   - [EveryRthRound]: the authors' script. It has no flows and no acknowledgements: in every r-th round
//     (r, 2r, ...) the self-clocked process of package recycled takes a step. In the other rounds every
//     non-empty bin removes a ball, and all n balls of the round are thrown at random. All ports then
//     lose their memory together, unlike under coalescing.
//
// # Who remembers
//
// Clockings are defined in package recycled. Under round-robin (the default) the colour of a ball
// remembers; each round throws n colours, one of each flow. Under per-flow the ring of the flow
// remembers; a throw uses the oldest entry. EveryRthRound is based on self-clocked.
//
// A throw consumes the remembered bin, as in the cache of REPS. With r = 1, per-flow has the same loads
// as per-flow in package recycled (no delay, no window), and EveryRthRound the same as self-clocked
// there. Round-robin with r = 1 differs from round-robin there, where a colour remembers its bin after
// the throw. There is no absorbing state and no certificate, since a full cycle does not repeat itself.
//
// # What the text leaves open
//
// These rules complete the definitions above. The numbers are mean maxima at n = 32,
// τ = 14, C = 288 over 1,000 replicas; the tests compare them with the numbers of an
// independent program.
//
//   - A judged ball changes only the memory of its own colour, also under Carry.
//   - A colour that still remembers an unused bin keeps it, under Reuse with the throws that are left;
//     the newer bin is lost. If the newer replaced it, Standard at r = 1 would be at 15.7 after 200
//     rounds instead of 14.9.
//   - A judged ball that is not good makes its colour forget, even with throws left.
//     If it changed nothing, Reuse at r = 8 would be at 33.2 instead of 29.7. A ball
//     that is not judged changes nothing.
//   - A ring has no colours. A ball that is not good changes nothing, the oldest entry serves all its
//     throws before the next entry does, and a full ring drops its oldest entry, even with throws left.
//     These are the rules of package reps. A ring of 8 therefore loses half of the entries that Carry
//     brings at r = 16.
//   - EveryRthRound recycles in the last of r rounds. If it recycled in the first, it would be at 16.0
//     instead of 15.2 for r = 2 after 200 rounds.
//   - Bins serve in ascending order, and colours are thrown in ascending order. Under per-flow, bins
//     serve and flows throw in cyclic order that begins at (round mod n), as in package recycled.
//
// SetPort of [Process] makes ports slow or broken as in package recycled; under EveryRthRound a bin does
// nothing in the rounds in which it does not serve.
//
// # Use
//
// [Config] describes the process and the rounds to observe; its zero value is a switch
// of 32 ports that acknowledges every packet, observed after 1,000 rounds. [Simulate]
// runs replicas and returns estimates with intervals. [New] makes a single process:
// Reset begins a run on a random stream, Step runs a round, Load returns a queue.
// [NewExperiment] returns the experiment that Simulate runs, for programs that save or
// merge tallies. Packages ballsbins and recycled have the same shape.
//
// # What is exact and what is estimated
//
// The results of [Simulate] are Monte Carlo estimates with intervals; no closed form is known. Exact:
// Standard recycles at most one removed ball in r. Observed at full rate, with τ = 4 ln n and up to
// 100,000 rounds: for r > 1, M and the maximum load keep growing under Standard, Reuse and EveryRthRound,
// and slowly under Carry with colours, so a statement about the maximum load needs a horizon. Under Carry
// with rings they level off near τ for r = 2 and r = 4, which is half a ring.
//
// Left out: delays and windows, thinned throws (λ < 1), time-outs that send an
// acknowledgement early, marking with Kmin < Kmax, congestion control; see package
// fattree.
//
// References (docs/references.md): [Bonato26], [Bonato26-artifact].
package coalescing
