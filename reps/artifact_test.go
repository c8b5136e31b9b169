package reps

import "testing"

func TestArtifactRules(t *testing.T) {
	quick := Config{BufferSize: 4, FreezingTimeout: 100, PacketsPerWindow: 3}
	playAll(t, newArtifact, []scripted[Config]{
		{"oldest first, then random", quick, 0, "n a7 m9 a8 n3", "r 7 8 r"},
		{"full ring drops its oldest", quick, 0, "a1 a2 a3 a4 a5 n5", "2 3 4 5 r"},
		{"frozen and nothing written: random", quick, 0, "f n2 ?", "r r frozen/0/0"},
		{"frozen reads from slot 0, used or not", quick, 0, "a1 a2 a3 n f n5 ?", "1 1 2 3 1 2 frozen/0/0"},
		{"frozen: a valid entry has no precedence", quick, 0, "a1 a2 a3 a4 n4 f a9 n n a8 n3 ?", "1 2 3 4 9 2 3 4 9 frozen/0/1"},
		{"frozen: the turn takes in new slots", quick, 0, "a1 f n a2 n3", "1 1 2 1"},
		{"exit on a marked ACK erases the ring", quick, 0, "a1 a2 f +100 m5 ? +1 m5 ? n4", "frozen/0/2 thawed/3/0 r r r r"},
		{"exit on a NACK", quick, 0, "a1 f +101 k ?", "thawed/3/0"},
		{"exit comes before caching", quick, 0, "a1 a2 f +101 a3 ? n5", "thawed/3/1 r r r 3 r"},
		{"exploring: all random, ACKs cached, no freezing", quick, 0, "f +101 a1 n a2 f ? n2 ? n3", "r thawed/2/2 r r thawed/0/2 1 2 r"},
		{"pointer starts again after an exit", quick, 0, "a1 a2 a3 f n2 +101 k n3 a4 f n2", "1 2 r r r 4 4"},
		{"clock comes round", quick, 1<<32 - 50, "f +100 k ? +1 k ?", "frozen/0/0 thawed/3/0"},
		{"failure while frozen does not move the deadline", quick, 0, "f +90 f +11 k ?", "thawed/3/0"},
		{"probe reply means nothing", quick, 0, "f +500 p ?", "frozen/0/0"},
		{"16-bit exploration", Config{FreezingTimeout: 100, PacketsPerWindow: 1000}, 0, "f +101 k ?", "thawed/1000/0"},
		{"freezing disabled", Config{DisableFreezing: true}, 0, "f ?", "thawed/0/0"},
		{"exit on a failure, which does not freeze again", Config{BufferSize: 4, FreezingTimeout: 100, PacketsPerWindow: 3, Exit: ExitOnFeedback}, 0,
			"a1 a2 f +100 f ? +1 f ? f n4", "frozen/0/2 thawed/3/0 r r r r"},
		{"Ultra Ethernet: 16 random packets from an empty ring", Config{}.UltraEthernet(), 0,
			"a1 a2 n f n3 +10000000 m9 ? +1 a3 ? n16 ? n2", "1 1 2 1 frozen/0/0 thawed/16/1 r r r r r r r r r r r r r r r r thawed/0/1 3 r"},
	})
}

func TestArtifactConfig(t *testing.T) {
	_, err := newArtifact(Config{BufferSize: 40, ReuseCount: 2, Exit: ExitOnProbe})
	want := "reps: BufferSize (40) must be in [1, 32]\n" +
		"reps: ReuseCount (2) must be 1 for Artifact\n" +
		"reps: Exit (probe) must be ExitOnTimeout or ExitOnFeedback for Artifact"
	if err == nil || err.Error() != want {
		t.Errorf("newArtifact error = %v, want %s", err, want)
	}
	a, err := newArtifact(Config{PacketsPerWindow: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Config(); got != (Config{PacketsPerWindow: 1000}).withDefaults() {
		t.Errorf("Config() = %+v, want the defaults with 1000 packets", got)
	}
	play(t, a, 0, "a1 a2 n")
	if a.WrittenSlots() != 2 {
		t.Errorf("WrittenSlots() = %d, want 2", a.WrittenSlots())
	}
	a.Reset()
	if fresh, _ := newArtifact(a.Config()); *fresh != *a {
		t.Errorf("after Reset %+v, want %+v", *a, *fresh)
	}
}
