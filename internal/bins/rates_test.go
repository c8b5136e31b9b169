package bins

import (
	"slices"
	"testing"

	"repslab/internal/propertytest"

	"pgregory.net/rapid"
)

// TestPortsAgainstMap compares random changes with a plain map.
func TestPortsAgainstMap(t *testing.T) {
	propertytest.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 6).Draw(t, "count")
		p, every := NewPorts("bins", count), map[int]int{}
		for round := range rapid.IntRange(1, 60).Draw(t, "rounds") {
			if rapid.IntRange(0, 20).Draw(t, "reset") == 0 {
				p.Reset()
				clear(every)
			}
			if port := rapid.IntRange(0, 2*count).Draw(t, "port"); port < count {
				every[port] = rapid.IntRange(0, 3).Draw(t, "every")
				p.Set(port, every[port])
			}
			var resting []int
			even := true
			for port := range count {
				period, changed := every[port]
				even = even && (!changed || period == 1)
				rests := changed && (period == 0 || round%period != 0)
				if rests {
					resting = append(resting, port)
				}
				if got := p.Rests(port, round); got != rests {
					t.Fatalf("round %d: Rests(%d) = %v, want %v (%v)", round, port, got, rests, every)
				}
			}
			if got := p.Idle(round); !slices.Equal(got, resting) || p.Even() != even {
				t.Fatalf("round %d: Idle %v, Even %v; want %v, %v (%v)", round, got, p.Even(), resting, even, every)
			}
		}
	})
}

func TestSetPanics(t *testing.T) {
	for _, c := range [][2]int{{-1, 1}, {4, 1}, {0, -1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Set(%d, %d) of 4 ports does not panic", c[0], c[1])
				}
			}()
			p := NewPorts("bins", 4)
			p.Set(c[0], c[1])
		}()
	}
}
