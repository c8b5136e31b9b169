package cases

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/transport"
	"repslab/internal/param"
	"repslab/internal/propertytest"
	"repslab/mc"
)

// drawnNetwork is a command: its flags were drawn over what they allow.
type drawnNetwork struct {
	flags param.Texts
	list  string // of flows, as printf takes it; empty for a workload
	dir   string
	hosts int
	point Fattree
	run   experiment.Replica
}

func init() {
	propertytest.SetCases(12)
	if os.Getenv("REPSLAB_LONG") != "" {
		propertytest.SetCases(600)
	}
}

// checkNetworks checks a property of 12 drawn networks, or of 600 with REPSLAB_LONG=1.
func checkNetworks(t *testing.T, property func(c *rapid.T)) {
	t.Helper()
	t.Parallel()
	propertytest.Check(t, property)
}

// drawNetwork draws rates, latencies, packets and the shape of a tree with some number of hosts, and the rules of its
// hosts.
func drawNetwork(c *rapid.T, dir string, hosts ...int) *drawnNetwork {
	d := &drawnNetwork{flags: param.Texts{}, dir: dir}
	set := func(flag string, value any) { d.flags[param.KeyOf(flag)] = fmt.Sprint(value) }
	rates := []int{1, 10, 25, 40, 100, 150, 200, 400, 800, 1600, 3200}
	tiers := 2
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "3 tiers") {
		tiers = 3
	}
	set("tiers", tiers)
	d.hosts = rapid.SampledFrom(hosts).Draw(c, "hosts")
	set("hosts", d.hosts)
	gbps := rapid.SampledFrom(rates).Draw(c, "gbps")
	set("link-gbps", gbps)
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "other fabric") {
		set("fabric-gbps", rapid.SampledFrom(rates).Draw(c, "fabric"))
	}
	if tiers == 3 && rapid.SampledFrom([]bool{false, false, true}).Draw(c, "other core") {
		set("core-gbps", rapid.SampledFrom(rates).Draw(c, "core"))
	}
	set("latency-ns", rapid.SampledFrom([]int{1000, 1, 10, 100, 300, 500, 2000, 10_000, 100_000}).Draw(c, "latency"))
	set("mtu", rapid.SampledFrom([]int{4150, 256, 1500, 9216}).Draw(c, "mtu"))
	if tiers == 2 && rapid.SampledFrom([]int{1, 1, 1, 4}).Draw(c, "planes") > 1 {
		set("planes", 4)
	}
	if rapid.SampledFrom([]bool{false, false, true}).Draw(c, "more hosts than uplinks") {
		set("uplinks-per-tor", rapid.SampledFrom([]int{1, 2}).Draw(c, "uplinks"))
	}
	profile := rapid.SampledFrom(profileNames()).Draw(c, "profile")
	set("profile", profile)
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "other lb") {
		set("lb", rapid.SampledFrom(balance.All()).Draw(c, "lb").Name)
	}
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "other cc") {
		set("cc", rapid.SampledFrom(congestion.All()).Draw(c, "cc").Name)
	}
	set("trimming", rapid.SampledFrom([]string{"on", "off"}).Draw(c, "trimming"))
	return d
}

// drawHosts draws queues, windows and ACKs.
func (d *drawnNetwork) drawHosts(c *rapid.T) {
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "own queue") {
		d.flags["queue"] = fmt.Sprint(rapid.IntRange(1, 1000).Draw(c, "queue"))
		d.flags["kmin"] = fmt.Sprint(rapid.IntRange(0, 1000).Draw(c, "kmin"))
		d.flags["kmax"] = fmt.Sprint(rapid.IntRange(1000, 2000).Draw(c, "kmax"))
	}
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "own window") {
		d.flags["window"] = fmt.Sprint(rapid.IntRange(1, 2000).Draw(c, "window"))
	}
	if rapid.SampledFrom([]bool{false, true}).Draw(c, "own ratio") {
		d.flags["ack_ratio"] = fmt.Sprint(rapid.IntRange(1, transport.MaxAckRatio).Draw(c, "ratio"))
	}
}

