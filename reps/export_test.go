package reps

import (
	"fmt"
	"strconv"
	"strings"
)

// EncodedState is an encoded state taken apart, for tests outside the package.
type EncodedState struct {
	EV                     []uint16 // by slot
	Valid                  []bool   // by slot
	Head, ValidEVs         int
	ExitTime               uint32
	Frozen                 bool
	Explore, Written, Uses int
}

// widths returns the bits of writtenSlots and of uses.
func widths(cfg Config) (written, uses int) {
	if cfg.ReuseCount > 1 {
		uses = 4
	}
	return len(strconv.FormatInt(int64(cfg.BufferSize), 2)), uses
}

// TakeApart reads an encoded state digit by digit, as docs/vectors.md describes it,
// and reports whether its length and its padding are right.
func TakeApart(cfg Config, data []byte) (s EncodedState, ok bool) {
	var binary strings.Builder
	for _, b := range data {
		fmt.Fprintf(&binary, "%08b", b)
	}
	digits, ok := binary.String(), true
	read := func(width int) int {
		if width == 0 || len(digits) < width {
			ok = ok && width == 0
			return 0
		}
		value, err := strconv.ParseUint(digits[:width], 2, 32)
		ok = ok && err == nil
		digits = digits[width:]
		return int(value)
	}
	for range cfg.BufferSize {
		s.EV = append(s.EV, uint16(read(16)))
	}
	for range cfg.BufferSize {
		s.Valid = append(s.Valid, read(1) == 1)
	}
	written, uses := widths(cfg)
	s.Head, s.ValidEVs = read(8), read(8)
	s.ExitTime = uint32(read(16))<<16 | uint32(read(16))
	s.Frozen, s.Explore, s.Written, s.Uses = read(1) == 1, read(8), read(written), read(uses)
	return s, ok && len(digits) < 8 && !strings.Contains(digits, "1")
}

// Encode is the inverse of TakeApart.
func (s EncodedState) Encode(cfg Config) (data []byte) {
	digit := map[bool]int{true: 1}
	var digits strings.Builder
	for _, ev := range s.EV {
		fmt.Fprintf(&digits, "%016b", ev)
	}
	for _, valid := range s.Valid {
		fmt.Fprint(&digits, digit[valid])
	}
	fmt.Fprintf(&digits, "%08b%08b%032b%d%08b", s.Head, s.ValidEVs, s.ExitTime, digit[s.Frozen], s.Explore)
	written, uses := widths(cfg)
	fmt.Fprintf(&digits, "%0*b", written, s.Written)
	if uses > 0 {
		fmt.Fprintf(&digits, "%0*b", uses, s.Uses)
	}
	for rest := digits.String(); rest != ""; {
		rest += strings.Repeat("0", max(0, 8-len(rest)))
		value, err := strconv.ParseUint(rest[:8], 2, 8)
		if err != nil {
			panic(err)
		}
		data, rest = append(data, byte(value)), rest[8:]
	}
	return data
}

// Possible reports whether s is a state that docs/vectors.md allows.
func (s EncodedState) Possible(cfg Config) bool {
	size := cfg.BufferSize
	possible := s.Written <= size && s.Head < size && s.ValidEVs <= size
	if s.Written == 0 {
		possible = possible && s.Head == 0
	} else if s.Written < size {
		possible = possible && 1 <= s.Head && s.Head <= s.Written
	}
	shouldBeValid := map[int]bool{}
	for i := 1; i <= min(s.ValidEVs, size); i++ {
		shouldBeValid[(s.Head-i+size)%size] = true
	}
	for slot, ev := range s.EV {
		if slot >= s.Written && (ev != 0 || s.Valid[slot]) || s.Valid[slot] != shouldBeValid[slot] {
			return false
		}
	}
	if cfg.DisableFreezing && (s.Frozen || s.Explore > 0) || s.Frozen && s.Explore > 0 {
		return false
	}
	return possible && s.Explore <= cfg.PacketsPerWindow && s.Uses < cfg.ReuseCount && (s.Uses == 0 || s.ValidEVs > 0)
}

// Model is the literal transcription of the pseudocode in a given state.
type Model struct {
	m   *modelREPS
	now uint64
}

// NewModel returns the model in state s at time now. The deadline lies somewhere in
// the model's absolute time, and now before or after it by the shorter way around the
// 32-bit clock. cfg must be complete.
func NewModel(cfg Config, s EncodedState, now uint32) *Model {
	m := newModelREPS(cfg)
	m.isFreezingMode, m.exitFreezingMode = s.Frozen, 1<<40+uint64(s.ExitTime)
	m.head, m.numberOfValidEVs, m.exploreCounter = s.Head, s.ValidEVs, s.Explore
	for slot := range m.repsBuffer {
		m.repsBuffer[slot] = modelSlot{cachedEV: s.EV[slot], isValid: s.Valid[slot], usesLeft: cfg.ReuseCount, written: slot < s.Written}
	}
	if s.ValidEVs > 0 {
		m.oldest().usesLeft -= s.Uses
	}
	return &Model{m, m.exitFreezingMode + uint64(int64(int32(now-s.ExitTime)))}
}

// oldest returns the oldest valid entry, of which there must be one.
func (m *modelREPS) oldest() *modelSlot {
	return &m.repsBuffer[(m.head-m.numberOfValidEVs+m.cfg.BufferSize)%m.cfg.BufferSize]
}

// State returns the state of the model.
func (m *Model) State() EncodedState {
	s := EncodedState{Head: m.m.head, ValidEVs: m.m.numberOfValidEVs, ExitTime: uint32(m.m.exitFreezingMode),
		Frozen: m.m.isFreezingMode, Explore: m.m.exploreCounter}
	for _, slot := range m.m.repsBuffer {
		s.EV, s.Valid = append(s.EV, slot.cachedEV), append(s.Valid, slot.isValid)
		if slot.written {
			s.Written++
		}
	}
	if s.ValidEVs > 0 {
		s.Uses = m.m.cfg.ReuseCount - m.m.oldest().usesLeft
	}
	return s
}

// The events.

func (m *Model) OnAck(ev uint16, marked bool)        { m.m.onAck(m.now, ev, marked) }
func (m *Model) OnNack()                             { m.m.onNack(m.now) }
func (m *Model) OnFailure()                          { m.m.onFailure(m.now) }
func (m *Model) OnProbeReply()                       { m.m.onProbeReply() }
func (m *Model) NextEV(random Source) (uint16, bool) { return m.m.nextEV(random) }
