package main

import (
	"strings"
	"testing"
)

// TestTreeShapes: the flags make the trees that they describe, and rows say which.
func TestTreeShapes(t *testing.T) {
	type shape struct{ hosts, hostsPerToR, tors, uplinksPerToR, radix, oversubscription float64 }
	for flags, want := range map[string]shape{
		"--hosts 32":           {32, 4, 8, 4, 8, 1},
		"--hosts 16 --tiers 3": {16, 2, 8, 2, 4, 1},
		// A full tree of switches with k ports has k^2/2 or k^3/4 hosts.
		"--radix 8":                                                  {32, 4, 8, 4, 8, 1},
		"--radix 6 --tiers 3":                                        {54, 3, 18, 3, 6, 1},
		"--radix 8 --oversubscription 3":                             {48, 6, 8, 2, 8, 3},
		"--radix 8 --oversubscription 3 --tiers 3":                   {192, 6, 32, 2, 8, 3},
		"--radix 8 --hosts-per-tor 6":                                {48, 6, 8, 2, 8, 3},
		"--radix 8 --uplinks-per-tor 3":                              {40, 5, 8, 3, 8, 5. / 3},
		"--radix 8 --hosts 8":                                        {8, 4, 2, 4, 8, 1},
		"--hosts 17 --hosts-per-tor 1":                               {17, 1, 17, 1, 17, 1},
		"--hosts 24 --hosts-per-tor 6":                               {24, 6, 4, 6, 12, 1},
		"--hosts 32 --uplinks-per-tor 2":                             {32, 4, 8, 2, 8, 2},
		"--hosts 32 --oversubscription 4":                            {32, 4, 8, 1, 8, 4},
		"--hosts 24 --tiers 3 --hosts-per-tor 3 --uplinks-per-tor 2": {24, 3, 8, 2, 5, 1.5},
	} {
		o := repslab(t, append(strings.Fields("fattree --message-bytes 1000 --lb ops --replicas 1 --format json "), strings.Fields(flags)...)...)
		rows, _ := rowsOf(t, o.stdout)
		if o.code != exitDone || len(rows) != 1 {
			t.Errorf("%s: %+v", flags, o)
			continue
		}
		cell := func(key string) float64 { return rows[0][key].(float64) }
		if got := (shape{cell("hosts"), cell("hosts_per_tor"), cell("tors"), cell("uplinks_per_tor"), cell("radix"), cell("oversubscription")}); got != want {
			t.Errorf("%s: %+v, want %+v", flags, got, want)
		}
	}
}

// TestLayerRates: each layer of links has its rate, by default the rate of the layer below, and
// slower links take longer.
func TestLayerRates(t *testing.T) {
	for flags, want := range map[string][3]any{
		"--tiers 3":                                   {400., 400., 400.},
		"--tiers 3 --link-gbps 200":                   {200., 200., 200.},
		"--tiers 3 --fabric-gbps 200":                 {400., 200., 200.},
		"--tiers 3 --core-gbps 200":                   {400., 400., 200.},
		"--tiers 3 --fabric-gbps 800 --core-gbps 200": {400., 800., 200.},
		"--tiers 2 --link-gbps 100 --fabric-gbps 400": {100., 400., nil},
	} {
		o := repslab(t, append(strings.Fields("fattree --hosts 16 --message-bytes 1000 --replicas 1 --format json"), strings.Fields(flags)...)...)
		rows, _ := rowsOf(t, o.stdout)
		if len(rows) != 1 || [3]any{rows[0]["link_gbps"], rows[0]["fabric_gbps"], rows[0]["core_gbps"]} != want {
			t.Errorf("%s: %+v, want rates %v", flags, o, want)
		}
	}
	fct := func(flags string) float64 {
		o := repslab(t, append(strings.Fields("fattree --hosts 16 --workload tornado --message-bytes 1MiB --lb ops --replicas 1 --format json"), strings.Fields(flags)...)...)
		rows, _ := rowsOf(t, o.stdout)
		return rows[0]["mean_fct_us"].(float64)
	}
	// 1 MiB takes 21 us at 400 Gb/s, and half the rate above the ToRs doubles that.
	if all, slow := fct(""), fct("--fabric-gbps 200"); slow < all+18 || slow > all+40 {
		t.Errorf("mean FCT %.1f us, with links of half the rate above the ToRs %.1f us", all, slow)
	}
}