// command returns the command, ready to paste.
func (d *drawnNetwork) command() string {
	var s strings.Builder
	if d.list != "" {
		fmt.Fprintf(&s, "printf '%s' > flows.cm; ", d.list)
	}
	s.WriteString("repslab fattree")
	for _, key := range slices.Sorted(maps.Keys(d.flags)) {
		fmt.Fprintf(&s, " --%s %s", param.FlagOf(key), d.flags[key])
	}
	if d.list != "" {
		s.WriteString(" --flows flows.cm")
	}
	return s.String()
}

// setup completes the network; false if the command refuses it.
func (d *drawnNetwork) setup(c *rapid.T) bool {
	given := maps.Clone(d.flags)
	if d.list != "" {
		path := filepath.Join(d.dir, "flows.cm")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(d.list, `\n`, "\n")), 0o600); err != nil {
			c.Fatal(err)
		}
		given["flows"] = path
	}
	_, err := FattreeSpace(&d.point).Grid("fattree", param.Selection{Parameters: given})
	return err == nil
}

// execute runs a replica; false if the command refuses the network.
func (d *drawnNetwork) execute(c *rapid.T) bool {
	if !d.setup(c) {
		return false
	}
	runner, err := d.point.Setup().NewRunner()
	if err != nil {
		c.Fatalf("%v\n%s", err, d.command())
	}
	if d.run, err = runner.Run(context.Background(), 1, 0); err != nil {
		c.Fatalf("%v\n%s", err, d.command())
	}
	return true
}

// path returns the kind of paths of a flow.
func (d *drawnNetwork) path(flow int32) fattree.Path {
	from, to := d.run.Network.Pair(flow)
	o := d.point.Spec.Topology.Outline()
	return o.Paths[d.point.Spec.Topology.Path(from, to)]
}

// hostsLimit reports whether no link of some paths is slower than a host's.
func (d *drawnNetwork) hostsLimit(paths ...fattree.Path) bool {
	o := d.point.Spec.Topology.Outline()
	return !slices.ContainsFunc(paths, func(path fattree.Path) bool {
		for class, count := range path.Links {
			if count > 0 && o.Links[class].Gbps < o.Links[0].Gbps {
				return true
			}
		}
		return false
	})
}

// fails reports what of the run is impossible on a healthy network, whatever its flags; empty if nothing is.
func (d *drawnNetwork) fails() string {
	r := d.run.Result
	if r.Finished() < len(r.Flows) && d.flags["horizon_us"] == "" {
		return fmt.Sprintf("%d of %d flows end within %d us", r.Finished(), len(r.Flows), d.point.Spec.Horizon/1e6)
	}
	for i := range r.Flows {
		if fct, ideal := r.Flows[i].FCT(), d.run.Network.Unloaded(int32(i)); r.Flows[i].End != fattree.Unfinished && fct < ideal {
			return fmt.Sprintf("flow %d takes %d ps, alone %d", i, fct, ideal)
		}
	}
	// Receivers have no timer: where a window shrinks below the packets of an ACK, the time-out ends the wait.
	if waits := d.flags["ack_ratio"] != ""; r.Lost+r.Corrupted > 0 || r.Retransmitted > 0 && r.Dropped+r.Trimmed == 0 && !waits {
		return fmt.Sprintf("%d packets are sent again, %d dropped, %d trimmed, %d lost", r.Retransmitted, r.Dropped, r.Trimmed, r.Lost)
	}
	return ""
}

