package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"repslab/fattree"
	"repslab/internal/web/scene"
)

// TestLiveNetworkIsTheTrace: at the end of each bucket of fattree --trace the first round of the live
// page's network has the same queues, loads and counts, and in the end the same completion times,
// where a cable breaks during the run. REPSLAB_LONG=1 takes a network of 128 hosts too.
func TestLiveNetworkIsTheTrace(t *testing.T) {
	for _, c := range []struct {
		hosts    int
		workload string
		at       int // us
	}{{16, scene.Permutation, 20}, {128, scene.Tornado, 7}, {8, scene.Incast, 30}} {
		if c.hosts > 100 && os.Getenv("REPSLAB_LONG") == "" {
			continue
		}
		view := scene.DefaultNetwork()
		view.Hosts, view.Workload, view.Bytes, view.Slot = c.hosts, c.workload, 1<<20, scene.MaxSlots
		view.Seed = 7
		network, err := scene.NewNetwork(view)
		if err != nil {
			t.Fatal(err)
		}
		failure := fattree.Picoseconds(c.at) * 1_000_000 / network.SlotTime()
		traces := [2]map[string]float64{traced(t, c.hosts, c.workload, view.Left, c.at), traced(t, c.hosts, c.workload, view.Right, c.at)}
		compared, before := 0, [2]fattree.Result{}
		bucket := scene.Window / network.SlotTime()
		for slot := fattree.Picoseconds(0); ; slot++ {
			if slot == failure {
				if ok, err := network.SetCable(0, true); !ok || err != nil {
					t.Fatalf("cable 0 is refused: %v", err)
				}
			}
			if slot%bucket == 0 && slot > 0 {
				first := 0
				for i := range traces {
					values := compareBucket(t, network, i, slot, traces[i], &before[i])
					compared, first = compared+values, first+values
				}
				if first == 0 {
					break
				}
			}
			if more, err := network.Step(); err != nil {
				t.Fatal(err)
			} else if !more {
				break
			}
		}
		for i, trace := range traces {
			_, result, err := network.Side(i)
			if err != nil {
				t.Fatal(err)
			}
			for flow, f := range result.Flows[:len(network.Sources())] {
				got, want := float64(f.FCT())/1e6, trace[fmt.Sprint("fct ", flow)]
				late := f.End == fattree.Unfinished && want > 4900 // the page ends at MaxSlots
				if got != want && !late {
					t.Errorf("%+v: side %d: flow %d takes %v us, want %v", c, i, flow, got, want)
				}
			}
		}
		if compared < 500 || c.workload != scene.Incast && before[0].Lost == 0 {
			t.Errorf("%+v: %d values, %d packets lost: nothing to see", c, compared, before[0].Lost)
		}
	}
}

// traced runs repslab fattree and returns the values of its trace by time, quantity and number, and
// the completion times of its flows.
func traced(t *testing.T, hosts int, workload, lb string, at int) map[string]float64 {
	t.Helper()
	trace, flows := filepath.Join(t.TempDir(), "trace.csv"), filepath.Join(t.TempDir(), "flows.csv")
	args := []string{"fattree", "--hosts", fmt.Sprint(hosts), "--workload", workload, "--lb", lb,
		"--message-bytes", "1MiB", "--failure", fmt.Sprintf("cables=1,place=first,dir=both,at=%d", at),
		"--replicas", "1", "--seed", "7", "--trace", trace, "--flows-out", flows}
	if workload == scene.Incast {
		args = append(args, "--degree", fmt.Sprint(min(8, hosts/2)))
	}
	if o := repslab(t, args...); o.code != 0 {
		t.Fatalf("%v: %+v", args, o)
	}
	values := map[string]float64{}
	for _, row := range readCSV(t, trace)[1:] { // time_us, quantity, number, value
		values[strings.Join(row[:3], " ")] = parsed(t, row[3])
	}
	for _, row := range readCSV(t, flows)[1:] { // replica, flow, source, destination, bytes, start_us, fct_us
		values["fct "+row[1]] = parsed(t, row[6])
	}
	return values
}

// parsed returns a number of a CSV file.
func parsed(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// compareBucket compares a side of the network with the bucket of a trace that ends at a slot, if
// there is one, and returns the number of values. before is the result at the bucket before.
func compareBucket(t *testing.T, n *scene.Network, i int, slot fattree.Picoseconds, trace map[string]float64, before *fattree.Result) int {
	t.Helper()
	s, now, err := n.Side(i)
	if err != nil {
		t.Fatal(err)
	}
	time := fmt.Sprint(float64(slot*n.SlotTime()) / 1e6)
	if s.Finished >= len(s.Flows) {
		return 0 // this side has finished its first round
	}
	shown := map[string]float64{
		"frozen_flows ": float64(s.Frozen), "sent ": float64(now.Sent - before.Sent),
		"retransmitted ": float64(now.Retransmitted - before.Retransmitted),
		"recycled ":      float64(now.Recycled - before.Recycled), "marked ": float64(now.Marked - before.Marked),
		"dropped ": float64(now.Dropped - before.Dropped), "trimmed ": float64(now.Trimmed - before.Trimmed),
		"lost ": float64(now.Lost - before.Lost),
	}
	for port := range n.Tree().UplinksPerToR {
		gbps := float64(s.Sent[port]) * 4150 * 8000 / float64(scene.Window/n.SlotTime()*n.SlotTime())
		shown[fmt.Sprint("uplink_gbps ", port)] = gbps
		shown[fmt.Sprint("uplink_queue_packets ", port)] = float64(s.Queue[port])
	}
	for key, got := range shown {
		if want, ok := trace[time+" "+key]; !ok || got != want {
			t.Errorf("side %d at %s us: %s is %v, want %v (%v)", i, time, key, got, want, ok)
		}
	}
	*before = *now
	return len(shown)
}
