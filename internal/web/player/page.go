package player

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html/template"
	"path/filepath"

	"repslab/internal/web/policy"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed events.js
	eventsJS string
	//go:embed page.js
	pageJS string
)

// Page returns the page. Its title is the name of the file. Equal files give equal bytes.
func (e *Events) Page() ([]byte, error) {
	var packed, page bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // a level that exists
	if err := json.NewEncoder(w).Encode(e.list); err != nil {
		return nil, err
	}
	w.Close() // into memory, without errors
	script := eventsJS + pageJS
	err := template.Must(template.New("").Parse(pageHTML)).Execute(&page, map[string]any{
		"File": filepath.Base(e.path), "Policy": policy.Of(pageCSS, script),
		"Style": template.CSS(pageCSS), "Script": template.JS(script),
		"Data": template.HTML(base64.StdEncoding.EncodeToString(packed.Bytes())), // letters, digits, +, / and =
	})
	return page.Bytes(), err
}
