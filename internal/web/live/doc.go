// Package live builds and serves the web pages that show OPS and REPS at work.
//
// [Build] compiles the program in folder kernels, and with it packages ballsbins,
// recycled, coalescing and fattree, to WebAssembly. It needs the go command and this
// repository's source, which a program built in a clone finds from any working
// directory. A program built with the tag embedpage needs neither: it contains what go
// generate has compiled into folder embedded (scripts/release). Together with the files
// of folder page the compiled program makes a [Site]: two pages that load only the Site's
// files and compute everything in the browser. [Site.Export] writes a Site as static
// files, [Serve] serves it.
//
// Package scene defines what the pages show; the comment of program kernels
// documents the functions that the pages' JavaScript calls.
//
// The server answers GET and HEAD requests for the site's files only, gives every answer a content
// security policy, and disconnects clients that are slow to send or to receive. It listens on the
// loopback interface by default ([Listen]).
package live

//go:generate go run ../../../cmd/repslab serve --export embedded
