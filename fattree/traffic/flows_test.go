package traffic

import (
	"bytes"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"repslab/fattree"
	"repslab/internal/lines"
)

// shipped returns a file of testdata.
func shipped(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestShippedFlowLists reads the authors' files and writes them again: the text is the same up to white
// space at the end.
func TestShippedFlowLists(t *testing.T) {
	text := shipped(t, "perm_n128_s8388608.cm")
	hosts, w, err := ReadFlows(bytes.NewReader(text))
	if err != nil || hosts != 128 || len(w.Flows) != 128 {
		t.Fatalf("%d hosts, %d flows, error %v", hosts, len(w.Flows), err)
	}
	want := fattree.Flow{Source: 9, Destination: 44, Bytes: 8388608}
	if w.Flows[0] != want {
		t.Errorf("flow 0 = %+v, want %+v", w.Flows[0], want)
	}
	if written := writtenFlows(hosts, w); strings.TrimSpace(written) != strings.TrimSpace(string(text)) {
		t.Errorf("the permutation is written as %.200s", written)
	}

	hosts, w, err = ReadFlows(bytes.NewReader(shipped(t, "alltoall4.cm")))
	if err != nil || hosts != 32 || len(w.Flows) != 32*31 || len(w.Triggers) != 224 {
		t.Fatalf("%d hosts, %d flows, %d triggers, error %v", hosts, len(w.Flows), len(w.Triggers), err)
	}
	if f := w.Flows[4]; f.Source != 26 || f.Destination != 10 || f.Start != 0 || f.StartedBy != 1 || f.Fires != 2 || f.Bytes != 2_000_000 {
		t.Errorf("flow 4 = %+v", f)
	}
	for i, trigger := range w.Triggers {
		if trigger.Kind != fattree.MultiShot {
			t.Fatalf("trigger %d = %+v", i, trigger)
		}
	}
	if written := writtenFlows(hosts, w); strings.TrimSpace(written) != strings.TrimSpace(string(shipped(t, "alltoall4.cm"))) {
		t.Errorf("the all-to-all is written as %.300s", written)
	}
}

// TestReadFlows: comments, blanks, any order of attributes, ids without order,
// every kind of trigger.
func TestReadFlows(t *testing.T) {
	const text = "# a comment\n\nConnections 4\nNodes 3\nTriggers 3\n" +
		"0->1 start 7 id 30 size 10 send_done_trigger 9\n" +
		"  \t1->2\tsize 11 trigger 9\r\n" +
		"trigger oneshot id 9\n# between\n" +
		"2->0 id 5 trigger 4 size 12\n0->2 trigger 6 size 1\n" +
		"trigger id 6 multishot\ntrigger count 1 id 4 barrier"
	_, _, err := ReadFlows(strings.NewReader(text))
	if err == nil || !strings.Contains(err.Error(), "2 of 4 flows can never start") {
		t.Errorf("error %v, want that triggers 4 and 6 are never fired", err)
	}
	fired := strings.Replace(text, "1->2\tsize 11 trigger 9", "1->2\tsize 11 trigger 9 send_done_trigger 4", 1)
	fired = strings.Replace(fired, "trigger 4 size 12", "trigger 4 size 12 send_done_trigger 6", 1)
	hosts, w, err := ReadFlows(strings.NewReader(fired))
	if err != nil {
		t.Fatal(err)
	}
	want := fattree.Workload{
		Flows: []fattree.Flow{
			{Source: 0, Destination: 1, Bytes: 10, Start: 7, Fires: 1},
			{Source: 1, Destination: 2, Bytes: 11, StartedBy: 1, Fires: 3},
			{Source: 2, Destination: 0, Bytes: 12, StartedBy: 3, Fires: 2},
			{Source: 0, Destination: 2, Bytes: 1, StartedBy: 2},
		},
		Triggers: []fattree.Trigger{{Kind: fattree.OneShot}, {Kind: fattree.MultiShot}, {Kind: fattree.Barrier, Count: 1}},
	}
	if hosts != 3 || !reflect.DeepEqual(w, want) {
		t.Errorf("%d hosts, %+v, want %+v", hosts, w, want)
	}
}

// TestFieldsLists: a trigger of a receiver, a start with decimals, and a byte-order mark.
func TestFieldsLists(t *testing.T) {
	_, w, err := ReadFlows(bytes.NewReader(shipped(t, "recv_done_trigger.cm")))
	if err != nil || !w.Flows[0].FiresOnDelivery || w.Flows[0].Fires != 1 || w.Flows[1].FiresOnDelivery {
		t.Errorf("%+v, error %v", w.Flows, err)
	}
	text := "\ufeff" + strings.Replace(string(shipped(t, "decimal_start.cm")), "0.000000", "7.000", 1)
	if _, w, err = ReadFlows(strings.NewReader(text)); err != nil || w.Flows[0].Start != 7 {
		t.Errorf("%+v, error %v", w.Flows, err)
	}
}

// TestReadMessages: flows with msg and one id are messages of a connection.
func TestReadMessages(t *testing.T) {
	const text = "Nodes 3\nConnections 4\n0->1 id 2 msg start 5 size 10\n0->1 msg id 2 start 0 size 20\n" +
		"0->1 id 1 start 0 size 30\n1->0 id 3 size 40 start 0 msg\n"
	_, w, err := ReadFlows(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var connections []int
	for _, f := range w.Flows {
		connections = append(connections, f.Connection)
	}
	if want := []int{2, 2, 0, 3}; !slices.Equal(connections, want) {
		t.Errorf("connections %v, want %v", connections, want)
	}
}

// flowErrors are malformed flow lists and their expected errors.
func flowErrors() []struct{ text, want string } {
	const head = "Nodes 4\nConnections 1\nTriggers 1\n"
	return []struct{ text, want string }{
		{"", "found no Nodes in 0 lines"},
		{"Nodes 4\n", "found no Connections in 1 lines"},
		{"Nodes\n", `line 1: found 1 words, expected "Nodes" and a number`},
		{"Nodes 4 5\n", "line 1: found 3 words"},
		{"Nodes 99999999999\n", `line 1: Nodes: found "99999999999", expected an integer in [2, 2097152]`},
		{"Nodes -3\n", `found "-3"`},
		{"Nodes NaN\n", `found "NaN"`},
		{"Nodes 4\nNodes 4\n", "line 2: Nodes is given a second time"},
		{"Nodes 4\nConnections 18446744073709551616\n", `line 2: Connections: found "18446744073709551616"`},
		{"Nodes 4\nConnections 100000000\n", "expected an integer in [1, 16777216]"},
		{"Nodes 4\n0->1 start 0 size 1\n", "line 2: found a flow, expected Nodes and Connections before it"},
		{head + "0->1 start 0 size 1\nNodes 4\n", "line 5: Nodes is given a second time"},
		{"Nodes 4\nConnections 1\n0->1 start 0 size 1\nTriggers 0\n", "line 4: Triggers must come before the first flow and trigger"},
		{head + "0->1 start 0 size 1\n0->1 start 0 size 1\n", "line 5: found one more flow than Connections (1)"},
		{head + "0->4 start 0 size 1\n", `line 4: destination: found "4", expected an integer in [0, 3]`},
		{head + "->1 start 0 size 1\n", `line 4: source: found "", expected`},
		{head + "0->1->2 start 0 size 1\n", `destination: found "1->2"`},
		{head + "2->2 start 0 size 1\n", "line 4: found a flow of host 2 to itself"},
		{head + "0->1 start 0\n", "line 4: found no size"},
		{head + "0->1 size 1\n", "line 4: expected either a start or a trigger"},
		{head + "0->1 size 1 start 0 trigger 1\n", "line 4: expected either a start or a trigger"},
		{head + "0->1 size 0 start 0\n", `line 4: size: found 0, by which htsim sends without end, expected the bytes of the message`},
		{head + "0->1 size 1 start -1\n", `line 4: start: found "-1", expected an integer in [0, `},
		{head + "0->1 size 1 start\n", `line 4: found nothing after "start"`},
		{head + "0->1 size 1 size 1\n", `line 4: "size" is given a second time`},
		{head + "0->1 id 0 size 1 start 0\n", `line 4: id: found "0"`},
		{head + "0->1 prio 2 size 1\n", `line 4: found prio: all flows have one priority in this model, so leave it and "2" out`},
		{head + "0->1 prio \x00 size 1\n", `line 4: found prio: all flows have one priority in this model, so leave it and "\x00" out`},
		{head + "0->1 color 2 size 1\n", `line 4: found "color", expected id, size, start, trigger, send_done_trigger, recv_done_trigger or msg`},
		{head + "0->1 size 1 start 0.5\n", `line 4: start: found "0.5", expected an integer`},
		{head + "0->1 size 1 start .0\n", `line 4: start: found ".0", expected an integer`},
		{head + "0->1 size 1 start 0 send_done_trigger 1 recv_done_trigger 1\n", "line 4: found send_done_trigger and recv_done_trigger, expected one of them"},
		{head + "0->1 msg size 1 start 0\n", `line 4: found no id of the message`},
		{head + "0->1 size msg start 0\n", `line 4: size: found "msg"`},
		{"Nodes 4\nConnections 2\n0->1 id 7 msg start 0 size 1\n0->1 id 7 start 0 size 1\n", "line 4: id 7 is that of the flow in line 3, expected another, or msg in both lines"},
		{"Nodes 4\nConnections 2\n0->1 id 7 start 0 size 1\n0->1 id 7 start 0 msg size 1\n", "line 4: id 7 is that of the flow in line 3, expected another, or msg in both lines"},
		{"Nodes 4\nConnections 2\n0->1 id 7 msg start 0 size 1\n0->2 id 7 msg start 0 size 1\n", "Flows[1].Connection (7) must not be that of flow 0, which has other hosts"},
		{"Nodes 4\nConnections 2\n0->1 id 7 start 0 size 1\n1->0 id 7 start 0 size 1\n", "line 4: id 7 is that of the flow in line 3"},
		{head + "0->1 start 0 size 1\n", "found 0 triggers in 4 lines, expected Triggers (1)"},
		{head + "trigger id 1 oneshot\n", "found 0 flows in 4 lines, expected Connections (1)"},
		{head + "0->1 start 0 size 1 send_done_trigger 2\ntrigger id 1 oneshot\n", "line 4: found trigger 2, expected a line"},
		{head + "trigger id 1 oneshot\ntrigger id 2 oneshot\n", "line 5: found one more trigger than Triggers (1)"},
		{"Nodes 4\nConnections 1\ntrigger id 1 oneshot\n", "line 3: found one more trigger than Triggers (0)"},
		{head + "trigger oneshot\n", "line 4: found no id of the trigger"},
		{head + "trigger id 1\n", "line 4: found 0 kinds"},
		{head + "trigger id 1 oneshot multishot\n", "line 4: found 2 kinds"},
		{head + "trigger id 1 barrier\n", "line 4: found no count of the barrier"},
		{head + "trigger id 1 barrier 0\n", `line 4: barrier: found "0", expected an integer in [1, 16777216]`},
		{head + "trigger id 1 barrier 3 count 3\n", `line 4: "count" is given a second time`},
		{head + "trigger id 1 oneshot count 3\n", "line 4: found count 3, expected it of a barrier only"},
		{head + "trigger id 1 sometimes\n", `line 4: found "sometimes", expected id, count, oneshot, multishot or barrier`},
		{head + "trigger id\n", `line 4: found nothing after "id"`},
		{"Nodes 4\nConnections 1\nTriggers 2\ntrigger id 1 oneshot\ntrigger id 1 oneshot\n", "line 5: id 1 is that of an earlier trigger"},
		{head + "flow\n", `line 4: found "flow", expected Nodes, Connections, Triggers, trigger or SOURCE->DESTINATION`},
		{"Nodes 4\nConnections 1\nFailures 1\n", "line 3: found Failures, which this program does not read: --failure says what fails"},
		{"Nodes 4\nConnections 1\nfailure switch_type AGG switch_id 0 link_id 0\n", "line 3: found failure, which this program does not read: --failure says"},
		{"\xff\xfeN\x00", "traffic: after line 0: the text is in UTF-16, but must be in UTF-8"},
		{head + strings.Repeat("x", lines.MaxBytes+1), "line 4: more than 4096 bytes in a line"},
		{strings.Repeat("\n", maxIdleLines+1), "more than 65536 empty lines and comments"},
		{head + strings.Repeat("y", 100) + "\n", `found "` + strings.Repeat("y", lines.MaxQuote) + `"...`},
		{head + "\x1b[2J\n", `found "\x1b[2J"`},
	}
}

// TestLargestTrigger: ids of triggers, which lie in [1, 2^31 - 1], are read up to the largest one.
func TestLargestTrigger(t *testing.T) {
	for id, ok := range map[string]bool{"1": true, "2147483647": true, "0": false, "2147483648": false} {
		text := "Nodes 2\nConnections 1\nTriggers 1\n0->1 start 0 size 5 send_done_trigger " + id + "\ntrigger id " + id + " oneshot\n"
		_, w, err := ReadFlows(strings.NewReader(text))
		if (err == nil) != ok || ok && (len(w.Triggers) != 1 || w.Flows[0].Fires != 1) {
			t.Errorf("trigger %s: %+v, error %v", id, w, err)
		}
	}
}

func TestReadFlowsErrors(t *testing.T) {
	for _, c := range flowErrors() {
		_, _, err := ReadFlows(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestBrokenFiles(t *testing.T) {
	broken := iotest.ErrReader(errors.New("the disk is gone"))
	_, _, readFlows := ReadFlows(broken)
	_, readTopology := ReadTopology(broken)
	for what, err := range map[string]error{"ReadFlows": readFlows, "ReadTopology": readTopology} {
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// TestStartsIn: starts are multiplied by the unit, in a new list. A start that is not a whole number of
// picoseconds is refused.
func TestStartsIn(t *testing.T) {
	w := fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(0, 1, 5, 7), fattree.NewFlow(1, 0, 5, 0)}}
	got, err := StartsIn(w, 1_000_000)
	if err != nil || got.Flows[0].Start != 7_000_000 || got.Flows[1].Start != 0 || got.Flows[0].Bytes != 5 || w.Flows[0].Start != 7 {
		t.Errorf("%+v of %+v, error %v", got, w, err)
	}
	w.Flows[1].Start = math.MaxInt64/10 + 1
	if _, err := StartsIn(w, 10); err == nil || err.Error() != "traffic: Flows[1].Start (922337203685477581) must be at most 922337203685477580, in units of 10 ps" {
		t.Errorf("error %v", err)
	}
}
