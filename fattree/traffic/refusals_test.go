package traffic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"repslab/fattree"
)

// TestRefusals: arguments that gave other flows, or none in bounded time, are refused by name.
func TestRefusals(t *testing.T) {
	w := fattree.Workload{Flows: []fattree.Flow{fattree.NewFlow(1, 2, 1000, 1)}}
	arrivals := Arrivals{Hosts: fattree.MaxHosts, Sizes: Facebook(), Load: 1e-6, Gbps: 400, Duration: fattree.Microsecond}
	paced := func(hostsPerToR int) error {
		a := arrivals
		a.HostsPerToR = hostsPerToR
		_, err := Paced(a, rand.NewPCG(1, 1))
		return err
	}
	refuse := func(_ fattree.Workload, err error) error { return err }
	began, beyond := time.Now(), math.MaxInt32
	beyond += 2 // with ints of 32 bits it is negative
	for want, err := range map[string]error{
		"traffic: unit (0 ps) must be at least 1 ps":                   refuse(StartsIn(w, 0)),
		"traffic: unit (-1 ps)":                                        refuse(StartsIn(w, -1)),
		"traffic: nodes[2] (1) must be in [0, 2147483647], and no ear": refuse(OnHosts(w, []int{1, 2, 1})),
		"traffic: nodes[0] (-1)":                                       refuse(OnHosts(w, []int{-1})),
		fmt.Sprintf("traffic: nodes[1] (%d)", beyond):                  refuse(OnHosts(w, []int{2, beyond})),
		"traffic: HostsPerToR (2097151) must be at most half":          paced(fattree.MaxHosts - 1),
		"traffic: HostsPerToR (1048577) must be at most half":          paced(fattree.MaxHosts/2 + 1),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	arrivals.Hosts = 1 << 16
	if err := paced(math.MaxInt); err != nil { // one ToR
		t.Error(err)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	for name, f := range map[string]func(){"Mean": func() { Sizes{}.Mean() }, "Quantile": func() { Sizes{}.Quantile(0) }} {
		func() {
			defer func() {
				if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "traffic: a Sizes without points") {
					t.Errorf("%s of the zero value panics with %q", name, text)
				}
			}()
			f()
		}()
	}
}
