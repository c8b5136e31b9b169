package values

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// anyInt and positive are the ranges most tests use.
var (
	anyInt   = IntRange{Min: math.MinInt, Max: math.MaxInt}
	positive = IntRange{Min: 1, Max: 65536}
	fraction = FloatRange{Max: 1, MinOpen: true}
	anyFloat = FloatRange{Min: -math.MaxFloat64, Max: math.MaxFloat64}
	anySize  = SizeRange{Max: math.MaxInt64}
)

// wantValues checks one result of a function of this package.
func wantValues[T comparable](t *testing.T, text string, got []T, err error, want []T) {
	t.Helper()
	if err != nil {
		t.Fatalf("f(%q) failed: %v", text, err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("f(%q) = %v, want %v", text, got, want)
	}
}

// wantError checks the text of an error, and that there are no values.
func wantError[T any](t *testing.T, text string, got []T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("f(%q) = %d values, want error %q", text, len(got), want)
	}
	if err.Error() != want || got != nil {
		t.Errorf("f(%q) = %d values and error\n%s, want\n%s", text, len(got), err, want)
	}
}

// refusal is a text that must be refused with an error.
type refusal struct{ name, text, want string }

// refused reads texts that must be refused.
func refused[T, R any](t *testing.T, read func(string, R) ([]T, error), within R, texts []refusal) {
	t.Helper()
	for _, tt := range texts {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(tt.text, within)
			wantError(t, tt.text, got, err, tt.want)
		})
	}
}

func TestInts(t *testing.T) {
	tests := []struct {
		name, text string
		want       []int
	}{
		{"value", "16", []int{16}},
		{"spaces", " 16 , 32 ", []int{16, 32}},
		{"list in its order", "32,16,32", []int{32, 16, 32}},
		{"negative", "-3", []int{-3}},
		{"leading zeros", "007", []int{7}},
		{"doubling", "16..128:x2", []int{16, 32, 64, 128}},
		{"end not met by doubling", "16..127:x2", []int{16, 32, 64}},
		{"step met", "1..9:+2", []int{1, 3, 5, 7, 9}},
		{"step not met", "1..8:+2", []int{1, 3, 5, 7}},
		{"step of one", "1..4", []int{1, 2, 3, 4}},
		{"through zero", "-1..1", []int{-1, 0, 1}},
		{"one value", "5..5", []int{5}},
		{"one value times", "5..5:x2", []int{5}},
		{"step above the range", "1..4:+100", []int{1}},
		{"factor above the range", fmt.Sprintf("1..4:x%d", math.MaxInt), []int{1}},
		{"spaces in a range", "1 .. 9 : + 4", []int{1, 5, 9}},
		{"mix", "3,1..2,16..64:x4", []int{3, 1, 2, 16, 64}},
		{"top of the type", fmt.Sprintf("%d..%d", math.MaxInt-1, math.MaxInt), []int{math.MaxInt - 1, math.MaxInt}},
		{"whole type", fmt.Sprintf("%d..%d:+%d", math.MinInt, math.MaxInt, math.MaxInt),
			[]int{math.MinInt, -1, math.MaxInt - 1}},
		{"doubling to the top", fmt.Sprintf("%d..%d:x2", math.MaxInt/2+1, math.MaxInt), []int{math.MaxInt/2 + 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Ints(tt.text, anyInt)
			wantValues(t, tt.text, got, err, tt.want)
		})
	}
}

