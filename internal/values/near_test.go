package values

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestNear(t *testing.T) {
	balancers := []string{"ops", "mptcp", "mptcp-subflows", "reps-legacy", "reps"}
	figures := []string{"tab01", "fig01", "fig02", "fig12", "fig22"}
	for _, tt := range []struct {
		word  string
		names []string
		want  []string
	}{
		{"repz", balancers, []string{"reps"}},
		{"REPS", balancers, []string{"reps"}},
		{"rpes", balancers, []string{"reps"}},
		{"reps_legacy", balancers, []string{"reps-legacy"}},
		{"subflows", balancers, []string{"mptcp-subflows"}},
		{"mptcp-subflow-8", balancers, []string{"mptcp-subflows"}},
		{"my-reps", balancers, []string{"reps"}},
		{"fg02", figures, []string{"fig02"}},
		{"fig2", figures, []string{"fig02"}},
		{"fig0", figures, []string{"fig01", "fig02"}},
		{"fig", figures, []string{"fig01", "fig02", "fig12"}},
		{"mean_fct", []string{"worst_mean_fct_us", "all_mean_fct_us", "fct", "mean_fct_us"}, []string{"mean_fct_us", "worst_mean_fct_us", "all_mean_fct_us"}},
		{"reroute", []string{"to-reroute", "--reroute-us"}, []string{"--reroute-us", "to-reroute"}},
		{"spray", balancers, nil},
		{"s", balancers, nil},
		{"", balancers, nil},
		{strings.Repeat("reps", 20), balancers, nil},
		{"repz", nil, nil},
	} {
		if got := Near(tt.word, tt.names); !slices.Equal(got, tt.want) {
			t.Errorf("Near(%q, %q) = %q, want %q", tt.word, tt.names, got, tt.want)
		}
	}
}

func TestMustBeOneOf(t *testing.T) {
	var many []string
	for i := range 41 {
		many = append(many, fmt.Sprintf("fig%02d", i))
	}
	for word, want := range map[string]string{
		"fig1":                        "must be one of 41 names; did you mean fig01 or fig10?",
		"x":                           "must be one of 41 names; the nearest are fig00, fig01, fig02",
		"":                            "must be one of 41 names; the nearest are fig00, fig01, fig02",
		"zig33 or so":                 "must be one of 41 names; the nearest are fig33, fig03, fig13",
		strings.Repeat("x", 99) + "5": "must be one of 41 names; the nearest are fig00, fig01, fig02",
	} {
		if got := MustBeOneOf(word, many); got != want {
			t.Errorf("MustBeOneOf(%q) = %q, want %q", word, got, want)
		}
	}
}

// TestMustBeOneOfAFew: up to 40 names are listed for a word that is near none.
func TestMustBeOneOfAFew(t *testing.T) {
	var few []string
	for i := range 40 {
		few = append(few, fmt.Sprintf("fig%02d", i))
	}
	if got, want := MustBeOneOf("x", few), "must be one of "+strings.Join(few, ", "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEdits: the number of edits is symmetric, and as counted by hand.
func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"fatree", "fattree", 1}, {"websaerch", "websearch", 1},
		{"kitten", "sitting", 3}, {"plb-k25", "plb-k2", 2}, {"fig2", "fig02", 1}, {"fig2", "fig12", 2}, {"fig1", "fig2", 2},
	} {
		if there, back := edits(tt.a, tt.b), edits(tt.b, tt.a); there != tt.want || back != tt.want {
			t.Errorf("edits(%q, %q) = %d and %d, want %d", tt.a, tt.b, there, back, tt.want)
		}
	}
}
