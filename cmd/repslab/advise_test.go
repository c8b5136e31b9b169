package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"repslab/recycled"
)

// quickAdvice are the flags of a page that takes a moment.
const quickAdvice = "--uplinks 4 --message-bytes 64KiB --failed 2% --replicas 3 --rtt-us 4"

// adviceOf returns the advice of some flags.
func adviceOf(t *testing.T, flags string) (a advice) {
	t.Helper()
	o := repslab(t, append([]string{"advise", "--format", "json"}, strings.Fields(flags)...)...)
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	if err := json.Unmarshal([]byte(o.stdout), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestAdviceAgrees: the numbers are those that the commands of their sources print.
func TestAdviceAgrees(t *testing.T) {
	a := adviceOf(t, quickAdvice)
	slotUs := float64(a.Input.MTU) * 8 / float64(a.Input.LinkGbps) / 1000
	expected := map[string]float64{} // by section, quantity and balancer
	for _, source := range a.Sources {
		command, ours := strings.CutPrefix(source.Command, "repslab ")
		if !ours {
			continue
		}
		o := repslab(t, append(words(command), "--format", "json")...)
		if o.code != exitDone {
			t.Fatalf("%s: %+v", command, o)
		}
		rows, _ := rowsOf(t, o.stdout)
		for i, row := range rows {
			add := func(section, quantity string, balancer any, key string, factor float64) {
				expected[fmt.Sprint(section, " ", quantity, " ", balancer)] = row[key].(float64) * factor
			}
			switch name, _, _ := strings.Cut(command, " "); {
			case name == "fattree":
				section := "Network"
				if i >= 3 {
					section = "3 of 128 cables failed"
					add(section, "reroute time, us", row["lb"], "reroute_us", 1)
					add(section, "lost packets", row["lb"], "lost", 1)
				}
				add(section, "slowest flow, us", row["lb"], "max_fct_us", 1)
				add(section, "maximum queue, packets", row["lb"], "max_queue_packets", 1)
			case name == "ballsbins":
				add("OPS without windows", "queue at its end, packets", "ops", "max_load_mean", 1)
				add("OPS without windows", "  mean field", "ops", "mean_field_max_load", 1)
			case name == "evs":
				add("Hash", "busiest uplink, % too many", "", "imbalance_mean", 100)
				add("Hash", "  one hash seed in 20 above", "", "imbalance_p95", 100)
			case row["clocking"] == "per-flow":
				add("One switch", "maximum queue, packets", row["rule"], "max_load_mean", 1)
			default:
				add("REPS without a round trip", "time to converge, us", "reps", "rounds_mean", slotUs)
			}
		}
	}
	for _, n := range a.Numbers {
		name := n.Section + " " + n.Quantity + " " + n.Balancer
		want, known := expected[name]
		if known && (n.Value == nil || math.Abs(*n.Value-want) > 1e-12*want) {
			t.Errorf("%s: %+v, its command prints %v", name, n, want)
		}
		delete(expected, name)
	}
	if len(expected) > 0 {
		t.Errorf("the page lacks %v", expected)
	}
}

// TestAdvicePage: the page fits 80 columns, is the same for any number of workers and in a file, has
// every number, and says what its models do not cover.
func TestAdvicePage(t *testing.T) {
	t.Chdir(t.TempDir())
	args := append([]string{"advise"}, strings.Fields(quickAdvice)...)
	one := repslab(t, append(args, "--workers", "1")...)
	two := repslab(t, append(args, "--workers", "2")...)
	if one.code != exitDone || one != two {
		t.Errorf("one worker %+v, two workers %+v", one, two)
	}
	if o := repslab(t, append(args, "-o", "page.txt")...); o.code != exitDone || o.stdout != "" || string(fileBytes(t, "page.txt")) != one.stdout {
		t.Errorf("%+v, or page.txt differs", o)
	}
	for line := range strings.Lines(one.stdout) {
		if utf8.RuneCountInString(line) > usualWidth+1 {
			t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
	for _, n := range adviceOf(t, quickAdvice).Numbers {
		if !strings.Contains(one.stdout, n.Section+" [") || !strings.Contains(one.stdout, "  "+n.Quantity) || !strings.Contains(one.stdout, n.String()) {
			t.Errorf("the page lacks %+v", n)
		}
	}
	if n := adviceOf(t, strings.Replace(quickAdvice, "2%", "0.1%", 1)); !strings.Contains(fmt.Sprint(n.Numbers), "less than one cable") {
		t.Errorf("%+v", n)
	}
	_, last, found := strings.Cut(one.stdout, "\nAdvice\n")
	for _, sentence := range adviceOf(t, quickAdvice).Advice {
		if text := strings.Join(strings.Fields(last), " "); !found || !strings.Contains(text, sentence) {
			t.Errorf("the page does not end with %q: %s", sentence, text)
		}
	}
	if !strings.Contains(one.stdout, "not covered") { // the bound of 4 uplinks
		t.Errorf("the page has a bound: %s", one.stdout)
	}
}

// TestAdviceRefuses: bad input is named with what is allowed.
func TestAdviceRefuses(t *testing.T) {
	for flags, want := range map[string]string{
		"--evs 63":                     "--evs: 63 must be a power of two",
		"--evs 131072":                 "--evs: 131072 must be an integer in [1, 65536]",
		"--uplinks 1":                  "--uplinks: 1 must be an integer in [2, 256]",
		"--failed 50% --uplinks 4":     "--failed: 50% of 128 cables must leave a path between any two ToRs: only 55 of 64 can fail without cutting the last one, in run 7",
		"--tors 3":                     "--tors: 3 must be an integer in [4, 256]",
		"--failed 51%":                 "--failed: 51 must be in [0, 50]",
		"--rtt-us 0":                   "--rtt-us: 0 must be in (0, 10000]",
		"--rtt-us 0.3":                 "--rtt-us (0.3) must be at least 0.346",
		"--rtt-us 400":                 "--rtt-us (400) must be at most 340",
		"--replicas 1":                 "--replicas: 1 must be an integer in [2, ",
		"--format table":               "--format: \"table\" must be",
		"--link-gbps 0":                "--link-gbps: 0 must be an integer in [1, 100000]",
		"--mtu 64":                     "--mtu: 64 must be an integer in [65, 1048576]",
		"--message-bytes 1GiB":         "--message-bytes",
		"-o /none/such":                "-o: ",
		"--ack-ratio 65":               "--ack-ratio: 65 must be an integer in [1, 64]",
		"--ack-ratio 1 --ack-ratio ''": "--ack-ratio",
	} {
		if o := repslab(t, append([]string{"advise"}, words(flags)...)...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v, want %q", flags, o, want)
		}
	}
}

// TestAdviceNetwork: the network has at least four ToRs, so that most messages of a permutation leave theirs, or
// as many as asked for, and the page says so.
func TestAdviceNetwork(t *testing.T) {
	for flags, want := range map[string][2]string{
		"--uplinks 64":         {"--uplinks 64 --tors 4 ", "The network has 4 ToRs with 64 hosts and as many uplinks each, so a message in 4"},
		"--uplinks 4":          {"--uplinks 4 --tors 32 ", "The network has 32 ToRs with 4 hosts"},
		"--uplinks 4 --tors 6": {"--hosts 24 --hosts-per-tor 4", "The network has 6 ToRs with 4 hosts"},
	} {
		o := repslab(t, append(strings.Fields("advise --message-bytes 8KiB --failed 0 --replicas 2 --rtt-us 4"), strings.Fields(flags)...)...)
		page := strings.Join(strings.Fields(o.stdout), " ")
		if o.code != exitDone || !strings.Contains(page, want[0]) || !strings.Contains(page, want[1]) {
			t.Errorf("%s: code %d, want %q in %s", flags, o.code, want, page)
		}
	}
}

// TestConclusions: each number has its sentence, and a preference needs an interval that excludes 5 %.
func TestConclusions(t *testing.T) {
	a := advice{Input: adviseFlags{AckRatio: 4, EVs: 64}}
	number := func(quantity, balancer string, v, half float64) {
		a.Numbers = append(a.Numbers, adviceNumber{Section: "S", Quantity: quantity, Balancer: balancer, Value: &v,
			Lo: new(v - half), Hi: new(v + half), Source: 3})
	}
	number(timesOfREPS, "ops", 1.5, 0.1)
	number(timesOfREPS, "ops", 1.01, 0.02)
	number(timesOfREPS, "ops", 1.1, 0.1)
	number(timesOfREPS, "mixed", 0.8, 0.1)
	number("not recycled at the end, %", "reps", 80, 1)
	number("not recycled at the end, %", "reps", 1, 0.5)
	number("EVs for 10 %", "", 65, 0)
	number("EVs for 10 %", "", 64, 0)
	number("maximum queue, packets", "reps", 10, 1)
	a.Numbers = append(a.Numbers, adviceNumber{Quantity: timesOfREPS, Note: "3 of 10 runs"})
	a.conclude()
	for i, want := range []string{
		"S: ops takes 1.50 ±0.10 times as long as reps, so prefer reps [3].", "so either will do [3].",
		"so more replicas must tell which to prefer [3].", "so prefer mixed [3].",
		"80.0 ±1.0 % of the packets of reps are not recycled with an ACK for 4 packets: acknowledge more", "4 packets: so many ACKs are enough [3].",
		"from 65 EVs on, and the NIC has 64: hash more bits [3].", "from 64 EVs on, and the NIC has 64: that is enough [3].",
	} {
		if len(a.Advice) != 8 || !strings.Contains(a.Advice[i], want) {
			t.Fatalf("%q, want %q", a.Advice, want)
		}
	}
}

// scripted is a process of 100 throws a round with a share of random ones for each circuit of 10.
type scripted struct {
	recycled.Process
	shares      []int // percent
	all, random int64
}

func (s *scripted) Advance(rounds int) {
	s.all += int64(rounds) * 100
	s.random += int64(rounds * s.shares[0])
	s.shares = s.shares[1:]
}

func (s *scripted) Throws() (all, random int64) { return s.all, s.random }

func (s *scripted) MaxLoad() int { return 7 }

// TestSettle: a run has settled at the end of the last circuit with 5 % or more random throws.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		shares  []int
		settled int64 // rounds; -1 if it has not
	}{
		{[]int{100, 5, 4, 0}, 20},
		{[]int{100, 0, 30, 4}, 30},
		{[]int{4, 4, 4, 4}, 0},
		{[]int{0, 0, 0, 5}, -1},
	} {
		var s settling
		s.settle(&scripted{shares: c.shares}, 10, 4)
		got, found := s.settled.Max()
		if !found {
			got = -1
		}
		last := float64(c.shares[3])
		if e := s.random.Mean(0.95); got != c.settled || math.Abs(e.Value/partsOfRandom*100-last) > 1e-6 || s.maxLoad.N() != 1 {
			t.Errorf("%v: settled after %d rounds, %v random, want %d and %v %%", c.shares, got, e.Value, c.settled, last)
		}
	}
}
