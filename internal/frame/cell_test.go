package frame

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// TestMembers: an object of checked cells reads back as the same values, in order.
func TestMembers(t *testing.T) {
	var object []byte
	for _, m := range []struct {
		key   string
		value any
	}{
		{"nil", nil}, {"nan", math.NaN()}, {"infinite", math.Inf(-1)}, {"true", true}, {"int", -3}, {"int64", int64(math.MinInt64)},
		{"uint64", uint64(math.MaxUint64)}, {"zero", math.Copysign(0, -1)}, {"small", 1e-5}, {"float", 0.1}, {"large", 1e15},
		{"plain", "a b"}, {"html", "<&>"}, {`"quoted"`, "\"\\\n\u00e9\x7f"},
	} {
		v, err := Check(m.value)
		if err != nil {
			t.Fatal(err)
		}
		object = AppendMember(object, m.key, v)
	}
	want := `{"nil":null,"nan":null,"infinite":null,"true":true,"int":-3,"int64":-9223372036854775808,"uint64":18446744073709551615,` +
		`"zero":0,"small":1e-05,"float":0.1,"large":1e+15,"plain":"a b","html":"<&>","\"quoted\"":"\"\\\né` + "\x7f" + `"}`
	if got := string(append(object, '}')); got != want || !json.Valid([]byte(got)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, v := range []any{int32(1), uint8(1), float32(1), []int{1}, struct{}{}} {
		if _, err := Check(v); err == nil || !strings.Contains(err.Error(), "must be nil, bool, string, int, int64, uint64 or float64") {
			t.Errorf("%T: error %v", v, err)
		}
	}
}

// TestOneCharacter: a string of one character that JSON must escape is escaped, however the other characters are.
func TestOneCharacter(t *testing.T) {
	for text, want := range map[string]string{"\n": `"\n"`, `"`: `"\""`, `\`: `"\\"`, "\u2028": `"\u2028"`, "\xff": `"\ufffd"`, " ~": `" ~"`} {
		if got := string(AppendMember([]byte("{"), text, text)); got != "{,"+want+":"+want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestNumbers: the exact text and the text for people, at both ends of the magnitudes without an exponent.
func TestNumbers(t *testing.T) {
	for _, test := range []struct {
		v            float64
		exact, human string
	}{
		{0, "0", "0"}, {math.Copysign(0, -1), "0", "0"}, {-1.5, "-1.5", "-1.5"}, {1234.56789, "1234.56789", "1234.6"},
		{1e-4, "0.0001", "0.0001"}, {0.99e-4, "9.9e-05", "9.9e-05"}, {9999.96, "9999.96", "10000"}, {1e4, "10000", "10000"},
		{-12345.6, "-12345.6", "-12346"}, {123456789.7, "123456789.7", "123456790"},
		{999999999999999, "999999999999999", "999999999999999"}, {1e15, "1e+15", "1e+15"},
	} {
		if got := Exact(test.v); got != test.exact {
			t.Errorf("Exact(%v) = %s, want %s", test.v, got, test.exact)
		}
		if got := Human(test.v); got != test.human {
			t.Errorf("Human(%v) = %s, want %s", test.v, got, test.human)
		}
	}
}
