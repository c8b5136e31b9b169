package congestion

import "repslab/fattree"

// Constants of NSCC as the authors' simulator sets them. Times are picoseconds.
const (
	nsccReferenceBDP = 150_000.0  // bytes: 100 Gb/s for 12 us
	nsccPeriod       = 12_000_000 // the longest time between two steps, and the time between additions of eta
	nsccTarget       = 6_000_000  // target queueing delay
	nsccSmall        = 1_000_000  // queueing delay below which the network counts as empty
	nsccSegment      = 4096.0     // bytes
	nsccStep         = 8_000.0    // bytes acknowledged between two steps, and the largest step
	nsccSmoothing    = 0.0125     // weight of a new sample of the delay
	nsccGamma        = 0.8        // fraction of the excess delay that a cut removes
)

// NSCC is network-signal congestion control by marks and delay, in place of the
// proprietary one of [Bonato26] fig. 15, with the rules and constants of the authors'
// simulator. With x packets newly acknowledged, W the window, d the queueing delay of the
// packet acknowledged, avg its moving average and D = 6 us:
//
//	unmarked, d >= D  inc += fi x
//	unmarked, d < D   inc += alpha (D - d) x + fi x; but after more than a window
//	                  of packets in a row with d < 1 us, W += x/2 instead
//	marked, d >= D    W *= max(1 - 0.8 (avg - D)/avg, 1/2) if avg > D, at most
//	                  once per unloaded RTT
//	marked, d < D     nothing
//
// After each 8000 bytes, or 12 us, W += min(8000 bytes, inc/W) and inc = 0; every
// 12 us W += eta. With a the bandwidth-delay product across the network over
// 150,000 bytes, and in bytes, fi = 5a packets, alpha = 2a 4096/D and eta =
// 0.15 4096 a. A marked packet's d is always a sample of avg; an unmarked one's
// above D counts as a quarter of the unloaded RTT.
//
// Quick adapt: if less than Most/8 arrived within an unloaded RTT plus D, and a packet was
// trimmed or avg > 4D, W becomes the amount that arrived, and marks are ignored until as
// much has arrived as was in flight. A lost packet lowers W by one.
type NSCC struct {
	fair         float64 // fi, packets
	proportional float64 // alpha, packets per ps
	eta, step    float64 // packets
	flows        []nsccFlow
}

// nsccFlow is the state of a flow. Amounts are in packets, times in picoseconds.
type nsccFlow struct {
	base              fattree.Picoseconds // unloaded RTT, or the shortest one if that is less
	delay             float64             // moving average of the queueing delay
	collected         float64             // inc
	acked             float64             // since the last step
	calm              float64             // acknowledged in a row with a small delay
	achieved          float64             // acknowledged in the period of quick adapt
	ignored, toIgnore float64             // acknowledged since the last quick adapt, and until marks count again
	periodEnd         fattree.Picoseconds // of quick adapt
	stepped, raised   fattree.Picoseconds // last step, last eta
	cut               fattree.Picoseconds // last cut
	rising            bool                // in fast increase
	tripped           bool                // a packet was trimmed since the last quick adapt
}

// Reset prepares for a run and derives the constants from the network.
func (c *NSCC) Reset(n *fattree.Network) {
	spec := n.Spec()
	mtu := float64(spec.MTU)
	a := float64(n.LongestRTT()) * n.HostGbps() / 8000 / nsccReferenceBDP
	c.fair = 5 * a
	c.proportional = 2 * a * nsccSegment / nsccTarget / mtu
	c.eta = 0.15 * nsccSegment * a / mtu
	c.step = nsccStep / mtu
	if len(c.flows) != n.Flows() {
		c.flows = make([]nsccFlow, n.Flows())
	}
	for i := range c.flows {
		c.flows[i] = nsccFlow{base: n.BaseRTT(int32(i))}
	}
}

