package schedule_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/multipath"
	"repslab/fattree/schedule"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/internal/nettest"
)

// builder makes schedules. Operations may be added in any order of ranks.
type builder struct {
	ops   []schedule.Op
	needs [][]schedule.Edge
}

// add adds an operation that requires others, and returns its number.
func (b *builder) add(op schedule.Op, requires ...int32) int32 {
	var needs []schedule.Edge
	for _, r := range requires {
		needs = append(needs, schedule.Edge{Before: r})
	}
	b.ops, b.needs = append(b.ops, op), append(b.needs, needs)
	return int32(len(b.ops) - 1)
}

// calc adds a calc.
func (b *builder) calc(rank int, ns int64, requires ...int32) int32 {
	return b.add(schedule.Op{Kind: schedule.Calc, Rank: int32(rank), Amount: ns, Match: -1}, requires...)
}

// message adds a send, which requires others, and its recv.
func (b *builder) message(from, to int, bytes int64, requires ...int32) (send, recv int32) {
	n := int32(len(b.ops))
	b.add(schedule.Op{Kind: schedule.Send, Rank: int32(from), Peer: int32(to), Tag: int64(n), Amount: bytes, Match: n + 1}, requires...)
	b.add(schedule.Op{Kind: schedule.Recv, Rank: int32(to), Peer: int32(from), Tag: int64(n), Amount: bytes, Match: n})
	return n, n + 1
}

// schedule returns the schedule of some ranks, in their order.
func (b *builder) schedule(ranks int) *schedule.Schedule {
	order := make([]int32, len(b.ops))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return int(b.ops[i].Rank - b.ops[j].Rank) })
	place := make([]int32, len(order))
	for at, i := range order {
		place[i] = int32(at)
	}
	s := &schedule.Schedule{Ranks: ranks}
	for _, i := range order {
		op, needs := b.ops[i], slices.Clone(b.needs[i])
		if op.Match >= 0 {
			op.Match = place[op.Match]
		}
		for k := range needs {
			needs[k].Before = place[needs[k].Before]
		}
		s.Ops, s.Needs = append(s.Ops, op), append(s.Needs, needs)
	}
	return s
}

// hosts returns the first hosts.
func hosts(ranks int) (list []fattree.Host) {
	for h := range ranks {
		list = append(list, fattree.Host(h))
	}
	return list
}

// run is a run of any transport.
type run interface {
	Execute(context.Context, transport.Balancer, transport.Control, fattree.Streams) (*fattree.Result, error)
	Workers(count int)
	Trace(fattree.TraceConfig)
	Script() fattree.Script
}

