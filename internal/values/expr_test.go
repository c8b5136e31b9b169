package values

import (
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestExprEval(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want float64
	}{
		{"14", 5, 14},
		{"n", 16, 16},
		{"1.5e2", 1, 150},
		{"8-2-1", 1, 5},
		{"8/4/2", 1, 1},
		{"8-2+1", 1, 7},
		{"8/4*2", 1, 4},
		{"2+3*4", 1, 14},
		{"(2+3)*4", 1, 20},
		{"2*3^2", 1, 18},
		{"2^3^2", 1, 512},
		{"(2^3)^2", 1, 64},
		{"-2^2", 1, -4},
		{"(-2)^2", 1, 4},
		{"2^-1", 1, 0.5},
		{"2^-1^2", 1, 0.5},
		{"--3", 1, 3},
		{"2*-3", 1, -6},
		{"2--3", 1, 5},
		{"4*ln(n)", 64, 4 * math.Log(64)},
		{"ln(n)^2", 64, math.Log(64) * math.Log(64)},
		{"-ln(n)", 64, -math.Log(64)},
		{"2*log2(n)", 64, 12},
		{"sqrt(n)/2", 64, 4},
		{"sqrt ( n + 17 ) ", 64, 9},
		{"ln(sqrt(log2(n)))", 16, math.Log(2)},
		{"n*n", -3, 9},
		{"0^0", 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			exprs, err := Exprs(tt.text)
			if err != nil || len(exprs) != 1 {
				t.Fatalf("Exprs(%q) = %v, %v", tt.text, exprs, err)
			}
			got, err := exprs[0].eval(tt.n)
			if err != nil {
				t.Fatalf("Eval(%d) of %q failed: %v", tt.n, tt.text, err)
			}
			// Up to fused multiply-add and libm: 4 units in the last place.
			if tolerance := 4 * 0x1p-52 * math.Abs(tt.want); math.Abs(got-tt.want) > tolerance {
				t.Errorf("Eval(%d) of %q = %v, want %v (tolerance %g)", tt.n, tt.text, got, tt.want, tolerance)
			}
		})
	}
}

func TestExprsLists(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"list", "4*ln(n),14, 2*log2(n) ", []string{"4*ln(n)", "14", "2*log2(n)"}},
		{"log is ln", "4*log(n), log (2)+log2(log(n))", []string{"4*ln(n)", "ln (2)+log2(ln(n))"}},
		{"spaces inside stay", " 2 * n ", []string{"2 * n"}},
		{"range in a list", "8..16:+4,4*ln(n)", []string{"8", "12", "16", "4*ln(n)"}},
		{"doubling", "n,1..8:x2", []string{"n", "1", "2", "4", "8"}},
		{"negative range", "-1..1", []string{"-1", "0", "1"}},
		{"ends of ranges", "9007199254740991..9007199254740992", []string{"9007199254740991", "9007199254740992"}},
		{"duplicates", "n,n", []string{"n", "n"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			exprs, err := Exprs(tt.text)
			var got []string
			for _, e := range exprs {
				got = append(got, e.String())
			}
			wantValues(t, tt.text, got, err, tt.want)
		})
	}
}

// TestExprsConstants checks that a range yields what its integers would yield
// if written one by one.
func TestExprsConstants(t *testing.T) {
	ranged, err := Exprs("1..4")
	if err != nil {
		t.Fatal(err)
	}
	listed, err := Exprs("1,2,3,4")
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(ranged, listed) {
		t.Errorf("Exprs(1..4) = %v, want %v", ranged, listed)
	}
}

