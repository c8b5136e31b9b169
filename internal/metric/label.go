package metric

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// AxisLabel returns the label of a column's axis, with its unit unless the name has it: "Maximum FCT (µs)" for
// max_fct_us, "Rounds" for rounds_mean, "p99 slowdown" for slowdown_p99. The unit is in the key or, as in "Maximum
// queue (packets)" for max_queue_mean, in the table: of the model, or if it is empty one on which all groups agree.
func AxisLabel(model, key string) string {
	name, unit := QuantityOf(key)
	unit = cmp.Or(unit, tableUnit(model, key))
	if unit == "" || slices.Contains(strings.Fields(strings.ToLower(name)), strings.ToLower(unit)) {
		return name
	}
	return name + " (" + unit + ")"
}

// tableUnit returns the unit of a column by the table of metrics, see [AxisLabel].
func tableUnit(model, key string) string {
	var units []string
	for _, g := range Groups() {
		ofModel := g.File == "" && (g.Model == model || g.Model == "")
		if m, e, known := g.find(key); known && (ofModel || model == "") {
			if e.divides {
				return ""
			}
			units = append(units, m.Unit)
		}
	}
	if units = slices.Compact(units); len(units) != 1 {
		return ""
	}
	return units[0]
}

// OriginOf returns the least value of a column: 1 for slowdowns relative to the flow alone, otherwise 0.
func OriginOf(key string) float64 {
	if key == "slowdown" || key == "slowdown_p99" {
		return 1
	}
	return 0
}

// QuantityOf returns the name and the unit of a column. It reads them from the words of the key:
// abbreviations, a unit, and a statistic at the end or a percentile at the beginning.
func QuantityOf(key string) (name, unit string) {
	if name, known := keyNames[key]; known {
		return name, ""
	}
	words := strings.Split(key, "_")
	if percentileWord.MatchString(words[0]) {
		words = append(words[1:], words[0])
	}
	last := func(texts map[string]string) (text string) {
		if end := len(words) - 1; end > 0 {
			if known, ok := texts[words[end]]; ok {
				words, text = words[:end], known
			}
		}
		return text
	}
	percentile := ""
	if end := len(words) - 1; end > 0 && percentileWord.MatchString(words[end]) {
		percentile = percentileWord.ReplaceAllString(words[end], "p$1.$2 ")
		percentile = strings.NewReplacer("p0", "p", ". ", " ").Replace(percentile)
		words = words[:end]
	}
	name = last(statisticWords)
	unit = last(unitWords)
	for i, word := range words {
		if written, known := writtenWords[word]; known {
			words[i] = written
		}
	}
	name += strings.Join(words, " ")
	if percentile == "" && name != "" && 'a' <= name[0] && name[0] <= 'z' {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return percentile + name, unit
}

// percentileWord matches a percentile in a key: p50, p99, p999 (99.9 %), p025 (2.5 %).
var percentileWord = regexp.MustCompile(`^p(\d\d)(\d*)$`)

// Names of the keys that need a name of their own, and of the words of other keys.
var (
	keyNames = map[string]string{
		"exceeds": "Load L", "exceeds_probability": "P(load > L)", "exceeds_exact": "P(load > L), exact",
		"lb_of": "Load balancer of a group", "observed_packets": "Packets of each host",
	}
	statisticWords = map[string]string{"mean": "", "se": "standard error of "} // at the end
	unitWords      = map[string]string{
		"us": "µs", "ns": "ns", "s": "s", "bytes": "bytes", "gbps": "Gb/s", "pct": "%", "packets": "packets",
	}
	writtenWords = map[string]string{
		"a": "A", "ack": "ACK", "b": "B",
		"cc": "congestion control", "cdf": "CDF", "color": "colour", "colors": "colours", "cwnd": "window",
		"ecn": "ECN", "ev": "EV", "evs": "EVs", "fct": "FCT", "kmax": "Kmax", "kmin": "Kmin", "lambda": "λ",
		"lb": "load balancer", "link": "link rate", "lnn": "ln n", "max": "maximum", "message": "message size", "mtu": "MTU",
		"nlnn": "n ln n", "ops": "OPS", "reps": "REPS", "reroute": "reroute time", "rto": "RTO", "rtt": "RTT",
		"tor": "ToR", "tors": "ToRs",
	}
)
