package balance

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/reps"
)

// idleAfter is the pause in these tests.
const idleAfter = 20 * us

// pausing is a REPS with a pause, and the name of its kind.
type pausing struct {
	name string
	transport.Balancer
}

// pausings returns the kinds of REPS with a pause, or without one if it is 0, for pair's network.
func pausings(t *testing.T, pause fattree.Picoseconds) []pausing {
	t.Helper()
	cfg := RecyclingConfig{Idle: pause}
	written, err := cfg.New()
	list := []pausing{{"reps", prepared(t, written, err)}, {"reps, not written out", written.(recyclingREPS).recycling}}
	planes, err := cfg.NewPerPlane()
	list = append(list, pausing{"reps-planes", prepared(t, planes, err)})
	excluding, err := cfg.NewExcluding(DefaultExclude)
	list = append(list, pausing{"reps-exclude", prepared(t, excluding, err)})
	cfg.REPS.BufferSize = 40
	large, err := cfg.New()
	return append(list, pausing{"ring of 40", prepared(t, large, err)})
}

// TestIdleLimit: a packet explores if the flow was idle for the whole pause, to the picosecond, since its
// last packet or any feedback. Other flows do not count. Without a pause it never explores while an EV is
// cached.
func TestIdleLimit(t *testing.T) {
	for name, last := range map[string]func(b transport.Balancer){
		"packet":   func(b transport.Balancer) { b.NextEV(0, 50*us) },
		"ACK":      func(b transport.Balancer) { back(b, 50*us, good) },
		"mark":     func(b transport.Balancer) { back(b, 50*us, marked) },
		"NACK":     func(b transport.Balancer) { back(b, 50*us, nacked) },
		"time-out": func(b transport.Balancer) { b.Feedback(transport.Feedback{EV: 9, Kind: late, Now: 50 * us}) },
	} {
		for _, c := range []struct {
			pause, length fattree.Picoseconds
			recycled      bool
		}{
			{idleAfter, 0, true}, {idleAfter, idleAfter - 1, true}, {idleAfter, idleAfter, false}, {idleAfter, 100 * idleAfter, false},
			{0, 100 * idleAfter, true}, {1, 0, true}, {1, 1, false},
		} {
			for _, b := range pausings(t, c.pause) {
				back(b, 50*us-c.pause/2, good, good, good)
				last(b)
				b.NextEV(1, 50*us+c.length)
				_, recycled := b.NextEV(0, 50*us+c.length)
				want := c.recycled || name == "time-out" && b.name != "reps-exclude" // which freezes
				if recycled != want {
					t.Errorf("%s, pause %d ps, %d ps after a %s: recycled is %t, want %t", b.name, c.pause, c.length, name, recycled, want)
				}
			}
		}
	}
}

// TestIdleBurst: after a pause all packets explore until the first ACK; the ACK's EV is used again although
// the burst began with a pause.
func TestIdleBurst(t *testing.T) {
	for _, b := range pausings(t, idleAfter) {
		back(b, 10*us, good, good, good)
		for i := range fattree.Picoseconds(100) {
			if _, recycled := b.NextEV(0, 50*us+i*us/12); recycled {
				t.Errorf("%s: packet %d of a burst is recycled before an ACK", b.name, i)
			}
		}
		back(b, 59*us, good)
		if ev, recycled := b.NextEV(0, 59*us); ev != 7 || !recycled {
			t.Errorf("%s: after the first ACK EV %d, recycled is %t", b.name, ev, recycled)
		}
	}
}

// TestIdleHearing: feedback after a long wait ends the pause and explores nothing itself, since the packet
// was still in flight. Forced freezing mode, which watches packets too, has no pauses.
func TestIdleHearing(t *testing.T) {
	for _, b := range pausings(t, idleAfter) {
		back(b, 10*us, good)
		back(b, 100*us, marked)
		if _, recycled := b.NextEV(0, 100*us); !recycled {
			t.Errorf("%s: explores although a packet was in flight", b.name)
		}
	}
	made, err := RecyclingConfig{FreezeAt: 10 * us, REPS: reps.Config{DisableFreezing: true}}.New()
	forced := prepared(t, made, err)
	back(forced, 10*us, good)
	if _, recycled := forced.NextEV(0, 500*us); !recycled {
		t.Error("explores after a pause without being told to")
	}
}

// TestIdleHeirs: a flow that inherits a connection inherits its last activity.
func TestIdleHeirs(t *testing.T) {
	for start, want := range map[fattree.Picoseconds]bool{10*us + idleAfter - 1: true, 10*us + idleAfter: false} {
		for _, b := range pausings(t, idleAfter) {
			back(b, 10*us, good)
			b.Balancer.Traits().Inherit(1, 0)
			if _, recycled := b.NextEV(1, start); recycled != want {
				t.Errorf("%s, start at %d ps: recycled is %t", b.name, start, recycled)
			}
		}
	}
}

