package balance

import (
	"fmt"
	"testing"
)

// TestNewHasOneRangeOfEVs: under every name, 0, negative and more than MaxEVS EVs are
// refused with the same words, and all other numbers from 8 on are taken.
func TestNewHasOneRangeOfEVs(t *testing.T) {
	for _, name := range Names() {
		for _, evs := range []int{-1, 0, MaxEVS + 1, 70_000} {
			if b, err := New(name, evs); err == nil || err.Error() != fmt.Sprintf("balance: evs (%d) must be in [1, 65536]", evs) || b != nil {
				t.Errorf("%s, %d EVs: %v, error %v", name, evs, b, err)
			}
		}
		for _, evs := range []int{8, 255, MaxEVS} {
			if b, err := New(name, evs); err != nil || b == nil {
				t.Errorf("%s, %d EVs: %v, error %v", name, evs, b, err)
			}
		}
	}
}
