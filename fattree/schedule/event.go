package schedule

import "repslab/fattree"

// event is something that happens to an operation at a time.
type event struct {
	at   fattree.Picoseconds
	what what
	op   int32
}

// what happens to an operation. At one time, all ends are handled before any operation takes its turn.
type what int32

const (
	arrival what = iota // the message of a Recv is complete
	end                 // the operation ends
	turn                // the operation starts
	ready               // the operation waits only for its turn
)

// Before reports whether event e takes effect before event f.
func (e event) Before(f event) bool {
	return e.at < f.at || e.at == f.at && (e.what < f.what || e.what == f.what && e.op < f.op)
}
