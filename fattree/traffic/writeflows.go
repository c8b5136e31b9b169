package traffic

import (
	"bufio"
	"fmt"
	"io"

	"repslab/fattree"
)

// WriteFlows writes a workload for a number of hosts, at least 2, as a flow list in htsim's
// .cm format. Flows and triggers are numbered from 1 in their order, so [ReadFlows] returns
// the same workload. The workload must be valid, and flows started by a trigger must have
// Start 0, since the format has no delay after a trigger. O(flows).
func WriteFlows(w io.Writer, hosts int, workload fattree.Workload) error {
	if hosts < 2 || hosts > fattree.MaxHosts {
		return fmt.Errorf("traffic: hosts (%d) must be in [2, %d]", hosts, fattree.MaxHosts)
	}
	if err := workload.Validate(hosts); err != nil {
		return err
	}
	for i, f := range workload.Flows {
		if f.StartedBy != fattree.NoTrigger && f.Start != 0 {
			return fmt.Errorf("traffic: flow %d: Start (%d ps) must be 0 for a flow that a trigger starts: flow lists have no delay", i, f.Start)
		}
	}
	// A bufio.Writer keeps its first error until Flush.
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "Nodes %d\nConnections %d\n", hosts, len(workload.Flows))
	if len(workload.Triggers) > 0 {
		fmt.Fprintf(out, "Triggers %d\n", len(workload.Triggers))
	}
	for i, f := range workload.Flows {
		fmt.Fprintf(out, "%d->%d id %d ", f.Source, f.Destination, i+1)
		if f.StartedBy == fattree.NoTrigger {
			fmt.Fprintf(out, "start %d", f.Start)
		} else {
			fmt.Fprintf(out, "trigger %d", f.StartedBy+1)
		}
		fmt.Fprintf(out, " size %d", f.Bytes)
		if f.Fires != fattree.NoTrigger {
			fmt.Fprintf(out, " send_done_trigger %d", f.Fires+1)
		}
		fmt.Fprintln(out)
	}
	for i, t := range workload.Triggers {
		fmt.Fprintf(out, "trigger id %d %s", i+1, kindNames()[t.Kind])
		if t.Kind == fattree.Barrier {
			fmt.Fprintf(out, " count %d", t.Count)
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}