func TestIntsErrors(t *testing.T) {
	refused(t, Ints, positive, []refusal{
		{"nothing", "", `"": a value is missing`},
		{"spaces", "  ", `"  ": a value is missing`},
		{"empty item", "16,,32", `"16,,32": item 2 of the list is empty`},
		{"comma at the end", "16,", `"16,": item 2 of the list is empty`},
		{"below", "0", "0 must be an integer in [1, 65536]"},
		{"above", "65537", "65537 must be an integer in [1, 65536]"},
		{"beyond 64 bits", "99999999999999999999", "99999999999999999999 must be an integer in [1, 65536]"},
		{"long number", strings.Repeat("9", 70), strings.Repeat("9", 60) + "... must be an integer in [1, 65536]"},
		{"word", "many", `"many" must be an integer in [1, 65536]`},
		{"range with a dash", "4-128", `"4-128" must be an integer in [1, 65536]; a range is written 4..128`},
		{"range in words", "4 to 128", `"4 to 128" must be an integer in [1, 65536]; a range is written 4..128`},
		{"unit", "400G", `"400G" must be an integer in [1, 65536]; it takes no unit`},
		{"parentheses", "[4,8]", `"[4" must be an integer in [1, 65536]; a list is written 16,32 and a range 16..64`},
		{"fraction", "1.5", `"1.5" must be an integer in [1, 65536]`},
		{"exponent", "1e3", `"1e3" must be an integer in [1, 65536]; write all its digits`},
		{"power", "2^16", `"2^16" must be an integer in [1, 65536]; write all its digits`},
		{"thousands", "10,000", `000 must be an integer in [1, 65536]; digits have no separators`},
		{"hexadecimal", "0x10", `"0x10" must be an integer in [1, 65536]`},
		{"separator", "1_000", `"1_000" must be an integer in [1, 65536]; digits have no separators`},
		{"plus", "+4", `"+4" must be an integer in [1, 65536]`},
		{"lone minus", "-", `"-" must be an integer in [1, 65536]`},
		{"other digits", "٣", `"٣" must be an integer in [1, 65536]`},
		{"control characters", "1\n\x1b[2J\xff", `"1\n\x1b[2J\xff" must be an integer in [1, 65536]`},
		{"long word", strings.Repeat("é", 61), `"` + strings.Repeat("é", 60) + `"... must be an integer in [1, 65536]`},
		{"no last end", "16..", `"16..": a range needs two ends, such as 16..64`},
		{"no first end", "..16", `"..16": a range needs two ends, such as 16..64`},
		{"no last end but a step", "16..:x2", `"16..:x2": a range needs two ends, such as 16..64`},
		{"three ends", "1..2..3", `"1..2..3": a range needs two ends, such as 16..64`},
		{"three dots", "1...3", `".3" must be an integer in [1, 65536]`},
		{"descending", "8..1", `"8..1": a range must ascend, from its smaller end to its larger`},
		{"first end below", "0..8", "0 must be an integer in [1, 65536]"},
		{"last end above", "1..65537:x2", "65537 must be an integer in [1, 65536]"},
		{"step of zero", "1..8:+0", `"1..8:+0": the step to add must be an integer above 0`},
		{"negative step", "1..8:+-1", `"1..8:+-1": the step to add must be an integer above 0`},
		{"fraction as step", "1..8:+0.5", `"1..8:+0.5": the step to add must be an integer above 0`},
		{"huge step", "1..8:+99999999999999999999", `"1..8:+99999999999999999999": the step to add must be an integer above 0`},
		{"factor one", "1..8:x1", `"1..8:x1": the factor must be an integer above 1`},
		{"fraction as factor", "1..8:x1.5", `"1..8:x1.5": the factor must be an integer above 1`},
		{"step without sign", "1..8:2", `"1..8:2": a step is written :+2 to add 2 or :x2 to multiply by 2`},
		{"empty step", "1..8:", `"1..8:": a step is written :+2 to add 2 or :x2 to multiply by 2`},
		{"sign without step", "1..8:+", `"1..8:+": a step is written :+2 to add 2 or :x2 to multiply by 2`},
		{"two steps", "1..8:+1:+2", `"1..8:+1:+2": the step to add must be an integer above 0`},
		{"step without range", "16:+2", `"16:+2": a step needs a range, such as 16..64`},
	})
}

func TestIntsFromZeroByFactor(t *testing.T) {
	got, err := Ints("0..8:x2", anyInt)
	wantError(t, "0..8:x2", got, err, `"0..8:x2": a range that multiplies must start above 0`)
}

