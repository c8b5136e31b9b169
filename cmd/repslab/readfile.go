package main

import (
	"fmt"
	"io"
	"os"
)

// longestText bounds the files that are read whole: configurations.
const longestText = 1 << 20

// readText returns the contents of a file of at most longestText bytes.
func readText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, longestText+1))
	if err == nil && len(data) > longestText {
		err = fmt.Errorf("%s must be of at most %d bytes", path, longestText)
	}
	return data, err
}
