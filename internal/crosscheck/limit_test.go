package crosscheck

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"os"
	"testing"
	"time"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/ecmphash"
	"repslab/internal/nettest"
	"repslab/mc"
)

// loop is the plain case of package fattree and nothing else: a tornado on a tree of two tiers with
// as many uplinks as hosts a ToR, one flow a host, REPS or OPS, DCTCP, an ACK for each packet,
// trimming, nothing failed. Packets and headers meet what they meet there: delay lines both ways,
// queues, marks, headers that wait for the packet on the wire and take its time, receivers' bitmaps,
// time-outs. Nothing asks for an option that the run does not have, so its speed is a limit for the
// engine's (BenchmarkClosedLoop), whose results are the same in distribution (TestClosedLoop).
//
// Switches and hosts advance by an epoch at a time. A switch reads packets where their senders have
// put them and sorts headers by slot; a host goes through its epoch alone, as no other one matters to
// it before the next, so that its state is in registers and the nearest cache.
type loop struct {
	radix, shift, tors int32 // hosts and uplinks of a ToR, a power of two; its logarithm; ToRs
	packets, left      int32 // of a flow; flows that have not ended
	recycles           bool  // REPS, else OPS
	queue, kmin        int32
	most               float64  // packets of a window, in the beginning and later
	mark               []uint32 // by packets left behind: the marking probability times 2^32
	lag, perHeader     uint32   // of a header on each link, in parts of a slot; what it takes of the link
	timeout            int32    // slots
	to                 []int32  // by flow, numbered as its sender: the receiver

	tiles    []loopTile // ToRs, then spines
	hosts    []loopHost
	up, down [2][]loopLane // of hosts, by parity of the epoch of arrival
	groups   []uint64      // of the hosts' bitmaps
	times    []uint16      // of the packets sent

	hops int64

	// What arrives at the switch that is advanced: headers by slot, and by lane the slots of packets and
	// the ports by which they go on.
	headers [16][]loopHeader
	masks   []uint16
	ports   [][loopEpoch]uint16
}

const (
	loopEpoch = 12      // slots: the latency of a link
	loopSlot  = 1 << 20 // the parts of a slot in debts
	loopPhase = 1 << 10 // the parts of a slot in times
	loopRing  = 128     // places of a queue
	loopPlace = 128 + 8 // their distance, no multiple of a cache's stride

	// The lowest bits of a word, the others are as in package fattree: flow, number, EV.
	loopMark    = 1
	loopNack    = 2 // a header towards the source
	loopTrimmed = 3 // a header towards the destination
)

// loopHeader is a header, with its time from the beginning of an epoch, or the port by which it goes on
// and its time from the beginning of a slot.
type loopHeader struct {
	word uint64
	port uint16
	time uint16
}

// loopHeaders is the number of headers that a lane has places for.
const loopHeaders = 18

// loopLane is what a link carries that arrives in one epoch, in five cache lines.
type loopLane struct {
	slots uint16 // bit s: words[s] arrives in slot s
	count uint16 // of headers in their places
	times [loopHeaders]uint16
	more  []loopHeader // the others
	words [loopEpoch]uint64
	heads [loopHeaders]uint64
}

// add puts a header on a link.
func (l *loopLane) add(word uint64, time uint32) {
	if k := l.count; k < loopHeaders {
		l.heads[k], l.times[k] = word, uint16(time)
		l.count++
		return
	}
	l.more = append(l.more, loopHeader{word: word, time: uint16(time)})
}

// empty forgets what has arrived.
func (l *loopLane) empty() { l.slots, l.count, l.more = 0, 0, l.more[:0] }

// loopPort is a port and its queue.
type loopPort struct {
	head, count uint16
	debt        uint32
}

// loopTile is a switch.
type loopTile struct {
	ports  []loopPort
	rings  []uint64 // of the ports
	busy   []uint64 // a bit for each port with packets
	random mc.Rand
	salt   uint64
	in     [2][]loopLane  // from other switches, by parity of the epoch of arrival
	out    [2][]*loopLane // by port
	late   []loopHeader   // that go on in the next epoch's first slot
}

