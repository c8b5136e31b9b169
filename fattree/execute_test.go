package fattree

import (
	"slices"
	"testing"
)

// waiting are hosts that wait until a slot, and acting is a script that waits until a time.
type (
	waiting struct {
		*burstHosts
		due int32
	}
	acting struct{ next Picoseconds }
)

func (w waiting) Due() int32                                      { return w.due }
func (acting) Reset()                                             {}
func (acting) Delivered(int32, Picoseconds)                       {}
func (acting) Ended(int32, Picoseconds)                           {}
func (a acting) Next() Picoseconds                                { return a.next }
func (acting) Play(Picoseconds, func(flow int32, at Picoseconds)) {}

// TestSkipIdle: a run skips slots as soon as nothing can be on a link, up to a slot in which hosts or the script act,
// the end of a bucket of the trace or the last slot before the horizon, whichever comes first.
func TestSkipIdle(t *testing.T) {
	const slot, active = 83_000, 100
	n, err := Build(Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2}, Workload: Workload{Flows: []Flow{message(0, 3, 1)}}, Horizon: 9000 * slot})
	if err != nil {
		t.Fatal(err)
	}
	quiet := active + n.buffers*n.epoch // the last slot in which a link can hold a packet
	for _, c := range []struct {
		name   string
		from   int32
		due    int32       // of the hosts
		script Picoseconds // next act
		bucket int32       // slots of a bucket, 0 without a trace
		want   int32
	}{
		{"a packet may be on a link", quiet, 5000, Idle, 0, quiet}, {"idle", quiet + 1, 5000, Idle, 0, 5000}, {"idle for long", quiet + 700, 5000, Idle, 0, 5000},
		{"nothing is due", quiet + 1, Never, Idle, 0, 8999}, {"due before", quiet + 1, quiet, Idle, 0, quiet + 1},
		{"a script", quiet + 1, 5000, 4000 * slot, 0, 4000}, {"a script within a slot", quiet + 1, 5000, 4000*slot + 1, 0, 4001},
		{"a bucket", quiet + 1, 5000, Idle, 1024, 1023}, {"a long bucket", quiet + 1, 5000, Idle, 6000, 5000}, {"a bucket up to it", quiet + 1, 5000, Idle, 5000, 4999},
	} {
		run := n.NewRun(new(burst))
		run.Begin(NewStreams(1, 0))
		run.active, run.slot, run.script = active, c.from, acting{c.script}
		for i := range run.tiles {
			if run.tiles[i].hosts != nil {
				run.tiles[i].hosts = waiting{due: c.due}
			}
		}
		if c.bucket > 0 {
			run.trace = &tracer{slots: c.bucket}
		}
		if run.skipIdle(); run.slot != c.want {
			t.Errorf("%s: from slot %d to %d, want %d", c.name, c.from, run.slot, c.want)
		}
	}
}