// messages returns a network in which every host of the first ToR sends messages of 200 packets on one
// connection, with pauses of at least 150 us between them, while an uplink fails and recovers.
func messages(t *testing.T) *fattree.Network {
	t.Helper()
	s := tornado32(t).Spec()
	s.Workload = fattree.Workload{}
	for i := range 3 {
		for host := range fattree.Host(32) {
			f := fattree.NewFlow(host, (host+16)%32, 800_000, fattree.Picoseconds(i)*200*us)
			f.Connection = int(host) + 1
			s.Workload.Flows = append(s.Workload.Flows, f)
		}
	}
	s.Faults = []fattree.Fault{{Ports: uplink(s, 1, 2), Start: 190 * us, End: 300 * us}}
	n, err := fattree.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestIdleRuns: runs with a pause of 0, and with one that no connection reaches, are those without the
// option. A shorter one changes runs and draws more EVs: for each later message of a connection those of a
// cached ring, 8, or fewer if it is frozen. Run after run of one balancer is the same, and the written-out
// REPS is [Recycling].
func TestIdleRuns(t *testing.T) {
	n := messages(t)
	run := func(b transport.Balancer) *fattree.Result {
		r, err := transport.NewRun(n).Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	plain, err := NewRecycling(Paper, reps.Config{FreezingTimeout: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	want := run(plain)
	for pause, same := range map[fattree.Picoseconds]bool{0: true, 300 * us: true, 100 * us: false} {
		b, err := RecyclingConfig{REPS: reps.Config{FreezingTimeout: 100_000}, Idle: pause}.New()
		if err != nil {
			t.Fatal(err)
		}
		got := run(b)
		if reflect.DeepEqual(got, want) != same || want.Lost == 0 {
			t.Errorf("pause %d us: the same run is %t, %d packets lost", pause/us, !same, want.Lost)
		}
		if !reflect.DeepEqual(run(b), got) || !reflect.DeepEqual(run(b.(recyclingREPS).recycling), got) {
			t.Errorf("pause %d us: a second run, or one not written out, differs", pause/us)
		}
		if drawn := (got.Sent - got.Recycled) - (want.Sent - want.Recycled); !same && (drawn < 2*16*8 || drawn > 3*64*8) {
			t.Errorf("pause %d us: %d more packets with drawn EVs, want about 8 for each of 64 messages", pause/us, drawn)
		}
	}
}

// TestIdleRefused: values out of range, and rules that have no pauses, are refused by name.
func TestIdleRefused(t *testing.T) {
	for _, c := range []struct {
		idle  fattree.Picoseconds
		rules Rules
		want  string
	}{
		{-1, Paper, "Idle (-1) must be in [0, 1152921504606846976] ps, and 0 with rules other than paper"}, {longestTime + 1, "", "Idle (1152921504606846977) must be in"},
		{math.MinInt64, Paper, "Idle ("}, {1, Artifact, "Idle (1) must"},
		{5, FIFO, "Idle (5) must"}, {5, UltraEthernet, "Idle (5) must"},
		{0, Artifact, ""}, {0, FIFO, ""}, {longestTime, Paper, ""}, {1, "", ""},
	} {
		_, err := RecyclingConfig{Idle: c.idle, Rules: c.rules}.New()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%d ps, rules %q: %v, want %q", c.idle, c.rules, err, c.want)
		}
	}
	if _, err := (RecyclingConfig{Idle: -1}).NewExcluding(1); err == nil {
		t.Error("reps-exclude takes a negative pause")
	}
	if _, err := (RecyclingConfig{Idle: 1, Rules: Artifact}).NewExcluding(1); err != nil {
		t.Errorf("reps-exclude, which has one set of rules, takes no pause: %v", err)
	}
	if _, err := (RecyclingConfig{Idle: -1}).NewPerPlane(); err == nil {
		t.Error("reps-planes takes a negative pause")
	}
}

// TestIdlePlanes: with a REPS for each plane each has its own pause.
func TestIdlePlanes(t *testing.T) {
	b := newPerPlane(t, RecyclingConfig{Idle: idleAfter})
	word := func(plane int) uint16 { return uint16(plane * transport.PlaneEVs(4)) }
	for plane, at := range map[int]fattree.Picoseconds{0: 10 * us, 1: 30 * us} {
		b.Feedback(transport.Feedback{EV: word(plane), Kind: good, Now: at})
	}
	for plane, want := range []bool{false, true} {
		if _, recycled, ok := b.NextPath(0, 1<<plane, 31*us); recycled != want || !ok {
			t.Errorf("plane %d: recycled is %t", plane, recycled)
		}
	}
}
