package balance

import (
	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// oracle is the balancer of [NewOracle].
type oracle struct {
	fixed
	evs   int
	exact bool // answers follow EVs
	net   *fattree.Network
	flows []oracleFlow
	paths []oraclePath
}

// oracleFlow is the state of a flow.
type oracleFlow struct {
	until  fattree.Picoseconds // when rates change next
	total  float64             // sum of the rates of its paths, Gb/s
	paths  []oraclePath        // by EV
	start  int32               // EV to begin with
	turned uint16              // next EV, if the flow has no paths
	left   int32               // packets before the last ones
}

// oraclePath is a path of a flow.
type oraclePath struct {
	gbps   float64
	credit float64 // rate, added up for every packet, minus the total for each packet on the path
}

// NewOracle returns a balancer that knows at every moment which links are up and at what rate, from the
// faults of the spec. EVs 0 to evs-1, evs in [1, MaxEVS], name paths by Spec.Choose, such as
// topology.ExactPath. A flow uses each path in proportion to the lowest rate on the path, as evenly as
// possible (smooth weighted round robin); flows begin at different paths. If answers follow EVs as well, the
// last packets of a flow take paths on which their ACKs come back.
//
// The oracle knows neither queues nor other flows. So it bounds what a balancer can learn about links, but is
// not the best schedule. It takes 16 bytes for each flow and path. Without Choose it sends all EVs in turn.
func NewOracle(evs int) (transport.Balancer, error) { return withEVs(evs, &oracle{evs: evs}) }

// lastPackets is the number of last packets of a flow: the ACK of one of them completes the flow.
const lastPackets = 4

// Reset forgets all rates.
func (o *oracle) Reset(n *fattree.Network, _ mc.Stream) {
	made(o.evs != 0, "NewOracle")
	o.net, o.flows, o.exact = n, resized(o.flows, n.Flows()), !n.Spec().HashAnswers
	all := 0
	for i := range o.flows {
		all += min(o.evs, n.Paths(int32(i)))
	}
	o.paths = resized(o.paths, all)
	rest := o.paths
	for i := range o.flows {
		source, _ := n.Pair(int32(i))
		count := min(o.evs, n.Paths(int32(i)))
		o.flows[i] = oracleFlow{paths: rest[:count], start: int32(int(source) % max(1, count)), left: int32(n.Packets(int32(i)) - lastPackets)}
		rest = rest[count:]
	}
}

// Traits says how many EVs it uses.
func (o *oracle) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, EVs: o.evs, Inspect: from(transport.OriginRotation)}
}

// look updates the rates of a flow's paths and restarts the flow's rotation. If answered is true, paths without a
// way back for answers get no packets, unless there is no other path.
func (o *oracle) look(f *oracleFlow, flow int32, answered bool, now fattree.Picoseconds) {
	f.total, f.until = 0, o.net.NextChange(now)
	for ev := range f.paths {
		f.paths[ev] = oraclePath{gbps: o.net.PathGbps(flow, uint16(ev), false, now)}
		if answered && o.net.PathGbps(flow, uint16(ev), true, now) == 0 {
			f.paths[ev].gbps = 0
		}
		f.total += f.paths[ev].gbps
	}
	if answered && f.total == 0 {
		o.look(f, flow, false, now)
	}
}

// NextEV returns the EV of the next path in turn, or of the first path if all paths have failed. O(paths).
func (o *oracle) NextEV(flow int32, now fattree.Picoseconds) (ev uint16, recycled bool) {
	f := &o.flows[flow]
	if len(f.paths) == 0 {
		f.turned = uint16((int(f.turned) + 1) % o.evs)
		return f.turned, false
	}
	if f.left--; now >= f.until || f.left == 0 {
		o.look(f, flow, f.left <= 0 && o.exact, now)
	}
	best := f.start
	for i := range f.paths {
		k := (int(f.start) + i) % len(f.paths)
		p := &f.paths[k]
		if p.credit += p.gbps; p.credit > f.paths[best].credit || f.paths[best].gbps == 0 {
			best = int32(k)
		}
	}
	f.paths[best].credit -= f.total
	return uint16(best), false
}
