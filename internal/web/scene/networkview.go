package scene

import (
	"errors"
	"fmt"
	"slices"

	"repslab/fattree/balance"
	"repslab/fattree/topology"
	"repslab/internal/lists"
)

// Limits of a view of a network.
const (
	MaxSlots = 60_000   // 5 ms at 400 Gb/s
	MaxBytes = 32 << 20 // largest message

	mostSenders = 8 // most senders of an incast
)

// The workloads of a network, as repslab fattree names them.
const (
	Permutation = "permutation"
	Tornado     = "tornado"
	Incast      = "incast"
)

// NetworkView holds the parameters in an address of the network's page.
type NetworkView struct {
	Hosts       int
	Workload    string
	Bytes       int    // of a message
	Left, Right string // load balancers
	Flow        int    // of a round; the page shows the ring of this flow
	Seed        uint64
	Changes     []Change // of cables, by ascending Round, a slot; Every is 0 (broken) or 1
	Speed       int      // slots a second
	Slot        int      // of the picture
	Paused      bool
}

// DefaultNetwork returns the view of an address without parameters.
func DefaultNetwork() NetworkView {
	return NetworkView{
		Hosts: 32, Workload: Permutation, Bytes: 8 << 20, Left: "ops", Right: "reps", Seed: 1, Speed: 400,
	}
}

// fields returns the parameters of v, in the order of the package comment.
func (v *NetworkView) fields() []field {
	return []field{
		integer("hosts", &v.Hosts, 1),
		word("workload", &v.Workload),
		integer("message_bytes", &v.Bytes, 1),
		word("left", &v.Left),
		word("right", &v.Right),
		integer("flow", &v.Flow, 0),
		seed(&v.Seed),
		changes("links", &v.Changes),
		integer("speed", &v.Speed, 1),
		integer("slot", &v.Slot, 0),
		paused(&v.Paused),
	}
}

// ParseNetwork reads the text of a view as [Parse] does.
func ParseNetwork(text string) (NetworkView, error) {
	v := DefaultNetwork()
	if err := parse(text, v.fields()); err != nil {
		return NetworkView{}, err
	}
	return v, v.Validate()
}

// String returns the text of the view that [ParseNetwork] reads, without the parameters that
// have their default.
func (v NetworkView) String() string {
	d := DefaultNetwork()
	return text(v.fields(), d.fields())
}

// Balancers returns the names of the load balancers.
func Balancers() []string {
	return lists.Map(balance.All(), func(b balance.Named) string { return b.Name })
}

// flows returns the number of flows of a round.
func (v NetworkView) flows() int {
	if v.Workload == Incast {
		return min(mostSenders, v.Hosts/2)
	}
	return v.Hosts
}

// Validate reports every fault of the view, by its keys.
func (v NetworkView) Validate() error {
	var errs []error
	refuse := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	in := func(key string, value, least, most int) {
		refuse(value >= least && value <= most, "%s (%d) must be in [%d, %d]", key, value, least, most)
	}
	sizes := []int{8, 16, 32, 64, 128}
	if !slices.Contains(sizes, v.Hosts) {
		return fmt.Errorf("hosts (%d) must be one of %v", v.Hosts, sizes)
	}
	workloads := []string{Permutation, Tornado, Incast}
	refuse(slices.Contains(workloads, v.Workload), "workload (%s) must be one of %v", quote(v.Workload), workloads)
	for _, side := range [][2]string{{"left", v.Left}, {"right", v.Right}} {
		refuse(slices.Contains(Balancers(), side[1]), "%s (%s) must be one of %v", side[0], quote(side[1]), Balancers())
	}
	in("message_bytes", v.Bytes, 1, MaxBytes)
	in("flow", v.Flow, 0, v.flows()-1)
	in("speed", v.Speed, 1, MaxSpeed)
	in("slot", v.Slot, 0, MaxSlots)
	in("changes of links", len(v.Changes), 0, MaxChanges)
	tree := topology.FatTree{Hosts: v.Hosts}.WithDefaults()
	before := 0
	for _, c := range v.Changes {
		in("links: cable", c.Port, 0, tree.ToRs()*tree.UplinksPerToR-1)
		in("links: state of a cable", c.Every, 0, 1)
		in("links: slot of a change", c.Round, before, min(v.Slot, MaxSlots-1))
		before = c.Round
	}
	return errors.Join(errs...)
}
