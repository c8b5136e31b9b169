package balance

import (
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/mrc"
)

// sent returns the EVs of the next packets of flow 0.
func sent(b transport.Balancer, packets int) (list []uint16) {
	for range packets {
		ev, _ := b.NextEV(0, 0)
		list = append(list, ev)
	}
	return list
}

// TestMRC follows one flow with three EVs and a backup. A mark skips an EV once, a lost packet replaces
// the EV by the backup, and an answered probe brings it back. Another flow is not affected.
func TestMRC(t *testing.T) {
	b, err := MRCConfig{MRC: mrc.Config{Values: 4, Active: 3, Backup: 1, MinActive: 3, ProbeReplies: 1}, ProbePeriod: 10 * us}.New()
	prepared(t, b, err)
	first := sent(b, 3)
	if again := sent(b, 3); !slices.Equal(again, first) || first[0] == first[1] || first[1] == first[2] || first[0] == first[2] {
		t.Fatalf("EVs %v, then %v", first, again)
	}
	news := func(ev uint16, kind transport.Kind, now fattree.Picoseconds) {
		b.Feedback(transport.Feedback{EV: ev, Kind: kind, Now: now})
	}
	news(first[1], transport.Marked, us)
	news(first[2], transport.Nacked, us)
	if got, want := sent(b, 4), []uint16{first[0], first[0], first[1], first[2]}; !slices.Equal(got, want) {
		t.Errorf("EVs %v after a mark and a NACK of %v, want %v", got, first[1:], want)
	}
	if ev, wanted := b.Traits().Probe(0, us); wanted {
		t.Errorf("a probe of %d with nothing out of use", ev)
	}
	lost := first[0]
	news(lost, transport.TimedOut, 2*us)
	if got := sent(b, 6); slices.Contains(got, lost) || got[0] == got[2] {
		t.Errorf("EVs %v after the loss of %d", got, lost)
	}
	probes := func(now fattree.Picoseconds, want bool) {
		t.Helper()
		if ev, wanted := b.Traits().Probe(0, now); wanted != want || want && ev != lost {
			t.Errorf("at %d us: probe of %d %v, want %v of %d", now/us, ev, wanted, want, lost)
		}
	}
	probes(3*us, true)
	probes(42*us, false) // the RTO of 40 us is not over
	probes(43*us, true)  // it is, and so is the period
	news(first[1], transport.Probed, 44*us)
	probes(45*us, false)
	news(lost, transport.Probed, 46*us)
	if got := sent(b, 3); !slices.Contains(got, lost) {
		t.Errorf("EVs %v after the answer to the probe of %d", got, lost)
	}
	news(lost, transport.TimedOut, 47*us)
	probes(48*us, false) // 10 us since the last one are not over
	probes(53*us, true)
	news(lost, transport.Probed, 54*us)
	news(lost, transport.Probed, 55*us) // no second time
	probes(60*us, false)

	fresh, err := MRCConfig{MRC: mrc.Config{Values: 4, Active: 3, Backup: 1}}.New()
	prepared(t, fresh, err)
	for range 3 {
		want, _ := fresh.NextEV(1, 0)
		if got, _ := b.NextEV(1, 0); got != want {
			t.Errorf("flow 1 sends EV %d after news of flow 0, else %d", got, want)
		}
	}
	b.Traits().Inherit(1, 0)
	own, _ := b.NextEV(0, 0)
	if got, _ := b.NextEV(1, 0); got != own {
		t.Errorf("EV %d of a flow that inherits, %d of the other", got, own)
	}
	b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	if got := sent(b, 3); !slices.Equal(got, first) {
		t.Errorf("EVs %v after Reset, first %v", got, first)
	}
}

// TestMRCSkipTime: an EV is skipped for a time after its last mark.
func TestMRCSkipTime(t *testing.T) {
	b, err := MRCConfig{MRC: mrc.Config{Values: 2, Active: 2, Backup: -1, Skip: mrc.SkipHeld}, SkipTime: 10 * us}.New()
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
	first, _ := b.NextEV(0, 0)
	second, _ := b.NextEV(0, 0)
	for _, at := range []fattree.Picoseconds{0, 4 * us} {
		b.Feedback(transport.Feedback{EV: first, Kind: transport.Marked, Now: at})
	}
	b.Feedback(transport.Feedback{EV: first, Kind: transport.Good, Now: 8 * us})
	for _, at := range []fattree.Picoseconds{9 * us, 10 * us, 14*us - 1} {
		if ev, _ := b.NextEV(0, at); ev != second {
			t.Errorf("%d ps: EV %d while it has a mark", at, ev)
		}
	}
	if ev, _ := b.NextEV(0, 14*us); ev != first {
		t.Errorf("EV %d after the time of a mark, want %d", ev, first)
	}
}

func TestMRCRefusals(t *testing.T) {
	for _, c := range []struct {
		cfg  MRCConfig
		want string
	}{
		{MRCConfig{MRC: mrc.Config{Planes: 17}}, "mrc: Planes (17) must be in [1, 16]"},
		{MRCConfig{SkipTime: 1}, "balance: SkipTime (1) must be above 0 with SkipHeld, and 0 without"},
		{MRCConfig{MRC: mrc.Config{Skip: mrc.SkipHeld}}, "balance: SkipTime (0) must be above 0 with SkipHeld, and 0 without"},
		{MRCConfig{ProbePeriod: -1}, "balance: ProbePeriod (-1) must be in [0, 1152921504606846976]"},
		{MRCConfig{MRC: mrc.Config{Active: 300}}, "mrc: Active (300) must be in [1, 256]"},
	} {
		if _, err := c.cfg.New(); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, want %s", c.cfg, err, c.want)
		}
	}
	defer func() {
		if got, want := recover(), "balance: MRC of 2 planes in a network of 1"; got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}()
	b, err := MRCConfig{MRC: mrc.Config{Planes: 2}}.New()
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(pair(t), mc.NewStream(1, mc.Algorithm, 0))
}

func TestNoEVsAreRefused(t *testing.T) {
	if _, err := NewMRC(0); err == nil || err.Error() != "balance: evs (0) must be in [1, 65536]" {
		t.Errorf("0 EVs: %v", err)
	}
}
