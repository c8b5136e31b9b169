package reps

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"strings"
	"testing"
)

var (
	_ encoding.BinaryAppender    = (*REPS)(nil)
	_ encoding.BinaryMarshaler   = (*REPS)(nil)
	_ encoding.BinaryUnmarshaler = (*REPS)(nil)
)

func mustNew(t testing.TB, cfg Config) *REPS {
	t.Helper()
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mustEncode(t testing.TB, r *REPS) []byte {
	t.Helper()
	data, err := r.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestEncodedForm pins the bytes; the expectations are packed by hand.
func TestEncodedForm(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cfg    Config
		start  uint32
		script string
		want   string
	}{
		{"new", Config{}, 0, "", strings.Repeat("00", 25)},
		// EVs 1, 2, 0x1234 in slots 0 to 2; slots 1, 2 valid; head 3; 2 valid;
		// deadline 0x01020304; 1 frozen, 00000000 explore, 0011 written, 000.
		{"frozen", Config{FreezingTimeout: 4}, 0x01020300, "a1 a2 a4660 n f",
			"0001" + "0002" + "1234" + strings.Repeat("0000", 5) + "60" + "03" + "02" + "01020304" + "80" + "18"},
		// 0 frozen, 01100100 explore, 0001 written, 000.
		{"exploring", Config{FreezingTimeout: 1}, 0, "f +2 a5",
			"0005" + strings.Repeat("0000", 7) + "80" + "01" + "01" + "00000001" + "32" + "08"},
		// One entry: EV 9, valid 1, head 0, count 1, exit 0, 0, 0, written 1: 16 +
		// 1 + 8 + 8 + 32 + 1 + 8 + 1 bits and 5 zeros.
		{"one entry", Config{BufferSize: 1}, 0, "a9", "0009" + "80" + "00" + "80" + "00000000" + "20"},
		// As "frozen" with uses 0101 after the written count, 7 zeros.
		{"reuse", Config{ReuseCount: 6}, 0, "a1 n5",
			"0001" + strings.Repeat("0000", 7) + "80" + "01" + "01" + "00000000" + "00" + "0a" + "80"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := mustNew(t, tt.cfg)
			play(t, r, tt.start, tt.script)
			got := mustEncode(t, r)
			if hex.EncodeToString(got) != tt.want {
				t.Errorf("encoding = %x, want %s", got, tt.want)
			}
			back := mustNew(t, tt.cfg)
			if err := back.UnmarshalBinary(got); err != nil || *back != *r {
				t.Errorf("decoded %+v (%v), want %+v", *back, err, *r)
			}
		})
	}
}

func TestEncodedLen(t *testing.T) {
	for _, tt := range []struct{ entries, reuse, want int }{
		{8, 1, 25}, {8, 2, 26}, {1, 1, 10}, {32, 16, 77}, {16, 1, 42},
	} {
		r := mustNew(t, Config{BufferSize: tt.entries, ReuseCount: tt.reuse})
		if got := r.EncodedLen(); got != tt.want || len(mustEncode(t, r)) != tt.want {
			t.Errorf("%d entries, reuse %d: EncodedLen() = %d, want %d", tt.entries, tt.reuse, got, tt.want)
		}
	}
}

func TestAppendBinaryAppends(t *testing.T) {
	r := mustNew(t, Config{})
	r.OnAck(0, 77, false)
	got, err := r.AppendBinary([]byte("head"))
	if err != nil || !bytes.Equal(got, append([]byte("head"), mustEncode(t, r)...)) {
		t.Errorf("AppendBinary = %x, %v", got, err)
	}
}

