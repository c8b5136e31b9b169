package mrc

import (
	"fmt"
	"math/bits"
)

// Source is a source of uniform random words, such as the generators of math/rand/v2.
type Source interface {
	Uint64() uint64
}

// EV is an entropy value: the port of the NIC, which selects the plane, and the path in the plane.
type EV struct {
	Port  uint8
	Value uint16
}

// constants is a [Config] with its defaults applied.
type constants struct {
	active, set, minActive uint16
	values                 uint32
	replies                uint8
	skips                  SkipRule
	order                  Order
}

// MRC is the sender's side of one connection. Call [MRC.Init] on a zero value before any other method. Its methods
// are not safe for concurrent use on one MRC; different ones share nothing.
type MRC struct {
	constants
	planes []plane
	ports  uint16 // bit i: port i works, at both ends
	last   uint8  // plane of the last packet
	probed probed
	orders splitMix // draws the order of EVs, with OrderDrawn
}

// probed is the EV under test by probes: its plane and its place in the set.
type probed struct {
	plane, k uint8
	replies  uint8 // in a row
}

// New returns an MRC in the state of a new connection, or the error of [Config.Validate].
func New(cfg Config, random Source) (*MRC, error) {
	m := new(MRC)
	if err := m.Init(cfg, random); err != nil {
		return nil, err
	}
	return m, nil
}

// Init draws the sets of a new connection; all EVs are Good and all ports work. It usually takes from two to four words
// of random for each plane, and one more with OrderDrawn; at most 257 for each plane, also of a generator that is
// stuck. It returns the error of [Config.Validate]; m is then unchanged. It panics if random is nil. It reuses the
// memory of m if it is large enough. O(Planes).
func (m *MRC) Init(cfg Config, random Source) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	if random == nil {
		panic("mrc: Init: random must not be nil")
	}
	cfg = cfg.withDefaults()
	planes := m.planes
	if cap(planes) < cfg.Planes {
		planes = make([]plane, cfg.Planes)
	}
	*m = MRC{
		constants: constants{
			active: uint16(cfg.Active), set: uint16(cfg.Active + cfg.Backup), minActive: uint16(cfg.MinActive),
			values: uint32(cfg.Values), replies: uint8(cfg.ProbeReplies), skips: cfg.Skip, order: cfg.Order,
		},
		planes: planes[:cfg.Planes], ports: uint16(1<<cfg.Planes - 1), last: uint8(cfg.Planes - 1),
	}
	for i := range m.planes {
		m.planes[i].init(&m.constants, random)
	}
	if m.order == OrderDrawn {
		m.orders = splitMix(random.Uint64())
	}
	return nil
}

// NextEV returns the EV of the next packet. Planes take turns; a plane is passed over if its port does not work or
// is not free (bit i of free is port i), or if it has no active EV. It returns false if no plane is left.
// O(Planes), and a step for each EV that is passed over.
func (m *MRC) NextEV(free uint16) (ev EV, ok bool) {
	m.mustBeReady()
	port := m.last
	for ready := free & m.ports; ready != 0; ready &^= 1 << port {
		port = following(ready, port)
		if p := &m.planes[port]; p.active > 0 {
			m.last = port
			return EV{port, p.value(&m.constants, p.next(&m.constants, &m.orders))}, true
		}
	}
	return EV{}, false
}

// mustBeReady panics before Init.
func (m *MRC) mustBeReady() {
	if m.set == 0 {
		panic("mrc: MRC: call Init before its first use")
	}
}

// OnAck reports that a packet with an EV has been acknowledged, with or without a congestion mark. O(1).
func (m *MRC) OnAck(ev EV, marked bool) {
	if marked {
		m.skip(ev)
	}
}

// OnTrimmed reports that a switch has trimmed a packet with an EV to its header, and whether at the last hop.
// O(1).
func (m *MRC) OnTrimmed(ev EV, lastHop bool) {
	if !lastHop {
		m.skip(ev)
	}
}

// skip makes a Good EV Skip.
func (m *MRC) skip(ev EV) {
	if p, k, ok := m.find(ev); ok && p.state(k) == Good {
		p.set(&m.constants, k, Skip)
	}
}

// EndSkip makes a skipped EV Good. With [SkipHeld] the caller decides when to call it. O(1).
func (m *MRC) EndSkip(ev EV) {
	if p, k, ok := m.find(ev); ok && p.state(k) == Skip {
		p.set(&m.constants, k, Good)
	}
}

// OnLoss reports that a packet with an EV was neither acknowledged nor trimmed in time. O(Planes).
func (m *MRC) OnLoss(ev EV) {
	p, k, ok := m.find(ev)
	if !ok || p.state(k) >= AssumedBad {
		return
	}
	p.set(&m.constants, k, AssumedBad)
	if m.Active() < int(m.minActive) {
		p.set(&m.constants, k, Skip)
	}
}

// OnAlwaysSkip reports that the receiver wants an EV to be avoided. O(1).
func (m *MRC) OnAlwaysSkip(ev EV) { m.OnLoss(ev) }

