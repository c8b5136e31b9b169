package reps_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"repslab/internal/vectors"
	"repslab/reps"
)

// playModel makes the event of a vector happen to the model of the pseudocode.
func playModel(t *testing.T, v vectors.Vector) (o outcome, possible bool) {
	t.Helper()
	cfg := v.Config.REPS()
	before, ok := reps.TakeApart(cfg, unhex(t, v))
	if !ok || !before.Possible(cfg) {
		return outcome{}, false
	}
	now := before.ExitTime
	if v.Now != nil {
		now = *v.Now
	}
	m := reps.NewModel(cfg, before, now)
	switch v.Event {
	case vectors.Ack:
		m.OnAck(*v.EV, *v.Marked)
	case vectors.Nack:
		m.OnNack()
	case vectors.Failure:
		m.OnFailure()
	case vectors.ProbeReply:
		m.OnProbeReply()
	case vectors.Reset:
		m = reps.NewModel(cfg, reps.EncodedState{EV: make([]uint16, cfg.BufferSize), Valid: make([]bool, cfg.BufferSize)}, 0)
	case vectors.NextEV:
		random := newOffer(t, v)
		o.nextEV, o.recycled = m.NextEV(random)
		o.randomUsed = random.Used
	}
	o.after = hex.EncodeToString(m.State().Encode(cfg))
	return o, true
}

// TestVectorsAgainstModel replays the test vectors through the literal transcription
// of the pseudocode; it refuses what docs/vectors.md does not allow.
func TestVectorsAgainstModel(t *testing.T) {
	for i, v := range readVectors(t) {
		if v.Config == nil {
			continue // the pseudocode has no connection without a configuration
		}
		got, possible := playModel(t, v)
		want := expected(v)
		if possible == (want.refused != "") {
			t.Fatalf("line %d, %s: the state is possible: %t, want refused %q", i+1, v.Case, possible, want.refused)
		}
		if possible && got != want {
			t.Fatalf("line %d, %s: %s gives %+v, want %+v", i+1, v.Case, v.Event, got, want)
		}
	}
}

// example is a vector with its states taken apart.
type example struct {
	vectors.Vector
	config        reps.Config
	before, after reps.EncodedState
}

// event reports whether the vector is an event that is not refused.
func (x example) event(e vectors.Event) bool { return x.Event == e && x.Refused == nil }

// oldest returns the slot of the oldest valid EV before size is added if it is
// negative.
func (x example) oldest() int { return x.before.Head - x.before.ValidEVs }

// cycles reports whether a packet gets its EV from the ring in freezing mode, with no
// valid EV.
func (x example) cycles() bool { return x.normal() && x.before.ValidEVs == 0 && *x.Recycled }

// normal reports whether a packet gets its EV by the normal rule.
func (x example) normal() bool {
	return x.event(vectors.NextEV) && (x.before.Explore == 0 || (x.before.Explore-1)%x.config.BufferSize != 0)
}

// writes reports whether an ACK is cached.
func (x example) writes() bool { return x.event(vectors.Ack) && !*x.Marked }

// branch is an outcome of a condition of package reps and when a vector has it.
type branch struct {
	name string
	has  func(x example) bool
}

