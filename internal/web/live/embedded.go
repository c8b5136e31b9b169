//go:build embedpage

package live

import _ "embed"

// Embedded reports whether the page's program was compiled beforehand, by go generate.
const Embedded = true

//go:embed embedded/wasm_exec.js
var embeddedLoader []byte

//go:embed embedded/kernels.wasm.gz
var embeddedProgram []byte
