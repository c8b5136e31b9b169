package supermarket

import (
	"repslab/internal/must"
	"repslab/mc"
)

// Process is one run of a dispatcher and its servers, event by event. Make it with [New]; it is
// not safe for concurrent use. Methods of the zero value panic.
type Process struct {
	cfg    Config
	rates  []float64
	queues []uint32
	choose func() uint32 // returns the server of the next job
	rng    mc.Rand

	remembered uint32   // Memory: the remembered server
	seen       []uint32 // Observations: the remembered queues
	names      nameList // Pull: the remembered idle servers
	silent     nameList // Pull: idle servers that are not remembered
	samples    []uint32 // scratch

	now      float64
	tails    []tail // tails[k] integrates the number of servers with at least k jobs
	since    float64
	messages int64
	jobs     int64 // jobs dispatched
	found    int64 // sum over dispatched jobs of the jobs found at their servers
	idle     int64 // jobs dispatched to idle servers
	served   int64
}

// tail is the integral of a number of servers over time.
type tail struct {
	servers    int
	area, from float64 // area is the integral up to the time from
}

// change adds servers at the time now.
func (t *tail) change(now float64, servers int) {
	t.area += float64(float64(t.servers) * (now - t.from))
	t.from = now
	t.servers += servers
}

// nameList is a set of servers in any order.
type nameList struct {
	list []uint32
	at   []int32 // position of a server in list; -1 if it is not in the set
}

func newNameList(servers int) nameList {
	return nameList{make([]uint32, 0, servers), make([]int32, servers)}
}

func (l *nameList) reset() {
	l.list = l.list[:0]
	for i := range l.at {
		l.at[i] = -1
	}
}

func (l *nameList) add(server uint32) {
	l.at[server] = int32(len(l.list))
	l.list = append(l.list, server)
}

// remove removes a server, if it is in the set.
func (l *nameList) remove(server uint32) {
	if at := l.at[server]; at >= 0 {
		last := len(l.list) - 1
		l.list[at] = l.list[last]
		l.at[l.list[at]] = at
		l.list, l.at[server] = l.list[:last], -1
	}
}

// New returns the process that cfg describes at the start of a run on the zero stream, or the faults of cfg.
// Reset begins a run on another stream. O(n + m).
func New(cfg Config) (*Process, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.WithDefaults()
	n := cfg.Servers
	p := &Process{cfg: cfg, rates: make([]float64, n), queues: make([]uint32, n),
		samples: make([]uint32, 0, cfg.Choices+1)}
	for i := copy(p.rates, cfg.Rates); i < n; i++ {
		p.rates[i] = 1
	}
	switch cfg.Policy {
	case Memory:
		p.choose = p.withMemory
	case Observations:
		p.choose, p.seen = p.byObservations, make([]uint32, n)
	case Pull:
		p.choose, p.names, p.silent = p.byName, newNameList(n), newNameList(n)
	default:
		p.choose = p.bySamples
	}
	p.Reset(mc.Stream{})
	return p, nil
}

// Reset empties queues and memory, begins a run that draws from stream, and puts the jobs of a
// closed system to uniform servers. O(n + m).
func (p *Process) Reset(stream mc.Stream) {
	p.mustBeMade()
	clear(p.queues)
	clear(p.seen)
	p.rng = stream.Rand()
	p.now, p.tails = 0, append(p.tails[:0], tail{servers: len(p.queues)})
	for range p.cfg.Jobs {
		p.join(p.sample())
	}
	p.remembered = p.sample()
	if p.cfg.Policy == Pull {
		p.names.reset()
		p.silent.reset()
		for server, queue := range p.queues {
			if queue == 0 {
				p.silent.add(uint32(server))
			}
		}
	}
	p.Forget()
}

// mustBeMade panics for the zero value.
func (p *Process) mustBeMade() { must.BeMade(p.choose != nil, "supermarket: Process", "New") }

