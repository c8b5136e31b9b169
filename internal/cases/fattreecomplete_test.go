package cases

import (
	"strings"
	"testing"

	"repslab/internal/param"
)

// TestBoundaries: the last value that is taken and the first one that is refused.
func TestBoundaries(t *testing.T) {
	for _, c := range []struct{ taken, refused, err string }{
		{"hosts=16 rto-us=8.338", "hosts=16 rto-us=8.337", "--rto-us: 8.337 must be at least 8.338, a round trip without queues"},
		{"hosts=16 horizon-us=50 failure=cables=1,at=49", "hosts=16 horizon-us=50 failure=cables=1,at=50", "must begin before 50 us, when a run ends"},
		{"hosts=36", "hosts=37", "--hosts: 37 would make 37 ToRs of 1: try 36 (6 ToRs of 6) or 40 (8 ToRs of 5)"},
		{"hosts=16", "hosts=17", "--hosts: 17 would make 17 ToRs of 1: try 16 (4 ToRs of 4) or 18 (6 ToRs of 3)"},
		{"hosts=16 tiers=3", "hosts=18 tiers=3", "--hosts: 18 must be k^3/4 for an even k in a tree of 3 tiers: 16 (8 ToRs of 2) or 54 (18 ToRs of 3)"},
		{"radix=8 oversubscription=3", "radix=8 oversubscription=2", "--radix: 8 must be a multiple of 3"},
		{"radix=8 tiers=3", "radix=9 tiers=3 hosts-per-tor=4", "--radix: 9 must be even in a tree of 3 tiers"},
		{"radix=8 hosts-per-tor=7", "radix=8 hosts-per-tor=8", "--radix: 8 must be above the 8 ports of a ToR"},
		{"hosts=128 oversubscription=8", "hosts=128 oversubscription=16", "--oversubscription: 16 would make 0.5 uplinks"},
		{"hosts=16 lb=oracle", "hosts=16 lb=oracle planes=2", "--lb: oracle must come without --planes"},
		{"hosts=16 background-every=2", "hosts=16 background-every=2 profile=mrc", "--background-every: 2 must come without --profile mrc"},
		{"hosts=16 lb=mptcp-subflows cc=none", "hosts=16 lb=mptcp-subflows cc=nscc", "--cc: nscc must be dctcp or none"},
		{"hosts=16 lb=reps-exclude", "hosts=16 lb=reps-exclude profile=uet", "--lb: reps-exclude must come without --profile uet"},
		{"radix=8 tiers=3 profile=uet trimming=sleek", "radix=8 trimming=sleek", "--trimming sleek: must come with --profile uet"},
		{"radix=8", "radix=204 tiers=3", "--radix: 204 must be lower: the tree would have 2122416 hosts, of at most 2097152"},
		{"hosts=16 groups=g:tor=3", "hosts=16 groups=g:tor=4", "--groups: tor=4 of g must be in [0, 3]"},
		{"hosts=16 groups=g:source=15", "hosts=16 groups=g:source=16", "--groups: source=16 of g must be in [0, 15]"},
	} {
		pointOf(t, c.taken)
		given := param.Texts{}
		for flag := range strings.FieldsSeq(c.refused) {
			key, value, _ := strings.Cut(flag, "=")
			given[param.KeyOf(key)] = value
		}
		if _, err := FattreeSpace(new(Fattree)).Grid(FattreeName, param.Selection{Parameters: given}); err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v, want %s", c.refused, err, c.err)
		}
	}
}
