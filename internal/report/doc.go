// Package report turns typed results into tables and plots.
//
// A table is a list of [Column]s and a stream of rows; [NewWriter] encodes it
// as an aligned text table, CSV, JSON lines, Markdown or LaTeX. A plot is a
// [Figure] value, a grid of panels with series; [Figure.Render] encodes it as
// PDF, SVG, PNG or PGF in a [Style].
//
// # Conventions
//
// A value that does not exist is null: nil, NaN or an infinity in a table, NaN
// or an infinity in a series. It is printed as an empty field, as null or as
// "-", and it breaks a line. Units stand in column keys and axis labels; the
// package never converts. Equal input gives equal bytes.
//
// Text in figures may contain raised and lowered parts, ^{..} and _{..} (one
// level), Greek letters and common mathematical signs. A '-' that begins a
// number is drawn as a minus sign.
//
// # What is left out
//
// No statistics: means, intervals and quantiles arrive computed. No colour
// maps, no polar or three-dimensional axes.
package report
