package console

import (
	"fmt"
	"io"
	"time"
	"unicode/utf8"
)

// Progress redraws one line on a terminal and prints warnings in between. Without a terminal it draws
// nothing.
type Progress struct {
	w      io.Writer
	silent bool // no line is drawn
	start  time.Time
	drawn  time.Time
	width  int
	warned map[string]bool
}

// redrawEvery is the time between two drawings of a progress line.
const redrawEvery = 100 * time.Millisecond

// NewProgress returns a progress line on w. It is silent if quiet is set or w is not a terminal.
func NewProgress(w io.Writer, quiet bool) *Progress {
	_, isTerminal := TerminalWidth(w)
	return &Progress{w: w, silent: quiet || !isTerminal, start: time.Now(), warned: map[string]bool{}}
}

// Draw shows a text and the progress of the work, 0 <= done <= total.
func (p *Progress) Draw(text string, done, total float64) {
	if total <= 0 {
		return
	}
	elapsed := time.Since(p.start)
	line := fmt.Sprintf("%s  %3.0f %%  %s", text, 100*done/total, elapsed.Round(time.Second))
	if left := time.Duration(float64(elapsed) * (total/max(done, 1e-9) - 1)); done > 0 && elapsed > time.Second {
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	p.DrawText(line)
}

// DrawText shows a text, unless another was drawn just before. It leaves out the middle of a text that is
// wider than the terminal.
func (p *Progress) DrawText(line string) {
	if p.silent || time.Since(p.drawn) < redrawEvery {
		return
	}
	p.drawn = time.Now()
	width, _ := TerminalWidth(p.w)
	line = shortenMiddle(line, width-1) // on some terminals a character in the last column begins a new line
	fmt.Fprintf(p.w, "\r%-*s", min(p.width, width-1), line)
	p.width = utf8.RuneCountInString(line)
}

// shortenMiddle returns a text of at most the given number of characters, which must be at least 1: in a
// longer text dots replace the middle.
func shortenMiddle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	end := len(runes) - most/2
	return string(runes[:max(0, most-1-most/2)]) + "…" + string(runes[end:])
}

// Clear removes the line.
func (p *Progress) Clear() {
	if p.width > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.width = 0
	}
}

// Warn prints a warning unless it was printed before.
func (p *Progress) Warn(text string) {
	if !p.warned[text] {
		p.warned[text] = true
		p.Clear()
		fmt.Fprintf(p.w, "repslab: warning: %s\n", OneLine(text))
	}
}

// WarnTo returns a function that prints each warning once.
func WarnTo(stderr io.Writer) func(string) { return NewProgress(stderr, true).Warn }
