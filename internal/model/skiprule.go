package model

import (
	"fmt"
	"strconv"
	"strings"

	"repslab/internal/values"
	"repslab/mrc"
)

// skipRule says how long a mark keeps an EV of mrc out of the rotation.
type skipRule struct {
	text string // rotation, one-per-packet or time=US
	rule mrc.SkipRule
	us   int // for time=US
}

// String returns the value of --mrc-skip.
func (r skipRule) String() string { return r.text }

// skipRules reads a list of values of --mrc-skip.
func skipRules(text string) ([]skipRule, error) {
	return values.Each(strings.ToLower(text), ",", readSkipRule)
}

// readSkipRule reads a value of --mrc-skip.
func readSkipRule(word string) (r skipRule, err error) {
	r.text = word
	time, held := strings.CutPrefix(word, "time=")
	switch {
	case held:
		r.rule = mrc.SkipHeld
		if r.us, err = strconv.Atoi(time); err != nil || r.us < 1 || r.us > 1_000_000 {
			return r, fmt.Errorf("%q must be time=US with US in [1, 1000000]", word)
		}
		r.text = fmt.Sprintf("time=%d", r.us)
	case word == "one-per-packet":
		r.rule = mrc.SkipOnePerPacket
	case word != "rotation":
		return r, fmt.Errorf("%q must be rotation, one-per-packet or time=US", word)
	}
	return r, nil
}
