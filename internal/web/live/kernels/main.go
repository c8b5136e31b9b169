//go:build js && wasm

// Kernels is the program in the live pages: the processes of packages ballsbins, recycled and
// coalescing, and the networks of package fattree, compiled to WebAssembly. It gives the page an
// object repslab with the functions
//
//	open(text)            begin the scene of a view, at round 0; returns "" or its faults
//	view()                the text of the view at this round
//	restarted()           the text of a new run with the ports as they are
//	theorem(text)         the theorem's τ and b for the view of a text, or null
//	setPort(port, every)  change a port from the next round on; returns whether that is allowed
//	advance(k, into)      run at most k rounds and copy the results into a Uint8Array
//
// and an object repslab.network with the functions for the page of a network (network.go). advance
// returns the number of rounds that it ran. It writes 32-bit integers, little-endian. First 5 for the
// last round: round, τ, status, round of the status, n. Then the n loads of OPS, the n loads of REPS, and
// for each of the n ports the number every of setPort. Then 6 for each of the rounds: the maximum loads
// of OPS and REPS, the balls in all bins of OPS and REPS, the balls that REPS threw since round 0, and
// the number of these thrown at random.
package main

import (
	"encoding/binary"
	"syscall/js"

	"repslab/internal/web/scene"
)

// head is the number of integers before the loads.
const head = 5

// page holds the state of the functions.
type page struct {
	scene *scene.Scene
	view  scene.View // view at the beginning of the scene
	out   []byte
}

func main() {
	p := new(page)
	p.open("")
	js.Global().Set("repslab", js.ValueOf(map[string]any{
		"open":      js.FuncOf(func(_ js.Value, args []js.Value) any { return p.open(args[0].String()) }),
		"view":      js.FuncOf(func(js.Value, []js.Value) any { return p.scene.View().String() }),
		"restarted": js.FuncOf(func(js.Value, []js.Value) any { return p.scene.Restarted().String() }),
		"theorem":   js.FuncOf(func(_ js.Value, args []js.Value) any { return theorem(args[0].String()) }),
		"setPort": js.FuncOf(func(_ js.Value, args []js.Value) any {
			return p.scene.SetPort(args[0].Int(), args[1].Int())
		}),
		"advance": js.FuncOf(func(_ js.Value, args []js.Value) any { return p.advance(args[0].Int(), args[1]) }),
		"network": new(networkPage).functions(),
	}))
	js.Global().Call("dispatchEvent", js.Global().Get("Event").New("repslab"))
	select {}
}

// open begins the scene of a view, or returns the faults of its text and keeps the current scene.
func (p *page) open(text string) string {
	view, err := scene.Parse(text)
	if err != nil {
		return err.Error()
	}
	s, err := scene.New(view)
	if err != nil {
		return err.Error()
	}
	p.scene, p.view = s, view
	return ""
}

// theorem returns the default threshold and number of colours per bin.
func theorem(text string) any {
	view, err := scene.Parse(text)
	if err != nil {
		return nil
	}
	view.Threshold, view.Colors = 0, 0
	return []any{view.Tau(), view.ColorsPerBin()}
}

// advance runs rounds and copies their results.
func (p *page) advance(rounds int, into js.Value) int {
	p.out = p.out[:0]
	n := p.view.Bins
	p.out = append(p.out, make([]byte, 4*(head+3*n))...)
	done := 0
	for ; done < rounds; done++ {
		r, ok := p.scene.Step()
		if !ok {
			break
		}
		for _, number := range [...]int64{int64(r.OPSMax), int64(r.REPSMax), r.OPSBalls, r.REPSBalls, r.Thrown, r.Random} {
			p.out = binary.LittleEndian.AppendUint32(p.out, uint32(number))
		}
	}
	status, since := p.scene.Status()
	for i, number := range [head]int{p.scene.View().Round, p.scene.Tau(), int(status), since, n} {
		p.put(i, number)
	}
	for bin := range n {
		ops, reps := p.scene.Load(bin)
		p.put(head+bin, ops)
		p.put(head+n+bin, reps)
		p.put(head+2*n+bin, p.scene.Every(bin))
	}
	js.CopyBytesToJS(into, p.out)
	return done
}

// put writes an integer at a position.
func (p *page) put(at, number int) {
	binary.LittleEndian.PutUint32(p.out[4*at:], uint32(number))
}
