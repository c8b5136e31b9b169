// Transport defines its own hosts: senders with a fixed rate, and receivers that answer each packet.
//
// A sender sends a packet with a random EV at fixed intervals, whatever the network does, and retransmits
// trimmed packets. Links do not fail here, so there are no time-outs. 32 hosts each send 2 MiB to the host
// half-way round (a tornado), through queues of 16 packets:
//
//	$ go run ./transport
//	0.5 of the link: done after 93.6 us, 0 packets trimmed
//	0.9 of the link: done after 61.1 us, 44 packets trimmed
//	1.0 of the link: done after 59.8 us, 408 packets trimmed
package main

import (
	"context"
	"fmt"
	"log"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// fixedRate is the state of all flows. It implements [fattree.Transport].
type fixedRate struct {
	gap    float64 // slots between packets
	flows  []flow
	net    *fattree.Network
	active [][]int32 // by the first host of a switch: flows in progress, at most one per host
}

// flow is the state of a flow, at its sender.
type flow struct {
	answered []bool  // by packet
	left     int     // packets not answered yet
	next     int32   // next new packet
	again    []int32 // packets to retransmit
	due      float64 // slot of the next packet
	random   mc.Rand
}

// Attach is a method of [fattree.Transport], as Begin is.
func (f *fixedRate) Attach(e *fattree.Edge) fattree.Hosts {
	f.net = e.Network()
	return &hosts{f, e}
}

// Begin forgets the previous run.
func (f *fixedRate) Begin(s fattree.Streams) fattree.Needs {
	f.active = make([][]int32, f.net.Hosts())
	f.flows = make([]flow, f.net.Flows())
	for i := range f.flows {
		packets := f.net.Packets(int32(i))
		f.flows[i] = flow{answered: make([]bool, packets), left: packets, random: s.Balancer().Child(uint64(i)).Rand()}
	}
	return fattree.Needs{}
}

// hosts is the set of hosts of one switch. It implements [fattree.Hosts].
type hosts struct {
	*fixedRate
	*fattree.Edge
}

// Start is a method of [fattree.Hosts], as the next ones are.
func (h *hosts) Start(flow, slot int32) {
	h.flows[flow].due = float64(slot)
	h.active[h.First] = append(h.active[h.First], flow)
}

// Due says that hosts with active flows always have work: a fixed rate does not wait for answers.
func (h *hosts) Due() int32 {
	if len(h.active[h.First]) > 0 {
		return 0
	}
	return fattree.Never
}

// Receive answers packets. With false the answers overtake packets of their host without delaying them.
func (h *hosts) Receive(packets []fattree.Crossing) {
	for _, c := range packets {
		h.SendHeader(fattree.NewHeader(c.Packet.As(c.Packet&fattree.MarkBit), 0, c.Phase()), false)
	}
}

// Step receives answers and sends packets.
func (h *hosts) Step(headers []fattree.Crossing) {
	for _, c := range headers {
		h.take(c)
	}
	left := h.active[h.First][:0]
	for _, number := range h.active[h.First] {
		from, _ := h.net.Pair(number)
		if host := int32(from) - h.First; !h.SpendSlot(host) {
			h.send(number, host)
		}
		if h.flows[number].left > 0 {
			left = append(left, number)
		}
	}
	h.active[h.First] = left
}

// take receives an answer, or the header of a trimmed packet, which the receiver sends back to the sender.
func (h *hosts) take(c fattree.Crossing) {
	number, psn := c.Packet.Flow(), c.Packet.Number()
	f := &h.flows[number]
	switch {
	case c.Packet.Outward():
		h.SendHeader(fattree.NewHeader(c.Packet.As(fattree.Answer), 0, c.Phase()), false)
	case c.Packet.Requested(): // a trimmed packet is back
		f.again = append(f.again, psn)
	case !f.answered[psn]:
		f.answered[psn] = true
		if f.left--; f.left == 0 {
			h.Finish(number, h.Now)
		}
	}
}

// send sends a packet of a flow if one is due.
func (h *hosts) send(number, host int32) {
	f := &h.flows[number]
	if float64(h.Slot) < f.due || len(f.again) == 0 && int(f.next) == len(f.answered) {
		return
	}
	psn := f.next
	if len(f.again) > 0 {
		psn, f.again = f.again[0], f.again[1:]
		h.Retransmitted++
	} else {
		f.next++
	}
	f.due += h.gap
	h.Sent++
	h.Send(host, fattree.NewPacket(number, psn, uint16(f.random.Uint64())), 0)
}

func main() {
	workload, _ := traffic.Tornado(32, traffic.Message{Bytes: 2 << 20}) // 32 is even
	network, err := fattree.Build(fattree.Spec{Topology: topology.FatTree{Hosts: 32}, Workload: workload, Queue: 16})
	if err != nil {
		log.Fatal(err)
	}
	for _, rate := range []float64{0.5, 0.9, 1} {
		// Check is Execute for transports under development: it also reports flows that end early or never.
		result, err := fattree.Check(context.Background(), network, &fixedRate{gap: 1 / rate}, fattree.NewStreams(1, 0))
		if err != nil {
			log.Fatal(err)
		}
		end, _ := result.LastEnd()
		fmt.Printf("%.1f of the link: done after %.1f us, %d packets trimmed\n", rate, float64(end)/1e6, result.Trimmed)
	}
}
