package balance

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/congestion"
	"repslab/fattree/transport"
	"repslab/reps"
)

// watched runs a tornado of 32 hosts with a cable that fails, and returns the run with the events of all flows.
func watched(t *testing.T, b transport.Balancer, dropping bool, workers int, cfg *transport.WatchConfig) (*transport.Run, *fattree.Result) {
	t.Helper()
	spec := tornado32(t).Spec()
	spec.DisableTrimming, spec.Queue, spec.KMin, spec.KMax = dropping, 12, 1, 5
	spec.Faults = []fattree.Fault{{Ports: uplink(spec, 1, 2), Start: 10 * us, End: 300 * us}}
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n)
	run.Workers(workers)
	if cfg != nil {
		run.Watch(*cfg)
	}
	run.Trace(fattree.TraceConfig{Every: 10 * us, Ports: n.Uplinks(0)})
	result, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0))
	if err != nil {
		t.Fatal(err)
	}
	return run, result
}

// everyFlow watches the 32 flows of watched.
func everyFlow() *transport.WatchConfig {
	cfg := new(transport.WatchConfig)
	for flow := range int32(32) {
		cfg.Flows = append(cfg.Flows, flow)
	}
	return cfg
}

// TestEventsAddUpToTheRun: the events of all flows add up to the counts of the run, and their paths to
// the packets that the uplinks of a ToR sent. The run is the same without events and with two workers.
func TestEventsAddUpToTheRun(t *testing.T) {
	for _, rules := range AllRules() {
		for _, dropping := range []bool{false, true} {
			make := func() transport.Balancer {
				b, err := NewRecycling(rules, reps.Config{FreezingTimeout: 5_000})
				if err != nil {
					t.Fatal(err)
				}
				return b
			}
			_, plain := watched(t, make(), dropping, 1, nil)
			run, result := watched(t, make(), dropping, 1, everyFlow())
			events, left := run.Events()
			other, _ := watched(t, make(), dropping, 2, everyFlow())
			if again, _ := other.Events(); !reflect.DeepEqual(plain, result) || !reflect.DeepEqual(events, again) || left != 0 {
				t.Errorf("%s, dropping %v: watching or a second worker changes the run", rules, dropping)
			}
			counts := map[transport.EventKind]int64{}
			origins := map[transport.Origin]int64{}
			var uplinks [4]int64
			for _, e := range events {
				counts[e.Kind]++
				if e.Kind == transport.EventSend || e.Kind == transport.EventResend {
					origins[e.Origin]++
					if e.Flow < 4 {
						uplinks[e.Path[0]]++
					}
				}
			}
			sent, again := counts[transport.EventSend], counts[transport.EventResend]
			if sent+again != result.Sent || again != result.Retransmitted || counts[transport.EventEnd] != 32 ||
				origins["ring"]+origins["stale"] != result.Recycled || counts[transport.EventNack]+counts[transport.EventTimeout] < again {
				t.Errorf("%s, dropping %v: events %v with origins %v, want those of %+v", rules, dropping, counts, origins, result.Counts)
			}
			if rules != FIFO && (counts[transport.EventFreeze] == 0 || counts[transport.EventThaw] == 0 || dropping && origins["stale"] == 0) {
				t.Errorf("%s, dropping %v: no flow freezes: %v %v", rules, dropping, counts, origins)
			}
			var packets [4]int64
			for _, s := range run.Samples() {
				for i, p := range s.Packets {
					packets[i] += p
				}
			}
			if !dropping && result.Trimmed == 0 && packets != uplinks {
				t.Errorf("%s: uplinks sent %v packets, by events %v", rules, packets, uplinks)
			}
		}
	}
}

