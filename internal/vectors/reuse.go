package vectors

import (
	"fmt"

	"repslab/reps"
)

// reuses records up to 16 uses of one EV: alone, until the next EV's turn comes, and up to the use that
// the script interrupts. The counts lie on both sides of the powers of two, where a counter with too few
// bits fails.
func (r *recorder) reuses() {
	for _, count := range []int{2, 4, 5, 8, 9, reps.MaxReuseCount} {
		cfg := quick(func(c *Config) { c.ReuseCount = count })
		for _, s := range []struct{ name, script string }{
			{"two EVs, used up", fmt.Sprintf("a1 a2 n%d", 2*count+1)},
			{"frozen, then around the ring", fmt.Sprintf("a1 a2 n1 f n%d", 2*count+2)},
			{"the EV in use is overwritten", fmt.Sprintf("a1 a2 a3 a4 n%d a5 n%d", count-1, count+1)},
			{"exploration between the uses", fmt.Sprintf("a1 f +101 a2 n%d", count+5)},
			{"an ACK and the end of freezing mode between the uses", fmt.Sprintf("a1 n%d f a2 +101 m3 a4 n%d", count/2, count)},
		} {
			r.begin(fmt.Sprintf("reuse count %d: %s", count, s.name), cfg, 0)
			r.play(s.script)
		}
	}
}

// resets records the reset of connections in every kind of state. After the reset each connection fills
// its ring again, freezes and reads beyond the valid EVs. That exposes state that an implementation with
// other variables failed to reset.
func (r *recorder) resets() {
	for _, s := range []struct {
		name   string
		change func(*Config)
		script string
	}{
		{"an EV in use", func(c *Config) { c.ReuseCount = 3 }, "a1 a2 n1"},
		{"an EV before its last use", func(c *Config) { c.ReuseCount = reps.MaxReuseCount }, "a1 n15"},
		{"an EV in use, frozen", func(c *Config) { c.ReuseCount = 5 }, "a1 a2 a3 n3 f n1"},
		{"an EV in use, exploring", func(c *Config) { c.ReuseCount = 5 }, "a1 n3 f +101 a2 n2"},
		{"partly filled, all valid", func(*Config) {}, "a1 a2 a3"},
		{"partly filled, none valid", func(*Config) {}, "a1 a2 n2"},
		{"full, all valid", func(*Config) {}, "a1 a2 a3 a4 a5"},
		{"full, two valid across the end", func(*Config) {}, "a1 a2 a3 a4 n3 a5"},
		{"frozen, nothing written", func(*Config) {}, "+7 f"},
		{"frozen, partly filled", func(*Config) {}, "+7 a1 a2 n3 f n3"},
		{"frozen until a probe", func(c *Config) { c.ExitOnProbe = true }, "+7 a1 a2 a3 a4 f n5"},
		{"exploring, nothing valid", func(*Config) {}, "f +101 a1 n3"},
		{"exploring, all valid", func(*Config) {}, "a1 a2 a3 a4 f +101 a5"},
		{"exploration over, deadline kept", func(*Config) {}, "f +101 a1 n5 a2"},
	} {
		cfg := quick(s.change)
		r.begin("reset: "+s.name, cfg, 0)
		r.play(s.script)
		r.play(fmt.Sprintf("r n1 a11 a12 n%d f n3", cfg.ReuseCount+1))
	}
}
