package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"repslab/fattree/schedule"
	"repslab/fattree/traffic"
	"repslab/internal/view"
	"repslab/sweep"
)

// fileHosts is the number of hosts of the networks for which files are drawn.
const fileHosts = 64

// fileFormats returns the formats, with the changes after which a file is another valid one.
func fileFormats() []fileFormat {
	// Flows to and from other hosts, all from host 0, in another order, or with starts or sizes that a user may mean.
	ns3 := []string{"swap 0 1", "scale 0 by 1e-", "scale 1 by 1e-", "lines swapped", "cut in a line"}
	// A distribution with other points: sizes and parts may have decimals and do not rise steadily.
	sizes := []string{`a word becomes "WORD.5"`, `a word becomes "WORDe3"`, "first line 0", "line missing", "scale 0 by 1e3"}
	return []fileFormat{
		{"ns-3 flows", " ", func(r *rand.Rand) string { return drawNS3Flows(r, true) }, readNS3Flows,
			append([]string{"scale 4 by 1e3", "scale 5 by 1e-"}, ns3...)},
		{"ns-3 flows without ports", " ", func(r *rand.Rand) string { return drawNS3Flows(r, false) }, readNS3Flows,
			append([]string{"scale 3 by 1e3", "scale 4 by 1e-"}, ns3...)},
		// Links of all tiers in Tb/s, or with other delays.
		{"ns-3 topology", " ", drawNS3Topology, readNS3Topology, []string{"scale 2 by 1e3", "scale 3 by 1e-", "scale 3 by 1e3"}},
		// Words have keys, so that a swap of two keys or two numbers swaps values. Hosts may have no flow.
		{"htsim flows", " ", drawFlows, readFlows, []string{"first line 1", "lines swapped", "cut in a line", "scale 4 by ", "scale 6 by 1e-3", "scale 6 by 1e3",
			"scale 6 by 1e6", "swap 1 3", "swap 1 5", "swap 3 5", "swap 2 4", "swap 2 6", "swap 4 6"}},
		// The latencies of two tiers, or the last one cut.
		{"htsim topology", " ", drawTopology, readTopology, []string{"cut in a line", "lines swapped"}},
		{"sizes", " ", func(r *rand.Rand) string { return drawSizes(r, 1, false) }, readSizes, sizes},
		{"sizes in per cent", ",", func(r *rand.Rand) string { return drawSizes(r, 100, false) }, readSizes, append([]string{"first line 1"}, sizes...)},
		{"sizes of ns-2", " ", func(r *rand.Rand) string { return drawSizes(r, 1, true) }, readSizes, sizes},
		// Column 2 has calculations in ns. -1 is any rank or tag, and an operation need not require others.
		{"GOAL", " ", drawSchedule, readSchedule, []string{`a word becomes "-`, "line missing", "line twice", "lines swapped", "scale 2 by "}},
		// Any numbers, texts and rows are valid.
		{"CSV", ",", drawCSV, readCSV, []string{"a word becomes ", "cut ", "line missing", "lines swapped", "scale 0 by ", "scale 1 by "}},
		{"result file", ",", drawResult, readResult, nil}, // each line has a checksum
	}
}

// drawFlow returns two hosts and a number of bytes, a packet or more.
func drawFlow(r *rand.Rand) (source, destination, bytes int) {
	source = r.IntN(fileHosts)
	return source, (source + 1 + r.IntN(fileHosts-1)) % fileHosts, 4096 + r.IntN(1<<(12+r.IntN(10)))
}

func drawNS3Flows(r *rand.Rand, ports bool) string {
	n := 4 + r.IntN(12)
	text := fmt.Sprintln(n)
	constant := r.IntN(2) == 0
	for i := range n {
		source, destination, bytes := drawFlow(r)
		port := ""
		if ports {
			port = fmt.Sprintf("%d ", 10000+i)
			if constant {
				port = "100 "
			}
		}
		text += fmt.Sprintf("%d %d 3 %s%d %.9f\n", source, destination, port, bytes, 2+r.Float64()/100)
	}
	return text
}

func readNS3Flows(_, text string) (string, []string, error) {
	var warnings []string
	w, err := traffic.ReadNS3Flows(strings.NewReader(text), func(text string) { warnings = append(warnings, text) })
	if err == nil {
		err = w.Validate(fileHosts)
	}
	return fmt.Sprint(w), warnings, err
}

func drawNS3Topology(r *rand.Rand) string {
	tors, spines, hosts := 2+r.IntN(4), 1+r.IntN(3), 1+r.IntN(4)
	first := tors * hosts
	gbps, rate := 10*(1+r.IntN(40)), "%dGbps"
	header := fmt.Sprintf("%d %d %d", first+tors+spines, tors+spines, first+tors*spines)
	if r.IntN(2) == 0 {
		header, rate = fmt.Sprintf("%d %d %d %d", first+tors+spines, tors+spines, tors, first+tors*spines), "%d000000000.0"
	}
	var switches, links []string
	link := func(a, b int) { links = append(links, fmt.Sprintf("%d %d "+rate+" 1us 0", a, b, gbps)) }
	for i := range tors + spines {
		switches = append(switches, fmt.Sprint(first+i))
	}
	for host := range first {
		link(host, first+host/hosts)
	}
	for tor := range tors {
		for spine := range spines {
			link(first+tor, first+tors+spine)
		}
	}
	r.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
	return header + "\n" + strings.Join(switches, " ") + "\n" + strings.Join(links, "\n") + "\n"
}

