package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/fattree/balance"
	"repslab/internal/advise"
	"repslab/internal/cases"
	"repslab/internal/console"
	"repslab/internal/param"
	"repslab/internal/values"
	"repslab/mc"
	"repslab/reps"
)

// newAdvise returns the command that advises on a NIC.
func newAdvise() *cobra.Command {
	cmd := newCommand("advise")
	var f advise.Input
	var format, output string
	var force bool
	flags := cmd.Flags()
	addAdvise(flags, &f)
	addName(flags, &format, "format", "text", "text or json", []string{"text", "json"})
	addOutput(flags, &output, &force)
	seldom(flags, "force")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := console.CheckOutput("-o", output, force); err != nil {
			return err
		}
		a, err := f.Advise(cmd.Context(), cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		width := console.UsualWidth
		if output == "" {
			width = console.HelpWidth(cmd.OutOrStdout())
		}
		data := []byte(a.Page(width))
		if format == "json" {
			if data, err = json.MarshalIndent(a, "", "  "); err != nil {
				return err
			}
			data = append(data, '\n')
		}
		return console.WriteOutput(cmd.OutOrStdout(), output, force, data)
	}
	return cmd
}

// addAdvise adds the flags about the NIC, the network and the runs.
func addAdvise(flags *pflag.FlagSet, f *advise.Input) {
	number := func(to *int, name, preset, help string, least, most int) {
		addValue(flags, to, name, preset, help, param.IntsIn(least, most))
	}
	addValue(flags, &f.RTTUs, "rtt-us", "8", "round-trip time without queues, us", func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 0, Max: 10_000, MinOpen: true})
	})
	number(&f.LinkGbps, "link-gbps", "400", "rate of the links of hosts", 1, 100_000)
	number(&f.FabricGbps, "fabric-gbps", "", "rate of the uplinks", 1, 100_000)
	byDefault(flags, "fabric-gbps", "--link-gbps")
	number(&f.Uplinks, "uplinks", "32", "uplinks of a ToR", 2, 256)
	number(&f.HostsPerToR, "hosts-per-tor", "", "hosts of a ToR", 1, 256)
	byDefault(flags, "hosts-per-tor", "as many as uplinks")
	number(&f.ToRs, "tors", "", "ToRs of the network", 4, 256)
	byDefault(flags, "tors", "enough for 128 hosts, at least 4")
	addValue(flags, &f.EVs, "evs", strconv.Itoa(reps.UltraEthernetEVSSize),
		"entropy values of a connection, a power of two: 2^b for b bits of the hashed header", powersOfTwo)
	addName(flags, &f.Rules, "reps", string(balance.UltraEthernet), "rules of reps: ultraethernet or paper\nultraethernet as in uet-htsim, paper as in vectors and c/reps.c",
		[]balance.Rules{balance.UltraEthernet, balance.Paper})
	number(&f.AckRatio, "ack-ratio", "1", "packets per ACK\nthe paper has 1; uet-htsim acknowledges every 16 KiB, 4 packets of the usual size", 1, 64)
	addName(flags, &f.Variant, "ack-variant", cases.AckStandard, "EVs of a coalesced ACK: standard, carry or reuse\n"+
		"standard: that of the last packet; carry: of all; reuse: that of the last, which --reps paper sends on as many packets", []string{cases.AckStandard, cases.AckCarry, cases.AckReuse})
	addValue(flags, &f.RTOUs, "rto-us", "", "retransmission time-out, us", param.ReadMicroseconds(10_000_000))
	byDefault(flags, "rto-us", "15 us and six full queues")
	number(&f.KMin, "kmin", "", "queue length at which ECN marking starts", 1, 1<<12)
	byDefault(flags, "kmin", "20 % of one BDP")
	number(&f.KMax, "kmax", "", "queue length above which ECN marks all packets", 1, 1<<12)
	byDefault(flags, "kmax", "80 % of one BDP")
	addKind(flags, &f.Failed, "failed", "percent", "1%", "share of the cables above ToRs that fail during a message; 0 for none",
		func(text string) ([]float64, error) {
			number := strings.TrimSuffix(text, "%")
			if strings.Contains(number, "%") {
				return nil, fmt.Errorf("%.60q must be one percentage, such as 1%%", text)
			}
			return values.Floats(number, values.FloatRange{Min: 0, Max: 50})
		})
	number(&f.MTU, "mtu", "4150", "bytes of a full packet, including 64 of header", 65, 1<<20)
	addValue(flags, &f.Message, "message-bytes", "4MiB", "size of a message", func(text string) ([]int64, error) {
		return values.Sizes(text, values.SizeRange{Min: 1, Max: 1 << 26})
	})
	annotate(flags, groupKey, []string{"Parameters"}, "rtt-us", "link-gbps", "fabric-gbps", "uplinks", "hosts-per-tor", "tors", "evs", "reps",
		"ack-ratio", "ack-variant", "rto-us", "kmin", "kmax", "failed", "mtu", "message-bytes")
	number(&f.Replicas, "replicas", "8", "independent runs of every estimate", 2, mc.MaxReplicas)
	addSeed(flags, &f.Seed, "the same seed prints the same bytes")
	addWorkers(flags, &f.Workers, "concurrent runs")
	annotate(flags, groupKey, []string{"Estimation"}, "replicas", "seed", "workers")
}

// powersOfTwo reads numbers of entropy values, which must be powers of two.
func powersOfTwo(text string) ([]int, error) {
	list, err := values.Ints(text, values.IntRange{Min: 1, Max: balance.MaxEVS})
	for _, v := range list {
		if v&(v-1) != 0 {
			return nil, fmt.Errorf("%d must be a power of two: b bits have 2^b values", v)
		}
	}
	return list, err
}
