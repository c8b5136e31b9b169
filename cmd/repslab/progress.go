package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/mattn/go-isatty"
)

// progressLine draws one line on a terminal again and again; where there is no
// terminal it draws nothing.
type progressLine struct {
	w     io.Writer // nil where nothing is drawn
	start time.Time
	drawn time.Time
	width int
}

// redrawEvery is the time between two drawings of a progress line.
const redrawEvery = 100 * time.Millisecond

// newProgressLine returns a line on w, silent if quiet or if w is no terminal.
func newProgressLine(w io.Writer, quiet bool) *progressLine {
	p := &progressLine{start: time.Now()}
	if f, ok := w.(*os.File); ok && !quiet && isatty.IsTerminal(f.Fd()) {
		p.w = w
	}
	return p
}

// draw shows a text and how far the work is, 0 <= done <= total.
func (p *progressLine) draw(text string, done, total float64) {
	if p.w == nil || total <= 0 {
		return
	}
	elapsed := time.Since(p.start)
	line := fmt.Sprintf("%s  %3.0f %%  %s", text, 100*done/total, elapsed.Round(time.Second))
	if left := time.Duration(float64(elapsed) * (total/max(done, 1e-9) - 1)); done > 0 && elapsed > time.Second {
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	p.drawText(line)
}

// drawText shows a text, unless one was drawn just before.
func (p *progressLine) drawText(line string) {
	if p.w == nil || time.Since(p.drawn) < redrawEvery {
		return
	}
	p.drawn = time.Now()
	fmt.Fprintf(p.w, "\r%-*s", p.width, line)
	p.width = len(line)
}

// clear removes the line.
func (p *progressLine) clear() {
	if p.w != nil && p.width > 0 {
		fmt.Fprintf(p.w, "\r%*s\r", p.width, "")
		p.width = 0
	}
}
