package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"repslab/internal/advise"
	"repslab/internal/cases"
	"repslab/internal/console"
)

// quickAdvice are the flags of a page that takes a moment.
const quickAdvice = "--uplinks 4 --tors 4 --message-bytes 64KiB --failed 6% --replicas 3 --rtt-us 4"

// pages holds what advise printed for some flags as JSON: several tests look at the same page.
var pages sync.Map

// adviceOf returns the advice of some flags.
func adviceOf(t *testing.T, flags string) (a advise.Advice) {
	t.Helper()
	page, known := pages.Load(flags)
	if !known {
		o := repslab(t, append([]string{"advise", "--format", "json"}, strings.Fields(flags)...)...)
		if o.code != exitDone || o.stderr != "" {
			t.Fatalf("%+v", o)
		}
		page = []byte(o.stdout)
		pages.Store(flags, page)
	}
	if err := json.Unmarshal(page.([]byte), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// sourceRow returns a row of the command behind a number, from 1.
func sourceRow(t *testing.T, a advise.Advice, printed map[string][]map[string]any, source, row int) map[string]any {
	t.Helper()
	command, ours := strings.CutPrefix(a.Sources[source-1].Command, "repslab ")
	if !ours {
		t.Fatalf("source %d has no command", source)
	}
	if _, known := printed[command]; !known {
		o := repslab(t, append(words(command), "--format", "json")...)
		if o.code != exitDone {
			t.Fatalf("%s: %+v", command, o)
		}
		printed[command], _ = rowsOf(t, o.stdout)
	}
	if rows := printed[command]; row >= 1 && row <= len(rows) {
		return rows[row-1]
	}
	t.Fatalf("%s has no row %d", command, row)
	return nil
}

// TestAdviceAgrees: every number is the one that the command of its source prints, in the row and the column that it
// names, under the balancer and the change that it names. Only the sums of bits have no command.
func TestAdviceAgrees(t *testing.T) {
	for _, flags := range []string{
		quickAdvice + " --ack-ratio 4", quickAdvice + " --evs 65536 --ack-ratio 2 --ack-variant carry",
		quickAdvice + " --ack-ratio 4 --ack-variant reuse --reps paper --fabric-gbps 800 --hosts-per-tor 6 --evs 8 --rto-us 40.5",
	} {
		a := adviceOf(t, flags)
		factors := map[string]float64{"random_throw_fraction": 100, "imbalance_mean": 100, "imbalance_p95": 100,
			"rounds_mean": float64(a.Input.MTU) * 8 / float64(a.Input.FabricGbps) / 1000}
		printed := map[string][]map[string]any{}
		for _, n := range a.Numbers {
			if n.Section == "Memory" || n.Note != "" || n.Value == nil && n.Over > 0 { // a bound from runs that end
				continue
			}
			row := sourceRow(t, a, printed, n.Source, n.Row)
			want, known := row[n.Key].(float64)
			if n.Over > 0 {
				want /= sourceRow(t, a, printed, cmp.Or(n.OverSource, 1), n.Over)[n.Key].(float64)
			}
			if factor, in := factors[n.Key]; in {
				want *= factor
			}
			if !known || n.Value == nil || math.Abs(*n.Value-want) > 1e-12*want {
				t.Errorf("%+v, its command prints %v", n, want)
			}
			factor := cmp.Or(factors[n.Key], 1)
			if lo, known := row[n.Key+"_lo"]; known && n.Over == 0 && (lo == nil) != (n.Lo == nil) || lo != nil && n.Over == 0 && math.Abs(*n.Lo-factor*lo.(float64)) > 1e-9 {
				t.Errorf("%+v: its command prints a lower end of %v", n, lo)
			}
			for _, key := range []string{"lb", "rule"} {
				is, has := row[key]
				if is == "uniform" {
					is = "ops" // its name in ballsbins
				}
				if has && is != nil && n.Balancer != "" && a.Sources[n.Source-1].Command != "" && n.Section != "REPS without a round trip" && is != n.Balancer {
					t.Errorf("%+v is of %s %v", n, key, is)
				}
			}
			for flag := range slices.Chunk(strings.Fields(n.Change), 2) { // with its value
				if command := a.Sources[n.Source-1].Command; !strings.Contains(command, strings.Join(flag, " ")) {
					t.Errorf("%+v is of %s", n, command)
				}
			}
		}
		if len(printed) < 8 {
			t.Errorf("%d commands", len(printed))
		}
	}
}

// TestAdviceJSON: the texts of numbers have no layout, and intervals lie where their quantities can.
func TestAdviceJSON(t *testing.T) {
	a := adviceOf(t, "--uplinks 4 --tors 4 --link-gbps 100 --message-bytes 128KiB --failed 6% --replicas 2 --rtt-us 8 --ack-ratio 8")
	for _, n := range a.Numbers {
		for _, text := range []string{n.Section, n.Quantity, n.Balancer, n.Change, n.Network} {
			if strings.TrimSpace(text) != text {
				t.Errorf("%+v: %q has layout", n, text)
			}
		}
		most := math.Inf(1)
		switch {
		case strings.HasSuffix(n.Quantity, " us"):
			most = 1e5 // runs end after 100 ms
		case n.Quantity == "not recycled, %":
			most = 100
		case n.Quantity == "maximum queue, packets" && n.Section != "One switch":
			most = 25
		}
		if n.Lo != nil && *n.Lo < 0 || n.Hi != nil && *n.Hi > most {
			t.Errorf("%+v is outside of [0, %v]", n, most)
		}
	}
}

// TestAdviceOnSteepMarks: marks that rise too steeply for REPS are warned of, with the Kmax that is enough, which is
// run beside them; a Kmax that is enough is not, and no default is. By the law windows of 23.1 + 8 - 5.48 packets hold.
func TestAdviceOnSteepMarks(t *testing.T) {
	const network = "--uplinks 4 --tors 8 --message-bytes 256KiB --failed 0 --replicas 2 --rtt-us 2"
	const warning = "Warning: with marks from 8 to 9 packets recycling breaks down at windows above 25 packets, and they begin at 37; " +
		"--kmax 22 is enough (docs/round-trip.md)."
	for flags, warns := range map[string]bool{"": false, " --kmin 8 --kmax 9": true, " --kmin 8 --kmax 22": false} {
		a := adviceOf(t, network+flags)
		run := slices.ContainsFunc(a.Numbers, func(n advise.Number) bool { return n.Change == "--kmax 22" && n.Value != nil })
		if is := a.Advice[0] == warning; is != warns || run != warns {
			t.Errorf("%q: %q; runs --kmax 22: %v", flags, a.Advice[0], run)
		}
		if !strings.Contains(a.Sources[0].Command, flags+" ") || warns && !strings.Contains(a.Sources[1].Command, " --kmin 8 --kmax 22 ") {
			t.Errorf("%q: %+v", flags, a.Sources[:2])
		}
	}
}

// TestAdvicePage: the page fits 80 columns, is the same for any number of workers and in a file, has
// every number, and says what its models do not cover.
func TestAdvicePage(t *testing.T) {
	t.Chdir(t.TempDir())
	args := append([]string{"advise"}, strings.Fields(quickAdvice)...)
	one := repslab(t, append(args, "--workers", "1")...)
	two := repslab(t, append(args, "--workers", "2", "-o", "page.txt")...)
	if one.code != exitDone || two.code != exitDone || two.stdout != "" || string(fileBytes(t, "page.txt")) != one.stdout {
		t.Errorf("one worker %+v, two workers %+v, or page.txt differs", one, two)
	}
	for line := range strings.Lines(one.stdout) {
		if utf8.RuneCountInString(line) > console.UsualWidth+1 {
			t.Errorf("%d columns: %q", utf8.RuneCountInString(line), line)
		}
	}
	for _, n := range adviceOf(t, quickAdvice).Numbers {
		if !strings.Contains(one.stdout, n.Section) || !strings.Contains(one.stdout, "  "+cmp.Or(n.Change, n.Quantity)) || !strings.Contains(one.stdout, n.String()) {
			t.Errorf("the page lacks %+v", n)
		}
	}
	if n := adviceOf(t, strings.Replace(quickAdvice, "6%", "0.1%", 1)); !strings.Contains(fmt.Sprint(n.Numbers), "less than one cable") {
		t.Errorf("%+v", n)
	}
	_, last, found := strings.Cut(one.stdout, "\nAdvice\n")
	for _, sentence := range adviceOf(t, quickAdvice).Advice {
		if text := strings.Join(strings.Fields(last), " "); !found || !strings.Contains(text, sentence) {
			t.Errorf("the page does not end with %q: %s", sentence, text)
		}
	}
}

// TestAdviceRefuses: bad input is named with what is allowed.
func TestAdviceRefuses(t *testing.T) {
	for flags, want := range map[string]string{
		"--evs 63":                          "--evs: 63 must be a power of two",
		"--evs 131072":                      "--evs: 131072 must be an integer in [1, 65536]",
		"--uplinks 1":                       "--uplinks: 1 must be an integer in [2, 256]",
		"--failed 50% --uplinks 4":          "--failed: 50% of 128 cables must leave a path between any two ToRs: only 55 of 64 can fail without cutting the last one, in run 7",
		"--tors 3":                          "--tors: 3 must be an integer in [4, 256]",
		"--failed 51%":                      "--failed: 51 must be in [0, 50]",
		"--rtt-us 0":                        "--rtt-us: 0 must be in (0, 10000]",
		"--rtt-us 0.3":                      "--rtt-us (0.3) must be at least 0.346",
		"--rtt-us 400":                      "--rtt-us (400) must be at most 340",
		"--replicas 1":                      "--replicas: 1 must be an integer in [2, ",
		"--format table":                    "--format: \"table\" must be",
		"--link-gbps 0":                     "--link-gbps: 0 must be an integer in [1, 100000]",
		"--mtu 64":                          "--mtu: 64 must be an integer in [65, 1048576]",
		"--message-bytes 1GiB":              "--message-bytes",
		"-o /none/such":                     "-o: ",
		"--ack-ratio 65":                    "--ack-ratio: 65 must be an integer in [1, 64]",
		"--rto-us 5":                        "--rto-us: 5 must be at least 8.00",
		"--ack-variant carry":               "--ack-variant: carry must come with --ack-ratio above 1",
		"--ack-ratio 4 --ack-variant reuse": "--ack-variant: reuse must come with --reps paper",
		"--reps fifo":                       `--reps: "fifo" must be ultraethernet or paper`,
		"--hosts-per-tor 257":               "--hosts-per-tor: 257 must be an integer in [1, 256]",
		"--fabric-gbps 0":                   "--fabric-gbps: 0 must be an integer in [1, 100000]",
		"--ack-ratio 1 --ack-ratio ''":      "--ack-ratio",
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
		"--uplinks 64":         {"--uplinks 64 --hosts-per-tor 64 --tors 4 ", "The network has 4 ToRs with 64 hosts and 64 uplinks of 400 Gb/s each, so a message in 4"},
		"--uplinks 4":          {"--uplinks 4 --hosts-per-tor 4 --tors 32 ", "The network has 32 ToRs with 4 hosts"},
		"--uplinks 4 --tors 6": {"--hosts 24 --hosts-per-tor 4", "The network has 6 ToRs with 4 hosts"},
		"--uplinks 4 --hosts-per-tor 8 --fabric-gbps 200": {"--hosts-per-tor 8 --uplinks-per-tor 4 --fabric-gbps 200 --link-gbps 400",
			"The network has 16 ToRs with 8 hosts and 4 uplinks of 200 Gb/s each"},
	} {
		o := repslab(t, append(strings.Fields("advise --message-bytes 8KiB --failed 0 --replicas 2 --rtt-us 4"), strings.Fields(flags)...)...)
		page := strings.Join(strings.Fields(o.stdout), " ")
		if o.code != exitDone || !strings.Contains(page, want[0]) || !strings.Contains(page, want[1]) {
			t.Errorf("%s: code %d, want %q in %s", flags, o.code, want, page)
		}
	}
}

// TestAdviceTested: with 8 packets per ACK, ACKs that carry all EVs and an ACK for each packet gain, with the packets
// that they save; for messages of one packet, more bits to hash gain nothing. The commands of the recommendation print
// its numbers. No sentence is untested.
func TestAdviceTested(t *testing.T) {
	a := adviceOf(t, "--uplinks 8 --tors 4 --evs 64 --ack-ratio 8 --failed 4% --replicas 6 --message-bytes 2MiB")
	text := strings.Join(a.Advice, "\n")
	for _, want := range []string{"Recommendation: reps with --rto-us 32 --evs 65536: ", "Not --ack-ratio 1: ", "Not --ack-variant carry: ", "packets lost with failed cables, not "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	printed, checked := map[string][]map[string]any{}, 0
	for _, n := range a.Numbers {
		if n.Section != "Changes joined" && n.Network != "incast 31:1" && n.Network != "short messages" {
			continue
		}
		want := sourceRow(t, a, printed, n.Source, n.Row)[n.Key].(float64)
		if n.Over > 0 {
			want /= sourceRow(t, a, printed, n.OverSource, n.Over)[n.Key].(float64)
		}
		if checked++; math.Abs(*n.Value-want) > 1e-12*want {
			t.Errorf("%s of %s in %s is %v, the commands print %v", n.Quantity, n.Change, n.Network, *n.Value, want)
		}
	}
	if checked != 7 {
		t.Errorf("%d numbers of the recommendation, want 5 here and 2 one step away", checked)
	}
	one := adviceOf(t, "--uplinks 8 --tors 4 --evs 16 --message-bytes 1KiB --failed 0 --rtt-us 4 --replicas 3")
	if got := one.Advice[len(one.Advice)-1]; !strings.HasPrefix(got, "No gain of 2 % or more by --kmax 80, --kmin 5, --evs 65536, --rto-us 20, ") {
		t.Errorf("one packet: %q", got)
	}
	for _, text := range append(a.Advice, one.Advice...) {
		for _, untested := range []string{"shorten", "hash more", "more replicas", "acknowledge more"} {
			if strings.Contains(text, untested) {
				t.Errorf("%q is not tested", text)
			}
		}
	}
}

// numberOf returns the number of a quantity under a balancer.
func numberOf(t *testing.T, a advise.Advice, quantity, balancer string) advise.Number {
	t.Helper()
	i := slices.IndexFunc(a.Numbers, func(n advise.Number) bool { return n.Quantity == quantity && n.Balancer == balancer })
	if i < 0 || a.Numbers[i].Value == nil {
		t.Fatalf("no %s of %s in %+v", quantity, balancer, a.Numbers)
	}
	return a.Numbers[i]
}

// TestAdviceMeanField: the lower bound of a mean field is for a queue after as many rounds as a message has
// packets, here 17, so it is below the interval's upper end and grows with the rounds; a stationary value would be
// above.
func TestAdviceMeanField(t *testing.T) {
	var before float64
	for _, bytes := range []string{"16344", "69462", "408600"} { // 4, 17 and 100 packets
		a := adviceOf(t, "--uplinks 32 --tors 4 --hosts-per-tor 2 --failed 0 --replicas 8 --rtt-us 4 --message-bytes "+bytes)
		for _, at := range []string{"90", "100"} {
			bound, queue := numberOf(t, a, "mean field at "+at+" % load", "ops"), numberOf(t, a, "queue at "+at+" % load", "ops")
			if *bound.Value > *queue.Hi {
				t.Errorf("%s bytes: a lower bound of %v at %s %% load, the queue is %v", bytes, *bound.Value, at, queue)
			}
			if at == "90" && *bound.Value <= before {
				t.Errorf("%s bytes: the bound is %v, with fewer rounds %v", bytes, *bound.Value, before)
			} else if at == "90" {
				before = *bound.Value
			}
		}
	}
}

// TestAdviceMemory: the bytes under both rules are the sums of bits that the page lists, and the page says why the
// bytes by --reps paper, as README has them, are more.
func TestAdviceMemory(t *testing.T) {
	for rules, quantities := range map[string][2]string{
		"ultraethernet": {"bytes of a connection", "bytes by --reps paper"}, "paper": {"bytes by --reps ultraethernet", "bytes of a connection"},
	} {
		a := adviceOf(t, quickAdvice+" --evs 256 --reps "+rules)
		text := a.Sources[len(a.Sources)-1].Valid
		for i, name := range []string{"ultraethernet", "paper"} {
			_, sum, _ := strings.Cut(text, "reps by "+name+" ")
			bits := 0
			for term := range strings.SplitSeq(strings.FieldsFunc(sum, func(r rune) bool { return strings.ContainsRune(";. ", r) })[0], "+") {
				number, size := 1, 0
				if _, err := fmt.Sscanf(term, "%dx%d", &number, &size); err != nil {
					number = 1
					if _, err := fmt.Sscanf(term, "%d", &size); err != nil {
						t.Fatalf("%q in %q", term, text)
					}
				}
				bits += number * size
			}
			if got, want := *numberOf(t, a, quantities[i], cases.BalancerREPS).Value, float64((bits+7)/8); got != want || name == "paper" && got != 25 || name != "paper" && got >= 25 {
				t.Errorf("--reps %s: %v bytes by %s, the bits add up to %v", rules, got, name, want)
			}
		}
		if !strings.Contains(text, "By paper, as in vectors and c/reps.c, an EV takes 16 bits; else as many as tell --evs values apart") {
			t.Errorf("the difference is not explained: %q", text)
		}
	}
}

// TestAdviceDefaultACKs: by default each packet has an ACK, so that most packets are recycled, and fewer ACKs are the
// flag's choice: its help says what the paper and uet-htsim have, the page how little can be recycled then.
func TestAdviceDefaultACKs(t *testing.T) {
	each, four := adviceOf(t, quickAdvice), adviceOf(t, quickAdvice+" --ack-ratio 4")
	if left := *numberOf(t, each, "not recycled, %", cases.BalancerREPS).Value; each.Input.AckRatio != 1 || left > 50 {
		t.Errorf("%d packets per ACK by default, %v %% are not recycled", each.Input.AckRatio, left)
	}
	n := numberOf(t, four, "not recycled, %", cases.BalancerREPS)
	if want := "so at least 75 % are not"; *n.Value < 75 || !strings.Contains(four.Sources[n.Source-1].Valid, want) || strings.Contains(each.Sources[n.Source-3].Valid, "at least") {
		t.Errorf("%+v in %q, want %q", n, four.Sources[n.Source-1].Valid, want)
	}
	if help := repslab(t, "advise", "--help-all").stdout; !strings.Contains(strings.Join(strings.Fields(help), " "), "the paper has 1; uet-htsim acknowledges every 16 KiB, 4 packets of the usual size") {
		t.Errorf("the help does not say what the default means: %s", help)
	}
}
