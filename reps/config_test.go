package reps

import "testing"

func TestDefaults(t *testing.T) {
	r, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		BufferSize:       8,
		EVSSize:          65536,
		FreezingTimeout:  10_000_000, // 10 ms in ns
		PacketsPerWindow: 100,
		ReuseCount:       1,
		Exit:             ExitOnTimeout,
	}
	if r.Config() != want {
		t.Errorf("Config() = %+v, want %+v", r.Config(), want)
	}
}

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  Config
		want string
	}{
		{"zero", Config{}, ""},
		{"smallest", Config{BufferSize: 1, EVSSize: 1, FreezingTimeout: 1, PacketsPerWindow: 1, ReuseCount: 1}, ""},
		{"largest", Config{BufferSize: 32, EVSSize: 65536, FreezingTimeout: 1<<31 - 1, PacketsPerWindow: 65535, ReuseCount: 16, Exit: ExitOnProbe, FrozenCache: CacheFree}, ""},
		{"caching without freezing", Config{DisableFreezing: true, FrozenCache: CacheNew},
			"reps: FrozenCache (1) must be CacheAll (0), CacheNew (1) or CacheFree (2), and CacheAll with DisableFreezing"},
		{"unknown caching", Config{FrozenCache: 3},
			"reps: FrozenCache (3) must be CacheAll (0), CacheNew (1) or CacheFree (2), and CacheAll with DisableFreezing"},
		{"negative", Config{BufferSize: -1, EVSSize: -2, PacketsPerWindow: -3, ReuseCount: -4},
			"reps: BufferSize (-1) must be in [1, 32]\n" +
				"reps: EVSSize (-2) must be in [1, 65536]\n" +
				"reps: PacketsPerWindow (-3) must be in [1, 65535]\n" +
				"reps: ReuseCount (-4) must be in [1, 16]"},
		{"too large", Config{BufferSize: 33, EVSSize: 65537, FreezingTimeout: 1 << 31, PacketsPerWindow: 65536, ReuseCount: 17, Exit: 2},
			"reps: BufferSize (33) must be in [1, 32]\n" +
				"reps: EVSSize (65537) must be in [1, 65536]\n" +
				"reps: FreezingTimeout (2147483648) must be in [1, 2147483647]\n" +
				"reps: PacketsPerWindow (65536) must be in [1, 65535]\n" +
				"reps: ReuseCount (17) must be in [1, 16]\n" +
				"reps: Exit (2) must be ExitOnTimeout (0) or ExitOnProbe (1)"},
	} {
		got := ""
		if err := tt.cfg.Validate(); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: Validate() = %q, want %q", tt.name, got, tt.want)
		}
		if _, err := New(tt.cfg); (err != nil) != (tt.want != "") {
			t.Errorf("%s: New error = %v, want one exactly if Validate has one", tt.name, err)
		}
	}
}

func TestCachingString(t *testing.T) {
	for c, want := range map[Caching]string{CacheAll: "all", CacheNew: "new", CacheFree: "free", 3: "Caching(3)"} {
		if c.String() != want {
			t.Errorf("%d is %q, want %q", c, c.String(), want)
		}
	}
}

func TestExitString(t *testing.T) {
	for e, want := range map[Exit]string{ExitOnTimeout: "timeout", ExitOnProbe: "probe", ExitOnFeedback: "feedback", 7: "Exit(7)"} {
		if e.String() != want {
			t.Errorf("Exit(%d).String() = %q, want %q", uint8(e), e.String(), want)
		}
	}
}