func TestFloats(t *testing.T) {
	tests := []struct {
		name, text string
		want       []float64
	}{
		{"value", "0.9", []float64{0.9}},
		{"list", "0.9,0.95", []float64{0.9, 0.95}},
		{"integer", "1", []float64{1}},
		{"exponent", "1e-3,2.5E+2", []float64{0.001, 250}},
		{"negative", "-0.5", []float64{-0.5}},
		{"step far beyond", "1..10:+1e100,-1e-90..1e-80:+1", []float64{1, -1e-90}},
		{"step met", "0.9..0.99:+0.01", []float64{0.9, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 0.99}},
		{"step not met", "0.9..0.989:+0.03", []float64{0.9, 0.93, 0.96}},
		{"tenths", "0.1..0.7:+0.1", []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7}},
		{"through zero", "-0.3..0.3:+0.1", []float64{-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3}},
		{"thirds miss one", "0..1:+0.3333333333333333", []float64{0, 0.3333333333333333, 0.6666666666666666, 0.9999999999999999}},
		{"thirds over one", "0..1:+0.33333333333333333334", []float64{0, 0.3333333333333333, 0.6666666666666666}},
		{"doubling", "0.5..8:x2", []float64{0.5, 1, 2, 4, 8}},
		{"tripling", "0.1..0.9:x3", []float64{0.1, 0.3, 0.9}},
		{"factor not met", "0.1..1:x1.5", []float64{0.1, 0.15, 0.225, 0.3375, 0.50625, 0.759375}},
		{"decades", "1e-3..10:x10", []float64{0.001, 0.01, 0.1, 1, 10}},
		{"step of one", "1..3", []float64{1, 2, 3}},
		{"one value", "0.5..0.5:+0.1", []float64{0.5}},
		{"largest", "-1e308..1e308:+1e308", []float64{-1e308, 0, 1e308}},
		{"least", "5e-324..1e-323:x2", []float64{5e-324, 1e-323}},
		{"ends one float", "1..1.00000000000000000001:+1e-20", []float64{1, 1}},
		{"negative zero", "-0", []float64{0}},
		{"zero with an exponent", "0e-999999999", []float64{0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Floats(tt.text, anyFloat)
			wantValues(t, tt.text, got, err, tt.want)
			for _, v := range got {
				if v == 0 && math.Signbit(v) {
					t.Errorf("Floats(%q) holds negative zero", tt.text)
				}
			}
		})
	}
}

func TestFloatsErrors(t *testing.T) {
	long := strings.Repeat("0", 60) + "1"
	refused(t, Floats, fraction, []refusal{
		{"nothing", "", `"": a value is missing`},
		{"above", "1.5", "1.5 must be in (0, 1]"},
		{"open end", "0", "0 must be in (0, 1]"},
		{"word", "half", `"half" must be a number in (0, 1]`},
		{"percent", "60%", `"60%" must be a number in (0, 1]; 60 % is written 0.6`},
		{"range with a dash", "0.1-0.5", `"0.1-0.5" must be a number in (0, 1]; a range is written 0.1..0.5`},
		{"not a number", "NaN", `"NaN" must be a number in (0, 1]`},
		{"infinity", "Inf", `"Inf" must be a number in (0, 1]`},
		{"minus infinity", "-inf", `"-inf" must be a number in (0, 1]`},
		{"hexadecimal", "0x1p-2", `"0x1p-2" must be a number in (0, 1]`},
		{"separator", "0_1", `"0_1" must be a number in (0, 1]; digits have no separators`},
		{"leading dot", ".5", `".5" must be a number in (0, 1]`},
		{"trailing dot", "1.", `"1." must be a number in (0, 1]`},
		{"half an exponent", "1e", `"1e" must be a number in (0, 1]; it takes no unit`},
		{"overflow", "1e999", "1e999 is outside what a 64-bit float holds"},
		{"underflow", "1e-999999999", "1e-999999999 is outside what a 64-bit float holds"},
		{"long", long, `"` + long[:60] + `"...: a number has at most 60 characters`},
		{"descending", "0.9..0.1:+0.1", `"0.9..0.1:+0.1": a range must ascend, from its smaller end to its larger`},
		{"descending within one float", "0.50000000000000000001..0.5:+1e-30",
			`"0.50000000000000000001..0.5:+1e-30": a range must ascend, from its smaller end to its larger`},
		{"fractions without step", "0.9..0.99", `"0.9..0.99": a range between fractions needs a step, such as 0.1..0.9:+0.1`},
		{"no end", "0.9..", `"0.9..": a range needs two ends, such as 0.1..0.9:+0.1`},
		{"last end outside", "0.9..1.1:+0.1", "1.1 must be in (0, 1]"},
		{"step of zero", "0.1..1:+0.0", `"0.1..1:+0.0": the step to add must be a number above 0`},
		{"negative step", "0.1..1:+-0.1", `"0.1..1:+-0.1": the step to add must be a number above 0`},
		{"step not a number", "0.1..1:+NaN", `"0.1..1:+NaN": the step to add must be a number above 0`},
		{"factor one", "0.1..1:x1.0", `"0.1..1:x1.0": the factor must be a number above 1`},
		{"factor one as a float", "0.1..1:x1.00000000000000000001", `"0.1..1:x1.00000000000000000001": the factor must be a number above 1`},
		{"step without range", "0.1:+0.1", `"0.1:+0.1": a step needs a range, such as 0.1..0.9:+0.1`},
	})
}

