package live

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"repslab/internal/wholefile"
)

//go:embed page
var pageFiles embed.FS

// Site is a page with all its files. Make it with [Build].
type Site struct {
	files []file
}

// file is a file of a site.
type file struct {
	name, contentType, tag string
	data                   []byte
}

// newFile returns a file; its tag changes with its data.
func newFile(name string, data []byte) file {
	sum := sha256.Sum256(data)
	return file{name, contentTypes[path.Ext(name)], `"` + hex.EncodeToString(sum[:16]) + `"`, data}
}

// contentTypes maps the extensions of the site's files to types. The program is sent
// packed, as a file of its own type: the page unpacks it, the browser must not.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".gz":   "application/gzip",
}

// newSite returns the site of a loader and a packed program.
func newSite(loader, packed []byte) (Site, error) {
	var s Site
	names, err := fs.Glob(pageFiles, "page/*")
	if err != nil {
		return s, fmt.Errorf("live: %w", err)
	}
	for _, name := range names {
		data, err := pageFiles.ReadFile(name)
		if err != nil {
			return s, fmt.Errorf("live: %w", err)
		}
		s.files = append(s.files, newFile(path.Base(name), data))
	}
	s.files = append(s.files, newFile("wasm_exec.js", loader), newFile("kernels.wasm.gz", packed))
	return s, nil
}

// Names returns the names of the site's files.
func (s Site) Names() []string {
	var names []string
	for _, f := range s.files {
		names = append(names, f.name)
	}
	return names
}

// find returns the file at the path of an address; the page itself is at /.
func (s Site) find(address string) (file, bool) {
	if address == "/" {
		address = "/index.html"
	}
	for _, f := range s.files {
		if "/"+f.name == address {
			return f, true
		}
	}
	return file{}, false
}

// Export writes the site's files to a folder, which it creates if needed, for any
// web host. Each file appears whole; other files there stay. The page itself also
// has the security policy that the server sends.
func (s Site) Export(folder string) error {
	for _, f := range s.files {
		if err := wholefile.Write(filepath.Join(folder, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}
