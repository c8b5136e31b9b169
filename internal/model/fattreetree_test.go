package model

import (
	"testing"
)

// TestHostsOfOneSize: a tree of twice as many hosts as a square has ToRs of a divisor; up to four times as many ToRs as
// hosts of a ToR are taken, more are refused.
func TestHostsOfOneSize(t *testing.T) {
	for hosts, want := range map[int]bool{16: true, 20: true, 28: true, 36: true, 34: false, 44: true, 52: true, 68: false, 2: true, 3: true, 4: true, 5: false} {
		radix := 1
		for r := 1; r*r <= hosts; r++ {
			if hosts%r == 0 {
				radix = r
			}
		}
		if got := balanced(hosts, 2); got != want || want != (hosts/radix <= 4*radix) {
			t.Errorf("%d hosts make %d ToRs of %d: taken %v, want %v", hosts, hosts/radix, radix, got, want)
		}
	}
}
