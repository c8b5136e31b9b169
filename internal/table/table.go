package table

// Column describes one column of a table.
type Column struct {
	// Key is printed exactly, and is the member name in JSON. It includes the unit, as in "fct_p99_us".
	// Keys of one table are distinct and not empty.
	Key string
	// Numeric columns are aligned to the right, others to the left. Their cells need not be numbers.
	Numeric bool
}

// Format names an encoding of tables.
type Format string

// The encodings of tables.
const (
	Aligned  Format = "table"    // aligned text for terminals
	CSV      Format = "csv"      // header line, then comma-separated values
	JSON     Format = "json"     // one object per row and line
	Markdown Format = "markdown" // a GitHub-flavoured table
	LaTeX    Format = "latex"    // a tabular environment; needs the package booktabs
)

// Formats returns all table formats, in their documented order.
func Formats() []Format {
	return []Format{Aligned, CSV, JSON, Markdown, LaTeX}
}
