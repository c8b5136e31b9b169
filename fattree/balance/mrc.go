package balance

import (
	"cmp"
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
	"repslab/mrc"
)

// perMRC is the balancer of [MRCConfig.New].
type perMRC struct {
	cfg    mrc.Config
	planes int
	period fattree.Picoseconds
	skip   fattree.Picoseconds // how long SKIP lasts; 0 if package mrc ends it
	rto    fattree.Picoseconds
	flows  []mrcFlow
}

// mrcFlow is the state of a flow.
type mrcFlow struct {
	connection mrc.MRC
	period     fattree.Picoseconds // time between probes
	probed     fattree.Picoseconds // when the last probe was sent; below 0 if none is in flight
	next       fattree.Picoseconds // when the next probe may be sent
	suspect    mrc.EV              // EV of the last probe
	skipped    []skippedEV         // by time; used if SKIP lasts for a time
}

// skippedEV is an EV and the time at which its SKIP ends.
type skippedEV struct {
	ev  mrc.EV
	end fattree.Picoseconds
}

// MRCConfig configures MRC: see [MRCConfig.New].
type MRCConfig struct {
	MRC         mrc.Config          // configuration of every flow; Planes of 0 means the planes of the network
	ProbePeriod fattree.Picoseconds // least time between two probes of a flow; 0 means its unloaded RTT
	SkipTime    fattree.Picoseconds // how long a mark skips an EV if MRC.Skip is SkipHeld; otherwise 0
}

// New returns a balancer that runs package mrc for each flow of the network. Under [fattree.MRC] it chooses
// planes too. Under other profiles there is one plane, and a network card with several links uses them in
// turn, whatever the EV. Probes test EVs that lost packets have taken out of use: one at a time in each flow,
// and at most one in a probe period. A probe that is not answered within an RTO is lost.
//
// Under [fattree.UltraEthernet], a time-out is reported for EV 0, whatever the EV of the packet was: lost
// packets then rule out only EV 0.
//
// New returns the errors of package mrc, and refuses a field out of range. If Planes is set, the balancer
// panics in a network with another number of planes.
func (c MRCConfig) New() (transport.PlaneBalancer, error) {
	bad := faults.List{Package: "balance"}
	bad.Check(c.ProbePeriod >= 0 && c.ProbePeriod <= longestTime, "ProbePeriod", c.ProbePeriod, "must be in [0, %d]", longestTime)
	bad.Check(c.SkipTime >= 0 && c.SkipTime <= longestTime, "SkipTime", c.SkipTime, "must be in [0, %d]", longestTime)
	bad.Check((c.SkipTime > 0) == (c.MRC.Skip == mrc.SkipHeld), "SkipTime", c.SkipTime, "must be above 0 with SkipHeld, and 0 without")
	bad.Add(c.MRC.Validate())
	if err := bad.Err(); err != nil {
		return nil, err
	}
	return &perMRC{cfg: c.MRC, planes: 1, period: c.ProbePeriod, skip: c.SkipTime}, nil
}

// NewMRC returns an MRC with the defaults of package mrc: see [MRCConfig.New]. Each flow draws its EVs from
// the first evs EVs of each plane, evs in [1, MaxEVS]: at most 128 active EVs of all planes, and as many
// backups.
func NewMRC(evs int) (transport.PlaneBalancer, error) {
	if err := checkEVS(evs); err != nil {
		return nil, err
	}
	return MRCConfig{MRC: mrc.Config{Values: evs}}.New()
}

// Reset gives every flow the state of a new connection.
func (b *perMRC) Reset(n *fattree.Network, random mc.Stream) {
	b.rto = transport.OptionsOn(n).RTO
	cfg := b.cfg
	if b.planes = 1; n.Spec().Profile == fattree.MRC {
		b.planes = n.HostLinks()
		cfg.Values = min(cmp.Or(cfg.Values, mrc.MaxValues), transport.PlaneEVs(b.planes))
	}
	if cfg.Planes = cmp.Or(cfg.Planes, b.planes); cfg.Planes != b.planes {
		panic(fmt.Sprintf("balance: MRC of %d planes in a network of %d", cfg.Planes, b.planes))
	}
	if len(b.flows) != n.Flows() {
		b.flows = make([]mrcFlow, n.Flows())
	}
	for i := range b.flows {
		f := &b.flows[i]
		draw := random.Child(uint64(i)).Rand()
		*f = mrcFlow{connection: f.connection, period: cmp.Or(b.period, n.BaseRTT(int32(i))), probed: -1, skipped: f.skipped[:0]}
		// New has checked the configuration, so this cannot fail.
		_ = f.connection.Init(cfg, &draw)
	}
}

