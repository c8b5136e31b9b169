package bins

import (
	"math"
	"testing"

	"repslab/internal/propertytest"

	"pgregory.net/rapid"
)

// TestQueuesAgainstSlices compares random operations with plain slices, queues
// growing from one place.
func TestQueuesAgainstSlices(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		bins := rapid.IntRange(1, 5).Draw(t, "bins")
		q, slow := NewQueues(bins, rapid.IntRange(0, 3).Draw(t, "room")), make([][]uint32, bins)
		for range rapid.IntRange(0, 200).Draw(t, "operations") {
			bin := rapid.IntRange(0, bins-1).Draw(t, "bin")
			switch op := rapid.IntRange(0, 40).Draw(t, "operation"); {
			case op == 0:
				q.Reset()
				clear(slow)
			case op < 15 && len(slow[bin]) > 0:
				if got, want := q.Pop(uint32(bin)), slow[bin][0]; got != want {
					t.Fatalf("Pop(%d) = %d, want %d", bin, got, want)
				}
				slow[bin] = slow[bin][1:]
			default:
				ball := rapid.Uint32Range(0, math.MaxUint32).Draw(t, "ball")
				slow[bin] = append(slow[bin], ball)
				if q.Full(uint32(bin)) {
					q.Grow()
				}
				if got := q.Push(uint32(bin), ball); int(got) != len(slow[bin]) {
					t.Fatalf("Push(%d) = %d, want %d", bin, got, len(slow[bin]))
				}
			}
			for i, s := range slow {
				if int(q.Load(i)) != len(s) {
					t.Fatalf("Load(%d) = %d, want %d", i, q.Load(i), len(s))
				}
			}
		}
	})
}

// TestLockstepAgainstSlices compares rounds of service, which a bin may miss, and
// random pushes with plain slices, queues growing from one place.
func TestLockstepAgainstSlices(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		bins := rapid.IntRange(1, 5).Draw(t, "bins")
		w, slow := NewLockstep(bins, rapid.IntRange(0, 3).Draw(t, "room")), make([][]uint32, bins)
		for range rapid.IntRange(0, 60).Draw(t, "rounds") {
			if rapid.IntRange(0, 40).Draw(t, "operation") == 0 {
				w.Reset()
				clear(slow)
			}
			held := rapid.IntRange(0, 2*bins).Draw(t, "held") // a bin, or none
			var heldLoad uint32
			if held < bins {
				heldLoad = w.Hold(uint32(held))
			}
			_, before := w.Heads()
			loads, heads := w.Serve()
			for i, s := range slow {
				if i == held {
					if loads[i] != 0 || int(heldLoad) != len(s) {
						t.Fatalf("bin %d: load %d of %d while held, want 0 of %d", i, loads[i], heldLoad, len(s))
					}
					continue
				}
				if int(loads[i]) != len(s) {
					t.Fatalf("bin %d: load %d, want %d", i, loads[i], len(s))
				}
				if len(s) == 0 {
					continue
				}
				if heads[i] != s[0] || before[i] != s[0] {
					t.Fatalf("bin %d: Serve gives %d, Heads before it %d, want %d", i, heads[i], before[i], s[0])
				}
				loads[i]--
				slow[i] = s[1:]
			}
			if held < bins {
				w.Release(uint32(held), heldLoad)
			}
			first := rapid.Uint32Range(0, math.MaxUint32).Draw(t, "first")
			pushed := rapid.SliceOfN(rapid.Uint32Range(0, uint32(bins)), 0, 9).Draw(t, "pushed")
			w.Push(pushed, first)
			for i, bin := range pushed {
				if int(bin) < bins {
					slow[bin] = append(slow[bin], first+uint32(i))
				}
			}
			for i, s := range slow {
				if int(w.Load(i)) != len(s) {
					t.Fatalf("Load(%d) = %d, want %d", i, w.Load(i), len(s))
				}
			}
		}
	})
}

// TestRingsAgainstSlices compares random operations with plain slices.
func TestRingsAgainstSlices(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		flows, size := rapid.IntRange(1, 3).Draw(t, "flows"), rapid.IntRange(1, 9).Draw(t, "size")
		r, slow := NewRings(flows, size), make([][]uint32, flows)
		for range rapid.IntRange(0, 200).Draw(t, "operations") {
			f := rapid.IntRange(0, flows-1).Draw(t, "flow")
			flow := uint32(f)
			switch op := rapid.IntRange(0, 40).Draw(t, "operation"); {
			case op == 0:
				r.Reset()
				clear(slow)
			case op < 18:
				want, wantOK := uint32(0), len(slow[f]) > 0
				if wantOK {
					want = slow[f][0]
					slow[f] = slow[f][1:]
				}
				oldest, some := r.Oldest(flow)
				if got, ok := r.Take(flow); got != want || ok != wantOK || oldest != want || some != wantOK {
					t.Fatalf("Take = %d, %v, Oldest = %d, %v; want %d, %v", got, ok, oldest, some, want, wantOK)
				}
			default:
				entry := rapid.Uint32Range(0, math.MaxUint32).Draw(t, "entry")
				slow[f] = append(slow[f], entry)
				full := len(slow[f]) > size
				if full {
					slow[f] = slow[f][1:]
				}
				if got := r.Put(flow, entry); got != full {
					t.Fatalf("Put = %v, want %v", got, full)
				}
			}
		}
	})
}
