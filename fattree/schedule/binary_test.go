package schedule

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// binaryOf returns a schedule in the binary form.
func binaryOf(t testing.TB, s *Schedule) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteBinary(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sorted returns a schedule with the needs of each operation in ascending order, as binary files have them.
func sorted(s *Schedule) *Schedule {
	c := *s
	c.Needs = slices.Clone(s.Needs)
	for i, needs := range s.Needs {
		c.Needs[i] = slices.SortedStableFunc(slices.Values(needs), func(a, b Edge) int {
			return cmp.Or(cmp.Compare(a.Before, b.Before), strings.Compare(fmt.Sprint(a.Start), fmt.Sprint(b.Start)))
		})
	}
	return &c
}

// longOf returns a file of 39 bytes for an operation as LogGOPSim2 writes it, with other fields of any value.
func longOf(file []byte) (long []byte) {
	u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	ranks := int(u32(file[8:]))
	long = slices.Clone(file[:14+16*ranks])
	for rank := range ranks {
		at := 14 + 16*rank
		block := file[8+u64(file[at:]) : 8+u64(file[at+8:])]
		binary.LittleEndian.PutUint64(long[at:], uint64(len(long)-8))
		operations, from := int(u32(block)), 8+4*int(u32(block[4:]))
		long, block = append(long, block[:from]...), block[from:]
		for range operations {
			long = append(append(long, block[:39]...), bytes.Repeat([]byte{byte(rank + 1)}, 65)...)
			block = block[39:]
		}
		long = append(long, block...)
		binary.LittleEndian.PutUint64(long[at+8:], uint64(len(long)-8))
	}
	return long
}

// drawn draws a schedule, of which some receives accept any source or tag.
func drawn(t *rapid.T) *Schedule {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	s := randomSchedule(r, 1+r.IntN(6), r.IntN(60), r.IntN(3))
	for i := range s.Ops {
		if op := &s.Ops[i]; op.Kind == Recv && r.IntN(8) == 0 {
			op.Peer = -1 // the tag is unique, so the match stays
		}
	}
	return s
}

// TestBinaryRoundTrip: a schedule in the text and in either binary form is the same. A text becomes the same text by
// way of a binary file. Files have the size that the format says.
func TestBinaryRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sorted(drawn(t))
		var text, again, file bytes.Buffer
		if err := cmp.Or(Write(&text, s), WriteBinary(&file, s)); err != nil {
			t.Fatal(err)
		}
		want, err := Read(bytes.NewReader(text.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(bytes.NewReader(file.Bytes()))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("binary %+v, error %v; text %+v", got, err, want)
		}
		if err := Write(&again, got); err != nil || again.String() != text.String() {
			t.Fatalf("the text %q becomes %q, error %v", text.String(), again.String(), err)
		}
		long := longOf(file.Bytes())
		if got, err = Read(bytes.NewReader(long)); err != nil || !reflect.DeepEqual(got.Ops, want.Ops) || !reflect.DeepEqual(got.Needs, want.Needs) || (len(got.Warnings) > 0) != (len(s.Ops) > 0) {
			t.Fatalf("LogGOPSim2 %+v, error %v; text %+v", got, err, want)
		}
		size := 14 + (16+8)*s.Ranks + 39*len(s.Ops)
		for _, needs := range s.Needs {
			size += 4 * max(1, len(needs)) // a root, or its edges
		}
		if file.Len() != size || len(long) != size+65*len(s.Ops) {
			t.Fatalf("%d bytes, and %d of LogGOPSim2; want %d and %d", file.Len(), len(long), size, size+65*len(s.Ops))
		}
	})
}

// TestBinaryFile: the file of the field's converter is read as it was meant, and written again with the same bytes.
func TestBinaryFile(t *testing.T) {
	file, err := os.ReadFile("testdata/binary_goal.bin")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want := []Op{{Send, 0, 0, 15, 0, 80_000_000, 2}, {Recv, 0, 0, 15, 0, 80_000_000, 3}, {Recv, 0, 15, 0, 0, 80_000_000, 0}, {Send, 0, 15, 0, 0, 80_000_000, 1}}
	if s.Ranks != 16 || !reflect.DeepEqual(s.Ops, want) || !reflect.DeepEqual(s.Needs, [][]Edge{nil, nil, nil, {{2, false}}}) || s.Warnings != nil {
		t.Errorf("%+v", s)
	}
	if again := binaryOf(t, s); !bytes.Equal(again, file) {
		t.Errorf("written again:\n%x\nwant\n%x", again, file)
	}
}

