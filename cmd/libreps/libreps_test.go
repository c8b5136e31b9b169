package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"repslab/reps"
)

// gcc returns the path of gcc. A test where it is missing is skipped, or fails if
// REPSLAB_REQUIRE names it.
func gcc(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("gcc")
	if err != nil {
		if slices.Contains(strings.Split(os.Getenv("REPSLAB_REQUIRE"), ","), "gcc") {
			t.Fatal(err)
		}
		t.Skip("gcc is not installed")
	}
	return path
}

// output runs a command and returns its standard output.
func output(t testing.TB, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s%s", cmd.Args, err, out, stderr.Bytes())
	}
	return out
}

// build compiles a program of testdata with the library in a build mode and returns
// its path.
func build(t testing.TB, mode, program string) string {
	t.Helper()
	cc := gcc(t)
	dir := t.TempDir()
	library := filepath.Join(dir, map[string]string{"c-archive": "libreps.a", "c-shared": "libreps.so"}[mode])
	compile := exec.Command("go", "build", "-buildmode="+mode, "-o", library, ".")
	compile.Env = append(os.Environ(), "CGO_ENABLED=1", "CC="+cc)
	output(t, compile)
	binary := filepath.Join(dir, program)
	output(t, exec.Command(cc, "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.",
		"-o", binary, filepath.Join("testdata", program+".c"), library, "-pthread", "-Wl,-rpath,"+dir))
	return binary
}

// Constants of testdata/calls.c.
const (
	connections = 8
	fields      = 6
)

// implementation is a connection of REPS: of package reps, or of the library.
type implementation interface {
	Init(reps.Config) error
	Reset()
	NextEV(reps.Source) (ev uint16, recycled bool)
	OnAck(now uint32, ev uint16, marked bool)
	OnNack(now uint32)
	OnFailure(now uint32)
	OnProbeReply()
	Frozen() bool
	Exploring() int
	ValidEVs() int
	MarshalBinary() ([]byte, error)
	UnmarshalBinary([]byte) error
}

// caller makes the calls of one thread of testdata/calls.c.
type caller struct {
	state uint64
	now   uint32
	all   [connections]implementation
}

// word is a source of one random word.
type word uint64

func (w word) Uint64() uint64 { return uint64(w) }

