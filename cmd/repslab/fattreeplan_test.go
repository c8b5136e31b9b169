package main

import (
	"strings"
	"testing"
)

// TestPlan: --plan prints every resolved value with its unit, of each combination, in any format, and runs nothing: the
// network of a million hosts would take hours. What cannot be run is refused as without --plan.
func TestPlan(t *testing.T) {
	o := repslab(t, strings.Fields("fattree --plan --hosts 1048576 --kmin 5 --window 9 --rto-us 500 --message-bytes 8MB --format csv")...)
	for _, want := range []string{"quantity,value,unit", "hosts,1048576,", "kmin,5,packets", "kmax,76,packets", "queue,100,packets", "window,9,packets",
		"message_bytes,8000000,bytes", "rto_us,500,µs", "rtt_us,8.33712,µs", "horizon_us,100000,µs", "latency_ns,1000,ns", "link_gbps,400,Gb/s", "mtu,4150,bytes",
		"ring,8,EVs", "ack_ratio,1,packets", "trimming,on,", "header_bytes,64,bytes", "payload_bytes,4086,bytes", "slot_ns,83,ns", "rto_slots,6025,slots",
		"horizon_slots,1204820,slots", "rounding_pct,0,%"} {
		if !strings.Contains("\n"+o.stdout, "\n"+want+"\n") {
			t.Errorf("no line %q in\n%s", want, o.stdout)
		}
	}
	if o.code != 0 || !strings.Contains(o.stderr, "--window: 9 packets are less than the bandwidth-delay product of 100.4") {
		t.Errorf("exit code %d, %s", o.code, o.stderr)
	}
	o = repslab(t, strings.Fields("fattree --plan --hosts 16 --queue 70,80 --format json")...)
	if !strings.Contains(o.stdout, `{"queue":70,"kmin":18,"kmax":53,"rto_us":31.57712,"quantity":"kmax","value":53,"unit":"packets"}`+"\n") ||
		!strings.Contains(o.stdout, `{"queue":80,"kmin":20,"kmax":61,"rto_us":34.89712,"quantity":"queue","value":80,"unit":"packets"}`+"\n") {
		t.Errorf("two queues: %+v", o)
	}
	o = repslab(t, "fattree", "--plan", "--hosts", "16", "--format", "csv", "--workload",
		"permutation: bytes=10kB, hosts=0..7, at=3us, name=a; incast: bytes=2kB, degree=3, hosts=0..3, every=5us, for=12us; allreduce-ring: bytes=8kB, hosts=rest, degree=8")
	for _, want := range []string{"a.hosts,8,", "a.flows,8,", "a.bytes,80000,bytes", "a.first_start_us,3,µs", "a.last_start_us,3,µs", "incast.hosts,4,",
		"incast.flows,9,", "incast.bytes,18000,bytes", "incast.first_start_us,0,µs", "incast.last_start_us,10,µs", "allreduce-ring.hosts,8,"} {
		if !strings.Contains("\n"+o.stdout, "\n"+want+"\n") {
			t.Errorf("no line %q in\n%s%s", want, o.stdout, o.stderr)
		}
	}
	for args, want := range map[string]string{
		"--hosts 17":                      "--hosts: 17 would make",
		"--kmin 9 --kmax 3":               "--kmax (3) must be in [KMin=9",
		"--trace t.csv":                   "--trace: must come without --plan, which runs nothing",
		"--columns kmax":                  "--columns: \"kmax\"",
		"--lb oracle --planes 2":          "--lb: oracle must come without --planes",
		"--flows-out f --message-bytes 8": "--flows-out: must come without --plan",
	} {
		if o := repslab(t, strings.Fields("fattree --plan "+args)...); o.code != exitUsage || o.stdout != "" || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %+v", args, o)
		}
	}
}
