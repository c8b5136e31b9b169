package live

import (
	"embed"
	"errors"
	"path/filepath"
	"regexp"

	"repslab/internal/wholefile"
)

//go:embed page
var pageFiles embed.FS

// Site holds the files of a page by name. Make it with [Build].
type Site map[string][]byte

// indentation matches the indentation of the pages, which is removed to save 3 kB. No text in them spans
// several lines.
var indentation = regexp.MustCompile(`(?m)^[ \t]+`)

// newSite returns the site with a loader and a compressed program.
func newSite(loader, packed []byte) (Site, error) {
	s := Site{"wasm_exec.js": loader, "kernels.wasm.gz": packed}
	files, err := pageFiles.ReadDir("page")
	for _, file := range files {
		data, fault := pageFiles.ReadFile("page/" + file.Name())
		s[file.Name()], err = indentation.ReplaceAll(data, nil), errors.Join(err, fault)
	}
	return s, err
}

// Export writes the site's files to a folder, which it creates if needed, for any web host. Each file
// appears whole; other files in the folder stay. The page itself contains the security policy that the
// server sends.
func (s Site) Export(folder string) error {
	for name, data := range s {
		if err := wholefile.Write(filepath.Join(folder, name), data); err != nil {
			return err
		}
	}
	return nil
}
