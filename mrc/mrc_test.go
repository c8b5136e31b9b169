package mrc

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// model is a connection as the package documentation tells it, in lists.
type model struct {
	cfg    Config
	sets   [][]EV // by plane
	states map[EV]State
	places []int // by plane: in the set, where the rotation goes on
	ports  uint16
	last   int
	probed int // place of the EV that probes test, by turns of all planes
	inRow  int
}

func newModel(cfg Config, m *MRC) *model {
	o := &model{cfg: cfg.withDefaults(), states: map[EV]State{}, ports: m.ports}
	o.places, o.last = make([]int, o.cfg.Planes), o.cfg.Planes-1
	for port := range o.cfg.Planes {
		o.sets = append(o.sets, m.AppendSet(nil, uint8(port)))
		for _, ev := range o.sets[port] {
			o.states[ev] = Good
		}
	}
	return o
}

// active returns the active EVs of a plane.
func (o *model) active(port int) (list []EV) {
	for _, ev := range o.sets[port] {
		if o.states[ev] <= Skip && len(list) < o.cfg.Active {
			list = append(list, ev)
		}
	}
	return list
}

func (o *model) allActive() (count int) {
	for port := range o.sets {
		count += len(o.active(port))
	}
	return count
}

func (o *model) next(free uint16) (EV, bool) {
	for turn := 1; turn <= o.cfg.Planes; turn++ {
		port := (o.last + turn) % o.cfg.Planes
		active := o.active(port)
		if free&o.ports>>port&1 == 0 || len(active) == 0 {
			continue
		}
		o.last = port
		resets := map[SkipRule]int{SkipRotation: len(active), SkipOnePerPacket: 1}[o.cfg.Skip]
		if !slices.ContainsFunc(active, func(ev EV) bool { return o.states[ev] == Good }) {
			resets = max(resets, 1)
		}
		for at := o.places[port]; ; at++ {
			ev := o.sets[port][at%len(o.sets[port])]
			switch {
			case !slices.Contains(active, ev):
			case o.states[ev] == Skip && resets > 0:
				o.states[ev] = Good
				resets--
			case o.states[ev] == Skip:
			default:
				o.places[port] = (at + 1) % len(o.sets[port])
				return ev, true
			}
		}
	}
	return EV{}, false
}

func (o *model) lose(ev EV) {
	if s, known := o.states[ev]; !known || s > Skip {
		return
	}
	if o.states[ev] = AssumedBad; o.allActive() < o.cfg.MinActive {
		o.states[ev] = Skip
	}
}

func (o *model) skip(ev EV) {
	if s, known := o.states[ev]; known && s == Good {
		o.states[ev] = Skip
	}
}

// under returns the EV that probes test, if it is AssumedBad or after having moved on to one that is.
func (o *model) under() (EV, bool) {
	all := o.cfg.Planes * len(o.sets[0])
	for range all {
		if ev := o.sets[o.probed%o.cfg.Planes][o.probed/o.cfg.Planes]; o.states[ev] == AssumedBad {
			return ev, true
		}
		o.probed, o.inRow = (o.probed+1)%all, 0
	}
	return EV{}, false
}

func (o *model) reply(ev EV, marked bool) {
	if under := o.sets[o.probed%o.cfg.Planes][o.probed/o.cfg.Planes]; under != ev || o.states[ev] != AssumedBad {
		return
	}
	if o.inRow++; o.inRow < o.cfg.ProbeReplies {
		return
	}
	if o.states[ev] = Good; marked {
		o.states[ev] = Skip
	}
	o.probed, o.inRow = (o.probed+1)%(o.cfg.Planes*len(o.sets[0])), 0
}

// TestAsTheModel compares an MRC with lists that follow the documentation word by word, over random events of
// 100 configurations, with REPSLAB_LONG=1 of 300.
func TestAsTheModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	cases := 100
	if os.Getenv("REPSLAB_LONG") != "" {
		cases = 300
	}
	for range cases {
		cfg := randomConfig(rng)
		m, err := New(cfg, rng)
		if err != nil {
			t.Fatal(err)
		}
		both := pair{T: t, m: m, o: newModel(cfg, m), rng: rng}
		for range 400 {
			both.step()
		}
		both.compareStates()
		checkState(t, cfg, m)
	}
}

// randomConfig returns a configuration with all fields set.
func randomConfig(rng *rand.Rand) Config {
	cfg := Config{Planes: 1 + rng.IntN(8), Values: []int{1, 2, 12, 256, 65536}[rng.IntN(5)], ProbeReplies: 1 + rng.IntN(3)}
	cfg.Active = 1 + rng.IntN(min(cfg.Values, 200))
	if cfg.Backup = rng.IntN(min(cfg.Values, MaxSet) - cfg.Active + 1); cfg.Backup == 0 {
		cfg.Backup = -1
	}
	cfg.MinActive = 1 + rng.IntN(cfg.Planes*cfg.Active)
	cfg.Skip = SkipRule(rng.IntN(3))
	return cfg
}

