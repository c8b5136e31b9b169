package repslab

import (
	"embed"
	"io/fs"
)

//go:embed results
var recorded embed.FS

// Recorded returns the recorded runs of the full reproduction: the files of results/, which its README.md describes.
func Recorded() fs.FS {
	files, err := fs.Sub(recorded, "results")
	if err != nil {
		panic("repslab: " + err.Error()) // the directory is part of the program
	}
	return files
}
