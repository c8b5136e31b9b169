package multipath_test

import (
	"math/rand/v2"
	"slices"
)

// The program in this file shares no code with packages fattree, multipath and mrc. It is written from
// their documentation and works differently: with events in continuous time instead of slots, an object
// for each packet, and a scan of the whole set for each EV. It has only the fixed window of
// congestion.None, so that NSCC is not written twice, and has neither failures of host links nor
// latencies of switches.

// rules are the parameters of both programs. Times are in bytes on a link.
type rules struct {
	hosts, planes, perToR, spines int
	mtu, header, latency, rto     int64
	queue, kMin, kMax             int // packets
	window, ackRatio              int
	values, active, backup        int     // EVs of a plane; values is a power of 2
	hashed                        bool    // an EV is a random path for each flow and direction, otherwise a spine
	silent                        bool    // spine 1 of plane 0 loses everything
	perCable, perSwitch           float64 // random loss
}

// message is a flow.
type message struct{ from, to, packets int }

// numbers are the numbers to compare.
type numbers [8]float64

var measured = [8]string{"mean FCT", "largest FCT", "retransmitted", "trimmed", "marked", "lost", "corrupted", "duplicates"}

const (
	meanFCT = iota
	maxFCT
	retransmitted
	trimmed
	marked
	lost
	corrupted
	duplicates
)

// event is something that happens at a time. Among events at the same time, first parcels arrive, in
// random order, then packets time out, then links begin to send.
type event struct {
	at   int64
	rank int
	tie  uint64
	do   func()
}

const (
	arrival = iota
	timeout
	service
)

// before reports whether an event comes before another one.
func (e *event) before(other *event) bool {
	if e.at != other.at {
		return e.at < other.at
	}
	return e.rank < other.rank || e.rank == other.rank && e.tie < other.tie
}

// events is a binary heap: each event comes before its children, at 2*i+1 and 2*i+2.
type events []event

func (e *events) push(x event) {
	*e = append(*e, x)
	list := *e
	i := len(list) - 1
	for ; i > 0 && x.before(&list[(i-1)/2]); i = (i - 1) / 2 {
		list[i] = list[(i-1)/2]
	}
	list[i] = x
}

func (e *events) pop() event {
	list, last := *e, len(*e)-1
	first, x := list[0], list[last]
	list[last].do = nil
	list = list[:last]
	*e = list
	if last == 0 {
		return first
	}
	i := 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && list[child+1].before(&list[child]) {
			child++
		}
		if x.before(&list[child]) {
			break
		}
		list[i], i = list[child], child
	}
	list[i] = x
	return first
}

// parcel is a packet or header on its way.
type parcel struct {
	*flow
	kind, number                int // number of the packet, or of the packet that this answers
	ev                          value
	way                         []*port
	mark, atLast, corrupt, asks bool
	whole, base                 int    // in a SACK: packets received without a gap,
	bits                        uint64 // and the packets received among the 64 from base on
}

const (
	data    = iota
	cut     // a trimmed packet
	sack    // the answer to a packet or to a reliability probe
	nack    // the answer to a trimmed packet
	ask     // a reliability probe
	evProbe // a probe of an EV
	evReply // its answer
)

// port is the sending side of a link.
type port struct {
	kind, plane, a, b int
	data, headers     []*parcel
	busy              int64 // time until which the port sends
	awake             bool  // the next event of the port is in the heap
}

const (
	card = iota // network card of host a
	up          // of ToR a to spine b
	down        // of spine a to ToR b
	last        // to host a
)

// world is a run.
type world struct {
	rules
	now    int64
	random *rand.Rand
	heap   events
	ports  map[[4]int]*port
	hash   map[[5]int]int
	of     [][]*flow // flows of each host
	turn   []int
	wakes  []int64 // time of each host's next event
	open   int
	numbers
}

// flow is the state of both ends of a flow.
type flow struct {
	message
	id, next, inFlight, acked int
	first                     int // first packet that the receiver is not known to have
	packet                    []transmission
	lost                      []int
	asked                     bool // a reliability probe is in flight
	chooser
	probed, mayProbe int64 // times of probes of EVs; probed is below 0 if no probe is in flight

	// State of the receiver:
	got                    []bool
	whole, counted, wanted int // a SACK is due when all packets before wanted have arrived
}

// transmission is the last transmission of a packet.
type transmission struct {
	state, times, timeouts int
	ev                     value
}

const (
	unsent = iota
	flying
	waiting // waits to be retransmitted
	known   // known to have arrived
)

func (w *world) after(delay int64, rank int, do func()) {
	w.heap.push(event{w.now + delay, rank, w.random.Uint64(), do})
}

