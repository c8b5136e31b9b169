package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
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

// TestRedrawn: a line that was drawn less than redrawEvery ago is not drawn again, and without a terminal none is.
func TestRedrawn(t *testing.T) {
	var screen bytes.Buffer
	line := NewProgress(&screen, false)
	if line.Draw("none", 1, 2); screen.Len() > 0 {
		t.Errorf("%q is not on a terminal", screen.String())
	}
	line.silent = false
	line.Draw("first", 0, 2)
	line.drawn = time.Now().Add(time.Hour)
	line.Draw("too soon", 1, 2)
	line.drawn = time.Now().Add(-redrawEvery)
	line.Draw("second", 1, 2)
	if text := screen.String(); strings.Count(text, "\r") != 2 { // without a width the text itself is cut
		t.Errorf("%q", text)
	}
}
