package figures

import (
	"fmt"
	"slices"

	"repslab/fattree"
	"repslab/fattree/fluid"
)

// Units, and the values of an EV of 16 bits.
const (
	MiB          = 1 << 20 // bytes
	Microseconds = 1e6     // picoseconds in one
	FullEVS      = 1 << 16
)

// Run is what figures keep of a run.
type Run struct {
	Result    *fattree.Result
	Complete  bool                  // every flow finished; without that there is nothing below
	FCTs      []fattree.Picoseconds // ascending
	End       fattree.Picoseconds   // of the last flow
	Slowdowns []float64             // ascending: FCT over that of the fluid ideal, flow by flow; nil without it
	ideal     fattree.Picoseconds   // longest FCT of the fluid ideal; 0 without it
}

// KeepWithIdeal keeps a run and how it compares with the fluid ideal of healthy links.
func KeepWithIdeal(r fattree.Replica) (Run, error) {
	k, err := KeepTimes(r)
	if err != nil || !k.Complete {
		return k, err
	}
	spec := r.Network.Spec()
	ideal, err := fluid.Ideal(fluid.Config{Topology: spec.Topology, Workload: spec.Workload, MTU: spec.MTU, HeaderBytes: spec.HeaderBytes})
	if err != nil {
		return k, err
	}
	k.ideal, _ = ideal.MaxFCT()
	for i, flow := range r.Result.Flows {
		k.Slowdowns = append(k.Slowdowns, ideal.Slowdown(i, flow.FCT()))
	}
	slices.Sort(k.Slowdowns)
	return k, nil
}

// KeepTimes keeps a run without an ideal, which costs more than the run itself
// where thousands of flows come and go.
func KeepTimes(r fattree.Replica) (Run, error) {
	k := Run{Result: r.Result}
	if k.End, k.Complete = r.Result.LastEnd(); k.Complete {
		k.FCTs = r.Result.FCTs()
	}
	return k, nil
}

// Runs are the replicas of a set-up.
type Runs []Run

// MaxFCT returns the longest completion time of a complete run, in picoseconds.
func (r Run) MaxFCT() int64 { return r.FCTs[len(r.FCTs)-1] }

// MeanFCT returns the mean completion time of a complete run, in picoseconds.
func (r Run) MeanFCT() int64 { return fattree.Mean(r.FCTs) }

// P99FCT returns the 99 % quantile of a complete run, in picoseconds.
func (r Run) P99FCT() int64 { return fattree.NearestRank(r.FCTs, 0.99) }

// LastEnd returns when the last flow of a complete run ended, in picoseconds.
func (r Run) LastEnd() int64 { return r.End }

func (r Run) idealFCT() int64 { return r.ideal }

// KeepComplete keeps a run, an error if a flow did not finish.
func KeepComplete(r fattree.Replica) (Run, error) {
	k, err := KeepTimes(r)
	if err == nil && !k.Complete {
		err = Unfinished(r)
	}
	return k, err
}

// Unfinished returns the error of a run whose flows should all have finished.
func Unfinished(r fattree.Replica) error {
	return fmt.Errorf("%d of %d flows did not finish", len(r.Result.Flows)-r.Result.Finished(), len(r.Result.Flows))
}
