package main

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"repslab/internal/console"
)

// hostileFiles are files that ask for much or hold what is no number, by what
// reads them.
func hostileFiles() map[string]map[string]string {
	long := strings.Repeat("9", 1<<22)
	deep := strings.Repeat("[", 1<<22)
	recycled := func(parameters string) string { return `{"model": "recycled", "parameters": {` + parameters + `}}` }
	return map[string]map[string]string{
		"fattree --flows ": {
			"Nodes 2097152\nConnections 16777216\nTriggers 16777216\n0->1 start 0 size 1\n": "expected Connections (16777216)",
			"Nodes " + long: "line 1: more than 4096 bytes in a line",
			"Nodes 2\nConnections 1\n0->1 start 0 size 9223372036854775807\n": "--flows: flow 0: bytes (9223372036854775807) must be at most 4194304 packets",
			"Nodes 2\nConnections 1\n0->1 start 9223372036854775807 size 1\n": "--flows: flow 0: start (9223372036854775807 ps) must be before Horizon",
			"Nodes NaN\n":   `"NaN", expected an integer in [2, 2097152]`,
			"Nodes 1e309\n": `"1e309", expected an integer in [2, 2097152]`,
			"Nodes -0\n":    `"-0", expected an integer in [2, 2097152]`,
			"Nodes 2\nConnections 1\n0->1 start -0 size NaN\n": `"NaN", expected an integer in [1, 9223372036854775807]`,
			strings.Repeat("\n", 1<<22):                        "more than 65536 empty lines",
			"\x00\x1b[2J":                                      `found "\x00\x1b[2J"`,
		},
		"fattree --topology ": {
			"Nodes 1e309\n": `"1e309", expected an integer in [1, 2097152]`,
			"Nodes NaN\n":   `"NaN", expected an integer in [1, 2097152]`,
			"Nodes " + long: "line 1: more than 4096 bytes in a line",
			"Nodes 2097152\nTiers 2\nPodsize 2097152\nTier 0\nDownlink_speed_Gbps 400\nRadix_Down 1\nRadix_Up 1024\nDownlink_Latency_ns 1\n" +
				"Tier 1\nDownlink_speed_Gbps 400\nRadix_Down 2097152\nDownlink_Latency_ns 1\n": "must be fewer, or uplinks: the switches need 4297064448 ports, of at most 67108864",
			"Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100000\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n" +
				"Tier 1\nDownlink_speed_Gbps 1\nRadix_Down 2\nDownlink_Latency_ns 1\n": "Fabric.Gbps (1) must be at least 1/1024 of the fastest link's (100000)",
		},
		"fattree --sizes ": {
			"0 0\nNaN 1\n":    `"NaN", expected a number in [0, 1099511627776]`,
			"0 0\n1e309 1\n":  `"1e309", expected a number in [0, 1099511627776]`,
			"-0 -0\n-0 1\n":   "must have 1 byte or more and part 1, as the last one",
			"0 " + long:       "line 1: more than 4096 bytes in a line",
			"1 0\n1 0\n1 1\n": "must differ from the one before",
		},
		"sweep --plan --config ": {
			long[:1<<20]: "is not a configuration",
			deep:         "must be of at most 1048576 bytes",
			deep[:1<<20]: "exceeded max depth",
			recycled(`"bins": ` + deep[:9000] + strings.Repeat("]", 9000)):                                              "must be a string, a number or a list of them",
			recycled(`"bins": "` + long[:1<<19] + `"`):                                                                  "must be an integer in [1, 1048576]",
			recycled(`"bins": [1` + strings.Repeat(",1", 1<<18) + `], "delay": [1` + strings.Repeat(",1", 1<<17) + "]"): "the parameters have more than 1000000 combinations",
			recycled(`"` + long[:1<<19] + `": 1`):                                                                       `must be one of bins, threshold`,
			recycled(`"bins": 1e309`):                                                                                   `"1e309" must be an integer in [1, 1048576]`,
			recycled(`"lambda": -0`):                                                                                    "-0 must be in (0, 1]",
			recycled(`"lambda": NaN`):                                                                                   "invalid character 'N'",
			recycled(`"threshold": "1e309"`):                                                                            "1e309 is outside what a 64-bit float holds",
			`{"model": "` + long[:1<<19] + `"}`:                                                                         "must be one of ballsbins",
			`{"` + long[:1<<19] + `": 1}`:                                                                               "unknown field",
			`{"model": "recycled", "replicas": 1e309}`:                                                                  `"1e309" must be an integer in [1, 268435456]`,
			`{"model": "recycled", "replicas": 268435456, "block": 1}`:                                                  "Block (1) must be in [64, Replicas=268435456]",
		},
	}
}

