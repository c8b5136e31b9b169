package values

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestTooManyValues checks both sides of the limit, and that what is refused
// costs little memory: the expansion of any of the ranges would take 8 MB.
func TestTooManyValues(t *testing.T) {
	if got, err := Ints("1..1000000", anyInt); err != nil || len(got) != maxValues {
		t.Errorf("Ints(1..1000000) = %d values, %v", len(got), err)
	}
	if got, err := Floats("1..1000000", anyFloat); err != nil || len(got) != maxValues {
		t.Errorf("Floats(1..1000000) = %d values, %v", len(got), err)
	}
	const want = ": a list or range has at most 1000000 values"
	ints := func(text string) error { _, err := Ints(text, anyInt); return err }
	floats := func(text string) error { _, err := Floats(text, anyFloat); return err }
	sizes := func(text string) error { _, err := Sizes(text, anySize); return err }
	exprs := func(text string) error { _, err := Exprs(text); return err }
	tests := []struct {
		name, text string
		read       func(string) error
	}{
		{"one more", "0..1000000", ints},
		{"all integers", fmt.Sprintf("1..%d", math.MaxInt), ints},
		{"whole type", fmt.Sprintf("%d..%d", math.MinInt, math.MaxInt), ints},
		{"floats", "0..1e18:+1", floats},
		{"one float more", "0..1000000", floats},
		{"whole type of floats", "-1e308..1e308:+1e-300", floats},
		{"small factor", "1..1e300:x1.0000000001", floats},
		{"least factor", "1e-300..1e300:x1.0000000000000003", floats},
		{"bytes", "1MiB..4MiB", sizes},
		{"sizes", "0..9223372036854775807:+1kB", sizes},
		{"expressions", "1..9007199254740992", exprs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.read(tt.text)
			if err == nil || err.Error() != quote(tt.text)+want {
				t.Fatalf("f(%q): error %v, want %q%s", tt.text, err, tt.text, want)
			}
			if bytes := allocatedBytes(func() { _ = tt.read(tt.text) }); bytes > 10_000 {
				t.Errorf("f(%q) allocates %d bytes, want at most 10000", tt.text, bytes)
			}
		})
	}
}

// allocatedBytes returns the least number of bytes that f allocates in a few
// runs, so that what the runtime allocates meanwhile does not count.
func allocatedBytes(f func()) uint64 {
	least := uint64(math.MaxUint64)
	for range 5 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// TestTooManyValuesTogether checks the limit over the items of a list; REPSLAB_LONG=1 has more lists.
func TestTooManyValuesTogether(t *testing.T) {
	const want = ": a list or range has at most 1000000 values"
	texts := []string{"1..999999,1..4:x2"}
	if os.Getenv("REPSLAB_LONG") != "" {
		texts = append(texts, "1..999999,1,2", "1..999999,1..2", "1,1..1000000")
	}
	for _, text := range texts {
		_, err := Ints(text, anyInt)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Ints(%q): error %v", text, err)
		}
		if _, err = Floats(text, anyFloat); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Floats(%q): error %v", text, err)
		}
		if _, err = Exprs(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Exprs(%q): error %v", text, err)
		}
	}
	if _, err := Names(strings.Repeat("ops,", maxValues)+"ops", []string{"ops"}); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("Names(a million and one): error %v", err)
	}
}
