package figures

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

// noteFiles holds the notes of the figures, a list in a file ID.md each: the set-up, and how it differs from the
// paper's.
//
//go:embed notes
var noteFiles embed.FS

// facts are the numbers in notes.
type facts map[string]any

// notes returns the notes of some files with the facts filled in. It panics if a file is missing or needs another
// fact.
func notes(of facts, names ...string) []string {
	var list []string
	for _, name := range names {
		t, err := template.New(name+".md").Option("missingkey=error").ParseFS(noteFiles, "notes/"+name+".md")
		var text strings.Builder
		if err == nil {
			err = t.Execute(&text, of)
		}
		if err != nil {
			panic(fmt.Sprintf("figures: notes of %s: %v", name, err))
		}
		for _, note := range strings.Split("\n"+text.String(), "\n- ")[1:] {
			list = append(list, strings.Join(strings.Fields(note), " "))
		}
	}
	return list
}