// loopHost is a host: the sender of one flow and the receiver of another one.
type loopHost struct {
	window                   float64
	inFlight, next, received int32
	lost, lostFrom, oldest   int32
	timer                    int32 // slot in which the oldest packet is looked at
	debt                     uint32
	ring                     [8]uint16
	head, valid              uint8
	waits                    bool // for its link
	end                      int32
	random                   mc.Rand
	late                     []loopHeader

	arrived, complete, highest int32
	acked, gone, there         []uint64 // as far as the sender knows; lost; received
	sent                       []uint16 // slots
}

// newLoop returns the loop of a network with default settings, but for its queues.
func newLoop(n *fattree.Network, radix int32, recycles bool) *loop {
	spec, hosts := n.Spec(), int32(n.Hosts())
	l := &loop{
		radix: radix, shift: int32(bits.TrailingZeros32(uint32(radix))), tors: hosts / radix, packets: int32(n.Packets(0)), recycles: recycles,
		queue: int32(spec.Queue), kmin: int32(spec.KMin), most: float64(transport.LongestWindow(n.Plan())), timeout: int32((transport.OptionsOn(n).RTO + n.SlotTime() - 1) / n.SlotTime()),
		tiles: make([]loopTile, hosts/radix+radix), hosts: make([]loopHost, hosts), ports: make([][loopEpoch]uint16, hosts/radix+2*radix),
	}
	for left := range spec.Queue + 1 {
		p := max(0, min(1, float64(left-spec.KMin)/float64(spec.KMax-spec.KMin)))
		l.mark = append(l.mark, uint32(min(float64(p*(1<<32)), math.MaxUint32)))
	}
	slot := float64(n.SlotTime()) / 1000
	l.lag = uint32(math.Round((float64(2000+64*8/n.HostGbps())/slot - 2*loopEpoch) * loopPhase))
	l.perHeader = uint32(math.Round(loopSlot * float64(spec.HeaderBytes) / float64(spec.MTU)))
	l.groups, l.times = make([]uint64, 3*hosts*((l.packets+63)/64)), make([]uint16, hosts*l.packets)
	for i := range hosts {
		_, to := n.Pair(i)
		l.to = append(l.to, int32(to))
	}
	for parity := range 2 {
		l.up[parity], l.down[parity] = make([]loopLane, hosts), make([]loopLane, hosts)
		l.connect(parity)
	}
	return l
}

// connect lays out what arrives in epochs of a parity.
func (l *loop) connect(parity int) {
	for i := range l.tiles {
		t, ports, in := &l.tiles[i], 2*l.radix, l.radix
		if int32(i) >= l.tors {
			ports, in = l.tors, l.tors
		}
		t.ports, t.rings, t.busy = make([]loopPort, ports), make([]uint64, ports*loopPlace), make([]uint64, (ports+63)/64)
		t.in[parity], t.out[parity] = make([]loopLane, in), make([]*loopLane, ports)
	}
	for tor := range l.tors {
		for k := range l.radix {
			t, spine := &l.tiles[tor], &l.tiles[l.tors+k]
			t.out[parity][k] = &l.down[parity][tor*l.radix+k]
			t.out[parity][l.radix+k] = &spine.in[parity][tor]
			spine.out[parity][tor] = &t.in[parity][k]
		}
	}
}

// run runs a replica.
func (l *loop) run(replica uint64) {
	streams := fattree.NewStreams(1, replica)
	salts, random := streams.Salts.Source(), streams.Algorithm
	for i := range l.tiles {
		t := &l.tiles[i]
		t.salt, t.random = salts.Uint64(), random.Child(1).Child(uint64(i)).Rand()
	}
	groups := int(l.packets+63) / 64
	clear(l.groups)
	for i := range l.hosts {
		of := l.groups[3*i*groups:]
		l.hosts[i] = loopHost{
			window: l.most, timer: l.timeout, random: random.Child(0).Child(uint64(i)).Rand(),
			acked: of[:groups], gone: of[groups:][:groups], there: of[2*groups:][:groups], sent: l.times[i*int(l.packets):][:l.packets],
		}
	}
	l.left = int32(len(l.hosts))
	for epoch := int32(0); l.left > 0; epoch++ {
		for i := range l.tiles {
			first, hosts := int32(i)*l.radix, []loopLane(nil)
			if int32(i) < l.tors {
				hosts = l.up[epoch&1][first:][:l.radix]
			}
			l.advanceSwitch(&l.tiles[i], int32(i), epoch, hosts)
			for h := range hosts {
				l.advanceHost(first+int32(h), epoch)
			}
		}
	}
}

