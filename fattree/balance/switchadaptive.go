package balance

import (
	"fmt"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/mc"
)

// classLimits are the fractions of a queue's capacity at which its second and later classes begin.
var classLimits = [...]float64{0.05, 0.10, 0.20}

// Times of the rules of [UEC-htsim].
const (
	classPeriod fattree.Picoseconds = 100_000    // time after a look at a queue during which the switch uses the class seen then
	flowletGap  fattree.Picoseconds = 10_000_000 // time without a packet of a flow after which the flow's port may change
)

// classes holds the classes of queues as switches know them, and the switches' random generators. The class of a
// queue is the number of classLimits that it has reached. A switch looks at a queue again at the first packet more
// than classPeriod after the last look. So at first all classes are 0.
type classes struct {
	known  []knownClass // by port
	draw   []mc.Rand    // by switch
	period int64        // classPeriod in 2^-20 slots
}

// knownClass is the class of a queue at the switch's last look. Times are in 2^-20 slots.
type knownClass struct {
	looked int64
	class  int
}

// reset forgets all classes and restarts each switch's generator.
func (c *classes) reset(n *fattree.Network, random mc.Stream) {
	c.draw = ofSwitches(c.draw, n, random)
	c.known = resized(c.known, n.Ports())
	clear(c.known)
	c.period = int64(oneSlot * classPeriod / n.SlotTime())
}

// of returns the class of a port.
func (c *classes) of(p fattree.Passing, ports fattree.Ports, port int) int {
	known := &c.known[ports.First()+port]
	if p.At-known.looked > c.period {
		waiting, capacity := ports.Queue(port, p)
		*known = knownClass{looked: p.At}
		for _, limit := range classLimits {
			if float64(waiting) >= limit*capacity {
				known.class++
			}
		}
	}
	return known.class
}

// best returns a uniform port of the lowest class, and the lowest and the highest class.
func (c *classes) best(p fattree.Passing, ports fattree.Ports) (port, least, most int) {
	least = len(classLimits) + 1
	count := uint64(0) // ports of the lowest class
	for i := range ports.Len() {
		if ports.Out(i) {
			continue
		}
		class := c.of(p, ports, i)
		most = max(most, class)
		if class < least {
			least, count = class, 0
		}
		if class == least {
			count++
		}
	}
	for skip := c.draw[p.Switch].Below(count); ; port++ {
		if ports.Out(port) || c.of(p, ports, port) != least {
			continue
		}
		if skip == 0 {
			return port, least, most
		}
		skip--
	}
}

// switchAdaptive is the balancer of [NewSwitchAdaptive].
type switchAdaptive struct {
	hashed
	classes classes
}

// NewSwitchAdaptive returns the adaptive routing of [UEC-htsim]: each switch sends every data packet to a
// uniform one of the ports with queues of the lowest class. Classes begin at 5, 10 and 20 % of a queue's
// capacity, and the switch's knowledge of them is up to 100 ns old. ACKs are hashed by the flow's number,
// like all packets below 100 bytes in [UEC-htsim].
func NewSwitchAdaptive() transport.Balancer { return new(switchAdaptive) }

// Reset forgets all queues and restarts each switch's generator.
func (b *switchAdaptive) Reset(n *fattree.Network, random mc.Stream) { b.classes.reset(n, random) }

// Traits says that switches choose ports.
func (b *switchAdaptive) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b}
}

// Route returns a port of the lowest class. O(ports).
func (b *switchAdaptive) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if p.Header {
		return 0, false
	}
	port, _, _ = b.classes.best(p, ports)
	return port, true
}

// switchFlowlet is the balancer of NewSwitchFlowlet.
type switchFlowlet struct {
	switchAdaptive
	rows  []int32 // by switch: row of its flows in kept, see rowsOfSwitches
	flows int
	kept  []keptPort // by row and flow
	gap   int64      // flowletGap in 2^-20 slots
}

