package mrc

import (
	"encoding/binary"
	"fmt"
)

// AppendState appends the state of the connection, [Config.StateBytes] bytes, and returns the extended slice. The
// first six bytes are the ports that work (two bytes), the plane of the last packet, and the plane, the place and
// the probe replies in a row of the EV under test. Then each plane has its start, its stride, the place at which the
// rotation goes on, and the states of its EVs, four in a byte, the first in the lowest bits. Numbers of two bytes
// are little-endian. With OrderDrawn, 8 bytes of generator state follow the first six bytes, and each plane ends
// with a bit for each EV that has had its turn. O(StateBytes).
func (m *MRC) AppendState(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, m.ports)
	b = append(b, m.last, m.probed.plane, m.probed.k, m.probed.replies)
	if m.order == OrderDrawn {
		b = binary.LittleEndian.AppendUint64(b, uint64(m.orders))
	}
	for i := range m.planes {
		p := &m.planes[i]
		b = binary.LittleEndian.AppendUint16(b, p.start)
		b = binary.LittleEndian.AppendUint16(b, p.stride)
		b = append(b, uint8(p.position%m.set))
		for k := 0; k < int(m.set); k += 4 {
			var four uint8
			for i := range min(4, int(m.set)-k) {
				four |= uint8(p.state(k+i)) << (2 * i)
			}
			b = append(b, four)
		}
		for k := 0; k < int(m.set) && m.order == OrderDrawn; k += 8 {
			b = append(b, uint8(p.taken[k/64]>>(k%64)))
		}
	}
	return b
}

// SetState gives m a configuration and a state from [MRC.AppendState]. It returns the error of [Config.Validate],
// or an error that names an impossible value in the state; m is then unchanged. It allocates. O(StateBytes).
func (m *MRC) SetState(cfg Config, state []byte) error {
	var read MRC
	if err := read.Init(cfg, zeros{}); err != nil {
		return err
	}
	if want := cfg.StateBytes(); len(state) != want {
		return fmt.Errorf("mrc: state (%d bytes) must have %d bytes", len(state), want)
	}
	read.ports, read.last = binary.LittleEndian.Uint16(state), state[2]
	read.probed = probed{state[3], state[4], state[5]}
	planes := len(read.planes)
	if int(read.ports)>>planes > 0 || int(read.last) >= planes || int(read.probed.plane) >= planes ||
		uint16(read.probed.k) >= read.set || read.probed.replies >= read.replies {
		return fmt.Errorf("mrc: state (% x...) must begin with ports and places of %d planes and %d EVs each", state[:6], planes, read.set)
	}
	state = state[6:]
	if read.order == OrderDrawn {
		read.orders, state = splitMix(binary.LittleEndian.Uint64(state)), state[8:]
	}
	each := len(state) / planes
	for i := range read.planes {
		if err := read.planes[i].setState(&read.constants, state[i*each:][:each]); err != nil {
			return fmt.Errorf("mrc: state of plane %d: %w", i, err)
		}
	}
	*m = read
	return nil
}

// zeros is a Source for Init where SetState overwrites the sets.
type zeros struct{}

// Uint64 returns 0.
func (zeros) Uint64() uint64 { return 0 }

// setState reads a plane's part of a state.
func (p *plane) setState(c *constants, state []byte) error {
	start, stride, position := binary.LittleEndian.Uint16(state), binary.LittleEndian.Uint16(state[2:]), uint16(state[4])
	inverse, ok := invert(uint64(stride), uint64(c.values))
	if uint32(start) >= c.values || uint32(stride) >= max(2, c.values) || stride == 0 || !ok && c.values > 1 || position >= c.set {
		return fmt.Errorf("start %d and stride %d must be below %d, the stride prime to it, and place %d below %d",
			start, stride, c.values, position, c.set)
	}
	p.start, p.stride, p.inverse, p.position = start, stride, uint16(inverse), position
	for k := range int(c.set) {
		p.set(c, k, State(state[5+k/4]>>(2*(k%4))&3))
	}
	for i, eight := range state[5+(c.set+3)/4:] { // no bytes with OrderStride
		p.taken[i/8] |= uint64(eight) << (8 * (i % 8))
	}
	return nil
}