// port returns the port of a switch by which a word goes on to a host.
func (l *loop) port(t *loopTile, number, to int32, word uint64) uint16 {
	tor := to >> l.shift
	switch {
	case number >= l.tors:
		return uint16(tor)
	case tor == number:
		return uint16(to & (l.radix - 1))
	}
	flow := word >> 40
	hash := ecmphash.Hash(flow<<32|uint64(l.to[flow]), uint16(word>>2), t.salt)
	return uint16(int(l.radix) + ecmphash.Port(hash, int(l.radix)))
}

// advanceSwitch runs a switch through an epoch.
func (l *loop) advanceSwitch(t *loopTile, number, epoch int32, hosts []loopLane) {
	out, sides := t.out[epoch&1^1], [2][]loopLane{t.in[epoch&1], hosts}
	l.takeOff(t, number, sides)
	// The packets of a slot join their queues from a lane on that each epoch draws.
	first, _ := bits.Mul64(t.random.Uint64(), uint64(len(sides[0])))
	for slot := range uint32(loopEpoch) {
		l.serve(t, slot, out)
		of := 0
		for side, lanes := range sides {
			k := int(first) * (1 - side)
			for range lanes {
				if l.masks[of+k]>>slot&1 != 0 {
					l.join(t, l.ports[of+k][slot], lanes[k].words[slot], slot, out)
				}
				if k++; k == len(lanes) {
					k = 0
				}
			}
			of += len(lanes)
		}
		for i := range l.headers[slot] {
			h := &l.headers[slot][i]
			l.pass(&t.ports[h.port], out[h.port], h.word, uint32(h.time), slot)
		}
	}
	t.late = append(t.late[:0], l.headers[loopEpoch]...)
	for _, lanes := range sides {
		for k := range lanes {
			lanes[k].empty()
		}
	}
}

// takeOff finds the ports of all that arrives in an epoch, lane after lane.
func (l *loop) takeOff(t *loopTile, number int32, sides [2][]loopLane) {
	for slot := range l.headers {
		l.headers[slot] = l.headers[slot][:0]
	}
	l.headers[0] = append(l.headers[0], t.late...)
	l.masks = l.masks[:0]
	for _, lanes := range sides {
		for k := range lanes {
			lane := &lanes[k]
			ports := &l.ports[len(l.masks)]
			l.masks = append(l.masks, lane.slots)
			for slots := lane.slots; slots != 0; slots &= slots - 1 {
				slot := bits.TrailingZeros16(slots)
				word := lane.words[slot]
				ports[slot] = l.port(t, number, l.to[word>>40], word)
			}
			for i, word := range lane.heads[:lane.count] {
				l.sort(t, number, word, lane.times[i])
			}
			for _, h := range lane.more {
				l.sort(t, number, h.word, h.time)
			}
		}
	}
}

// sort notes a header for the slot in which it arrives.
func (l *loop) sort(t *loopTile, number int32, word uint64, time uint16) {
	to := int32(word >> 40)
	if word&loopTrimmed == loopTrimmed {
		to = l.to[to]
	}
	list := &l.headers[time/loopPhase&15]
	*list = append(*list, loopHeader{word, l.port(t, number, to, word), time % loopPhase})
}

