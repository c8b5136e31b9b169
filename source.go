package repslab

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// sources holds the packages whose code decides the rows of a model, from its random
// streams to the text of its numbers in a result file, and the versions of the libraries. Packages that read
// flags, or print and draw rows, are not among them: their changes leave a user's result files as they are.
//
//go:embed go.mod go.sum faults reps mrc ballsbins recycled coalescing evsimbalance fattree
//go:embed mc internal/bins internal/bitset internal/checks internal/draw internal/ecmphash internal/elementary internal/endpoint internal/evset internal/flight internal/heap
//go:embed internal/lines internal/lists internal/must internal/seal internal/times internal/values internal/wrapped
//go:embed internal/frame internal/cases internal/param sweep
var sources embed.FS

// figureSources holds the other packages whose code decides figures and verdicts.
//
//go:embed internal/claims internal/figures internal/metric internal/plot internal/rows internal/runbook internal/supermarket proofs
var figureSources embed.FS

// figureData holds the files that those packages read beside their code.
//
//go:embed internal/claims/claims.csv internal/claims/mrc.csv internal/claims/witness.csv internal/claims/decided.csv
//go:embed internal/claims/superseded.csv internal/claims/own.csv
//go:embed internal/figures/notes internal/metric/metrics.csv
//go:embed internal/figures/testdata/htsim_freezing.csv internal/figures/testdata/uet_published.csv
//go:embed internal/figures/testdata/published_sweeps.csv
//go:embed proofs/steps.txt proofs/verdicts.csv
var figureData embed.FS

var (
	//go:embed docs/glossary.md
	glossary string
	//go:embed docs/mrc.md
	mrcPage string
)

// Glossary returns docs/glossary.md, words of the documents with their meanings.
func Glossary() string { return glossary }

// MRC returns docs/mrc.md. Its table of choices has the source of each choice.
func MRC() string { return mrcPage }

// Source returns 64 bits of a SHA-256, in hexadecimal digits, of the source that decides
// the rows of a model: the Go files, tests apart, of the packages concerned, and the
// versions of the libraries. It is the same for every build of the same source, whatever
// its flags, its place and its processor. It takes some milliseconds.
func Source() string { return digest(sources) }

// FigureSource is like [Source], for the figures of the reproduce command: it also covers
// the packages of figures, claims and proofs, and their data.
func FigureSource() string { return digest(sources, figureSources, figureData) }

// digest returns the digest of the source in some trees of files.
func digest(trees ...fs.FS) string {
	sum := sha256.New()
	for _, tree := range trees {
		err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			data := tree == fs.FS(figureData)
			if entry.IsDir() && entry.Name() == "testdata" && !data {
				return fs.SkipDir
			}
			counts := data || name == "go.mod" || name == "go.sum" || path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go")
			if entry.IsDir() || !counts {
				return nil
			}
			text, err := fs.ReadFile(tree, name)
			fmt.Fprintf(sum, "%s %d\n", name, len(text))
			sum.Write(text)
			return err
		})
		if err != nil {
			panic("repslab: " + err.Error()) // files in memory can always be read
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}
