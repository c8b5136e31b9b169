package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	textfile "repslab/internal/lines"
	"repslab/internal/lists"
	"repslab/internal/plot"
	"repslab/internal/table"
	"repslab/internal/values"
)

// plotFlags are the flags of plot.
type plotFlags struct {
	kind                           plotKind
	x, y, value, by, facet, output string
	ratioTo, xLabel, yLabel, title string
	legend, colors                 string
	legendPlace                    plot.LegendPlace
	where                          []string // KEY=VALUE
	style                          plot.Style
	width, height, fontSize        float64     // 0 for those of the style
	ends                           [4]*float64 // as endFlags names them; nil where not given
	logX, logY, logValue           bool
	force                          bool
}

// endFlags are the flags of the ends of the axes.
var endFlags = [4]string{"x-min", "x-max", "y-min", "y-max"}

// plotKind is a kind of plot.
type plotKind string

// The kinds of plots.
const (
	linePlot plotKind = "line"
	barPlot  plotKind = "bar"
	cdfPlot  plotKind = "cdf"
	heatPlot plotKind = "heat"
)

// kindFlags names the flags that each kind of plot needs and those that mean nothing to it.
var kindFlags = map[plotKind]struct{ needs, refuses []string }{
	linePlot: {[]string{"x", "y"}, []string{"value", "log-value"}},
	barPlot:  {[]string{"x", "y"}, []string{"value", "log-value", "log-x", "x-min", "x-max"}},
	cdfPlot:  {[]string{"x"}, []string{"y", "value", "log-value", "ratio-to", "y-min", "y-max"}},
	heatPlot: {[]string{"x", "y", "value"}, []string{"by", "ratio-to", "log-x", "log-y", "x-min", "x-max", "y-min", "y-max", "colors",
		"legend-position"}},
}

// newPlot returns the command that plots result files.
func newPlot(available []model) *cobra.Command {
	cmd := newCommand("plot")
	cmd.Args = cobra.ArbitraryArgs
	var f plotFlags
	f.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := f.check(cmd.Flags(), args)
		if err != nil {
			return err
		}
		tables, err := f.read(cmd.Context(), available, args, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		var d *drawing
		data, err := promptly(cmd.Context(), func() ([]byte, error) {
			if d, err = newDrawing(&f, tables); err != nil {
				return nil, err
			}
			return d.figure.Render(f.style.Sized(f.width, f.height, f.fontSize), format)
		})
		if err != nil { // also a page too small for its texts, or a text that the font cannot show
			return ofInput(err)
		}
		for _, w := range d.warnings() {
			warnTo(cmd.ErrOrStderr())(w)
		}
		return writeOutput(nil, f.output, f.force, data)
	}
	return cmd
}

// add adds the flags.
func (f *plotFlags) add(flags *pflag.FlagSet) {
	addName(flags, &f.kind, "kind", string(linePlot),
		"line, bar, cdf (of the column --x) or heat (--value over --x and --y)",
		[]plotKind{linePlot, barPlot, cdfPlot, heatPlot})
	// The shell completes a flag of one letter only if that is its short form too.
	flags.StringVarP(&f.x, "x", "x", "", "`KEY` of the horizontal axis")
	flags.StringVarP(&f.y, "y", "y", "", "`KEY` of the vertical axis")
	flags.StringVar(&f.value, "value", "", "`KEY` of the colours of a heat map")
	flags.StringVar(&f.by, "by", "", "`KEY` whose values are the lines")
	flags.StringVar(&f.facet, "facet", "", fmt.Sprintf("`KEY` whose values, at most %d, are the panels", mostFacets))
	flags.StringVar(&f.ratioTo, "ratio-to", "", "divide each line by the one of this `VALUE` of --by")
	flags.BoolVar(&f.logX, "log-x", false, "logarithmic horizontal axis")
	flags.BoolVar(&f.logY, "log-y", false, "logarithmic vertical axis; of a cdf, the share above")
	flags.BoolVar(&f.logValue, "log-value", false, "logarithmic colours")
	flags.StringVar(&f.xLabel, "x-label", "", "`TEXT` of the horizontal axis")
	byDefault(flags, "x-label", "from the key")
	flags.StringVar(&f.yLabel, "y-label", "", "`TEXT` of the vertical axis")
	byDefault(flags, "y-label", "from the key")
	flags.StringVar(&f.title, "title", "", "`TEXT` above the plot")
	flags.StringVar(&f.legend, "legend", "", "other `NAMES` of values, such as ops=OPS,reps=REPS")
	addName(flags, &f.legendPlace, "legend-position", plot.Auto.String(),
		"place of the legend\na corner where it would cover data is not taken", plot.LegendPlaces())
	flags.StringArrayVar(&f.where, "where", nil, "only rows with this `KEY=VALUE`\nmay be repeated; values of one key are alternatives")
	flags.StringVar(&f.colors, "colors", "", "colours of `VALUES` of --by or file, such as ops=red,reps=#1f77b4")
	addStyle(flags, &f.style)
	f.addSizes(flags)
	flags.StringVarP(&f.output, "output", "o", "", "the `FILE`; its name ends in .pdf, .svg or .png")
	addForce(flags, &f.force)
}

