package reps

import "testing"

func TestFIFORules(t *testing.T) {
	playAll(t, newFIFO, []scripted[FIFOConfig]{
		{"sweep, then the list, then random", FIFOConfig{SweepPackets: 3}, 0, "a9 n2 m5 a8 ? n4", "s1 s2 thawed/1/2 s3 9 8 r"},
		{"sweep of all EVs ends with 0", FIFOConfig{EVSSize: 4}, 0, "? n5", "thawed/4/0 s1 s2 s3 s0 r"},
		{"sweep of one EV", FIFOConfig{EVSSize: 1}, 0, "n2", "s0 r"},
		{"no sweep", FIFOConfig{DisableSweep: true}, 0, "n a1 a2 n3", "r 1 2 r"},
		{"no freezing", FIFOConfig{DisableSweep: true}, 0, "a1 f k p ? n2", "thawed/0/1 1 r"},
	})
}

func TestFIFODefaults(t *testing.T) {
	f, err := newFIFO(FIFOConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Exploring() != 151 {
		t.Errorf("default sweep = %d packets, want 151", f.Exploring())
	}
	play(t, f, 0, "n200 a1 a2")
	f.Reset()
	if f.Exploring() != 151 || f.ValidEVs() != 0 {
		t.Errorf("after Reset %d packets to sweep and %d EVs, want 151 and 0", f.Exploring(), f.ValidEVs())
	}
}

// TestFIFOGrows pushes through many doublings at every phase of the queue.
func TestFIFOGrows(t *testing.T) {
	for offset := range 40 {
		f, err := newFIFO(FIFOConfig{DisableSweep: true})
		if err != nil {
			t.Fatal(err)
		}
		for range offset {
			f.OnAck(0, 7, false)
			f.NextEV(nil)
		}
		for ev := range uint16(5000) {
			f.OnAck(0, ev, false)
		}
		for want := range uint16(5000) {
			if ev, recycled := f.NextEV(nil); ev != want || !recycled {
				t.Fatalf("after %d uses NextEV() = %d, %t, want %d, true", offset, ev, recycled, want)
			}
		}
	}
}

func TestFIFOValidate(t *testing.T) {
	err := FIFOConfig{EVSSize: 65537, SweepPackets: -1}.Validate()
	want := "reps: EVSSize (65537) must be in [1, 65536]\nreps: SweepPackets (-1) must be in [1, 65535]"
	if err == nil || err.Error() != want {
		t.Errorf("Validate() = %v, want %s", err, want)
	}
	if _, err := newFIFO(FIFOConfig{EVSSize: -1}); err == nil {
		t.Error("newFIFO with EVSSize -1: no error")
	}
}

// TestFIFOAssign: a copy has a list of its own, in order, wherever the list begins.
func TestFIFOAssign(t *testing.T) {
	for used := range 20 {
		from, _ := newFIFO(FIFOConfig{DisableSweep: true})
		to, _ := newFIFO(FIFOConfig{})
		to.OnAck(0, 99, false)
		for ev := range uint16(30) {
			from.OnAck(0, ev, false)
			if int(ev) < used {
				from.NextEV(nil)
			}
		}
		to.Assign(from)
		to.OnAck(0, 30, false)
		from.OnAck(0, 77, false)
		for want := used; want <= 30; want++ {
			if ev, recycled := to.NextEV(nil); int(ev) != want || !recycled {
				t.Fatalf("after %d uses the copy sends %d, %t, want %d", used, ev, recycled, want)
			}
		}
		if to.ValidEVs() != 0 || from.ValidEVs() != 31-used {
			t.Errorf("%d and %d EVs are left, want 0 and %d", to.ValidEVs(), from.ValidEVs(), 31-used)
		}
	}
}

// TestFIFOGrow: up to the length asked for, no ACK allocates.
func TestFIFOGrow(t *testing.T) {
	for _, entries := range []int{0, 1, 16, 17, 200} {
		f, _ := newFIFO(FIFOConfig{DisableSweep: true})
		f.Grow(entries)
		if allocs := testing.AllocsPerRun(5, func() {
			f.Reset()
			for range entries {
				f.OnAck(0, 1, false)
			}
		}); allocs > 0 {
			t.Errorf("%d EVs: %v allocations", entries, allocs)
		}
	}
}
