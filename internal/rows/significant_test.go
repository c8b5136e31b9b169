package rows

import "testing"

// TestSignificant: a difference is significant from p < 0.05 on.
func TestSignificant(t *testing.T) {
	for p, want := range map[float64]bool{0.0499: true, 0.05: false, 0.4: false} {
		if got := (difference{p: p}).significant(); got != want {
			t.Errorf("p = %v: %v, want %v", p, got, want)
		}
	}
}
