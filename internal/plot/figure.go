package plot

// Figure is a grid of panels. It is a plain value: copying it copies the
// description, the slices are shared and never changed by this package.
type Plot struct {
	// Columns is the width the figure fills.
	Columns ColumnWidth
	// Height is in inches in [ACM]; another style scales the frames as it does
	// widths, and is as high as its type needs. 0 is a height that suits the grid.
	Height float64
	// Panels holds rows of panels, top row first. Rows may be shorter than the
	// longest one; the missing panels stay blank.
	Panels [][]Panel
	// SharedLegend draws one legend above the grid, with every series name once,
	// and none in the panels.
	SharedLegend bool
}

// ColumnWidth is the width of a figure. The inches depend on the [Style].
type ColumnWidth uint8

// The widths of figures.
const (
	Single ColumnWidth = iota // one text column: 3.33 in in [ACM]
	Double                    // the full text width: 7 in in [ACM]
)

// Panel is one plot: axes, series and reference lines.
type Panel struct {
	// Title stands above the frame, as "(a) n = 5, OPS".
	Title string
	// XLabel and YLabel name the axes, with units. Empty takes no room.
	XLabel, YLabel string
	// X and Y are the axes; the zero values are linear and automatic.
	X, Y Axis
	// Series holds the data, drawn in order; at least one.
	Series []Series
	// Rules holds reference lines.
	Rules []ReferenceLine
	// Legend places the legend. Series without a name are not in it, and a
	// panel whose series have no names has none.
	Legend LegendPlace
	// Wide lets the last panel of a row that is shorter than others take the
	// place of the missing ones.
	Wide bool
}

// LegendPlace is where a panel's legend stands.
type LegendPlace uint8

// The places of legends.
const (
	// Auto is a corner that covers no data; if there is none, it is Above.
	Auto        LegendPlace = iota
	TopLeft                 // inside the frame if it covers no data there, else as Auto
	TopRight                // so too
	BottomRight             // so too
	BottomLeft              // so too
	Above                   // between title and frame
	None                    // no legend
)

// Axis is the scale, range and ticks of one axis.
type Axis struct {
	// Scale is linear or logarithmic.
	Scale Scale
	// Min and Max fix the ends of the axis, as in new(0.0); nil is automatic.
	// Data outside is cut off at the frame. On a logarithmic axis they are
	// positive.
	Min, Max *float64
	// Ticks fixes the tick positions; nil is automatic. Ticks outside the range
	// are not drawn.
	Ticks []float64
	// TickLabels replaces the numbers at Ticks, as for categories; it has the
	// length of Ticks, or is nil. Labels of a horizontal axis that would touch
	// are set obliquely.
	TickLabels []string
}

// Scale maps data to distance along an axis.
type Scale uint8

// The scales. Data on a logarithmic axis must be positive.
const (
	Linear Scale = iota
	Log2
	Log10
)

// Series is one line, cloud or group of bars.
type Series struct {
	// Name stands in the legend. Series of one figure with the same name look
	// the same.
	Name string
	// X and Y are the points; equal lengths, at least one. A NaN or an infinity
	// is a missing point and breaks the line.
	X, Y []float64
	// Lo and Hi are an interval around every Y, both nil or both as long as Y.
	// Marks that have a line show a band, the others error bars. A bound that is
	// not positive reaches the lower end of a logarithmic axis; a bound that is
	// NaN or infinite draws no interval there.
	Lo, Hi []float64
	// Mark is how points are drawn.
	Mark Mark
	// Color is 0 for the next free look, or k = 1, 2, ... for the k-th: colour,
	// dashes and glyph together. There are eight colours.
	Color int
	// Dash is the line's pattern. Lines of more than 300 points are thinner.
	Dash Dash
}

// Mark is how a series is drawn.
type Mark uint8

// The marks.
const (
	Line       Mark = iota // a line through the points
	Points                 // a glyph at every point
	LinePoints             // a line, and a glyph at every point, or at some 32 of them
	Steps                  // a staircase: a value holds until the next X
	Bars                   // a bar from zero (or the end of a log axis), side by side with other Bars
	ErrorBars              // a line, a glyph at every point, and Lo to Hi as an error bar
)

// Dash is a line pattern.
type Dash uint8

// The line patterns.
const (
	AutoDash    Dash = iota // solid with glyphs or with more than 300 points, else by the look
	Solid                   // no gaps
	Dashed                  // medium dashes
	Dotted                  // dots
	DashDot                 // a dash and a dot
	LongDash                // long dashes
	DashDotDot              // a dash and two dots
	ShortDash               // short dashes
	LongDashDot             // a long dash and a dot
)

// Rule is a straight reference line across a panel. An automatic range
// includes it; outside a fixed range it is not drawn.
type ReferenceLine struct {
	// Vertical is a line at x = At; otherwise the line is at y = At.
	Vertical bool
	// At is the position, in the units of its axis.
	At float64
	// Label stands next to the line; it may be empty.
	Label string
}
