// Workload reads a traffic pattern from a CSV file in its own format and runs it under two balancers.
//
// The columns are source, destination, bytes and start_us; an error names its line and column.
// traffic.csv has three steps, 25 us apart, in which 16 of 32 hosts each send about half a megabyte to a
// host in another rack. Each replica delays the start of every flow by a random time of up to 1 us.
//
// With workload/traffic.csv as its argument the program prints the mean time until the
// slowest flow is done, with 95 % intervals over 10 replicas. In a replica both balancers
// meet the same delays and the same hash salts:
//
//	$ go run ./workload workload/traffic.csv
//	ECMP 73.0 [56.7, 93.8] us
//	REPS 23.2 [22.8, 23.6] us
//	REPS takes 0.32 [0.25, 0.41] times as long as ECMP
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

	"repslab/fattree"
	"repslab/fattree/balance"
	"repslab/fattree/congestion"
	"repslab/fattree/experiment"
	"repslab/fattree/topology"
	"repslab/fattree/transport"
	"repslab/mc"
)

const (
	hosts  = 32
	jitter = 1_000_000 // picoseconds
)

// columns are the columns of the file and the values that they may have.
var columns = []struct {
	name        string
	least, most int64
}{{"source", 0, hosts - 1}, {"destination", 0, hosts - 1}, {"bytes", 1, 1e12}, {"start_us", 0, 1e6}}

// readFlows reads flows from CSV. Errors name the line and the column.
func readFlows(r io.Reader) ([]fattree.Flow, error) {
	in := csv.NewReader(r)
	in.FieldsPerRecord = len(columns)
	var flows []fattree.Flow
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			return flows, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := in.FieldPos(0)
		var values [4]int64
		for i, c := range columns {
			_, at := in.FieldPos(i)
			if line == 1 {
				if record[i] != c.name {
					return nil, fmt.Errorf("line 1, column %d: %q must be %s", at, record[i], c.name)
				}
				continue
			}
			if values[i], err = strconv.ParseInt(record[i], 10, 64); err != nil || values[i] < c.least || values[i] > c.most {
				return nil, fmt.Errorf("line %d, column %d: %s (%q) must be an integer in [%d, %d]", line, at, c.name, record[i], c.least, c.most)
			}
		}
		switch {
		case line == 1:
		case values[0] == values[1]:
			_, at := in.FieldPos(1)
			return nil, fmt.Errorf("line %d, column %d: destination (%d) must differ from source", line, at, values[1])
		default:
			start := fattree.Picoseconds(values[3]) * fattree.Microsecond
			flows = append(flows, fattree.NewFlow(fattree.Host(values[0]), fattree.Host(values[1]), values[2], start))
		}
	}
}

// jittered returns networks in which every flow starts later by a random delay, drawn anew in each
// replica.
func jittered(flows []fattree.Flow) experiment.Networks {
	return experiment.Varied(func(seed, replica uint64) (fattree.Spec, error) {
		random := mc.NewStream(seed, mc.Workload, replica).Rand()
		w := fattree.Workload{Flows: slices.Clone(flows)}
		for i := range w.Flows {
			w.Flows[i].Start += fattree.Picoseconds(random.Below(jitter))
		}
		return fattree.Spec{Topology: topology.FatTree{Hosts: hosts}, Workload: w}, nil
	})
}

// run prints the completion times of a pattern under ECMP and REPS.
func run(flows []fattree.Flow) error {
	setup := func(balancer string) experiment.Setup {
		return experiment.Setup{
			Network:  jittered(flows),
			Balancer: func() (transport.Balancer, error) { return balance.New(balancer, 256) },
			Control:  func() transport.Control { return congestion.DCTCP{} },
		}
	}
	comparison, _, err := experiment.Compare(setup("ecmp"), setup("reps")).Run(context.Background(), mc.Plan{Seed: 1, Replicas: 10})
	if err != nil {
		return err
	}
	for i, name := range []string{"ECMP", "REPS"} {
		fct := comparison.Summary(i).Of("max_fct_us")
		fmt.Printf("%s %.1f us\n", name, fct)
	}
	ratio := comparison.Ratio(1)
	fmt.Printf("REPS takes %.2f times as long as ECMP\n", ratio)
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
