package plot

// Plot is a grid of panels. It is a plain value: copies share its slices, which
// this package never changes.
type Plot struct {
	// Columns is the width of the plot.
	Columns ColumnWidth
	// Height is in inches in [ACM]; in [Slides] it is 2.2 times as much. 0 chooses a
	// height that suits the grid.
	Height float64
	// Panels holds rows of panels, top row first. Rows may be shorter than the
	// longest one; missing panels stay blank.
	Panels [][]Panel
	// Title stands above everything; empty takes no room.
	Title string
	// SharedLegend draws one legend above the grid, with every name of a series
	// once, and none in the panels.
	SharedLegend bool
	// SharedAxes gives all panels the automatic ranges that fit the data of all of them.
	SharedAxes bool
	// SharedX does the same for the horizontal axes alone.
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
	// XLabel and YLabel name the axes, with units. Empty takes no room.
	XLabel, YLabel string
	// X and Y are the axes; their zero values are linear and automatic.
	X, Y Axis
	// Z is the axis of the colours of Cells. ZLabel, with units, stands beside the bar that
	// shows the colours; without it there is no bar.
	Z      Axis
	ZLabel string
	// Series holds the data, drawn in order; at least one.
	Series []Series
	// References holds lines to compare the data with.
	References []ReferenceLine
	// Origin is where bars begin, upwards or downwards: 1 for ratios. On a logarithmic axis, which has no
	// natural beginning, 0 turns bars into points with error bars.
	Origin float64
	// Legend places the legend, which lists the series that have names; without
	// any there is no legend.
	Legend LegendPlace
	// Wide extends the last panel of a short row over the missing ones.
	Wide bool
}

// LegendPlace is the place of a panel's legend.
type LegendPlace uint8

// The places of legends.
const (
	// Auto is a corner where the legend covers no data, else Above.
	Auto        LegendPlace = iota
	TopLeft                 // this corner if the legend covers no data there, else as Auto
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
	// Origin is where the numbers of a linear axis begin: 0, or 1 for ratios such as slowdowns. A range that comes
	// near it, but not near 0, starts there, and an axis that starts there has no break.
	Origin float64
	// Ticks fixes the tick positions; nil is automatic. Ticks outside the range
	// are not drawn.
	Ticks []float64
	// TickLabels replaces the numbers at Ticks, for example by categories; it has
	// the length of Ticks, or is nil. Labels of a horizontal axis that would touch
	// are set obliquely or upright.
	TickLabels []string
}

// Scale maps data to distance along an axis.
type Scale uint8

// The scales. Data on a logarithmic axis must not be negative; 0 has a place and a tick of its own below the
// positive numbers, from which a break parts it.
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
	// X and Y are the points; equal lengths, at least one. A NaN or an infinity
	// is a missing point and breaks the line. Of Bars, +Inf marks the place of one that did not finish,
	// unless it has a bound.
	X, Y []float64
	// Lo and Hi are the ends of an interval or of a band of quantiles around every Y,
	// both nil or both as long as Y. Line, LinePoints and Steps show them as a band, other marks as
	// error bars. On a logarithmic axis a bound that is not positive reaches the
	// lower end; where a bound is NaN or infinite no interval is drawn. Where Y is NaN or infinite and
	// one of Lo and Hi is finite, the value is only bounded: an arrow from the bound, which the legend
	// explains, points to where the value may lie.
	Lo, Hi []float64
	// Z holds the values of Cells, as many as points; other marks have none. NaN is a blank cell.
	Z []float64
	// Mark selects how points are drawn.
	Mark Mark
	// Color selects colour, dashes and glyph together; [AutoColor] is the colour of the load
	// balancer with the series' name, or else the next free one.
	Color Color
	// Dash is the line's pattern. Lines of more than 300 points that go up and down are thinner.
	Dash Dash
}

// Color is the look of a series: ink, dashes and a glyph.
type Color int64

// The colours of load balancers ([BalancerColor]) and, from Indigo on, of all other series.
const (
	AutoColor Color = iota // the next free one from Indigo on
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

// NthColor returns the k-th colour of what is not a load balancer, from 0 on. From the ninth on colours
// come back darker, or lighter, with other dashes and glyphs, and bars are pale.
func NthColor(k int) Color {
	n := len(looks)
	return Indigo + Color(k%n+k/n*len(inks))
}

// Hollow returns a shade of the colour with pale bars, other dashes and another glyph.
func (c Color) Hollow() Color { return c + Color(len(inks)) }

// LeastRuns is the number of runs that a drawn interval needs: one of two is as wide as chance.
const LeastRuns = 3

// Mark selects how a series is drawn.
type Mark uint8

// The marks.
const (
	Line       Mark = iota // a line through the points
	Points                 // a glyph at every point
	LinePoints             // a line with a glyph at every point, or at about 32 of them
	Steps                  // a staircase: a value holds until the next X
	Bars                   // a bar from the panel's Origin, beside the bars of other series
	ErrorBars              // a line, a glyph at every point, and Lo to Hi as an error bar
	Cells                  // a square of side 1 around every point, on linear axes, coloured by Z
)

// Dash is a line pattern.
type Dash uint8

// The line patterns.
const (
	AutoDash    Dash = iota // solid with more than 300 points that go up and down, else the colour's own
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
	// InLegend puts the label into the legend, for lines with little room beside them.
	InLegend bool
	// Dash is the line's pattern; AutoDash is a fine one.
	Dash Dash
}
