// Package plot draws plots for papers.
//
// A plot is a [Plot] value, a grid of panels with series; [Plot.Render] encodes it as PDF, SVG or PNG in
// a [Style]. A value that does not exist is NaN or an infinity and breaks a line. Units belong in axis
// labels; the package never converts. Equal input gives equal bytes.
//
// Text may contain raised parts, ^{..} (one level), Greek letters and common mathematical signs. A '-'
// before a number or in a difference is drawn as a minus sign, and the word "us" as µs.
package plot