func TestFloatsFromZeroByFactor(t *testing.T) {
	got, err := Floats("0..8:x2", anyFloat)
	wantError(t, "0..8:x2", got, err, `"0..8:x2": a range that multiplies must start above 0`)
}

func TestSizes(t *testing.T) {
	tests := []struct {
		name, text string
		want       []int64
	}{
		{"bare", "4096", []int64{4096}},
		{"bytes", "1500B", []int64{1500}},
		{"binary", "1KiB,8MiB,2GiB,1TiB", []int64{1 << 10, 8 << 20, 2 << 30, 1 << 40}},
		{"decimal", "1kB,1KB,8MB,2GB,1TB", []int64{1e3, 1e3, 8e6, 2e9, 1e12}},
		{"fraction", "1.5KiB,0.001kB,2.50KB", []int64{1536, 1, 2500}},
		{"space", "8 MiB", []int64{8 << 20}},
		{"doubling", "64KiB..256KiB:x2", []int64{64 << 10, 128 << 10, 256 << 10}},
		{"step", "1MiB..2MiB:+512KiB", []int64{1 << 20, 3 << 19, 2 << 20}},
		{"step of one byte", "1..3", []int64{1, 2, 3}},
		{"units apart", "1kB..1KiB:+12", []int64{1000, 1012, 1024}},
		{"largest", "9223372036854775807", []int64{math.MaxInt64}},
		{"zero", "0,0TiB", []int64{0, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sizes(tt.text, anySize)
			wantValues(t, tt.text, got, err, tt.want)
		})
	}
}

func TestSizesErrors(t *testing.T) {
	const form = " must be a size: a number of bytes, or a number and a unit (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB)"
	long := strings.Repeat("0", 61)
	tests := []struct{ name, text, want string }{
		{"below", "0", "0 must be a size in [1B, 64MiB]"},
		{"above", "1TB", "1TB must be a size in [1B, 64MiB]"},
		{"beyond 64 bits", "9223372036854775808", "9223372036854775808 must be a size in [1B, 64MiB]"},
		{"beyond 64 bits by its unit", "8388608TiB", "8388608TiB must be a size in [1B, 64MiB]"},
		{"half a byte", "0.5", "0.5 must be a whole number of bytes"},
		{"not whole", "0.1KiB", "0.1KiB must be a whole number of bytes"},
		{"megabits", "8Mb", `"8Mb"` + form},
		{"lower case", "8mib", `"8mib"` + form},
		{"unit alone", "MiB", `"MiB"` + form},
		{"negative", "-8MiB", `"-8MiB"` + form},
		{"exponent", "1e6", `"1e6"` + form},
		{"line break", "8\nMiB", `"8\nMiB"` + form},
		{"long", long, `"` + long[:60] + `"...: a number has at most 60 characters`},
		{"no end", "64KiB..", `"64KiB..": a range needs two ends, such as 64KiB..8MiB:x2`},
		{"descending", "1MiB..1MB:+1", `"1MiB..1MB:+1": a range must ascend, from its smaller end to its larger`},
		{"step of zero", "1MB..1MiB:+0kB", `"1MB..1MiB:+0kB": the step to add must be an integer of bytes above 0`},
		{"factor with a unit", "1MB..4MB:x2B", `"1MB..4MB:x2B": the factor must be an integer above 1`},
		{"step without range", "1MB:x2", `"1MB:x2": a step needs a range, such as 64KiB..8MiB:x2`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Sizes(tt.text, SizeRange{Min: 1, Max: 64 << 20})
			wantError(t, tt.text, got, err, tt.want)
		})
	}
}

