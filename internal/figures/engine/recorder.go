package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"repslab/internal/runbook"
)

// Recorder reads runs of a figure from its book, and adds runs that the book does not have. A nil Recorder has no
// book. Several goroutines use it.
type Recorder struct {
	Book *runbook.Book
	// Again selects recorded runs to compute again and compare; nil selects none.
	Again func(runbook.Run) bool

	// Tolerance is the relative difference that numbers may have: 0 on the kind of processor that made the record.
	Tolerance float64

	mutex   sync.Mutex
	keys    map[string]int // number of experiments so far, by key and seed
	outcome Outcome
}

// Outcome counts runs by what a [Recorder] has done with them.
type Outcome struct {
	Recalled    int          `json:"recalled"` // taken from the book
	Made        int          `json:"made"`     // computed, because the book did not have them
	Compared    int          `json:"compared"` // computed again
	Differing   []Difference `json:"differing,omitempty"`
	CoreSeconds float64      `json:"-"` // time of the runs in Made
}

// Add adds the runs of another figure.
func (o *Outcome) Add(other Outcome) {
	o.Recalled, o.Made, o.Compared = o.Recalled+other.Recalled, o.Made+other.Made, o.Compared+other.Compared
	o.CoreSeconds += other.CoreSeconds
	o.Differing = append(o.Differing, other.Differing...)
}

// String says what was recorded and what was computed.
func (o Outcome) String() string {
	english := message.NewPrinter(language.English) // 20,012
	made := english.Sprintf("%d runs computed here", o.Made)
	if o.Recalled == 0 {
		return made
	}
	text := english.Sprintf("%d runs recorded, %d of them computed again here: ", o.Recalled, o.Compared)
	switch {
	case len(o.Differing) > 0:
		text += english.Sprintf("%d differ", len(o.Differing))
	case o.Compared > 0:
		text += "all equal"
	default:
		text = strings.TrimSuffix(text, ": ")
	}
	if o.Made > 0 {
		text += "; " + made
	}
	return text
}

// Difference is a recorded run with another result when computed again.
type Difference struct {
	Run  runbook.Run
	What string // the first number that differs: recorded and computed
}

// String names the run and what differs.
func (d Difference) String() string {
	return fmt.Sprintf("run %d, seed %d, of %s: %s", d.Run.Run, d.Run.Seed, d.Run.Key, d.What)
}

// Outcome returns the counts of runs so far.
func (r *Recorder) Outcome() Outcome {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.outcome
}

// Effort returns the packet hops of a recorded run of the network, which its time grows with; 0 of other runs.
func Effort(value []byte) float64 {
	var counts struct{ PacketHops float64 }
	_ = json.Unmarshal(value, &counts) // another kind of value has none
	return counts.PacketHops
}

// keyed is a key of an experiment that is recorded in another form.
type keyed interface{ RecordedAs() any }

// key returns the key of an experiment's runs. Two experiments of a figure with the same key are distinguished by
// their order.
func (r *Recorder) key(of any, seed uint64) string {
	if r == nil {
		return ""
	}
	if k, is := of.(keyed); is {
		of = k.RecordedAs()
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

// recall reads a run from the book into a value, and reports whether the run is recorded.
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
		r.outcome.Recalled++
		r.mutex.Unlock()
	}
	return recorded, nil
}

// again reports whether to compute a recorded run again.
func (r *Recorder) again(run runbook.Run) bool { return r != nil && r.Again != nil && r.Again(run) }

// take compares a run's result with its record. If there is no record, it puts the result into the book and into
// into.
func take[T any](r *Recorder, run runbook.Run, made T, into *T, coreSeconds float64) error {
	if r == nil {
		*into = made
		return nil
	}
	text := runbook.Encode(made)
	recorded, found := r.Book.Value(run)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if found {
		r.outcome.Compared++
		if what := runbook.Compare(recorded, text, r.Tolerance); what != "" {
			r.outcome.Differing = append(r.outcome.Differing, Difference{run, what})
		}
		return nil
	}
	r.outcome.Made, r.outcome.CoreSeconds = r.outcome.Made+1, r.outcome.CoreSeconds+coreSeconds
	if err := r.Book.Put(run, text); err != nil {
		return err
	}
	return runbook.Decode(text, into) // decoded, so that it equals a recorded result
}