// play runs a job and checks properties that every run must have.
func play(t *testing.T, name string, spec fattree.Spec, j schedule.Job, workers int) (*fattree.Result, []schedule.StepResult, bool) {
	t.Helper()
	spec.Workload = j.Workload()
	n, err := fattree.Build(spec)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var r run
	if spec.Profile == fattree.MRC {
		r, err = multipath.NewRun(n)
	} else {
		r = transport.NewRun(n)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	ops, err := balance.NewSpraying(1 << 16)
	if err != nil {
		t.Fatal(err)
	}
	r.Workers(workers)
	var result *fattree.Result
	for again := range 2 { // the second run must not depend on the first
		if result, err = r.Execute(context.Background(), ops, congestion.DCTCP{}, fattree.NewStreams(3, 0)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again == 0 && workers > 1 {
			r.Trace(fattree.TraceConfig{Every: fattree.Picoseconds(workers-1) * n.SlotTime()}) // cuts blocks
		}
	}
	nettest.CheckResult(t, 0, n, result)
	steps, cut := r.Script().(*schedule.Player).Results(n.Spec().Horizon)
	return result, steps, !cut
}

// pingPong returns a schedule of two ranks that send a message to and fro and compute before each.
func pingPong(rounds int, bytes, ns int64) *schedule.Schedule {
	b := new(builder)
	var recv []int32
	for round := range rounds {
		calc := b.calc(round%2, ns, recv...)
		_, got := b.message(round%2, 1-round%2, bytes, calc)
		recv = []int32{got}
	}
	return b.schedule(2)
}

// model computes the times of messages in an idle network with the given number of links per path, in
// picoseconds.
type model struct {
	spec  fattree.Spec
	links int
	slot  float64
}

// newModel returns the model of the path between two hosts of a tree with links of 400 Gb/s.
func newModel(profile fattree.Profile, tree topology.FatTree, from, to fattree.Host) model {
	m := model{spec: nettest.Plan(fattree.Spec{Topology: tree, Profile: profile}).Spec()}
	for _, count := range tree.Outline().Paths[tree.Path(from, to)].Links {
		m.links += count
	}
	m.slot = float64(m.spec.MTU) * 8000 / 400
	return m
}

// propagation returns the propagation delay: the latencies of links and of the switches between them.
func (m model) propagation() float64 {
	o := m.spec.Topology.Outline()
	return 1000 * (float64(m.links)*float64(o.Links[0].LatencyNs) + float64(m.links-1)*float64(o.SwitchLatencyNs))
}

// wire returns the time of a message on a link, g (o and L apart) of LogGP with its headers.
func (m model) wire(bytes int64) float64 {
	return float64(bytes+m.spec.Packets(bytes)*int64(m.spec.HeaderBytes)) * 8000 / 400
}

// latency returns the time that a message takes beyond its time on the wire: L of LogGP, with
// store-and-forward of the last packet.
func (m model) latency(bytes int64) float64 {
	payload := int64(m.spec.PayloadBytes())
	last := float64(bytes-(m.spec.Packets(bytes)-1)*payload+int64(m.spec.HeaderBytes)) * 8000 / 400
	through := float64(m.links-1) * last
	if bytes > payload { // the packet before it may be behind
		through = max(through, float64(m.links-1)*m.slot-last)
	}
	return m.propagation() + through
}

// oneWay returns the time from a message's start to the arrival of its last packet.
func (m model) oneWay(bytes int64) float64 { return m.wire(bytes) + m.latency(bytes) }

// back returns the time of an ACK.
func (m model) back() float64 {
	return m.propagation() + float64(m.links*m.spec.HeaderBytes)*8000/400
}

// ackShare is the fraction of a link that ACKs take from packets in their direction.
func (m model) ackShare() float64 { return float64(m.spec.HeaderBytes) / float64(m.spec.MTU) }

// profiles are the transports on which schedules run.
var profiles = []fattree.Profile{fattree.Artifact, fattree.UltraEthernet, fattree.MRC}

// TestPingPong: messages one after the other take their time in the model, or up to one slot per link
// plus one slot longer: a message starts in the slot after the arrival for which it waits, and its last
// packet is handled as a full packet.
func TestPingPong(t *testing.T) {
	tree := topology.FatTree{Hosts: 16}
	const rounds, ns = 10, 3000
	for _, profile := range profiles {
		for _, bytes := range []int64{1, 2000, 4086, 4087, 6000, 10 * 4086, 1 << 20} {
			for _, pair := range [][]fattree.Host{{0, 1}, {0, 15}} {
				m := newModel(profile, tree, pair[0], pair[1])
				name := fmt.Sprintf("profile %v, %d bytes, %d links", profile, bytes, m.links)
				_, steps, ended := play(t, name, fattree.Spec{Topology: tree, Profile: profile}, schedule.Job{Schedule: pingPong(rounds, bytes, ns), Hosts: pair, Steps: 2}, 1)
				want := rounds*(1000*ns+m.oneWay(bytes)) + m.back()
				for i, step := range steps {
					late := (float64(step.Time) - want) / m.slot / rounds
					if !ended || late < -0.01 || late > float64(m.links)+1 {
						t.Errorf("%s: step %d took %d ps, want %.0f: each message is %.2f slots late", name, i, step.Time, want, late)
					}
					// A message is in flight all the time except during calcs and the last ACK, half of
					// the time to either rank.
					wait := (float64(step.Time) - rounds*1000*ns - m.back()) / 2 / float64(step.Time)
					if step.LateRank != 0 || step.LateLink != [2]int32{1, 0} || math.Abs(step.Waiting-wait) > 5*m.slot/float64(step.Time) {
						t.Errorf("%s: step %d: %+v, want waiting %.4f, late 0 and 1 to 0", name, i, step, wait)
					}
				}
			}
		}
	}
}

// oneFlow is a Script that starts one flow and notes when it arrives.
type oneFlow struct{ begun, arrived, ended fattree.Picoseconds }

func (f *oneFlow) Reset()                                    { *f = oneFlow{begun: -1, arrived: -1} }
func (f *oneFlow) Delivered(_ int32, at fattree.Picoseconds) { f.arrived = at }
func (f *oneFlow) Ended(_ int32, at fattree.Picoseconds)     { f.ended = at }
func (f *oneFlow) Next() fattree.Picoseconds                 { return fattree.Idle }

func (f *oneFlow) Play(until fattree.Picoseconds, start func(int32, fattree.Picoseconds)) {
	if f.begun < 0 {
		f.begun = until
		start(0, until)
	}
}

// TestArrival: a Script learns to the picosecond when the last byte of a message arrives: after the
// latencies of the links, which are not whole slots, and the time of the packets on the wire. Packets
// arrive in order, since ECMP is used.
func TestArrival(t *testing.T) {
	for _, ns := range []float64{600, 777, 1003.3} {
		tree := topology.FatTree{Hosts: 16, Access: fattree.Link{LatencyNs: ns}, Fabric: fattree.Link{LatencyNs: ns}}
		for _, profile := range profiles {
			for _, bytes := range []int64{1, 2000, 4086, 2 * 4086, 10 * 4086, 10*4086 + 1} {
				for _, pair := range [][]fattree.Host{{0, 1}, {0, 15}} {
					m, seen := newModel(profile, tree, pair[0], pair[1]), new(oneFlow)
					n, err := fattree.Build(fattree.Spec{Topology: tree, Profile: profile, Workload: fattree.Workload{
						Flows:  []fattree.Flow{fattree.NewFlow(pair[0], pair[1], bytes, 0)},
						Script: func() fattree.Script { return seen }}})
					if err != nil {
						t.Fatal(err)
					}
					var r run = transport.NewRun(n)
					if profile == fattree.MRC {
						if r, err = multipath.NewRun(n); err != nil {
							t.Fatal(err)
						}
					}
					ecmp, err := balance.NewECMP(1 << 16)
					if err != nil {
						t.Fatal(err)
					}
					if _, err := r.Execute(t.Context(), ecmp, congestion.DCTCP{}, fattree.NewStreams(3, 0)); err != nil {
						t.Fatal(err)
					}
					full := bytes / 4086 * 4086
					want := m.oneWay(bytes)
					if full > 0 && full < bytes { // the short packet follows on the last link
						want = m.oneWay(full) + m.wire(bytes-full)
					}
					if math.Abs(float64(seen.arrived)-want) > 1 {
						t.Errorf("latency %v ns, profile %v, %d bytes, %d links: arrives at %d ps, want %.0f", ns, profile, bytes, m.links, seen.arrived, want)
					}
				}
			}
		}
	}
}

// ring returns an allreduce on a ring: 2 (ranks - 1) rounds. In each round a rank sends a chunk to the
// next rank when it has received the chunk of the previous round.
func ring(ranks int, chunk int64) *schedule.Schedule {
	b := new(builder)
	got := make([][]int32, ranks)
	for range 2 * (ranks - 1) {
		next := make([][]int32, ranks)
		for rank := range ranks {
			_, recv := b.message(rank, (rank+1)%ranks, chunk, got[rank]...)
			next[(rank+1)%ranks] = []int32{recv}
		}
		got = next
	}
	return b.schedule(ranks)
}

// tree returns an allreduce on a binomial tree of 2^levels ranks: a reduction to rank 0, and the way back.
func tree(levels int, bytes int64) *schedule.Schedule {
	b := new(builder)
	got := make([][]int32, 1<<levels)
	for level := range levels {
		for rank := 1 << level; rank < 1<<levels; rank += 2 << level {
			_, recv := b.message(rank, rank-1<<level, bytes, got[rank]...)
			got[rank-1<<level] = append(got[rank-1<<level], recv)
		}
	}
	for level := levels - 1; level >= 0; level-- {
		for rank := 0; rank < 1<<levels; rank += 2 << level {
			_, recv := b.message(rank, rank+1<<level, bytes, got[rank]...)
			got[rank+1<<level] = []int32{recv}
		}
	}
	return b.schedule(1 << levels)
}

// allToAll returns a message from each rank to each other one, all at once.
func allToAll(ranks int, bytes int64) *schedule.Schedule {
	b := new(builder)
	for rank := range ranks {
		for other := 1; other < ranks; other++ {
			b.message(rank, (rank+other)%ranks, bytes)
		}
	}
	return b.schedule(ranks)
}

// pipeline returns stages that compute some micro-batches forward, and when the last stage has all, backward.
func pipeline(stages, micro int, bytes, ns int64) *schedule.Schedule {
	b := new(builder)
	var before []int32 // last calc of each stage
	last := make([][]int32, stages)
	pass := func(first, step int) {
		got := slices.Repeat([][]int32{before}, micro)
		for k := range stages {
			stage := first + step*k
			for i := range micro {
				calc := b.calc(stage, ns, append(got[i], last[stage]...)...)
				last[stage] = []int32{calc}
				if k < stages-1 {
					_, recv := b.message(stage, stage+step, bytes, calc)
					got[i] = []int32{recv}
				}
			}
		}
	}
	pass(0, 1)
	before = last[stages-1]
	pass(stages-1, -1)
	return b.schedule(stages)
}

// TestFormulasOnTheNetwork: collectives of 8 ranks below one ToR take the time of their formula, or a
// stated number of slots longer. Each message in a sequence may be 2 slots late. ACKs take their share of
// links if data go both ways. If messages of several senders meet, some packets of a slot wait for
// others, 16 slots in total.
func TestFormulasOnTheNetwork(t *testing.T) {
	fat := topology.FatTree{Hosts: 64}
	const ranks, levels, stages, micro, ns = 8, 3, 8, 6, 50_000
	for _, profile := range profiles {
		m := newModel(profile, fat, 0, 1)
		payload := int64(m.spec.PayloadBytes())
		bytes := 100 * payload
		rounds := 2. * (ranks - 1)
		for _, c := range []struct {
			name     string
			schedule *schedule.Schedule
			want     float64
			late     float64 // slots
		}{
			{"ring", ring(ranks, bytes), rounds*m.oneWay(bytes) + m.back(), rounds * (2 + 100*m.ackShare())},
			// Rank 0 sends to three others at once, the last of them to two, the last of these to one.
			{"tree", tree(levels, bytes), levels*m.oneWay(bytes) + (3+2+1)*m.wire(bytes) + levels*m.latency(bytes) + m.back(), 6 * (2 + 100*m.ackShare())},
			{"all to all", allToAll(ranks, bytes), (ranks-1)*m.wire(bytes) + m.latency(bytes) + m.back(), 16 + (ranks-1)*100*m.ackShare()},
			{"pipeline", pipeline(stages, micro, bytes, ns), 2 * ((stages+micro-1)*ns*1000 + (stages-1)*m.oneWay(bytes)), 2 * (stages - 1) * 2},
		} {
			name := fmt.Sprintf("%s, profile %v", c.name, profile)
			_, steps, ended := play(t, name, fattree.Spec{Topology: fat, Profile: profile}, schedule.Job{Schedule: c.schedule, Hosts: hosts(ranks), Steps: 2}, 1)
			for i, step := range steps {
				late := (float64(step.Time) - c.want) / m.slot
				if !ended || late < -0.01 || late > c.late {
					t.Errorf("%s: step %d took %d ps, want %.0f: it is %.2f slots late, of at most %.2f", name, i, step.Time, c.want, late, c.late)
				}
			}
		}
	}
}
