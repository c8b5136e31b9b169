package figures

import (
	"context"
	"testing"

	"repslab/fattree"
	"repslab/fattree/traffic"
	"repslab/mc"
)

// TestBatch: runs are found by the names of their set-up, whatever the order, and
// names that are not there or are there twice are faults.
func TestBatch(t *testing.T) {
	var b Batch[int]
	sizes := []int{16, 32, 64}
	setup := func(hosts int) fattree.Setup {
		spec := fattree.Spec{Topology: fattree.Topology{Hosts: hosts}}
		return OPS().Setup(256, Fixed(spec)(traffic.Tornado(hosts, traffic.Message{Bytes: 1})))
	}
	for _, hosts := range sizes {
		b.Add(setup(hosts), "tornado", hosts)
	}
	flows := func(r fattree.Replica) (int, error) { return len(r.Result.Flows), nil }
	if err := b.Run(context.Background(), Settings{Seed: 1}, 2, flows); err != nil {
		t.Fatal(err)
	}
	for _, hosts := range sizes {
		if got := b.Of("tornado", hosts); len(got) != 2 || got[0] != hosts || got[1] != hosts {
			t.Errorf("runs of %d hosts have %v flows", hosts, got)
		}
	}
	for what, wrong := range map[string]func(){
		"unknown": func() { b.Of("tornado", 17) },
		"twice":   func() { b.Add(setup(16), "tornado", 16) },
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			wrong()
		})
	}
}

// TestMillionths: numbers are rounded to the nearest millionth, those below 0 too.
func TestMillionths(t *testing.T) {
	for x, want := range map[float64]int64{0: 0, 1: 1e6, 0.0000016: 2, -0.0000016: -2, 29.8116666: 29_811_667} {
		if got := Millionths(x); got != want {
			t.Errorf("%v is %d millionths, want %d", x, got, want)
		}
	}
	var m mc.Moments
	m.Add(Millionths(0.25))
	m.Add(Millionths(0.75))
	if e := OfMillionths(m); e.Value != 0.5 {
		t.Errorf("mean %v, want 0.5", e.Value)
	}
}
