package plot

// Plot is a grid of panels. It is a plain value: copies share its slices, which
// this package never changes.
type Plot struct {
	// Columns is the width of the plot.
	Columns ColumnWidth
	// Height is in inches in [ACM]; in [Slides] plots are 2.2 times as high. 0 chooses a height that
	// suits the grid.
	Height float64
	// Panels holds rows of panels, top row first. Rows may be shorter than the
	// longest one; missing panels stay blank.
	Panels [][]Panel
	// Title stands above everything. An empty title takes no room.
	Title string
	// SharedLegend draws one legend above the grid instead of a legend in each panel. It lists every name
	// of a series once.
	SharedLegend bool
	// SharedAxes gives all panels the automatic ranges that fit the data of all of them.
	SharedAxes bool
	// SharedX does the same for the horizontal axes only.
	SharedX bool
}

// ColumnWidth is the width of a plot. The inches depend on the [Style].
type ColumnWidth uint8

// The widths of plots.
const (
	Single ColumnWidth = iota // one text column: 3.33 in in [ACM]
	Double                    // the full text width: 7 in in [ACM]
)

// Panel is a frame with axes, series and reference lines.
type Panel struct {
	// Title stands above the frame, such as "(a) n = 5, OPS".
	Title string
	// XLabel and YLabel name the axes, with units. An empty label takes no room.
	XLabel, YLabel string
	// X and Y are the axes; their zero values are linear and automatic.
	X, Y Axis
	// Z is the colour axis of Cells. ZLabel, with units, stands beside the colour bar; without a label
	// there is no bar.
	Z      Axis
	ZLabel string
	// Series holds the data, drawn in order; at least one.
	Series []Series
	// References holds lines to compare the data with.
	References []ReferenceLine
	// Origin is the value at which bars begin, upwards or downwards: 1 for ratios. A logarithmic axis has
	// no natural beginning, so there 0 turns bars into points with error bars.
	Origin float64
	// Legend places the legend, which lists the series with names. Without named series there is no
	// legend.
	Legend LegendPlace
	// Wide extends the last panel of a short row over the places of the missing panels.
	Wide bool
}

// LegendPlace is the place of a panel's legend.
type LegendPlace uint8

// The places of legends.
const (
	// Auto is a corner in which the legend covers no data, or Above if there is none.
	Auto        LegendPlace = iota
	TopLeft                 // this corner if the legend covers no data there, otherwise Auto
	TopRight                // as TopLeft
	BottomRight             // as TopLeft
	BottomLeft              // as TopLeft
	Above                   // between title and frame
	None                    // no legend
)

// legendPlaces holds the names of the places.
var legendPlaces = [...]string{Auto: "auto", TopLeft: "top-left", TopRight: "top-right", BottomRight: "bottom-right",
	BottomLeft: "bottom-left", Above: "above", None: "none"}

// LegendPlaces returns all places, in their documented order.
func LegendPlaces() (all []LegendPlace) {
	for i := range legendPlaces {
		all = append(all, LegendPlace(i))
	}
	return all
}

// String returns the name of the place, such as "bottom-right".
func (p LegendPlace) String() string { return legendPlaces[p] }

// Axis is the scale, range and ticks of one axis.
type Axis struct {
	// Scale is linear or logarithmic.
	Scale Scale
	// Min and Max fix the ends of the axis; nil is automatic. Data outside is
	// clipped at the frame. On a logarithmic axis they are positive.
	Min, Max *float64
	// Origin is the least number of a linear axis: 0, or 1 for ratios such as slowdowns. A range that
	// comes near Origin, but not near 0, starts at Origin. An axis that starts at Origin has no break.
	Origin float64
	// Ticks fixes the tick positions; nil is automatic. Ticks outside the range
	// are not drawn.
	Ticks []float64
	// Few holds the values of the data if they are few: the automatic ticks are these if their labels keep their distance.
	Few []float64
	// TickLabels replaces the numbers at Ticks, for example by categories. It is as long as Ticks, or
	// nil. Labels of a horizontal axis that would touch are set obliquely or upright.
	TickLabels []string
}

