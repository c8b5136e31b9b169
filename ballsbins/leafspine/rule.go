package leafspine

import "repslab/mc"

// Rule selects the spine of a packet.
type Rule string

// The rules. A rotation takes the spines 0, 1, ..., n-1, 0, ... in turn; drawn starts are uniform and independent.
const (
	Random            Rule = "random"                      // each packet a uniform spine. The default
	SourceRotation    Rule = "source-rotation"             // each host rotates, from spine 0
	SourceDrawn       Rule = "source-rotation-drawn"       // each host rotates, from a drawn spine
	Coordinated       Rule = "coordinated-rotation"        // each host rotates, host j of a leaf from spine j
	DestinationAlike  Rule = "destination-rotation"        // each host rotates for each destination, from spine 0
	DestinationDrawn  Rule = "destination-rotation-drawn"  // the same, from drawn spines
	SwitchRotation    Rule = "switch-rotation"             // each leaf rotates for all its packets
	SwitchDestination Rule = "switch-destination-rotation" // each leaf rotates for each destination, from drawn spines
	Shortest          Rule = "shortest-queue"              // the leaf's shortest queue, of several the first
	ShortestDrawn     Rule = "shortest-queue-drawn-ties"   // the leaf's shortest queue, of several a drawn one
	ShorterOfTwo      Rule = "shorter-of-two"              // the shorter of two drawn queues of the leaf
	Static            Rule = "static"                      // host j of a leaf always takes spine j
	StaticBest        Rule = "static-best"                 // planned: flows of a leaf, and flows to a leaf, share no spine
	StaticWorst       Rule = "static-worst"                // all packets take spine 0
)

// Description says who applies a rule and what it has to know.
type Description struct {
	Rule
	Decides, Knows string
	open           Opener
}

// Packet is a packet that waits for the choice of its spine.
type Packet struct {
	Source, Destination int // hosts, in [0, N), of different leaves
	Number              int // of the source's packets, from 0
	Turn                int // number of the destination among the source's destinations, in [0, D)
	Round               int // packets of the source to this destination before
}

// Chooser returns the spine of a packet, in [0, n). After another number the run takes spine 0, Advance panics, and
// Simulate returns the fault. Packets come in
// the order in which they are sent. It may keep state, ask the process for its queues and draw from it; it must not
// call Reset or Advance, which then panic.
type Chooser func(Packet) int

// Opener returns the chooser of a run. It is called by Reset, after the starts are drawn.
type Opener func(*Process) Chooser

// Rules lists the rules, the default first.
func Rules() []Description {
	const host, leaf, nothing, own, pair, queues = "host", "switch", "nothing", "its own count", "a count for each destination", "its own queues"
	return []Description{
		{Random, host, nothing, func(p *Process) Chooser { return func(Packet) int { return p.Drawn() } }},
		{SourceRotation, host, own, func(p *Process) Chooser { return func(q Packet) int { return q.Number % p.n } }},
		{SourceDrawn, host, own, func(p *Process) Chooser {
			starts := p.starts(p.hosts)
			return func(q Packet) int { return (int(starts[q.Source]) + q.Number) % p.n }
		}},
		{Coordinated, host, own + " and its number", func(p *Process) Chooser { return func(q Packet) int { return (q.Source + q.Number) % p.n } }},
		{DestinationAlike, host, pair, func(p *Process) Chooser { return func(q Packet) int { return q.Round % p.n } }},
		{DestinationDrawn, host, pair, func(p *Process) Chooser {
			starts := p.starts(p.hosts * p.fan)
			return func(q Packet) int { return (int(starts[q.Source*p.fan+q.Turn]) + q.Round) % p.n }
		}},
		{SwitchRotation, leaf, own, func(p *Process) Chooser {
			next := make([]uint8, p.leaves)
			return func(q Packet) int { return p.turned(&next[q.Source/p.n]) }
		}},
		{SwitchDestination, leaf, pair, func(p *Process) Chooser {
			next := p.starts(p.leaves * p.hosts)
			return func(q Packet) int { return p.turned(&next[q.Source/p.n*p.hosts+q.Destination]) }
		}},
		{Shortest, leaf, queues, func(p *Process) Chooser { return func(q Packet) int { return p.shortest(p.uplinks(q.Source), 0) } }},
		{ShortestDrawn, leaf, queues, func(p *Process) Chooser {
			return func(q Packet) int { return p.shortest(p.uplinks(q.Source), p.Drawn()) }
		}},
		{ShorterOfTwo, leaf, "two of its queues", func(p *Process) Chooser {
			return func(q Packet) int {
				a, b, up := p.Drawn(), p.Drawn(), p.uplinks(q.Source)
				if up[b].count < up[a].count {
					return b
				}
				return a
			}
		}},
		{Static, host, "its number", func(p *Process) Chooser { return func(q Packet) int { return q.Source % p.n } }},
		{StaticBest, "planner", "all traffic", func(p *Process) Chooser {
			spines := p.planned()
			return func(q Packet) int { return int(spines[q.Source]) }
		}},
		{StaticWorst, host, nothing, func(*Process) Chooser { return func(Packet) int { return 0 } }},
	}
}