// keptPort is the port of a flow at a switch.
type keptPort struct {
	last  int64 // arrival of its last packet
	first int32 // number of the first equal-cost port, plus 1: 0 before the flow's first packet
	port  int32
}

// NewSwitchFlowlet returns the routing of [NewSwitchAdaptive] for flowlets. A switch keeps a flow's port
// until no packet of the flow has come for 10 us. Then a fair coin decides whether the switch looks for
// another port. It takes the new port if its class is lower.
func NewSwitchFlowlet() transport.Balancer { return new(switchFlowlet) }

// Reset forgets all ports. It takes 16 bytes for each flow and switch with several uplinks.
func (b *switchFlowlet) Reset(n *fattree.Network, random mc.Stream) {
	b.switchAdaptive.Reset(n, random)
	b.flows, b.gap = n.Flows(), int64(oneSlot*flowletGap/n.SlotTime())
	rows := 0
	b.rows, rows = rowsOfSwitches(b.rows, n)
	b.kept = resized(b.kept, rows*b.flows)
	clear(b.kept)
}

// Traits says that switches choose ports.
func (b *switchFlowlet) Traits() transport.Traits {
	return transport.Traits{IgnoresRTTs: true, Router: b}
}

// Route returns the flow's port. Switches with at most one uplink, such as in the highest tier, leave the
// choice between parallel links down to the hash. O(ports).
func (b *switchFlowlet) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	row := b.rows[p.Switch]
	if p.Header || row < 0 {
		return 0, false
	}
	k := &b.kept[int(row)*b.flows+int(p.Flow)]
	idle := p.At - k.last
	k.last = p.At
	if k.first != int32(ports.First())+1 || ports.Out(int(k.port)) {
		port, _, _ = b.classes.best(p, ports)
		k.first, k.port = int32(ports.First())+1, int32(port)
	} else if idle > b.gap && b.classes.draw[p.Switch].Below(2) == 0 {
		if port, least, _ := b.classes.best(p, ports); least < b.classes.of(p, ports, int(k.port)) {
			k.port = int32(port)
		}
	}
	return int(k.port), true
}

// hostAssisted is the balancer of [NewHostAssisted].
type hostAssisted struct {
	*mixed  // of b alone
	classes classes
}

// NewHostAssisted returns b, a balancer that chooses EVs, with switches that correct it, like ecmp_host_ar of
// [UEC-htsim]. For every packet, ACKs included, a switch tosses a fair coin. On heads, and if the port that the EV
// hashes to is of the highest class, the packet goes to a uniform port of the lowest class instead. Classes are those
// of [NewSwitchAdaptive]. It panics if b is nil or a Router.
func NewHostAssisted(b transport.Balancer) transport.Balancer {
	if b == nil {
		panic("balance: NewHostAssisted needs a balancer")
	}
	if b.Traits().Router != nil {
		panic(fmt.Sprintf("balance: NewHostAssisted needs a balancer that is no Router, not a %T", b))
	}
	return &hostAssisted{mixed: &mixed{balancers: []transport.Balancer{b}}}
}

// Traits returns the traits of the balancer, with switches that correct its ports.
func (b *hostAssisted) Traits() transport.Traits {
	t := b.mixed.Traits()
	if t.Router = b; b.mixed != nil && b.balancers != nil {
		t.EVs = b.balancers[0].Traits().EVs
	}
	return t
}

// Reset resets the balancer, forgets all queues and restarts each switch's generator.
func (b *hostAssisted) Reset(n *fattree.Network, random mc.Stream) {
	b.mixed.Reset(n, random)
	b.classes.reset(n, random)
}

// Route returns the hashed port or a better one. O(ports).
func (b *hostAssisted) Route(p fattree.Passing, ports fattree.Ports) (port int, chosen bool) {
	if b.classes.draw[p.Switch].Below(2) == 0 {
		return 0, false
	}
	port, _, most := b.classes.best(p, ports)
	if b.classes.of(p, ports, ports.Hashed(p)) < most {
		return 0, false
	}
	return port, true
}
