package figures

import (
	"bytes"
	"fmt"
	"sync"

	"repslab/internal/runbook"
)

// Recorder takes the runs of a figure that are in its book from there, and puts all others into it. A nil Recorder has
// no book. Several goroutines use it.
type Recorder struct {
	Book *runbook.Book
	// Again selects recorded runs that are made again and compared; nil for none.
	Again func(runbook.Run) bool

	mutex                    sync.Mutex
	keys                     map[string]int // experiments so far, by their key and seed
	recalled, made, compared int
	differing                []Difference
}

// Difference is a recorded run that does not come out as recorded.
type Difference struct {
	Run            runbook.Run
	Recorded, Made string // values
}

// String names the run and what differs.
func (d Difference) String() string {
	return fmt.Sprintf("run %d, seed %d, of %s: recorded %s, computed %s", d.Run.Run, d.Run.Seed, d.Run.Key, d.Recorded, d.Made)
}

// Outcome returns how many runs were taken from the book, made because they were not there, and made again, and those
// of the latter that differ.
func (r *Recorder) Outcome() (recalled, made, compared int, differing []Difference) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.recalled, r.made, r.compared, r.differing
}

// keyed is a key of an experiment that is recorded under another value.
type keyed interface{ recordedAs() any }

// key returns the key of the runs of an experiment. Two experiments of a figure with the same key are told apart by
// their order.
func (r *Recorder) key(of any, seed uint64) string {
	if r == nil {
		return ""
	}
	if k, is := of.(keyed); is {
		of = k.recordedAs()
	}
	text := string(runbook.Encode(of))
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.keys == nil {
		r.keys = map[string]int{}
	}
	name := fmt.Sprint(seed, text)
	if r.keys[name]++; r.keys[name] > 1 {
		text = fmt.Sprintf("[%s,%d]", text, r.keys[name])
	}
	return text
}

// recall sets a value to that of a run, and reports whether it is recorded.
func (r *Recorder) recall(run runbook.Run, into any) (recorded bool, err error) {
	if r == nil {
		return false, nil
	}
	value, recorded := r.Book.Value(run)
	if recorded {
		if err = runbook.Decode(value, into); err != nil {
			return false, err
		}
		r.mutex.Lock()
		r.recalled++
		r.mutex.Unlock()
	}
	return recorded, nil
}

// again reports whether a recorded run is made again.
func (r *Recorder) again(run runbook.Run) bool { return r != nil && r.Again != nil && r.Again(run) }

// take compares what a run has left behind with its record or, if it has none, puts it into the book and into into.
func take[T any](r *Recorder, run runbook.Run, made T, into *T) error {
	if r == nil {
		*into = made
		return nil
	}
	text := runbook.Encode(made)
	recorded, found := r.Book.Value(run)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if found {
		if r.compared++; !bytes.Equal(recorded, text) {
			r.differing = append(r.differing, Difference{run, string(recorded), string(text)})
		}
		return nil
	}
	r.made++
	if err := r.Book.Put(run, text); err != nil {
		return err
	}
	return runbook.Decode(text, into) // the same as if it had been recorded
}