func TestExprsErrors(t *testing.T) {
	const allowed = " is not expected here; allowed are numbers, n, + - * / ^ ( ) ln log2 sqrt"
	long := strings.Repeat("1+", 500) + "1"
	deep := strings.Repeat("(", 101) + "n" + strings.Repeat(")", 101)
	tests := []struct{ name, text, want string }{
		{"nothing", "", `"": a value is missing`},
		{"empty item", "n,,2", `"n,,2": item 2 of the list is empty`},
		{"number times log", "4log(n)", `"4log(n)": a product is written with *, so put * before "log(n)"`},
		{"number times function", "4ln(n)", `"4ln(n)": a product is written with *, so put * before "ln(n)"`},
		{"number times n", "2n", `"2n": a product is written with *, so put * before "n"`},
		{"number times parentheses", "2(n+1)", `"2(n+1)": a product is written with *, so put * before "(n+1)"`},
		{"parentheses side by side", "(n)(n)", `"(n)(n)": a product is written with *, so put * before "(n)"`},
		{"product inside parentheses", "(2 n)", `"(2 n)": a product is written with *, so put * before "n)"`},
		{"n times number", "n 2", `"n 2": a product is written with *, so put * before "2"`},
		{"function without parentheses", "ln n", `"ln n": a function needs parentheses, such as ln(n)`},
		{"function alone", "log2", `"log2": a function needs parentheses, such as log2(n)`},
		{"unknown function", "log10(n)", `"log10(n)": "log10" must be n, ln, log2 or sqrt`},
		{"unknown name", "2*m", `"2*m": "m" must be n, ln, log2 or sqrt`},
		{"capital", "N", `"N": "N" must be n, ln, log2 or sqrt`},
		{"not a number", "NaN", `"NaN": "NaN" must be n, ln, log2 or sqrt`},
		{"hexadecimal", "0x10", `"0x10": a product is written with *, so put * before "x10"`},
		{"two operators", "2**3", `"2**3": a value is missing before "*"`},
		{"leading plus", "+n", `"+n": a value is missing before "+"`},
		{"operator at the end", "2*", `"2*": a value is missing at the end`},
		{"minus alone", "-", `"-": a value is missing at the end`},
		{"empty parentheses", "ln()", `"ln()": a value is missing before ")"`},
		{"open parenthesis", "(n+1", `"(n+1": a closing parenthesis is missing`},
		{"closed twice", "n)", `"n)": ")"` + allowed},
		{"other operator", "n%2", `"n%2": "%"` + allowed},
		{"other character", "n×2", `"n×2": "×"` + allowed},
		{"invalid character", "n\xff", `"n\xff": "\xff"` + allowed},
		{"line break", "n\n+1", `"n\n+1": "\n"` + allowed},
		{"zero byte", "n\x00", `"n\x00": "\x00"` + allowed},
		{"number ends with a dot", "2.", `"2.": "."` + allowed},
		{"number starts with a dot", ".5*n", `".5*n": a value is missing before "."`},
		{"number overflows", "1e999*n", "1e999 is outside what a 64-bit float holds"},
		{"number too long", strings.Repeat("1", 61), `"` + strings.Repeat("1", 60) + `"...: a number has at most 60 characters`},
		{"too long", long, `"` + long[:60] + `"...: an expression has at most 1000 characters`},
		{"too deep", deep, `"` + deep[:60] + `"...: nested more than 100 deep`},
		{"too many signs", strings.Repeat("-", 100) + "n", `"` + strings.Repeat("-", 60) + `"...: nested more than 100 deep`},
		{"too many powers", strings.Repeat("n^", 100) + "n", `"` + strings.Repeat("n^", 30) + `"...: nested more than 100 deep`},
		{"no end", "8..", `"8..": a range needs two ends, such as 8..16:+4`},
		{"descending", "8..4", `"8..4": a range must ascend, from its smaller end to its larger`},
		{"expression as end", "8..n", `"n" must be an integer between -2^53 and 2^53, as an end of a range`},
		{"end too large", "1..9007199254740993:x2", `"9007199254740993" must be an integer between -2^53 and 2^53, as an end of a range`},
		{"step without range", "n:+2", `"n:+2": a step needs a range, such as 8..16:+4`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Exprs(tt.text)
			wantError(t, tt.text, got, err, tt.want)
		})
	}
}

// TestExprsAtLimits checks that the limits themselves are allowed.
func TestExprsAtLimits(t *testing.T) {
	for name, text := range map[string]string{
		"parentheses": strings.Repeat("(", 99) + "n" + strings.Repeat(")", 99),
		"signs":       strings.Repeat("-", 99) + "n",
		"powers":      strings.Repeat("1^", 99) + "n",
		"length":      strings.Repeat("0+", 499) + "10",
	} {
		exprs, err := Exprs(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := exprs[0].eval(10); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestExprCeil(t *testing.T) {
	wide := IntRange{Min: math.MinInt32, Max: math.MaxInt32}
	tests := []struct {
		text string
		n    int
		want int
	}{
		{"n/2", 16, 8},
		{"n/2", 17, 9},
		{"0.1*30", 1, 3},
		{"0.1+0.2-0.3", 1, 0},
		{"0.3-0.1-0.2", 1, 0},
		{"n*0.07", 100, 7},
		{"2.4*ln(n)", 64, 10},
		{"4*ln(n)", 128, 20},
		{"log2(n)", 1024, 10},
		{"-n/3", 10, -3},
		{"0.001", 1, 1},
		{"-0.001", 1, 0},
		{"3+1e-8", 1, 4},
		{"3+1e-10", 1, 3},
		{"2e9+0.25", 1, 2000000001},
		{"2e9+0.0001", 1, 2000000000},
		{"n", math.MaxInt32, math.MaxInt32},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			if got, err := mustExpr(t, tt.text).Ceil(tt.n, wide); err != nil || got != tt.want {
				t.Errorf("Ceil(%d) of %q = %d, %v, want %d", tt.n, tt.text, got, err, tt.want)
			}
		})
	}
}

func TestExprCeilErrors(t *testing.T) {
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"0", 16, "0 must be an integer in [1, 65536]"},
		{"2-2", 16, "2-2 = 0 must be an integer in [1, 65536]"},
		{"4*ln(n)", 1, "4*ln(n) = 0 at n = 1 must be an integer in [1, 65536]"},
		{"n^2", 512, "n^2 = 262144 at n = 512 must be an integer in [1, 65536]"},
		{"ln(2)-1", 16, "ln(2)-1 = 0 must be an integer in [1, 65536]"},
		{"65536.5", 16, "65536.5 = 65537 must be an integer in [1, 65536]"},
		{"1e300", 16, "1e300 = 1e+300 must be an integer in [1, 65536]"},
		{"ln(n)", 0, "ln(n) must be finite, and is not at n = 0"},
		{"sqrt(-n)", 4, "sqrt(-n) must be finite, and is not at n = 4"},
		{"1/(1/(n-4))", 4, "1/(1/(n-4)) must be finite, and is not at n = 4"},
		{"1e300^2", 4, "1e300^2 must be finite, and is not at n = 4"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := mustExpr(t, tt.text).Ceil(tt.n, positive)
			if err == nil || err.Error() != tt.want {
				t.Errorf("Ceil(%d) of %q = %d, %v, want error %s", tt.n, tt.text, got, err, tt.want)
			}
		})
	}
}

