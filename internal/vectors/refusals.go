package vectors

import (
	"encoding/hex"
	"strings"

	"repslab/reps"
)

// change sets a variable of an encoded state. slot matters for variables of each entry of the ring.
type change struct {
	variable string // name in reps.Footprint
	slot     int
	value    uint64
}

// apply returns data with the variable changed.
func (c change) apply(cfg Config, data []byte) []byte {
	components, err := reps.Footprint(cfg.REPS())
	must(err)
	at := 0
	for _, component := range components {
		if component.Name == c.variable {
			at += c.slot * component.Bits
			return setBits(data, at, component.Bits, c.value)
		}
		at += component.TotalBits()
	}
	panic("vectors: no variable " + c.variable)
}

// setBits returns a copy of data with the width bits from position at on replaced by
// value, most significant bit first.
func setBits(data []byte, at, width int, value uint64) []byte {
	data = append([]byte(nil), data...)
	for i := range width {
		mask := byte(1) << (7 - (at+i)%8)
		data[(at+i)/8] &^= mask
		if value>>(width-1-i)&1 != 0 {
			data[(at+i)/8] |= mask
		}
	}
	return data
}

// decode records the decoding of data by a new connection with r's configuration.
func (r *recorder) decode(name string, data []byte) {
	cfg := r.config
	v := Vector{Case: name, Config: &cfg, Event: Decode, Before: new(hex.EncodeToString(data))}
	var fresh reps.REPS
	must(fresh.Init(cfg.REPS()))
	if err := fresh.UnmarshalBinary(data); err != nil {
		v.Refused = new(reason(err))
	} else {
		v.After = v.Before
	}
	r.vectors = append(r.vectors, v)
}

// reason returns the text of an error of package reps without its prefix.
func reason(err error) string { return strings.TrimPrefix(err.Error(), "reps: ") }

// quietly plays a script without recording it.
func (r *recorder) quietly(script string) {
	recorded := len(r.vectors)
	r.play(script)
	r.vectors = r.vectors[:recorded]
}

// refusals records the decoding of encodings that no connection writes, each next to the valid encoding
// from which it differs.
func (r *recorder) refusals() {
	five := paper()
	five.BufferSize, five.PacketsPerWindow = 5, 20
	disabled := five
	disabled.DisableFreezing = true
	reuse := five
	reuse.ReuseCount = 3
	for _, s := range []struct {
		name    string
		cfg     Config
		script  string
		changes []change
	}{
		{"head beyond the ring", five, "a1 a2 a3 a4 a5 a6", []change{{"head", 0, 5}}},
		{"head enormous", five, "a1 a2 a3 a4 a5 a6", []change{{"head", 0, 255}}},
		{"more slots written than there are", five, "a1 a2 a3 a4 a5 a6", []change{{"writtenSlots", 0, 6}}},
		{"head beyond the written slots", five, "a1 a2 n2", []change{{"head", 0, 3}}},
		{"head of an empty ring", five, "", []change{{"head", 0, 1}}},
		{"head 0 with a partly filled ring", five, "a1 a2 n2", []change{{"head", 0, 0}}},
		{"head 0 with one slot written", five, "a1 n1", []change{{"head", 0, 0}}},
		{"valid slot that was never written", five, "a1 a2", []change{{"isValid", 0, 0}, {"isValid", 4, 1}}},
		{"EV in a slot that was never written", five, "a1 a2", []change{{"cachedEV", 3, 8}}},
		{"EV in the last slot, never written", five, "a1 a2 a3 a4", []change{{"cachedEV", 4, 1}}},
		{"count of valid EVs too large", five, "a1 a2", []change{{"numberOfValidEVs", 0, 3}}},
		{"count of valid EVs too small", five, "a1 a2", []change{{"numberOfValidEVs", 0, 1}}},
		{"count of valid EVs enormous", five, "a1 a2", []change{{"numberOfValidEVs", 0, 255}}},
		{"gap between valid slots", five, "a1 a2 a3 n1", []change{{"isValid", 0, 1}, {"isValid", 1, 0}}},
		{"gap across the end of the ring", five, "a1 a2 a3 a4 a5 a6 n3", []change{{"isValid", 3, 1}, {"isValid", 4, 0}}},
		{"frozen although disabled", disabled, "a1", []change{{"isFreezingMode", 0, 1}}},
		{"exploring although disabled", disabled, "a1", []change{{"exploreCounter", 0, 1}}},
		{"exploring for longer than a window", five, "a1", []change{{"exploreCounter", 0, 21}}},
		{"exploring for a whole window: accepted", five, "a1", []change{{"exploreCounter", 0, 20}}},
		{"exploring in freezing mode", five, "a1 f", []change{{"exploreCounter", 0, 1}}},
		{"as many uses as allowed", reuse, "a1 n1", []change{{"uses", 0, 3}}},
		{"one use less than allowed: accepted", reuse, "a1 n1", []change{{"uses", 0, 2}}},
		{"uses of no EV", reuse, "a1 n3", []change{{"uses", 0, 1}}},
	} {
		r.begin(s.name, s.cfg, 0)
		r.quietly(s.script)
		data := r.state()
		r.decode("before: "+s.name, data)
		for _, c := range s.changes {
			data = c.apply(s.cfg, data)
		}
		r.decode(s.name, data)
	}
	r.forms()
	r.flips()
	r.unconfigured()
}

// forms records encodings of a wrong length or with padding that is not 0.
func (r *recorder) forms() {
	r.begin("form", paper(), 0)
	r.quietly("a1 a2 a3 n1 f")
	good := r.state()
	r.decode("no byte", nil)
	r.decode("a byte missing", good[:len(good)-1])
	r.decode("a byte too many", append(good[:len(good):len(good)], 0))
	for bit := range 3 {
		r.decode("padding", setBits(good, 197+bit, 1, 1))
	}
}

// flips records a state with each of its bits inverted in turn. Some such encodings
// are states of other connections and must be accepted.
func (r *recorder) flips() {
	c := quick(func(c *Config) { c.BufferSize, c.ReuseCount = 3, 3 })
	for _, script := range []string{"a1 a2 n1 f", "f +101 a21845 a2 a3 a4 n1"} {
		r.begin("bit inverted", c, 0)
		r.quietly(script)
		good := r.state()
		for bit := range 8 * len(good) {
			flipped := append([]byte(nil), good...)
			flipped[bit/8] ^= 1 << (7 - bit%8)
			r.decode(r.name, flipped)
		}
	}
}

// unconfigured records that a connection without a configuration can neither be
// encoded nor decoded.
func (r *recorder) unconfigured() {
	var none reps.REPS
	_, encoding := none.MarshalBinary()
	decoding := none.UnmarshalBinary(nil)
	r.vectors = append(r.vectors,
		Vector{Case: "no configuration", Event: Encode, Refused: new(reason(encoding))},
		Vector{Case: "no configuration", Event: Decode, Before: new(""), Refused: new(reason(decoding))})
}