// TestPhysicsOfIdleNetworks: one flow alone takes its ideal time and at most a round trip and 2 % more, and nothing
// is marked, sent again, trimmed or dropped, on all networks that the flags allow but those that the command refuses
// or warns of by name. Where links are slower than a host's they limit it, and may mark and trim.
func TestPhysicsOfIdleNetworks(t *testing.T) {
	dir := t.TempDir()
	checkNetworks(t, func(c *rapid.T) {
		d := drawNetwork(c, dir, 16, 54, 128)
		d.drawHosts(c)
		most := 3_000_000
		if os.Getenv("REPSLAB_LONG") != "" && d.flags["mtu"] != "256" && d.flags["window"] == "" && rapid.IntRange(0, 99).Draw(c, "a gigabyte") == 0 {
			most = 1_000_000_000
		}
		bytes := rapid.SampledFrom([]int{1, 4087, 100_000, 1_000_000, most}).Draw(c, "bytes")
		d.list = fmt.Sprintf(`Nodes %d\nConnections 1\n0->%d start 0 size %d\n`, d.hosts, rapid.IntRange(1, d.hosts-1).Draw(c, "to"), bytes)
		if !d.execute(c) {
			c.Skip()
		}
		fault := d.fails()
		r, n := d.run.Result, d.run.Network
		if fault == "" && len(d.point.warnings()) == 0 && d.hostsLimit(d.path(0)) {
			fct, ideal := float64(r.Flows[0].FCT()), float64(n.Unloaded(0))
			if most := 1.02*ideal + float64(n.BaseRTT(0)); fct > most {
				fault = fmt.Sprintf("it takes %.6g us, alone %.6g, at most %.6g", fct/1e6, ideal/1e6, most/1e6)
			}
			if r.Marked+r.Retransmitted+r.Trimmed+r.Dropped > 0 {
				fault += fmt.Sprintf(" %d marked, %d sent again, %d trimmed, %d dropped", r.Marked, r.Retransmitted, r.Trimmed, r.Dropped)
			}
		}
		if fault != "" {
			c.Fatalf("%s\n%s", fault, d.command())
		}
	})
}

// compare runs the workload of a drawn network under load balancers, and returns its comparison.
func (d *drawnNetwork) compare(c *rapid.T, replicas uint64, lbs ...string) *experiment.Comparison {
	var setups []experiment.Setup
	for _, lb := range lbs {
		d.flags["lb"] = lb
		if !d.execute(c) {
			c.Fatalf("refused with --lb %s\n%s", lb, d.command())
		}
		if fault := d.fails(); fault != "" {
			c.Fatalf("%s\n%s", fault, d.command())
		}
		p := d.point
		setups = append(setups, p.Setup())
	}
	all, _, err := experiment.Compare(setups...).Run(context.Background(), mc.Plan{Seed: 1, Replicas: replicas})
	if err != nil {
		c.Fatal(err)
	}
	return all
}

// TestPhysicsOfSpraying: on a healthy network with uplinks for all that its hosts send, spraying ends a permutation
// within 1.5 times the ideal and a round trip, and REPS is not slower than OPS: an alarm if its mean is 3 % larger and
// the intervals of both, 95 % from three pairs, do not overlap. Seeds are fixed.
func TestPhysicsOfSpraying(t *testing.T) {
	dir := t.TempDir()
	checkNetworks(t, func(c *rapid.T) {
		d := drawNetwork(c, dir, 16)
		delete(d.flags, "planes")
		delete(d.flags, "uplinks_per_tor")
		packets := rapid.SampledFrom([]int{100, 10, 50}).Draw(c, "packets")
		mtu, _ := strconv.Atoi(d.flags["mtu"])
		d.flags["message_bytes"] = strconv.Itoa(packets * (mtu - 64))
		if d.flags["profile"] == ProfileUET && mtu == 256 {
			c.Skip() // NSCC steps after 8 packets, whatever their size: with OPS up to 2.2 times
		}
		delete(d.flags, "lb")
		if !d.setup(c) || !d.hostsLimit(d.point.Spec.Topology.Outline().Paths...) || len(d.point.warnings()) > 0 {
			c.Skip()
		}
		lbs := []string{"round-robin", "switch-round-robin", "ops", "reps"}
		all := d.compare(c, 3, lbs...)
		var fault string
		ideal, rtt := 0.0, float64(d.run.Network.LongestRTT())
		for i := range d.run.Result.Flows {
			ideal = max(ideal, float64(d.run.Network.Unloaded(int32(i))))
		}
		for i, lb := range lbs {
			// ACKs take the links as well.
			most := 1.5 * (1 + float64(d.point.Spec.HeaderBytes)/float64(mtu))
			if lb == "round-robin" { // ToRs keep in step: two flows can meet at a spine as long as they last
				most *= 4. / 3
			}
			if worst := all.Summary(i).Of("max_fct_us").Value * 1e6; !(worst <= most*ideal+rtt) {
				fault += fmt.Sprintf("%s takes %.5g us, alone %.5g (RTT %.4g); ", lb, worst/1e6, ideal/1e6, rtt/1e6)
			}
		}
		ops, reps := all.Summary(2).Of("mean_fct_us"), all.Summary(3).Of("mean_fct_us")
		if reps.Value > 1.03*ops.Value && all.Ratio(3).Lo > all.Ratio(2).Hi {
			fault += fmt.Sprintf("REPS takes %.5g us, OPS %.5g", reps.Per(1e6), ops.Per(1e6))
		}
		if fault != "" {
			delete(d.flags, "lb")
			c.Fatalf("%s\n%s", fault, d.command())
		}
	})
}

