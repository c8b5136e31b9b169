package balance

import (
	"cmp"
	"math"
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
	"repslab/mc"
	"repslab/reps"
)

// Rules selects the algorithm of REPS.
type Rules string

// The rules.
const (
	Paper    Rules = "paper"    // Algorithms 1 and 2 of [Bonato26]
	Artifact Rules = "artifact" // as in the authors' simulator
	FIFO     Rules = "fifo"     // the authors' unbounded list of EVs, without freezing
	// UltraEthernet selects the rules of [UEC-htsim]: the rules of Artifact with [reps.Config.UltraEthernet].
	UltraEthernet Rules = "ultraethernet"
)

// AllRules lists the rules.
func AllRules() []Rules { return []Rules{Paper, Artifact, FIFO, UltraEthernet} }

// connection is the sender's side of a connection: a [reps.REPS], [reps.Artifact], [reps.FIFO] or
// [reps.Large]. now is in nanoseconds modulo 2^32.
type connection[T any] interface {
	*T
	OnAck(now uint32, ev uint16, marked bool)
	OnNack(now uint32)
	OnFailure(now uint32)
	OnProbeReply()
	OnIdle(now uint32)
	NextEV(random reps.Source) (ev uint16, recycled bool)
	NextOrigin() reps.Origin
	AppendSlots(dst []reps.Slot) []reps.Slot
	Frozen() bool
	Reset()
}

// recycling is the balancer of [RecyclingConfig.New].
type recycling[T any, C connection[T]] struct {
	fresh    func(packetsPerWindow int) (T, error)
	flows    []lane[T]           // one for each flow and plane
	paths    []path              // of lanes
	planes   int32               // 1, except in a [RecyclingConfig.NewPerPlane]
	observe  fattree.Picoseconds // length of the observation window
	dropping bool                // switches drop and do not trim
	inherits bool                // flows can continue with the state of others; not with the authors' unbounded lists
	freezes  bool                // there is a freezing mode
	freezeAt fattree.Picoseconds // when every flow enters freezing mode
	idle     fattree.Picoseconds // pause after which a flow explores again; 0 is none
	watch    fattree.Picoseconds // from when on every packet and feedback has to be watched, for one of these two
	probing  bool                // a probe ends freezing mode
	rto      fattree.Picoseconds
}

// lane is the REPS of a flow, or of a flow in one plane, and its generator. With reps.REPS it takes two cache
// lines; the second one is rarely used.
type lane[T any] struct {
	state T
	draw  mc.Rand
	_     [16]byte
}

// never is later than any time.
const never fattree.Picoseconds = 1<<63 - 1

// path holds a flow's RTTs and the state of its probes.
type path struct {
	suspicious fattree.Picoseconds // RTT from which a time-out may be due to congestion
	longest    fattree.Picoseconds // in the observation window
	since      fattree.Picoseconds // start of the window
	probed     fattree.Picoseconds // when the last probe was sent
	active     fattree.Picoseconds // when it last sent a packet or got feedback; only with RecyclingConfig.Idle
	suspect    uint16              // EV of the lost packet that started freezing mode
	forced     bool                // into freezing mode, at freezeAt
}

// RecyclingConfig configures REPS: see [RecyclingConfig.New].
type RecyclingConfig struct {
	Rules Rules // default Paper
	// REPS configures the flows. A PacketsPerWindow of 0 means one bandwidth-delay product of the network, or 16
	// packets under the UltraEthernet rules. The FIFO rules use only EVSSize. For a ring of more than
	// reps.MaxBufferSize entries, up to reps.MaxLargeSize, REPS is a [reps.Large].
	REPS reps.Config
	// FreezeAt forces every flow into freezing mode at its first packet or feedback at or after this time, as if
	// it had suspected a failure; 0 is never.
	FreezeAt fattree.Picoseconds
	// Idle is the pause after which a flow explores again, see [reps.REPS.OnIdle]: a time in which the flow sent
	// nothing and got no feedback (in the plane, of [RecyclingConfig.NewPerPlane]), so nothing was in flight if it is
	// above the RTO. 0, the default, is never, as in the pseudocode. Otherwise it is at most 2^60 ps and requires the
	// Paper rules.
	Idle fattree.Picoseconds
}

// NewRecycling returns a REPS with the given rules and cfg, without forced freezing and pauses. It returns the error
// of [RecyclingConfig.New].
func NewRecycling(rules Rules, cfg reps.Config) (transport.Balancer, error) {
	return RecyclingConfig{Rules: rules, REPS: cfg}.New()
}

