package sweep

import (
	"bytes"
	"context"
	"os"
	"reflect"
	"strings"
	"testing"
)

// asText returns a file as editors and version control of Windows leave it: with a byte-order mark, and with CRLF
// after each line or after some.
func asText(whole []byte) map[string][]byte {
	crlf := bytes.ReplaceAll(whole, []byte("\n"), []byte("\r\n"))
	mark := []byte("\ufeff")
	return map[string][]byte{
		"mark": append(bytes.Clone(mark), whole...), "CRLF": crlf, "both": append(bytes.Clone(mark), crlf...),
		"CRLF of the header": bytes.Replace(whole, []byte("\n"), []byte("\r\n"), 1),
		"CRLF of records":    bytes.Replace(crlf, []byte("\r\n"), []byte("\n"), 1),
	}
}

// TestFilesAsText: a result file with a byte-order mark or CRLF has the rows of the original, and its sweep is resumed,
// inspected and merged to the same bytes, whether it is finished or was killed at any line.
func TestFilesAsText(t *testing.T) {
	s := diceSweep(t, usual, Shard{}, 2, 6, 1)
	whole := mustRun(t, s, inDir(t, "r.jsonl"), Options{})
	path, merged := inDir(t, "copy.jsonl"), inDir(t, "merged.jsonl")
	write(t, path, whole)
	original, err := Read(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(whole, []byte("\n"))
	for _, kept := range []int{1, 2, 15, len(lines) - 1} {
		start := bytes.Join(lines[:kept], nil)
		for name, text := range asText(start) {
			write(t, path, text)
			warn := func(text string) { t.Errorf("%s, %d lines: %s", name, kept, text) }
			got, err := Read(path, warn)
			if kept == len(lines)-1 && !reflect.DeepEqual(got, original) || err != nil || !IsResult(path) {
				t.Errorf("%s, %d lines: %+v, error %v", name, kept, got, err)
			}
			if v, err := s.Inspect(path); err != nil || v.Bytes != int64(len(text)) || v.Finished != (kept == len(lines)-1) {
				t.Errorf("%s, %d lines: %+v, error %v", name, kept, v, err)
			}
			if kept == len(lines)-1 {
				if _, err := s.Merge(context.Background(), []string{path}, merged, MergeOptions{Warn: warn}); err != nil || !bytes.Equal(contents(t, merged), whole) {
					t.Errorf("%s is merged to other bytes, error %v", name, err)
				}
			}
			if again := mustRun(t, s, path, Options{Resume: true, Warn: warn}); !bytes.Equal(again, whole) {
				t.Errorf("%s, %d lines: resumed to %d bytes, want %d", name, kept, len(again), len(whole))
			}
		}
	}
}

// TestFilesInUTF16: a result file in UTF-16 is refused by the name of its encoding.
func TestFilesInUTF16(t *testing.T) {
	path := inDir(t, "r.jsonl")
	whole := mustRun(t, diceSweep(t, usual, Shard{}, 2), path, Options{})
	text := []byte("\xff\xfe")
	for _, b := range whole {
		text = append(text, b, 0)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path, nil); err == nil || !strings.Contains(err.Error(), "r.jsonl:1: the text is in UTF-16, but must be in UTF-8") {
		t.Errorf("error %v", err)
	}
}

// TestDamageAmongCarriageReturns: a byte that differs is found in a file with CRLF as in others; the carriage return of
// a damaged line belongs to no checksum.
func TestDamageAmongCarriageReturns(t *testing.T) {
	path := inDir(t, "r.jsonl")
	text := bytes.ReplaceAll(mustRun(t, diceSweep(t, usual, Shard{}, 2), path, Options{}), []byte("\n"), []byte("\r\n"))
	for at := 0; at < len(text); at += 7 {
		damaged := bytes.Clone(text)
		damaged[at] ^= 1
		write(t, path, damaged)
		warned := false // of the last line without its end
		if c, err := Read(path, func(string) { warned = true }); err == nil && !warned {
			t.Errorf("byte %d, %q: %+v", at, text[at], c)
		}
	}
}
