package reps_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"repslab/internal/vectors"
	"repslab/reps"
)

// readVectors returns the test vectors, from the file that REPSLAB_VECTORS names if
// it is set. Without it they are generated and would follow a change of package reps.
func readVectors(t *testing.T) []vectors.Vector {
	t.Helper()
	var file bytes.Buffer
	if name := os.Getenv("REPSLAB_VECTORS"); name != "" {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file.Write(data)
	} else if err := vectors.Write(&file); err != nil {
		t.Fatal(err)
	}
	var list []vectors.Vector
	for decoder := json.NewDecoder(&file); ; {
		var v vectors.Vector
		if err := decoder.Decode(&v); errors.Is(err, io.EOF) {
			return list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
}

// newOffer returns the source of a vector.
func newOffer(t *testing.T, v vectors.Vector) *vectors.Offer {
	t.Helper()
	word, err := strconv.ParseUint(*v.Random, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return &vectors.Offer{Word: word}
}

// outcome is the response of an implementation to a vector.
type outcome struct {
	after                string // encoded, hexadecimal; empty if refused
	refused              string
	nextEV               uint16
	recycled, randomUsed bool
}

// expected returns the outcome that a vector demands.
func expected(v vectors.Vector) (o outcome) {
	if v.After != nil {
		o.after = *v.After
	}
	if v.Refused != nil {
		o.refused = *v.Refused
	}
	if v.Event == vectors.NextEV {
		o.nextEV, o.recycled, o.randomUsed = *v.NextEV, *v.Recycled, *v.RandomUsed
	}
	return o
}

// unhex returns the encoded state before the event.
func unhex(t *testing.T, v vectors.Vector) []byte {
	t.Helper()
	data, err := hex.DecodeString(*v.Before)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// play makes the event of a vector happen to package reps.
func play(t *testing.T, v vectors.Vector) (o outcome) {
	t.Helper()
	refused := func(err error) outcome { return outcome{refused: strings.TrimPrefix(err.Error(), "reps: ")} }
	var r reps.REPS
	if v.Config != nil {
		if err := r.Init(v.Config.REPS()); err != nil {
			t.Fatal(err)
		}
	}
	if v.Event != vectors.Encode {
		if err := r.UnmarshalBinary(unhex(t, v)); err != nil {
			return refused(err)
		}
	}
	switch v.Event {
	case vectors.Ack:
		r.OnAck(*v.Now, *v.EV, *v.Marked)
	case vectors.Nack:
		r.OnNack(*v.Now)
	case vectors.Failure:
		r.OnFailure(*v.Now)
	case vectors.ProbeReply:
		r.OnProbeReply()
	case vectors.Reset:
		r.Reset()
	case vectors.NextEV:
		random := newOffer(t, v)
		o.nextEV, o.recycled = r.NextEV(random)
		o.randomUsed = random.Used
	}
	data, err := r.AppendBinary(nil)
	if err != nil {
		return refused(err)
	}
	o.after = hex.EncodeToString(data)
	return o
}

// TestVectors replays the test vectors through package reps.
func TestVectors(t *testing.T) {
	for i, v := range readVectors(t) {
		if got, want := play(t, v), expected(v); got != want {
			t.Fatalf("line %d, %s: %s gives %+v, want %+v", i+1, v.Case, v.Event, got, want)
		}
	}
}
