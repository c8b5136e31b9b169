// Workload reads a traffic pattern of its own from a CSV file and runs it under two
// balancers.
//
// The columns are source, destination, bytes and start_us; what is wrong in the file is
// reported with its line and column. traffic.csv is three steps of training with four
// parameter servers: twelve workers send gradients to a server each, which sends the
// parameters back 45 us later. Three workers share a server's link, so a balancer
// can only help on the way there.
//
// With traffic.csv as its argument the program prints the mean time until the slowest
// flow is done, over 10 replicas, which differ in the switches' hash salts:
//
//	@output@
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/mc"
)

const hosts = 32

// readFlows reads flows from CSV. Errors begin with the line and the column.
func readFlows(r io.Reader) ([]fattree.Flow, error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	header := []string{"source", "destination", "bytes", "start_us"}
	record, err := in.Read()
	if err != nil || !slices.Equal(record, header) {
		return nil, fmt.Errorf("line 1: the header must be %s", strings.Join(header, ","))
	}
	var flows []fattree.Flow
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return flows, nil
		}
		if err != nil {
			return nil, err // of package csv; it names line and column
		}
		var values [4]float64
		for i, limit := range []float64{hosts - 1, hosts - 1, 1e12, 1e6} {
			v, err := strconv.ParseFloat(record[i], 64)
			if err != nil || !(v >= 0 && v <= limit) || i < 3 && v != float64(int64(v)) {
				line, column := in.FieldPos(i)
				return nil, fmt.Errorf("line %d, column %d: %s (%q) must be a number in [0, %.0f], whole but for start_us", line, column, header[i], record[i], limit)
			}
			values[i] = v
		}
		flows = append(flows, fattree.Flow{
			Source: fattree.Host(values[0]), Destination: fattree.Host(values[1]), Bytes: int64(values[2]),
			Start: fattree.Picoseconds(values[3] * 1e6), StartedBy: fattree.NoTrigger, Fires: fattree.NoTrigger,
		})
	}
}

// run prints how fast a pattern is under OPS and REPS.
func run(flows []fattree.Flow) error {
	setup := func(balancer string) fattree.Setup {
		return fattree.Setup{
			Network:  fattree.Fixed(fattree.Spec{Topology: fattree.Topology{Hosts: hosts}, Workload: fattree.Workload{Flows: flows}}),
			Balancer: func() (fattree.Balancer, error) { return balance.New(balancer, 256) },
			Control:  func() fattree.Control { return congestion.DCTCP{} },
		}
	}
	comparison, _, err := fattree.Compare(setup("ecmp"), setup("reps")).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 10})
	if err != nil {
		return err
	}
	for i, name := range []string{"ECMP", "REPS"} {
		fct := comparison.Summary(i).MaxFCT.Per(1e6) // picoseconds in a microsecond
		fmt.Printf("%s %.1f us [%.1f, %.1f]\n", name, fct.Value, fct.Lo, fct.Hi)
	}
	ratio := comparison.Ratio(1)
	fmt.Printf("REPS takes %.2f [%.2f, %.2f] times as long as ECMP\n", ratio.Value, ratio.Lo, ratio.Hi)
	return nil
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: workload FILE.csv")
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	flows, err := readFlows(file)
	if err == nil {
		err = run(flows)
	}
	if err != nil {
		log.Fatalf("%s: %v", os.Args[1], err)
	}
}
