package fattree

import (
	"context"
	"errors"
	"fmt"

	"repslab/faults"
)

// Check runs a network with a transport once, like [Run.Execute], for tests of transports. It also reports three
// mistakes of a [Transport] that Execute does not look for: a flow ends before all its packets are delivered, a
// flow stays open although all its packets are delivered, and a host sends two packets in a slot. It takes a bit
// for each packet and is slower than Execute. The error joins the error of Execute and the first fault of each
// flow and of each switch's hosts. Deliveries are not checked before a sink or in connections of several messages.
// Sending is not checked for hosts with a NIC of their own, or if links count bytes.
func Check(ctx context.Context, n *Network, t Transport, s Streams) (*Result, error) {
	if t == nil {
		return nil, faults.New("fattree", "t", nil, "must be set: the transport to check")
	}
	c := &checkedTransport{Transport: t, net: n}
	r := n.NewRun(c)
	result, err := r.Execute(ctx, s)
	if result == nil || n.HasSink() || n.Connects() {
		return result, errors.Join(append(c.faults(), err)...)
	}
	for flow, f := range result.Flows {
		switch whole := int(c.arrived[flow]) == n.Packets(int32(flow)); {
		case f.End != Unfinished && !whole:
			err = errors.Join(err, fmt.Errorf("fattree: flow %d ends at %d ps with %d of %d packets delivered", flow, f.End, c.arrived[flow], n.Packets(int32(flow))))
		case f.End != Unfinished && f.End < c.last[flow]:
			err = errors.Join(err, fmt.Errorf("fattree: flow %d ends at %d ps, but its last packet is delivered at %d ps", flow, f.End, c.last[flow]))
		case f.End == Unfinished && whole:
			err = errors.Join(err, fmt.Errorf("fattree: flow %d does not end: its last packet is delivered at %d ps, the run ends at %d ps",
				flow, c.last[flow], Picoseconds(result.Slots)*n.SlotTime()))
		}
	}
	return result, errors.Join(append(c.faults(), err)...)
}

// checkedTransport is a Transport that records what its hosts do.
type checkedTransport struct {
	Transport
	net     *Network
	seen    []uint64      // by group of 64 packets: a bit for each delivered packet
	arrived []int32       // by flow: packets delivered
	last    []Picoseconds // by flow: the slot in which its last new packet was delivered
	hosts   []*checkedHosts
}

// Attach implements [Transport].
func (c *checkedTransport) Attach(e *Edge) Hosts {
	h := &checkedHosts{Hosts: c.Transport.Attach(e), all: c, edge: e, sent: map[int32]int32{}}
	c.hosts = append(c.hosts, h)
	return h
}

// Begin implements [Transport].
func (c *checkedTransport) Begin(s Streams) Needs {
	flows := c.net.Flows()
	c.seen, c.arrived, c.last = make([]uint64, c.net.Groups()), make([]int32, flows), make([]Picoseconds, flows)
	return c.Transport.Begin(s)
}

// faults returns the first fault of each switch's hosts.
func (c *checkedTransport) faults() (errs []error) {
	for _, h := range c.hosts {
		errs = append(errs, h.fault)
	}
	return errs
}

// checkedHosts are the hosts of a switch. They write only the entries of flows that they receive.
type checkedHosts struct {
	Hosts
	all   *checkedTransport
	edge  *Edge
	sent  map[int32]int32 // by host: the slot after the last one in which it sent
	fault error
}

// Receive implements [Hosts].
func (h *checkedHosts) Receive(packets []Crossing) {
	for _, p := range packets {
		flow, number := p.Packet.Flow(), p.Packet.Number()
		group, bit := &h.all.seen[h.all.net.FirstGroup(flow)+number/64], uint64(1)<<(number%64)
		if *group&bit == 0 {
			*group |= bit
			h.all.arrived[flow]++
			h.all.last[flow] = h.edge.Now
		}
	}
	h.watch(func() { h.Hosts.Receive(packets) })
}

// Step implements [Hosts].
func (h *checkedHosts) Step(headers []Crossing) { h.watch(func() { h.Hosts.Step(headers) }) }

// watch runs a method of the hosts and reports a host that sends twice in a slot.
func (h *checkedHosts) watch(method func()) {
	e := h.edge
	if e.tile.sw.nic || e.tile.byBytes || e.tile.run.oneSwitch || e.tile.dataUp == nil {
		method()
		return
	}
	before := len(*e.tile.dataUp)
	method()
	for _, p := range (*e.tile.dataUp)[before:] {
		host := e.tile.run.ends[p.Packet.Flow()].source
		if h.sent[host] == e.Slot+1 && h.fault == nil {
			h.fault = fmt.Errorf("fattree: host %d sends two packets in slot %d", host, e.Slot)
		}
		h.sent[host] = e.Slot + 1
	}
}
