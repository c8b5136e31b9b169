package schedule

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repslab/fattree"
)

// randomSchedule returns a schedule without cycles. In one random order, operations need earlier
// operations of their rank, and receives come after their sends. In the schedule itself the operations of
// a rank come in another random order. Each rank has the given number of streams; with 0, each operation
// has its own stream.
func randomSchedule(r *rand.Rand, ranks, size, streams int) *Schedule {
	var plan []Op // Match is a place in it
	var needs [][]Edge
	own := make([]uint8, ranks) // streams that are taken
	add := func(op Op) {
		op.CPU, own[op.Rank] = own[op.Rank], own[op.Rank]+1
		if streams > 0 {
			op.CPU = uint8(r.IntN(streams))
		}
		var edges []Edge
		for range r.IntN(3) {
			if before := r.IntN(len(plan) + 1); before < len(plan) && plan[before].Rank == op.Rank {
				edges = append(edges, Edge{int32(before), r.IntN(3) == 0})
			}
		}
		plan, needs = append(plan, op), append(needs, edges)
	}
	for range size {
		rank, peer, place := int32(r.IntN(ranks)), int32(r.IntN(ranks)), int32(len(plan))
		if r.IntN(2) == 0 || peer == rank {
			add(Op{Kind: Calc, Rank: rank, Amount: int64(r.IntN(5)), Match: -1})
			continue
		}
		bytes := int64(r.IntN(3))
		add(Op{Kind: Send, Rank: rank, Peer: peer, Tag: int64(place), Amount: bytes, Match: place + 1})
		add(Op{Kind: Recv, Rank: peer, Peer: rank, Tag: int64(place), Amount: bytes, Match: place})
	}
	order := r.Perm(len(plan))
	slices.SortStableFunc(order, func(i, j int) int { return int(plan[i].Rank - plan[j].Rank) })
	index := make([]int32, len(plan))
	for i, place := range order {
		index[place] = int32(i)
	}
	s := &Schedule{Ranks: ranks, Ops: make([]Op, len(plan)), Needs: make([][]Edge, len(plan))}
	for place, op := range plan {
		if op.Kind != Calc {
			op.Match = index[op.Match]
		}
		for i := range needs[place] {
			needs[place][i].Before = index[needs[place][i].Before]
		}
		s.Ops[index[place]], s.Needs[index[place]] = op, needs[place]
	}
	return s
}

// longestPath returns the end of the last operation if no operation waits for a stream, by relaxing until
// nothing changes.
func longestPath(s *Schedule, network func(op int32) (delivery, ack int64)) int64 {
	starts, ends := make([]int64, len(s.Ops)), make([]int64, len(s.Ops))
	for changed := true; changed; {
		changed = false
		for i, op := range s.Ops {
			begin := int64(0)
			for _, e := range s.Needs[i] {
				if e.Start {
					begin = max(begin, starts[e.Before])
				} else {
					begin = max(begin, ends[e.Before])
				}
			}
			finish := begin
			switch op.Kind {
			case Calc:
				finish += op.Amount * 1000
			case Send:
				_, ack := network(int32(i))
				finish += ack
			case Recv:
				delivery, _ := network(op.Match)
				finish = max(finish, starts[op.Match]+delivery)
			}
			if begin != starts[i] || finish != ends[i] {
				starts[i], ends[i], changed = begin, finish, true
			}
		}
	}
	return slices.Max(ends)
}

// playWith plays a schedule with given times of messages and returns the Player.
func playWith(p *Player, network func(op int32) (delivery, ack int64)) {
	playAll(p, func(flow int32, at fattree.Picoseconds) {
		op := p.sends[flow]
		if p.job.Schedule.Ops[op].Amount == 0 {
			panic("an empty message enters the network")
		}
		delivery, ack := network(op)
		p.Delivered(flow, at+fattree.Picoseconds(delivery))
		p.Ended(flow, at+fattree.Picoseconds(ack))
	})
}

// playAll plays to the end, from one time to the next.
func playAll(p *Player, start func(flow int32, at fattree.Picoseconds)) {
	for p.Next() < Never {
		p.Play(p.Next(), start)
	}
}

// TestLongestPath compares the Player with an independent longest path, exactly.
func TestLongestPath(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := randomSchedule(r, 1+r.IntN(5), 1+r.IntN(40), 0)
		if got, want := int64(Ideal(s)), longestPath(s, func(int32) (int64, int64) { return 0, 0 }); got != want {
			t.Fatalf("Ideal = %d ps, want %d ps (seed %d)", got, want, seed)
		}
		delays := make([]int64, len(s.Ops))
		for i, op := range s.Ops {
			if op.Amount > 0 {
				delays[i] = r.Int64N(5000)
			}
		}
		network := func(op int32) (int64, int64) { return delays[op], 3 * delays[op] / 2 }
		p := NewPlayer(Job{Schedule: s, Steps: 1})
		playWith(p, network)
		if want := longestPath(s, network); p.left > 0 || int64(endOf(p)) != want {
			t.Fatalf("end = %d ps with %d left, want %d ps (seed %d)", endOf(p), p.left, want, seed)
		}
		checkPath(t, p, seed)
	}
}

