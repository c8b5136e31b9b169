package cases

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repslab/fattree/topology"
	"repslab/faults"
	"repslab/internal/param"
	"repslab/internal/values"
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

// beforePlace matches the part of a canonical term of --failure that precedes the place.
var beforePlace = regexp.MustCompile(`(cables|switches|degrade)=[^,;|]*(,dir=[a-z]+)?(,layer=core)?`)

// olderFailures returns the value of --failure in today's canonical form. text is from a file of earlier streams:
// below streams 6, places were aligned by default.
func olderFailures(streams int, key, text string) string {
	if key != "failure" || streams >= 6 {
		return text
	}
	text = beforePlace.ReplaceAllString(text, "$0,place=aligned")
	return strings.NewReplacer(",place=aligned,place=first", ",place=first", ",place=aligned,place=random", "").Replace(text)
}

// failureRange matches a range in a value of --failure: a range of numbers, percentages or times. The rate after a
// colon is below 1, so it is not taken for a step. Ranges of links, flows and paths are names and do not match.
var failureRange = regexp.MustCompile(`(?:[^kKhH][sS]|[^sSwW])=([^=,;:]*\.\.[^=,;:]*(?::[^0.=,;:][^=,;:]*)?)`)

// expanded returns the values that a value of --failure with ranges stands for; the first range varies slowest.
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
		// Every number has as many values as the first.
		if list = append(list, rest...); int64(len(numbers))*int64(len(rest)) > param.MaxPoints {
			return nil, fmt.Errorf("%.60q stands for more than %d values", text, param.MaxPoints)
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

// ParseFailures reads one value of --failure; case does not matter.
func ParseFailures(text string) (Failures, error) {
	if strings.EqualFold(strings.TrimSpace(text), NoFailure) {
		return nil, nil
	}
	list, err := topology.ParseFailures(strings.ToLower(text))
	if err != nil {
		_, err = topology.ParseFailures(text) // for an error that shows the text as it was given
	}
	if fault, is := errors.AsType[*faults.FieldError](err); is {
		err = fmt.Errorf("%.60q %s; fattree --help-all has the grammar", fault.Value, fault.Problem)
	}
	return list, err
}
