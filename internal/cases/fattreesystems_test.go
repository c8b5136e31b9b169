package cases

import "testing"

// TestDefaultsOfWorkloads pins the messages and degrees of workloads with 16 hosts.
func TestDefaultsOfWorkloads(t *testing.T) {
	for name, want := range map[string]struct {
		message int64
		degree  int
	}{
		"permutation": {8 << 20, 0}, "tornado": {8 << 20, 0}, "incast": {8 << 20, 8}, "one-tor": {8 << 20, 0}, "websearch": {0, 0}, "facebook": {0, 0},
		"allreduce-ring": {4_000_000, 8}, "allreduce-butterfly": {20_000_000, 0}, "alltoall": {2_000_000, 8},
	} {
		flags := "hosts=16 workload=" + name
		if want.message == 0 {
			flags += " duration-us=10"
		}
		if p := pointOf(t, flags); p.Message != want.message || p.degree != want.degree {
			t.Errorf("%s: %d bytes, degree %d, want %+v", name, p.Message, p.degree, want)
		}
	}
	if p := pointOf(t, "hosts=3 workload=allreduce-ring hosts-per-tor=1"); p.degree != 2 {
		t.Errorf("a ring of 3 hosts has %d of them, want 2", p.degree)
	}
}
