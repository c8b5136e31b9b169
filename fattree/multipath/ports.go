package multipath

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/internal/endpoint"
)

// countInbound keeps the list of flows that a host with several links is receiving: their sources are told which of
// its links work.
func (h *hosts) countInbound(flow int32, f *endpoint.Receiver) {
	if h.Links() == 0 {
		return
	}
	if f.Received == 1 {
		h.inbound = append(h.inbound, flow)
		if h.ports != h.allPorts {
			h.tellPorts(flow)
		}
	}
	if f.Received == int32(h.Net.Packets(flow)) {
		last := len(h.inbound) - 1
		h.inbound[slices.Index(h.inbound, flow)] = h.inbound[last]
		h.inbound = h.inbound[:last]
	}
}

// watchPorts tells the sources of flows if the working links have changed since the last slot.
func (h *hosts) watchPorts() {
	if h.Links() == 0 || h.reports == nil {
		return
	}
	working := uint16(0)
	for link := range h.Links() {
		if h.TurnTo(link); h.LinkWorks() {
			working |= 1 << link
		}
	}
	if working == h.ports {
		return
	}
	h.ports = working
	for _, flow := range h.inbound {
		h.tellPorts(flow)
	}
}

// tellPorts sends a port status update to the source of a flow: over the plane of its last packet if that plane
// works, otherwise over the first one that does.
func (h *hosts) tellPorts(flow int32) {
	if h.ports == 0 {
		return
	}
	ev := h.Receivers[flow].EV
	if h.ports>>transport.PlaneOf(ev, h.planes)&1 == 0 {
		ev = withPlane(ev, firstOf(h.ports), h.planes)
	}
	h.sendHeader(fattree.Crossing{Packet: fattree.NewPacket(flow, 0, ev).As(fattree.Answer), Note: fattree.NewNote(portStatus, int32(h.ports))})
}

// withPlane returns the EV with the same place in another plane.
func withPlane(ev uint16, plane, planes int) uint16 {
	evs := transport.PlaneEVs(planes)
	return uint16(plane*evs + int(ev)%evs)
}