// simulate runs the program until all flows have ended.
func simulate(r rules, messages []message, seed uint64) numbers {
	w := &world{rules: r, random: rand.New(rand.NewPCG(seed, 37)), open: len(messages), ports: map[[4]int]*port{},
		hash: map[[5]int]int{}, of: make([][]*flow, r.hosts), turn: make([]int, r.hosts), wakes: make([]int64, r.hosts)}
	for i, m := range messages {
		f := &flow{message: m, id: i, packet: make([]transmission, m.packets), got: make([]bool, m.packets),
			chooser: newChooser(r, w.random), probed: -1}
		w.of[m.from] = append(w.of[m.from], f)
	}
	for host := range r.hosts {
		w.wakes[host] = -1
		w.wake(host, 0)
	}
	for w.open > 0 {
		e := w.heap.pop()
		w.now = e.at
		e.do()
	}
	w.numbers[meanFCT] /= float64(len(messages))
	return w.numbers
}

func (w *world) port(kind, plane, a, b int) *port {
	key := [4]int{kind, plane, a, b}
	if w.ports[key] == nil {
		w.ports[key] = &port{kind: kind, plane: plane, a: a, b: b}
	}
	return w.ports[key]
}

// way returns the ports from the source of a flow to the destination with an EV, or the ports of the way
// back.
func (w *world) way(f *flow, ev value, back int) []*port {
	from, to, spine := f.from, f.to, ev.path%w.spines
	if back == 1 {
		from, to = to, from
	}
	if w.hashed {
		key, found := [5]int{f.id, ev.plane, ev.path, back}, false
		if spine, found = w.hash[key]; !found {
			spine = w.random.IntN(w.spines)
			w.hash[key] = spine
		}
	}
	a, b := from/w.perToR, to/w.perToR
	if a == b {
		return []*port{w.port(card, ev.plane, from, 0), w.port(last, ev.plane, to, 0)}
	}
	return []*port{w.port(card, ev.plane, from, 0), w.port(up, ev.plane, a, spine), w.port(down, ev.plane, spine, b), w.port(last, ev.plane, to, 0)}
}

// put sends a parcel over its first port, which must be free.
func (w *world) put(c *parcel) {
	p := c.way[0]
	c.way = c.way[1:]
	bytes := w.header
	if c.kind == data {
		bytes = w.mtu
		c.corrupt = c.corrupt || w.random.Float64() < w.perCable || p.kind != card && w.random.Float64() < w.perSwitch
	}
	p.busy = w.now + bytes
	if w.silent && p.plane == 0 && (p.kind == up && p.b == 1 || p.kind == down && p.a == 1) {
		if c.kind == data {
			w.numbers[lost]++
		}
		return
	}
	w.after(bytes+w.latency, arrival, func() {
		if len(c.way) == 0 {
			w.receive(c.flow, c)
		} else {
			w.join(c)
		}
	})
}

// join puts a parcel into the queue of its next port.
func (w *world) join(c *parcel) {
	p := c.way[0]
	if c.kind == data && len(p.data) >= w.queue {
		w.numbers[trimmed]++
		victim := c
		if end := len(p.data) - 1; w.random.IntN(2) == 0 {
			victim, p.data[end] = p.data[end], c
		}
		victim.kind, victim.atLast = cut, p.kind == last
		p.headers = append(p.headers, victim)
	} else if c.kind == data {
		p.data = append(p.data, c)
	} else {
		p.headers = append(p.headers, c)
	}
	if !p.awake {
		p.awake = true
		w.after(max(0, p.busy-w.now), service, func() { w.serve(p) })
	}
}

// serve lets the port of a switch send a header or, if none waits, a packet.
func (w *world) serve(p *port) {
	if len(p.headers) > 0 {
		c := p.headers[0]
		p.headers = p.headers[1:]
		w.put(c)
	} else {
		c := p.data[0]
		p.data = p.data[1:]
		over := float64(len(p.data) - w.kMin)
		if p.kind != last && !c.mark && w.random.Float64()*float64(w.kMax-w.kMin) < over {
			c.mark = true
			w.numbers[marked]++
		}
		w.put(c)
	}
	if p.awake = len(p.headers)+len(p.data) > 0; p.awake {
		w.after(p.busy-w.now, service, func() { w.serve(p) })
	}
}

// wake lets a host send after a time.
func (w *world) wake(host int, delay int64) {
	at := w.now + delay
	if w.wakes[host] >= w.now && w.wakes[host] <= at {
		return
	}
	w.wakes[host] = at
	w.after(delay, service, func() {
		if w.wakes[host] == at {
			w.wakes[host] = -1
			w.send(host)
		}
	})
}