// serve lets the busy ports of a switch spend a slot.
func (l *loop) serve(t *loopTile, slot uint32, out []*loopLane) {
	for word, busy := range t.busy {
		idle := uint64(0)
		for low := uint64(0); busy != 0; busy ^= low {
			low = busy & -busy
			id := word*64 + bits.TrailingZeros64(busy)
			p := &t.ports[id]
			if p.debt >= loopSlot {
				p.debt -= loopSlot
				continue
			}
			packet := t.rings[id*loopPlace+int(p.head%loopRing)]
			p.count--
			p.head++
			if p.count == 0 {
				p.head = 0
				idle |= low
			} else if int32(p.count) > l.kmin && uint32(t.random.Uint64()>>32) <= l.mark[p.count] {
				packet |= loopMark
			}
			l.hops++
			lane := out[id]
			lane.slots |= 1 << slot
			lane.words[slot%16] = packet
		}
		t.busy[word] &^= idle
	}
}

// join puts a packet into its next queue. If that is full it, or the last one there, is trimmed.
func (l *loop) join(t *loopTile, id uint16, packet uint64, slot uint32, out []*loopLane) {
	p, base := &t.ports[id], int(id)*loopPlace
	if int32(p.count) == l.queue {
		if last := base + int((p.head+p.count-1)%loopRing); t.random.Uint64()>>63 == 1 {
			t.rings[last], packet = packet, t.rings[last]
		}
		l.pass(p, out[id], packet|loopTrimmed, 0, slot)
		return
	}
	t.rings[base+int((p.head+p.count)%loopRing)] = packet
	p.count++
	t.busy[id/64] |= 1 << (id % 64)
}

// pass lets a header through a port.
func (l *loop) pass(p *loopPort, lane *loopLane, word uint64, phase, slot uint32) {
	lane.add(word, l.leaves(&p.debt, p.count > 0, phase, slot))
}

// leaves returns when a header that comes in a phase of a slot arrives at the end of a link. If data wait
// for the link it waits for the end of the packet on the wire, and takes time from the data.
func (l *loop) leaves(debt *uint32, waits bool, phase, slot uint32) uint32 {
	if waits {
		phase += (min(*debt, loopSlot-1)>>10 - phase) % loopPhase
		*debt = min(*debt, 1<<31) + l.perHeader
	}
	return slot*loopPhase + min(phase+l.lag, 2*loopPhase-1)
}

// advanceHost runs a host through an epoch.
func (l *loop) advanceHost(number, epoch int32) {
	h := &l.hosts[number]
	down, up := &l.down[epoch&1][number], &l.up[epoch&1^1][number]
	for _, late := range h.late {
		l.takeHeader(h, late, epoch*loopEpoch, 0, up)
	}
	next := 0
	for slot := range uint32(loopEpoch) {
		now := epoch*loopEpoch + int32(slot)
		if down.slots>>slot&1 != 0 {
			l.receive(h, down.words[slot], slot, up)
		}
		for ; next < int(down.count) && uint32(down.times[next])/loopPhase <= slot; next++ {
			l.takeHeader(h, loopHeader{word: down.heads[next], time: down.times[next]}, now, slot, up)
		}
		if now >= h.timer {
			l.expire(h, now)
		}
		if h.waits = h.waits || h.window-float64(h.inFlight) >= 1 && (h.next < l.packets || h.lost > 0); h.waits {
			l.send(h, number, now, slot, up)
		}
	}
	h.late = h.late[:0]
	for ; next < int(down.count); next++ {
		h.late = append(h.late, loopHeader{word: down.heads[next], time: down.times[next]})
	}
	h.late = append(h.late, down.more...)
	down.empty()
}

// receive takes in a packet and answers with an ACK.
func (l *loop) receive(h *loopHost, word uint64, slot uint32, up *loopLane) {
	psn := int32(word>>18) & (1<<22 - 1)
	g, bit := &h.there[psn/64], uint64(1)<<(psn%64)
	if *g&bit == 0 {
		*g |= bit
		h.arrived++
		if psn == h.complete {
			offset := psn % 64
			h.complete += int32(min(bits.TrailingZeros64(^(*g >> offset)), 64-int(offset)))
		}
		h.highest = max(h.highest, psn)
	}
	up.add(word&^loopNack, l.leaves(&h.debt, h.waits, 0, slot))
}