// Advance runs the process for some time. It panics unless time is in [0, mc.MaxRounds]. An event takes O(d) time, or
// O(n) under Observations. There are n (1 + λ) events per unit of time and, under Pull, one for each name sent.
func (p *Process) Advance(time float64) {
	p.mustBeMade()
	must.BeWithin("supermarket: Process.Advance", "time", time, 0, mc.MaxRounds)
	n := float64(len(p.queues))
	arrivals := float64(n * p.cfg.Lambda)
	for end := p.now + time; p.now < end; {
		total := n + arrivals + float64(p.cfg.Alpha*float64(len(p.silent.list)))
		p.now += 1 / total // the mean time to the next event: a drawn time would give the same averages
		switch x := float64(p.rng.Float64() * total); {
		case x < n: // one event per server and unit of time; a share of them, the server's rate, may complete jobs
			server := uint32(x)
			if p.queues[server] > 0 && x-float64(server) < p.rates[server] {
				p.complete(server)
			}
		case x < n+arrivals:
			p.dispatch()
		default:
			p.hear()
		}
	}
}

// sample returns a uniform server.
func (p *Process) sample() uint32 { return uint32(p.rng.Below(uint64(len(p.queues)))) }

// join puts a job to a server.
func (p *Process) join(server uint32) {
	p.queues[server]++
	queue := int(p.queues[server])
	if queue == len(p.tails) {
		p.tails = append(p.tails, tail{from: p.now, area: 0})
	}
	p.tails[queue].change(p.now, 1)
}

// complete removes a job from a busy server and dispatches it again if the system is closed.
func (p *Process) complete(server uint32) {
	p.tails[p.queues[server]].change(p.now, -1)
	p.queues[server]--
	p.served++
	if p.queues[server] == 0 && p.cfg.Policy == Pull {
		p.silent.add(server)
	}
	if p.cfg.Jobs > 0 {
		p.dispatch()
	}
}

// dispatch sends a job to a server.
func (p *Process) dispatch() {
	server := p.choose()
	queue := p.queues[server]
	p.jobs++
	p.found += int64(queue)
	if queue == 0 {
		p.idle++
	}
	p.join(server)
	switch p.cfg.Policy {
	case Memory:
		p.remembered = p.shortest(p.samples)
	case Pull:
		p.names.remove(server)
		p.silent.remove(server)
	}
}

// Averages holds averages of a [Process] since [Process.Forget] or Reset, over time or over the
// jobs that were dispatched.
type Averages struct {
	Tails    []float64 // s_k over time, k = 0, 1, ... up to the longest queue of the run
	Queue    float64   // jobs at a server, averaged over time
	Found    float64   // jobs found at the server that a job joins; the mean wait of a job if all rates are 1
	IdleHit  float64   // share of the jobs dispatched to idle servers
	Served   float64   // completions of all servers per unit of time
	Messages float64   // per job dispatched
}

// Averages returns the averages. Averages over jobs are NaN if no job was dispatched, averages over time if
// there was none. O(longest queue).
func (p *Process) Averages() Averages {
	p.mustBeMade()
	time, jobs := p.now-p.since, float64(p.jobs)
	a := Averages{Found: float64(p.found) / jobs, IdleHit: float64(p.idle) / jobs, Served: float64(p.served) / time,
		Messages: float64(p.messages) / jobs}
	for k := range p.tails {
		p.tails[k].change(p.now, 0)
		share := p.tails[k].area / time / float64(len(p.queues))
		a.Tails = append(a.Tails, share)
		if k > 0 {
			a.Queue += share
		}
	}
	return a
}

// Forget restarts the averages, for example at the end of a warm-up. O(longest queue).
func (p *Process) Forget() {
	p.since, p.messages, p.jobs, p.found, p.idle, p.served = p.now, 0, 0, 0, 0, 0
	for k := range p.tails {
		p.tails[k].from, p.tails[k].area = p.now, 0
	}
}
