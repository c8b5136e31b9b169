package figures

import (
	"context"
	_ "embed"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/topology"
	"repslab/fattree/traffic"
	"repslab/fattree/transport"
	"repslab/internal/figures/engine"
	"repslab/internal/frame"
	"repslab/internal/plot"
	"repslab/mc"
)

// ultraEVs is the number of EVs of the published runs.
const ultraEVs = 128

// Groups of points in addition to [healthy].
const (
	threeTiers       = "3 tiers, NSCC"
	threeTiersCredit = "3 tiers, RCCC"
	twoTiers         = "2 tiers, NSCC"
	failedLinks      = "2 tiers, NSCC, failed links"
	incastOf32       = "2 tiers, incast of 32"
)

// ultraSchemes lists the balancers of Ultra Ethernet's simulator, with REPS by its rules, and the paper's REPS.
func ultraSchemes() []scheme {
	rules := balance.RecyclingConfig{Rules: balance.UltraEthernet}
	return []scheme{
		lb("stratified"), named("bitmap", "Bitmap"), variant("reps", "REPS", rules),
		lb("mixed"), lb("reps").called("reps-paper", "REPS, the paper's", plot.BalancerColor("reps-planes")),
	}
}

// newUltraEthernet returns the comparison, not yet run. x is the number of packets per ACK.
func newUltraEthernet() comparison {
	c := comparison{schemes: ultraSchemes()}
	const hosts, replicas, size = 1024, 6, 2_000_000
	add := func(group string, tiers, ack int, label, failures string, control func() transport.Control) *comparedPoint {
		link := fattree.Link{Gbps: 100}
		tree := topology.FatTree{Hosts: hosts, Tiers: tiers, Access: link, Fabric: link, Core: link}
		spec := fattree.Spec{Topology: tree, Profile: fattree.UltraEthernet, Options: transport.Options{AckRatio: ack}}
		p := &comparedPoint{
			group: group, x: ack, label: fmt.Sprintf("%s, %d", label, ack), workload: label, hosts: hosts, evs: ultraEVs,
			control: control, schemes: c.schemes[:4], replicas: replicas,
			network: failing(spec, failures, drawPermutation(hosts, size)),
			cells: cells{{"network", group}, {"links", label}, {"failures", failures}, {"ack_ratio", ack}, {"hosts", hosts},
				{"message_bytes", size}}}
		if group == incastOf32 {
			p.network = fixed(spec)(traffic.Incast(hosts, 32, traffic.Message{Bytes: size / 8}))
			p.cells[len(p.cells)-1].Value = size / 8
		}
		c.points = append(c.points, p)
		return p
	}
	slow := fmt.Sprintf("degrade=%d:0.25,dir=down,layer=core,place=first", ultraSlow)
	for _, ack := range []int{4, 1} {
		add(threeTiers, 3, ack, "healthy", "", ultraNSCC)
		add(threeTiers, 3, ack, "slow", slow, ultraNSCC)
		add(threeTiersCredit, 3, ack, "healthy", "", ultraRCCC)
		add(threeTiersCredit, 3, ack, "slow", slow, ultraRCCC)
		add(twoTiers, 2, ack, "healthy", "", ultraNSCC)
		add(twoTiers, 2, ack, "slow", "degrade=25%:0.25,dir=both,place=aligned", ultraNSCC)
		add(incastOf32, 2, ack, "NSCC", "", ultraNSCC)
		add(incastOf32, 2, ack, "RCCC", "", ultraRCCC)
		failed := fmt.Sprintf("cables=12.5%%,dir=both,place=aligned,at=%d", size/40_000)
		add(failedLinks, 2, ack, "failed", failed, ultraNSCC).schemes = nil
	}
	return c
}

// ultraSlow is the number of slow links in 3 tiers: all links from the core to one aggregation switch.
const ultraSlow = 8

// ultraNSCC and ultraRCCC return the congestion controls of the published runs.
func ultraNSCC() transport.Control { return &congestion.NSCC{Rules: fattree.UltraEthernet} }
func ultraRCCC() transport.Control { return new(congestion.RCCC) }

// ultraethernet compares the load balancers of Ultra Ethernet's simulator under its transport with the published
// runs. It decides no claim.
func ultraethernet(ctx context.Context, s engine.Settings) (engine.Output, error) {
	c, published := newUltraEthernet(), readUltraPublished()
	return compared(ctx, s, func() engine.Output {
		return engine.Output{
			Tables: []frame.Table{ultraTable(&c, published)},
			Plot:   ultraPlot(&c, published),
			Notes: notes(facts{"replicas": c.points[0].replicas, "hosts": c.points[0].hosts,
				"slow": ultraSlow}, "ultraethernet"),
		}
	}, &c)
}

// ultraRun names a published run: its plan, the packets per ACK, and the balancer's key.
type ultraRun struct {
	plan string
	ack  int
	lb   string
}