// ruleNames lists the names of the rules.
func ruleNames() (names []Rule) {
	for _, r := range Rules() {
		names = append(names, r.Rule)
	}
	return names
}

// starts draws spines.
func (p *Process) starts(count int) []uint8 {
	list := make([]uint8, count)
	for i := range list {
		list[i] = uint8(p.Drawn())
	}
	return list
}

// turned returns the next spine of a rotation.
func (p *Process) turned(next *uint8) int {
	spine := int(*next)
	if *next++; int(*next) == p.n {
		*next = 0
	}
	return spine
}

// shortest returns the first of the shortest queues from a place on.
func (p *Process) shortest(up []queue, from int) int {
	best := from
	for i := range up {
		at := from + i
		if at >= len(up) {
			at -= len(up)
		}
		if up[at].count < up[best].count {
			best = at
		}
		if up[best].count == 0 {
			break
		}
	}
	return best
}

// planned returns a spine for each host such that flows from the same leaf, and flows to the same leaf, have
// different spines: an edge colouring of the bipartite multigraph of leaves, by alternating paths (König).
// O(N k).
func (p *Process) planned() []int32 {
	const none = -1
	out, in := make([]int32, p.leaves*p.n), make([]int32, p.leaves*p.n) // flow by leaf and spine
	spines := make([]int32, p.hosts)
	for i := range out {
		out[i], in[i] = none, none
	}
	free := func(of []int32, leaf int) int32 {
		for s, flow := range of[leaf*p.n:][:p.n] {
			if flow == none {
				return int32(s)
			}
		}
		panic("leafspine: a leaf has more flows than spines")
	}
	for flow := range p.hosts {
		from, to := flow/p.n, int(p.pairs[flow])/p.n
		a, b := free(out, from), free(in, to)
		// Swap a and b on the path of flows that begins at to with a. It cannot reach from, where a is free.
		sides, leaf := [2][]int32{in, out}, to
		var path []int32
		for side, spine := 0, a; ; side, spine = 1-side, a+b-spine {
			f := sides[side][leaf*p.n+int(spine)]
			if f == none || a == b {
				break
			}
			path = append(path, f)
			if leaf = int(f) / p.n; side == 1 {
				leaf = int(p.pairs[f]) / p.n
			}
		}
		for _, f := range path {
			out[int(f)/p.n*p.n+int(spines[f])], in[int(p.pairs[f])/p.n*p.n+int(spines[f])] = none, none
		}
		for _, f := range path {
			spines[f] = a + b - spines[f]
			out[int(f)/p.n*p.n+int(spines[f])], in[int(p.pairs[f])/p.n*p.n+int(spines[f])] = f, f
		}
		spines[flow] = a
		out[from*p.n+int(a)], in[to*p.n+int(a)] = int32(flow), int32(flow)
	}
	return spines
}

// permutation draws a permutation of the hosts.
func permutation(hosts int, random *mc.Rand) []int32 {
	list := make([]int32, hosts)
	for i := range list {
		j := random.Below(uint64(i) + 1)
		list[i], list[j] = list[j], int32(i)
	}
	return list
}

// RuleOf returns a rule's description. It panics if there is none.
func RuleOf(rule Rule) Description {
	for _, d := range Rules() {
		if d.Rule == rule {
			return d
		}
	}
	panic("leafspine: no rule is called " + string(rule))
}