// TestRejects spoils one variable of a good state at a time.
func TestRejects(t *testing.T) {
	five := Config{BufferSize: 5, PacketsPerWindow: 20}
	reuse := Config{BufferSize: 5, ReuseCount: 3}
	tests := []struct {
		name   string
		cfg    Config
		script string
		spoil  func(s *snapshot)
		want   string
	}{
		{"head", five, "a1 a2 a3 a4 a5 a6", func(s *snapshot) { s.ring.head = 5 }, "head (5) must be below BufferSize (5)"},
		{"written", five, "a1 a2 a3 a4 a5 a6", func(s *snapshot) { s.ring.written = 6 }, "writtenSlots (6) must be at most BufferSize (5)"},
		{"head past the written", five, "a1 a2 n2", func(s *snapshot) { s.ring.head = 3 }, "head (3) must be at most writtenSlots (2)"},
		{"head of an empty ring", five, "", func(s *snapshot) { s.ring.head = 1 }, "head (1) must be at most writtenSlots (0)"},
		{"head 0, partly filled", five, "a1 a2 n2", func(s *snapshot) { s.ring.head = 0 }, "head (0) must be at least 1 with writtenSlots (2) below BufferSize (5)"},
		{"valid, never written", five, "a1 a2", func(s *snapshot) { s.valid = 1<<1 | 1<<4 }, "isValid (slot 4) must be 0 for a slot never written, from 2 on"},
		{"EV, never written", five, "a1 a2", func(s *snapshot) { s.ring.ev[3] = 8 }, "cachedEV (8 in slot 3) must be 0 for a slot never written, from 2 on"},
		{"count too large", five, "a1 a2", func(s *snapshot) { s.n = 3 }, "numberOfValidEVs (3) must be the number of isValid bits set (2)"},
		{"count too small", five, "a1 a2", func(s *snapshot) { s.n = 1 }, "numberOfValidEVs (1) must be the number of isValid bits set (2)"},
		{"count enormous", five, "a1 a2", func(s *snapshot) { s.n = 255 }, "numberOfValidEVs (255) must be the number of isValid bits set (2)"},
		{"gap", five, "a1 a2 a3 n", func(s *snapshot) { s.valid = 1 | 1<<2 }, "isValid (slot 1) must be 1 for each of the numberOfValidEVs (2) slots before head (3)"},
		{"gap across the end", five, "a1 a2 a3 a4 a5 a6 n3", func(s *snapshot) { s.valid = 1 | 1<<3 }, "isValid (slot 4) must be 1 for each of the numberOfValidEVs (2) slots before head (1)"},
		{"frozen while disabled", Config{DisableFreezing: true}, "a1", func(s *snapshot) { s.frozen = true }, "isFreezingMode (1) must be 0 with DisableFreezing"},
		{"exploring while disabled", Config{DisableFreezing: true}, "a1", func(s *snapshot) { s.explore = 2 }, "exploreCounter (2) must be 0 with DisableFreezing"},
		{"exploring too long", five, "a1", func(s *snapshot) { s.explore = 21 }, "exploreCounter (21) must be at most PacketsPerWindow (20)"},
		{"exploring and frozen", five, "a1 f", func(s *snapshot) { s.explore = 3 }, "exploreCounter (3) must be 0 in freezing mode"},
		{"uses", reuse, "a1 n", func(s *snapshot) { s.uses = 3 }, "uses (3) must be below ReuseCount (3)"},
		{"uses of nothing", reuse, "a1 n3", func(s *snapshot) { s.uses = 1 }, "uses (1) must be 0 without a valid entry"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := mustNew(t, tt.cfg)
			play(t, r, 0, tt.script)
			good := mustEncode(t, r)
			if err := r.UnmarshalBinary(good); err != nil {
				t.Fatalf("before the spoiling: %v", err)
			}
			broken := snapshot{*r, r.validBits()}
			tt.spoil(&broken)
			wantRejected(t, r, broken.append(nil), tt.want)
		})
	}
}

func TestRejectsForm(t *testing.T) {
	r := mustNew(t, Config{})
	play(t, r, 0, "a1 a2")
	good := mustEncode(t, r)
	wantRejected(t, r, nil, "length (0 bytes) must be 25 for BufferSize 8 and ReuseCount 1")
	wantRejected(t, r, good[:24], "length (24 bytes) must be 25 for BufferSize 8 and ReuseCount 1")
	wantRejected(t, r, append(bytes.Clone(good), 0), "length (26 bytes) must be 25 for BufferSize 8 and ReuseCount 1")
	for bit := range 3 {
		bad := bytes.Clone(good)
		bad[24] |= 1 << bit
		wantRejected(t, r, bad, "padding (0x"+string("124"[bit])+") must be zero")
	}
}

// wantRejected decodes data into r and wants an error with the text want, and
// r left as it was.
func wantRejected(t *testing.T, r *REPS, data []byte, want string) {
	t.Helper()
	before := *r
	err := r.UnmarshalBinary(data)
	if err == nil || err.Error() != "reps: "+want {
		t.Errorf("UnmarshalBinary(%x) = %v, want reps: %s", data, err, want)
	}
	if *r != before {
		t.Errorf("a refused UnmarshalBinary(%x) changed its receiver", data)
	}
}

// FuzzUnmarshalBinary: decoding never panics; what is accepted encodes to the
// same bytes and is a state that operations can go on from.
func FuzzUnmarshalBinary(f *testing.F) {
	for _, seed := range []struct {
		cfg    Config
		script string
	}{
		{Config{}, ""},
		{Config{}, "a1 a2 a3 n f n4"},
		{Config{FreezingTimeout: 1}, "f a1 +5 a2 n"},
		{Config{BufferSize: 1}, "a9"},
		{Config{BufferSize: 5, ReuseCount: 3}, "a1 a2 a3 a4 a5 a6 n"},
		{Config{BufferSize: 32, ReuseCount: 16}, "a1 a2 a3 n2 f"},
	} {
		r := mustNew(f, seed.cfg)
		play(new(testing.T), r, 0, seed.script)
		f.Add(mustEncode(f, r), r.size-1, r.reuse-1)
	}
	f.Fuzz(func(t *testing.T, data []byte, entries, reuse uint8) {
		r := mustNew(t, Config{
			BufferSize:       1 + int(entries)%MaxBufferSize,
			ReuseCount:       1 + int(reuse)%MaxReuseCount,
			PacketsPerWindow: 255,
		})
		if r.UnmarshalBinary(data) != nil {
			return
		}
		if again := mustEncode(t, r); !bytes.Equal(again, data) {
			t.Fatalf("%x was accepted and encodes to %x", data, again)
		}
		random := newWords(1)
		for i := range 70 {
			switch i % 7 {
			case 0:
				r.OnFailure(uint32(i))
			case 1, 2, 3:
				r.OnAck(r.ExitTime()+uint32(i), uint16(i), false)
			default:
				r.NextEV(random)
			}
			if err := invariant(r); err != nil {
				t.Fatalf("%x, operation %d: %v", data, i, err)
			}
		}
	})
}
