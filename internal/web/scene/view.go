package scene

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"repslab/coalescing"
	"repslab/recycled"
)

// Limits of a view, so that a page stays smooth and its memory small.
const (
	MaxBins      = 256
	MaxThreshold = 10_000
	MaxColors    = 256
	MaxDelay     = 1000
	MaxRatio     = 64
	MaxSpeed     = 10_000
	MaxRounds    = 100_000
	MaxChanges   = 1000
)

// View is what an address of the page says. The zero value of Threshold, Colors
// and Variant is the default of the packages that it goes to.
type View struct {
	Bins      int
	Threshold int // τ
	Lambda    float64
	Clocking  recycled.Clocking
	Colors    int // b
	Delay     int // d, rounds
	Ratio     int // r
	Variant   coalescing.Variant
	Seed      uint64
	Changes   []Change // of ports, by ascending Round
	Speed     int      // rounds a second
	Round     int      // to stand at
	Paused    bool
}

// Change is a change of a port between two rounds.
type Change struct {
	Port  int
	Every int // the port serves in rounds divisible by it, in none if it is 0
	Round int // the change counts from the next round on
}

// Default returns the view of an address that says nothing.
func Default() View {
	return View{Bins: 32, Lambda: 1, Clocking: recycled.SelfClocked, Ratio: 1, Seed: 1, Speed: 200}
}

// recycled returns the process of REPS with an acknowledgement for each ball.
func (v View) recycled() recycled.Config {
	return recycled.Config{Bins: v.Bins, Threshold: v.Threshold, Clocking: v.Clocking, Lambda: v.Lambda, Colors: v.Colors, Delay: v.Delay}
}

// coalescing returns the process of REPS with fewer.
func (v View) coalescing() coalescing.Config {
	variant := v.Variant
	if variant == "" && v.Clocking == recycled.SelfClocked {
		variant = coalescing.EveryRthRound
	}
	return coalescing.Config{Bins: v.Bins, Ratio: v.Ratio, Variant: variant, Threshold: v.Threshold, Clocking: v.Clocking, Colors: v.Colors}
}

// Tau returns τ, the default filled in.
func (v View) Tau() int { return v.recycled().WithDefaults().Threshold }

// ColorsPerBin returns b, the default filled in.
func (v View) ColorsPerBin() int { return v.recycled().WithDefaults().Colors }

// Validate reports every fault of the view, in the words of its keys.
func (v View) Validate() error {
	var errs []error
	in := func(key string, value, least, most int) {
		if value < least || value > most {
			errs = append(errs, fmt.Errorf("%s (%d) must be in [%d, %d]", key, value, least, most))
		}
	}
	in("bins", v.Bins, 1, MaxBins)
	in("threshold", v.Threshold, 0, MaxThreshold)
	in("colors_per_bin", v.Colors, 0, MaxColors)
	in("delay", v.Delay, 0, MaxDelay)
	in("ack_ratio", v.Ratio, 1, MaxRatio)
	in("speed", v.Speed, 1, MaxSpeed)
	in("round", v.Round, 0, MaxRounds)
	if v.Ratio > 1 && v.Lambda != 1 {
		errs = append(errs, fmt.Errorf("lambda (%v) must be 1 where ack_ratio is above 1", v.Lambda))
	}
	in("changes of ports", len(v.Changes), 0, MaxChanges)
	before := 0
	for _, c := range v.Changes {
		in("ports: port", c.Port, 0, v.Bins-1)
		in("ports: rounds", c.Every, 0, MaxRounds)
		in("ports: round of a change", c.Round, before, v.Round)
		before = c.Round
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	// What is left concerns several keys; the packages know it.
	if v.Ratio > 1 {
		return v.coalescing().Validate()
	}
	return v.recycled().Validate()
}

// Parse reads the text of a view: KEY=VALUE, joined by &, in any order. Its errors
// name the key, the value and what is allowed.
func Parse(text string) (View, error) {
	v := Default()
	seen := map[string]bool{}
	for field := range strings.SplitSeq(text, "&") {
		if field == "" {
			continue
		}
		key, value, _ := strings.Cut(field, "=")
		if seen[key] {
			return View{}, fmt.Errorf("%s is given twice", quote(key))
		}
		seen[key] = true
		if err := v.set(key, value); err != nil {
			return View{}, err
		}
	}
	if err := v.Validate(); err != nil {
		return View{}, err
	}
	return v, nil
}

// set reads a value of a key.
func (v *View) set(key, value string) (err error) {
	integer := func(to *int, least int) {
		n, bad := strconv.Atoi(value)
		if bad != nil || n < least {
			err = fmt.Errorf("%s: %s must be an integer of at least %d", key, quote(value), least)
		}
		*to = n
	}
	switch key {
	case "bins":
		integer(&v.Bins, 1)
	case "threshold":
		integer(&v.Threshold, 1)
	case "lambda":
		if v.Lambda, err = strconv.ParseFloat(value, 64); err != nil || !(v.Lambda > 0 && v.Lambda <= 1) {
			err = fmt.Errorf("lambda: %s must be a number in (0, 1]", quote(value))
		}
	case "clocking":
		v.Clocking = recycled.Clocking(value)
	case "colors_per_bin":
		integer(&v.Colors, 1)
	case "delay":
		integer(&v.Delay, 0)
	case "ack_ratio":
		integer(&v.Ratio, 1)
	case "ack_variant":
		v.Variant = coalescing.Variant(value)
	case "seed":
		if v.Seed, err = strconv.ParseUint(value, 10, 64); err != nil {
			err = fmt.Errorf("seed: %s must be an integer in [0, %d]", quote(value), uint64(1<<64-1))
		}
	case "ports":
		v.Changes, err = parseChanges(value)
	case "speed":
		integer(&v.Speed, 1)
	case "round":
		integer(&v.Round, 0)
	case "paused":
		if v.Paused = value == "1"; !v.Paused && value != "0" {
			err = fmt.Errorf("paused: %s must be 0 or 1", quote(value))
		}
	default:
		err = fmt.Errorf("%s is no key of a view", quote(key))
	}
	return err
}

// String returns the text of the view that [Parse] reads: without what is as by
// default, in the order of the package comment.
func (v View) String() string {
	var text []byte
	add := func(key, value string, isDefault bool) {
		if isDefault {
			return
		}
		if len(text) > 0 {
			text = append(text, '&')
		}
		text = append(append(append(text, key...), '='), value...)
	}
	integer := func(key string, value, without int) { add(key, strconv.Itoa(value), value == without) }
	d := Default()
	integer("bins", v.Bins, d.Bins)
	integer("threshold", v.Threshold, d.Threshold)
	add("lambda", strconv.FormatFloat(v.Lambda, 'g', -1, 64), v.Lambda == d.Lambda)
	add("clocking", string(v.Clocking), v.Clocking == d.Clocking)
	integer("colors_per_bin", v.Colors, d.Colors)
	integer("delay", v.Delay, d.Delay)
	integer("ack_ratio", v.Ratio, d.Ratio)
	add("ack_variant", string(v.Variant), v.Variant == d.Variant)
	add("seed", strconv.FormatUint(v.Seed, 10), v.Seed == d.Seed)
	add("ports", formatChanges(v.Changes), len(v.Changes) == 0)
	integer("speed", v.Speed, d.Speed)
	integer("round", v.Round, d.Round)
	add("paused", "1", !v.Paused)
	return string(text)
}
