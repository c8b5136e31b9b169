package vectors

import (
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"

	"repslab/mrc"
)

// MRCConfig is an mrc.Config without defaults; a Backup of 0 is none.
type MRCConfig struct {
	Planes       int `json:"planes"`
	Values       int `json:"values"`
	Active       int `json:"active"`
	Backup       int `json:"backup"`
	MinActive    int `json:"min_active"`
	ProbeReplies int `json:"probe_replies"`
}

// MRC returns the configuration for package mrc.
func (c MRCConfig) MRC() mrc.Config {
	cfg := mrc.Config{Planes: c.Planes, Values: c.Values, Active: c.Active, Backup: c.Backup, MinActive: c.MinActive, ProbeReplies: c.ProbeReplies}
	if cfg.Backup == 0 {
		cfg.Backup = -1
	}
	return cfg
}

// MRCVector is one line of the file about package mrc. A pointer is nil, and null in the file, where the event has no
// such argument or result; a result is also nil where there is no EV.
type MRCVector struct {
	Case   string    `json:"case"`
	Config MRCConfig `json:"config"`
	Before string    `json:"before"` // encoded state, hexadecimal
	Event  string    `json:"event"`  // as the methods of mrc.MRC: next_ev, ack, trimmed, ...
	EV     *mrc.EV   `json:"ev"`     // of which there is news
	Flag   *bool     `json:"flag"`   // marked, trimmed at the last hop, or denied
	Ports  []uint16  `json:"ports"`  // free ones, or those of this end and the other that work
	After  string    `json:"after"`  // encoded state, hexadecimal
	Result *mrc.EV   `json:"result"` // EV to be sent or probed
}

// mrcRecorder applies events to a connection and records them.
type mrcRecorder struct {
	vectors    []MRCVector
	name       string
	config     MRCConfig
	connection mrc.MRC
	random     *rand.Rand
}

// state returns the encoded state.
func (r *mrcRecorder) state() string { return hex.EncodeToString(r.connection.AppendState(nil)) }

// begin starts a case with a new connection.
func (r *mrcRecorder) begin(name string, cfg MRCConfig) {
	r.name, r.config = name, cfg
	must(r.connection.Init(cfg.MRC(), r.random))
}

// tell records an event, which gives v its result.
func (r *mrcRecorder) tell(v MRCVector, event func(v *MRCVector)) {
	v.Case, v.Config, v.Before = r.name, r.config, r.state()
	event(&v)
	v.After = r.state()
	r.vectors = append(r.vectors, v)
}

// next records the choice of an EV, or of an EV to be probed.
func (r *mrcRecorder) next(free uint16) {
	r.tell(MRCVector{Event: "next_ev", Ports: []uint16{free}}, func(v *MRCVector) {
		if ev, ok := r.connection.NextEV(free); ok {
			v.Result = &ev
		}
	})
}

func (r *mrcRecorder) probe() (ev mrc.EV, wanted bool) {
	r.tell(MRCVector{Event: "probe"}, func(v *MRCVector) {
		if ev, wanted = r.connection.Probe(); wanted {
			v.Result = &ev
		}
	})
	return ev, wanted
}

// news records an event about an EV.
func (r *mrcRecorder) news(event string, ev mrc.EV, flag bool) {
	m, v := &r.connection, MRCVector{Event: event, EV: &ev}
	flagged := func(on func(mrc.EV, bool)) {
		v.Flag = &flag
		r.tell(v, func(*MRCVector) { on(ev, flag) })
	}
	switch event {
	case "ack":
		flagged(m.OnAck)
	case "trimmed":
		flagged(m.OnTrimmed)
	case "deny":
		flagged(m.Deny)
	case "probe_reply":
		flagged(m.OnProbeReply)
	case "loss":
		r.tell(v, func(*MRCVector) { m.OnLoss(ev) })
	case "always_skip":
		r.tell(v, func(*MRCVector) { m.OnAlwaysSkip(ev) })
	case "probe_loss":
		r.tell(v, func(*MRCVector) { m.OnProbeLoss(ev) })
	}
}

// walk makes a random event happen, one in sixteen about an EV that need not be in the set.
func (r *mrcRecorder) walk() {
	ports := func() uint16 { return uint16(r.random.Uint32() | r.random.Uint32()) }
	set := r.connection.AppendSet(nil, uint8(r.random.IntN(r.config.Planes)))
	ev, flag := set[r.random.IntN(len(set))], r.random.IntN(2) == 0
	if r.random.IntN(16) == 0 {
		ev = mrc.EV{Port: uint8(r.random.IntN(mrc.MaxPlanes)), Value: uint16(r.random.Uint32())}
	}
	switch event := []string{"next_ev", "next_ev", "next_ev", "ack", "trimmed", "loss", "loss", "always_skip", "deny", "ports", "probe"}[r.random.IntN(11)]; event {
	case "next_ev":
		r.next(ports())
	case "ports":
		own, peer := ports(), ports()
		r.tell(MRCVector{Event: event, Ports: []uint16{own, peer}}, func(*MRCVector) { r.connection.OnPorts(own, peer) })
	case "probe":
		suspect, wanted := r.probe()
		if wanted && r.random.IntN(8) > 0 {
			ev = suspect
		}
		r.news([]string{"probe_reply", "probe_reply", "probe_loss"}[r.random.IntN(3)], ev, flag)
	default:
		r.news(event, ev, flag)
	}
}

// AllMRC returns all vectors of package mrc, the same ones every time: random walks with connections of one to eight
// planes, with and without backups, from one EV on.
func AllMRC() []MRCVector {
	r := &mrcRecorder{random: rand.New(rand.NewPCG(2, 0))}
	for i, cfg := range []MRCConfig{
		{1, 65536, 128, 128, 64, 1}, {8, 256, 16, 16, 64, 1}, {1, 1, 1, 0, 1, 1}, {2, 8, 3, 1, 2, 2}, {4, 12, 4, 4, 1, 3},
		{3, 7, 7, 0, 11, 1}, {2, 65535, 5, 3, 10, 255}, {16, 2, 1, 1, 1, 1},
	} {
		r.begin(fmt.Sprintf("walk %d", i+1), cfg)
		for range 100 {
			r.walk()
		}
	}
	return r.vectors
}

// WriteMRC writes the vectors of package mrc to w, as one JSON object for each line. It returns the error of w.
func WriteMRC(w io.Writer) error { return writeLines(w, AllMRC()) }
