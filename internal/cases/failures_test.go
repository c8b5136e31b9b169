package cases

import (
	"strings"
	"testing"

	"repslab/internal/values"
)

// TestFailureRanges: a range in a value of --failure stands for one value for each number, of cables,
// percentages and times, alone, in a mix and with a second range.
func TestFailureRanges(t *testing.T) {
	for text, want := range map[string]string{
		"cables=1..8:x2,place=random":             "cables=1|cables=2|cables=4|cables=8",
		"none|cables=1..3":                        "none|cables=1|cables=2|cables=3",
		"cables=1%..8%:x2":                        "cables=1%|cables=2%|cables=4%|cables=8%",
		"Cables=0.5%..1.5%:+0.5%,place=aligned":   "cables=0.5%,place=aligned|cables=1%,place=aligned|cables=1.5%,place=aligned",
		"degrade=1..2:0.5,dir=both":               "degrade=1:0.5,dir=both|degrade=2:0.5,dir=both",
		"degrade=1..4:x4:0.5":                     "degrade=1:0.5|degrade=4:0.5",
		"switches=1;cables=2,at=10..30:+20,for=5": "switches=1;cables=2,at=10,for=5|switches=1;cables=2,at=30,for=5",
		"cables=1..2,at=10..20:+10":               "cables=1,at=10|cables=1,at=20|cables=2,at=10|cables=2,at=20",
		"ber-cable=0.1%..0.2%:+0.1":               "ber-cable=0.1%|ber-cable=0.2%",
		"cables=0..2":                             "none|cables=1|cables=2",
		"loss=0%..1%:+0.5%":                       "none|loss=0.5%|loss=1%",
		"cables=1;loss=0%":                        "cables=1",
		"Flow=0..3,paths=1..2,at=1..2":            "flow=0..3,paths=1..2,at=1|flow=0..3,paths=1..2,at=2",
		"Links=tor0..3:spine0..7,at=1..2;cables=1..2": "links=tor0..3:spine0..7,at=1;cables=1|links=tor0..3:spine0..7,at=1;cables=2|" +
			"links=tor0..3:spine0..7,at=2;cables=1|links=tor0..3:spine0..7,at=2;cables=2",
	} {
		specs, err := failureSpecs(text)
		if got := strings.Join(values.Texts(specs), "|"); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"cables=..8", "cables=1..", "cables=8..1", "cables=1..4:x1.5", "cables=1..2..3", "cables=1..8:2",
		"cables=1..2:0.5", "cables=-1..2", "cables=90%..110%:+10%", "cables=1..8,at=5..1", "cables=1..1000000000", "cables=1..2000,at=1..2000"} {
		if specs, err := failureSpecs(text); err == nil {
			t.Errorf("%s is read as %d values", text, len(specs))
		}
	}
}

// TestOlderFailures: places were aligned by default below streams 6, and a text is as it is from then on.
func TestOlderFailures(t *testing.T) {
	for _, c := range []struct {
		streams         int
		key, text, want string
	}{
		{5, "failure", "cables=2", "cables=2,place=aligned"}, {5, "failure", "cables=2,place=random", "cables=2"}, {5, "failure", "degrade=1:0.5,place=first;switches=1", "degrade=1:0.5,place=first;switches=1,place=aligned"},
		{6, "failure", "cables=2", "cables=2"}, {7, "failure", "cables=2", "cables=2"}, {5, "workload", "cables=2", "cables=2"},
	} {
		if got := olderFailures(c.streams, c.key, c.text); got != c.want {
			t.Errorf("streams %d, %s=%s: %s, want %s", c.streams, c.key, c.text, got, c.want)
		}
	}
}
