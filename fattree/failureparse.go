package fattree

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"repslab/mc"
)

// FailureGrammar is what [ParseFailures] reads, in words for users.
const FailureGrammar = `cables=N or cables=P%, switches=N or P%, degrade=N:RATE or P%:RATE (RATE in (0, 1)), ber-cable=P%, ber-switch=P%; ` +
	`options after a comma: dir=up|both and place=aligned|random (not for bit errors), at=US, for=US; several joined by ";"`

// ParseFailures reads a specification of failures such as
//
//	cables=8%;switches=1,place=random,at=100,for=50;degrade=3%:0.5,dir=both
//
// with terms separated by semicolons and times in microseconds. Percentages, and
// numbers, of cables are of the uplinks of every ToR, those of switches of the
// switches above the ToRs in every pod; with place=random both are of the whole
// network. An empty text is no failure. The error names the term and says what is
// allowed. O(length).
func ParseFailures(text string) ([]Failure, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var list []Failure
	for term := range strings.SplitSeq(text, ";") {
		term = strings.TrimSpace(term)
		f, err := parseFailure(term)
		if err != nil {
			return nil, mc.NewFieldError("fattree", "failures", term, "must be a failure: %v; the grammar is %s", err, FailureGrammar)
		}
		list = append(list, f)
	}
	return list, nil
}

// parseFailure reads one term.
func parseFailure(term string) (f Failure, err error) {
	words := strings.Split(term, ",")
	kind, value, ok := strings.Cut(strings.TrimSpace(words[0]), "=")
	if !ok {
		return f, fmt.Errorf("there is no = in it")
	}
	f.Kind = FailureKind(strings.TrimSpace(kind))
	if err := f.parseValue(strings.TrimSpace(value)); err != nil {
		return f, err
	}
	seen := map[string]bool{}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(strings.TrimSpace(word), "=")
		if seen[name] {
			return f, fmt.Errorf("%.20q is given twice", name)
		}
		seen[name] = true
		if err := f.parseOption(name, value); err != nil {
			return f, err
		}
	}
	return f, nil
}

// parseValue reads how much fails.
func (f *Failure) parseValue(text string) (err error) {
	switch f.Kind {
	case Cables, Switches:
		return f.parseAmount(text)
	case Degrade:
		amount, rate, ok := strings.Cut(text, ":")
		if f.Rate, err = strconv.ParseFloat(rate, 64); !ok || err != nil || !(f.Rate > 0 && f.Rate < 1) {
			return fmt.Errorf("%.20q must be an amount, a colon and a rate in (0, 1)", text)
		}
		return f.parseAmount(amount)
	case CableErrors, SwitchErrors:
		if err = f.parseAmount(text); err == nil && (f.Count > 0 || f.Percent >= 100) {
			err = fmt.Errorf("%.20q must be a percentage below 100%%", text)
		}
		return err
	}
	return fmt.Errorf("%.20q must be cables, switches, degrade, ber-cable or ber-switch", string(f.Kind))
}

// parseAmount reads a number or a percentage.
func (f *Failure) parseAmount(text string) (err error) {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		f.Percent, err = strconv.ParseFloat(percent, 64)
		if err != nil || !(f.Percent > 0 && f.Percent <= 100) {
			return fmt.Errorf("%.20q must be a percentage in (0%%, 100%%]", text)
		}
		return nil
	}
	if f.Count, err = strconv.Atoi(text); err != nil || f.Count < 1 || f.Count > MaxHosts {
		return fmt.Errorf("%.20q must be a number in [1, %d] or a percentage", text, MaxHosts)
	}
	return nil
}

// parseOption reads what stands behind a comma.
func (f *Failure) parseOption(name, value string) (err error) {
	bits := f.Kind == CableErrors || f.Kind == SwitchErrors
	switch {
	case name == "dir" && !bits && f.Kind != Switches && (value == "up" || value == "both"):
		f.Both = value == "both"
	case name == "place" && !bits && (value == "aligned" || value == "random"):
		f.Random = value == "random"
	case name == "at":
		f.Start, err = parseMicroseconds(value, 0)
	case name == "for":
		f.For, err = parseMicroseconds(value, 1)
	case name == "dir" && f.Kind == Switches:
		err = fmt.Errorf("a switch fails in all directions")
	case (name == "dir" || name == "place") && bits:
		err = fmt.Errorf("bit errors have no %s: they are everywhere", name)
	case name == "dir":
		err = fmt.Errorf("dir (%.20q) must be up or both", value)
	case name == "place":
		err = fmt.Errorf("place (%.20q) must be aligned or random", value)
	default:
		err = fmt.Errorf("option %.20q must be dir, place, at or for", name)
	}
	return err
}

// mostMicroseconds keeps times far from overflow.
const mostMicroseconds = 1e9

// parseMicroseconds reads a time of at least some picoseconds.
func parseMicroseconds(text string, least Picoseconds) (Picoseconds, error) {
	us, err := strconv.ParseFloat(text, 64)
	if ps := Picoseconds(math.Round(1e6 * us)); err == nil && us >= 0 && us <= mostMicroseconds && ps >= least {
		return ps, nil
	}
	return 0, fmt.Errorf("time %.20q must be microseconds in [%v, %v]", text, float64(least)/1e6, mostMicroseconds)
}

// String returns the failure in the grammar of [ParseFailures], which reads it
// back the same.
func (f Failure) String() string {
	var s strings.Builder
	s.WriteString(string(f.Kind) + "=")
	if f.Count > 0 {
		s.WriteString(strconv.Itoa(f.Count))
	} else {
		s.WriteString(strconv.FormatFloat(f.Percent, 'g', -1, 64) + "%")
	}
	if f.Kind == Degrade {
		s.WriteString(":" + strconv.FormatFloat(f.Rate, 'g', -1, 64))
	}
	if f.Both {
		s.WriteString(",dir=both")
	}
	if f.Random {
		s.WriteString(",place=random")
	}
	if f.Start > 0 {
		s.WriteString(",at=" + strconv.FormatFloat(float64(f.Start)/1e6, 'f', -1, 64))
	}
	if f.For > 0 {
		s.WriteString(",for=" + strconv.FormatFloat(float64(f.For)/1e6, 'f', -1, 64))
	}
	return s.String()
}

// FailuresString returns failures in the grammar of [ParseFailures].
func FailuresString(failures []Failure) string {
	texts := make([]string, len(failures))
	for i, f := range failures {
		texts[i] = f.String()
	}
	return strings.Join(texts, ";")
}
