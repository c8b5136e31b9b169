package traffic

import (
	"errors"
	"math/bits"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/faults"
)

// RingAllreduce returns the flows of an allreduce of members hosts, drawn from all hosts and put into a ring in
// random order, as the authors run it [Bonato26-artifact]. There are members independent chains. Chain s begins at
// place s of the ring and makes 2 members - 1 hops along it. Each hop is a message m that starts when the sender
// of the previous hop has its last acknowledgement. Only first hops have m.Start. Flows are ordered by chain.
// members must be in [2, hosts]. source draws the ring. O(members^2).
func RingAllreduce(hosts, members int, m Message, source rand.Source) (fattree.Workload, error) {
	if err := errors.Join(m.validate(hosts), validateSource(source)); err != nil {
		return fattree.Workload{}, err
	}
	if members < 2 || members > hosts {
		return fattree.Workload{}, faults.New("traffic", "members", members, "must be in [2, %d]", hosts)
	}
	hops := 2*members - 1
	if members > fattree.MaxFlows/hops {
		return fattree.Workload{}, faults.New("traffic", "members", members, "must be fewer: they would send %d flows, of at most %d", members*hops, fattree.MaxFlows)
	}
	ring := rand.New(source).Perm(hosts)[:members]
	var w fattree.Workload
	for chain := range members {
		for hop := range hops {
			f := m.flow(ring[(chain+hop)%members], ring[(chain+hop+1)%members])
			if hop > 0 {
				f.StartedBy, f.Start = addTrigger(&w, fattree.OneShot), 0
				w.Flows[len(w.Flows)-1].Fires = f.StartedBy
			}
			w.Flows = append(w.Flows, f)
		}
	}
	return w, nil
}

// ButterflyAllreduce returns the flows of an allreduce in log2 hosts steps [Bonato26-artifact]. In step d host i
// sends m to host i xor 2^d. Step d + 1 of a host begins when its partner has the last acknowledgement of the
// partner's message of step d, even if the host's own message is still in flight. Only the first step has m.Start.
// Flows are ordered by step, then by host. hosts must be a power of two in [2, 2^19]. O(hosts log hosts).
func ButterflyAllreduce(hosts int, m Message) (fattree.Workload, error) {
	if err := m.validate(hosts); err != nil {
		return fattree.Workload{}, err
	}
	if hosts&(hosts-1) != 0 || hosts > 1<<19 {
		return fattree.Workload{}, faults.New("traffic", "hosts", hosts, "must be a power of two, 2^19 at most")
	}
	steps := bits.Len(uint(hosts)) - 1
	var w fattree.Workload
	for step := range steps {
		for host := range hosts {
			f := m.flow(host, host^1<<step)
			if step > 0 {
				f.StartedBy, f.Start = (step-1)*hosts+host+1, 0
			}
			if step < steps-1 {
				f.Fires = step*hosts + int(f.Destination) + 1
			}
			w.Flows = append(w.Flows, f)
		}
	}
	w.Triggers = make([]fattree.Trigger, (steps-1)*hosts)
	return w, nil
}

// AllToAll returns the flows of an exchange between all pairs of hosts in which each host keeps parallel flows
// open [Bonato26-artifact]. Hosts form a ring in random order. Let h = (hosts-1)/parallel, rounded down. In stage
// d of a host, d from 1 to h, it sends m to the hosts d, d + h, d + 2h, ... places further on, and in the last
// stage to the remaining ones. Each flow that ends starts a flow of the next stage, in order. Only the first stage
// has m.Start. Flows are ordered by host along the ring. parallel must be in [1, hosts-1], and hosts^2 at most
// fattree.MaxFlows. source draws the ring. O(hosts^2).
func AllToAll(hosts, parallel int, m Message, source rand.Source) (fattree.Workload, error) {
	if err := errors.Join(m.validate(hosts), validateSource(source)); err != nil {
		return fattree.Workload{}, err
	}
	if hosts > 1<<12 {
		return fattree.Workload{}, faults.New("traffic", "hosts", hosts, "must be at most %d: there is a flow for each pair", 1<<12)
	}
	if parallel < 1 || parallel > hosts-1 {
		return fattree.Workload{}, faults.New("traffic", "parallel", parallel, "must be in [1, %d]", hosts-1)
	}
	ring := rand.New(source).Perm(hosts)
	var w fattree.Workload
	groups := stages(hosts, parallel)
	for place, host := range ring {
		trigger := fattree.NoTrigger
		for stage, offsets := range groups {
			next := fattree.NoTrigger
			if stage < len(groups)-1 {
				next = addTrigger(&w, fattree.MultiShot)
			}
			for _, offset := range offsets {
				f := m.flow(host, ring[(place+offset)%hosts])
				f.StartedBy, f.Fires = trigger, next
				if stage > 0 {
					f.Start = 0
				}
				w.Flows = append(w.Flows, f)
			}
			trigger = next
		}
	}
	return w, nil
}

// stages returns the distances of each stage's destinations along the ring.
func stages(hosts, parallel int) [][]int {
	height := (hosts - 1) / parallel
	var list [][]int
	for stage := 1; stage <= height; stage++ {
		var offsets []int
		for i := range parallel {
			offsets = append(offsets, stage+i*height)
		}
		list = append(list, offsets)
	}
	var rest []int
	for offset := height*parallel + 1; offset < hosts; offset++ {
		rest = append(rest, offset)
	}
	if len(rest) > 0 {
		list = append(list, rest)
	}
	return list
}

// addTrigger adds a trigger and returns its number.
func addTrigger(w *fattree.Workload, kind fattree.TriggerKind) int {
	w.Triggers = append(w.Triggers, fattree.Trigger{Kind: kind})
	return len(w.Triggers)
}