// addSizes adds the flags of the size of the page and of the ends of the axes.
func (f *plotFlags) addSizes(flags *pflag.FlagSet) {
	size := func(to *float64, name, help string, least, most float64) {
		addValue(flags, to, name, "", help, func(text string) ([]float64, error) {
			return values.Floats(text, values.FloatRange{Min: least, Max: most})
		})
		byDefault(flags, name, "by --style")
	}
	size(&f.width, "width", "width in inches", 1, 50)
	size(&f.height, "height", "height in inches", 0.5, 50)
	size(&f.fontSize, "font-size", "size of the labels in points\nticks, legends and lines are in proportion", 3, 100)
	for i, name := range endFlags {
		addKind(flags, &f.ends[i], name, "number", "", "end of the axis\nlines, intervals and bars are cut there",
			func(text string) (ends []*float64, err error) {
				list, err := values.Floats(text, values.FloatRange{Min: -1e300, Max: 1e300})
				for _, v := range list {
					ends = append(ends, &v)
				}
				return ends, err
			})
		byDefault(flags, name, "by the data")
	}
}

// checkEnds returns a usage error for ends that an axis cannot have.
func (f *plotFlags) checkEnds() error {
	for i, end := range f.ends {
		name := endFlags[i]
		switch {
		case end == nil:
		case *end <= 0 && (f.logX && name[0] == 'x' || f.logY && name[0] == 'y'):
			return usagef("--%s: %v must be positive with --log-%c", name, *end, name[0])
		case i%2 == 1 && f.ends[i-1] != nil && *f.ends[i-1] >= *end:
			return usagef("--%s: %v must be below --%s, %v", endFlags[i-1], *f.ends[i-1], name, *end)
		}
	}
	return nil
}

// check reads what needs no data.
func (f *plotFlags) check(flags *pflag.FlagSet, files []string) (plot.ImageFormat, error) {
	if len(files) == 0 {
		return "", usagef("plot needs a FILE")
	}
	for i, path := range files {
		if slices.Contains(files[:i], path) {
			return "", usagef("FILE: %q must be given once", path)
		}
	}
	if err := existing(files...); err != nil {
		return "", err
	}
	kind := kindFlags[f.kind]
	for _, name := range append(kind.needs, "output") {
		if flags.Lookup(name).Value.String() == "" {
			return "", usagef("--kind %s needs --%s and -o", f.kind, strings.Join(kind.needs, ", --"))
		}
	}
	for _, name := range kind.refuses {
		if flags.Changed(name) {
			return "", usagef("--%s: must not be given with --kind %s", name, f.kind)
		}
	}
	if err := f.checkEnds(); err != nil {
		return "", err
	}
	if f.kind == barPlot && f.logY && f.ratioTo == "" && f.ends[2] == nil {
		return "", usagef("--log-y: bars need a beginning, which a logarithmic axis does not have: " +
			"give --y-min, or draw --kind line")
	}
	if f.ratioTo != "" && f.by == "" {
		return "", usagef("--ratio-to: %q must be a value of --by, which is not given; --by file compares files", f.ratioTo)
	}
	if err := checkOutput("-o", f.output, f.force); err != nil {
		return "", err
	}
	format := plot.ImageFormat(strings.TrimPrefix(filepath.Ext(f.output), "."))
	if !slices.Contains(plot.ImageFormats(), format) {
		return "", usagef("-o: the name %q must end in .pdf, .svg or .png", f.output)
	}
	return format, nil
}