// draw is splitmix64.
func (c *caller) draw() uint64 {
	c.state += 0x9e3779b97f4a7c15
	z := c.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// inGo returns a connection of package reps.
func inGo() implementation { return new(reps.REPS) }

func newCaller(t *testing.T, seed uint64, connection func() implementation) *caller {
	t.Helper()
	c := &caller{state: seed}
	c.now = uint32(c.draw())
	for i := range c.all {
		c.all[i] = connection()
		if err := c.all[i].Init(reps.Config{}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// config is random_config of testdata/calls.c.
func (c *caller) config() reps.Config {
	var cfg reps.Config
	r := c.draw()
	cfg.BufferSize = int(r % 34)
	if r>>8&1 == 0 {
		cfg.EVSSize = int(c.draw() % 65538)
	}
	if r>>9&1 == 0 {
		cfg.FreezingTimeout = uint32(c.draw()) >> (r >> 10 & 31)
	}
	if r>>16&1 == 0 {
		cfg.PacketsPerWindow = int(r >> 17 & 511)
	}
	if r>>26&1 == 0 {
		cfg.ReuseCount = int((r >> 27 & 255) % 18)
	}
	if r>>36&3 == 0 {
		cfg.Exit = reps.ExitOnProbe
	}
	cfg.DisableFreezing = r>>38&7 == 0
	return cfg
}

// result returns code if err is an error, and 0 otherwise.
func result(code int32, err error) int32 {
	if err != nil {
		return code
	}
	return 0
}

// transfer is transfer of testdata/calls.c.
func transfer(c, from implementation, flip bool, bit uint64) error {
	data, err := from.MarshalBinary()
	if err != nil {
		return err
	}
	if flip {
		data[bit/8%uint64(len(data))] ^= 1 << (bit % 8)
	}
	return c.UnmarshalBinary(data)
}

// call is call of testdata/calls.c.
func (c *caller) call(r uint64) (code int32, ev uint16) {
	one := c.all[r%connections]
	argument := c.draw()
	switch r >> 8 & 15 {
	case 0:
		if r>>12&15 != 0 {
			one.OnNack(c.now)
			return 0, 0
		}
		return result(-4, one.Init(c.config())), 0
	case 1:
		if r>>12&15 != 0 {
			one.OnProbeReply()
		} else {
			one.Reset()
		}
	case 2:
		one.OnFailure(c.now)
	case 3:
		return result(-5, transfer(one, c.all[argument%connections], false, 0)), 0
	case 4:
		return result(-5, transfer(one, one, true, argument)), 0
	case 5, 6, 7, 8, 9:
		one.OnAck(c.now, uint16(argument), false)
	case 10:
		one.OnAck(c.now, uint16(argument), true)
	default:
		ev, recycled := one.NextEV(word(argument))
		if recycled {
			return 1, ev
		}
		return 0, ev
	}
	return 0, 0
}

// step makes one call and returns its record.
func (c *caller) step(t *testing.T) (record [fields]uint32) {
	r := c.draw()
	if r>>40&15 != 0 {
		c.now += uint32(r >> 44 & 0xfffff)
	} else {
		c.now += uint32(r >> 32)
	}
	code, ev := c.call(r)
	one := c.all[r%connections]
	record[0], record[1] = uint32(code), uint32(ev)
	record[2] = uint32(one.Exploring()<<8 | one.ValidEVs())
	if one.Frozen() {
		record[2] |= 1 << 16
	}
	data, err := one.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	h := fnv.New64a()
	h.Write(data)
	record[3], record[4], record[5] = uint32(len(data)), uint32(h.Sum64()), uint32(h.Sum64()>>32)
	return record
}

// TestCEqualsGo: a million random calls of a C program, from four threads, of each kind of library return what the same
// calls on package reps return. It builds Go's own packages for each kind, and needs REPSLAB_LONG=1;
// TestFunctionsEqualGo makes the calls without a C program.
func TestCEqualsGo(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	const calls = 250_000
	for _, mode := range []string{"c-archive", "c-shared"} {
		t.Run(mode, func(t *testing.T) {
			program := build(t, mode, "calls")
			trace := output(t, exec.Command(program, "trace", fmt.Sprint(firstSeed), fmt.Sprint(calls), fmt.Sprint(threads)))
			if len(trace) != 4*fields*calls*threads {
				t.Fatalf("the trace has %d bytes, want %d", len(trace), 4*fields*calls*threads)
			}
			records := make([]uint32, len(trace)/4)
			for i := range records {
				records[i] = binary.NativeEndian.Uint32(trace[4*i:])
			}
			checkCalls(t, records)
		})
	}
}

// threads call the library in these tests, the first one with firstSeed and each further one with the next seed.
const (
	threads   = 4
	firstSeed = 1
)

// checkCalls compares the records of random calls of the library, thread by thread, with the same calls on package
// reps: results, EVs, observers and a digest of the encoded state. Each kind of call must occur often, refused ones
// too.
func checkCalls(t *testing.T, records []uint32) {
	t.Helper()
	calls := len(records) / fields / threads
	seen := map[int32]int{}
	frozen, exploring := 0, 0
	for thread := range uint64(threads) {
		c := newCaller(t, firstSeed+thread, inGo)
		for i := range calls {
			got := [fields]uint32(records)
			records = records[fields:]
			if want := c.step(t); got != want {
				t.Fatalf("thread %d, call %d: the library has %x, Go has %x", thread, i, got, want)
			}
			seen[int32(got[0])]++
			frozen += int(got[2] >> 16)
			exploring += min(int(got[2]>>8&255), 1)
		}
	}
	t.Logf("results by code: %v; %d calls in freezing mode, %d in exploration", seen, frozen, exploring)
	for code, least := range map[int32]int{1: calls / 25, -4: calls / 1250, -5: calls / 25} {
		if seen[code] < least {
			t.Errorf("%d calls with the result %d, want %d", seen[code], code, least)
		}
	}
	if least := calls * threads / 20; frozen < least || exploring < least {
		t.Errorf("%d calls in freezing mode and %d in exploration, want %d of each", frozen, exploring, least)
	}
}

// blocks returns the code blocks of a language in the section "REPS in C" of
// docs/extending.md.
func blocks(t *testing.T, language string) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/extending.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## REPS in C\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var list []string
	for _, block := range strings.Split(section, "```"+language+"\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		list = append(list, block)
	}
	return list
}

// TestDocumentedCommands runs the commands that docs/extending.md shows in the root
// of the repository, on the program that it shows. reps.h and doc.go give the same
// commands.
// It needs REPSLAB_LONG=1.
func TestDocumentedCommands(t *testing.T) {
	if os.Getenv("REPSLAB_LONG") == "" {
		t.Skip("needs REPSLAB_LONG=1")
	}
	gcc(t)
	commands, programs := blocks(t, "sh"), blocks(t, "c")
	if len(commands) != 1 || len(programs) != 1 {
		t.Fatalf("docs/extending.md shows %d blocks of commands and %d of C, want one of each", len(commands), len(programs))
	}
	if nic, err := os.ReadFile("testdata/nic.c"); err != nil || string(nic) != programs[0] {
		t.Errorf("docs/extending.md does not show testdata/nic.c (%v)", err)
	}
	for _, name := range []string{"reps.h", "doc.go"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(commands[0]) {
			if strings.Contains(line, "c-archive") && !bytes.Contains(text, []byte(line)) {
				t.Errorf("%s does not have the command %s", name, line)
			}
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nic.c"), []byte(programs[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	sh := exec.Command("sh", "-e", "-c", commands[0]+`"$DIR/nic"`)
	sh.Dir = "../.."
	sh.Env = append(os.Environ(), "CGO_ENABLED=1", "DIR="+dir)
	if out := output(t, sh); string(out) != "1 1 1\n" {
		t.Errorf("the program prints %q, want 1 1 1", out)
	}
}

// TestHeader: the header compiles without anything before it, as C and as C++.
func TestHeader(t *testing.T) {
	output(t, exec.Command(gcc(t), "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "reps.h"))
	if cxx, err := exec.LookPath("g++"); err == nil {
		output(t, exec.Command(cxx, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-x", "c++-header", "reps.h"))
	}
}

// TestMostEncoded: REPS_MAX_ENCODED is the length of the longest encoding.
func TestMostEncoded(t *testing.T) {
	r, err := reps.New(reps.Config{BufferSize: reps.MaxBufferSize, ReuseCount: reps.MaxReuseCount})
	if err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile("reps.h")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("REPS_MAX_ENCODED = %d,", r.EncodedLen()); !bytes.Contains(header, []byte(want)) {
		t.Errorf("reps.h does not have %s", want)
	}
}

// TestNotAProgram: without a build mode for libraries there is a message.
func TestNotAProgram(t *testing.T) {
	out, err := exec.Command("go", "run", ".").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "-buildmode=c-archive") {
		t.Errorf("go run: %v, %s", err, out)
	}
}

// BenchmarkPair times an unmarked ACK with the packet that it lets go, called from C
// and from Go.
func BenchmarkPair(b *testing.B) {
	program := build(b, "c-archive", "calls")
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("from=C/threads=%d", threads), func(b *testing.B) {
			out := output(b, exec.Command(program, "speed", fmt.Sprint(b.N), fmt.Sprint(threads)))
			ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(ns/float64(b.N), "ns/op")
			b.ReportMetric(float64(2*b.N*threads)/ns*1e9, "calls/s")
		})
	}
	b.Run("from=Go/threads=1", func(b *testing.B) {
		var r reps.REPS
		if err := r.Init(reps.Config{}); err != nil {
			b.Fatal(err)
		}
		now, ev := uint32(0), uint16(1)
		for b.Loop() {
			r.OnAck(now, ev, false)
			ev, _ = r.NextEV(word(0))
			now += 83
		}
		b.ReportMetric(float64(2*b.N)/b.Elapsed().Seconds(), "calls/s")
	})
}
