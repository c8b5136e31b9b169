package bins

import (
	"slices"
	"testing"

	"repslab/internal/propertytest"
)

// TestPortsAgainstMap compares random changes with a plain map.
func TestPortsAgainstMap(t *testing.T) {
	propertytest.Check(t, func(t *propertytest.T) {
		count := propertytest.Int(t, "count", 1, 6)
		p, every := NewPorts("bins", count), map[int]int{}
		for round := range propertytest.Uniform(t, "rounds", 1, 60) {
			if propertytest.Uniform(t, "reset", 0, 20) == 0 {
				p.Reset()
				clear(every)
			}
			if port := propertytest.Uniform(t, "port", 0, 2*count); port < count {
				every[port] = propertytest.Uniform(t, "every", 0, 3)
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