// Acknowledge moves the window by an ACK. O(1).
func (c *NSCC) Acknowledge(w *fattree.Window, ack fattree.Acknowledgement) {
	s := &c.flows[ack.Flow]
	x := float64(ack.Packets)
	s.achieved += x
	s.acked += x
	s.ignored += x
	delay := s.observe(ack.RTT, ack.Marked)
	if ack.Marked && s.ignored < s.toIgnore || s.quickAdapt(w, ack.Now, ack.InFlight, false) {
		return
	}
	switch {
	case ack.Marked && delay >= nsccTarget:
		s.decrease(w, ack.Now)
	case ack.Marked:
	case delay >= nsccTarget:
		s.collected += float64(c.fair * x)
	case !s.fastIncrease(w, delay, x):
		s.collected += float64((float64(c.proportional*float64(nsccTarget-delay)) + c.fair) * x)
	}
	if s.acked > c.step || ack.Now-s.stepped > nsccPeriod {
		w.Packets += min(c.step, s.collected/w.Packets)
		s.collected, s.acked, s.stepped = 0, 0, ack.Now
	}
	if ack.Now-s.raised > nsccPeriod {
		w.Packets += c.eta
		s.raised = ack.Now
	}
	w.Packets = min(max(w.Packets, 1), w.Most)
}

// Lose shrinks the window by the lost packet; a trimmed one may cause a quick adapt. O(1).
func (c *NSCC) Lose(w *fattree.Window, loss fattree.Loss) {
	w.Packets = max(w.Packets-1, 1)
	if loss.Kind != fattree.Nacked {
		return
	}
	s := &c.flows[loss.Flow]
	s.tripped = true
	if s.ignored >= s.toIgnore {
		s.quickAdapt(w, loss.Now, loss.InFlight, true)
	}
}

// observe records an RTT and returns its queueing delay.
func (s *nsccFlow) observe(rtt fattree.Picoseconds, marked bool) fattree.Picoseconds {
	s.base = min(s.base, rtt)
	delay := rtt - s.base
	sample := float64(delay)
	if !marked && delay > nsccTarget {
		sample = 0.25 * float64(s.base)
	}
	s.delay += float64(nsccSmoothing * (sample - s.delay))
	return delay
}

// quickAdapt compares, after a period, the amount that arrived in it, and reports whether
// it became the window. The next ACK then checks the same period again, as in the authors'
// simulator.
func (s *nsccFlow) quickAdapt(w *fattree.Window, now fattree.Picoseconds, inFlight int32, lost bool) bool {
	if now <= s.periodEnd {
		return false
	}
	congested := s.tripped || lost || s.delay > 4*nsccTarget
	if s.periodEnd != 0 && congested && s.achieved < w.Most/8 && w.Packets >= s.achieved {
		w.Packets = max(s.achieved, 1)
		s.toIgnore, s.ignored = float64(inFlight), 0
		s.tripped = false
		return true
	}
	s.achieved = 0
	s.periodEnd = now + s.base + nsccTarget
	return false
}

// fastIncrease raises the window after a window of packets without queueing, and reports
// whether it did.
func (s *nsccFlow) fastIncrease(w *fattree.Window, delay fattree.Picoseconds, x float64) bool {
	if delay >= nsccSmall {
		s.calm, s.rising = 0, false
		return false
	}
	s.calm += x
	s.rising = s.rising || s.calm > w.Packets
	if s.rising {
		w.Packets = min(w.Packets+float64(x/2), w.Most)
	}
	return s.rising
}

// decrease cuts the window by a part of the excess delay, at most once per unloaded RTT.
func (s *nsccFlow) decrease(w *fattree.Window, now fattree.Picoseconds) {
	s.rising, s.calm = false, 0
	if s.delay > nsccTarget && now-s.cut > s.base {
		w.Packets *= max(1-nsccGamma*(s.delay-nsccTarget)/s.delay, 0.5)
		s.cut = now
	}
}