// allPorts has a bit for each of the largest number of ports.
const allPorts = 1<<mrc.MaxPlanes - 1

// NextEV returns the next EV of the flow's rotation. O(1), and a step for each EV that is passed over.
func (b *perMRC) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	ev, _, _ = b.NextPath(flow, allPorts, now) // an EV exists: MinActive keeps one active
	return ev, false
}

// NextPath implements [transport.PlaneBalancer]. O(planes), and a step for each EV that is passed over.
func (b *perMRC) NextPath(flow int32, free uint16, now fattree.Picoseconds) (ev uint16, recycled, ok bool) {
	f := &b.flows[flow]
	ended := 0
	for ; ended < len(f.skipped) && f.skipped[ended].end <= now; ended++ {
		f.connection.EndSkip(f.skipped[ended].ev)
	}
	f.skipped = slices.Delete(f.skipped, 0, ended)
	next, ok := f.connection.NextEV(free)
	return b.word(next), false, ok
}

// hold sets when the SKIP of an EV ends, if package mrc does not end it. The time counts from the EV's last mark.
func (b *perMRC) hold(f *mrcFlow, ev mrc.EV, now fattree.Picoseconds) {
	if b.skip == 0 || f.connection.State(ev) != mrc.Skip {
		return
	}
	f.skipped = slices.DeleteFunc(f.skipped, func(s skippedEV) bool { return s.ev == ev })
	f.skipped = append(f.skipped, skippedEV{ev, now + b.skip})
}

// Ports implements [transport.PlaneBalancer]. O(1).
func (b *perMRC) Ports(flow int32, working uint16) {
	b.flows[flow].connection.OnPorts(allPorts, working)
}

// word encodes an EV for a packet header; path decodes it.
func (b *perMRC) word(ev mrc.EV) uint16 {
	return uint16(int(ev.Port)*transport.PlaneEVs(b.planes) + int(ev.Value))
}

func (b *perMRC) path(ev uint16) mrc.EV {
	return mrc.EV{Port: uint8(transport.PlaneOf(ev, b.planes)), Value: uint16(int(ev) % transport.PlaneEVs(b.planes))}
}

// Feedback forwards to the flow's MRC. O(planes), and with a SkipTime a step for each skipped EV.
func (b *perMRC) Feedback(n transport.Feedback) {
	f, ev := &b.flows[n.Flow], b.path(n.EV)
	switch n.Kind {
	case transport.Good, transport.Marked:
		f.connection.OnAck(ev, n.Kind == transport.Marked)
	case transport.Nacked:
		f.connection.OnTrimmed(ev, false)
	case transport.TimedOut:
		f.connection.OnLoss(ev)
	case transport.Probed:
		if f.probed >= 0 && ev == f.suspect {
			f.connection.OnProbeReply(ev, false)
			f.probed = -1
		}
	}
	if n.Kind != transport.Good {
		b.hold(f, ev, n.Now)
	}
}

// Traits says that it chooses links and sends probes.
func (b *perMRC) Traits() transport.Traits {
	return transport.Traits{UsesTrims: true, Planes: b, Probe: b.Probe, Inherit: b.Inherit}
}

// Probe returns the EV to be tested next, at most once in a probe period. It declares the probe before lost if
// that probe was not answered within an RTO. O(1) while no EV is out of use.
func (b *perMRC) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	f := &b.flows[flow]
	if f.probed >= 0 {
		if now-f.probed < b.rto {
			return 0, false
		}
		f.connection.OnProbeLoss(f.suspect)
		f.probed = -1
	}
	if now < f.next {
		return 0, false
	}
	if f.suspect, wanted = f.connection.Probe(); wanted {
		f.probed, f.next = now, now+f.period
	}
	return b.word(f.suspect), wanted
}

// Inherit gives a flow the sets of another flow and their states. O(EVs).
func (b *perMRC) Inherit(flow, from int32) {
	b.flows[flow].connection.CopyFrom(&b.flows[from].connection)
	b.flows[flow].skipped = append(b.flows[flow].skipped[:0], b.flows[from].skipped...)
}
