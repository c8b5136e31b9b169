package model

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree/topology"
	"repslab/internal/values"
	"repslab/mc"
)

// Failures is a value of --failure; empty for a healthy network.
type Failures []topology.Failure

// NoFailure is the value of --failure for a healthy network.
const NoFailure = "none"

// String returns the failures in the grammar of --failure.
func (f Failures) String() string {
	if len(f) == 0 {
		return NoFailure
	}
	return topology.FailuresString(f)
}

// beforePlace matches what precedes the place in canonical terms of --failure.
var beforePlace = regexp.MustCompile(`(cables|switches|degrade)=[^,;|]*(,dir=[a-z]+)?(,layer=core)?`)

// olderFailures returns canonical values of --failure of a file of earlier streams: below 6, places were
// aligned unless a term named others.
func olderFailures(streams int, key, text string) string {
	if key != "failure" || streams >= 6 {
		return text
	}
	text = beforePlace.ReplaceAllString(text, "$0,place=aligned")
	return strings.NewReplacer(",place=aligned,place=first", ",place=first", ",place=aligned,place=random", "").Replace(text)
}

// failureRange matches a range in a value of --failure: of numbers, percentages or times. A rate, below 1, is
// not its step. Ranges of links, flows and paths, which are names, are none.
var failureRange = regexp.MustCompile(`(?:[^kKhH][sS]|[^sSwW])=([^=,;:]*\.\.[^=,;:]*(?::[^0.=,;:][^=,;:]*)?)`)

// expanded returns the values without ranges that a value of --failure stands for; the first range is the
// slowest.
func expanded(text string) (list []string, err error) {
	at := failureRange.FindStringSubmatchIndex(text)
	if at == nil {
		return []string{text}, nil
	}
	bare, unit := strings.ReplaceAll(text[at[2]:at[3]], "%", ""), ""
	if at[3]-at[2] > len(bare) {
		unit = "%"
	}
	numbers, err := values.Floats(bare, values.FloatRange{Max: 1e9})
	for _, number := range numbers {
		rest, errRest := expanded(text[:at[2]] + strconv.FormatFloat(number, 'f', -1, 64) + unit + text[at[3]:])
		if err = cmp.Or(errRest, err); err != nil {
			break
		}
		if list = append(list, rest...); len(list) > maxPoints {
			return nil, fmt.Errorf("%.60q stands for more than %d values", text, maxPoints)
		}
	}
	return list, err
}

// failureSpecs reads values of --failure, separated by bars.
func failureSpecs(text string) ([]Failures, error) {
	several, err := values.Each(text, "|", expanded)
	if err != nil {
		return nil, err
	}
	return values.Each(strings.Join(slices.Concat(several...), "|"), "|", ParseFailures)
}

// ParseFailures reads one value of --failure, in any case of letters.
func ParseFailures(text string) (Failures, error) {
	if strings.EqualFold(strings.TrimSpace(text), NoFailure) {
		return nil, nil
	}
	list, err := topology.ParseFailures(strings.ToLower(text))
	if err != nil {
		_, err = topology.ParseFailures(text) // the error has the text as it is
	}
	if fault, is := errors.AsType[*mc.FieldError](err); is {
		err = fmt.Errorf("%.60q %s; fattree --help-all has the grammar", fault.Value, fault.Problem)
	}
	return list, err
}
