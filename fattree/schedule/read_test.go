package schedule

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"repslab/internal/lines"
)

// good is a text with all that the format has.
const good = `// a job of three ranks
num_ranks 3 # all of them
/* the first
   rank { */
rank 0 {
compute: calc 100
l1: send 8b to 1 tag 7 cpu 1 nic 0
l1 requires compute /* its data */ // ready
recv 0b from 2
calc 5 cpu 255
}
rank 1 {
a: recv 8b from 0 tag 7
b:calc 3
b irequires a
}

rank 2{
x : send 0b to 0
}
`

func TestRead(t *testing.T) {
	want := &Schedule{Ranks: 3, Ops: []Op{
		{Kind: Calc, Amount: 100, Match: -1},
		{Kind: Send, CPU: 1, Peer: 1, Tag: 7, Amount: 8, Match: 4},
		{Kind: Recv, Peer: 2, Match: 6},
		{Kind: Calc, CPU: 255, Amount: 5, Match: -1},
		{Kind: Recv, Rank: 1, Tag: 7, Amount: 8, Match: 1},
		{Kind: Calc, Rank: 1, Amount: 3, Match: -1},
		{Kind: Send, Rank: 2, Match: 2},
	}, Needs: [][]Edge{nil, {{0, false}}, nil, nil, nil, {{4, true}}, nil}}
	got, err := Read(strings.NewReader(good))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("Read = %+v, want %+v (error %v)", got, want, err)
	}
}

