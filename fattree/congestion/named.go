package congestion

import (
	"slices"

	"repslab/fattree"
	"repslab/fattree/transport"
	"repslab/faults"
)

// Named describes a congestion control.
type Named struct {
	Name    string
	Summary string                   // the rules in one line
	Source  string                   // keys of docs/references.md
	New     func() transport.Control // returns a control for a run
}

// All lists the congestion controls of the command line, the default first. This is the only
// list of their names.
func All() []Named {
	return []Named{
		{"dctcp", "DCTCP variant: a packet more per round trip, a quarter less of what a marked ACK covers",
			"paper section 4.1; authors' simulator, there mprdma", func() transport.Control { return DCTCP{} }},
		{"eqds", "EQDS: receivers pace credit at 0.99 of their link, the first window is speculative",
			"paper section 4.1 and figure 15; authors' simulator", func() transport.Control { return new(EQDS) }},
		{"nscc", "NSCC: marks and queueing delay with quick adaptation; simplified version of the proprietary control",
			"paper figure 15; authors' simulator", func() transport.Control { return new(NSCC) }},
		{"nscc-uet", "NSCC by the newer rules of Ultra Ethernet's simulator", "UEC-htsim",
			func() transport.Control { return &NSCC{Rules: fattree.UltraEthernet} }},
		{"rccc", "RCCC: receivers pace credit in quanta of 256 bytes, the first window is speculative",
			"UEC-htsim", func() transport.Control { return new(RCCC) }},
		{"rccc-oversubscribed", "RCCC; with fewer uplinks than hosts, receivers pace more slowly after marks and trims",
			"UEC-htsim", func() transport.Control { return &RCCC{Adaptive: true} }},
		{"nscc+rccc", "NSCC and RCCC of Ultra Ethernet: both the window and the credit must allow a packet",
			"UEC-htsim", func() transport.Control { return new(WindowedRCCC) }},
		{"nscc+rccc-oversubscribed", "the same; receivers pace more slowly after marks and trims, down to 1 %",
			"UEC-htsim", func() transport.Control { return &WindowedRCCC{RCCC: RCCC{Adaptive: true, LeastRate: 0.01}} }},
		{"none", "a constant window", "a control experiment", func() transport.Control { return None{} }},
	}
}

// Limits of fields.
const (
	mostOversubscription                     = 1e6
	mostTarget           fattree.Picoseconds = 1e15
)

// refuseUnless panics with the fault of a field, unless ok. Controls are structs without constructors: Reset checks
// them.
func refuseUnless(ok bool, field string, value any, constraint string, args ...any) {
	if !ok {
		panic(faults.New("congestion", field, value, constraint, args...))
	}
}

// New returns a new congestion control by its name in [All]. The error is a [*faults.FieldError] that lists the names.
func New(name string) (transport.Control, error) {
	all := All()
	i := slices.IndexFunc(all, func(n Named) bool { return n.Name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, n := range all {
			names[i] = n.Name
		}
		return nil, faults.New("congestion", "name", name, "must be one of %v", names)
	}
	return all[i].New(), nil
}