// ackBranches lists the outcomes of the conditions of OnAck, write, after and thaw.
func ackBranches() []branch {
	frozen := func(x example) bool { return x.writes() && x.before.Frozen && !x.untilProbe() }
	return []branch{
		{"OnAck: marked", func(x example) bool { return x.event(vectors.Ack) && *x.Marked }},
		{"OnAck: marked, frozen, past the deadline", func(x example) bool {
			return x.event(vectors.Ack) && *x.Marked && x.before.Frozen && int32(*x.Now-x.before.ExitTime) > 0
		}},
		{"OnAck: all entries valid", func(x example) bool { return x.writes() && x.before.ValidEVs == x.config.BufferSize }},
		{"OnAck: all entries valid, the oldest in use", func(x example) bool {
			return x.writes() && x.before.ValidEVs == x.config.BufferSize && x.before.Uses > 0
		}},
		{"OnAck: an entry not valid", func(x example) bool { return x.writes() && x.before.ValidEVs < x.config.BufferSize }},
		{"write: a new slot", func(x example) bool { return x.writes() && x.after.Written > x.before.Written }},
		{"write: an old slot of a ring not full", func(x example) bool {
			return x.writes() && x.before.Head < x.before.Written && x.before.Written < x.config.BufferSize
		}},
		{"write: head goes back to 0", func(x example) bool { return x.writes() && x.after.Head == 0 }},
		{"write: head moves on", func(x example) bool { return x.writes() && x.after.Head > 0 }},
		{"OnAck: not frozen", func(x example) bool { return x.writes() && !x.before.Frozen }},
		{"OnAck: frozen until a probe, past the deadline", func(x example) bool {
			return x.writes() && x.before.Frozen && x.untilProbe() && int32(*x.Now-x.before.ExitTime) > 0
		}},
		{"after: 1 ns before the deadline", func(x example) bool { return frozen(x) && x.before.ExitTime-*x.Now == 1 && x.after.Frozen }},
		{"after: at the deadline", func(x example) bool { return frozen(x) && x.before.ExitTime == *x.Now && x.after.Frozen }},
		{"after: 1 ns past the deadline", func(x example) bool { return frozen(x) && *x.Now-x.before.ExitTime == 1 && !x.after.Frozen }},
		{"after: the deadline lies beyond the wrap", func(x example) bool { return frozen(x) && x.after.Frozen && *x.Now > x.before.ExitTime }},
		{"after: the clock wrapped since the deadline", func(x example) bool { return frozen(x) && !x.after.Frozen && *x.Now < x.before.ExitTime }},
		{"after: 2^31-1 ns past the deadline", func(x example) bool { return frozen(x) && !x.after.Frozen && *x.Now-x.before.ExitTime == 1<<31-1 }},
		{"after: 2^31 ns past the deadline", func(x example) bool { return frozen(x) && x.after.Frozen && *x.Now-x.before.ExitTime == 1<<31 }},
		{"thaw: a window of 255 packets at most", func(x example) bool {
			return x.writes() && x.before.Frozen && x.after.Explore == 255 && x.Config.PacketsPerWindow > 255
		}},
		{"thaw: the ring is kept", func(x example) bool { return frozen(x) && !x.after.Frozen && x.after.ValidEVs > 1 }},
	}
}

// untilProbe reports whether freezing mode ends with a probe.
func (x example) untilProbe() bool { return x.config.Exit == reps.ExitOnProbe }

// failureBranches lists the outcomes of the conditions of OnNack, OnFailure and
// OnProbeReply.
func failureBranches() []branch {
	fails := func(x example) bool { return x.event(vectors.Failure) }
	replies := func(x example) bool { return x.event(vectors.ProbeReply) }
	return []branch{
		{"OnNack: frozen, past the deadline", func(x example) bool {
			return x.event(vectors.Nack) && x.before.Frozen && int32(*x.Now-x.before.ExitTime) > 0
		}},
		{"OnNack: not frozen", func(x example) bool { return x.event(vectors.Nack) && !x.before.Frozen }},
		{"OnFailure: disabled", func(x example) bool { return fails(x) && x.config.DisableFreezing }},
		{"OnFailure: frozen already", func(x example) bool { return fails(x) && x.before.Frozen }},
		{"OnFailure: exploring", func(x example) bool { return fails(x) && x.before.Explore > 0 }},
		{"OnFailure: exploring, one packet left", func(x example) bool { return fails(x) && x.before.Explore == 1 }},
		{"OnFailure: freezing starts", func(x example) bool { return fails(x) && !x.before.Frozen && x.after.Frozen }},
		{"OnFailure: the deadline lies beyond the wrap", func(x example) bool {
			return fails(x) && !x.before.Frozen && x.after.Frozen && x.after.ExitTime < *x.Now
		}},
		{"OnProbeReply: not frozen", func(x example) bool { return replies(x) && !x.before.Frozen && x.untilProbe() }},
		{"OnProbeReply: frozen until a deadline", func(x example) bool { return replies(x) && x.before.Frozen && !x.untilProbe() }},
		{"OnProbeReply: freezing ends", func(x example) bool { return replies(x) && x.before.Frozen && x.untilProbe() }},
	}
}