// pair is an MRC and its model, to which the same happens.
type pair struct {
	*testing.T
	m   *MRC
	o   *model
	rng *rand.Rand
}

// step lets something happen: news of a packet, a probe, other ports, or a packet to be sent.
func (p *pair) step() {
	set := p.o.sets[p.rng.IntN(len(p.o.sets))]
	switch ev, yes := set[p.rng.IntN(len(set))], p.rng.IntN(2) == 0; p.rng.IntN(6) {
	case 0:
		p.lose(ev, yes)
	case 1:
		p.congest(ev, yes)
	case 2:
		p.deny(ev, p.rng.IntN(3) == 0)
	case 3:
		p.probe(yes)
	case 4:
		own, peer := mostPorts(p.rng), mostPorts(p.rng)
		p.m.OnPorts(own, peer)
		p.o.ports = own & peer
	default:
		free := mostPorts(p.rng)
		ev, ok := p.m.NextEV(free)
		if want, wants := p.o.next(free); ev != want || ok != wants {
			p.Fatalf("%+v: EV %v %v, want %v %v", p.o.cfg, ev, ok, want, wants)
		}
	}
	if p.m.Active() != p.o.allActive() {
		p.Fatalf("%+v: %d active EVs, want %d", p.o.cfg, p.m.Active(), p.o.allActive())
	}
}

// lose takes an EV out of use, because a packet is lost or the receiver says so.
func (p *pair) lose(ev EV, said bool) {
	if said {
		p.m.OnAlwaysSkip(ev)
	} else {
		p.m.OnLoss(ev)
	}
	p.o.lose(ev)
}

// congest reports a packet with or without a mark, or one that was trimmed there or at the last hop.
func (p *pair) congest(ev EV, counts bool) {
	switch p.rng.IntN(3) {
	case 0:
		p.m.EndSkip(ev)
		if p.o.states[ev] == Skip {
			p.o.states[ev] = Good
		}
		return
	case 1:
		p.m.OnAck(ev, counts)
	default:
		p.m.OnTrimmed(ev, !counts)
	}
	if counts {
		p.o.skip(ev)
	}
}

// deny takes an EV out of use or allows it.
func (p *pair) deny(ev EV, denied bool) {
	p.m.Deny(ev, denied)
	if denied {
		p.o.states[ev] = Denied
	} else if p.o.states[ev] == Denied {
		p.o.states[ev] = Good
	}
}

// probe compares the EVs to be probed, and answers or loses the probe.
func (p *pair) probe(marked bool) {
	ev, wanted := p.m.Probe()
	if want, wants := p.o.under(); ev != want || wanted != wants {
		p.Fatalf("%+v: probe of %v %v, want %v %v", p.o.cfg, ev, wanted, want, wants)
	}
	switch answered := p.rng.IntN(4) > 0; {
	case !wanted:
		p.m.OnProbeReply(ev, marked) // of an EV that is not under test
	case answered:
		p.m.OnProbeReply(ev, marked)
		p.o.reply(ev, marked)
	default:
		p.m.OnProbeLoss(ev)
		p.o.probed, p.o.inRow = (p.o.probed+1)%(p.o.cfg.Planes*len(p.o.sets[0])), 0
	}
}

// compareStates compares the states of all EVs.
func (p *pair) compareStates() {
	bad := 0
	for ev, want := range p.o.states {
		if want == AssumedBad {
			bad++
		}
		if got := p.m.State(ev); got != want {
			p.Fatalf("%+v: %v is %v, want %v", p.o.cfg, ev, got, want)
		}
	}
	if p.m.assumedBad() != bad {
		p.Fatalf("%+v: %d EVs are assumed bad, want %d", p.o.cfg, p.m.assumedBad(), bad)
	}
}

// mostPorts returns random ports, each with probability 3/4.
func mostPorts(rng *rand.Rand) uint16 {
	word := rng.Uint32()
	return uint16(word) | uint16(word>>16)
}

// checkState checks that a connection that continues with the state of m does what m does.
func checkState(t *testing.T, cfg Config, m *MRC) {
	t.Helper()
	state := m.AppendState(nil)
	if len(state) != cfg.StateBytes() {
		t.Fatalf("%+v: a state of %d bytes, StateBytes says %d", cfg, len(state), cfg.StateBytes())
	}
	var read, other MRC
	if err := read.SetState(cfg, state); err != nil {
		t.Fatalf("%+v: %v", cfg, err)
	}
	other.CopyFrom(&read)
	read.NextEV(0xffff) // of its own memory
	if again := other.AppendState(nil); !bytes.Equal(again, state) {
		t.Fatalf("%+v: state % x read as % x", cfg, state, again)
	}
	for range 50 {
		a, okA := m.NextEV(0xffff)
		if b, okB := other.NextEV(0xffff); a != b || okA != okB {
			t.Fatalf("%+v: EV %v after SetState, %v before", cfg, b, a)
		}
	}
}
