package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"repslab/internal/console"
	"repslab/internal/lists"
	"repslab/internal/param"
	"repslab/internal/plot"
	"repslab/internal/rows"
	"repslab/internal/values"
	"repslab/internal/view"
)

// endFlags are the flags of the ends of the axes.
var endFlags = [4]string{"x-min", "x-max", "y-min", "y-max"}

// kindFlags names for each kind of plot the flags that it needs and the flags that it refuses.
var kindFlags = map[view.Kind]struct{ needs, refuses []string }{
	view.LinePlot:  {[]string{"x", "y"}, []string{"value", "log-value", "total", "x-bin"}},
	view.PointPlot: {[]string{"x", "y"}, []string{"value", "log-value", "total", "x-bin", "ratio-to"}},
	view.BarPlot:   {[]string{"x", "y"}, []string{"value", "log-value", "total", "x-bin", "log-x", "x-min", "x-max"}},
	view.CdfPlot:   {[]string{"x"}, []string{"y", "value", "log-value", "total", "x-bin", "ratio-to", "y-min", "y-max"}},
	view.HeatPlot: {[]string{"x", "y", "value"}, []string{"by", "ratio-to", "log-x", "log-y", "x-min", "x-max", "y-min", "y-max", "colors",
		"legend-position"}},
}

// newPlot returns the command that plots result files.
func newPlot(available []param.Model) *cobra.Command {
	cmd := newCommand("plot")
	cmd.Args = cobra.ArbitraryArgs
	var f view.Plot
	addPlot(cmd.Flags(), &f)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		format, err := checkPlot(cmd.Flags(), &f, args)
		if err != nil {
			return err
		}
		tables, err := f.Read(cmd.Context(), available, args, cmd.ErrOrStderr())
		if err != nil {
			return err
		}
		var d *view.Drawing
		data, err := console.Promptly(cmd.Context(), func() ([]byte, error) {
			if d, err = view.Draw(&f, tables); err != nil {
				return nil, err
			}
			return d.Figure.Render(f.Style.Sized(f.Width, f.Height, f.FontSize), format)
		})
		if err != nil { // such as a page too small for its texts, or a text that the font cannot show
			return console.OfInput(err)
		}
		for _, w := range d.Warnings() {
			console.WarnTo(cmd.ErrOrStderr())(w)
		}
		return console.WriteOutput(nil, f.Output, f.Force, data)
	}
	return cmd
}

// addPlot adds the flags of a plot.
func addPlot(flags *pflag.FlagSet, f *view.Plot) {
	addName(flags, &f.Kind, "kind", string(view.LinePlot),
		"line, bar, points, cdf (of the column --x) or heat (--value over --x and --y)",
		[]view.Kind{view.LinePlot, view.BarPlot, view.CdfPlot, view.HeatPlot, view.PointPlot})
	// The shell completes a flag of one letter only if the letter is also its short form.
	flags.StringVarP(&f.X, "x", "x", "", "`KEY` of the horizontal axis")
	flags.StringVarP(&f.Y, "y", "y", "", "`KEY` of the vertical axis")
	flags.StringVar(&f.Value, "value", "", "`KEY` of the colours of a heat map\nor rows, to count the rows of each cell")
	flags.StringVar(&f.By, "by", "", "`KEYS` whose values are the lines\nof several, such as lb,failure, each combination is a line")
	flags.StringVar(&f.Facet, "facet", "", fmt.Sprintf("`KEY` whose values, at most %d, are the panels", view.MostFacets)+"\nfor lines of a trace by default quantity")
	flags.BoolVar(&f.Stack, "stack", false, "panels of --facet one under the other\neach with a vertical axis of its own; always for the quantities of a trace")
	flags.StringVar(&f.RatioTo, "ratio-to", "", "divide each line by the one of this `VALUE` of --by")
	flags.BoolVar(&f.Total, "total", false, "add up the values of the rows of a cell of a heat map\nas --value rows counts them")
	addValue(flags, &f.XBin, "x-bin", "", "width of the cells of a heat map along --x", func(text string) ([]float64, error) {
		return values.Floats(text, values.FloatRange{Min: 1e-9, Max: 1e15})
	})
	byDefault(flags, "x-bin", "a cell for each value")
	flags.BoolVar(&f.LogX, "log-x", false, "logarithmic horizontal axis")
	flags.BoolVar(&f.LogY, "log-y", false, "logarithmic vertical axis; of a cdf, the share above")
	flags.BoolVar(&f.LogValue, "log-value", false, "logarithmic colours")
	flags.StringVar(&f.XLabel, "x-label", "", "`TEXT` of the horizontal axis")
	byDefault(flags, "x-label", "from the key")
	flags.StringVar(&f.YLabel, "y-label", "", "`TEXT` of the vertical axis")
	byDefault(flags, "y-label", "from the key")
	flags.StringVar(&f.Title, "title", "", "`TEXT` above the plot")
	flags.StringVar(&f.Legend, "legend", "", "other `NAMES` of values, such as ops=OPS,reps=REPS")
	addName(flags, &f.LegendPlace, "legend-position", plot.Auto.String(),
		"place of the legend\na corner where it would cover data is not taken", plot.LegendPlaces())
	flags.StringArrayVar(&f.Where, "where", nil, "only rows with this `KEY=VALUE`\nmay be repeated; values of one key are alternatives")
	flags.StringVar(&f.Colors, "colors", "", "colours of `VALUES` of --by or file, such as ops=red,reps=#1f77b4")
	addStyle(flags, &f.Style)
	addSizes(flags, f)
	flags.StringVarP(&f.Output, "output", "o", "", "the `FILE`; its name ends in .pdf, .svg or .png")
	addForce(flags, &f.Force)
	seldom(flags, "stack", "total", "x-bin", "force")
}