// send lets a host send over all free links: headers or, if none wait, packets, with the flows in turn.
func (w *world) send(host int) {
	free, next := 0, int64(-1)
	busy := func(p *port) bool {
		if p.busy > w.now && (next < 0 || p.busy < next) {
			next = p.busy
		}
		return p.busy > w.now
	}
	for plane := range w.planes {
		p := w.port(card, plane, host, 0)
		for len(p.headers) > 0 && !busy(p) {
			c := p.headers[0]
			p.headers = p.headers[1:]
			w.put(c)
		}
		if !busy(p) {
			free |= 1 << plane
		}
	}
	for passed := 0; passed < len(w.of[host]) && free != 0; passed++ {
		f := w.of[host][w.turn[host]%len(w.of[host])]
		w.turn[host]++
		if number := f.candidate(w); number >= 0 {
			if ev, ok := f.choose(free); ok {
				w.transmit(f, number, ev)
				busy(w.port(card, ev.plane, host, 0))
				free &^= 1 << ev.plane
				passed = -1
			}
		}
	}
	if next >= 0 {
		w.wake(host, next-w.now)
	}
}

// candidate returns the packet that a flow may send, lost ones first, or -1.
func (f *flow) candidate(w *world) int {
	for len(f.lost) > 0 && f.packet[f.lost[0]].state != waiting {
		f.lost = f.lost[1:] // the packet has arrived after all
	}
	switch {
	case f.inFlight >= w.window:
		return -1
	case len(f.lost) > 0:
		return f.lost[0]
	case f.next < f.packets && f.next < f.first+32640:
		return f.next
	}
	return -1
}

// transmit sends a packet along a path.
func (w *world) transmit(f *flow, number int, ev value) {
	t := &f.packet[number]
	again := t.state == waiting
	if again {
		w.numbers[retransmitted]++
		f.lost = f.lost[1:]
	} else {
		f.next++
	}
	f.inFlight++
	t.state, t.ev = flying, ev
	t.times++
	w.put(&parcel{flow: f, kind: data, number: number, ev: ev, way: w.way(f, ev, 0),
		asks: again || number == f.packets-1 || f.inFlight == w.window})
	times, half := t.times, w.rto<<min(max(t.timeouts-6, 0), 14)/2
	unanswered := func() bool { return t.state == flying && t.times == times }
	w.after(half, timeout, func() {
		if !unanswered() {
			return
		}
		// If every packet is answered and no answer can be lost, reliability probes are not needed.
		if !f.asked && (w.silent || w.ackRatio > 1) {
			if ev, ok := f.choose(1<<w.planes - 1); ok {
				f.asked = true
				w.emit(&parcel{flow: f, kind: ask, number: number, ev: ev, way: w.way(f, ev, 0)})
			}
		}
		w.after(half, timeout, func() {
			if unanswered() {
				f.asked = false
				t.timeouts++
				f.lose(ev)
				w.giveUp(f, number)
			}
		})
	})
}

// giveUp makes a packet wait for retransmission.
func (w *world) giveUp(f *flow, number int) {
	f.packet[number].state = waiting
	at, _ := slices.BinarySearch(f.lost, number)
	f.lost = slices.Insert(f.lost, at, number)
	f.inFlight--
	w.wake(f.from, 0)
}

// emit hands a header to a link of its host.
func (w *world) emit(c *parcel) {
	c.way[0].headers = append(c.way[0].headers, c)
	w.wake(c.way[0].a, 0)
}

// receive handles a parcel that reaches a host.
func (w *world) receive(f *flow, c *parcel) {
	back := func(kind int) *parcel {
		return &parcel{flow: f, kind: kind, number: c.number, ev: c.ev, mark: c.mark, atLast: c.atLast, way: w.way(f, c.ev, 1)}
	}
	report := func() { // the 64 packets up to the one that arrived, or from the first missing one
		f.counted = 0
		s := back(sack)
		s.whole, s.base = f.whole, max(f.whole, c.number-63)
		for i := range min(64, f.packets-s.base) {
			if f.got[s.base+i] {
				s.bits |= 1 << i
			}
		}
		w.emit(s)
	}
	switch {
	case c.kind == data && c.corrupt:
		w.numbers[corrupted]++
	case c.kind == data:
		again, before := f.got[c.number], f.whole
		if again {
			w.numbers[duplicates]++
		}
		f.got[c.number] = true
		for f.whole < f.packets && f.got[f.whole] {
			f.whole++
		}
		if c.asks && f.whole <= c.number {
			f.wanted = max(f.wanted, c.number)
		}
		if f.counted++; f.counted >= w.ackRatio || c.mark || again || c.asks || before < f.wanted && f.whole >= f.wanted {
			report()
		}
	case c.kind == cut:
		w.emit(back(nack))
	case c.kind == ask:
		s := back(sack)
		s.whole, s.base, s.number = f.whole, c.number, -1
		if f.got[c.number] {
			s.bits = 1
		}
		w.emit(s)
	case c.kind == evProbe:
		w.emit(back(evReply))
	case f.acked == f.packets: // the flow has ended
	case c.kind == evReply:
		f.change(c.ev, bad, good)
		f.probed = -1
	case c.kind == nack && f.packet[c.number].state == flying:
		if !c.atLast {
			f.change(c.ev, good, skip)
		}
		f.packet[c.number].timeouts = 0
		w.giveUp(f, c.number)
	case c.kind == sack:
		w.learn(f, c)
	}
}