// fileKey is the key of the column with the name of the file.
const fileKey = "file"

// readEither reads a result file, or of a CSV file the columns that are wanted: all if none is named.
func readEither(ctx context.Context, available []model, path string, stderr io.Writer, wanted ...string) (*storedTable, error) {
	if strings.EqualFold(filepath.Ext(path), ".csv") {
		t, err := promptly(ctx, func() (*storedTable, error) { return readColumns(path, wanted...) })
		return t, ofInput(err)
	}
	return readTable(ctx, available, path, stderr)
}

// read reads result files and CSV files. Their rows get a column with the name of the file.
func (f *plotFlags) read(
	ctx context.Context, available []model, paths []string, stderr io.Writer,
) (tables []*storedTable, err error) {
	for _, path := range paths {
		t, err := readEither(ctx, available, path, stderr, f.uses()...)
		if err != nil {
			return nil, err
		}
		t.addFile(paths)
		tables = append(tables, t)
		for _, column := range []struct{ flag, key string }{
			{"x", f.x}, {"y", f.y}, {"value", f.value}, {"by", f.by}, {"facet", f.facet},
		} {
			if err := t.check(column.flag, column.key); column.key != "" && err != nil {
				return nil, usagef("%s: %w", path, err)
			}
		}
	}
	if len(allRows(tables)) == 0 {
		return nil, usagef("%s has no row, or no finished point", strings.Join(paths, ", "))
	}
	return tables, f.selectRows(tables)
}

// uses returns the keys of the columns that the plot may use.
func (f *plotFlags) uses() []string {
	stem := stemOf(f.y)
	used := []string{f.x, f.y, f.value, f.by, f.facet, fileKey, stem + "_se", stem + "_lo", stem + "_hi", "replicas", "converged", "round"}
	for _, text := range f.where {
		key, _, _ := strings.Cut(text, "=")
		used = append(used, key)
	}
	return used
}

// allRows returns the rows of tables, of one without a copy.
func allRows(tables []*storedTable) []record {
	if len(tables) == 1 {
		return tables[0].rows
	}
	return slices.Concat(lists.Map(tables, func(t *storedTable) []record { return t.rows })...)
}

// selectRows removes the rows that --where does not select. Each of its keys must be a column of all tables, each
// of its values one of a row, and some row must have a value of every key.
func (f *plotFlags) selectRows(tables []*storedTable) error {
	wanted := map[string][]string{}
	for _, text := range f.where {
		key, value, given := strings.Cut(text, "=")
		if !given {
			return usagef("--where: %q must be KEY=VALUE", text)
		}
		for _, t := range tables {
			if err := t.check("where", key); err != nil {
				return usagef("%s: %w", t.path, err)
			}
		}
		there := lists.Map(valuesOf(key, allRows(tables)), cellText)
		if !slices.Contains(there, value) {
			return usagef("--where: %s: %q %s", key, value, values.MustBeOneOf(value, there))
		}
		wanted[key] = append(wanted[key], value)
	}
	for _, t := range tables {
		t.rows = slices.DeleteFunc(t.rows, func(row record) bool {
			for key, values := range wanted {
				if !slices.Contains(values, cellText(row.get(key))) {
					return true
				}
			}
			return false
		})
	}
	if len(allRows(tables)) == 0 {
		return usagef("--where: no row has %s", strings.Join(f.where, " and "))
	}
	return nil
}

