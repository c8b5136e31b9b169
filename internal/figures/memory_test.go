package figures

import (
	"context"
	"strings"
	"testing"

	"repslab/internal/supermarket"
)

// TestMemory: the figure's statements hold in its intervals.
func TestMemory(t *testing.T) {
	out, err := figure("memory").Make(context.Background(), fromRecord(t, "memory"))
	if err != nil {
		t.Fatal(err)
	}
	inspect(t, "memory", out.Plot)
	text := strings.Join(out.Notes, " ")
	if strings.Contains(text, "NaN") || strings.Contains(text, "more than are drawn") {
		t.Errorf("a number is missing: %s", text)
	}
	at := func(key string, every int, where ...any) float64 {
		return valueAt(t, out.Tables[0], key, append(where, "slow_rounds", every)...)
	}
	for _, c := range []struct {
		what        string
		less, great float64
	}{
		{"8 entries are enough at 16 rounds", wellServed, at("served_percent_lo", 16, "ring", 8, "ack_ratio", 1)},
		{"1 entry is not", at("served_percent_hi", 16, "ring", 1), 75},
		{"8 entries are enough where ports fail", wellServed, at("served_percent_lo", 0, "ring", 8)},
		{"4 are not", at("served_percent_hi", 0, "ring", 4), wellServed},
		{"two choices fall behind 1 entry", at("served_percent_hi", 16, "choices", 2), at("served_percent_lo", 16, "ring", 1)},
		{"one remembered port is enough", 99, at("served_percent_lo", 16, "process", "memory")},
		{"so is a sample a ball if all loads are remembered", 99, at("served_percent_lo", 16, "process", "observations")},
		{"idle ports' names are not", at("served_percent_hi", 16, "names", 4), at("served_percent_lo", 16, "ring", 4)},
		{"they come as seldom as ACKs", at("messages_per_ball_lo", 16, "names", 4), 1.05},
		{"a bound of one choice", at("served_percent_lo", 4, "process", "jsq", "choices", 1), 100 * chosen(4, supermarket.JSQ, 1).mostChosen()},
		{"is nearly reached", 0.97 * 100 * chosen(4, supermarket.JSQ, 1).mostChosen(), at("served_percent_hi", 4, "process", "jsq", "choices", 1)},
		{"a bound of two choices", at("served_percent_lo", 16, "choices", 2), 100 * chosen(16, supermarket.JSQ, 2).mostChosen()},
		{"is nearly reached", 0.9 * 100 * chosen(16, supermarket.JSQ, 2).mostChosen(), at("served_percent_hi", 16, "choices", 2)},
		{"a bound of coalescing", at("served_percent_lo", 16, "ring", 8, "ack_ratio", 2),
			100 * remembered(16, 8, 2).mostCoalesced()},
		{"is nearly reached", 0.85 * 100 * remembered(16, 8, 2).mostCoalesced(),
			at("served_percent_hi", 16, "ring", 8, "ack_ratio", 2)},
	} {
		if !(c.less < c.great) {
			t.Errorf("%s: %v is not below %v", c.what, c.less, c.great)
		}
	}
}