// New returns REPS: it runs package reps for each flow of the network.
//
// As in the authors' simulator, a time-out makes a flow suspect a failure. If switches trim, congestion
// causes no time-outs, so each time-out counts. If switches drop, a time-out counts only if no RTT in its
// observation window of two RTOs reached 1.65 times the unloaded RTT.
//
// New returns the errors of package reps, and refuses a field out of range.
func (c RecyclingConfig) New() (transport.Balancer, error) {
	if c.FreezeAt < 0 {
		return nil, faults.New("balance", "FreezeAt", c.FreezeAt, "must not be negative")
	}
	perWindow := func(packets int) reps.Config {
		cfg := c.REPS
		cfg.PacketsPerWindow = cmp.Or(cfg.PacketsPerWindow, packets)
		return cfg
	}
	if c.Rules == UltraEthernet {
		perWindow = func(int) reps.Config { return c.REPS.UltraEthernet() }
	}
	artifact := c.Rules == Artifact || c.Rules == UltraEthernet
	switch {
	case c.Rules != "" && !slices.Contains(AllRules(), c.Rules):
		return nil, faults.New("balance", "Rules", c.Rules, "must be one of %v", AllRules())
	case c.Rules == FIFO:
		return newRecycling[reps.FIFO](c, func(int) (s reps.FIFO, err error) {
			return s, s.Init(reps.FIFOConfig{EVSSize: c.REPS.EVSSize})
		})
	case c.REPS.BufferSize > reps.MaxBufferSize:
		return newLarge(c, perWindow, artifact)
	case artifact:
		return newRecycling[reps.Artifact](c, func(packets int) (s reps.Artifact, err error) {
			return s, s.Init(perWindow(packets))
		})
	}
	b, err := newRecycling[reps.REPS](c, func(packets int) (s reps.REPS, err error) {
		return s, s.Init(perWindow(packets))
	})
	if err != nil {
		return nil, err
	}
	return recyclingREPS{b.(*recycling[reps.REPS, *reps.REPS])}, nil
}

func newRecycling[T any, C connection[T]](c RecyclingConfig, fresh func(int) (T, error)) (transport.Balancer, error) {
	if _, err := fresh(1); err != nil {
		return nil, err
	}
	if c.Idle < 0 || c.Idle > longestTime || c.Idle > 0 && c.Rules != "" && c.Rules != Paper {
		return nil, faults.New("balance", "Idle", int64(c.Idle), "must be in [0, %d] ps, and 0 with rules other than %s", int64(longestTime), Paper)
	}
	b := &recycling[T, C]{planes: 1, fresh: fresh, inherits: c.Rules != FIFO, freezes: c.Rules != FIFO && !c.REPS.DisableFreezing, freezeAt: never, watch: never, idle: c.Idle, probing: c.REPS.Exit == reps.ExitOnProbe}
	if c.FreezeAt > 0 {
		b.freezeAt, b.watch = c.FreezeAt, c.FreezeAt
	}
	if c.Idle > 0 {
		b.watch = 0
	}
	return b, nil
}

// Reset gives every flow the state of a new connection.
func (b *recycling[T, C]) Reset(n *fattree.Network, random mc.Stream) {
	if b == nil || b.fresh == nil {
		panic("balance: a REPS that was not made by a method of RecyclingConfig, or by NewRecycling")
	}
	b.rto = transport.OptionsOn(n).RTO
	b.observe = 2 * b.rto
	b.dropping = n.Spec().DisableTrimming
	if lanes := n.Flows() * int(b.planes); len(b.flows) != lanes {
		b.flows = make([]lane[T], lanes)
		b.paths = make([]path, lanes)
	}
	for i := range b.flows {
		rtt := n.BaseRTT(int32(i) / b.planes)
		// New has checked the configuration, so this cannot fail.
		b.flows[i].state, _ = b.fresh(min(max(1, int(n.BDP(int32(i)/b.planes)/float64(b.planes))), math.MaxUint16))
		b.flows[i].draw = random.Child(uint64(i)).Rand()
		b.paths[i] = path{suspicious: rtt * 165 / 100, probed: -b.rto}
	}
}

// Traits says that it recycles carried EVs, that it uses RTTs only if switches drop, and that it sends probes only if a
// probe ends freezing mode.
func (b *recycling[T, C]) Traits() transport.Traits {
	if b == nil {
		return transport.Traits{}
	}
	t := transport.Traits{IgnoresRTTs: !b.dropping, UsesCarried: true, UsesTrims: true, Frozen: b.Frozen, Inspect: b.Inspect}
	if b.inherits {
		t.Inherit = b.Inherit
	}
	if b.probing {
		t.Probe = b.Probe
	}
	return t
}

// nanoseconds returns a time for package reps, modulo 2^32.
func nanoseconds(now fattree.Picoseconds) uint32 { return uint32(uint64(now) / 1000) }

// NextEV returns the EV that the flow's REPS chooses. O(1).
func (b *recycling[T, C]) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	if now >= b.watch {
		b.note(flow, now, true)
	}
	return C(&b.flows[flow].state).NextEV(&b.flows[flow].draw)
}