// addFile adds the column with the name of the table's file, one of some paths: without folder and
// ending where that tells them apart.
func (t *storedTable) addFile(paths []string) {
	short := func(path string) string { return strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) }
	name := short(t.path)
	if slices.ContainsFunc(paths, func(other string) bool { return other != t.path && short(other) == name }) {
		name = t.path
	}
	if t.has(fileKey) {
		return
	}
	t.setColumns(append(t.columns, table.Text(fileKey)))
	t.file = name
}

// readColumns reads a file of comma-separated values with a header, as --flows-out, --trace and export
// write them. An empty field is null, and so are NA and NaN, as programs for statistics write them. Of the columns it
// keeps those that are wanted: all if none is named.
func readColumns(path string, wanted ...string) (*storedTable, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() >= largeCSV {
		collectEarly()
	}
	t := &storedTable{path: path}
	var fields []fieldReader
	var blocks [][]any // cells of blockOfRows rows each
	number := 0        // of rows
	lines := csv.NewReader(textfile.SkipMark(file))
	lines.ReuseRecord = true
	for {
		line, err := lines.Read()
		switch {
		case errors.Is(err, io.EOF) && t.columns == nil:
			return nil, fmt.Errorf("%s: is empty, but must begin with a line of keys", path)
		case errors.Is(err, io.EOF):
			t.addRows(number, len(fields), blocks)
			return t, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", path, err)
		case t.columns == nil:
			t.setColumns(table.Numbers(line...))
			if len(t.index) < len(line) {
				return nil, fmt.Errorf("%s: must have each key once", path)
			}
			fields = t.keep(wanted)
			continue
		}
		if number%blockOfRows == 0 {
			blocks = append(blocks, make([]any, blockOfRows*len(fields)))
		}
		cells := cellsAt(number, len(fields), blocks)
		for i := range fields {
			if cells[i], err = fields[i].read(line); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		number++
	}
}

// largeCSV is the size in bytes from which the rows of a file take more memory than all else.
const largeCSV = 4 << 20

// blockOfRows is the number of rows whose cells are allocated together.
const blockOfRows = 1 << 10

// cellsAt returns the cells of a row of some width.
func cellsAt(row, width int, blocks [][]any) []any {
	return blocks[row/blockOfRows][row%blockOfRows*width:][:width:width]
}

// addRows adds a number of rows at once: a table that grows row by row is copied often.
func (t *storedTable) addRows(number, width int, blocks [][]any) {
	t.rows = make([]record, number)
	for i := range t.rows {
		t.rows[i] = record{t, cellsAt(i, width, blocks)}
	}
}

// keep leaves the columns that are wanted, all if none is named, and returns their readers.
func (t *storedTable) keep(wanted []string) (kept []fieldReader) {
	isWanted := setOf(wanted)
	columns := []table.Column{} // not nil: the header is read
	for i, c := range t.columns {
		if len(wanted) == 0 || isWanted[c.Key] {
			kept, columns = append(kept, fieldReader{c.Key, i, map[string]any{}}), append(columns, c)
		}
	}
	t.inFile = keys(t.columns)
	t.setColumns(columns)
	return kept
}

// fieldReader reads the cells of a column. Equal fields share a cell, as far as known holds them.
type fieldReader struct {
	key   string
	place int // in a line
	known map[string]any
}

// mostKnown is the number of different fields of a column that share their cells.
const mostKnown = 1 << 10

// read returns the cell of the column in a line.
func (f *fieldReader) read(line []string) (any, error) {
	field := line[f.place]
	if cell, known := f.known[field]; known {
		return cell, nil
	}
	cell, err := readField(f.key, field)
	if err == nil && len(f.known) < mostKnown {
		f.known[strings.Clone(field)] = cell
	}
	return cell, err
}

// readField returns the cell of a field: a number, a text, or nil for a missing one.
func readField(key, field string) (any, error) {
	switch {
	case field == "", strings.EqualFold(field, "NA"), strings.EqualFold(field, "NaN"):
		return nil, nil
	case json.Valid([]byte(field)) && strings.ContainsAny(field[:1], "-0123456789"):
		return readCell(key, json.Number(field))
	}
	return strings.Clone(field), nil
}
