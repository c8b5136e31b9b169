package mrc

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"
)

// vector is a line of testdata/vectors.jsonl, which testdata/README.md describes.
type vector struct {
	Case   string
	Config struct {
		Planes, Values, Active, Backup int
		MinActive                      int `json:"min_active"`
		ProbeReplies                   int `json:"probe_replies"`
		Skip                           SkipRule
		Order                          Order
	}
	Before, Event, After string
	EV, Result           *EV
	Flag                 bool
	Ports                []uint16
}

// readVectors returns the lines of the file.
func readVectors(t *testing.T) (list []vector) {
	t.Helper()
	file, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// config returns the configuration of a line.
func (v vector) config() Config {
	cfg := Config(v.Config)
	if cfg.Backup == 0 {
		cfg.Backup = -1
	}
	return cfg
}

// decoded returns the lists of an encoded state, as testdata/README.md says it is written.
func decoded(t *testing.T, v vector) *model {
	t.Helper()
	state, err := hex.DecodeString(v.Before)
	if err != nil {
		t.Fatal(err)
	}
	o := &model{cfg: Config(v.Config), states: map[EV]State{}, ports: binary.LittleEndian.Uint16(state), last: int(state[2])}
	o.probed, o.inRow = int(state[4])*o.cfg.Planes+int(state[3]), int(state[5])
	state = state[6:]
	for port := range o.cfg.Planes {
		start, stride := int(binary.LittleEndian.Uint16(state)), int(binary.LittleEndian.Uint16(state[2:]))
		o.places = append(o.places, int(state[4]))
		state = state[5:]
		var set []EV
		for k := range o.cfg.Active + o.cfg.Backup {
			ev := EV{uint8(port), uint16((start + k*stride) % o.cfg.Values)}
			set = append(set, ev)
			o.states[ev] = State(state[k/4] >> (2 * (k % 4)) & 3)
		}
		o.sets = append(o.sets, set)
		state = state[(len(set)+3)/4:]
	}
	return o
}

// apply makes the event of a line happen to the lists, and returns the EV that is to be sent or probed.
func (o *model) apply(v vector) *EV {
	found := func(ev EV, ok bool) *EV {
		if ok {
			return &ev
		}
		return nil
	}
	switch v.Event {
	case "next_ev":
		return found(o.next(v.Ports[0]))
	case "probe":
		return found(o.under())
	case "ports":
		o.ports = v.Ports[0] & v.Ports[1] & (1<<o.cfg.Planes - 1)
		return nil
	}
	state, known := o.states[*v.EV]
	switch {
	case !known:
	case v.Event == "ack" && v.Flag, v.Event == "trimmed" && !v.Flag:
		o.skip(*v.EV)
	case v.Event == "loss", v.Event == "always_skip":
		o.lose(*v.EV)
	case v.Event == "deny" && v.Flag:
		o.states[*v.EV] = Denied
	case v.Event == "deny" && state == Denied:
		o.states[*v.EV] = Good
	case v.Event == "probe_reply":
		o.reply(*v.EV, v.Flag)
	case v.Event == "probe_loss" && o.sets[o.probed%o.cfg.Planes][o.probed/o.cfg.Planes] == *v.EV:
		o.probed, o.inRow = (o.probed+1)%(o.cfg.Planes*len(o.sets[0])), 0
	}
	return nil
}

// encoded returns the state of the lists.
func (o *model) encoded() string {
	state := binary.LittleEndian.AppendUint16(nil, o.ports)
	state = append(state, uint8(o.last), uint8(o.probed%o.cfg.Planes), uint8(o.probed/o.cfg.Planes), uint8(o.inRow))
	for port, set := range o.sets {
		stride := 1
		if len(set) > 1 {
			stride = (int(set[1].Value) - int(set[0].Value) + o.cfg.Values) % o.cfg.Values
		}
		state = binary.LittleEndian.AppendUint16(state, set[0].Value)
		state = binary.LittleEndian.AppendUint16(state, uint16(stride))
		state = append(state, uint8(o.places[port]))
		for k, ev := range set {
			if k%4 == 0 {
				state = append(state, 0)
			}
			state[len(state)-1] |= uint8(o.states[ev]) << (2 * (k % 4))
		}
	}
	return hex.EncodeToString(state)
}

// TestVectors: each line of the file is what the lists of the documentation do, which share no code with the package,
// and what the package does.
func TestVectors(t *testing.T) {
	events := map[string]int{}
	for i, v := range readVectors(t) {
		events[v.Event]++
		o := decoded(t, v)
		if got := o.apply(v); got == nil && v.Result != nil || got != nil && (v.Result == nil || *got != *v.Result) {
			t.Fatalf("line %d: %v, want %v", i+1, got, v.Result)
		}
		if got := o.encoded(); got != v.After {
			t.Fatalf("line %d, %s: the lists are then\n%s, want\n%s", i+1, v.Event, got, v.After)
		}
		var m MRC
		state, err := hex.DecodeString(v.Before)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.SetState(v.config(), state); err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
	}
	for _, event := range []string{"next_ev", "ack", "trimmed", "loss", "always_skip", "deny", "ports", "probe", "probe_reply", "probe_loss"} {
		if events[event] < 10 {
			t.Errorf("%d lines have the event %s", events[event], event)
		}
	}
}