// TestMatching: the k-th send meets the k-th recv of the same ends and tag, whatever else is between them.
func TestMatching(t *testing.T) {
	s, err := Read(strings.NewReader("num_ranks 2\nrank 0 {\nsend 1b to 1 tag 5\nsend 2b to 1\nsend 3b to 1 tag 5\n}\n" +
		"rank 1 {\nrecv 1b from 0 tag 5\nrecv 3b from 0 tag 5\nrecv 2b from 0\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for send, recv := range []int32{3, 5, 4} {
		if s.Ops[send].Match != recv || s.Ops[recv].Match != int32(send) {
			t.Errorf("send %d matches %d and recv %d matches %d", send, s.Ops[send].Match, recv, s.Ops[recv].Match)
		}
	}
}

// two returns a text of two ranks.
func two(first, second string) string {
	return "num_ranks 2\nrank 0 {\n" + first + "\n}\nrank 1 {\n" + second + "\n}\n"
}

type malformed struct{ text, want string }

// operation ends the errors about statements that are none.
const operation = "expected LABEL: calc NS, LABEL: send BYTESb to RANK tag TAG, LABEL: recv BYTESb from RANK tag TAG, " +
	"LABEL requires LABEL, LABEL irequires LABEL or }"

// malformedBlocks are texts with mistakes around operations, and the errors about them.
func malformedBlocks() []malformed {
	return []malformed{
		{"", "line 0: found the end of the file, expected num_ranks N"},
		{"# nothing\n", "line 1: found the end of the file, expected num_ranks N"},
		{"rank 0 {\n}\n", `line 1: found "rank 0 {", expected num_ranks N`},
		{"num_ranks 0\n", `line 1: num_ranks: found "0", expected an integer in [1, 2097152]`},
		{"num_ranks -2\n", `line 1: num_ranks: found "-2", expected an integer in [1, 2097152]`},
		{"num_ranks 2097153\n", `line 1: num_ranks: found "2097153", expected an integer in [1, 2097152]`},
		{"num_ranks two\n", `line 1: num_ranks: found "two", expected an integer in [1, 2097152]`},
		{"num_ranks\n", `line 1: found "num_ranks", expected num_ranks N`},
		{"num_ranks 1 2\n", `line 1: found "num_ranks 1 2", expected num_ranks N`},
		{"num_ranks 1\nnum_ranks 1\n", `line 2: found "num_ranks 1", expected rank 0 {`},
		{"\x00\x01\n", `line 1: found "\x00\x01", expected num_ranks N`},
		{"num_ranks 1\n", "line 1: found the end of the file, expected rank 0 {"},
		{"num_ranks 1\nrank 0\n", `line 2: found "rank 0", expected rank 0 {`},
		{"num_ranks 2\nrank 1 {\n", `line 2: rank: found "1", expected an integer in [0, 0]`},
		{"num_ranks 2\nrank 0 {\n}\nrank 0 {\n", `line 4: rank: found "0", expected an integer in [1, 1]`},
		{"num_ranks 2\nrank 0 {\n}\nrank 2 {\n", `line 4: rank: found "2", expected an integer in [1, 1]`},
		{"num_ranks 2\nrank 0 {\n}\n", "line 3: found the end of the file, expected rank 1 {"},
		{"num_ranks 1\nrank 0 {\n}\nrank 1 {\n", `line 4: found "rank 1 {", expected nothing after the last rank`},
		{"num_ranks 1\nrank 0 {\nrank 1 {\n", `line 3: rank 0: found "rank 1 {", ` + operation},
		{"num_ranks 1\nrank 0 {\n", "line 2: rank 0: found the end of the file, " + operation},
		{"num_ranks 1\nrank 0 {\n}\n}\n", `line 4: found "}", expected nothing after the last rank`},
		{"num_ranks 1\nrank 0 {\n}\n/* more\n", "line 4: found the end of the file, expected */"},
		{"num_ranks 1\nrank 0 {\n} calc 5\n", `line 3: rank 0: found "} calc 5", ` + operation},
		{"num_ranks 1\ncalc 5\n", `line 2: found "calc 5", expected rank 0 {`},
	}
}

// malformedOperations are texts with mistakes in operations and between them, and the errors about them.
func malformedOperations() []malformed {
	return []malformed{
		{two("calc", ""), `line 3: rank 0: found "calc", ` + operation},
		{two("l1:", ""), `line 3: rank 0: found "l1 :", ` + operation},
		{two("l1: compute 5", ""), `line 3: rank 0: "l1": found "compute 5", ` + operation},
		{two("l1 calc 5", ""), `line 3: rank 0: found "l1 calc 5", ` + operation},
		{two("l1: calc -5", ""), `line 3: rank 0: "l1": calc: found "-5", expected an integer in [0, 4000000000000000]`},
		{two("calc 1.5", ""), `line 3: rank 0: calc: found "1.5", expected an integer in [0, 4000000000000000]`},
		{two("calc 5ns", ""), `line 3: rank 0: calc: found "5ns", expected an integer in [0, 4000000000000000]`},
		{two("calc 4000000000000001", ""), `line 3: rank 0: calc: found "4000000000000001", expected an integer in [0, 4000000000000000]`},
		{two("calc 99999999999999999999", ""), `line 3: rank 0: calc: found "99999999999999999999", expected an integer in [0, 4000000000000000]`},
		{two("calc 3000000000000000", "x: calc 1000000000000001"),
			`line 6: rank 1: "x": calcs take 4000000000000001 ns up to here, must be at most 4000000000000000`},
		{two("calc 5 cpu", ""), `line 3: rank 0: found "cpu", expected cpu or nic or the end of the line`},
		{two("calc 5 cpu 256", ""), `line 3: rank 0: cpu: found "256", expected an integer in [0, 255]`},
		{two("calc 5 nic 1", ""), `line 3: rank 0: found nic 1, expected 0: hosts have one`},
		{two("calc 5 nic 0 cpu 0", ""), `line 3: rank 0: found "cpu 0", expected the end of the line`},
		{two("calc 5 tag 1", ""), `line 3: rank 0: found "tag 1", expected cpu or nic or the end of the line`},
		{two("s: send 8b", ""), `line 3: rank 0: "s": found a message to itself or nobody, expected another rank`},
		{two("s: send 8b from 1", ""), `line 3: rank 0: "s": found "from 1", expected to or tag or cpu or nic or the end of the line`},
		{two("s: send 8 b to 1", ""), `line 3: rank 0: "s": found "b to 1", expected to or tag or cpu or nic or the end of the line`},
		{two("s: send 8kb to 1", ""), `line 3: rank 0: "s": send: found "8k", expected an integer in [0, 1125899906842624]`},
		{two("s: send -8b to 1", ""), `line 3: rank 0: "s": send: found "-8", expected an integer in [0, 1125899906842624]`},
		{two("s: send 1125899906842625b to 1", ""), `line 3: rank 0: "s": send: found "1125899906842625", expected an integer in [0, 1125899906842624]`},
		{two("s: send 8b to 2", ""), `line 3: rank 0: "s": to: found "2", expected an integer in [0, 1]`},
		{two("s: send 8b to 0", ""), `line 3: rank 0: "s": found a message to itself or nobody, expected another rank`},
		{two("r: recv 8b from -1", ""), `line 3: rank 0: "r": from: found "-1", expected an integer in [0, 1]`},
		{two("s: send 8b to 1 tag -1", ""), `line 3: rank 0: "s": tag: found "-1", expected an integer in [0, 2147483647]`},
		{two("s: send 8b to 1 tag 1 tag 2", ""), `line 3: rank 0: "s": found "tag 2", expected cpu or nic or the end of the line`},
		{two("a: calc 1\na: calc 2", ""), `line 4: rank 0: "a": the label is that of line 3: rank 0: "a", expected another`},
		{two("a: calc 1\na requires b\nb: calc 1", ""), `line 4: rank 0: found "b", expected the label of an operation before it`},
		{two("a: calc 1", "b: calc 1\nb requires a"), `line 7: rank 1: found "a", expected the label of an operation before it`},
		{two("a: calc 1\na needs a", ""), `line 4: rank 0: found "a needs a", ` + operation},
		{two("a: calc 1\na requires", ""), `line 4: rank 0: found "a requires", ` + operation},
		{two("a: calc 1\na requires a", ""), `line 3: rank 0: "a" waits for itself, by way of line 3: rank 0: "a"`},
		{two("a: calc 1\nb: calc 2\na irequires b\nb requires a", ""), `line 3: rank 0: "a" waits for itself, by way of line 4: rank 0: "b"`},
		{two("s: send 8b to 1 tag 1", ""), `line 3: rank 0: "s": rank 1 has no other end of it with tag 1`},
		{two("s: send 8b to 1 tag 1", "r: recv 8b from 0 tag 2"), `line 3: rank 0: "s": rank 1 has no other end of it with tag 1`},
		{two("s: send 8b to 1\nt: send 8b to 1", "r: recv 8b from 0"), `line 4: rank 0: "t": rank 1 has no other end of it with tag 0`},
		{two("s: send 8b to 1", "r: recv 9b from 0"), `line 6: rank 1: "r": recv of 9 bytes must have the 8 of line 3: rank 0: "s"`},
		{two("s: send 1b to 1\nr: recv 1b from 1\ns requires r", "s: send 1b to 0\nr: recv 1b from 0\ns requires r"),
			`line 3: rank 0: "s" waits for itself, by way of line 4: rank 0: "r"`},
		{"num_ranks 1\nrank 0 {\n" + strings.Repeat("x", lines.MaxBytes+1), "line 3: rank 0: more than 4096 bytes in a line"},
		{two(strings.Repeat("y", 100)+": calc x", ""),
			`line 3: rank 0: "` + strings.Repeat("y", lines.MaxQuote) + `"...: calc: found "x", expected an integer in [0, 4000000000000000]`},
	}
}

func TestMalformed(t *testing.T) {
	const fewest = 50
	texts := append(malformedBlocks(), malformedOperations()...)
	if len(texts) < fewest {
		t.Errorf("%d texts, want at least %d", len(texts), fewest)
	}
	for _, c := range texts {
		want := "schedule: " + c.want
		if s, err := Read(strings.NewReader(c.text)); s != nil || err == nil || err.Error() != want {
			t.Errorf("%.200q: error %v, want %s", c.text, err, want)
		}
	}
}

// writtenAgain writes a schedule and reads it.
func writtenAgain(t *testing.T, s *Schedule) *Schedule {
	t.Helper()
	var text bytes.Buffer
	if err := Write(&text, s); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&text)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return again
}

