package frame

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Check returns v with NaN and infinities replaced by nil, or an error if a cell may not
// hold a value of its type.
func Check(v any) (any, error) {
	switch x := v.(type) {
	case nil, bool, string, int, int64, uint64:
		return v, nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, nil
		}
		return v, nil
	default:
		return nil, fmt.Errorf("cell type %T must be nil, bool, string, int, int64, uint64 or float64", v)
	}
}

// Exact returns the exact text of a checked cell; for nil it is empty. For a float64 it is the shortest
// text that parses to the same number, without an exponent for magnitudes in [1e-4, 1e15).
func Exact(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case int:
		return strconv.Itoa(x)
	case float64:
		if a := math.Abs(x); a == 0 || a >= 1e-4 && a < 1e15 {
			return strconv.FormatFloat(x+0, 'f', -1, 64) // -0 + 0 is 0
		}
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return fmt.Sprint(v)
}

// Human returns the text of a number for people: v with five significant digits, trailing zeros removed.
// Digits before the point are never rounded away. Magnitudes outside
// [1e-4, 1e15) get an exponent. v must be finite.
func Human(v float64) string {
	if a := math.Abs(v); a >= 1e4 && a < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v+0, 'g', 5, 64) // -0 + 0 is 0
}

// AppendMember appends a member of a JSON object, a key and a checked cell, to data. If data is empty it
// opens the object.
func AppendMember(data []byte, key string, v any) []byte {
	separator := byte(',')
	if len(data) == 0 {
		separator = '{'
	}
	data = append(appendString(append(data, separator), key), ':')
	switch x := v.(type) {
	case nil:
		return append(data, "null"...)
	case string:
		return appendString(data, x)
	default:
		return append(data, Exact(x)...)
	}
}

// appendString appends s as a JSON string, leaving <, > and & as they are.
func appendString(data []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append(append(data, '"'), s...), '"') // the usual case
	}
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string can always be encoded
	return append(data, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}