// small has 14 bytes of header, then the places of two ranks, then rank 0 at 46 with its operations at 58, 97 and 136
// and its appendix at 175, and rank 1 at 183 with its operation at 195.
const small = "num_ranks 2\nrank 0 {\na: calc 5 cpu 1\nb: send 8b to 1 tag 7\nc: calc 1\nb requires a\nc irequires a\n}\nrank 1 {\nrecv 8b from 0 tag 7\n}\n"

// change is a number in place of another one in the file of small.
type change struct {
	at, bytes int
	value     uint64
}

// brokenBinaries are changes of small's file, and the errors about them.
func brokenBinaries() map[string][]change {
	const lists = "rank 0: found 129 bytes for 1 roots and 3 operations with their lists, expected 39 bytes for an operation, or 104 in all ranks of a file of LogGOPSim2"
	const far = "expected it from 38, where the part before it ends, to 46 or more"
	return map[string][]change{
		"the file begins with 2342 in place of 4223: LogGOPSim changed its counts when it simulated the file, which must be made anew": {{0, 8, 2342}},
		"the file is binary, but does not begin with 4223, in 8 bytes from the lowest, as GOAL's binary form does":                     {{0, 8, 4224}},
		"found 0 ranks, expected a number in [1, 2097152]":                                                                             {{8, 4, 0}},
		"found 2097153 ranks, expected a number in [1, 2097152]":                                                                       {{8, 4, 2097153}},
		"rank 0: found it from byte 39 to 175 after the cookie, " + far:                                                                {{14, 8, 39}},
		"rank 0: found it from byte 37 to 175 after the cookie, " + far:                                                                {{14, 8, 37}},
		"rank 0: found it from byte 38 to 45 after the cookie, " + far:                                                                 {{22, 8, 45}},
		"rank 0: found it from byte 38 to 9223372036854775808 after the cookie, " + far:                                                {{22, 8, 1 << 63}},
		"rank 1: found it from byte 175 to 226 after the cookie, expected it from 176, where the part before it ends, to 184 or more":  {{22, 8, 176}},
		"rank 1: its operations: found 43 bytes, expected 44: EOF":                                                                     {{38, 8, 227}},
		"found bytes after the last rank, expected the end of the file":                                                                {{38, 8, 183}, {183, 8, 0}},
		"rank 0: found 4294967295 operations after 0, expected at most 16777216 in all":                                                {{46, 4, 1<<32 - 1}},
		"rank 1: found 16777214 operations after 3, expected at most 16777216 in all":                                                  {{183, 4, 1<<24 - 2}},
		strings.Replace(lists, "3 op", "16777216 op", 1):                                                                               {{46, 4, 1 << 24}},
		strings.Replace(lists, "3 op", "2 op", 1):                                                                                      {{46, 4, 2}},
		strings.Replace(lists, "1 roots", "4294967295 roots", 1):                                                                       {{50, 4, 1<<32 - 1}},
		strings.Replace(lists, "1 roots", "0 roots", 1):                                                                                {{50, 4, 0}},
		lists: {{58 + 23, 4, 1<<32 - 1}},

		"rank 0: operation 0: found type 0 (no type of GOAL), expected 1 (send), 2 (receive) or 3 (calculation)":                       {{58 + 4, 1, 0}},
		"rank 0: operation 1: found type 4 (put, of LogGOPSim2 alone), expected 1 (send), 2 (receive) or 3 (calculation)":              {{97 + 4, 1, 4}},
		"rank 0: operation 1: found type 7 (ctwait, of LogGOPSim2 alone), expected 1 (send), 2 (receive) or 3 (calculation)":           {{97 + 4, 1, 7}},
		"rank 0: operation 2: found type 11 (gem5calc, of LogGOPSim2 alone), expected 1 (send), 2 (receive) or 3 (calculation)":        {{136 + 4, 1, 11}},
		"rank 1: operation 0: found type 12 (no type of GOAL), expected 1 (send), 2 (receive) or 3 (calculation)":                      {{195 + 4, 1, 12}},
		"rank 0: operation 1: found a message with rank 0, expected another rank in [0, 1], or any (4294967295) of a receive":          {{97 + 5, 4, 0}},
		"rank 0: operation 1: found a message with rank 2, expected another rank in [0, 1], or any (4294967295) of a receive":          {{97 + 5, 4, 2}},
		"rank 0: operation 1: found a message with rank 4294967295, expected another rank in [0, 1], or any (4294967295) of a receive": {{97 + 5, 4, anything}},
		"rank 1: operation 0: found a message with rank 4294967294, expected another rank in [0, 1], or any (4294967295) of a receive": {{195 + 5, 4, anything - 1}},
		"rank 0: operation 0: found a calculation of 4000000000000001 ns, expected at most 4000000000000000":                           {{58 + 9, 8, MaxCalc + 1}},
		"rank 0: operation 2: calcs take 4000000000000005 ns up to here, must be at most 4000000000000000":                             {{136 + 9, 8, MaxCalc}},
		"rank 0: operation 1: found a message of 1125899906842625 bytes, expected at most 1125899906842624":                            {{97 + 9, 8, MaxBytes + 1}},
		"rank 0: operation 1: found a message of 18446744073709551615 bytes, expected at most 1125899906842624":                        {{97 + 9, 8, 1<<64 - 1}},
		"rank 0: operation 1: found a send with any tag (4294967295), expected a tag below it":                                         {{97 + 17, 4, anything}},
		"rank 0: operation 0: found cpu 2, expected one in [0, 1], as the header says":                                                 {{58 + 21, 1, 2}},
		"rank 0: operation 2: found nic 1, expected 0: hosts have one":                                                                 {{136 + 22, 1, 1}},

		"rank 0: operation 0: found it as a root, but it waits for 1 operations, expected 0":                                         {{58, 4, 1}},
		"rank 1: operation 0: it waits for nothing, expected it as a root":                                                           {{191, 4, 1}},
		"rank 0: operation 1: found that operations up to here wait for 4294967295 others, expected at most 2, the numbers in lists": {{97, 4, 1<<32 - 1}},
		"rank 0: found 1 roots, expected the 0 operations that wait for nothing, each once":                                          {{58, 4, 1}, {54, 4, 9}},
		"rank 0: operation 2: found that operations up to here wait for 3 others, expected at most 2, the numbers in lists":          {{97, 4, 2}},
		"rank 0: operation 0: found its list of 1 from place 2 on, expected it within the 2 numbers in lists":                        {{58 + 35, 4, 2}},
		"rank 0: operation 0: found its list of 1 from place 4294967295 on, expected it within the 2 numbers in lists":               {{58 + 27, 4, 1<<32 - 1}},
		"rank 0: operation 0: found operation 3 in its list, expected one in [0, 2]":                                                 {{175, 4, 3}},
		"rank 0: operation 1: found it in the lists of more than the 1 operations that it waits for":                                 {{179, 4, 1}},
		"rank 0: operation 2: found it in the lists of more than the 1 operations that it waits for":                                 {{175, 4, 2}},

		"rank 0: operation 1: rank 1 has no other end of it with tag 8":               {{97 + 17, 4, 8}},
		"rank 1: operation 0: recv of 9 bytes must have the 8 of rank 0: operation 1": {{195 + 9, 8, 9}},
		"rank 0: operation 1: rank 1 has no other end of it with tag 7":               {{195 + 17, 4, anything - 1}},
		"rank 0: operation 1 waits for itself, by way of rank 0: operation 1":         {{58 + 23, 4, 0}, {97 + 23, 4, 1}, {97 + 27, 4, 0}},
	}
}