// TestLatency: messages of 0 bytes take the latency of their path, and their senders wait for two
// latencies, also with other messages in the schedule.
func TestLatency(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 4))
		ranks := 1 + r.IntN(5)
		s := randomSchedule(r, ranks, 1+r.IntN(40), 0)
		hosts := make([]fattree.Host, ranks)
		for i := range hosts {
			hosts[i] = fattree.Host(10 * i)
		}
		latency := func(from, to fattree.Host) fattree.Picoseconds {
			return 100*fattree.Picoseconds(from) + fattree.Picoseconds(to)
		}
		network := func(op int32) (int64, int64) {
			if o := s.Ops[op]; o.Amount == 0 {
				way := latency(hosts[o.Rank], hosts[o.Peer])
				return int64(way), int64(2 * way)
			}
			return 700, 900
		}
		p := NewPlayer(Job{Schedule: s, Hosts: hosts, Steps: 1, Latency: latency})
		for range 2 {
			playWith(p, network)
			if want := longestPath(s, network); p.left > 0 || int64(endOf(p)) != want {
				t.Fatalf("end = %d ps with %d left, want %d ps (seed %d)", endOf(p), p.left, want, seed)
			}
			checkPath(t, p, seed)
			p.Reset()
		}
	}
}

// TestSharedStreams compares the Player with a stepwise program, exactly, for operations that share
// streams.
func TestSharedStreams(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 2))
		s := randomSchedule(r, 1+r.IntN(4), 1+r.IntN(30), 1+r.IntN(2))
		delays := make([]int64, len(s.Ops))
		for i, op := range s.Ops {
			delays[i] = min(op.Amount, 1) * r.Int64N(6)
		}
		want := playStepwise(s, func(op int32) (int64, int64) { return delays[op], delays[op] + delays[op]/3 })
		p := NewPlayer(Job{Schedule: s, Steps: 1})
		playWith(p, func(op int32) (int64, int64) { return 1000 * delays[op], 1000 * (delays[op] + delays[op]/3) })
		for i := range s.Ops {
			if got := p.ops[i].end; got != fattree.Picoseconds(1000*want[i]) {
				t.Fatalf("end of operation %d of %+v = %d ps, want %d ns (seed %d)", i, s, got, want[i], seed)
			}
		}
		checkPath(t, p, seed)
	}
}

// endOf returns the end of the operation that ended last.
func endOf(p *Player) fattree.Picoseconds { return p.ops[p.latest].end }

// pathOf returns the critical path in the order of time.
func pathOf(p *Player) []Step {
	path := slices.Collect(p.CriticalPath())
	slices.Reverse(path)
	return path
}

// checkPath checks that the critical path covers all time until the last end, without gap or overlap.
func checkPath(t *testing.T, p *Player, seed uint64) {
	t.Helper()
	now := fattree.Picoseconds(0)
	for _, step := range pathOf(p) {
		if step.Start != now || step.End <= step.Start {
			t.Fatalf("step %+v after %d ps (seed %d)", step, now, seed)
		}
		now = step.End
	}
	if end := endOf(p); now != end {
		t.Fatalf("path ends at %d ps, want %d ps (seed %d)", now, end, seed)
	}
}

// stepwise plays a schedule with shared streams nanosecond by nanosecond and returns the ends of its
// operations. At each time, first all operations that are due end. Then free streams start operations
// that wait for them. Then, one by one, the first ready operation of the file joins the line of its
// stream.
type stepwise struct {
	*Schedule
	now                    int64
	started, ended, queued []bool
	end                    []int64 // ends of the operations that have ended
	due                    []int64 // time at which a calc, ACK or delivery is due; -1 if none is in progress
	lines                  map[[2]int32][]int32
	busy                   map[[2]int32]int32 // the calc that holds a stream
	network                func(op int32) (delivery, ack int64)
	deliveries             map[int32]int64 // by Recv
}

func playStepwise(s *Schedule, network func(op int32) (delivery, ack int64)) []int64 {
	n := len(s.Ops)
	w := &stepwise{Schedule: s, started: make([]bool, n), ended: make([]bool, n), queued: make([]bool, n),
		end: make([]int64, n), due: slices.Repeat([]int64{-1}, n), lines: map[[2]int32][]int32{},
		busy: map[[2]int32]int32{}, network: network, deliveries: map[int32]int64{}}
	for ; slices.Contains(w.ended, false); w.now++ {
		w.settle()
		for op := w.firstReady(); op >= 0; op = w.firstReady() {
			w.queued[op] = true
			key := w.streamOf(op)
			w.lines[key] = append(w.lines[key], op)
			w.settle()
		}
	}
	return w.end
}

