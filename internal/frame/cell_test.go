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
