package reps

import "testing"

// TestDecodeBounds: what contradicts is refused from the least value on.
func TestDecodeBounds(t *testing.T) {
	for _, c := range []struct {
		name  string
		cfg   Config
		spoil func(r *REPS)
		good  bool
	}{
		{"exploring without freezing", Config{DisableFreezing: true}, func(r *REPS) { r.explore = 1 }, false},
		{"frozen without freezing", Config{DisableFreezing: true}, func(r *REPS) { r.frozen = true }, false},
		{"frozen and exploring", Config{}, func(r *REPS) { r.frozen, r.explore = true, 1 }, false},
		{"exploring for a window", Config{PacketsPerWindow: 7}, func(r *REPS) { r.explore = 7 }, true},
		{"exploring for more", Config{PacketsPerWindow: 7}, func(r *REPS) { r.explore = 8 }, false},
		{"used but once", Config{ReuseCount: 3}, func(r *REPS) { r.OnAck(0, 5, false); r.uses = 2 }, true},
		{"used up", Config{ReuseCount: 3}, func(r *REPS) { r.OnAck(0, 5, false); r.uses = 3 }, false},
		{"used without an entry", Config{ReuseCount: 3}, func(r *REPS) { r.uses = 1 }, false},
		{"the last slot", Config{BufferSize: 3}, func(r *REPS) { r.ring.head, r.ring.written = 2, 2 }, true},
		{"beyond the slots", Config{BufferSize: 3}, func(r *REPS) { r.ring.head, r.ring.written = 3, 3 }, false},
		{"beyond what was written", Config{BufferSize: 3}, func(r *REPS) { r.ring.head, r.ring.written = 2, 1 }, false},
		{"at the beginning", Config{BufferSize: 3}, func(r *REPS) { r.ring.written = 3 }, true},
		{"back at the beginning too early", Config{BufferSize: 3}, func(r *REPS) { r.ring.written = 2 }, false},
		{"written once, back at the beginning", Config{BufferSize: 3}, func(r *REPS) { r.ring.written = 1 }, false},
	} {
		lenient := mustNew(t, c.cfg)
		c.spoil(lenient)
		data := mustEncode(t, lenient)
		back := mustNew(t, c.cfg)
		if err := back.UnmarshalBinary(data); (err == nil) != c.good {
			t.Errorf("%s: error %v", c.name, err)
		} else if c.good && *back != *lenient {
			t.Errorf("%s: decoded %+v, want %+v", c.name, *back, *lenient)
		}
	}
}