// TestBrokenBinaries: what a binary file may not say is an error that names the rank, the operation and what is
// allowed.
func TestBrokenBinaries(t *testing.T) {
	good, err := Read(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	file := binaryOf(t, good)
	for want, changes := range brokenBinaries() {
		broken := slices.Clone(file)
		for _, c := range changes {
			var number [8]byte
			binary.LittleEndian.PutUint64(number[:], c.value)
			copy(broken[c.at:c.at+c.bytes], number[:])
		}
		if s, err := Read(bytes.NewReader(broken)); s != nil || err == nil || err.Error() != "schedule: "+want {
			t.Errorf("%v:\n%v, want\nschedule: %s", changes, err, want)
		}
	}
}

// TestHarmlessBinaries: roots may have any order, and a list without operations any place; and all ranks have one form.
func TestHarmlessBinaries(t *testing.T) {
	s, err := Read(strings.NewReader("num_ranks 2\nrank 0 {\ncalc 1\ncalc 2\n}\nrank 1 {\ncalc 3\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	file := binaryOf(t, s)
	const roots, operations, last = 54, 62, 62 + 2*39 + 12
	copy(file[roots:], []byte{1, 0, 0, 0, 0, 0, 0, 0})
	copy(file[operations+27:], []byte{0xe7, 3, 0, 0})
	copy(file[operations+35:], []byte{255, 255, 255, 255})
	if got, err := Read(bytes.NewReader(file)); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, error %v, want %+v", got, err, s)
	}
	mixed := append(slices.Clone(file[:last]), longOf(file)[last+2*65:]...)
	binary.LittleEndian.PutUint64(mixed[38:], uint64(len(mixed)-8))
	const want = "schedule: rank 1: found 108 bytes for 1 roots and 1 operations with their lists, expected 39 bytes for an operation, or 104 in all ranks of a file of LogGOPSim2"
	if _, err := Read(bytes.NewReader(mixed)); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestHostileBinaries: a file that ends too early is an error at each byte, in all forms; and numbers that promise more
// than the file has, in any place, take no memory.
func TestHostileBinaries(t *testing.T) {
	good, err := Read(strings.NewReader(small))
	if err != nil {
		t.Fatal(err)
	}
	short := binaryOf(t, good)
	for _, file := range [][]byte{short, longOf(short)} {
		for n := range file {
			if s, err := Read(bytes.NewReader(file[:n])); s != nil || err == nil {
				t.Fatalf("the first %d of %d bytes give %+v", n, len(file), s)
			}
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	files := 0
	for at := 8; at < len(short); at++ {
		for _, high := range []int{1, 2, 3, 4, 8} {
			hostile := slices.Clone(short)
			copy(hostile[at:], bytes.Repeat([]byte{0xff}, high-1))
			copy(hostile[min(len(short)-1, at+high-1):], []byte{0x7f})
			_, _ = Read(bytes.NewReader(hostile)) // some changes are harmless
			files++
		}
	}
	runtime.ReadMemStats(&after)
	if per := (after.TotalAlloc - before.TotalAlloc) / uint64(files); per > 40_000 {
		t.Errorf("%d bytes are allocated for a file of %d", per, len(short))
	}
}

// millionOperations returns a binary file of 1,000 ranks with 1,000 operations each: rings in which each send waits for
// the receive before it.
func millionOperations(b *testing.B) []byte {
	const ranks, operations = 1000, 1000
	s := &Schedule{Ranks: ranks}
	for rank := range int32(ranks) {
		for i := range int32(operations / 2) {
			send, next, last := rank*operations+2*i, (rank+1)%ranks, (rank+ranks-1)%ranks
			s.Ops = append(s.Ops, Op{Send, 0, rank, next, int64(i), 4096, next*operations + 2*i + 1}, Op{Recv, 0, rank, last, int64(i), 4096, last*operations + 2*i})
			needs := []Edge{{Before: send - 1}}
			if i == 0 {
				needs = nil
			}
			s.Needs = append(s.Needs, needs, nil)
		}
	}
	return binaryOf(b, s)
}

// BenchmarkReadBinary loads the schedule of BenchmarkRead.
func BenchmarkReadBinary(b *testing.B) {
	file := millionOperations(b)
	b.ReportAllocs()
	var live runtime.MemStats
	for b.Loop() {
		s, err := Read(bytes.NewReader(file))
		if err != nil {
			b.Fatal(err)
		}
		runtime.ReadMemStats(&live)
		runtime.KeepAlive(s)
	}
	b.ReportMetric(float64(b.N)*1_000_000/b.Elapsed().Seconds(), "operations/s")
	b.ReportMetric(float64(live.HeapSys)/1_000_000, "heap-B/operation")
}