// nextBranches lists the outcomes of the conditions of NextEV, before, cycle and
// draw.
func nextBranches() []branch {
	next := func(x example) bool { return x.event(vectors.NextEV) }
	caches := func(x example) bool { return x.normal() && x.before.ValidEVs > 0 }
	return []branch{
		{"NextEV: exploring, a multiple of the size above 0", func(x example) bool {
			return next(x) && x.before.Explore > 1 && (x.before.Explore-1)%x.config.BufferSize == 0 && x.before.ValidEVs > 0 && *x.RandomUsed
		}},
		{"NextEV: exploring, the last packet", func(x example) bool { return next(x) && x.before.Explore == 1 && *x.RandomUsed }},
		{"NextEV: exploring, no multiple", func(x example) bool { return x.normal() && x.before.Explore > 0 && *x.Recycled }},
		{"NextEV: exploring, no multiple, nothing valid", func(x example) bool { return x.normal() && x.before.Explore > 0 && !*x.Recycled }},
		{"NextEV: not exploring", func(x example) bool { return next(x) && x.before.Explore == 0 }},
		{"NextEV: an entry is used for the last time", func(x example) bool { return caches(x) && x.after.ValidEVs < x.before.ValidEVs }},
		{"NextEV: an entry is used again", func(x example) bool { return caches(x) && x.after.Uses > x.before.Uses }},
		{"NextEV: an entry is used 16 times", func(x example) bool { return caches(x) && x.before.Uses == 15 && x.after.Uses == 0 }},
		{"NextEV: used 8 times and again, frozen", func(x example) bool { return caches(x) && x.before.Frozen && x.after.Uses == 9 }},
		{"NextEV: the last of several uses", func(x example) bool { return caches(x) && x.before.Uses > 0 && x.after.Uses == 0 }},
		{"before: negative", func(x example) bool { return caches(x) && x.oldest() < 0 }},
		{"before: 0", func(x example) bool { return caches(x) && x.oldest() == 0 }},
		{"before: positive", func(x example) bool { return caches(x) && x.oldest() > 0 }},
		{"NextEV: frozen with valid entries", func(x example) bool { return caches(x) && x.before.Frozen }},
		{"NextEV: nothing valid, not frozen, slots written", func(x example) bool {
			return x.normal() && x.before.ValidEVs == 0 && !x.before.Frozen && x.before.Written > 0
		}},
		{"NextEV: nothing valid, frozen, nothing written", func(x example) bool { return x.normal() && x.before.Frozen && x.before.Written == 0 }},
		{"cycle: head on a slot never written", func(x example) bool { return x.cycles() && x.before.Head == x.before.Written }},
		{"cycle: head on a written slot", func(x example) bool { return x.cycles() && x.before.Head < x.before.Written }},
		{"cycle: head goes back to 0", func(x example) bool { return x.cycles() && x.after.Head == 0 }},
		{"cycle: head moves on", func(x example) bool { return x.cycles() && x.after.Head > 0 }},
		{"draw: a power of two", func(x example) bool { return next(x) && *x.RandomUsed && x.config.EVSSize == 65536 }},
		{"draw: no power of two", func(x example) bool { return next(x) && *x.RandomUsed && x.config.EVSSize == 65535 }},
		{"draw: one EV", func(x example) bool { return next(x) && *x.RandomUsed && x.config.EVSSize == 1 }},
	}
}

// resetBranches lists the variables that a reset must clear.
func resetBranches() []branch {
	resets := func(x example) bool { return x.event(vectors.Reset) }
	return []branch{
		{"Reset: uses", func(x example) bool {
			return resets(x) && x.before.Uses > 0 && !x.before.Frozen && x.before.Explore == 0
		}},
		{"Reset: uses, frozen", func(x example) bool { return resets(x) && x.before.Uses > 0 && x.before.Frozen }},
		{"Reset: uses, exploring", func(x example) bool { return resets(x) && x.before.Uses > 0 && x.before.Explore > 0 }},
		{"Reset: frozen until a probe", func(x example) bool { return resets(x) && x.before.Frozen && x.untilProbe() }},
		{"Reset: exploring, all entries valid", func(x example) bool {
			return resets(x) && x.before.Explore > 0 && x.before.ValidEVs == x.config.BufferSize
		}},
		{"Reset: ring partly filled, head on a slot never written", func(x example) bool {
			return resets(x) && x.before.Written > 0 && x.before.Head == x.before.Written
		}},
		{"Reset: ring partly filled, head on a written slot", func(x example) bool {
			return resets(x) && x.before.Head < x.before.Written && x.before.Written < x.config.BufferSize
		}},
		{"Reset: ring full, not all valid", func(x example) bool {
			return resets(x) && x.before.Written == x.config.BufferSize && x.before.ValidEVs > 0 && x.before.ValidEVs < x.before.Written
		}},
	}
}

