package ctest

import "repslab/mrc"

// mrcConfig is random_mrc of c/test/calls.c.
func (b *block) mrcConfig() mrc.Config {
	r := b.Uint64()
	cfg := mrc.Config{Planes: int(r % 19)}
	if r>>5&3 != 0 {
		cfg.Values = int((r >> 7 & 0xffff) >> (r >> 23 & 15))
	} else if r>>7&1 != 0 {
		cfg.Values = 65537
	}
	if r>>27&1 == 0 {
		cfg.Active = int((r >> 28 & 0x1ff) >> (r >> 37 & 7))
	}
	if cfg.Active > 0 && r>>40&3 != 0 {
		switch backup := int(r >> 42 & 63); backup {
		case 0:
			cfg.Backup = -1
		case 63: // a set of one EV less than the active ones, which only the configuration in C can say; 0 is the default
			cfg.Backup = 2 * mrc.MaxSet * min(1, cfg.Active-1)
		default:
			cfg.Backup = backup
		}
	}
	if r>>48&1 == 0 {
		cfg.MinActive = int(r >> 49 & 31)
	}
	cfg.ProbeReplies = int(r >> 54 & 3)
	cfg.Skip = mrc.SkipRule(r >> 56 & 1)
	return cfg
}

// number returns an EV as calls.c adds it to the digest.
func number(ev mrc.EV) uint64 { return uint64(ev.Port)<<16 | uint64(ev.Value) }

// mrcCall is mrc_call of calls.c.
func mrcCall(m *mrc.MRC, cfg mrc.Config, r, argument uint64, recent *[8]mrc.EV) uint64 {
	ev, next := recent[r>>8&7], &recent[r>>11&7]
	flag := r>>14&1 != 0
	if r>>15&15 == 0 {
		ev = mrc.EV{Port: uint8(argument >> 16 & 15), Value: uint16(argument)}
	}
	switch r & 15 {
	case 0:
		m.OnAck(ev, flag)
	case 1:
		m.OnTrimmed(ev, flag)
	case 2:
		m.OnLoss(ev)
	case 3:
		m.OnAlwaysSkip(ev)
	case 4:
		m.Deny(ev, flag)
	case 5:
		m.OnProbeReply(ev, flag)
	case 6:
		m.OnProbeLoss(ev)
	case 7:
		m.OnPorts(uint16(argument|argument>>16), uint16(argument>>32|argument>>48))
	case 8, 9, 10:
		suspect, wanted := m.Probe()
		if !wanted {
			return 1
		}
		m.OnProbeReply(suspect, flag)
		return number(suspect)
	case 11:
		if r>>19&15 != 0 {
			break
		}
		data := m.AppendState(nil)
		data[argument%uint64(len(data))] ^= uint8(one(flag) << (argument >> 32 & 7))
		return one(m.SetState(cfg, data[:len(data)-int(argument>>40&7)/7]) == nil)
	default:
		sent, ok := m.NextEV(uint16(argument | argument>>16))
		if !ok {
			return 1
		}
		*next = sent
		return number(sent)
	}
	return uint64(m.State(ev))
}

// mrc is mrc_block of calls.c.
func (b *block) mrc(calls int) {
	var m mrc.MRC
	var recent [8]mrc.EV
	var state []byte
	cfg := b.mrcConfig()
	wrong := fault(cfg.Validate(), "mrc", "Planes", "Values", "Active", "Backup", "MinActive", "ProbeReplies", "Skip")
	if b.add(wrong); wrong != 0 {
		cfg = mrc.Config{}
	}
	must(m.Init(cfg, b))
	for i := range calls {
		r, argument := b.Uint64(), b.Uint64()
		b.add(mrcCall(&m, cfg, r, argument, &recent))
		if r>>24&15 == 0 {
			state = m.AppendState(state[:0])
			b.addBytes(state)
		}
		if b.trace != nil && !b.trace(i, b.digest) {
			return
		}
	}
}
