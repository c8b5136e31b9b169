package balance

import (
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/mc"
	"repslab/mrc"
	"repslab/reps"
)

// fourPlanes is a network of 4 planes by the rules of MRC.
func fourPlanes(t *testing.T) *fattree.Network {
	t.Helper()
	w, err := traffic.Tornado(16, traffic.Message{Bytes: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fattree.Build(fattree.Spec{
		Topology: topology.Planes{Planes: 4, Tree: topology.FatTree{Hosts: 16}}, Profile: fattree.MRC, Workload: w,
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// newPerPlane returns a REPS for each plane on a network of 4 planes.
func newPerPlane(t *testing.T, cfg RecyclingConfig) *perPlane {
	t.Helper()
	b, err := cfg.NewPerPlane()
	if err != nil {
		t.Fatal(err)
	}
	b.Reset(fourPlanes(t), mc.NewStream(1, mc.Algorithm, 0))
	return b.(*perPlane)
}

// TestPerPlane: a flow takes the planes in turn, skipping planes that are busy or have a failed port at
// the destination. A good EV is used again only in its plane, and a loss freezes only its plane.
func TestPerPlane(t *testing.T) {
	b := newPerPlane(t, RecyclingConfig{})
	next := func(free uint16) (ev uint16, plane int, recycled bool) {
		t.Helper()
		ev, recycled, ok := b.NextPath(0, free, us)
		if !ok {
			t.Fatalf("no path over the links %b", free)
		}
		return ev, transport.PlaneOf(ev, 4), recycled
	}
	good := make([]uint16, 4)
	for want := range 4 {
		ev, plane, recycled := next(0b1111)
		if plane != want || recycled {
			t.Errorf("packet %d: plane %d, recycled %v", want, plane, recycled)
		}
		good[plane] = ev
	}
	b.Feedback(transport.Feedback{EV: good[2], Kind: transport.Good, Now: us})
	for want := range 4 {
		ev, plane, recycled := next(0b1111)
		if plane != want || recycled != (plane == 2) || recycled && ev != good[2] {
			t.Errorf("packet %d after an ACK in plane 2: EV %d of plane %d, recycled %v", want, ev, plane, recycled)
		}
	}
	if _, plane, _ := next(0b1010); plane != 1 {
		t.Errorf("plane %d, want 1: 0 and 2 are not free", plane)
	}
	b.Ports(0, 0b1001)
	for _, want := range []int{3, 0, 3, 0} {
		if _, plane, _ := next(0b1111); plane != want {
			t.Errorf("plane %d, want %d: 1 and 2 do not work", plane, want)
		}
	}
	if _, _, ok := b.NextPath(0, 0b0110, us); ok {
		t.Error("a path over links that do not work")
	}
	if ev, _, _ := b.NextPath(1, 0b1111, us); transport.PlaneOf(ev, 4) != 0 {
		t.Errorf("flow 1 begins with EV %d, which is not of plane 0", ev)
	}

	b.Feedback(transport.Feedback{EV: good[1], Kind: transport.TimedOut, Now: 2 * us})
	if !b.Frozen(0) || b.Frozen(1) {
		t.Errorf("frozen: flow 0 %v, flow 1 %v", b.Frozen(0), b.Frozen(1))
	}
	for plane := range uint8(4) {
		if b.recycling.Frozen(b.lane(0, plane)) != (plane == 1) {
			t.Errorf("plane %d is frozen: %v", plane, plane != 1)
		}
	}
	b.Inherit(1, 0)
	if !b.Frozen(1) {
		t.Error("a flow that inherits is not frozen")
	}
	first, _, _ := b.NextPath(0, 0b1111, us)
	b.Reset(fourPlanes(t), mc.NewStream(1, mc.Algorithm, 0))
	if again, _, _ := b.NextPath(0, 0b1111, us); b.Frozen(0) || again != good[0] || first == good[0] {
		t.Errorf("EV %d after Reset, first %d; frozen %v", again, good[0], b.Frozen(0))
	}
}

// TestPerPlaneProbes: if probes end freezing mode, each frozen plane asks for a probe along the path of
// the loss that froze it, and the answer ends freezing mode only in this plane.
func TestPerPlaneProbes(t *testing.T) {
	b := newPerPlane(t, RecyclingConfig{REPS: reps.Config{Exit: reps.ExitOnProbe}})
	var sent []uint16
	for range 4 {
		ev, _, _ := b.NextPath(0, 0b1111, us)
		sent = append(sent, ev)
	}
	suspects := []uint16{sent[1], sent[3]}
	for _, ev := range suspects {
		b.Feedback(transport.Feedback{EV: ev, Kind: transport.TimedOut, Now: 100 * us})
	}
	var probed []uint16
	for range 3 {
		if ev, wanted := b.Probe(0, 1000*us); wanted {
			probed = append(probed, ev)
		}
	}
	if !slices.Equal(probed, suspects) {
		t.Fatalf("probes of %d, want %d", probed, suspects)
	}
	b.Feedback(transport.Feedback{EV: suspects[0], Kind: transport.Probed, Now: 1001 * us})
	if b.recycling.Frozen(b.lane(0, 1)) || !b.recycling.Frozen(b.lane(0, 3)) {
		t.Error("the answer did not end the freezing mode of its plane alone")
	}
}

// TestPerPlaneOfOnePlane: under transports other than MRC it behaves as reps.
func TestPerPlaneOfOnePlane(t *testing.T) {
	cfg := RecyclingConfig{REPS: reps.Config{EVSSize: 1000}}
	one, err := cfg.NewPerPlane()
	prepared(t, one, err)
	plain, err := cfg.New()
	prepared(t, plain, err)
	for i := range 200 {
		now := fattree.Picoseconds(i) * us
		got, recycled := one.NextEV(0, now)
		want, again := plain.NextEV(0, now)
		if got != want || recycled != again {
			t.Fatalf("packet %d: EV %d, recycled %v, want %d, %v", i, got, recycled, want, again)
		}
		f := transport.Feedback{EV: got, Kind: transport.Kind(i * 7 % 5), Now: now, RTT: rtt}
		one.Feedback(f)
		plain.Feedback(f)
	}
}

// TestPerPlaneWindow: a window of exploration is a bandwidth-delay product, rounded down. A plane has its share of the
// flow's.
func TestPerPlaneWindow(t *testing.T) {
	b := newPerPlane(t, RecyclingConfig{})
	bdp := fourPlanes(t).BDP(0)
	for plane := range uint8(4) {
		if got, want := b.flows[b.lane(0, plane)].state.Config().PacketsPerWindow, int(bdp/4); got != want || want < 20 {
			t.Errorf("plane %d: a window of %d packets, want %d of %v", plane, got, want, bdp)
		}
	}
	made, err := RecyclingConfig{}.New()
	one := prepared(t, made, err).(recyclingREPS)
	if got, want := one.flows[0].state.Config().PacketsPerWindow, int(pair(t).BDP(0)); got != want || want < 80 {
		t.Errorf("one plane: a window of %d packets, want %d", got, want)
	}
}

// TestPerPlaneBytes: the documented bytes of a connection over 8 planes: a REPS for each, three bits of
// the turn and a bit for each port of the peer. With a ring of 3 it takes about as much as package mrc.
func TestPerPlaneBytes(t *testing.T) {
	for ring, want := range map[int]int{reps.DefaultBufferSize: 199, 3: 112} {
		components, err := reps.Footprint(reps.Config{BufferSize: ring})
		if err != nil {
			t.Fatal(err)
		}
		_, bits := reps.SumBits(components)
		if got := (8*bits + 3 + 8 + 7) / 8; got != want {
			t.Errorf("a ring of %d: %d bytes, want %d", ring, got, want)
		}
	}
	if got := (mrc.Config{Planes: 8}).StateBytes(); got != 110 {
		t.Errorf("mrc: %d bytes, want 110", got)
	}
}

func TestPerPlaneRefusals(t *testing.T) {
	for cfg, want := range map[RecyclingConfig]string{
		{Rules: Artifact}: `balance: Rules ("artifact") must be "paper" in each plane`,
		{FreezeAt: -1}:    "balance: FreezeAt (-1) must not be negative",
	} {
		if b, err := cfg.NewPerPlane(); b != nil || err == nil || err.Error() != want {
			t.Errorf("%+v: %v, error %v, want %s", cfg, b, err, want)
		}
	}
}