// OnPorts reports which ports work, of this NIC and of its peer: bit i is port i. Ports of planes that the
// connection does not have are ignored. O(1).
func (m *MRC) OnPorts(own, peer uint16) { m.ports = own & peer & (1<<len(m.planes) - 1) }

// Deny takes an EV out of use, or makes it Good again if it is Denied. O(1).
func (m *MRC) Deny(ev EV, denied bool) {
	p, k, ok := m.find(ev)
	switch {
	case !ok:
	case denied:
		p.set(&m.constants, k, Denied)
	case p.state(k) == Denied:
		p.set(&m.constants, k, Good)
	}
}

// Probe returns the EV to probe next, and false if no EV is AssumedBad. It returns the same EV until the probe is
// answered or lost. O(Planes) if no EV is AssumedBad, otherwise O(Planes * set).
func (m *MRC) Probe() (ev EV, wanted bool) {
	if m.assumedBad() == 0 {
		m.probed.replies = 0
		return EV{}, false
	}
	for range len(m.planes) * int(m.set) {
		p, k := &m.planes[m.probed.plane], int(m.probed.k)
		if p.state(k) == AssumedBad {
			return EV{m.probed.plane, p.value(&m.constants, k)}, true
		}
		m.probeNext()
	}
	return EV{}, false
}

// probeNext moves on to the next EV, plane after plane.
func (m *MRC) probeNext() {
	m.probed.replies = 0
	if m.probed.plane++; int(m.probed.plane) < len(m.planes) {
		return
	}
	m.probed.plane = 0
	if m.probed.k++; uint16(m.probed.k) == m.set%MaxSet {
		m.probed.k = 0
	}
}

// OnProbeReply reports that the probe of the EV that [MRC.Probe] returned has been answered, with or without a
// congestion mark. A reply for any other EV changes nothing. O(1).
func (m *MRC) OnProbeReply(ev EV, marked bool) {
	p, k, ok := m.find(ev)
	if !ok || p.state(k) != AssumedBad || !m.probes(ev, k) {
		return
	}
	if m.probed.replies++; m.probed.replies < m.replies {
		return
	}
	recovered := Good
	if marked {
		recovered = Skip
	}
	p.set(&m.constants, k, recovered)
	m.probeNext()
}

// OnProbeLoss reports that the probe of the EV that [MRC.Probe] returned has not been answered. The next probe
// tests another EV, if there is one. O(1).
func (m *MRC) OnProbeLoss(ev EV) {
	if _, k, ok := m.find(ev); ok && m.probes(ev, k) {
		m.probeNext()
	}
}

// probes reports whether ev, at place k of its plane's set, is under test.
func (m *MRC) probes(ev EV, k int) bool { return m.probed.plane == ev.Port && int(m.probed.k) == k }

// State returns the state of an EV. O(1).
func (m *MRC) State(ev EV) State {
	if p, k, ok := m.find(ev); ok {
		return p.state(k)
	}
	return Denied
}

// Active returns the number of active EVs of all planes, including planes with failed ports. O(Planes).
func (m *MRC) Active() (sum int) {
	for i := range m.planes {
		sum += int(m.planes[i].active)
	}
	return sum
}

// assumedBad returns the number of EVs of all planes that are AssumedBad. O(Planes).
func (m *MRC) assumedBad() (sum int) {
	for i := range m.planes {
		p := &m.planes[i]
		for word, unusable := range p.unusable {
			sum += bits.OnesCount64(unusable &^ p.second[word])
		}
	}
	return sum
}

// CopyFrom gives m the configuration and the state of another connection, in the memory of m if it is large
// enough. It panics if other is nil. O(Planes).
func (m *MRC) CopyFrom(other *MRC) {
	if other == nil {
		panic("mrc: CopyFrom: other must not be nil")
	}
	planes := append(m.planes[:0], other.planes...)
	*m = *other
	m.planes = planes
}

// AppendSet appends the EVs of a plane, active and backup, in the order of the set, and returns the extended
// slice. It panics if there is no such plane. O(set).
func (m *MRC) AppendSet(list []EV, port uint8) []EV {
	if int(port) >= len(m.planes) {
		panic(fmt.Sprintf("mrc: AppendSet: port (%d) must be below the number of planes (%d)", port, len(m.planes)))
	}
	p := &m.planes[port]
	for k := range int(m.set) {
		list = append(list, EV{port, p.value(&m.constants, k)})
	}
	return list
}

// find returns the plane of an EV and its place in the plane's set, and false if it is not there.
func (m *MRC) find(ev EV) (p *plane, k int, ok bool) {
	if int(ev.Port) >= len(m.planes) {
		return nil, 0, false
	}
	p = &m.planes[ev.Port]
	k, ok = p.place(&m.constants, ev.Value)
	return p, k, ok
}

// following returns the port that comes after last in turn, out of a set of ports that is not empty.
func following(ports uint16, last uint8) uint8 {
	if above := ports >> (last + 1) << (last + 1); above != 0 {
		ports = above
	}
	return uint8(bits.TrailingZeros16(ports))
}
