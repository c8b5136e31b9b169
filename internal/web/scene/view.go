package scene

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repslab/coalescing"
	"repslab/internal/lists"
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

// View holds the parameters in an address of the page. The zero value of
// Threshold, Colors and Variant selects the default of their packages.
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
	Changes   []Change // changes of ports, by ascending Round
	Speed     int      // rounds a second
	Round     int      // of the picture
	Paused    bool
}

// Change is a change of a port between two rounds.
type Change struct {
	Port  int
	Every int // the port serves in rounds divisible by it, in none if it is 0
	Round int // the change takes effect from the next round on
}

// Default returns the view of an address without parameters.
func Default() View {
	return View{Bins: 32, Lambda: 1, Clocking: recycled.SelfClocked, Ratio: 1, Seed: 1, Speed: 200}
}

// recycled returns the REPS process with one ACK per ball.
func (v View) recycled() recycled.Config {
	return recycled.Config{
		Bins: v.Bins, Threshold: v.Threshold, Clocking: v.Clocking, Lambda: v.Lambda, Colors: v.Colors, Delay: v.Delay,
	}.Used() // a view keeps the settings of the other clockings
}

// coalescing returns the REPS process with coalesced ACKs.
func (v View) coalescing() coalescing.Config {
	variant := v.Variant
	if variant == "" && v.Clocking == recycled.SelfClocked {
		variant = coalescing.EveryRthRound
	}
	return coalescing.Config{
		Bins: v.Bins, Ratio: v.Ratio, Variant: variant, Threshold: v.Threshold, Clocking: v.Clocking, Colors: v.recycled().Colors,
	}
}

// Tau returns τ, with the default applied.
func (v View) Tau() int { return v.recycled().WithDefaults().Threshold }

// ColorsPerBin returns b, with the default applied.
func (v View) ColorsPerBin() int { return v.recycled().WithDefaults().Colors }

// field is a parameter of a view: its key in an address, and how its value is read
// and written.
type field struct {
	key   string
	read  func(text string) error
	write func() string
}

// fields returns the parameters of v, in the order of the package comment.
func (v *View) fields() []field {
	return []field{
		integer("bins", &v.Bins, 1),
		integer("threshold", &v.Threshold, 1),
		{"lambda", v.readLambda, func() string { return strconv.FormatFloat(v.Lambda, 'g', -1, 64) }},
		word("clocking", &v.Clocking),
		integer("colors_per_bin", &v.Colors, 1),
		integer("delay", &v.Delay, 0),
		integer("ack_ratio", &v.Ratio, 1),
		word("ack_variant", &v.Variant),
		seed(&v.Seed),
		changes("ports", &v.Changes),
		integer("speed", &v.Speed, 1),
		integer("round", &v.Round, 0),
		paused(&v.Paused),
	}
}

// integer returns the field of an integer.
func integer(key string, to *int, least int) field {
	read := func(text string) (err error) {
		if *to, err = strconv.Atoi(text); err != nil || *to < least {
			return fmt.Errorf("%s: %s must be an integer of at least %d", key, quote(text), least)
		}
		return nil
	}
	return field{key, read, func() string { return strconv.Itoa(*to) }}
}

// word returns the field of a name, which Validate checks.
func word[T ~string](key string, to *T) field {
	return field{key, func(text string) error { *to = T(text); return nil }, func() string { return string(*to) }}
}

func (v *View) readLambda(text string) (err error) {
	if v.Lambda, err = strconv.ParseFloat(text, 64); err != nil || !(v.Lambda > 0 && v.Lambda <= 1) {
		return fmt.Errorf("lambda: %s must be a number in (0, 1]", quote(text))
	}
	return nil
}

// seed returns the field of a seed.
func seed(to *uint64) field {
	read := func(text string) (err error) {
		if *to, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("seed: %s must be an integer in [0, %d]", quote(text), uint64(math.MaxUint64))
		}
		return nil
	}
	return field{"seed", read, func() string { return strconv.FormatUint(*to, 10) }}
}

// paused returns the field of a pause.
func paused(to *bool) field {
	read := func(text string) error {
		if *to = text == "1"; !*to && text != "0" {
			return fmt.Errorf("paused: %s must be 0 or 1", quote(text))
		}
		return nil
	}
	return field{"paused", read, func() string { return map[bool]string{true: "1", false: "0"}[*to] }}
}

// changes returns the field of changes, joined by commas.
func changes(key string, to *[]Change) field {
	read := func(text string) error {
		*to = nil
		for part := range strings.SplitSeq(text, ",") {
			var c Change
			numbers := strings.FieldsFunc(part, func(r rune) bool { return r == 'x' || r == '@' })
			for i, to := range []*int{&c.Port, &c.Every, &c.Round}[:min(3, len(numbers))] {
				*to, _ = strconv.Atoi(numbers[i]) // fmt.Sscanf would add 10 kB to what a browser loads
			}
			if c.String() != part {
				return fmt.Errorf("%s: %s must be PORTxROUNDS@ROUND, such as 3x2@500, in a list joined by commas", key, quote(part))
			}
			*to = append(*to, c)
		}
		return nil
	}
	return field{key, read, func() string {
		return strings.Join(lists.Map(*to, Change.String), ",")
	}}
}

// String returns the text of a change.
func (c Change) String() string { return fmt.Sprintf("%dx%d@%d", c.Port, c.Every, c.Round) }

// longest is the length of the longest text that an error repeats.
const longest = 40

// quote returns a text for an error, shortened.
func quote(text string) string {
	if len(text) > longest {
		text = text[:longest] + "..."
	}
	return strconv.Quote(text)
}

// Parse reads the text of a view: KEY=VALUE, joined by &, in any order. Its errors
// name the key, the value and what is allowed.
func Parse(text string) (View, error) {
	v := Default()
	if err := parse(text, v.fields()); err != nil {
		return View{}, err
	}
	return v, v.Validate()
}

// parse reads the text of a view into its fields.
func parse(text string, fields []field) error {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		if seen[key] {
			return fmt.Errorf("%s is given twice", quote(key))
		}
		seen[key] = true
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
		if i < 0 {
			return fmt.Errorf("%s is no key of a view", quote(key))
		}
		if err := fields[i].read(value); err != nil {
			return err
		}
	}
	return nil
}

// String returns the text of the view that [Parse] reads, without the parameters
// that have their default.
func (v View) String() string {
	d := Default()
	return text(v.fields(), d.fields())
}

// text joins the fields that differ from their defaults.
func text(fields, defaults []field) string {
	var parts []string
	for i, f := range fields {
		if text := f.write(); text != defaults[i].write() {
			parts = append(parts, f.key+"="+text)
		}
	}
	return strings.Join(parts, "&")
}

// Validate reports every fault of the view, by its keys.
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
	// The packages check conditions on several keys.
	if v.Ratio > 1 {
		return v.coalescing().Validate()
	}
	return v.recycled().Validate()
}