func TestNames(t *testing.T) {
	allowed := []string{"ops", "reps", "ecmp"}
	for text, want := range map[string][]string{
		"ops":           {"ops"},
		" reps , ops":   {"reps", "ops"},
		"ops,ops,ecmp ": {"ops", "ops", "ecmp"},
		"OPS,Reps":      {"ops", "reps"},
	} {
		got, err := Names(text, allowed)
		wantValues(t, text, got, err, want)
	}
	tests := []struct {
		name, text string
		allowed    []string
		want       string
	}{
		{"unknown", "ops,spray", allowed, `"spray" must be one of ops, reps, ecmp`},
		{"misspelt", "opz", allowed, `"opz" must be one of ops, reps, ecmp; did you mean ops?`},
		{"two allowed", "x", allowed[:2], `"x" must be ops or reps`},
		{"one allowed", "x", allowed[:1], `"x" must be ops`},
		{"empty item", "ops,,reps", allowed, `"ops,,reps": item 2 of the list is empty`},
		{"nothing", "", allowed, `"": a value is missing`},
		{"no range", "ops..reps", allowed, `"ops..reps" must be one of ops, reps, ecmp; did you mean ops?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Names(tt.text, tt.allowed)
			wantError(t, tt.text, got, err, tt.want)
		})
	}
}

func TestRangeStrings(t *testing.T) {
	tests := []struct {
		value interface{ String() string }
		want  string
	}{
		{IntRange{Min: -1, Max: 4}, "an integer in [-1, 4]"},
		{FloatRange{Min: 0, Max: 1}, "[0, 1]"},
		{FloatRange{Min: 0.5, Max: 1, MaxOpen: true}, "[0.5, 1)"},
		{FloatRange{Min: 1e-9, Max: 1e15}, "[1e-09, 1e+15]"},
		{FloatRange{Min: 0, Max: 1, MinOpen: true, MaxOpen: true}, "(0, 1)"},
		{SizeRange{Min: 1, Max: 8 << 20}, "a size in [1B, 8MiB]"},
		{SizeRange{Min: 0, Max: 8e6}, "a size in [0B, 8MB]"},
	}
	for _, tt := range tests {
		if got := tt.value.String(); got != tt.want {
			t.Errorf("%#v.String() = %q, want %q", tt.value, got, tt.want)
		}
	}
}

func TestContains(t *testing.T) {
	tests := []struct {
		name      string
		got, want bool
	}{
		{"open end", fraction.contains(0), false},
		{"closed end", fraction.contains(1), true},
		{"inside", fraction.contains(1e-300), true},
		{"outside", fraction.contains(1.0000001), false},
		{"NaN", anyFloat.contains(math.NaN()), false},
		{"infinity", anyFloat.contains(math.Inf(1)), false},
		{"integer", positive.contains(65536), true},
		{"integer outside", positive.contains(0), false},
		{"size", anySize.contains(0), true},
		{"size outside", anySize.contains(-1), false},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: Contains = %t, want %t", tt.name, tt.got, tt.want)
		}
	}
}
