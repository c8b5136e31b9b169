package crosscheck

import (
	"fmt"
	"os"
	"testing"

	"repslab/internal/mctest"
)

// TestMain runs the tests in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// needsLong skips a test that runs the compiler or other programs for long, unless REPSLAB_LONG is set.
func needsLong(t *testing.T) {
	t.Helper()
	if !mctest.Long() {
		t.Skip("needs REPSLAB_LONG=1")
	}
}