// takeHeader takes in a header: an ACK, a NACK, or what is left of a packet, which is answered.
func (l *loop) takeHeader(h *loopHost, head loopHeader, now int32, slot uint32, up *loopLane) {
	word := head.word
	psn, ev := int32(word>>18)&(1<<22-1), uint16(word>>2)
	if word&loopTrimmed == loopTrimmed {
		up.add(word&^loopTrimmed|loopNack, l.leaves(&h.debt, h.waits, uint32(head.time%loopPhase), slot))
		return
	}
	bit := uint64(1) << (psn % 64)
	if word&loopNack != 0 {
		if (h.acked[psn/64]|h.gone[psn/64])&bit == 0 {
			l.lose(h, psn)
		}
		return
	}
	if h.acked[psn/64]&bit != 0 || h.received == l.packets {
		return
	}
	h.acked[psn/64] |= bit
	h.received++
	h.inFlight--
	if h.gone[psn/64]&bit != 0 {
		h.gone[psn/64] &^= bit
		h.lost--
		h.inFlight++
	}
	if word&loopMark != 0 {
		h.window = max(h.window-0.25, 1)
	} else {
		h.window = min(h.window+1/h.window, l.most)
		h.ring[h.head%8] = ev
		h.head++
		h.valid = min(h.valid+1, 8)
	}
	if h.received == l.packets {
		h.end = now
		l.left--
	}
}

// lose puts a packet up for another transmission.
func (l *loop) lose(h *loopHost, psn int32) {
	h.gone[psn/64] |= 1 << (psn % 64)
	h.lostFrom = min(h.lostFrom, psn)
	h.lost++
	h.inFlight--
	h.window = max(h.window-1, 1)
}

// expire declares the packets lost whose time is over.
func (l *loop) expire(h *loopHost, now int32) {
	for ; h.oldest < h.next; h.oldest++ {
		psn := h.oldest
		if (h.acked[psn/64]|h.gone[psn/64])>>(psn%64)&1 != 0 {
			continue
		}
		if left := l.timeout - int32(uint16(now)-h.sent[psn]); left > 0 {
			h.timer = now + left
			return
		}
		l.lose(h, psn)
	}
	h.timer = now + l.timeout
}

// send sends a packet if the host's link is free.
func (l *loop) send(h *loopHost, number, now int32, slot uint32, up *loopLane) {
	if h.debt >= loopSlot {
		h.debt -= loopSlot
		return
	}
	h.waits = false
	psn := h.next
	switch {
	case h.lost > 0:
		at := h.lostFrom / 64
		for h.gone[at] == 0 {
			at++
		}
		psn = at*64 + int32(bits.TrailingZeros64(h.gone[at]))
		h.lostFrom = psn
		h.gone[at] &= h.gone[at] - 1
		h.lost--
		h.oldest = min(h.oldest, psn)
	case psn == l.packets:
		return // an ACK has come for what was taken for lost
	default:
		h.next++
	}
	var ev uint16
	if l.recycles && h.valid > 0 {
		ev = h.ring[(h.head-h.valid)%8]
		h.valid--
	} else {
		ev = uint16(h.random.Uint64() >> 48)
	}
	h.inFlight++
	h.sent[psn] = uint16(now)
	// The packet joins its queue a slot after the link's latency.
	if slot++; slot == loopEpoch {
		slot, up = 0, &l.up[now/loopEpoch&1][number]
	}
	up.slots |= 1 << slot
	up.words[slot] = uint64(number)<<40 | uint64(psn)<<18 | uint64(ev)<<2
}

