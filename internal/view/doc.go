// Package view writes tables of package frame: [NewWriter] encodes them as aligned text, CSV, JSON lines, Markdown or
// LaTeX. A value that does not exist is printed as an empty field, as null or as "-". Equal input gives equal bytes.
package view
