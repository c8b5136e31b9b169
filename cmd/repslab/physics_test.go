package main

import (
	"math"
	"strings"
	"testing"
)

// TestFarFromTheDefaults: one flow takes its ideal time, where it took the given multiple of it, or never ended, with
// windows, time-outs and slots for 400 Gb/s and 1 us.
func TestFarFromTheDefaults(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"10mb.cm": "Nodes 16\nConnections 1\n0->15 start 0 size 10000000\n", "1mb.cm": "Nodes 16\nConnections 1\n0->15 start 0 size 1000000\n",
		"20mb.cm": "Nodes 16\nConnections 1\n0->15 start 0 size 20000000\n", "two.cm": "Nodes 4\nConnections 1\n0->1 start 0 size 4087\n",
		"600mb.cm": "Nodes 4\nConnections 1\n0->3 start 0 size 600000000\n", "late.cm": "Nodes 4\nConnections 1\n0->3 start 100000060000 size 1000\n",
		"12800g.topo": "Nodes 16\nTiers 2\nPodsize 16\n\nTier 0\nDownlink_speed_Gbps 12800\nRadix_Down 4\nRadix_Up 4\nDownlink_Latency_ns 500\n" +
			"Switch_Latency_ns 0\n\nTier 1\nDownlink_speed_Gbps 12800\nRadix_Down 4\nDownlink_Latency_ns 500\nSwitch_Latency_ns 0\n",
	} {
		writeText(t, name, text)
	}
	for flags, was := range map[string]float64{ // the p99 slowdown
		"--flows 10mb.cm --latency-ns 10000":            4.55,
		"--flows 10mb.cm --link-gbps 800":               1.22,
		"--flows 10mb.cm --link-gbps 1600":              2.22,
		"--flows 10mb.cm --link-gbps 10":                1.20,
		"--flows 1mb.cm --link-gbps 200 --latency-ns 1": 1.72,
		"--flows 1mb.cm --link-gbps 10":                 1.21,
		"--flows 20mb.cm --mtu 1500":                    1.43,
		"--flows 10mb.cm --topology 12800g.topo":        7.1,
		"--flows two.cm --latency-ns 120":               0.896,
		"--flows two.cm":                                0.996,
		"--flows 600mb.cm --mtu 9216 --link-gbps 40":    math.Inf(1), // over 100 ms
		"--flows late.cm":                               math.Inf(1),
		"--flows 10mb.cm --planes 4 --link-gbps 100":    2.49,
		"--flows 10mb.cm --profile mrc --mtu 256":       math.Inf(1), // more packets than a receiver tracks
	} {
		o := repslab(t, append(strings.Fields("fattree --replicas 1 --format json"), strings.Fields(flags)...)...)
		rows, _ := rowsOf(t, o.stdout)
		if len(rows) != 1 || o.stderr != "" {
			t.Errorf("%s: %+v", flags, o)
			continue
		}
		if now, ends := rows[0]["slowdown_p99"].(float64); !ends || now < 1 || now > 1.004 || rows[0]["retransmitted"] != 0. || rows[0]["ecn_marked_fraction"] != 0. {
			t.Errorf("%s: slowdown %v (was %v), row %v", flags, rows[0]["slowdown_p99"], was, rows[0])
		}
	}
	for flags, want := range map[string]string{
		"--flows 10mb.cm --window 50":                                       "--window: 50 packets are less than the bandwidth-delay product of 100.4",
		"--flows two.cm --hosts 16":                                         "--flows: its 4 nodes are the first of the tree's 16 hosts",
		"--flows 10mb.cm --profile uet --planes 2":                          "--profile uet has windows for one of the 2 planes",
		"--flows 10mb.cm --link-gbps 10 --ack-ratio 8":                      "--ack-ratio: with more than 1 packets per ACK a flow alone waits for ACKs",
		"--flows two.cm --horizon-us 1":                                     "flows were left unfinished after 0.001 ms (--horizon-us)",
		"--workload websearch --hosts 16 --duration-us 200 --load 0.5":      "--load 0.5 offers 1.5 in --duration-us 200, as every host starts a flow at once",
		"--flows 1mb.cm --link-gbps 1600 --fabric-gbps 1600 --latency-ns 1": "",
		"--flows two.cm --link-gbps 3200 --fabric-gbps 10 --latency-ns 1":   "% too long, because links take whole slots of",
	} {
		o := repslab(t, append(strings.Fields("fattree --replicas 1"), strings.Fields(flags)...)...)
		if o.code != exitDone || want == "" && o.stderr != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: code %d, warnings %q, want %q", flags, o.code, o.stderr, want)
		}
	}
	refused(t, "fattree --flows two.cm --link-gbps 3200 --fabric-gbps 4 --latency-ns 1", "--latency-ns (1) must be at least")
	refused(t, "fattree --flows two.cm --hosts 2", "--flows: its 4 hosts must be at most the 2 of the tree: give --hosts")
	refused(t, "fattree --hosts 16 --oversubscription 3", "--oversubscription: 3 would make 1.333 uplinks of 400 Gb/s for the 4 hosts of a ToR at 400 Gb/s")
}

// TestTimeoutsWait: a time-out lasts until ACKs can come, so that nothing is sent again where nothing is lost.
func TestTimeoutsWait(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "far.cm", "Nodes 4\nConnections 1\n0->3 start 0 size 4087\n")
	// A time-out counts the queues of slow links at their rates: it ended before the ACKs came.
	for _, fabric := range []string{"10", "25"} {
		o := repslab(t, strings.Fields("fattree --hosts 16 --message-bytes 5MB --lb ops,reps --replicas 1 --format json --fabric-gbps "+fabric)...)
		rows, _ := rowsOf(t, o.stdout)
		for _, row := range rows {
			if row["retransmitted"] != 0. {
				t.Errorf("fabric of %s Gb/s: %v packets are sent again, the time-out is %v us", fabric, row["retransmitted"], row["rto_us"])
			}
		}
	}
	for what, flags := range map[string]string{
		"of five that reach a host in one slot, one is held back": "--profile uet --hosts 16 --tiers 3 --link-gbps 100 --workload incast --degree 5 --message-bytes 1B",
		"the receiver waits for seven packets":                    "--flows far.cm --link-gbps 1 --latency-ns 10000 --mtu 256 --queue 1 --ack-ratio 7",
	} {
		o := repslab(t, append(strings.Fields("fattree --replicas 1 --format json"), strings.Fields(flags)...)...)
		if rows, _ := rowsOf(t, o.stdout); len(rows) != 1 || rows[0]["retransmitted"] != 0. {
			t.Errorf("%s: packets are sent again: %+v", what, o)
		}
	}
}

// refused checks that a command is refused by a usage error.
func refused(t *testing.T, command, want string) {
	t.Helper()
	if o := repslab(t, strings.Fields(command)...); o.code != exitUsage || !strings.Contains(o.stderr, want) {
		t.Errorf("%s: %+v, want %q", command, o, want)
	}
}