// Feedback forwards to the flow's REPS. O(1).
func (b *recycling[T, C]) Feedback(f transport.Feedback) {
	if f.Now >= b.watch {
		b.note(f.Flow, f.Now, false)
	}
	c := C(&b.flows[f.Flow].state)
	if b.dropping && f.RTT > 0 {
		b.paths[f.Flow].observe(f, b.observe)
	}
	switch f.Kind {
	case transport.Good:
		c.OnAck(nanoseconds(f.Now), f.EV, false)
	case transport.Marked:
		c.OnAck(nanoseconds(f.Now), f.EV, true)
	case transport.Nacked:
		c.OnNack(nanoseconds(f.Now))
	case transport.TimedOut:
		if b.suspects(f.Flow) {
			if !c.Frozen() {
				b.paths[f.Flow].suspect = f.EV
			}
			c.OnFailure(nanoseconds(f.Now))
		}
	case transport.Probed:
		c.OnProbeReply()
	}
}

// suspects reports whether a time-out of a flow suggests a failure.
func (b *recycling[T, C]) suspects(flow int32) bool {
	return !b.dropping || b.paths[flow].longest < b.paths[flow].suspicious
}

// note records that a flow is active. If it sends after a pause, it first explores again. From freezeAt on it is
// forced into freezing mode, once.
func (b *recycling[T, C]) note(flow int32, now fattree.Picoseconds, sends bool) {
	p := &b.paths[flow]
	if sends && b.idle > 0 && now-p.active >= b.idle {
		C(&b.flows[flow].state).OnIdle(nanoseconds(now))
	}
	p.active = now
	if now >= b.freezeAt && !p.forced {
		p.forced = true
		C(&b.flows[flow].state).OnFailure(nanoseconds(now))
	}
}

// Probe returns the EV of the lost packet that started the flow's freezing mode, once per RTO while freezing mode
// lasts. O(1).
func (b *recycling[T, C]) Probe(flow int32, now fattree.Picoseconds) (ev uint16, wanted bool) {
	p := &b.paths[flow]
	if !C(&b.flows[flow].state).Frozen() || now-p.probed < b.rto {
		return 0, false
	}
	p.probed = now
	return p.suspect, true
}

// observe records an RTT. It first starts a new window if the last one is over.
func (p *path) observe(f transport.Feedback, length fattree.Picoseconds) {
	if f.Now-p.since > length {
		p.since, p.longest = f.Now, 0
	}
	p.longest = max(p.longest, f.RTT)
}

// Inherit gives a flow the ring and the freezing mode of another flow, which may have been idle since. O(ring).
func (b *recycling[T, C]) Inherit(flow, from int32) {
	b.paths[flow].active = b.paths[from].active
	own, other := &b.flows[flow].state, &b.flows[from].state
	if large, is := any(own).(*reps.Large); is {
		large.Assign(any(other).(*reps.Large))
	} else {
		*own = *other
	}
}

// Frozen reports whether a flow is in freezing mode.
func (b *recycling[T, C]) Frozen(flow int32) bool { return C(&b.flows[flow].state).Frozen() }

// Inspect returns the ring. It does not show a forced freezing mode, or the end of a pause, that
// comes with the next packet. O(ring).
func (b *recycling[T, C]) Inspect(flow int32, dst []transport.Slot) transport.Memory {
	c := C(&b.flows[flow].state)
	m := transport.Memory{Next: transport.Origin(c.NextOrigin().String()), Keeps: true, Freezes: b.freezes, Frozen: c.Frozen(), Slots: dst}
	var room [reps.MaxBufferSize]reps.Slot
	for _, s := range c.AppendSlots(room[:0]) {
		m.Slots = append(m.Slots, transport.Slot(s))
		if s.Valid {
			m.Valid++
		}
	}
	return m
}

// recyclingREPS is recycling by the paper's rules. Go calls methods of a type parameter through tables: two such
// calls would be a twentieth of a packet's cost. So recyclingREPS calls none for each packet.
type recyclingREPS struct {
	*recycling[reps.REPS, *reps.REPS]
}

// NextEV is [recycling.NextEV].
func (b recyclingREPS) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	if now >= b.watch {
		b.note(flow, now, true)
	}
	f := &b.flows[flow]
	return f.state.NextEV(&f.draw)
}

// Feedback is [recycling.Feedback].
func (b recyclingREPS) Feedback(f transport.Feedback) {
	if f.Kind > transport.Marked || b.dropping || f.Now >= b.watch {
		b.recycling.Feedback(f)
		return
	}
	b.flows[f.Flow].state.OnAck(nanoseconds(f.Now), f.EV, f.Kind == transport.Marked)
}
