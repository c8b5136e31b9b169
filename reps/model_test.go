package reps

import "math/big"

// The oracles below are written for plainness, not speed: slices of structs,
// absolute 64-bit time, no bit tricks.

// oracle is the common interface of the slow models.
type oracle interface {
	onAck(now uint64, ev uint16, marked bool)
	onNack(now uint64)
	onFailure(now uint64)
	onProbeReply()
	onIdle(now uint64)
	nextEV(random Source) (uint16, bool)
	isFrozen() (deadline uint64, frozen bool)
	exploring() int
	validEVs() int
}

// modelDraw is floor(word * evs / 2^64) by long arithmetic.
func modelDraw(random Source, evs int) uint16 {
	x := new(big.Int).SetUint64(random.Uint64())
	x.Mul(x, big.NewInt(int64(evs)))
	return uint16(x.Rsh(x, 64).Uint64())
}

type modelSlot struct {
	cachedEV uint16
	isValid  bool
	usesLeft int
	written  bool
}

// modelTakes reports whether a ring takes an EV in freezing mode.
func modelTakes(caching Caching, slots []modelSlot, ev uint16) bool {
	full, has := true, false
	for _, s := range slots {
		full = full && s.written
		has = has || s.written && s.cachedEV == ev
	}
	return caching == CacheAll || caching == CacheNew && !has || caching == CacheFree && !full
}

// modelREPS transcribes Algorithms 1 and 2 line by line, with the resolutions
// of the package comment where marked (R).
type modelREPS struct {
	cfg              Config // complete
	repsBuffer       []modelSlot
	isFreezingMode   bool
	exitFreezingMode uint64
	head             int
	numberOfValidEVs int
	exploreCounter   int
}

func newModelREPS(cfg Config) *modelREPS {
	return &modelREPS{cfg: cfg, repsBuffer: make([]modelSlot, cfg.BufferSize)}
}

func (m *modelREPS) onAck(now uint64, ev uint16, marked bool) {
	if marked {
		return
	}
	if !m.isFreezingMode || modelTakes(m.cfg.FrozenCache, m.repsBuffer, ev) {
		if !m.repsBuffer[m.head].isValid {
			m.numberOfValidEVs++
		}
		m.repsBuffer[m.head].cachedEV = ev
		m.repsBuffer[m.head].isValid = true
		m.repsBuffer[m.head].usesLeft = m.cfg.ReuseCount // (R) reuse EVs
		m.repsBuffer[m.head].written = true
		m.head = (m.head + 1) % m.cfg.BufferSize
	}
	if m.isFreezingMode && m.cfg.Exit == ExitOnTimeout && now > m.exitFreezingMode {
		m.leave()
	}
}

func (m *modelREPS) leave() {
	m.isFreezingMode = false
	m.exploreCounter = min(m.cfg.PacketsPerWindow, 255) // (R) 8-bit counter
}

func (m *modelREPS) onNack(now uint64) {}

func (m *modelREPS) onFailure(now uint64) {
	if !m.isFreezingMode && m.exploreCounter == 0 && !m.cfg.DisableFreezing {
		m.isFreezingMode = true
		m.exitFreezingMode = now + uint64(m.cfg.FreezingTimeout)
	}
}

func (m *modelREPS) onProbeReply() {
	if m.isFreezingMode && m.cfg.Exit == ExitOnProbe {
		m.leave()
	}
}

// onIdle: by sec. 3.1 an idle connection explores like a new one, whose EVs are not valid; by sec. 3.2 freezing mode
// explores nothing until it may end.
func (m *modelREPS) onIdle(now uint64) {
	if m.isFreezingMode && (m.cfg.Exit == ExitOnProbe || now <= m.exitFreezingMode) {
		return
	}
	m.isFreezingMode = false
	m.numberOfValidEVs = 0
	m.exploreCounter = 0
	for i := range m.repsBuffer {
		m.repsBuffer[i].isValid = false
	}
}

func (m *modelREPS) getNextEV() uint16 {
	var offset int
	if m.numberOfValidEVs > 0 {
		offset = (m.head - m.numberOfValidEVs) % m.cfg.BufferSize
		if offset < 0 {
			offset += m.cfg.BufferSize // (R) negative offset
		}
		m.repsBuffer[offset].usesLeft--
		if m.repsBuffer[offset].usesLeft == 0 {
			m.repsBuffer[offset].isValid = false
			m.numberOfValidEVs--
		}
	} else {
		offset = m.head
		for !m.repsBuffer[offset].written { // (R) only written slots
			offset = (offset + 1) % m.cfg.BufferSize
		}
		m.head = (offset + 1) % m.cfg.BufferSize
	}
	return m.repsBuffer[offset].cachedEV
}

func (m *modelREPS) isEmpty() bool {
	for _, s := range m.repsBuffer {
		if s.written {
			return false
		}
	}
	return true
}