// addSizes adds the flags for the size of the page and the ends of the axes.
func addSizes(flags *pflag.FlagSet, f *view.Plot) {
	size := func(to *float64, name, help string, least, most float64) {
		addValue(flags, to, name, "", help, func(text string) ([]float64, error) {
			return values.Floats(text, values.FloatRange{Min: least, Max: most})
		})
		byDefault(flags, name, "by --style")
	}
	size(&f.Width, "width", "width in inches", 1, 50)
	size(&f.Height, "height", "height in inches", 0.5, 50)
	size(&f.FontSize, "font-size", "size of the labels in points\nticks, legends and lines are in proportion", 3, 100)
	for i, name := range endFlags {
		addKind(flags, &f.Ends[i], name, "number", "", "end of the axis\nlines, intervals and bars are cut there",
			func(text string) ([]*float64, error) {
				list, err := values.Floats(text, values.FloatRange{Min: -1e300, Max: 1e300})
				return lists.Map(list, func(v float64) *float64 { return &v }), err
			})
		byDefault(flags, name, "by the data")
	}
}

// checkEnds returns a usage error for ends that an axis cannot have.
func checkEnds(f *view.Plot) error {
	for i, end := range f.Ends {
		name := endFlags[i]
		switch {
		case end == nil:
		case *end <= 0 && (f.LogX && name[0] == 'x' || f.LogY && name[0] == 'y'):
			return console.Usagef("--%s: %v must be positive with --log-%c", name, *end, name[0])
		case i%2 == 1 && f.Ends[i-1] != nil && *f.Ends[i-1] >= *end:
			return console.Usagef("--%s: %v must be below --%s, %v", endFlags[i-1], *f.Ends[i-1], name, *end)
		}
	}
	return nil
}

// checkPlot checks everything that needs no data, and returns the format of the file.
func checkPlot(flags *pflag.FlagSet, f *view.Plot, files []string) (plot.ImageFormat, error) {
	if len(files) == 0 {
		return "", console.Usagef("plot needs a FILE")
	}
	for i, path := range files {
		if slices.Contains(files[:i], path) {
			return "", console.Usagef("FILE: %q must be given once", path)
		}
	}
	if err := rows.Existing(files...); err != nil {
		return "", err
	}
	kind := kindFlags[f.Kind]
	for _, name := range append(kind.needs, "output") {
		if flags.Lookup(name).Value.String() == "" {
			return "", console.Usagef("--kind %s needs --%s and -o", f.Kind, strings.Join(kind.needs, ", --"))
		}
	}
	for _, name := range kind.refuses {
		if flags.Changed(name) {
			return "", console.Usagef("--%s: must not be given with --kind %s", name, f.Kind)
		}
	}
	if err := checkEnds(f); err != nil {
		return "", err
	}
	if f.Kind == view.BarPlot && f.LogY && f.RatioTo == "" && f.Ends[2] == nil {
		return "", console.Usagef("--log-y: bars need a beginning, which a logarithmic axis does not have: " +
			"give --y-min, or draw --kind line")
	}
	if f.RatioTo != "" && f.By == "" {
		return "", console.Usagef("--ratio-to: %q must be a value of --by, which is not given; --by file compares files", f.RatioTo)
	}
	if err := console.CheckOutput("-o", f.Output, f.Force); err != nil {
		return "", err
	}
	format := plot.ImageFormat(strings.TrimPrefix(filepath.Ext(f.Output), "."))
	if !slices.Contains(plot.ImageFormats(), format) {
		return "", console.Usagef("-o: the name %q must end in .pdf, .svg or .png", f.Output)
	}
	return format, nil
}