// TestPlacesBeforeHorizon: a flow has places for the packets that its host can send before the horizon, a thousandth
// more, its last packet and 64 more, in groups of 64; and at most for its packets.
func TestPlacesBeforeHorizon(t *testing.T) {
	const slot, payload = 83_000, 4150 - 64
	for _, c := range []struct {
		packets int64
		slots   Picoseconds
		want    int
	}{
		{1 << 20, 639, 11 * 64}, {1 << 20, 640, 12 * 64}, {1 << 20, 64_000, (64_063 + 65 + 63) / 64 * 64}, {640, 640, 640}, {641, 640, 704},
	} {
		n, err := Build(Spec{
			Topology: Tree{Hosts: 4, HostsPerToR: 2}, Workload: Workload{Flows: []Flow{message(0, 3, payload*c.packets), message(1, 2, 1)}}, Horizon: c.slots * slot,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := n.Places(0); got != c.want || n.Places(1) != 64 || n.Groups() != c.want/64+1 {
			t.Errorf("%d packets, %d slots: %d places, want %d; %d groups", c.packets, c.slots, got, c.want, n.Groups())
		}
	}
}

// TestMarks: the probability of a mark is 0 up to KMin, rises to PMax at KMax, and is 1 above, in units of 2^-32.
func TestMarks(t *testing.T) {
	for _, c := range []struct {
		kmin, kmax int
		pmax       float64
		want       []float64
	}{
		{1, 3, 1, []float64{0, 0, 0.5, 1, 1}}, {2, 2, 1, []float64{0, 0, 0, 1}}, {0, 2, 0.5, []float64{0, 0.25, 0.5, 1}}, {0, 1, 1, []float64{0, 1, 1}},
	} {
		n, err := Build(Spec{
			Topology: Tree{Hosts: 4, HostsPerToR: 2}, Workload: Workload{Flows: []Flow{message(0, 3, 1)}}, KMin: c.kmin, KMax: c.kmax, PMax: c.pmax,
		})
		if err != nil {
			t.Fatal(err)
		}
		var want []uint32
		for _, p := range c.want {
			want = append(want, uint32(min(p*(1<<32), 1<<32-1)))
		}
		if got := n.queueClass(1, 1, 50).mark; !slices.Equal(got, want) {
			t.Errorf("KMin %d, KMax %d, PMax %v: %v, want %v", c.kmin, c.kmax, c.pmax, got, want)
		}
	}
}

// TestBuffers: a lane has a buffer for the current epoch, and one for each in which a packet already sent can arrive.
func TestBuffers(t *testing.T) {
	for _, ns := range []float64{1, 83, 500, 5000, 20_000} {
		n, err := Build(Spec{
			Topology: Tree{Hosts: 4, HostsPerToR: 2, Access: Link{LatencyNs: 600}, Fabric: Link{LatencyNs: ns}}, Workload: Workload{Flows: []Flow{message(0, 3, 1)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		latencies := slices.Concat(n.latency, n.headers)
		least, most := slices.Min(latencies), slices.Max(latencies)
		if late := (n.buffers - 1) * n.epoch; n.epoch > max(1, least) || late < most || late-n.epoch >= most {
			t.Errorf("latencies of %d to %d slots: %d buffers of an epoch of %d", least, most, n.buffers, n.epoch)
		}
	}
}

// clock is a transport with a router that compares the times of arrival with the slot of the run.
type clock struct {
	burst
	t    *testing.T
	run  *Run
	asks int
}

func (c *clock) Attach(e *Edge) Hosts {
	c.net = e.Network()
	return &burstHosts{burst: &c.burst, Edge: e}
}

func (c *clock) Begin(s Streams) Needs {
	c.burst.Begin(s)
	return Needs{Router: c}
}

func (c *clock) Route(p Passing, _ Ports) (int, bool) {
	c.asks++
	if p.At>>20 != int64(c.run.Slot()) {
		c.t.Errorf("at %d of 2^-20 slots in slot %d", p.At, c.run.Slot())
	}
	return 0, true
}

// TestTimeOfArrival: a router learns the time of arrival in units of 2^-20 slots.
func TestTimeOfArrival(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2}, Workload: Workload{Flows: []Flow{message(0, 3, 3*4086), message(1, 2, 4086)}}})
	if err != nil {
		t.Fatal(err)
	}
	c := &clock{t: t}
	c.run = n.NewRun(c)
	for c.run.Begin(NewStreams(1, 0)); c.run.Unfinished() > 0; {
		c.run.Step()
	}
	if c.asks != 8 {
		t.Errorf("asked %d times, want once for each packet and ACK", c.asks)
	}
}

// TestReorderedUpTo: a result lists how deep packets were reordered, up to the deepest one.
func TestReorderedUpTo(t *testing.T) {
	n, err := Build(Spec{Topology: Tree{Hosts: 4, HostsPerToR: 2}, Workload: Workload{Flows: []Flow{message(0, 3, 1)}}})
	if err != nil {
		t.Fatal(err)
	}
	run := n.NewRun(new(burst))
	run.Begin(NewStreams(1, 0))
	run.workers[0].reorder[1], run.workers[0].reorder[3] = 5, 2
	if r, _ := run.Result(); !slices.Equal(r.reorder, []int64{0, 5, 0, 2}) {
		t.Errorf("%v", r.reorder)
	}
}