func (m *modelREPS) nextEV(random Source) (uint16, bool) {
	if m.exploreCounter > 0 {
		m.exploreCounter--
		if m.exploreCounter%m.cfg.BufferSize == 0 {
			return modelDraw(random, m.cfg.EVSSize), false
		}
		// (R) otherwise the normal rule
	}
	if m.isEmpty() || (m.numberOfValidEVs == 0 && !m.isFreezingMode) {
		return modelDraw(random, m.cfg.EVSSize), false
	}
	return m.getNextEV(), true
}

func (m *modelREPS) isFrozen() (uint64, bool) { return m.exitFreezingMode, m.isFreezingMode }
func (m *modelREPS) exploring() int           { return m.exploreCounter }
func (m *modelREPS) validEVs() int            { return m.numberOfValidEVs }

// modelArtifact follows the description of the authors' simulator.
type modelArtifact struct {
	cfg      Config // complete
	slots    []modelSlot
	head     int
	pointer  int
	explore  int
	frozen   bool
	deadline uint64
}

func newModelArtifact(cfg Config) *modelArtifact {
	return &modelArtifact{cfg: cfg, slots: make([]modelSlot, cfg.BufferSize)}
}

func (m *modelArtifact) onAck(now uint64, ev uint16, marked bool) {
	m.onNack(now)
	if !marked && (!m.frozen || modelTakes(m.cfg.FrozenCache, m.slots, ev)) {
		m.slots[m.head] = modelSlot{cachedEV: ev, isValid: true, written: true}
		m.head = (m.head + 1) % m.cfg.BufferSize
	}
}

func (m *modelArtifact) onNack(now uint64) {
	if m.frozen && now > m.deadline {
		m.frozen = false
		m.slots = make([]modelSlot, m.cfg.BufferSize)
		m.head, m.pointer = 0, 0
		m.explore = m.cfg.PacketsPerWindow
	}
}

func (m *modelArtifact) onFailure(now uint64) {
	if m.cfg.Exit == ExitOnFeedback {
		m.onNack(now)
	}
	if !m.frozen && m.explore == 0 && !m.cfg.DisableFreezing {
		m.frozen = true
		m.deadline = now + uint64(m.cfg.FreezingTimeout)
	}
}

func (m *modelArtifact) onProbeReply()     {}
func (m *modelArtifact) onIdle(now uint64) {}

func (m *modelArtifact) writtenSlots() int {
	count := 0
	for _, s := range m.slots {
		if s.written {
			count++
		}
	}
	return count
}

func (m *modelArtifact) nextEV(random Source) (uint16, bool) {
	n := m.cfg.BufferSize
	if m.explore > 0 {
		m.explore--
		return modelDraw(random, m.cfg.EVSSize), false
	}
	if m.frozen {
		if m.writtenSlots() == 0 {
			return modelDraw(random, m.cfg.EVSSize), false
		}
		at := m.pointer
		m.slots[at].isValid = false
		m.pointer = (m.pointer + 1) % m.writtenSlots()
		return m.slots[at].cachedEV, true
	}
	// The oldest valid one is the first met when walking round from head.
	for k := range n {
		if at := (m.head + k) % n; m.slots[at].isValid {
			m.slots[at].isValid = false
			return m.slots[at].cachedEV, true
		}
	}
	return modelDraw(random, m.cfg.EVSSize), false
}

func (m *modelArtifact) isFrozen() (uint64, bool) { return m.deadline, m.frozen }
func (m *modelArtifact) exploring() int           { return m.explore }

func (m *modelArtifact) validEVs() int {
	count := 0
	for _, s := range m.slots {
		if s.isValid {
			count++
		}
	}
	return count
}

// modelFIFO is a list and the EVs still to sweep.
type modelFIFO struct {
	evs  int
	todo []uint16
	good []uint16
}

func newModelFIFO(cfg FIFOConfig) *modelFIFO {
	m := &modelFIFO{evs: cfg.EVSSize}
	for i := 1; i <= cfg.SweepPackets && i <= cfg.EVSSize && !cfg.DisableSweep; i++ {
		m.todo = append(m.todo, uint16(i%cfg.EVSSize))
	}
	return m
}

func (m *modelFIFO) onAck(now uint64, ev uint16, marked bool) {
	if !marked {
		m.good = append(m.good, ev)
	}
}

func (m *modelFIFO) onNack(now uint64)    {}
func (m *modelFIFO) onFailure(now uint64) {}
func (m *modelFIFO) onProbeReply()        {}
func (m *modelFIFO) onIdle(now uint64)    {}

func (m *modelFIFO) nextEV(random Source) (ev uint16, recycled bool) {
	if len(m.todo) > 0 {
		ev, m.todo = m.todo[0], m.todo[1:]
		return ev, false
	}
	if len(m.good) > 0 {
		ev, m.good = m.good[0], m.good[1:]
		return ev, true
	}
	return modelDraw(random, m.evs), false
}

func (m *modelFIFO) isFrozen() (uint64, bool) { return 0, false }
func (m *modelFIFO) exploring() int           { return len(m.todo) }
func (m *modelFIFO) validEVs() int            { return len(m.good) }