// Scale maps data to distance along an axis.
type Scale uint8

// The scales. Data on a logarithmic axis must not be negative. 0 has a place and a tick of its own below
// the positive numbers, separated from them by a break.
const (
	Linear Scale = iota
	Log2
	Log10
)

// Series is a line, a cloud of points or a set of bars.
type Series struct {
	// Name stands in the legend. Series of one plot with the same name have the
	// same style.
	Name string
	// X and Y are the points; equal lengths, at least one. A NaN or an infinity is a missing point and
	// breaks the line. For Bars, +Inf marks the place of an unfinished bar, unless it has a bound.
	X, Y []float64
	// Lo and Hi are the ends of an interval or of a band of quantiles around every Y, both nil or both as
	// long as Y. Line, LinePoints and Steps show them as a band, other marks as error bars. On a
	// logarithmic axis an end that is not positive reaches the lower end of the axis. If an end is NaN or
	// infinite, no interval is drawn. If Y is NaN or infinite and one of Lo and Hi is finite, the value
	// is only bounded: an arrow from the bound, which the legend explains, points to the possible values.
	Lo, Hi []float64
	// Z holds the values of Cells, one for each point; other marks have none. NaN is a blank cell.
	Z []float64
	// Mark selects how points are drawn.
	Mark Mark
	// Color selects colour, dashes and glyph together. [AutoColor] is the colour of the load balancer
	// with the name of the series or, if there is none, the next free colour.
	Color Color
	// Dash is the line's pattern. Lines of more than 300 points that go up and down are thinner.
	Dash Dash
}

// Color is the look of a series: ink, dashes and a glyph.
type Color int64

// The colours of load balancers ([BalancerColor]) and, from Indigo on, of all other series.
const (
	AutoColor Color = iota // the next free colour from Indigo on
	Blue
	Vermilion
	Green
	Purple
	Orange
	SkyBlue
	Brown
	Yellow
	Indigo
	Teal
	Wine
	Magenta
	Rose
	Sand
	Olive
	Black
)

// NthColor returns the k-th colour, from 0, for series that are not load balancers. From the ninth on the
// same colours return, darker, lighter or as they are, with other dashes and glyphs and with pale bars. The first 96
// differ.
func NthColor(k int) Color {
	n := len(looks)
	return Indigo + Color(k%n+k/n*len(inks))
}

// Hollow returns a shade of the colour with pale bars, other dashes and another glyph.
func (c Color) Hollow() Color { return c + Color(len(inks)) }

// LeastRuns is the least number of runs for which an interval is drawn: the width of an interval of two
// runs is mere chance.
const LeastRuns = 3

// Mark selects how a series is drawn.
type Mark uint8

// The marks.
const (
	Line       Mark = iota // a line through the points
	Points                 // a glyph at every point
	LinePoints             // a line with a glyph at every point, or at about 32 of them
	Steps                  // a staircase: a value holds until the next X
	Bars                   // a bar from the panel's Origin, or a glyph if it is too short, beside those of other series
	ErrorBars              // a line, a glyph at every point, and Lo to Hi as an error bar
	Cells                  // a square of side 1 around every point, on linear axes, coloured by Z
)

// Dash is a line pattern.
type Dash uint8

// The line patterns.
const (
	AutoDash    Dash = iota // solid with more than 300 points that go up and down, otherwise the colour's own
	Solid                   // no gaps
	Dashed                  // medium dashes
	Dotted                  // dots
	DashDot                 // a dash and a dot
	LongDash                // long dashes
	DashDotDot              // a dash and two dots
	ShortDash               // short dashes
	LongDashDot             // a long dash and a dot
)

// ReferenceLine is a straight line across a panel. An automatic range includes
// it; outside a fixed range it is not drawn.
type ReferenceLine struct {
	// Vertical puts the line at x = At instead of y = At.
	Vertical bool
	// At is the position, in the units of its axis.
	At float64
	// Label stands next to the line; it may be empty.
	Label string
	// InLegend puts the label into the legend, for lines with little room for a label.
	InLegend bool
	// Dash is the line's pattern; AutoDash is a fine pattern.
	Dash Dash
}
