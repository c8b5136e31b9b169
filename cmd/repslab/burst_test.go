package main

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestBurst: a flow alone that needs n bursts takes n - 1 pauses longer than without pauses, to 3 us for the ACKs that
// a window waits for; for all transports. Pauses that come after the end change nothing, and in a pause lost packets
// are sent again.
func TestBurst(t *testing.T) {
	command := "fattree --hosts 16 --workload incast --degree 1 --message-bytes 1MiB --replicas 1 --evs 64 --format csv --columns max_fct_us "
	for _, hosts := range []string{"", " --profile uet", " --profile mrc", " --profile mrc --planes 2", " --cc eqds", " --planes 2"} {
		fct := func(burst string) float64 {
			o := repslab(t, strings.Fields(command+"--burst "+burst+hosts)...)
			rows, ok := strings.CutPrefix(o.stdout, "max_fct_us\n")
			if o.code != exitDone || !ok {
				t.Fatalf("%s %s: %+v", hosts, burst, o)
			}
			us, err := strconv.ParseFloat(strings.TrimSpace(rows), 64)
			if err != nil {
				t.Fatal(err)
			}
			return us
		}
		never, late := fct("none"), fct("on=500,off=100")
		first := never - 9 // its round trip
		if never != late {
			t.Errorf("%s: %v us, but %v with a pause after the end", hosts, never, late)
		}
		on := first / 2.5 // three bursts
		if got := fct(fmt.Sprintf("on=%.3f,off=200", on)); got < never+400-3 || got > never+400+6 {
			t.Errorf("%s: %v us with two pauses of 200, want %v", hosts, got, never+400)
		}
		if got := fct(fmt.Sprintf("on=%.3f,off=1500 --failure loss=5%%", first+9)); got <= never || got > 1500 {
			t.Errorf("%s: %v us with losses before a pause of 1500, in which they are sent again", hosts, got)
		}
	}
	for burst, want := range map[string]string{
		"on=5": "must be none or on=TIME,off=TIME", "on=0,off=5": "must be none or", "off=5,on=5": "must be none or", "on=5,off=x": "must be none or",
		"on=0.01,off=1": "--burst", "on=1,off=101": "at most 100 times BurstOn",
	} {
		if o := repslab(t, "fattree", "--burst", burst); o.code != exitUsage || !strings.Contains(o.stderr, want) || !strings.Contains(o.stderr, "--burst") {
			t.Errorf("%s: %+v, want %q", burst, o, want)
		}
	}
}
