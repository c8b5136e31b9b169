package congestion

import (
	"cmp"
	"math"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// Constants of NSCC that the rules of both simulators share. Times are picoseconds.
const (
	nsccReferenceBDP = 150_000.0 // bytes: 100 Gb/s for 12 us
	nsccSmall        = 1_000_000 // queueing delay below which the network counts as empty
	nsccSmoothing    = 0.0125    // weight of a new sample of the delay
	nsccGamma        = 0.8       // fraction of the excess delay that a cut removes
)

// NSCC is network-signal congestion control by marks and delay, with the rules and constants of the authors'
// simulator. It stands for the proprietary control of [Bonato26] fig. 15. With x packets newly acknowledged, W the
// window, d the queueing delay of the acknowledged packet, avg the moving average of d, and D = 6 us:
//
//	unmarked, d >= D  inc += fi x
//	unmarked, d < D   inc += alpha (D - d) x + fi x; but after more than a window
//	                  of packets in a row with d < 1 us, W += x/2 instead
//	marked, d >= D    W *= max(1 - 0.8 (avg - D)/avg, 1/2) if avg > D, at most
//	                  once per unloaded RTT
//	marked, d < D     nothing
//
// After each 8000 bytes, or 12 us, W += min(8000 bytes, inc/W) and inc = 0; every 12 us W += eta. Let a be the
// bandwidth-delay product across the network divided by 150,000 bytes. Then, in bytes, fi = 5a packets, alpha = 2a
// 4096/D and eta = 0.15 4096 a. The d of a marked packet is always a sample of avg; a d above D of an unmarked
// packet counts as a quarter of the unloaded RTT.
//
// Quick adapt: if less than Most/8 arrived within an unloaded RTT plus D, and a packet was trimmed or avg > 4D, W
// becomes the amount that arrived. Marks are then ignored until as much has arrived as was in flight. A lost
// packet lowers W by one.
//
// # Ultra Ethernet
//
// The public simulator of Ultra Ethernet ([UEC-htsim]) has newer rules. With R0 the unloaded RTT across the
// network and S the payload of a packet:
//
//   - D = 3/4 R0, or R0 without trimming; the period is R0 instead of 12 us; a step comes after more than 8 packets and
//     has no bound; fi = 5a S, alpha = a S/(3 us), eta = 0.15 a S; fast increase adds 0.25 a x;
//   - below D, inc has no term fi x;
//   - eta is added with a step, and only steps with eta begin a new period: after R0 the next ACK steps;
//   - the unloaded RTT R of every flow begins at R0 and falls to the least RTT of an ACK or NACK. The RTT of a NACK
//     counts from the last transmission, even if the NACK is for an earlier one. Most is 1.5 bandwidth-delay
//     products of R;
//   - an ACK with an unclear RTT has d = avg and does not change avg; a NACK counts as a sample R0;
//   - quick adapt uses d instead of avg, always begins a new period, may raise W, and clears inc; until as much has
//     arrived as was in flight, NACKs do not lower W either;
//   - with receiver credit, a trim at the port to the receiver does not lower W, see [NSCC.Lose].
//
// Under [fattree.MRC], bandwidth-delay products use the rate of all links of a host.
//
// The simulator keeps inc in 32 bits. They overflow at 800 Gb/s, and at 400 Gb/s over 3 tiers with more than 4
// packets per ACK. This overflow is left out.
type NSCC struct {
	// Rules selects the rules of the Ultra Ethernet simulator if it is UltraEthernet, otherwise the authors' rules.
	Rules  fattree.Profile
	Target fattree.Picoseconds // D, the target of the queueing delay; 0 selects the target of the rules

	// Credited says that receivers also grant credit, which alone limits the load of their own links.
	Credited bool

	target       fattree.Picoseconds // D
	period       fattree.Picoseconds // the longest time between two steps, and the time between additions of eta
	fair         float64             // fi, packets
	proportional float64             // alpha, packets per ps
	fast         float64             // fraction of the acknowledged packets that fast increase adds
	eta          float64             // packets
	step         float64             // packets acknowledged between two steps
	most         float64             // largest step, packets
	longest      fattree.Picoseconds // R0
	flows        []nsccFlow
}

// nsccFlow is the state of a flow. Amounts are in packets, times in picoseconds.
type nsccFlow struct {
	packetTime        float64             // ps
	base              fattree.Picoseconds // unloaded RTT, or the shortest RTT if that is less
	delay             float64             // moving average of the queueing delay
	collected         float64             // inc
	acked             float64             // acknowledged since the last step
	calm              float64             // acknowledged in a row with a small delay
	achieved          float64             // acknowledged in the period of quick adapt
	ignored, toIgnore float64             // acknowledged since the last quick adapt, and until marks count again
	periodEnd         fattree.Picoseconds // end of the period of quick adapt
	stepped, raised   fattree.Picoseconds // last step, last eta
	cut               fattree.Picoseconds // last cut
	rising            bool                // in fast increase
	tripped           bool                // a packet was trimmed since the last quick adapt
}

// Reset prepares for a run and derives the constants from the network.
func (c *NSCC) Reset(n *fattree.Network, _ mc.Stream) {
	refuseUnless(c.Target >= 0 && c.Target <= mostTarget, "NSCC.Target", int64(c.Target), "must be in [0, %d] ps", int64(mostTarget))
	refuseUnless(c.Rules <= fattree.MRC, "NSCC.Rules", c.Rules, "must be a Profile, such as UltraEthernet")
	spec := n.Spec()
	mtu := float64(spec.MTU)
	c.longest = n.LongestRTT()
	a := n.LongestBDP() * mtu / nsccReferenceBDP
	if c.ultra() {
		c.target, c.period = 3*c.longest/4, c.longest
		if spec.DisableTrimming {
			c.target = c.longest
		}
		c.target = cmp.Or(c.Target, c.target)
		segment := float64(spec.PayloadBytes()) / mtu
		c.fair, c.proportional, c.eta = 5*a*segment, a*segment/3e6, 0.15*a*segment
		c.fast, c.step, c.most = 0.25*a, 8, math.Inf(1)
	} else {
		const segment, step = 4096.0, 8_000.0 // bytes
		c.target, c.period = cmp.Or(c.Target, 6_000_000), 12_000_000
		c.fair, c.proportional, c.eta = 5*a, 2*a*segment/float64(c.target)/mtu, 0.15*segment*a/mtu
		c.fast, c.step, c.most = 0.5, step/mtu, step/mtu
	}
	if len(c.flows) != n.Flows() {
		c.flows = make([]nsccFlow, n.Flows())
	}
	for i := range c.flows {
		c.flows[i] = nsccFlow{base: n.BaseRTT(int32(i)), packetTime: n.PacketTime(int32(i))}
		if c.ultra() {
			c.flows[i].base = c.longest
		}
	}
}

// Traits says that it uses RTTs and has a memory.
func (c *NSCC) Traits() transport.ControlTraits { return transport.ControlTraits{} }

// ultra reports whether the rules follow Ultra Ethernet.
func (c *NSCC) ultra() bool { return c.Rules == fattree.UltraEthernet }

// Acknowledge updates the window by an ACK. O(1).
func (c *NSCC) Acknowledge(w *transport.Window, ack transport.Acknowledgement) {
	s := &c.flows[ack.Flow]
	x := float64(ack.Packets)
	s.achieved += x
	s.acked += x
	s.ignored += x
	delay := fattree.Picoseconds(s.delay)
	if !ack.Unclear {
		c.note(w, s, ack.RTT)
		delay = c.observe(s, ack.RTT, ack.Marked)
	}
	if ack.Marked && s.ignored < s.toIgnore || c.quickAdapt(w, s, ack.Now, ack.InFlight, delay, false) {
		c.forget(s)
		return
	}
	switch {
	case ack.Marked && delay >= c.target:
		c.decrease(w, s, ack.Now)
	case ack.Marked:
	case delay >= c.target:
		s.collected += float64(c.fair * x)
	case !c.fastIncrease(w, s, delay, x):
		s.collected += float64(c.slope(delay) * x)
	}
	c.takeStep(w, s, ack.Now)
	w.Packets = min(max(w.Packets, 1), w.Most)
}

// note lowers the flow's unloaded RTT to an RTT that is shorter.
func (c *NSCC) note(w *transport.Window, s *nsccFlow, rtt fattree.Picoseconds) {
	if rtt >= s.base {
		return
	}
	s.base = rtt
	if c.ultra() {
		w.Most = max(1, 1.5*float64(rtt)/s.packetTime)
		w.Packets = min(w.Packets, w.Most)
	}
}

// slope returns the increase of inc per packet acknowledged with a delay below the target.
func (c *NSCC) slope(delay fattree.Picoseconds) float64 {
	below := float64(c.proportional * float64(c.target-delay))
	if c.ultra() {
		return below
	}
	return below + c.fair
}

// takeStep raises the window by the collected increase, and by eta, when each is due.
func (c *NSCC) takeStep(w *transport.Window, s *nsccFlow, now fattree.Picoseconds) {
	if s.acked > c.step || now-s.stepped > c.period {
		w.Packets += min(c.most, s.collected/w.Packets)
		s.collected, s.acked = 0, 0
		if c.ultra() && now-s.stepped < c.period {
			return
		}
		s.stepped = now
	} else if c.ultra() {
		return
	}
	if c.ultra() || now-s.raised > c.period {
		w.Packets += c.eta
		s.raised = now
	}
}

// Lose shrinks the window by the lost packet; a trimmed packet may cause a quick adapt. O(1).
func (c *NSCC) Lose(w *transport.Window, loss transport.Loss) {
	s := &c.flows[loss.Flow]
	if loss.Kind == transport.Nacked && c.ultra() {
		c.loseTrimmed(w, s, loss)
		return
	}
	w.Packets = max(w.Packets-1, 1)
	if loss.Kind != transport.Nacked {
		return
	}
	s.tripped = true
	if s.ignored >= s.toIgnore {
		c.quickAdapt(w, s, loss.Now, loss.InFlight, 0, true)
	}
}

// loseTrimmed is Lose for a trimmed packet by the rules of Ultra Ethernet.
func (c *NSCC) loseTrimmed(w *transport.Window, s *nsccFlow, loss transport.Loss) {
	c.note(w, s, loss.RTT)
	s.smooth(float64(c.longest))
	s.tripped = true
	s.ignored++
	switch {
	case s.ignored < s.toIgnore || c.quickAdapt(w, s, loss.Now, loss.InFlight, 0, true):
		c.forget(s)
	case !c.Credited || !loss.LastHop:
		w.Packets = max(w.Packets-1, 1)
	}
}

// observe records an RTT and returns its queueing delay.
func (c *NSCC) observe(s *nsccFlow, rtt fattree.Picoseconds, marked bool) fattree.Picoseconds {
	delay := rtt - s.base
	if !marked && delay > c.target {
		s.smooth(float64(0.25 * float64(s.base)))
	} else {
		s.smooth(float64(delay))
	}
	return delay
}

// smooth adds a sample to the moving average of the queueing delay.
func (s *nsccFlow) smooth(sample float64) { s.delay += float64(nsccSmoothing * (sample - s.delay)) }

// forget clears the collected increase after the window was adapted or a mark was ignored, by the rules of Ultra
// Ethernet.
func (c *NSCC) forget(s *nsccFlow) {
	if c.ultra() {
		s.collected, s.acked = 0, 0
	}
}

// quickAdapt compares the amount that arrived in a period, after its end, and reports whether the amount became
// the window. By the rules of the authors' simulator, the next ACK then checks the same period again, and the
// average delay counts instead of the ACK's delay.
func (c *NSCC) quickAdapt(
	w *transport.Window, s *nsccFlow, now fattree.Picoseconds, inFlight int32, delay fattree.Picoseconds, lost bool,
) (acts bool) {
	if now <= s.periodEnd {
		return false
	}
	congested := s.tripped || lost
	if c.ultra() {
		congested = congested || delay > 4*c.target
	} else {
		congested = (congested || s.delay > float64(4*c.target)) && w.Packets >= s.achieved
	}
	if s.periodEnd != 0 && congested && s.achieved < w.Most/8 {
		w.Packets = max(s.achieved, 1)
		s.toIgnore, s.ignored = float64(inFlight), 0
		s.tripped, acts = false, true
	}
	if !acts || c.ultra() {
		s.achieved = 0
		s.periodEnd = now + s.base + c.target
	}
	return acts
}

// fastIncrease raises the window after a window of packets without queueing, and reports whether it did.
func (c *NSCC) fastIncrease(w *transport.Window, s *nsccFlow, delay fattree.Picoseconds, x float64) bool {
	if delay >= nsccSmall {
		s.calm, s.rising = 0, false
		return false
	}
	s.calm += x
	s.rising = s.rising || s.calm > w.Packets
	if s.rising {
		w.Packets = min(w.Packets+float64(c.fast*x), w.Most)
	}
	return s.rising
}

// decrease cuts the window by a part of the excess delay, at most once per unloaded RTT.
func (c *NSCC) decrease(w *transport.Window, s *nsccFlow, now fattree.Picoseconds) {
	s.rising, s.calm = false, 0
	if target := float64(c.target); s.delay > target && now-s.cut > s.base {
		w.Packets *= max(1-nsccGamma*(s.delay-target)/s.delay, 0.5)
		s.cut = now
	}
}
