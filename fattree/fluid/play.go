package fluid

import (
	"fmt"
	"math"

	"repslab/fattree"
	"repslab/faults"
	"repslab/internal/heap"
)

// maxTime bounds all times, in picoseconds: 18 minutes. Package mc keeps sums of their squares exactly.
const maxTime = 1 << 50

// A flow is done when at most this many bytes are left. Rounding errors of bytes, and of times (below 2^-2 ps up
// to maxTime), are smaller.
const (
	doneFraction    = 1e-9 // of the flow's bytes
	donePicoseconds = 0.5  // at the flow's rate
)

// play simulates a workload on a network.
type play struct {
	cfg      Config
	solver   *solver
	unloaded []float64 // by flow: completion time alone, picoseconds
	after    []float64 // by flow: time from its last byte's departure to its end
	back     []float64 // by flow: time from its last byte's arrival to its end
	bytes    []float64 // by flow: bytes on the wire
	left     []float64 // by flow: bytes not yet sent
	active   []int32
	changed  bool // the active flows are no longer the flows that have rates
	now      float64
	events   heap.Heap[event]
	starter  *fattree.Starter
	result   Result
}

// event is the start of a flow or the firing of its trigger.
type event struct {
	time  fattree.Picoseconds
	flow  int32
	start bool
}

// Before reports whether event e is handled before event f: by time, ends before starts, then by flow.
func (e event) Before(f event) bool {
	if e.time != f.time {
		return e.time < f.time
	}
	if e.start != f.start {
		return f.start
	}
	return e.flow < f.flow
}

// newPlay prepares a valid configuration with defaults applied, over constraints of the given capacity. paths may
// be set later.
func newPlay(c Config, capacity []float64, paths []path) *play {
	flows := len(c.Workload.Flows)
	return &play{
		cfg: c, solver: newSolver(capacity, paths), starter: fattree.NewStarter(c.Workload),
		unloaded: make([]float64, flows), after: make([]float64, flows), back: make([]float64, flows),
		bytes: make([]float64, flows), left: make([]float64, flows),
		result: Result{Start: make([]fattree.Picoseconds, flows), End: make([]fattree.Picoseconds, flows)},
	}
}

// alone computes how long every flow takes alone, limited by its tightest constraint.
func (p *play) alone() {
	spec, outline := p.cfg.spec(), p.cfg.Topology.Outline()
	for i, f := range p.cfg.Workload.Flows {
		rate := math.Inf(1)
		for _, l := range p.solver.paths[i].over() {
			rate = min(rate, p.solver.capacity[l])
		}
		gbps := p.cfg.Topology.Access.Gbps
		if rate != bytesPerPicosecond(gbps) {
			gbps = 8000 * rate
		}
		path := outline.Paths[p.cfg.Topology.Path(f.Source, f.Destination)]
		lone := spec.Alone(outline, path, f.Bytes, gbps)
		p.bytes[i], p.after[i], p.back[i], p.unloaded[i] = lone.WireBytes, lone.After, lone.Back, lone.FCT
	}
}

// run simulates the workload from time 0. The next run overwrites the result.
func (p *play) run() (Result, error) {
	p.alone()
	p.reset()
	for len(p.active) > 0 || len(p.events) > 0 {
		if p.changed {
			p.solver.solve(p.active)
			p.changed = false
		}
		next := p.nextDone()
		if len(p.events) > 0 {
			// Rounding may have put an event before its cause.
			next = max(p.now, min(next, float64(p.events[0].time)))
		}
		if next >= maxTime {
			return Result{}, fmt.Errorf("fluid: %d flows are not finished after %d ps, the limit", len(p.active)+len(p.events), int64(maxTime))
		}
		p.advance(next)
		if err := p.fireDue(); err != nil {
			return Result{}, err
		}
	}
	return p.result, nil
}

// reset goes back to time 0, before the first start.
func (p *play) reset() {
	p.now, p.active, p.changed, p.events = 0, p.active[:0], false, p.events[:0]
	p.starter.Reset()
	for i, f := range p.cfg.Workload.Flows {
		p.result.Start[i], p.result.End[i] = Unfinished, Unfinished
		if f.StartedBy == fattree.NoTrigger {
			p.events.Push(event{f.Start, int32(i), true})
		}
	}
}

// nextDone returns the time at which the first active flow sends its last byte.
func (p *play) nextDone() float64 {
	wait := math.Inf(1)
	for _, f := range p.active {
		wait = min(wait, p.left[f]/p.solver.rate[f])
	}
	return p.now + wait
}

// advance moves to a time no later than nextDone and ends the transmissions of finished flows.
func (p *play) advance(until float64) {
	step := until - p.now
	p.now = until
	still := p.active[:0]
	for _, f := range p.active {
		p.left[f] -= float64(p.solver.rate[f] * step)
		if p.left[f] > float64(doneFraction*p.bytes[f])+float64(donePicoseconds*p.solver.rate[f]) {
			still = append(still, f)
			continue
		}
		end := max(until+p.after[f], float64(p.result.Start[f])+p.unloaded[f])
		p.result.End[f] = fattree.Picoseconds(math.Round(end))
		if p.cfg.Workload.Flows[f].FiresOnDelivery {
			end -= p.back[f]
		}
		if p.cfg.Workload.Flows[f].Fires != fattree.NoTrigger {
			p.events.Push(event{fattree.Picoseconds(math.Round(end)), f, false})
		}
	}
	p.changed = p.changed || len(still) < len(p.active)
	p.active = still
}

// fireDue handles the events that are due.
func (p *play) fireDue() error {
	for len(p.events) > 0 && float64(p.events[0].time) <= p.now {
		e := p.events.Pop()
		if e.start {
			p.begin(e.flow, e.time)
			continue
		}
		for _, f := range p.starter.Fire(p.cfg.Workload.Flows[e.flow].Fires) {
			delay := p.cfg.Workload.Flows[f].Start
			if delay >= maxTime {
				return faults.New("fluid", fmt.Sprintf("Workload.Flows[%d].Start", f), delay, "must be below %d ps", int64(maxTime))
			}
			p.events.Push(event{e.time + delay, f, true})
		}
	}
	return nil
}

// begin makes a flow active, unless a failed link on its path leaves it without a rate.
func (p *play) begin(flow int32, at fattree.Picoseconds) {
	p.result.Start[flow] = at
	if math.IsInf(p.unloaded[flow], 1) {
		return
	}
	p.left[flow] = p.bytes[flow]
	p.active, p.changed = append(p.active, flow), true
}