// ultraPublished holds the tail FCTs of published runs, in microseconds.
type ultraPublished map[ultraRun]float64

//go:embed testdata/uet_published.csv
var ultraPublishedFile []byte

// readUltraPublished returns the published runs, except runs with queues of another size.
func readUltraPublished() ultraPublished {
	all := ultraPublished{}
	for _, row := range rowsOfFile(ultraPublishedFile) {
		arguments, run := strings.Fields(row[3]), ultraRun{plan: row[0], ack: 4}
		if slices.Contains(arguments, "-q") {
			continue
		}
		if slices.Contains(arguments, "-sack_threshold") { // a threshold of 4,000 bytes
			run.ack = 1
		}
		run.lb = arguments[slices.Index(arguments, "-load_balancing_algo")+1]
		if run.lb == "oblivious" {
			run.lb = "stratified"
		}
		all[run] = numberOf(row[4])
	}
	return all
}

// at returns the published tail FCT of a scheme at a point, NaN if there is none.
func (u ultraPublished) at(p *comparedPoint, key string) float64 {
	plan := map[string]string{threeTiers: "snd", threeTiersCredit: "rcv"}[p.group]
	if p.workload == "slow" {
		plan = "failed_" + plan
	}
	if tail, found := u[ultraRun{plan, p.x, key}]; found {
		return tail
	}
	return math.NaN()
}

// addTo draws the published runs on top of a panel's bars, as black circles, unlike the points of all schemes.
func (u ultraPublished) addTo(panel *plot.Panel, points []*comparedPoint, schemes []scheme) {
	runs := plot.Series{Name: "Published run", Color: plot.Sand.WithInk(color.RGBA{A: 255}), Mark: plot.Points}
	for k, of := range schemes {
		for i, p := range points {
			if tail := u.at(p, of.key); !math.IsNaN(tail) {
				appendXY(&runs, float64(i)+plot.BarCentre(k, len(schemes)), tail)
			}
		}
	}
	if len(runs.X) > 0 {
		panel.Series = append(panel.Series, runs)
	}
}

// ultraTable lists the runs with the prediction interval of one more run, and the published run.
func ultraTable(c *comparison, published ultraPublished) frame.Table {
	return c.rows("", "", func(p *comparedPoint, of scheme, runs netRuns) cells {
		tail := runs.maxFCT()
		lo, hi := tail.Predicted()
		theirs := published.at(p, of.key)
		known := !math.IsNaN(theirs)
		return cells{{"evs", p.evs}, {"max_fct_us", frame.WithErrorAndEnds(tail)}, {"one_run_from", orNull(known, lo)},
			{"one_run_to", orNull(known, hi)}, {"published_us", orNull(known, theirs)},
			{"mean_fct_us", runs.time(netRun.meanFCT).Value}, {"retransmitted_percent", frame.WithEnds(runs.resent())},
			{"trimmed", runs.count(netRun.trimmed).Value},
			{"lost", runs.count(netRun.lost).Value}, {"finished_share", runs.finished()}}
	})
}

// ultraPlot draws tail FCTs with the published runs; with failed links, it also draws the share of
// retransmissions.
func ultraPlot(c *comparison, published ultraPublished) *plot.Plot {
	tail := func(p *comparedPoint, key string) mc.Estimate {
		if p.runs[key] == nil {
			return mc.Estimate{Value: math.NaN()}
		}
		return p.of(key).maxFCT()
	}
	panel := func(title, group string, axis plot.Axis) plot.Panel {
		shown := plot.Panel{Title: title, XLabel: "Links, packets per ACK", YLabel: "Tail FCT (µs)", Y: axis}
		return c.bars(shown, group, tail)
	}
	three, credit := panel("(a) 3 tiers, NSCC", threeTiers, from(0)), panel("(b) 3 tiers, RCCC", threeTiersCredit, from(0))
	published.addTo(&three, c.in(threeTiers), c.schemes[:4])
	published.addTo(&credit, c.in(threeTiersCredit), c.schemes[:4])
	failed := panel("(e) 2 tiers, 1 in 8 uplinks fails", failedLinks, onScale(plot.Log10))
	resent := plot.Panel{Title: "(f) 2 tiers, 1 in 8 uplinks fails", XLabel: failed.XLabel,
		YLabel: "Retransmissions (%)", Y: from(0)}
	resent = c.bars(resent, failedLinks, func(p *comparedPoint, key string) mc.Estimate { return p.of(key).resent() })
	incast := panel("(d) 2 tiers, incast of 32", incastOf32, from(0))
	incast.XLabel = "Congestion control, packets per ACK"
	two := panel("(c) 2 tiers, NSCC", twoTiers, from(0))
	return stacked([]plot.Panel{three, credit}, []plot.Panel{two, incast}, []plot.Panel{failed, resent})
}