// TestRoundTrip: random schedules are the same after they are written and read.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := randomSchedule(r, 1+r.IntN(6), 1+r.IntN(60), r.IntN(3))
		if again := writtenAgain(t, s); !reflect.DeepEqual(s.Ops, again.Ops) || !reflect.DeepEqual(s.Needs, again.Needs) || s.Ranks != again.Ranks {
			t.Fatalf("%+v is read as %+v (seed %d)", s, again, seed)
		}
	}
}

// failingWriter accepts some bytes and then fails.
type failingWriter struct{ left int }

func (f *failingWriter) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, fmt.Errorf("the disk is full")
	}
	return len(p), nil
}

func TestWriteFails(t *testing.T) {
	s, err := Read(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(&failingWriter{10}, s); err == nil || err.Error() != "the disk is full" {
		t.Errorf("error %v", err)
	}
}

// FuzzRead: whatever is read can be played to its end and is the same after it is written and read again; errors are
// short and print.
func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	for _, c := range append(malformedBlocks(), malformedOperations()...) {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read(bytes.NewReader(text))
		if err != nil {
			for _, r := range err.Error() {
				if !unicode.IsPrint(r) || len(err.Error()) > 1000 {
					t.Fatalf("error %q", err)
				}
			}
			return
		}
		if p := playIdeally(s); p.left > 0 || len(s.Ops) > 0 && endOf(p) != Ideal(s) {
			t.Fatalf("%+v ends with %d operations left", s, p.left)
		}
		if again := writtenAgain(t, s); !reflect.DeepEqual(again, s) {
			t.Errorf("%+v is read as %+v", s, again)
		}
	})
}

// BenchmarkRead loads a schedule of a million operations.
func BenchmarkRead(b *testing.B) {
	const ranks, operations = 1000, 1_000_000
	var text bytes.Buffer
	fmt.Fprintf(&text, "num_ranks %d\n", ranks)
	for rank := range ranks {
		fmt.Fprintf(&text, "rank %d {\n", rank)
		for i := range operations / ranks / 2 {
			fmt.Fprintf(&text, "s%d: send 4096b to %d tag %d\nr%d: recv 4096b from %d tag %d\n",
				i, (rank+1)%ranks, i, i, (rank+ranks-1)%ranks, i)
			if i > 0 {
				fmt.Fprintf(&text, "s%d requires r%d\n", i, i-1)
			}
		}
		fmt.Fprintln(&text, "}")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*operations/b.Elapsed().Seconds(), "operations/s")
}
