package sweep

import (
	"errors"
	"testing"
)

// TestCheckLength: the longest line that is read again is written, and no longer one.
func TestCheckLength(t *testing.T) {
	line := make([]byte, maxLine+1)
	if err := checkLength(line[:maxLine]); err != nil {
		t.Error(err)
	}
	if err := checkLength(line); !errors.Is(err, errLong) {
		t.Errorf("error %v", err)
	}
}
