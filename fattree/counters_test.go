package fattree

import (
	"reflect"
	"testing"
)

// TestCountersAreAll: every count of packets is a counter, except the packets inside, which are counted
// at the end. No field and no key is in the list twice.
func TestCountersAreAll(t *testing.T) {
	var c Counts
	keys := map[string]bool{"": true}
	for i, counter := range Counters() {
		if keys[counter.Key] || *counter.Of(&c) != 0 {
			t.Errorf("%q: an empty key, or a key or field of an earlier counter", counter.Key)
		}
		keys[counter.Key] = true
		*counter.Of(&c) = int64(i + 1)
	}
	fields := reflect.ValueOf(c)
	for i := range fields.NumField() {
		name, isCount := fields.Type().Field(i).Name, fields.Type().Field(i).Type == reflect.TypeFor[int64]()
		if isCount && (name == "Inside") != (fields.Field(i).Int() == 0) {
			t.Errorf("Counts.%s: whether it is a counter is wrong", name)
		}
	}
}