func readNS3Topology(_, text string) (string, []string, error) {
	var warnings []string
	tree, nodes, err := traffic.ReadNS3Topology(strings.NewReader(text), func(text string) { warnings = append(warnings, text) })
	return fmt.Sprint(tree, nodes), warnings, err
}

func drawFlows(r *rand.Rand) string {
	n := 4 + r.IntN(12)
	text := fmt.Sprintf("Nodes %d\nConnections %d\n", fileHosts, n)
	for i := range n {
		source, destination, bytes := drawFlow(r)
		text += fmt.Sprintf("%d->%d id %d start %d size %d\n", source, destination, i+1, 1000+r.IntN(1_000_000), bytes)
	}
	return text
}

func readFlows(_, text string) (string, []string, error) {
	hosts, w, err := traffic.ReadFlows(strings.NewReader(text))
	return fmt.Sprint(hosts, w), nil, err
}

func drawTopology(r *rand.Rand) string {
	hosts, up, tors := 2<<r.IntN(3), 1+r.IntN(4), 2+r.IntN(6)
	text := fmt.Sprintf("Nodes %d\nTiers 2\nPodsize %d\n", hosts*tors, hosts*tors)
	text += fmt.Sprintf("Tier 0\nDownlink_speed_Gbps 100\nRadix_Down %d\nRadix_Up %d\nDownlink_Latency_ns %d\n", hosts, up, 100+r.IntN(900))
	return text + fmt.Sprintf("Tier 1\nDownlink_speed_Gbps 400\nRadix_Down %d\nDownlink_Latency_ns %d\n", tors, 100+r.IntN(900))
}

func readTopology(_, text string) (string, []string, error) {
	tree, err := traffic.ReadTopology(strings.NewReader(text))
	return fmt.Sprint(tree), nil, err
}

func drawSizes(r *rand.Rand, whole int, three bool) string {
	n := 4 + r.IntN(6)
	text, bytes, part := "", 0, 0
	for i := range n {
		number := ""
		if three {
			number = "1 "
		}
		text += fmt.Sprintf("%d %s%s\n", bytes, number, fmt.Sprintf("%.4g", float64(part*whole)/1000))
		bytes += 5000 + r.IntN(1<<(14+i))
		if part += 1 + r.IntN(150); i == n-2 {
			part = 1000
		}
	}
	if whole == 100 {
		text = strings.ReplaceAll(text, " ", ",")
	}
	return text
}

func readSizes(_, text string) (string, []string, error) {
	s, err := traffic.ReadSizes(strings.NewReader(text))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprint(s), s.Warnings(), nil
}

func drawSchedule(r *rand.Rand) string {
	ranks := 2 + r.IntN(4)
	text := fmt.Sprintf("num_ranks %d\n", ranks)
	for rank := range ranks {
		text += fmt.Sprintf("rank %d {\nl1: calc %d\nl2: send %db to %d tag %d\nl3: recv %db from %d tag %d\nl2 requires l1\n}\n", rank, 100+r.IntN(10000),
			100_000+(rank+1)%ranks, (rank+1)%ranks, (rank+1)%ranks, 100_000+rank, (rank+ranks-1)%ranks, rank)
	}
	return text
}

func readSchedule(_, text string) (string, []string, error) {
	s, err := schedule.Read(strings.NewReader(text))
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprint(s.Ranks, s.Ops, s.Needs), s.Warnings, nil
}

func drawCSV(r *rand.Rand) string {
	text := "load,fct_us,lb\n"
	for i := range 3 + r.IntN(5) {
		for _, lb := range []string{"ops", "reps"} {
			text += fmt.Sprintf("%.2f,%.4g,%s\n", 0.1*float64(i+1), 1000*r.Float64(), lb)
		}
	}
	return text
}

// readCSV draws a line for each balancer and returns the numbers of the plot.
func readCSV(dir, text string) (string, []string, error) {
	path := filepath.Join(dir, "r.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	p := &view.Plot{Kind: view.LinePlot, X: "load", Y: "fct_us", By: "lb"}
	var warnings strings.Builder
	tables, err := p.Read(context.Background(), nil, []string{path}, &warnings)
	if err != nil {
		return "", nil, err
	}
	d, err := view.Draw(p, tables)
	if err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("%+v", d.Figure.Panels), append(d.Warnings(), strings.Fields(warnings.String())...), nil
}

func drawResult(r *rand.Rand) string {
	var points []sweep.Point
	for i := range 3 + r.IntN(3) {
		v := math.Round(1e6 * r.Float64())
		points = append(points, sweep.Exact(fmt.Sprint("bins=", i), []any{i}, func(context.Context) (sweep.Results, error) {
			return sweep.Results{Rows: [][]any{{v}}}, nil
		}))
	}
	s, err := sweep.New(sweep.Program{Version: "test"}, sweep.Config{Model: "test", Parameters: map[string]string{"bins": "0"}, Replicas: 1},
		sweep.Columns{Parameters: []string{"bins"}, Results: []string{"load"}}, points)
	dir, errDir := os.MkdirTemp("", "result")
	if err := errors.Join(err, errDir); err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "r.jsonl")
	if _, err := s.Run(context.Background(), path, sweep.Options{}); err != nil {
		panic(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// readResult returns the rows of a result file. Missing points are a warning, as in the command.
func readResult(dir, text string) (string, []string, error) {
	path := filepath.Join(dir, "r.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err)
	}
	var warnings []string
	c, err := sweep.Read(path, func(text string) { warnings = append(warnings, text) })
	if c.Missing > 0 {
		warnings = append(warnings, "points are missing")
	}
	slices.SortFunc(c.Rows, func(a, b sweep.Rows) int { return a.Number - b.Number })
	return fmt.Sprint(c.Rows), warnings, err
}
