package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"repslab/internal/seal"
)

// headerFile opens a file that begins with the given bytes.
func headerFile(t *testing.T, data []byte) *os.File {
	t.Helper()
	path := inDir(t, "r")
	write(t, path, data)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestWhichHeadersAreRepaired lists damages of a header's line: what still shows that it was this header is repaired,
// and the records behind it are read as they are.
func TestWhichHeadersAreRepaired(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	line := s.Header.line()
	sum := len(line) - len("\"}\n") - 8 // the checksum's first digit
	set := func(places ...int) func([]byte) {
		return func(b []byte) {
			for _, p := range places {
				b[p] ^= 0x40
			}
		}
	}
	for _, c := range []struct {
		name     string
		damage   func([]byte)
		repaired bool
	}{
		{"none", func([]byte) {}, false},
		{"first byte", set(0), true},
		{"a byte of the body", set(40), true},
		{"three bytes of the body", set(20, 40, 60), true},
		{"a digit of the checksum becomes another", func(b []byte) { b[sum] = '0' + (b[sum]-'0'+1)%10 }, true},
		{"a digit of the checksum", set(sum), true},
		{"all digits of the checksum", func(b []byte) { copy(b[sum:], "????????") }, true},
		{"two digits, one is no digit", func(b []byte) { copy(b[sum:], "?"); b[sum+7] = '0' + (b[sum+7]+1)%8 }, true},
		{"another checksum", func(b []byte) { copy(b[sum:], "01234567") }, false},
		{"the body and the checksum", set(40, sum+3), false},
		{"the body and the checksum's name", set(40, sum-5), false},
		{"the body and the comma before the checksum", set(40, len(line)-1-seal.Length), false},
		{"newline", func(b []byte) { b[len(b)-1] = ' ' }, true},
		{"carriage return in the newline's place", func(b []byte) { b[len(b)-1] = '\r' }, false},
	} {
		bad := bytes.Clone(line)
		c.damage(bad)
		const records = "records\nof the sweep"
		r, err := newIndex(s, nil).repairHeader(headerFile(t, append(bad, records...)))
		if err != nil || (r != nil) != c.repaired {
			t.Errorf("%s: repaired %v, want %v; error %v", c.name, r != nil, c.repaired, err)
		}
		if r == nil {
			continue
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != string(line)+records {
			t.Errorf("%s: reads %q, error %v", c.name, got, err)
		}
	}
	r, err := newIndex(s, nil).repairHeader(headerFile(t, line[:len(line)-1]))
	if r != nil || err != nil {
		t.Errorf("a file shorter than the header: repaired %v, error %v", r != nil, err)
	}
	closed := headerFile(t, line)
	closed.Close()
	if r, err := newIndex(s, nil).repairHeader(closed); r != nil || err == nil {
		t.Error("a file that cannot be read: no error")
	}
}

// TestShardInDamagedHeader: the repaired header describes the shard that the line names, and the whole sweep if it
// names none or its end lies beyond the first 4 KiB.
func TestShardInDamagedHeader(t *testing.T) {
	for _, c := range []struct {
		text string
		want Shard
	}{
		{`x{"repslab":"v","shard":{"index":3,"of":12},"x":1}`, Shard{3, 12}},
		{`{"repslab":"v","shard":{"index":3,"off":12}}`, Shard{}},
		{`{"repslab":"v"}`, Shard{}},
		{``, Shard{}},
		{`"shard":{"index":99999999999999999999,"of":12}`, Shard{}},
		{strings.Repeat(" ", 4<<10-27) + `"shard":{"index":1,"of":2}`, Shard{1, 2}},
		{strings.Repeat(" ", 4<<10-25) + `"shard":{"index":1,"of":2}`, Shard{}},
	} {
		if got := shardIn(headerFile(t, []byte(c.text))); got != c.want {
			t.Errorf("%.60q: shard %v, want %v", strings.TrimSpace(c.text), got, c.want)
		}
	}
	whole := diceSweep(t, usual, Shard{}, 6)
	first := diceSweep(t, usual, Shard{1, 2}, 6)
	bad := first.Header.line()
	bad[3] ^= 1
	for _, anyShard := range []bool{true, false} {
		x := newIndex(whole, nil)
		x.anyShard = anyShard
		if r, err := x.repairHeader(headerFile(t, append(bytes.Clone(bad), make([]byte, 99)...))); err != nil || (r != nil) != anyShard {
			t.Errorf("any shard %v: repaired %v, error %v", anyShard, r != nil, err)
		}
	}
}

// TestReadHeader: a header is read with its version; other first lines are told by their kind, with file and line.
func TestReadHeader(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 6)
	sealed := func(format string, args ...any) []byte { return seal.Line(fmt.Appendf(nil, format, args...)) }
	path := inDir(t, "r")
	for _, c := range []struct {
		name   string
		data   []byte
		is     error
		words  string
		result bool
	}{
		{"header", s.Header.line(), nil, "", true},
		{"earliest schema", sealed(`{"repslab":"v","schema":1`), nil, "", true},
		{"schema 0", sealed(`{"repslab":"v","schema":0`), nil, fmt.Sprintf(":1: has schema 0, but this version of the program reads schemas 1 to %d", schema), true},
		{"later schema", sealed(`{"repslab":"v","schema":%d`, schema+1), nil, fmt.Sprintf("has schema %d,", schema+1), true},
		{"changed", bytes.Replace(s.Header.line(), []byte("dice"), []byte("mice"), 1), seal.ErrCorrupted, ":1: ", true},
		{"wrong type", sealed(`{"repslab":7`), ErrForeign, ":1: ", true},
		{"changed start", append([]byte("#"), s.Header.line()...), ErrForeign, ":1: ", true},
		{"changed end", append(bytes.TrimRight(s.Header.line(), "}\n"), ')', '\n'), seal.ErrCorrupted, ":1: ", true},
		{"text", []byte("load,mean\n"), ErrForeign, ":1: ", false},
		{"empty", nil, errNoLine, path + ": ", false},
	} {
		write(t, path, c.data)
		h, err := ReadHeader(path)
		if wrong := c.is != nil || c.words != ""; (err != nil) != wrong || c.is != nil && !errors.Is(err, c.is) ||
			err != nil && (!strings.HasPrefix(err.Error(), path) || !strings.Contains(err.Error(), c.words)) {
			t.Errorf("%s: error %v, want %v %q", c.name, err, c.is, c.words)
		}
		if err == nil && h.Program.Version != h.Repslab {
			t.Errorf("%s: version %q, want %q", c.name, h.Program.Version, h.Repslab)
		}
		if got := IsResult(path); got != c.result {
			t.Errorf("%s: looks like a result file: %v", c.name, got)
		}
	}
	for _, irregular := range []string{filepath.Dir(path), path + ".missing"} {
		if _, err := ReadHeader(irregular); err == nil || IsResult(irregular) {
			t.Errorf("%s is read", irregular)
		}
	}
}
