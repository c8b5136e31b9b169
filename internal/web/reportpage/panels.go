package reportpage

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// box is a rectangle of a plot in points, y downwards.
type box struct{ left, top, right, bottom float64 }

// Parts of the SVG that package plot writes, in points from the lower left corner: its size, frames of
// panels, upright labels of vertical axes, texts with their lengths, and texts of the size of titles.
var (
	sizeOf  = regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`)
	frameOf = regexp.MustCompile(`<path d="M([\d.]+),([\d.]+)L([\d.]+),[\d.]+L[\d.]+,([\d.]+)L[\d.]+,[\d.]+Z" ` +
		`fill="none" stroke="#000000" stroke-width="0.5" />`)
	labelOf = regexp.MustCompile(`<g transform="translate\(([\d.]+), ([\d.]+)\)">\s*<g transform="rotate\(90\)">`)
	textOf  = regexp.MustCompile(`<text x="([\d.]+)" y="-([\d.]+)"[^>]* textLength="([\d.]+)"`)
	titleOf = regexp.MustCompile(`<text x="[\d.-]+" y="-([\d.]+)" transform="scale\(1, -1\)" font-size="8"`)
)

// Room that texts take in a plot, in points.
const (
	titleRoom = 9  // above the baseline of a title
	labelRoom = 10 // left of the baseline of an upright label
	blankRoom = 4  // left of a frame without label and numbers
	entryRoom = 22 // left of a legend's text
	narrowest = 240.0
)

// numbers returns the numbers that an expression finds in an SVG, a slice for each place.
func numbers(found *regexp.Regexp, svg []byte) (list [][]float64) {
	for _, match := range found.FindAllSubmatch(svg, -1) {
		var row []float64
		for _, digits := range match[1:] {
			x, _ := strconv.ParseFloat(string(digits), 64) // only digits and a point
			row = append(row, x)
		}
		list = append(list, row)
	}
	return list
}

// panelsOf returns the place of the legend that a plot's panels share, and then the places of the panels in reading
// order, for narrow screens: rectangles "left top width height" after the size "width height". It returns nothing
// for a plot without panels side by side.
func panelsOf(svg []byte) string {
	size := numbers(sizeOf, svg)
	if size == nil {
		return ""
	}
	width, height := size[0][0], size[0][1]
	rows := map[float64][]box{} // frames by their upper edge
	for _, f := range numbers(frameOf, svg) {
		b := box{f[0], height - f[3], f[2], height - f[1]}
		rows[b.top] = append(rows[b.top], b)
	}
	var tops []float64
	columns := 0
	for top, row := range rows {
		tops, columns = append(tops, top), max(columns, len(row))
	}
	if columns < 2 {
		return ""
	}
	slices.Sort(tops)
	titles, labels := numbers(titleOf, svg), numbers(labelOf, svg)
	edges := make([]float64, len(tops)) // upper edges of the rows
	for i, top := range tops {
		edges[i] = top - blankRoom
		lowest := 0.0
		for _, t := range titles {
			if at := height - t[0]; at < top && at > lowest {
				lowest, edges[i] = at, max(0, at-titleRoom)
			}
		}
	}
	text := []string{fmt.Sprintf("%g %g", width, height)}
	view := func(b box) {
		text = append(text, fmt.Sprintf("%.4g %.4g %.4g %.4g", b.left, b.top, b.right-b.left, b.bottom-b.top))
	}
	if edges[0] > blankRoom {
		shared := box{width/2 - narrowest/2, 0, width/2 + narrowest/2, edges[0]}
		for _, t := range numbers(textOf, svg) {
			if height-t[1] < edges[0] {
				shared.left, shared.right = min(shared.left, t[0]-entryRoom), max(shared.right, t[0]+t[2]+blankRoom)
			}
		}
		view(shared)
	}
	for i, top := range tops {
		end := height
		if i+1 < len(tops) {
			end = edges[i+1]
		}
		row := rows[top]
		slices.SortFunc(row, func(a, b box) int { return int(a.left - b.left) })
		left := 0.0
		for k, b := range row {
			right := width
			if k+1 < len(row) {
				right = row[k+1].left - blankRoom
				for _, l := range labels {
					if at := height - l[1]; l[0] > b.right && l[0] < row[k+1].left && at > edges[i] && at < end {
						right = l[0] - labelRoom
					}
				}
			}
			view(box{left, edges[i], right, end})
			left = right
		}
	}
	return strings.Join(text, ";")
}