// codingBranches lists the outcomes of the conditions of AppendBinary and
// UnmarshalBinary.
func codingBranches() []branch {
	accepted := func(x example) bool { return x.event(vectors.Decode) }
	bits := func(x example) int { return 8 * len(*x.Before) / 2 }
	list := []branch{
		{"AppendBinary: no configuration", func(x example) bool { return x.Config == nil && x.Event == vectors.Encode }},
		{"UnmarshalBinary: no configuration", func(x example) bool { return x.Config == nil && x.Event == vectors.Decode }},
		{"AppendBinary: no variable uses", func(x example) bool { return x.event(vectors.Ack) && x.config.ReuseCount == 1 }},
		{"AppendBinary: variable uses", func(x example) bool { return x.event(vectors.NextEV) && x.after.Uses > 0 }},
		{"AppendBinary: no padding", func(x example) bool { return x.event(vectors.Ack) && bits(x) == 128 }},
		{"AppendBinary: padding", func(x example) bool { return x.event(vectors.Ack) && bits(x) == 200 }},
		{"check: empty ring", func(x example) bool { return accepted(x) && x.before.Written == 0 }},
		{"check: head 0, full ring", func(x example) bool { return accepted(x) && x.before.Head == 0 && x.before.Written > 0 }},
		{"check: frozen", func(x example) bool { return accepted(x) && x.before.Frozen }},
		{"check: exploring", func(x example) bool { return accepted(x) && x.before.Explore == x.config.PacketsPerWindow }},
		{"check: uses of a valid entry", func(x example) bool { return accepted(x) && x.before.Uses > 0 }},
		{"check: freezing disabled", func(x example) bool { return accepted(x) && x.config.DisableFreezing }},
	}
	for _, reason := range []string{
		"length (0 bytes)", "length (24 bytes)", "length (26 bytes)", "padding (0x1)", "padding (0x2)", "padding (0x4)",
		"must be below BufferSize", "must be at most BufferSize", "must be at most writtenSlots", "must be at least 1 with writtenSlots",
		"cachedEV (", "isValid (slot 4) must be 0 for a slot never written", "must be the number of isValid bits", "slots before head",
		"must be 0 with DisableFreezing", "isFreezingMode (1)", "must be at most PacketsPerWindow", "must be 0 in freezing mode",
		"must be below ReuseCount", "must be 0 without a valid entry",
	} {
		list = append(list, branch{"UnmarshalBinary: " + reason, func(x example) bool {
			return x.Refused != nil && strings.Contains(*x.Refused, reason)
		}})
	}
	return list
}

// TestVectorsReachEveryBranch: for each outcome of each condition in the rules, the
// encoding and the decoding there is a vector; and one for each ring size.
func TestVectorsReachEveryBranch(t *testing.T) {
	var examples []example
	sizes := map[int]bool{}
	for _, v := range readVectors(t) {
		x := example{Vector: v}
		if v.Config != nil {
			x.config = v.Config.REPS()
			x.before, _ = reps.TakeApart(x.config, unhex(t, v))
			sizes[x.config.BufferSize] = true
		}
		if v.Config != nil && v.After != nil {
			data, err := hex.DecodeString(*v.After)
			if err != nil {
				t.Fatal(err)
			}
			x.after, _ = reps.TakeApart(x.config, data)
		}
		examples = append(examples, x)
	}
	branches := slices.Concat(ackBranches(), failureBranches(), nextBranches(), resetBranches(), codingBranches())
	for _, b := range branches {
		if !slices.ContainsFunc(examples, b.has) {
			t.Errorf("no vector: %s", b.name)
		}
	}
	if len(sizes) != reps.MaxBufferSize {
		t.Errorf("vectors for %d ring sizes, want %d", len(sizes), reps.MaxBufferSize)
	}
	t.Logf("%d vectors reach all of %d outcomes", len(examples), len(branches))
}
