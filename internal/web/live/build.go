package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// program is the package that the page runs.
var program = reflect.TypeFor[Site]().PkgPath() + "/kernels"

// Build compiles the page's program, unless it is embedded, and returns the site. It
// takes one or two seconds, and tens of seconds with an empty build cache; ctx ends it.
// It writes to a temporary folder, which it removes.
func Build(ctx context.Context) (Site, error) {
	if Embedded {
		return newSite(embeddedLoader, embeddedProgram)
	}
	folder, err := os.MkdirTemp("", "repslab-")
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	defer os.RemoveAll(folder)
	wasm := filepath.Join(folder, "kernels.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", wasm}
	_, err = goCommand(ctx, append(append(args, withoutInlining()...), program)...)
	if err != nil {
		return nil, err
	}
	root, err := goCommand(ctx, "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	// The loader of this toolchain; loaders of other versions do not fit.
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, fmt.Errorf("live: the go command's folder lacks the loader of WebAssembly programs: %w", err)
	}
	code, err := os.ReadFile(wasm)
	if err != nil {
		return nil, fmt.Errorf("live: %w", err)
	}
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that exists
	w.Write(code)                                              // into memory, without errors
	w.Close()
	return newSite(loader, packed.Bytes())
}

// withoutInlining returns flags that make the program a twentieth smaller. They switch off inlining in
// the runtime and in packages that need no speed on a page: packages that draw, print, build networks,
// choose EVs, compute intervals, implement MRC and the one-switch topology, or talk to the page. The runtime stays
// fast enough, since loops on the page do not allocate.
func withoutInlining() (flags []string) {
	for _, name := range []string{program, "syscall/js", "runtime", "internal/abi", "repslab/internal/web/scene", "repslab/fattree/balance", "repslab/fattree/topology",
		"repslab/fattree/traffic", "repslab/fattree/multipath", "repslab/mrc", "repslab/recycled", "repslab/coalescing", "fmt", "reflect",
		"math", "strconv", "sync", "math/big", "repslab/mc", "repslab/faults", "repslab/internal/draw", "repslab/fattree/congestion", "repslab/reps",
		"gonum.org/v1/gonum/mathext", "gonum.org/v1/gonum/mathext/internal/cephes", "gonum.org/v1/gonum/stat/distuv", "internal/fmtsort", "internal/runtime/atomic", "internal/runtime/maps", "unicode"} {
		flags = append(flags, "-gcflags="+name+"=-l")
	}
	return flags
}

// goCommand runs the go command for WebAssembly in the folder of the source and
// returns its output.
func goCommand(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = source()
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return "", fmt.Errorf("live: the page is compiled by the go command from this repository's source, "+
			"so run it in a clone where go is installed: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return string(out), nil
}

// source returns the folder from which this file was compiled, or, if that does not exist, the empty text
// for the working directory.
func source() string {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return ""
	}
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return filepath.Dir(file)
}
