package coalescing

import "repslab/internal/bins"

// unknown is the bin of a lesson from a ball that was not good.
const unknown = ^uint32(0)

// lesson is the information that a flow gets from the removal of a ball.
type lesson struct {
	ball uint32 // colour of the ball, or its flow without colours
	bin  uint32 // bin to throw into again, or unknown
}

// ports holds the bins of a process in which balls have senders, and the acknowledgements of the balls.
type ports struct {
	bins.Switch
	acks acks
}

func newPorts(cfg Config) ports {
	return ports{bins.NewSwitch("coalescing", cfg.Bins, cfg.Threshold), newAcks(cfg)}
}

// reset empties all bins.
func (p *ports) reset() {
	p.Switch.Reset()
	p.acks.reset()
}

// serve takes the head out of a bin, unless it is empty or does not serve, and returns the lessons that
// the flow of the head learns now. A ball belongs to flow ball mod flows.
func (p *ports) serve(bin, flows uint32) []lesson {
	ball, overfull, ok := p.Serve(int(bin))
	if !ok {
		return nil
	}
	l := lesson{ball, bin}
	if overfull {
		l.bin = unknown
	}
	return p.acks.remove(ball%flows, l)
}

// acks decides when the removed balls of a flow are acknowledged, and which lessons the acknowledgement
// carries: all r lessons under Carry, otherwise only the lesson of the last ball, which triggers it.
type acks struct {
	removed []uint32 // balls removed since the last acknowledgement, by flow
	lessons []lesson // of flow f: lessons[f*perAck : (f+1)*perAck]
	perAck  uint32   // lessons in an acknowledgement: r under Carry, otherwise 1
	ratio   uint32
}

func newAcks(cfg Config) acks {
	perAck := 1
	if cfg.Variant == Carry {
		perAck = cfg.Ratio
	}
	return acks{make([]uint32, cfg.Bins), make([]lesson, cfg.Bins*perAck), uint32(perAck), uint32(cfg.Ratio)}
}

// reset forgets all balls that wait for an acknowledgement. Their lessons are overwritten
// before they are returned.
func (a *acks) reset() { clear(a.removed) }

// remove records the lesson of a removed ball of a flow. It returns the lessons that reach
// the flow now: none, or all lessons of the acknowledgement in the order of the removals. The
// slice is valid until the flow's next ball.
func (a *acks) remove(flow uint32, l lesson) []lesson {
	first := flow * a.perAck
	at := a.removed[flow]
	// If only the last lesson is carried, each lesson overwrites the one before.
	a.lessons[first+min(at, a.perAck-1)] = l
	if at+1 < a.ratio {
		a.removed[flow] = at + 1
		return nil
	}
	a.removed[flow] = 0
	return a.lessons[first : first+a.perAck]
}
