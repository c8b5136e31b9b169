package main

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// traceOf returns the values of a trace by quantity and number, in the order of their times, and the number of times.
func traceOf(t *testing.T, path string) (values map[string][]float64, times int) {
	t.Helper()
	values = map[string][]float64{}
	last := ""
	for _, row := range csvRows(t, string(fileBytes(t, path))) {
		if row["time_us"] != last {
			last = row["time_us"]
			times++
		}
		v := 0.0
		if row["value"] != "" {
			var err error
			if v, err = strconv.ParseFloat(row["value"], 64); err != nil {
				t.Fatal(err)
			}
		}
		key := strings.TrimSpace(row["quantity"] + " " + row["number"])
		values[key] = append(values[key], v)
	}
	return values, times
}

// TestTraceChoices: a trace has the chosen ports and flows at the chosen times. The marks of all tiers are the marks of
// the network, a flow sends no more EVs than it has, its ring is filled, and it sends fresh EVs first and recycled ones
// later. The EVs in flight end with the values of --inside.
func TestTraceChoices(t *testing.T) {
	t.Chdir(t.TempDir())
	const network = "fattree --hosts 16 --tiers 3 --workload tornado --message-bytes 1MB --replicas 1 --evs 16 --kmin 3 --kmax 9 --trace t.csv --columns sent,recycled_fraction "
	plain := repslab(t, strings.Fields(network)...)
	_, few := traceOf(t, "t.csv")
	o := repslab(t, strings.Fields(network+"--trace-every 0.5 --trace-flows 0..15 --trace-ports core1..2:down,agg0:up,tor1:down")...)
	if o.code != exitDone || o.stdout != plain.stdout {
		t.Fatalf("%+v, with the default trace %+v", o, plain)
	}
	v, times := traceOf(t, "t.csv")
	if times < 3*few {
		t.Errorf("%d times with 0.5 us, %d with 2 us", times, few)
	}
	for _, port := range strings.Fields("core1:down0 core1:down1 core1:down2 core1:down3 core2:down0 core2:down3 agg0:up0 agg0:up1 tor1:down0 tor1:down1") {
		if len(v["port_gbps "+port]) != times || len(v["port_queue_packets "+port]) != times {
			t.Errorf("%s has %d rates at %d times", port, len(v["port_gbps "+port]), times)
		}
	}
	ports, marked, rate, distinct, valid := 0, 0.0, 0.0, 0.0, 0.0
	for key, list := range v {
		if strings.HasPrefix(key, "port_gbps") {
			ports++
		}
		for i, x := range list {
			switch {
			case strings.HasPrefix(key, "marked_at "):
				marked += x
				v["marked"][i] -= x
			case strings.HasPrefix(key, "port_gbps tor1"):
				rate += x
			case strings.HasPrefix(key, "distinct_evs"):
				distinct = max(distinct, x)
			case strings.HasPrefix(key, "valid"):
				valid = max(valid, x)
			}
		}
	}
	for i, rest := range v["marked"] {
		if rest != 0 {
			t.Errorf("time %d: %v marks are in the network but not at its tiers", i, rest)
		}
	}
	if ports != 12 || marked == 0 || rate == 0 || distinct != 16 || valid != 8 {
		t.Errorf("%d ports, %v marks, %v Gb/s to hosts, %v EVs, %v valid; want 12, some, some, 16 and 8", ports, marked, rate, distinct, valid)
	}
	if share := v["recycled_share 3"]; share[0] != 0 || slices.Max(share) < 0.5 || slices.Max(share) > 1 {
		t.Errorf("shares of recycled EVs: %v", share)
	}
	inside := repslab(t, strings.Fields(strings.Replace(network, "sent,", "flight_evs_mean,top_ev_share,", 1)+"--trace-every 0.5 --format csv")...)
	for key, quantity := range map[string]string{"flight_evs_mean": "flight_evs", "top_ev_share": "top_ev_share"} {
		mean := 0.0
		for flow := range 16 {
			list := v[quantity+" "+strconv.Itoa(flow)]
			mean += list[len(list)-1] / 16
		}
		if want := floatCell(t, csvRows(t, inside.stdout)[0], key); math.Abs(mean-want) > 2e-9*max(1, want) {
			t.Errorf("the trace ends with %v %s, the row has %v", mean, quantity, want)
		}
	}
	if evs := v["flight_evs 3"]; !slices.IsSorted(evs[:8]) || evs[0] > 6 || slices.Max(evs) != 16 {
		t.Errorf("EVs in flight over time: %v", evs)
	}
}

// TestTraceMistakes: what the network does not have is refused with what it has.
func TestTraceMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	for flags, want := range map[string]string{
		"--trace-ports spin0:up":            "the network has tor0..3:up, tor0..3:down, spine0..3:down",
		"--trace-ports tor:up":              "the network has tor0..3:up, tor0..3:down, spine0..3:down",
		"--trace-ports spine0..9:down":      "9 must be an integer in [0, 3]",
		"--trace-ports tor0":                "the network has tor0..3:up",
		"--trace-ports spine0:up":           "the network has tor0..3:up",
		"--trace-ports tor0:up,":            `"" must be switches`,
		"--tiers 3 --trace-ports spine0:up": "tor0..7:down, agg0..7:up, agg0..7:down, core0..3:down",
		"--trace-flows 16":                  "--trace-flows: 16 must be an integer in [0, 15]",
		"--trace-every 0":                   "--trace-every",
	} {
		if o := repslab(t, strings.Fields("fattree --hosts 16 --trace t.csv "+flags)...); o.code != exitUsage || !strings.Contains(o.stderr, want) || o.stdout != "" {
			t.Errorf("%s: %+v, want %s", flags, o, want)
		}
	}
	if o := repslab(t, strings.Fields("fattree --hosts 16 --trace-every 1")...); o.code != exitUsage || !strings.Contains(o.stderr, "must come with --trace") {
		t.Errorf("%+v", o)
	}
	if o := repslab(t, strings.Fields("fattree --hosts 16 --planes 2 --message-bytes 9kB --replicas 1 --trace t.csv --trace-ports spine1:down")...); o.code != exitDone {
		t.Errorf("%+v", o)
	}
	v, _ := traceOf(t, "t.csv")
	if len(v["port_gbps spine1:down3/1"]) == 0 || v["marked_at spine:down"] == nil {
		t.Errorf("%v", v)
	}
}
