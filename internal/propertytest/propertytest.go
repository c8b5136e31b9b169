// Package propertytest checks properties by pgregory.net/rapid, on the same cases in every run; REPSLAB_RESEED=N in
// the environment gives others. It is test code: only tests import it.
package propertytest

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// Cases is the number of cases of each property, unless SetCases sets another.
const Cases = 200

func init() {
	SetCases(Cases)
	set("seed", cmp.Or(os.Getenv("REPSLAB_RESEED"), "2"))
	set("nofailfile", "true")
}

// SetCases sets the number of cases of each property. Not while properties are checked.
func SetCases(number int) { set("checks", strconv.Itoa(number)) }

// set sets a flag of rapid, before the flags of the command line.
func set(name, value string) {
	if err := flag.Set("rapid."+name, value); err != nil {
		panic(fmt.Sprintf("propertytest: %s (%q): %v", name, value, err))
	}
}

// Check fails the test unless the property holds in all cases.
func Check(t *testing.T, property func(t *rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}
