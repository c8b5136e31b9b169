package schedule

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"

	"repslab/internal/lines"
)

// good is a text with all elements of the format.
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

// TestMatching: the k-th send matches the k-th recv with the same ranks and tag, whatever is between
// them.
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

// TestOpenReceives: receives from any rank or with any tag take the remaining sends. Sends come in the
// order in which they start, and each goes to the first matching receive of the file.
func TestOpenReceives(t *testing.T) {
	for name, c := range map[string]struct {
		blocks  [3]string
		matches []int32
	}{
		"the later one starts first": {[3]string{"recv 1b from -1\nrecv 1b from -1", "c: calc 5\ns: send 1b to 0 tag 7\ns requires c", "send 1b to 0 tag 9223372036854775807"}, nil},
		"an answer comes between": {[3]string{"a: recv 1b from -1 tag -1\ns: send 1b to 1\ns requires a\nrecv 1b from -1 tag -1",
			"r: recv 1b from 0\ns: send 1b to 0 tag 2\ns requires r", "send 1b to 0 tag 3"}, []int32{5, 3, 4, 1, 2, 0}},
		"a recv with ends comes first": {[3]string{"recv 1b from -1\nrecv 1b from 1", "send 1b to 0", "send 1b to 0"}, []int32{3, 2, 1, 0}},
		"a tag keeps others out":       {[3]string{"recv 1b from -1 tag 4\nrecv 1b from 1 tag -1", "send 1b to 0 tag 5", "send 1b to 0 tag 4"}, []int32{3, 2, 1, 0}},
		"empty messages":               {[3]string{"recv 0b from -1 tag -1", "send 0b to 0", "calc 1"}, []int32{1, 0, -1}},
	} {
		text := "num_ranks 3\n"
		for rank, block := range c.blocks {
			text += fmt.Sprintf("rank %d {\n%s\n}\n", rank, block)
		}
		s, err := Read(strings.NewReader(text))
		if c.matches == nil {
			if err == nil || !strings.Contains(err.Error(), "no send that can start is left") {
				t.Errorf("%s: error %v: a recv without tag has tag 0", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, op := range s.Ops {
			if op.Match != c.matches[i] {
				t.Errorf("%s: operation %d matches %d, want %d", name, i, op.Match, c.matches[i])
			}
		}
		if again := writtenAgain(t, s); !reflect.DeepEqual(again, s) {
			t.Errorf("%s: %+v is read as %+v", name, s, again)
		}
	}
}

// TestRanksInAnyOrder: blocks in another order give the same schedule.
func TestRanksInAnyOrder(t *testing.T) {
	head, blocks, _ := strings.Cut(good, "rank 0 {\ncompute")
	first, rest, _ := strings.Cut("rank 0 {\ncompute"+blocks, "rank 1 {")
	second, third, _ := strings.Cut("rank 1 {"+rest, "rank 2{")
	want, err := Read(strings.NewReader(good))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{head + "rank 2{" + third + second + first, head + second + first + "rank 2{" + third} {
		if got, err := Read(strings.NewReader(text)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, error %v, want %+v of\n%s", got, err, want, text)
		}
	}
}

// TestFieldsFiles: files of the field and its tools.
func TestFieldsFiles(t *testing.T) {
	read := func(name string) (*Schedule, error) {
		text, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return Read(bytes.NewReader(text))
	}
	if s, err := read("duplicate_label.goal"); err != nil || len(s.Warnings) != 1 ||
		s.Warnings[0] != `line 13: "l1" is the label of line 12: rank 3: "l1" too, and stays that` {
		t.Errorf("%+v, error %v", s, err)
	}
	if s, err := read("any_source.goal"); err != nil || s.Ops[0].Match != 1 || s.Ops[1].Peer != -1 || s.Ops[1].Tag != -1 {
		t.Errorf("%+v, error %v", s, err)
	}
	s, err := Read(strings.NewReader(two("a: calc 1\na: calc 2\nb: calc 3\nb requires a", "")))
	if err != nil || s.Needs[2][0].Before != 0 {
		t.Errorf("%+v, error %v: the label stays that of the first operation", s, err)
	}
}

// two returns a text of two ranks.
func two(first, second string) string {
	return "num_ranks 2\nrank 0 {\n" + first + "\n}\nrank 1 {\n" + second + "\n}\n"
}

type malformed struct{ text, want string }

// operation is the end of errors about invalid statements.
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
		{"\x01\x02\n", `line 1: found "\x01\x02", expected num_ranks N`},
		{"num_ranks 1\n", "line 1: found the end of the file, expected rank 0 {"},
		{"num_ranks 1\nrank 0\n", `line 2: found "rank 0", expected rank 0 {`},
		{"num_ranks 2\nrank 1 {\n}\n", `line 3: found the end of the file, expected rank 0 {`},
		{"num_ranks 2\nrank 0 {\n}\nrank 0 {\n", `line 4: rank 0 is given a second time`},
		{"num_ranks 2\nrank 0 {\n}\nrank 2 {\n", `line 4: rank: found "2", expected an integer in [0, 1]`},
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
		{two("r: recv 8b from -2", ""), `line 3: rank 0: "r": from: found "-2", expected an integer in [-1, 1]`},
		{two("r: recv 8b from -1", ""), `line 3: rank 0: "r": no send that can start is left for it`},
		{two("r: recv 8b from 1 tag -1", "send 8b to 0 tag 3\nsend 8b to 0 tag 4"), `line 7: rank 1: rank 0 has no other end of it with tag 4`},
		{two("r: recv 8b from -1", "send 9b to 0"), `line 3: rank 0: "r": recv of 8 bytes must have the 9 of line 6: rank 1`},
		{two("r: recv 8b from -1\ns: send 8b to 1\ns requires r", "r: recv 8b from 0\ns: send 8b to 0\ns requires r"),
			`line 3: rank 0: "r": no send that can start is left for it`},
		{two("s: send 8b to -1", ""), `line 3: rank 0: "s": to: found "-1", expected an integer in [0, 1]`},
		{two("s: send 8b to 1 tag -1", ""), `line 3: rank 0: "s": tag: found "-1", expected an integer in [0, 9223372036854775807]`},
		{two("s: send 8b to 1 tag 9223372036854775808", ""), `line 3: rank 0: "s": tag: found "9223372036854775808", expected an integer in [0, 9223372036854775807]`},
		{two("s: send 8b to 1 tag 1 tag 2", ""), `line 3: rank 0: "s": found "tag 2", expected cpu or nic or the end of the line`},
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
	for name, write := range map[string]func(io.Writer, *Schedule) error{"Write": Write, "WriteBinary": WriteBinary} {
		if err := write(&failingWriter{10}, s); err == nil || err.Error() != "the disk is full" {
			t.Errorf("%s: error %v", name, err)
		}
		if err := write(io.Discard, nil); err == nil || !strings.Contains(err.Error(), "w, s") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	s.Ops[1].Tag, s.Ops[4].Tag = anything-1, anything-1
	if err := WriteBinary(io.Discard, s); err != nil {
		t.Error(err)
	}
	s.Ops[1].Tag, s.Ops[4].Tag = anything, anything
	if err := WriteBinary(io.Discard, s); err == nil || err.Error() != "schedule: Ops[1].Tag (4294967295) must be below 4294967295, the largest number of the binary form" {
		t.Errorf("error %v", err)
	}
}

// FuzzRead: whatever is read can be played to its end and is the same after it is written and read again, as text and
// in the binary form; errors are short and print.
func FuzzRead(f *testing.F) {
	f.Add([]byte(good))
	if s, err := Read(strings.NewReader(small)); err == nil {
		f.Add(binaryOf(f, s))
		f.Add(longOf(binaryOf(f, s)))
	}
	for _, c := range append(malformedBlocks(), malformedOperations()...) {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text))
		}
	}
	f.Add([]byte("num_ranks 1\nrank 0 {\n}"))
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
		s.Warnings = nil
		if again := writtenAgain(t, s); !reflect.DeepEqual(again, s) {
			t.Errorf("%+v is read as %+v", s, again)
		}
		if slices.ContainsFunc(s.Ops, func(op Op) bool { return op.Tag >= anything }) {
			return
		}
		if again, err := Read(bytes.NewReader(binaryOf(t, s))); err != nil || !reflect.DeepEqual(again, sorted(s)) {
			t.Errorf("%+v is read from the binary form as %+v, error %v", s, again, err)
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
