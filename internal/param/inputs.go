package param

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	textfile "repslab/internal/lines"
	"repslab/internal/values"
	"repslab/sweep"
)

// Input is a file that a parameter names, and its contents.
type Input[T any] struct {
	Path string
	Data T
}

// String returns the path.
func (i *Input[T]) String() string { return i.Path }

// InputFiles reads the files that parameters name, and records their contents.
type InputFiles struct {
	carried []sweep.Input // from a result file or a configuration; used instead of the files on disk
	read    []sweep.Input // each path once, in the order of reading
	note    func(text string)
}

// EachFile reads the files that a text names with commas between them, or the one file with these commas in its name.
func EachFile[T any](files *InputFiles, text string, read func(path string) (T, error)) ([]T, error) {
	if !strings.Contains(text, ",") {
		return values.Each(text, ",", read)
	}
	_, one := inputOf(files.carried, text)
	if info, err := os.Stat(text); len(files.carried) == 0 && err == nil {
		one = info.Mode().IsRegular()
	}
	if one {
		value, err := read(text)
		return []T{value}, err
	}
	list, err := values.Each(text, ",", read)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; commas separate files", err)
	}
	return list, err
}

// ReadInput reads a file, without its byte-order mark, and records its contents. It does not open a file with carried
// contents. A file with only a carried digest must have this digest.
func ReadInput[T any](files *InputFiles, path string, read func(io.Reader) (T, error)) (data T, err error) {
	if !utf8.ValidString(path) {
		return data, fmt.Errorf("the name %q must be UTF-8, as the text of a result file is", path)
	}
	if strings.IndexAny(path, "=+-@") == 0 {
		return data, fmt.Errorf("the name %.60q must not begin with =, +, - or @, which spreadsheets take for a formula: give ./%.60s", path, path)
	}
	carried, known := inputOf(files.carried, path)
	var from io.Reader
	switch text, ok := carried.Carried(); {
	case known && ok:
		from = strings.NewReader(text)
	case known && text != "":
		return data, fmt.Errorf("%s: its text must have the digest beside it", path)
	default:
		if files.note != nil {
			files.note("reading " + path)
		}
		file, err := os.Open(path)
		if err != nil {
			return data, err
		}
		defer file.Close()
		from = file
	}
	found, err := sweep.ReadInput(path, from, func(r io.Reader) (err error) {
		data, err = read(textfile.SkipMark(r))
		return err
	})
	if err != nil {
		return data, fmt.Errorf("%s: %w", path, err)
	}
	if known && found.SHA256 != carried.SHA256 {
		return data, fmt.Errorf("%s has changed since the sweep was created", path)
	}
	before, twice := inputOf(files.read, path)
	if twice && before.SHA256 != found.SHA256 {
		return data, fmt.Errorf("%s changed while it was read", path)
	}
	if !twice {
		files.read = append(files.read, found)
	}
	return data, nil
}

// inputOf returns the input with a path.
func inputOf(list []sweep.Input, path string) (sweep.Input, bool) {
	i := slices.IndexFunc(list, func(in sweep.Input) bool { return in.Path == path })
	if i < 0 {
		return sweep.Input{}, false
	}
	return list[i], true
}

// File is a parameter that names input files, or takes one of some names that stand for no data. Its cell is null
// if none is given.
func File[T any](flag, help string, read func(io.Reader) (T, error), field **Input[T], names ...string) Parameter {
	return inputs(flag, help, read, func(in *Input[T]) { *field = in }, func() any {
		if *field != nil {
			return (*field).Path
		}
		return nil
	}, names...)
}

// Files is a parameter that names input files. A point has one of them, or all if they are pooled. Its cell is null if
// none is given.
func Files[T any](flag, help string, read func(io.Reader) (T, error), field *[]*Input[T]) Parameter {
	q := inputs(flag, help, read, func(in *Input[T]) { *field = append(*field, in) }, func() any {
		if *field != nil {
			return strings.Join(values.Texts(*field), ",")
		}
		return nil
	})
	q.Pools = true
	return q
}

// inputs is a parameter that names input files.
func inputs[T any](flag, help string, read func(io.Reader) (T, error), set func(*Input[T]), cell func() any, names ...string) Parameter {
	readAll := func(files *InputFiles, text string) ([]*Input[T], error) {
		return EachFile(files, text, func(path string) (in *Input[T], err error) {
			in = &Input[T]{Path: path}
			if !slices.Contains(names, path) {
				in.Data, err = ReadInput(files, path, read)
			}
			return in, err
		})
	}
	return Parsed(flag, help, readAll, func(in *Input[T]) error { set(in); return nil }).Show(cell).NoPreset("").Text().Of("FILES")
}
