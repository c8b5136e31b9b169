// Command growth measures how the cost of the network model grows with hosts,
// packets and replicas, and draws it:
//
//	go run -C tools/growth . -o ../../docs/img/growth.png
//
// It prints the data as a table. Each time is the minimum of several runs on one core, after
// a warm-up run; memory is allocated once for a network, its run and the balancer. It needs
// about four minutes, 4 GB and a quiet machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/traffic"
	"repslab/internal/plot"
	"repslab/reps"
)

const kib = 1 << 10

// scene is a tornado in a tree of 3 tiers.
type scene struct {
	hosts    int
	bytes    int64 // of a message
	runs     int   // the fastest counts
	replicas int   // per run, one after the other
}

// cost is the cost of a scene's fastest run.
type cost struct {
	seconds    float64
	packetHops int64
	allocated  uint64 // bytes
}

// perHop returns nanoseconds for a data packet dequeued at a switch port.
func (c cost) perHop() float64 { return c.seconds * 1e9 / float64(c.packetHops) }

// balancers are compared: how to make one, by name.
var balancers = []struct {
	name string
	open func() (fattree.Balancer, error)
}{
	{"OPS", func() (fattree.Balancer, error) { return balance.NewSpraying(balance.MaxEVS) }},
	{"REPS", func() (fattree.Balancer, error) { return balance.NewRecycling(balance.Paper, reps.Config{}) }},
}

func main() {
	log.SetFlags(0)
	output := flag.String("o", "growth.png", "write the plot to this `FILE`, whose name ends in .png")
	flag.Parse()
	picture, err := measureAll()
	if err == nil {
		err = os.WriteFile(*output, picture, 0o644)
	}
	if err != nil {
		log.Fatal("growth: ", err)
	}
}

// point is what a scene adds to a panel.
type point struct {
	panel int
	x, y  float64
}

// sweeps are the scenes, by what grows, and the points that they make.
var sweeps = []struct {
	scenes []scene
	points func(s scene, c cost) []point
}{
	{
		[]scene{{16, 1024 * kib, 50, 1}, {128, 1024 * kib, 20, 1}, {1024, 1024 * kib, 10, 1}, {8192, 1024 * kib, 3, 1}, {65_536, 1024 * kib, 1, 1}, {128_000, 1024 * kib, 1, 1}},
		func(s scene, c cost) []point {
			hosts := float64(s.hosts)
			return []point{{0, hosts, c.perHop()}, {1, hosts, float64(c.allocated) / 1000 / hosts}}
		},
	},
	{
		[]scene{{1024, 64 * kib, 20, 1}, {1024, 256 * kib, 10, 1}, {1024, 1024 * kib, 10, 1}, {1024, 4096 * kib, 3, 1}, {1024, 16384 * kib, 2, 1}, {1024, 65536 * kib, 1, 1}},
		func(s scene, c cost) []point { return []point{{2, float64(s.bytes / kib), c.perHop()}} },
	},
	{
		[]scene{{128, 256 * kib, 20, 1}, {128, 256 * kib, 5, 10}, {128, 256 * kib, 3, 100}, {128, 256 * kib, 1, 1000}},
		func(s scene, c cost) []point { return []point{{3, float64(s.replicas), c.seconds}} },
	},
}

// measureAll measures all scenes, prints the table and returns the plot.
func measureAll() ([]byte, error) {
	panels := []plot.Panel{
		{Title: "(a) Hosts, 1 MiB each", XLabel: "hosts", YLabel: "ns per packet-hop"},
		{Title: "(b) Memory of (a)", XLabel: "hosts", YLabel: "kB allocated per host"},
		{Title: "(c) Packets, 1,024 hosts", XLabel: "KiB per message", YLabel: "ns per packet-hop"},
		{Title: "(d) Replicas, 128 hosts, 256 KiB", XLabel: "replicas", YLabel: "seconds"},
	}
	var zero float64
	for i := range panels {
		panels[i].X.Scale = plot.Log10
		panels[i].Y.Min = &zero
	}
	panels[3].Y = plot.Axis{Scale: plot.Log10}
	fmt.Println("| hosts | KiB per message | replicas | balancer | seconds | ns per packet-hop | kB per host |\n|---|---|---|---|---|---|---|")
	for k, b := range balancers {
		for i := range panels {
			panels[i].Series = append(panels[i].Series, plot.Series{Name: b.name, Mark: plot.LinePoints, Color: plot.NthColor(k)})
		}
		for _, sweep := range sweeps {
			for _, s := range sweep.scenes {
				c, err := s.measure(b.name, b.open)
				if err != nil {
					return nil, err
				}
				for _, p := range sweep.points(s, c) {
					series := &panels[p.panel].Series[k]
					series.X, series.Y = append(series.X, p.x), append(series.Y, p.y)
				}
			}
		}
	}
	figure := plot.Plot{Columns: plot.Double, Panels: [][]plot.Panel{panels[:2], panels[2:]}, SharedLegend: true}
	return figure.Render(plot.ACM(), plot.PNG)
}

// measure runs a scene and prints a line of the table.
func (s scene) measure(name string, open func() (fattree.Balancer, error)) (cost, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	workload, err := traffic.Tornado(s.hosts, traffic.Message{Bytes: s.bytes})
	if err != nil {
		return cost{}, err
	}
	network, errBuild := fattree.Build(fattree.Spec{Topology: fattree.Topology{Hosts: s.hosts, Tiers: 3}, Workload: workload})
	balancer, errOpen := open()
	if err := errors.Join(errBuild, errOpen); err != nil {
		return cost{}, err
	}
	run := network.NewRun()
	once := func() (hops int64, err error) {
		for replica := range uint64(s.replicas) {
			result, err := run.Execute(context.Background(), balancer, congestion.DCTCP{}, fattree.NewStreams(1, replica))
			if err != nil {
				return 0, err
			}
			hops += result.PacketHops
		}
		return hops, nil
	}
	if _, err := once(); err != nil {
		return cost{}, err
	}
	runtime.ReadMemStats(&after)
	best := cost{seconds: time.Hour.Seconds(), allocated: after.TotalAlloc - before.TotalAlloc}
	for range s.runs {
		begin := time.Now()
		if best.packetHops, err = once(); err != nil {
			return cost{}, err
		}
		best.seconds = min(best.seconds, time.Since(begin).Seconds())
	}
	fmt.Printf("| %d | %d | %d | %s | %.4f | %.1f | %.1f |\n", s.hosts, s.bytes/kib, s.replicas, name, best.seconds, best.perHop(), float64(best.allocated)/1000/float64(s.hosts))
	return best, nil
}
