package figures

import "testing"

// TestHtsimFreezing: the four runs that fig09 cites are there, no others.
func TestHtsimFreezing(t *testing.T) {
	for _, c := range []struct {
		dead, us int
		want     string
	}{{50, 10_000, "447"}, {50, 100, "8,921"}, {10, 10_000, "220"}, {10, 100, "237"}} {
		if got, err := htsimFreezing(c.dead, c.us); err != nil || withComma(got) != c.want {
			t.Errorf("%d %% dead, frozen for %d us: %s, error %v, want %s", c.dead, c.us, withComma(got), err, c.want)
		}
	}
	if _, err := htsimFreezing(20, 100); err == nil {
		t.Error("a run that was not made is there")
	}
}