func (w *stepwise) streamOf(op int32) [2]int32 { return [2]int32{w.Ops[op].Rank, int32(w.Ops[op].CPU)} }

// settle ends what is due and starts what has its turn, until nothing changes.
func (w *stepwise) settle() {
	for changed := true; changed; {
		changed = false
		for i, op := range w.Ops {
			arrival, sent := w.deliveries[int32(i)]
			over := w.due[i] >= 0 && w.due[i] <= w.now
			if op.Kind == Recv {
				over = sent && arrival <= w.now
			}
			if w.started[i] && !w.ended[i] && over {
				w.ended[i], w.end[i], changed = true, w.now, true
				if key := w.streamOf(int32(i)); op.Kind == Calc {
					delete(w.busy, key)
				}
			}
		}
		for key, line := range w.lines {
			if _, busy := w.busy[key]; !busy && len(line) > 0 {
				w.lines[key], changed = line[1:], true
				w.start(key, line[0])
			}
		}
	}
}

func (w *stepwise) start(key [2]int32, op int32) {
	w.started[op] = true
	switch o := w.Ops[op]; o.Kind {
	case Calc:
		w.busy[key], w.due[op] = op, w.now+o.Amount
	case Send:
		delivery, ack := w.network(op)
		w.due[op], w.deliveries[o.Match] = w.now+ack, w.now+delivery
	}
}

func (w *stepwise) firstReady() int32 {
	for i := range w.Ops {
		waits := slices.ContainsFunc(w.Needs[i], func(e Edge) bool {
			return e.Start && !w.started[e.Before] || !e.Start && !w.ended[e.Before]
		})
		if !w.queued[i] && !waits {
			return int32(i)
		}
	}
	return -1
}

// TestWaited: a rank waits while it does not compute, a receive has started, and its message is in
// flight.
func TestWaited(t *testing.T) {
	s, err := Read(strings.NewReader(`num_ranks 2
rank 0 {
a: calc 10
s: send 1b to 1
s requires a
}
rank 1 {
r: recv 1b from 0
b: calc 13 cpu 1
c: calc 4
c requires r
}
`))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(Job{Schedule: s, Steps: 1})
	for _, begin := range []fattree.Picoseconds{0, 77} { // in flight from 10 to 30 ns; rank 1 computes until 13 ns
		p.Reset()
		p.begin(begin)
		playWith(p, func(int32) (int64, int64) { return 20_000, 50_000 })
		if got := p.ranks[1].waited; got != 17_000 || p.ranks[0].waited != 0 {
			t.Errorf("waited %d and %d ps, want 0 and 17000 ps", p.ranks[0].waited, got)
		}
		if recv := p.ops[2]; recv.start != begin || recv.end != begin+30_000 {
			t.Errorf("the recv starts at %d ps and ends at %d ps", recv.start, recv.end)
		}
		want := []Step{{0, begin, begin + 10_000}, {1, begin + 10_000, begin + 60_000}}
		if got := pathOf(p); !slices.Equal(got, want) || endOf(p) != begin+60_000 {
			t.Errorf("path %v until %d ps, want %v", got, endOf(p), want)
		}
	}
}

// TestNext: an Advance to the time of Next plays something, and one before it nothing.
func TestNext(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		s := randomSchedule(r, 1+r.IntN(5), 1+r.IntN(40), r.IntN(3))
		whole := playIdeally(s)
		p := NewPlayer(Job{Schedule: s, Steps: 1})
		for p.Next() < Never {
			before := slices.Clone(p.ops)
			send := func(flow int32, at fattree.Picoseconds) { p.Delivered(flow, at); p.Ended(flow, at) }
			if p.Play(p.Next()-1, send); !slices.Equal(p.ops, before) {
				t.Fatalf("something happened before Next (seed %d)", seed)
			}
			p.Play(p.Next(), send)
		}
		if p.left > 0 || !slices.Equal(p.ops, whole.ops) || !slices.Equal(p.ranks, whole.ranks) {
			t.Fatalf("step by step the play differs (seed %d)", seed)
		}
	}
}

// TestPlaysAllocateNothing: after the first play, a Reset and a play allocate nothing.
func TestPlaysAllocateNothing(t *testing.T) {
	s, err := RingAllreduce(16, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPlayer(Job{Schedule: s, Steps: 1})
	send := func(flow int32, at fattree.Picoseconds) { p.Delivered(flow, at+5); p.Ended(flow, at+9) }
	playAll(p, send)
	if allocations := testing.AllocsPerRun(10, func() { p.Reset(); playAll(p, send) }); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}
