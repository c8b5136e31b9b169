package traffic

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"repslab/fattree"
	"repslab/fattree/topology"
	"repslab/faults"
)

// Message describes the message that each flow of a pattern sends.
type Message struct {
	Bytes int64               // at least 1
	Start fattree.Picoseconds // not negative
}

// validate reports the faults of a message and of a number of hosts.
func (m Message) validate(hosts int) error {
	bad := faults.List{Package: "traffic"}
	bad.Check(hosts >= 2 && hosts <= fattree.MaxHosts, "hosts", hosts, "must be in [2, %d]", fattree.MaxHosts)
	bad.Check(m.Bytes >= 1, "Bytes", m.Bytes, "must be at least 1")
	bad.Check(m.Start >= 0, "Start", ps(m.Start), "must not be negative")
	return bad.Err()
}

// validateSource reports a missing source of random words.
func validateSource(source rand.Source) error {
	if source == nil {
		return faults.New("traffic", "source", nil, "must be set: the workload is drawn")
	}
	return nil
}

// ps is a time in an error message.
type ps fattree.Picoseconds

// String returns the time with its unit.
func (t ps) String() string { return fmt.Sprintf("%d ps", int64(t)) }

// flow returns the flow that carries m.
func (m Message) flow(source, destination int) fattree.Flow {
	return fattree.Flow{
		Source: fattree.Host(source), Destination: fattree.Host(destination),
		Bytes: m.Bytes, Start: m.Start,
	}
}

// Permutation returns one flow from and to every host, like the authors' generator [Bonato26-artifact]. Two
// uniform shuffles of the hosts are the sources and the destinations, entry by entry. An entry with a host that
// would send to itself swaps destinations with the next entry (the last with the first). Destinations are nearly a
// uniform derangement, and may be in the sender's ToR. Flows are in the order of the first shuffle; source draws
// both. hosts must be in [2, fattree.MaxHosts]. O(hosts).
func Permutation(hosts int, m Message, source rand.Source) (fattree.Workload, error) {
	if err := errors.Join(m.validate(hosts), validateSource(source)); err != nil {
		return fattree.Workload{}, err
	}
	random := rand.New(source)
	sources, destinations := random.Perm(hosts), random.Perm(hosts)
	for i := range sources {
		if sources[i] == destinations[i] {
			// The next entry cannot send to itself: its new destination is this entry's source, and sources
			// differ.
			next := (i + 1) % hosts
			destinations[i], destinations[next] = destinations[next], destinations[i]
		}
	}
	flows := make([]fattree.Flow, hosts)
	for i, from := range sources {
		flows[i] = m.flow(from, destinations[i])
	}
	return fattree.Workload{Flows: flows}, nil
}

// Tornado returns a flow from every host i to i + hosts/2 mod hosts, in order of
// i. With an even number of hosts every host link carries one flow in each direction.
// hosts must be in [2, fattree.MaxHosts]. O(hosts).
func Tornado(hosts int, m Message) (fattree.Workload, error) {
	if err := m.validate(hosts); err != nil {
		return fattree.Workload{}, err
	}
	return m.shifted(hosts, hosts), nil
}

// shifted returns the flows of the first senders hosts, each to the host hosts/2 further on.
func (m Message) shifted(hosts, senders int) fattree.Workload {
	flows := make([]fattree.Flow, senders)
	for i := range flows {
		flows[i] = m.flow(i, (i+hosts/2)%hosts)
	}
	return fattree.Workload{Flows: flows}
}

// Incast returns the flows of degree consecutive hosts, from hosts/2 on, to host 0; host 1 follows the last host.
// degree must be in [1, hosts-1], hosts in [2, fattree.MaxHosts]. O(degree).
func Incast(hosts, degree int, m Message) (fattree.Workload, error) {
	if err := m.validate(hosts); err != nil {
		return fattree.Workload{}, err
	}
	if degree < 1 || degree > hosts-1 {
		return fattree.Workload{}, faults.New("traffic", "degree", degree, "must be in [1, %d], all hosts but the receiver", hosts-1)
	}
	flows := make([]fattree.Flow, degree)
	for i := range flows {
		flows[i] = m.flow(1+(hosts/2-1+i)%(hosts-1), 0)
	}
	return fattree.Workload{Flows: flows}, nil
}

// OneToR returns a flow from every host i of the first ToR to i + N/2 mod N, for N hosts: the flows of a tornado
// that one ToR sends. They fully load its uplinks unless the tree is oversubscribed. t, with defaults applied,
// must be valid and have two or three tiers and two or more ToRs. O(hosts of a ToR).
func OneToR(t topology.FatTree, m Message) (fattree.Workload, error) {
	t = t.WithDefaults()
	if err := errors.Join(t.Validate(), m.validate(t.Hosts)); err != nil {
		return fattree.Workload{}, err
	}
	if t.Tiers < 2 {
		return fattree.Workload{}, faults.New("traffic", "Tiers", t.Tiers, "must be 2 or 3: flows leave the ToR of their senders")
	}
	if t.ToRs() < 2 {
		return fattree.Workload{}, faults.New("traffic", "Hosts", t.Hosts, "must be more than the %d of one ToR, which flows leave", t.HostsPerToR)
	}
	return m.shifted(t.Hosts, t.HostsPerToR), nil
}
