package live

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"

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
	name        string
	contentType string
	data        []byte
}

// contentTypes are those of the site's files, by extension. The program is sent
// as what it is, packed: a browser must not unpack it on the way, the page does.
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
	add := func(name string, data []byte) {
		s.files = append(s.files, file{name, contentTypes[path.Ext(name)], data})
	}
	entries, err := fs.ReadDir(pageFiles, "page")
	if err != nil {
		return s, fmt.Errorf("live: %w", err)
	}
	for _, e := range entries {
		data, err := pageFiles.ReadFile("page/" + e.Name())
		if err != nil {
			return s, fmt.Errorf("live: %w", err)
		}
		add(e.Name(), data)
	}
	add("wasm_exec.js", loader)
	add("kernels.wasm.gz", packed)
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
	i := slices.IndexFunc(s.files, func(f file) bool { return "/"+f.name == address })
	if i < 0 {
		return file{}, false
	}
	return s.files[i], true
}

// Export writes the site's files to a folder, made if need be, for any web host;
// each appears whole. Other files there are left alone. The policy that the server
// sends is in the page too.
func (s Site) Export(folder string) error {
	for _, f := range s.files {
		if err := wholefile.Write(filepath.Join(folder, f.name), f.data); err != nil {
			return err
		}
	}
	return nil
}