// plainNetwork returns a network of package fattree that a loop can run, and a function that runs a
// replica of it. A queue of 0 means the default.
func plainNetwork(t testing.TB, hosts int, packets int64, lb string, queue int) (*fattree.Network, func(replica uint64) *fattree.Result) {
	t.Helper()
	spec := fattree.Spec{Topology: topology.FatTree{Hosts: hosts}}
	if queue > 0 {
		spec.Queue, spec.KMin, spec.KMax = queue, queue/4, queue*3/4
	}
	workload, err := traffic.Tornado(hosts, traffic.Message{Bytes: packets * int64(nettest.Plan(spec).Spec().PayloadBytes())})
	if err != nil {
		t.Fatal(err)
	}
	spec.Workload = workload
	network, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	balancer, err := balance.New(lb, balance.MaxEVS)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(network)
	return network, func(replica uint64) *fattree.Result {
		result, err := run.Execute(context.Background(), balancer, congestion.DCTCP{}, fattree.NewStreams(1, replica))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// TestClosedLoop: the closed loop has the engine's mean and maximum completion time, also where
// queues are so short that packets are trimmed. The two share nothing random, and the loop's times
// are whole slots, so means differ by at most a slot and 6.11 standard errors (a false alarm in 10^9);
// those are about half a slot for REPS and two slots for OPS.
func TestClosedLoop(t *testing.T) {
	for _, lb := range []string{"ops", "reps"} {
		for _, queue := range []int{0, 12} {
			network, engine := plainNetwork(t, 128, 256, lb, queue)
			l := newLoop(network, 8, lb == "reps")
			var theirs, ours [2]mc.Moments // of mean and maximum, in picoseconds
			trimmed := int64(0)
			for replica := range uint64(12) {
				result := engine(replica)
				fcts := result.FCTs()
				theirs[0].Add(int64(fattree.Mean(fcts)))
				theirs[1].Add(int64(fcts[len(fcts)-1]))
				trimmed += result.Trimmed
				l.run(1000 + replica)
				sum, most := int64(0), int32(0)
				for i := range l.hosts {
					sum, most = sum+int64(l.hosts[i].end), max(most, l.hosts[i].end)
				}
				ours[0].Add(sum * int64(network.SlotTime()) / int64(len(l.hosts)))
				ours[1].Add(int64(most) * int64(network.SlotTime()))
			}
			if (queue > 0) != (trimmed > 0) {
				t.Errorf("%s, queue %d: %d packets trimmed", lb, queue, trimmed)
			}
			for i, name := range []string{"mean", "maximum"} {
				a, b := theirs[i].Mean(mc.DefaultConfidence), ours[i].Mean(mc.DefaultConfidence)
				allowed := float64(network.SlotTime()) + 6.11*math.Hypot(a.StdErr, b.StdErr)
				t.Logf("%s, queue %d: %s %.2f ± %.2f us, loop %.2f ± %.2f us", lb, queue, name, a.Value/1e6, a.StdErr/1e6, b.Value/1e6, b.StdErr/1e6)
				if math.Abs(a.Value-b.Value) > allowed {
					t.Errorf("%s, queue %d: %s %.2f us, loop %.2f us, want within %.2f us", lb, queue, name, a.Value/1e6, b.Value/1e6, allowed/1e6)
				}
			}
		}
	}
}

// BenchmarkClosedLoop measures the closed loop in turn with the engine. The metric engine/limit is the
// ratio of their times in the same run. The largest network needs REPSLAB_LONG=1.
func BenchmarkClosedLoop(b *testing.B) {
	for _, size := range []struct {
		hosts, packets int
		radix          int32
	}{{128, 2054, 8}, {1024, 514, 32}, {8192, 514, 64}} {
		for _, lb := range []string{"ops", "reps"} {
			b.Run(fmt.Sprintf("hosts=%d/lb=%s", size.hosts, lb), func(b *testing.B) {
				if size.hosts > 1024 && os.Getenv("REPSLAB_LONG") == "" {
					b.Skip("a long benchmark: set REPSLAB_LONG=1")
				}
				network, engine := plainNetwork(b, size.hosts, int64(size.packets), lb, 0)
				l := newLoop(network, size.radix, lb == "reps")
				l.run(0)
				engine(0)
				l.hops = 0
				var limit, engines time.Duration
				for b.Loop() {
					began := time.Now()
					l.run(1)
					between := time.Now()
					engine(1)
					limit, engines = limit+between.Sub(began), engines+time.Since(between)
				}
				b.ReportMetric(float64(limit.Nanoseconds())/float64(l.hops), "ns/packet-hop")
				b.ReportMetric(float64(engines)/float64(limit), "engine/limit")
			})
		}
	}
}
