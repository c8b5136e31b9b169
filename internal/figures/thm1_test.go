package figures

import (
	"maps"
	"testing"

	"repslab/internal/runbook"
	"repslab/mc"
	"repslab/recycled"
)

// TestRecordedResultFields: a result of package recycled, as figures record it, has the fields of the recorded ones. A
// new field has the tag json:"-", or figures are recorded again.
func TestRecordedResultFields(t *testing.T) {
	book := fromRecord(t, "thm1").Recorder.Book
	recorded := map[string]any{}
	for _, run := range book.Runs() {
		value, _ := book.Value(run)
		maps.Copy(recorded, runbook.Fields("value", value))
	}
	result, err := recycled.Simulate(t.Context(), recycled.Config{Bins: 4}, mc.Plan{Seed: 1, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name := range runbook.Fields("value", runbook.Encode(result)) {
		if _, has := recorded[name]; !has {
			t.Errorf("%s is not in the record", name)
		}
	}
}