// hostileArguments are command lines likewise.
func hostileArguments() map[string]string {
	long := strings.Repeat("9", 100_000)
	return map[string]string{
		"recycled --bins " + long:                                         "must be an integer in [1, 1048576]",
		"recycled --bins 1..9223372036854775807":                          "9223372036854775807 must be an integer in [1, 1048576]",
		"recycled --lambda 0.1..1:+1e-300":                                "a list or range has at most 1000000 values",
		"recycled --lambda 0.1..1:x1.0000000000000002":                    "a list or range has at most 1000000 values",
		"recycled --lambda NaN":                                           `"NaN" must be a number in (0, 1]`,
		"recycled --lambda -0":                                            "-0 must be in (0, 1]",
		"recycled --lambda 1e309":                                         "1e309 is outside what a 64-bit float holds",
		"recycled --threshold " + strings.Repeat("(", 100_000):            "an expression has at most 1000 characters",
		"recycled --threshold " + strings.Repeat("(", 900):                "nested more than 100 deep",
		"recycled --threshold 9^9^9^9":                                    "must be finite, and is not at n = 32",
		"recycled --threshold 0/0":                                        "must be finite, and is not at n = 32",
		"recycled --threshold -1":                                         "-1 must be an integer in [0, 1073741824]",
		"coalescing --threshold -0":                                       "-0 = 0 must be an integer in [1, 1073741824]",
		"recycled --bins 1..1000000 --delay 0,1":                          "the parameters have more than 1000000 combinations",
		"recycled --format " + long:                                       "must be one of table",
		"recycled --" + long + "=1":                                       "unknown flag",
		long:                                                              "must be one of",
		"fattree --failure cables=1e309%":                                 `"1e309%" must be a percentage in [0%, 100%]`,
		"fattree --failure cables=NaN%":                                   `"NaN%" must be a percentage in [0%, 100%]`,
		"fattree --failure cables=1,at=1e309":                             `"1e309" must be a time in [0, 1e+09] us`,
		"fattree --failure degrade=1:1e-300 --hosts 16":                   "--failure: fault 0: rate (1e-300) must be 0 or at least 0.0009766",
		"fattree --failure " + long:                                       "it has no =",
		"fattree --hosts 65536 --message-bytes 15GiB":                     "packets in all",
		"fattree --hosts 2097152 --workload alltoall":                     "--hosts (2097152) must be at most 4096",
		"fattree --hosts 2097152 --workload allreduce-ring":               "--degree (1048576) must be fewer: they would send 2199022206976 flows, of at most 16777216",
		"fattree --workload facebook --hosts 2097152 --duration-us 90000": "must be shorter",
		"fattree --latency-ns 1000000 --rto-us 10":                        "the unloaded RTT",
		"fattree --mtu 65 --link-gbps 100000 --rto-us 1":                  "--latency-ns (1000) must be lower, or rates lower",
		"fattree --message-bytes 99999999999999999999TiB":                 "must be a size in [1B, 1TiB]",
		"evs --flows 1073741824 --evs 1073741824":                         "must be",
		"coalescing --bins 1048576 --colors-per-bin 1048576":              "must be",
		"ballsbins --bins 16777216 --rounds 2147483647 --every 1":         "must be",
		"allocate --bins 16777216 --balls 2147483647 --every 1":           "must be",
		"allocate --sampling " + long:                                     "must be uniform, half:A",
		"allocate --sampling given" + strings.Repeat(":1", 50_000):        "must list 1 to Bins=1000 shares",
		"allocate --sampling half:NaN":                                    "must have numbers in [0, 1]",
		"allocate --weights given:1" + long:                               "must be unit, exponential",
		"allocate --start " + long:                                        "must be empty or integers",
		"allocate --speeds " + long:                                       "must be equal or integers",
		"allocate --speeds 1:65537":                                       "must be in [1, 65536]",
		"allocate --start 9223372036854775807:1":                          "must be in [0, 2147483647]",
	}
}

// TestHostileInput: input that asks for much, or that holds what is no number,
// ends with code 2 and one short line that says what is allowed, without the
// memory that was asked for: 100 MB over the whole command.
func TestHostileInput(t *testing.T) {
	t.Chdir(t.TempDir())
	check := func(what, want string, args ...string) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := repslab(t, args...)
		runtime.ReadMemStats(&after)
		if o.code != exitUsage || o.stdout != "" || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, want) {
			t.Errorf("%.100q ends with code %d and %.400q, want %q", what, o.code, o.stderr, want)
		}
		if len(o.stderr) > console.LongestMessage+40 {
			t.Errorf("%.100q ends with a message of %d bytes", what, len(o.stderr))
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 100e6 {
			t.Errorf("%.100q asks for %d MB", what, got/1_000_000)
		}
	}
	for command, files := range hostileFiles() {
		for text, want := range files {
			if err := os.WriteFile("hostile", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			check(command+text, want, append(strings.Fields(command), "hostile")...)
		}
	}
	for line, want := range hostileArguments() {
		args := strings.Fields(line)
		for i, a := range args { // what begins with a dash is a value here
			if i > 0 && a == "-0" {
				args = append(append(args[:i-1:i-1], args[i-1]+"="+a), args[i+1:]...)
				break
			}
		}
		check(line, want, args...)
	}
}

// TestOneLine: messages are cut to what a person can read.
func TestOneLine(t *testing.T) {
	for _, c := range []struct{ message, want string }{
		{"a\nb \x1b[2J\x00", "a; b \uFFFD[2J\uFFFD"},
		{"a " + strings.Repeat("x", 600) + " b", "a " + strings.Repeat("x", 60) + "... b"},
		{strings.Repeat("x", 512), strings.Repeat("x", 512)},
		{strings.Repeat("é", 300), strings.Repeat("é", 30) + "..."},
		{strings.Repeat("x", 59) + strings.Repeat("é", 300), strings.Repeat("x", 59) + "..."},
	} {
		if got := console.OneLine(c.message); got != c.want {
			t.Errorf("%.80q becomes %.80q, want %.80q", c.message, got, c.want)
		}
	}
	if got := console.OneLine(strings.Repeat("word ", 10_000)); len(got) != console.LongestMessage+3 {
		t.Errorf("a long message is cut to %d bytes", len(got))
	}
}
