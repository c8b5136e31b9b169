package sweep

import (
	"testing"

	"repslab/internal/seal"
)

// TestKeys: a key is an ID of 16 characters, a slash and a kind of at least one.
func TestKeys(t *testing.T) {
	for body, kind := range map[string]string{
		`{"key":"0123456789abcdef/r","rows":1`:   "r",
		`{"key":"0123456789abcdef/0-10","tally"`: "0-10",
		`{"key":"0123456789abcdef/","rows":1`:    "",
		`{"key":"0123456789abcdef","rows":1`:     "",
		`{"key":"0123456789abc","/r":1,"rows":1`: "",
		`{"key":"0123456789abcdef0/r","rows":1`:  "",
		`{"key":"","rows":1,"other":"/rows"`:     "",
		`{"cey":"0123456789abcdef/r","rows":1`:   "",
	} {
		id, got, _, err := openRecord(trim(seal.Line([]byte(body))))
		if got != kind || (err == nil) != (kind != "") || err == nil && id != "0123456789abcdef" {
			t.Errorf("%s: ID %q, kind %q, error %v", body, id, got, err)
		}
	}
}

// trim takes away the newline of a line.
func trim(line []byte) []byte { return line[:len(line)-1] }
