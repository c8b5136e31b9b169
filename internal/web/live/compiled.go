//go:build !embedpage

package live

// Embedded reports whether the page's program was compiled beforehand, by go generate.
const Embedded = false

var embeddedLoader, embeddedProgram []byte