// TestEventsReplay: package reps, fed with the answers in a flow's events, sends the EVs of the events,
// from the same origin, and has the slots of the events.
func TestEventsReplay(t *testing.T) {
	b, err := NewRecycling(Paper, reps.Config{FreezingTimeout: 5_000, PacketsPerWindow: 20})
	if err != nil {
		t.Fatal(err)
	}
	run, _ := watched(t, b, false, 1, everyFlow())
	events, _ := run.Events()
	stale := 0
	for flow := range int32(32) {
		r, err := reps.New(reps.Config{FreezingTimeout: 5_000, PacketsPerWindow: 20})
		if err != nil {
			t.Fatal(err)
		}
		draw := fattree.NewStreams(1, 0).Balancer().Child(uint64(flow)).Rand()
		for i, e := range events {
			if e.Flow != flow {
				continue
			}
			now := nanoseconds(e.Time)
			switch e.Kind {
			case transport.EventSend, transport.EventResend:
				origin := r.NextOrigin()
				if ev, _ := r.NextEV(&draw); int32(ev) != e.EV || origin.String() != string(e.Origin) {
					t.Fatalf("event %d is %+v, REPS sends EV %d from %v", i, e, ev, origin)
				}
				if origin == reps.Stale {
					stale++
				}
			case transport.EventAck:
				r.OnAck(now, uint16(e.EV), e.Marked)
			case transport.EventTimeout:
				r.OnFailure(now)
			}
			var slots []transport.Slot
			for _, s := range r.AppendSlots(nil) {
				slots = append(slots, transport.Slot(s))
			}
			if !slices.Equal(slots, e.Slots) || r.ValidEVs() != e.Valid || r.Frozen() != e.Frozen {
				t.Fatalf("event %d is %+v, REPS remembers %v, frozen %v", i, e, slots, r.Frozen())
			}
		}
	}
	if stale == 0 {
		t.Error("no stale EV is sent")
	}
}

// TestValidEntriesEqualFallInFlight: in a healthy network, the number of valid entries of a ring that
// never overflows equals the largest value, over all earlier events, of the fall of the packets in flight
// since that event minus the marked ACKs since that event (docs/ring.md).
func TestValidEntriesEqualFallInFlight(t *testing.T) {
	b, err := NewRecycling(Paper, reps.Config{BufferSize: 32})
	if err != nil {
		t.Fatal(err)
	}
	spec := tornado32(t).Spec()
	spec.KMin, spec.KMax = 1, 5
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatal(err)
	}
	run := transport.NewRun(n)
	run.Watch(*everyFlow())
	if _, err := run.Execute(context.Background(), b, congestion.DCTCP{}, fattree.NewStreams(1, 0)); err != nil {
		t.Fatal(err)
	}
	type state struct {
		marked, least int32 // marked ACKs so far; least value of -(packets in flight) - marked
		done          bool  // the ring was full
	}
	flows, several, marked := make([]state, 32), 0, int32(0)
	events, _ := run.Events()
	for i, e := range events {
		f := &flows[e.Flow]
		if f.done = f.done || e.Valid == 32; f.done {
			continue
		}
		if e.Kind == transport.EventAck && e.Marked {
			f.marked++
		}
		now := -e.InFlight - f.marked
		f.least = min(f.least, now)
		if int32(e.Valid) != now-f.least {
			t.Fatalf("event %d: %d entries are valid, want %d: %+v", i, e.Valid, now-f.least, e)
		}
		if e.Valid > 1 {
			several++
		}
		marked = max(marked, f.marked)
	}
	if several == 0 || marked == 0 {
		t.Errorf("%d events with several valid entries, %d marked ACKs: nothing is tested", several, marked)
	}
}

// TestWatchLimits: events outside the watched time, and events beyond the largest number, are left out;
// the latter are counted.
func TestWatchLimits(t *testing.T) {
	b, err := NewRecycling(Paper, reps.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := transport.WatchConfig{Flows: []int32{-1, 3, 32}, From: 20 * us, To: 40 * us}
	run, _ := watched(t, b, false, 1, &cfg)
	all, left := run.Events()
	if len(all) == 0 || left != 0 || slices.ContainsFunc(all, func(e transport.Event) bool { return e.Flow != 3 || e.Time < cfg.From || e.Time >= cfg.To }) {
		t.Errorf("%d events, %d left", len(all), left)
	}
	cfg.Most = 10
	run, _ = watched(t, b, false, 1, &cfg)
	if some, left := run.Events(); !reflect.DeepEqual(some, all[:10]) || int(left) != len(all)-10 {
		t.Errorf("of %d events %d, %d left", len(all), len(some), left)
	}
}

// TestInspectPlanes: of several planes the slots stand one after the other, with the EVs of packets.
func TestInspectPlanes(t *testing.T) {
	b := newPerPlane(t, RecyclingConfig{})
	for _, ev := range []uint16{5, 3 << 14, 7} {
		b.Feedback(transport.Feedback{Flow: 1, EV: ev, Kind: transport.Good})
	}
	want := transport.Memory{Keeps: true, Freezes: true, Valid: 3, Slots: []transport.Slot{{EV: 5, Valid: true}, {EV: 7, Valid: true}, {EV: 3 << 14, Valid: true}}}
	if got := b.Inspect(1, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("Inspect() = %+v, want %+v", got, want)
	}
}
