package sweep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"repslab/mc"
)

// allocated returns the bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// gigantic writes a file that begins with text and has a longer line than allowed, with or without a
// newline at the end. It is sparse, so it takes no space on the disk.
func gigantic(t *testing.T, text, end string) string {
	t.Helper()
	path := inDir(t, "r")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(" "+end), 3*maxLine); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHostileFiles: files that demand much memory are refused, or their wrong parts left out, by all
// readers and without taking that memory. It needs REPSLAB_LONG=1.
func TestHostileFiles(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	s := diceSweep(t, usual, Shard{}, 6)
	header := string(s.Header.line())
	record := strings.TrimSuffix(string(blockRecord(s.ids[0], s.block(0), new(dice))), "}\n")
	blocks := s.Header
	blocks.Config.Replicas, blocks.Config.Block = 1<<28, 1
	for _, c := range []struct {
		name, start, end  string
		ofHeader, ofLines string // expected errors
		salvaged          bool   // wrong lines can be left out
	}{
		{"a header without end", headerStart, "", "it has no whole line", "it has no whole line", false},
		{"a long header", headerStart, "\n", ":1: is longer than the 64 MiB", ":1: is longer than the 64 MiB", false},
		{"a long record", header + record, "\n", "", ":2: is longer than the 64 MiB", true},
		{"a torn record", header + record, "", "", "", true},
		{"a long line that is no record", header, "\n", "", ":2: is longer than the 64 MiB", true},
		{"many blocks", string(blocks.line()), "\n", "", "replicas is 268435456 there and 96 here, block is 1 there", false},
	} {
		path := gigantic(t, c.start, c.end)
		if got := allocated(func() {
			_, err := ReadHeader(path)
			expect(t, c.name, "header", err, c.ofHeader)
			_, err = Read(path, func(string) {})
			if c.name == "many blocks" { // Read does not count blocks
				expect(t, c.name, "read", err, ":2: is longer than the 64 MiB")
			} else {
				expect(t, c.name, "read", err, c.ofLines)
			}
			_, err = s.Inspect(path)
			if !strings.Contains(c.ofLines, "no whole line") { // otherwise the file has nothing of the sweep
				expect(t, c.name, "inspect", err, c.ofLines)
			}
			_, err = s.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{Salvage: true})
			if c.salvaged {
				c.ofLines = ""
			}
			expect(t, c.name, "salvage", err, c.ofLines)
		}); got > 50<<20 {
			t.Errorf("%s: reading it four times asks for %d MiB", c.name, got>>20)
		}
	}
}

// TestTooLargeSums: if merging blocks overflows the 128 bits of a sum, the error names the line of the
// block.
func TestTooLargeSums(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	huge := new(dice)
	if err := mc.ReadTally([]byte(`{"replicas":10,"faces":[[9223372036854775807,3]]}`), huge); err != nil {
		t.Fatal(err)
	}
	record := func(k uint64) []byte { return blockRecord(s.ids[0], s.block(k), huge) }
	path := inDir(t, "r")
	write(t, path, bytes.Join([][]byte{s.Header.line(), record(0), record(1)}, nil))
	_, err := s.Run(context.Background(), path, Options{Resume: true})
	expect(t, "sums", "resume", err, ":3: panic: mc: the sum of squares passes 2^128")
	_, err = s.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{})
	expect(t, "sums", "merge", err, ":3: panic: mc: the sum of squares passes 2^128")
}

// expect checks an error. If want is empty there must be none.
func expect(t *testing.T, name, reader string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s, %s: error %v, want %q", name, reader, err, want)
	}
}

// TestLongLines: lines longer than the buffer are read whole, up to the longest.
func TestLongLines(t *testing.T) {
	var want [][]byte
	var file bytes.Buffer
	for i, length := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5 << 20, 3, maxLine - 1, 2} {
		want = append(want, bytes.Repeat([]byte{'a' + byte(i)}, length))
		file.Write(want[i])
		file.WriteByte('\n')
	}
	file.WriteString("torn")
	path := inDir(t, "lines")
	write(t, path, file.Bytes())
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var last fileLine
	for l, err := range wholeLines(f, f) {
		if err != nil || !bytes.Equal(l.data, want[l.number-1]) || l.end != l.offset+int64(len(l.data))+1 || file.Bytes()[l.end-1] != '\n' {
			t.Errorf("line %d: %d bytes at %d, want %d (error %v)", l.number, len(l.data), l.offset, len(want[l.number-1]), err)
		}
		last = l
	}
	if last.number != len(want) || last.end != int64(file.Len()-len("torn")) {
		t.Errorf("%d bytes in %d whole lines, want %d in %d", last.end, last.number, file.Len()-len("torn"), len(want))
	}
}

// TestTooLarge: records that are too long to be read again, and sweeps with too many blocks, are not
// written.
func TestTooLarge(t *testing.T) {
	rows := Rows{Replicas: 1, Rows: nil, Warnings: []string{strings.Repeat("w", maxLine)}}
	if _, err := valueRecord("0123456789abcdef", rowsKind, rows); !errors.Is(err, errLong) {
		t.Errorf("rows of %d MiB: error %v", maxLine>>20, err)
	}
	c := Config{Model: "dice", Seed: 1, Replicas: maxBlocks * 2, Block: 1}
	if _, err := New(testProgram, c, diceColumns, []Point{dicePoint(6)}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("Block (1) must be in [2, Replicas=%d]", c.Replicas)) {
		t.Errorf("%d blocks: error %v", c.Replicas, err)
	}
	c.Block = 2
	if _, err := New(testProgram, c, diceColumns, []Point{dicePoint(6)}); err != nil {
		t.Errorf("%d blocks: %v", maxBlocks, err)
	}
}