// learn handles a SACK.
func (w *world) learn(f *flow, c *parcel) {
	know := func(n int) {
		t := &f.packet[n]
		if t.state == flying {
			f.inFlight--
		}
		if t.state != known {
			f.acked++
		}
		t.state = known
	}
	for ; f.first < c.whole; f.first++ {
		know(f.first)
	}
	for i := range 64 {
		if c.bits>>i&1 != 0 {
			know(c.base + i)
		}
	}
	if c.number < 0 {
		f.asked = false
	} else if c.mark {
		f.change(c.ev, good, skip)
	}
	if f.acked == f.packets {
		w.open--
		w.numbers[meanFCT] += float64(w.now)
		w.numbers[maxFCT] = max(w.numbers[maxFCT], float64(w.now))
		return
	}
	if f.probed >= 0 && w.now >= f.probed+w.rto {
		f.probed = -1
		f.suspect++
	}
	if ev, ok := f.worst(); ok && f.probed < 0 && w.now >= f.mayProbe {
		way := w.way(f, ev, 0)
		f.probed, f.mayProbe = w.now, w.now+int64(len(way))*(w.mtu+w.header+2*w.latency) // once in a round trip
		w.emit(&parcel{flow: f, kind: evProbe, ev: ev, way: way})
	}
	w.wake(f.from, 0)
}

// value is an entropy value.
type value struct{ plane, path int }

const (
	good = iota
	skip
	bad
)

// chooser chooses the EVs of a flow. Places are numbered through the sets of all planes.
type chooser struct {
	rules
	set     []value
	state   []int
	at      []int // next place in the rotation of each plane
	plane   int   // plane of the last packet
	suspect int   // place that probes test
}

func newChooser(r rules, random *rand.Rand) chooser {
	c := chooser{rules: r, plane: r.planes - 1, at: make([]int, r.planes), state: make([]int, r.planes*(r.active+r.backup))}
	for plane := range r.planes {
		// Prime to the values, a power of 2.
		start, stride := random.IntN(r.values), 2*random.IntN(r.values/2)+1
		for i := range r.active + r.backup {
			c.set = append(c.set, value{plane, (start + i*stride) % r.values})
		}
	}
	return c
}

// inUse returns the places of a plane's active EVs, and whether there is a backup behind them.
func (c *chooser) inUse(plane int) (places []int, spare bool) {
	places = make([]int, 0, c.active)
	size := c.active + c.backup
	for i := plane * size; i < (plane+1)*size; i++ {
		if c.state[i] == bad {
			continue
		}
		if len(places) == c.active {
			return places, true
		}
		places = append(places, i)
	}
	return places, false
}

// choose returns the EV of a packet over a free link.
func (c *chooser) choose(free int) (value, bool) {
	for i := 1; i <= c.planes; i++ {
		plane := (c.plane + i) % c.planes
		places, _ := c.inUse(plane)
		if free>>plane&1 == 0 || len(places) == 0 {
			continue
		}
		c.plane = plane
		from := 0
		for from < len(places) && places[from] < c.at[plane] {
			from++
		}
		for c.state[places[from%len(places)]] == skip {
			c.state[places[from%len(places)]] = good
			from++
		}
		place := places[from%len(places)]
		c.at[plane] = place + 1
		return c.set[place], true
	}
	return value{}, false
}

// change moves an EV from one state to another, if it is in the first.
func (c *chooser) change(ev value, from, to int) {
	if i := slices.Index(c.set, ev); c.state[i] == from {
		c.state[i] = to
	}
}

// lose takes an EV out of use, unless there is no backup and few are left.
func (c *chooser) lose(ev value) {
	all := 0
	for plane := range c.planes {
		places, _ := c.inUse(plane)
		all += len(places)
	}
	i := slices.Index(c.set, ev)
	if _, spare := c.inUse(ev.plane); c.state[i] != bad && !spare && all <= (c.planes*c.active+3)/4 {
		c.state[i] = skip
	} else {
		c.state[i] = bad
	}
}

// worst returns the EV to probe.
func (c *chooser) worst() (value, bool) {
	for range c.set {
		if c.suspect %= len(c.set); c.state[c.suspect] == bad {
			return c.set[c.suspect], true
		}
		c.suspect++
	}
	return value{}, false
}
