package console

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestProgressFits: a progress line keeps its beginning and its end.
func TestProgressFits(t *testing.T) {
	const text = "point 3 of 14 (λ=0.99 bins=65536)   17 %  3m20s, 16m left"
	for width := 1; width < 70; width++ {
		got := shortenMiddle(text, width)
		n := utf8.RuneCountInString(got)
		if n != min(width, utf8.RuneCountInString(text)) {
			t.Errorf("width %d: %q has %d characters", width, got, n)
		}
		if width >= 20 && (!strings.HasPrefix(got, "point 3 o") || !strings.HasSuffix(got, ", 16m left")) {
			t.Errorf("width %d: %q", width, got)
		}
	}
	if _, ok := TerminalWidth(&strings.Builder{}); ok {
		t.Error("a text is no terminal")
	}
}
