package sweep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"repslab/internal/seal"
)

// FuzzFile resumes, merges and inspects any bytes: they are refused or repaired, never
// a panic, and a resumed file equals the file of an undisturbed run.
func FuzzFile(f *testing.F) {
	s := diceSweep(f, Config{Seed: 1, Replicas: 4, Block: 2}, Shard{}, 6, 13, 1)
	path := inDir(f, "r")
	if _, err := s.Run(context.Background(), path, Options{}); err != nil {
		f.Fatal(err)
	}
	whole := contents(f, path)
	f.Add(whole)
	lines := bytes.SplitAfter(whole, []byte("\n"))
	f.Add(bytes.Join(lines[:2], nil))
	f.Add(lines[0])
	f.Add(append(bytes.Clone(whole), lines[1]...))
	f.Add(append(bytes.Clone(lines[0]), seal.Line([]byte(`{"key":"0123456789abcdef/0-2","tally":{}`))...))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := inDir(t, "r")
		write(t, path, data)
		if _, err := s.Inspect(path); err != nil {
			t.Logf("inspected: %v", err)
		}
		if _, err := s.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{Salvage: true}); err != nil {
			if _, err := os.Stat(path + ".merged"); !os.IsNotExist(err) {
				t.Errorf("a file was written in spite of an error: %v", err)
			}
		}
		if _, err := s.Run(context.Background(), path, Options{Resume: true}); err == nil && !bytes.Equal(contents(t, path), whole) {
			t.Errorf("resumed to\n%s\nwant\n%s", contents(t, path), whole)
		}
	})
}

// FuzzRecord: a line that is accepted as a record is written again unchanged.
func FuzzRecord(f *testing.F) {
	s := diceSweep(f, usual, Shard{}, 6)
	tally := new(dice)
	tally.faces.Add(3)
	f.Add(bytes.TrimSuffix(blockRecord(s.ids[0], s.block(0), tally), []byte("\n")))
	f.Add(bytes.TrimSuffix(s.Header.line(), []byte("\n")))
	f.Add([]byte(`{"key":"0123456789abcdef/0-10","tally":{"replicas":0,"faces":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		// A valid checksum, so that the checks after it are reached.
		for _, line := range [][]byte{data, bytes.TrimSuffix(seal.Line(bytes.Clone(data)), []byte("\n"))} {
			tally := new(dice)
			if err := readBlock(line, tally); err == nil {
				id, kind, _, _ := openRecord(line)
				if block, ok := parseBlock(kind); ok {
					again := blockRecord(id, block, tally)
					if canonical := bytes.Contains(again, []byte(kind)); canonical && !bytes.Equal(again[:len(again)-1], line) {
						t.Errorf("%s is written as %s", line, again)
					}
				}
			}
			if h, err := parseHeader(line); err == nil {
				if again, err := parseHeader(bytes.TrimSuffix(h.line(), []byte("\n"))); err != nil || len(again.differences(h)) > 0 {
					t.Errorf("%s is written as %s: %v", line, h.line(), err)
				}
			}
			var rows Rows
			_ = readValue(line, &rows)
		}
	})
}

// FuzzContents: lines with valid checksums and any contents are refused or accepted by all readers, never
// with a panic.
func FuzzContents(f *testing.F) {
	s := diceSweep(f, Config{Seed: 1, Replicas: 4, Block: 2}, Shard{}, 6, 1)
	path := inDir(f, "r")
	if _, err := s.Run(context.Background(), path, Options{}); err != nil {
		f.Fatal(err)
	}
	unsealed := func(line []byte) []byte { return line[:max(0, len(line)-seal.Length)] }
	var all [][]byte
	for _, line := range bytes.Split(bytes.TrimSuffix(contents(f, path), []byte("\n")), []byte("\n"))[1:] {
		all = append(all, unsealed(line))
	}
	f.Add(bytes.Join(all, []byte("\n")))
	f.Add(bytes.Join([][]byte{all[0], all[2], all[2]}, []byte("\n")))
	huge := fmt.Appendf(nil, `%s%s/0-2%s{"replicas":2,"faces":[[9223372036854775807,3]]}`, keyStart, s.ids[0], tallyStart)
	f.Add(append(append(huge, '\n'), bytes.Replace(huge, []byte("/0-2"), []byte("/2-4"), 1)...))
	f.Add(fmt.Appendf(nil, `%s%s/rows","replicas":4,"rows":[[[]],null,1e309]`, keyStart, s.ids[0]))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := s.Header.line()
		for _, line := range bytes.Split(data, []byte("\n")) {
			file = append(file, seal.Line(bytes.Clone(line))...)
		}
		path := inDir(t, "r")
		write(t, path, file)
		_, _ = Read(path, func(string) {})
		_, _ = s.Inspect(path)
		_, _ = s.Merge(context.Background(), []string{path}, path+".merged", MergeOptions{Salvage: true})
		_, _ = s.Run(context.Background(), path, Options{Resume: true})
	})
}
