package reps

import "testing"

func TestFIFORules(t *testing.T) {
	playAll(t, NewFIFO, []scripted[FIFOConfig]{
		{"sweep, then the list, then random", FIFOConfig{SweepPackets: 3}, 0, "a9 n2 m5 a8 ? n4", "s1 s2 thawed/1/2 s3 9 8 r"},
		{"sweep of all EVs ends with 0", FIFOConfig{EVSSize: 4}, 0, "? n5", "thawed/4/0 s1 s2 s3 s0 r"},
		{"sweep of one EV", FIFOConfig{EVSSize: 1}, 0, "n2", "s0 r"},
		{"no sweep", FIFOConfig{DisableSweep: true}, 0, "n a1 a2 n3", "r 1 2 r"},
		{"no freezing", FIFOConfig{DisableSweep: true}, 0, "a1 f k p ? n2", "thawed/0/1 1 r"},
	})
}

func TestFIFODefaults(t *testing.T) {
	f, err := NewFIFO(FIFOConfig{})
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
		f, err := NewFIFO(FIFOConfig{DisableSweep: true})
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
	if _, err := NewFIFO(FIFOConfig{EVSSize: -1}); err == nil {
		t.Error("NewFIFO with EVSSize -1: no error")
	}
}