// TestPhysicsOfHealthyNetworks: where nothing fails, and no queue drops or trims, no packet is sent again, so that
// REPS never freezes, and no flow is faster than alone, whatever queues, marks, windows, ACKs and traffic.
func TestPhysicsOfHealthyNetworks(t *testing.T) {
	dir := t.TempDir()
	checkNetworks(t, func(c *rapid.T) {
		d := drawNetwork(c, dir, 16)
		d.flags["workload"] = rapid.SampledFrom([]string{"permutation", "tornado", "incast", "alltoall"}).Draw(c, "workload")
		d.flags["message_bytes"] = rapid.SampledFrom([]string{"1B", "10kB", "300kB"}).Draw(c, "bytes")
		if d.flags["workload"] == "incast" {
			d.flags["degree"] = fmt.Sprint(rapid.IntRange(1, min(32, d.hosts/2)).Draw(c, "degree"))
		}
		d.drawHosts(c)
		// Some never end: their hosts ignore a slow fabric, and trimmed packets are a quarter of whole ones.
		d.flags["horizon_us"] = "5000"
		if !d.execute(c) {
			c.Skip()
		}
		if fault := d.fails(); fault != "" {
			c.Fatalf("%s\n%s", fault, d.command())
		}
	})
}

// TestPhysicsOfIncast: N senders into one host end within 5 % of what their bytes take on its link, and a
// round trip, where the profile's congestion control holds the queue: at most one packet in a hundred is trimmed. NSCC
// steps after 8 packets, whatever their size, and takes up to 20 % longer with packets of 256 bytes or a short product.
// Networks without trimming are left out: time-outs end their losses, and NSCC's average delay lags behind queues of
// five products. Ultra Ethernet sends an ACK for 4 packets: a sender whose window is below them waits for its time-out.
func TestPhysicsOfIncast(t *testing.T) {
	dir := t.TempDir()
	checkNetworks(t, func(c *rapid.T) {
		d := drawNetwork(c, dir, 16)
		delete(d.flags, "planes")
		delete(d.flags, "cc")
		delete(d.flags, "lb")
		d.flags["trimming"] = "on"
		d.flags["workload"] = "incast"
		degree := rapid.SampledFrom([]int{8, 2, 4}).Draw(c, "degree")
		d.flags["degree"] = fmt.Sprint(degree)
		d.flags["message_bytes"] = rapid.SampledFrom([]string{"1MB", "500kB"}).Draw(c, "bytes")
		if !d.execute(c) || !d.hostsLimit(d.path(0)) || len(d.point.warnings()) > 0 {
			c.Skip()
		}
		fault := d.fails()
		n, last := d.run.Network, 0.0
		for _, f := range d.run.Result.Flows {
			last = max(last, float64(f.End))
		}
		spec := n.Spec()
		wire := float64(degree) * (float64(spec.Workload.Flows[0].Bytes) + float64(spec.Packets(spec.Workload.Flows[0].Bytes)*int64(spec.HeaderBytes)))
		least := wire * 8000 / n.HostGbps()
		slack := 1.05
		if d.flags["profile"] != profileREPS && (d.flags["mtu"] == "256" || d.point.Plan.LongestBDP() < 25) {
			slack = 1.2
		}
		r := d.run.Result
		held := 100*(r.Dropped+r.Trimmed) <= r.Sent
		most := slack*least + float64(n.LongestRTT())
		if r.Retransmitted > r.Dropped+r.Trimmed {
			most += float64(d.point.Options.RTO)
		}
		if fault == "" && (last < least || held && last > most) {
			fault = fmt.Sprintf("the last flow ends after %.5g us, bytes take %.5g, at most %.5g; %d dropped, %d trimmed, %d sent again", last/1e6, least/1e6, most/1e6,
				r.Dropped, r.Trimmed, r.Retransmitted)
		}
		if fault != "" {
			c.Fatalf("%s\n%s", fault, d.command())
		}
	})
}

