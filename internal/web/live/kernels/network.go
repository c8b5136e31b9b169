//go:build js && wasm

package main

import (
	"encoding/binary"
	"strconv"
	"strings"
	"syscall/js"

	"repslab/fattree"
	"repslab/internal/web/scene"
)

// networkPage holds the state of the functions for the page of a network:
//
//	open(text)              begin the network of a view, at slot 0; returns "" or its faults
//	view()                  the text of the view at this slot
//	restarted()             the text of a new run with the cables as they are
//	balancers()             the names of the load balancers, joined by spaces
//	setCable(cable, broken) change a cable from the next slot on; returns whether that is allowed
//	setFlow(flow)           choose the flow of memory; returns whether a round has it
//	memory(side)            what the left (0) or right (1) load balancer remembers of it: "frozen" or "", and for each
//	                        entry its EV, behind + if it is valid; joined by spaces
//	advance(k, into)        run at most k slots and copy the state into a Uint8Array
//
// advance returns the number of slots that it ran, or the text of a fault of the program. It writes
// 32-bit integers, little-endian. First 7 for the network: slot, picoseconds of a slot, slots of
// [scene.Window], ToRs, uplinks of a ToR, hosts, flows of a round. Then 1 for each broken cable and 0 for
// each other cable, and the sending host of each flow. Then for each load balancer 10 numbers (packets
// sent, retransmitted, lost, received for the first time, and recycled; the reroute time in nanoseconds;
// the longest queue; flows in freezing mode; flows finished; nanoseconds that the previous round took),
// the packets that each port sent in the last Window, the packets in each queue, and the end of each flow
// of the round in nanoseconds, or -1. Ports are in the order of [scene.Side].
type networkPage struct {
	*scene.Network
	out []byte
}

// functions returns the object of the functions.
func (p *networkPage) functions() map[string]any {
	return map[string]any{
		"open":      js.FuncOf(func(_ js.Value, args []js.Value) any { return p.open(args[0].String()) }),
		"view":      js.FuncOf(func(js.Value, []js.Value) any { return p.View().String() }),
		"restarted": js.FuncOf(func(js.Value, []js.Value) any { return p.Restarted().String() }),
		"balancers": js.FuncOf(func(js.Value, []js.Value) any { return strings.Join(scene.Balancers(), " ") }),
		"setCable": js.FuncOf(func(_ js.Value, args []js.Value) any {
			changed, err := p.SetCable(args[0].Int(), args[1].Bool())
			return changed && err == nil
		}),
		"setFlow": js.FuncOf(func(_ js.Value, args []js.Value) any { return p.SetFlow(args[0].Int()) }),
		"memory":  js.FuncOf(func(_ js.Value, args []js.Value) any { return p.memory(args[0].Int()) }),
		"advance": js.FuncOf(func(_ js.Value, args []js.Value) any { return p.advance(args[0].Int(), args[1]) }),
	}
}

// open begins the network of a view, or returns the faults of its text and keeps the current network.
func (p *networkPage) open(text string) string {
	view, err := scene.ParseNetwork(text)
	if err != nil {
		return err.Error()
	}
	n, err := scene.NewNetwork(view)
	if err != nil {
		return err.Error()
	}
	p.Network = n
	return ""
}

// memory returns the memory of a load balancer as text.
func (p *networkPage) memory(side int) string {
	m, mode := p.Memory(side), ""
	if m.Frozen {
		mode = "frozen"
	}
	words := []string{mode}
	for _, slot := range m.Slots {
		mark := ""
		if slot.Valid {
			mark = "+"
		}
		words = append(words, mark+strconv.Itoa(int(slot.EV)))
	}
	return strings.Join(words, " ")
}

// advance runs slots and copies the state.
func (p *networkPage) advance(slots int, into js.Value) any {
	done := 0
	for ; done < slots; done++ {
		if more, err := p.Step(); err != nil {
			return err.Error()
		} else if !more {
			break
		}
	}
	tree, sources := p.Tree(), p.Sources()
	p.out = p.out[:0]
	p.put(p.View().Slot, int(p.SlotTime()), int(scene.Window/p.SlotTime()),
		tree.ToRs(), tree.UplinksPerToR, tree.Hosts, len(sources))
	for cable := range p.Cables() {
		p.put(map[bool]int{true: 1}[p.Broken(cable)])
	}
	for _, host := range sources {
		p.put(int(host))
	}
	for i := range 2 {
		if err := p.putSide(i); err != nil {
			return err.Error()
		}
	}
	js.CopyBytesToJS(into, p.out)
	return done
}

// putSide writes the state of a load balancer.
func (p *networkPage) putSide(i int) error {
	s, r, err := p.Side(i)
	if err != nil {
		return err
	}
	p.put(int(r.Sent), int(r.Retransmitted), int(r.Lost), int(r.Delivered-r.Duplicates), int(r.Recycled),
		int(r.Reroute/1000), int(r.MaxQueue), s.Frozen, s.Finished, int(s.Took/1000))
	for _, packets := range s.Sent {
		p.put(int(packets))
	}
	for _, packets := range s.Queue {
		p.put(int(packets))
	}
	for _, f := range s.Flows {
		end := f.End
		if end != fattree.Unfinished {
			end /= 1000
		}
		p.put(int(end))
	}
	return nil
}

// put appends integers.
func (p *networkPage) put(numbers ...int) {
	for _, number := range numbers {
		p.out = binary.LittleEndian.AppendUint32(p.out, uint32(number))
	}
}
