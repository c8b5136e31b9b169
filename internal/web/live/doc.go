// Package live answers one question: how does a browser get to see OPS and REPS
// run?
//
// [Build] compiles the program of folder kernels, and with it the kernels of
// packages ballsbins, recycled and coalescing, to WebAssembly: it needs the go
// command and this repository's source, which a build in a clone finds wherever it
// is started. With the files of folder page it makes a [Site]: a page that asks for
// nothing but its own files and computes everything in the browser. A Site is
// written as static files by [Site.Export], or served by [Serve].
//
// What the page shows is defined in package scene; what crosses the border between
// its JavaScript and Go is in the comment of program kernels.
//
// The server answers GET and HEAD for the site's files and nothing else, gives every
// answer a content security policy, and cuts clients that are slow to ask or to
// listen. It listens on loopback unless asked otherwise ([Listen]).
package live