// TestPhysicsOfScale: twice the rate of every link and half its latency halve completion times, on average to 1 %,
// under rules without times of their own. Round trips are rounded to picoseconds, and windows with them, so that
// packets that meet can change places: a flow's time is within 10 %. Hosts without congestion control get no trimming:
// the headers of their trimmed packets alone fill a slower fabric, and the flows never end.
func TestPhysicsOfScale(t *testing.T) {
	dir := t.TempDir()
	checkNetworks(t, func(c *rapid.T) {
		d := drawNetwork(c, dir, 16)
		delete(d.flags, "planes")
		d.flags["profile"], d.flags["message_bytes"] = profileREPS, rapid.SampledFrom([]string{"300kB", "1B", "5000B"}).Draw(c, "bytes")
		d.flags["cc"] = rapid.SampledFrom([]string{"dctcp", "none"}).Draw(c, "scaled cc")
		if d.flags["cc"] == "none" {
			d.flags["trimming"] = "off"
		}
		d.flags["lb"] = rapid.SampledFrom([]string{"reps", "ops", "ecmp", "bitmap", "mprdma", "round-robin"}).Draw(c, "scaled lb")
		d.flags["latency_ns"] = fmt.Sprint(2 * rapid.IntRange(1, 5000).Draw(c, "half of the latency"))
		if !d.execute(c) {
			c.Skip()
		}
		slow := d.run
		command := d.command()
		for flag, by := range map[string]float64{"link_gbps": 2, "fabric_gbps": 2, "core_gbps": 2, "latency_ns": 0.5} {
			if v, err := strconv.ParseFloat(d.flags[flag], 64); err == nil {
				d.flags[flag] = fmt.Sprint(int(by * v))
			}
		}
		if !d.execute(c) || slow.Network.SlotTime() != 2*d.run.Network.SlotTime() {
			c.Skip() // rounded to a picosecond, slots are no halves, and the order of packets differs
		}
		sum := 0.0
		for i, f := range d.run.Result.Flows {
			ratio := float64(slow.Result.Flows[i].FCT()) / float64(f.FCT())
			if sum += ratio; math.Abs(ratio-2) > 0.2 {
				c.Fatalf("flow %d takes %d ps, twice as fast %d: %.5f times as long\n%s\n%s", i, slow.Result.Flows[i].FCT(), f.FCT(), ratio, command, d.command())
			}
		}
		if mean := sum / float64(len(d.run.Result.Flows)); math.Abs(mean-2) > 0.02 {
			c.Fatalf("%.5f times as long on average\n%s\n%s", mean, command, d.command())
		}
	})
}

// TestPhysicsOfNumbers: other numbers of the hosts within their ToRs change nothing in distribution. Mean completion
// times of 40 replicas differ by less than 6.1 standard errors (a false alarm in 10^9).
func TestPhysicsOfNumbers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, lb := range []string{"ops", "reps", "ecmp"} {
		var means [2]mc.Estimate
		for i, order := range [][]int{{0, 1, 2, 3}, {2, 0, 3, 1}} {
			list := "Nodes 16\nConnections 16\n"
			for host := range 16 {
				to := (host + 5) % 16
				list += fmt.Sprintf("%d->%d start 0 size 300000\n", host/4*4+order[host%4], to/4*4+order[to%4])
			}
			path := filepath.Join(dir, fmt.Sprint(lb, i))
			if err := os.WriteFile(path, []byte(list), 0o666); err != nil {
				t.Fatal(err)
			}
			var p Fattree
			if _, err := FattreeSpace(&p).Grid("fattree", param.Selection{Parameters: param.Texts{"flows": path, "lb": lb}}); err != nil {
				t.Fatal(err)
			}
			tally, _, err := p.Setup().NewExperiment().Run(context.Background(), mc.Plan{Seed: 1, Replicas: 40})
			if err != nil {
				t.Fatal(err)
			}
			means[i] = tally.Summary().Of("mean_fct_us")
		}
		if a, b := means[0], means[1]; math.Abs(a.Value-b.Value) > 6.1*math.Hypot(a.StdErr, b.StdErr) {
			t.Errorf("%s: %v ps, with other numbers %v", lb, a, b)
		}
	}
}