// TestExprCeilBeyondExact checks that no float64 above 2^53 becomes an int.
func TestExprCeilBeyondExact(t *testing.T) {
	if got, err := mustExpr(t, "2^53").Ceil(1, anyInt); strconv.IntSize == 64 && (err != nil || int64(got) != 1<<53) {
		t.Errorf("Ceil of 2^53 = %d, %v", got, err)
	}
	for _, text := range []string{"2^53+2", "2^63", "2^64", "-2^54", "1e300"} {
		if got, err := mustExpr(t, text).Ceil(1, anyInt); err == nil {
			t.Errorf("Ceil of %q = %d, want an error", text, got)
		}
	}
}

func TestExprZeroValue(t *testing.T) {
	const want = `"" must be finite, and is not at n = 4`
	if v, err := (Expr{}).eval(4); err == nil || err.Error() != want {
		t.Errorf("Eval of the zero Expr = %v, %v, want error %s", v, err, want)
	}
}

// mustExpr returns the one expression in text.
func mustExpr(t testing.TB, text string) Expr {
	t.Helper()
	exprs, err := Exprs(text)
	if err != nil || len(exprs) != 1 {
		t.Fatalf("Exprs(%q) = %v, %v, want one expression", text, exprs, err)
	}
	return exprs[0]
}

func BenchmarkExprCeil(b *testing.B) {
	for _, text := range []string{"4*ln(n)", "n/2", "14"} {
		b.Run("expr="+text, func(b *testing.B) {
			e := mustExpr(b, text)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Ceil(4096, positive); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestExprValue: a value is not rounded and has to be in the range; its ends can be open.
func TestExprValue(t *testing.T) {
	share := FloatRange{Min: 0, Max: 1, MinOpen: true}
	for _, c := range []struct {
		text string
		n    int
		want float64
		err  string
	}{
		{"1-1/n", 8, 0.875, ""}, {"sqrt(n)/n", 16, 0.25, ""}, {"n/n", 3, 1, ""},
		{"n-n", 3, 0, "n-n = 0 at n = 3 must be in (0, 1]"}, {"1.5", 3, 0, "1.5 must be in (0, 1]"},
		{"ln(n-1)", 1, 0, "ln(n-1) must be finite, and is not at n = 1"},
	} {
		got, err := mustExpr(t, c.text).Value(c.n, share)
		if c.err == "" && (err != nil || got != c.want) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s at %d = %v, %v, want %v, %s", c.text, c.n, got, err, c.want, c.err)
		}
	}
	if v, err := mustExpr(t, "-(n-n)").Value(3, FloatRange{}); err != nil || math.Signbit(v) {
		t.Errorf("-(n-n) = %v, %v", v, err)
	}
}

// TestIsFormula: n and the functions are words of their own.
func TestIsFormula(t *testing.T) {
	for text, want := range map[string]bool{
		"n": true, "100*n": true, "100n": true, "2^n": true, "sqrt(2)": true, "log2(8)": true, "log (8)": true, "1..n": true, "16,n": true, "ln": true,
		"": false, "16": false, "1e5": false, "16..64": false, "nan": false, "inf": false, "none": false, "2^5": false, "16-64": false, "5n2": false,
	} {
		if got := IsFormula(text); got != want {
			t.Errorf("IsFormula(%q) = %v", text, got)
		}
	}
}
