package recycled

import (
	"math"
	"strings"
	"testing"

	"repslab/internal/mctest"
	"repslab/mc"
)

// TestBoundaryLaw compares the law with its values in print, and refuses what is outside of its range.
func TestBoundaryLaw(t *testing.T) {
	for _, c := range []struct{ threshold, delay, want float64 }{
		{14, 20, 9.19}, {14, 25, 8.12}, {14, 30, 7.15}, {14, 35, 6.25}, {14, 40, 5.40}, {14, 50, 3.82},
		{28, 60, 16.36}, {28, 70, 15.01}, {28, 85, 13.12}, {28, 100, 11.36}, {28, 120, 9.19},
		{20, 60, 8.36}, {20, 45, 10.59}, {40, 150, 18.18}, {40, 200, 13.69}, {40, 250, 9.65}, {56, 400, 15.24}, {112, 800, 49.73},
	} {
		if got, err := BoundaryLaw(c.threshold, c.delay); err != nil || math.Abs(got-c.want) > 0.006 {
			t.Errorf("BoundaryLaw(%v, %v) = %v, %v; want %v", c.threshold, c.delay, got, err, c.want)
		}
	}
	for _, c := range []struct {
		threshold, delay float64
		want             string
	}{
		{28, 17, "delay (17) must be finite and at least 2πe (17.08)"}, {28, math.NaN(), "delay (NaN)"}, {28, math.Inf(1), "delay (+Inf)"},
		{16.63, 100, "threshold (16.63) must be above 16.64 and at most 39.14 for a delay of 100"}, {39.2, 100, "threshold (39.2)"},
		{math.NaN(), 100, "threshold (NaN)"}, {-1, 100, "threshold (-1)"},
	} {
		if got, err := BoundaryLaw(c.threshold, c.delay); err == nil || got != 0 || !strings.HasPrefix(err.Error(), "recycled: "+c.want) {
			t.Errorf("BoundaryLaw(%v, %v) = %v, error %v, want %s", c.threshold, c.delay, got, err, c.want)
		}
	}
}

// slowHeld is F by its definition: the sum over all N, with the masses of math.Lgamma.
func slowHeld(threshold, delay int, s float64) float64 {
	kept := s
	for n := threshold; float64(n) < s+12*math.Sqrt(s)+40; n++ {
		gamma, _ := math.Lgamma(float64(n) + 1)
		topples := (n - threshold) / (delay + 1)
		kept -= float64(delay+1) * float64(topples) * math.Exp(float64(n)*math.Log(s)-s-gamma)
	}
	return kept
}

// TestCriticalWindow compares the supremum with its values in print and with F on a fine grid of s.
func TestCriticalWindow(t *testing.T) {
	for _, c := range []struct {
		threshold, delay int
		want             float64
	}{{14, 25, 4.61}, {28, 60, 11.22}, {28, 100, 5.85}, {40, 100, 17.01}, {40, 200, 6.64}, {56, 200, 21.70}, {56, 400, 6.16}} {
		if got, err := CriticalWindow(c.threshold, c.delay); err != nil || math.Abs(got-c.want) > 0.006 {
			t.Errorf("CriticalWindow(%d, %d) = %v, %v; want %v", c.threshold, c.delay, got, err, c.want)
		}
	}
	for _, c := range [][2]int{{1, 0}, {7, 0}, {1, 1}, {1, 2}, {3, 2}, {1, 5}, {2, 9}, {20, 9}, {60, 9}, {5, 30}} {
		threshold, delay := c[0], c[1]
		got, err := CriticalWindow(threshold, delay)
		want := float64(threshold) + float64(delay)/2 // the limit
		for s := 0.01; s < float64(2*threshold+delay*delay/4+40); s += 0.05 {
			held := slowHeld(threshold, delay, s)
			want = max(want, held)
			most := float64(threshold) + float64(delay)/2 + toppling{float64(threshold), float64(delay + 1)}.swing(s)
			if held > most+1e-8*s {
				t.Errorf("τ=%d, d=%d: F(%v) = %v, more than %v", threshold, delay, s, held, most)
			}
		}
		if want -= float64(delay); err != nil || math.Abs(got-want) > 2e-4 || got < want-1e-8*float64(threshold+delay) {
			t.Errorf("CriticalWindow(%d, %d) = %v, %v; the largest F on a grid %v", threshold, delay, got, err, want)
		}
	}
	for _, c := range []struct {
		threshold, delay int
		want             string
	}{{0, 5, "threshold (0) must be in [1, 1073741824]"}, {5, -1, "delay (-1) must be in [0, 16384]"}, {5, 1 << 15, "delay (32768)"}} {
		if _, err := CriticalWindow(c.threshold, c.delay); err == nil || !strings.HasPrefix(err.Error(), "recycled: "+c.want) {
			t.Errorf("CriticalWindow(%d, %d): error %v, want %s", c.threshold, c.delay, err, c.want)
		}
	}
}

// TestTopplingTurnsAtTheCriticalWindow runs the toppling model itself, with 4,096 ports: 10 % below the room
// of the transition the throws end within 4 W throws a port, 15 % above it they do not end within 40. The
// number of hits of a port is all that counts, so the model needs no order.
func TestTopplingTurnsAtTheCriticalWindow(t *testing.T) {
	const ports = 4096
	for i, c := range []struct{ threshold, delay int }{{14, 25}, {28, 100}} {
		room, err := CriticalWindow(c.threshold, c.delay)
		if err != nil {
			t.Fatal(err)
		}
		for _, ends := range []bool{true, false} {
			window, most := float64(c.delay)+0.9*room, 4.0
			if !ends {
				window, most = float64(c.delay)+1.15*room, 40
			}
			rng := mc.NewStream(mctest.Seed(t, uint64(i)), mc.Algorithm, 0).Rand()
			held := make([]int, ports)
			pool, throws := int(window*ports), 0
			for ; pool > 0 && throws < int(most*window*ports); throws++ {
				port := rng.Below(ports)
				pool--
				if held[port]++; held[port] == c.threshold+c.delay+1 {
					held[port] = c.threshold
					pool += c.delay + 1
				}
			}
			if (pool == 0) != ends {
				t.Errorf("τ=%d, d=%d, W - d = %.2f, transition %.2f: %d balls in the pool after %.2f W throws a port",
					c.threshold, c.delay, window-float64(c.delay), room, pool, float64(throws)/window/ports)
			}
		}
	}
}
